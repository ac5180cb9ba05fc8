"""Well-known programs whose containers reach the world outside: how their containers are recognised.

A container is one of a program if a label says so of its workload and its own name fits, or if its image does. Labels
count on the object and on its pod template. Sources: the released manifests of Flux, Argo CD, cert-manager and the
Cluster API providers (``sigs.k8s.io/cluster-api/util/flags`` defines ``--diagnostics-address``).
"""

from __future__ import annotations

from collections.abc import Sequence

from krm_fn.config import matches_any
from krm_fn.light_typing import NamedTuple, Texts
from krm_fn.patch import list_at
from krm_fn.places.containers import Container, labels
from krm_fn.targets.base import Data, Options

_NAME, _PART_OF = "app.kubernetes.io/name", "app.kubernetes.io/part-of"
# The parts of cert-manager.
_PARTS = ("controller", "webhook", "cainjector", "startupapicheck")
_CERT_MANAGER = ("cert-manager", "cert-manager-app")


class Program(NamedTuple):
    """One program, or one generation of its manifests.

    Attributes:
        labels: the labels that name it, and globs for their values; one of the labels must fit.
        containers: globs for the names of its containers.
        init_containers: globs for the names of its init containers.
        images: globs for the images of its containers, whatever the workload is called.
        arguments: globs; a container of ``containers`` with such an argument is meant, whatever its workload is called.
        names: by which its parts call each other inside the cluster.
        main: the container without which a workload with such a label gets a warning; "" for none.
    """

    labels: Sequence[tuple[str, Texts]] = ()
    containers: Texts = ()
    init_containers: Texts = ()
    images: Texts = ()
    arguments: Texts = ()
    names: Texts = ()
    main: str = ""

    def is_labelled(self, data: Data) -> bool:
        """Return whether a label of a workload names the program."""
        for label, globs in self.labels:
            for value in labels(data, label):
                if matches_any(value, globs):
                    return True
        return False

    def is_read_by(self, container: Container, data: Data) -> bool:
        """Return whether a container of a workload is one of the program."""
        is_meant = self.is_labelled(data)
        if container.is_init:
            return is_meant and matches_any(container.name, self.init_containers)
        if matches_any(container.image, self.images):
            return True
        for argument in list_at(container.fields, "args"):
            is_meant = is_meant or matches_any(str(argument), self.arguments)
        return is_meant and matches_any(container.name, self.containers)


# The name under ``presets`` -> the program, in as many rows as it has generations of manifests.
PROGRAMS: dict[str, tuple[Program, ...]] = {
    "flux": (
        Program(
            labels=((_PART_OF, ("flux",)),),
            containers=("manager",),
            images=("*fluxcd/*-controller", "*/flux-operator"),
        ),
    ),
    "argocd": (
        Program(
            labels=((_PART_OF, ("argocd",)), (_NAME, ("argocd-*",))),
            containers=(
                "*application-controller",
                "*applicationset-controller",
                "*notifications-controller",
                "*repo-server",
                "*commit-server",
                "argocd-server",
                "server",
                "dex",
                "dex-server",
            ),
            # Over gRPC and HTTP, with these names unless the chart was given another one.
            names=(
                "argocd-server",
                "argocd-repo-server",
                "argocd-commit-server",
                "argocd-dex-server",
            ),
        ),
    ),
    "clusterAPIProviders": (
        Program(
            labels=(
                ("cluster.x-k8s.io/provider", ("*",)),
                ("control-plane", ("ca*-controller-manager",)),
            ),
            containers=("manager",),
            images=(
                "*cluster-api/*-controller",
                "*/cluster-api-*-controller",
                "*/cluster-api-provider-*",
            ),
            arguments=("--diagnostics-address=*", "--insecure-diagnostics=*"),
        ),
    ),
    "certManager": (
        Program(
            labels=[
                (label, (*_CERT_MANAGER, *_PARTS))
                for label in ("app", _NAME, "app.kubernetes.io/component")
            ],
            containers=(
                "cert-manager",
                *(f"{name}-{part}" for name in _CERT_MANAGER for part in _PARTS),
            ),
            images=tuple(
                f"{folder}cert-manager-{part}" for folder in ("", "*/") for part in (*_PARTS, "ctl")
            ),
        ),
        Program(
            labels=(("app", _CERT_MANAGER), (_NAME, _CERT_MANAGER)),
            containers=_PARTS,
        ),
    ),
    "chartOperator": (
        Program(
            labels=(("app", ("chart-operator",)), (_NAME, ("chart-operator",))),
            containers=("chart-operator",),
            init_containers=("wait-for-quay",),
            main="chart-operator",
        ),
    ),
}

# The presets that need not be named.
_ALWAYS = ("certManager", "chartOperator")


def active_presets(options: Options) -> Texts:
    """Return the presets that the options of ``workloads`` name, and those that hold without."""
    return (*_ALWAYS, *options.get("presets", ()))


def is_part_of(program: str, container: Container, data: Data) -> bool:
    """Return whether a container of a workload is one of the program with a name."""
    return any(row.is_read_by(container, data) for row in PROGRAMS[program])
