"""Well-known programs whose containers reach the world outside: how they are recognised, and what they read.

Each row is data; the two whose containers have had many names point to the module that knows these.
A container is one of a row if its workload fits a matcher and its own name fits, or if its image
does. Labels count on the object and on its pod template.

Sources: the released manifests of Flux (``install.yaml``, chart ``flux2``), Argo CD
(``install.yaml``, chart ``argo-cd``) and the Cluster API providers
(``config/manager/manager.yaml``; ``sigs.k8s.io/cluster-api/util/flags`` defines
``--diagnostics-address``; ``*-components.yaml`` have the label ``cluster.x-k8s.io/provider``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase

from krm_fn.carriers.pod_spec import CONTAINERS, INIT_CONTAINERS, Container, containers
from krm_fn.config import Matcher
from krm_fn.krm.resourcelist import group_kind
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Pointer, lookup
from krm_fn.targets.workloads import known_workloads

PROVIDER_GROUP = "operator.cluster.x-k8s.io"
"""The group of the objects from which cluster-api-operator installs the providers of Cluster API."""


class Preset(NamedTuple):
    """One program.

    Attributes:
        matchers: its workloads; one must fit.
        containers: globs; which containers of such a workload reach the world outside.
        init_containers: the same for init containers.
        images: globs; a container with such an image is meant, whatever its workload is called.
        arguments: globs; a container of ``containers`` with such an argument is meant, whatever its workload is called.
        groups: API groups whose objects are meant as a whole.
        finds: yields its containers, where names and images do not say enough.
        target: the target that writes these containers unless it is switched off, "" for none.
        names: by which its parts call each other inside the cluster.
        writes_rooted_names: they write names of Services with a final dot.
    """

    matchers: tuple[Matcher, ...] = ()
    containers: tuple[str, ...] = ()
    init_containers: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    finds: Callable[[Mapping[str, Any]], Iterable[Container]] | None = None
    target: str = ""
    names: tuple[str, ...] = ()
    writes_rooted_names: bool = False


_PART_OF = "app.kubernetes.io/part-of"

PRESETS: dict[str, Preset] = {
    "flux": Preset(
        matchers=(Matcher(labels={_PART_OF: "flux"}),),
        containers=("manager",),
        images=("*fluxcd/*-controller", "*/flux-operator"),
        writes_rooted_names=True,  # http://source-controller.flux-system.svc.cluster.local./
    ),
    "argocd": Preset(
        matchers=(
            Matcher(labels={_PART_OF: "argocd"}),
            Matcher(labels={"app.kubernetes.io/name": "argocd-*"}),
        ),
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
        names=("argocd-server", "argocd-repo-server", "argocd-commit-server", "argocd-dex-server"),
    ),
    "clusterAPIProviders": Preset(
        matchers=(
            Matcher(labels={"cluster.x-k8s.io/provider": "*"}),
            Matcher(labels={"control-plane": "ca*-controller-manager"}),
        ),
        containers=("manager",),
        images=(
            "*cluster-api/*-controller",
            "*/cluster-api-*-controller",
            "*/cluster-api-provider-*",
        ),
        arguments=("--diagnostics-address=*", "--insecure-diagnostics=*"),
        groups=(PROVIDER_GROUP,),
    ),
    "certManager": Preset(finds=known_workloads.cert_manager_containers, target="certManager"),
    "chartOperator": Preset(
        finds=known_workloads.chart_operator_containers, target="chartOperator"
    ),
}
"""The name under ``presets`` -> the program."""


def preset_containers(preset: Preset, obj: Mapping[str, Any], at: Pointer) -> Iterator[Container]:
    """Yield the containers of a program in one object.

    Args:
        preset: the program.
        obj: any object.
        at: leads to its pod specification.
    """
    if preset.finds is not None:
        yield from preset.finds(obj)
        return
    group, _ = group_kind(obj)
    fits = group in preset.groups or any(fits_object(one, obj, at) for one in preset.matchers)
    for name, globs in (
        (INIT_CONTAINERS, preset.init_containers),
        (CONTAINERS, preset.containers),
    ):
        for one in containers(obj, name, at=at):
            is_named = fits_one(one.name, globs)
            if (is_named and (fits or _has_argument(one, preset))) or (
                globs and fits_one(one.image, preset.images)
            ):
                yield one


def fits_object(matcher: Matcher, obj: Mapping[str, Any], at: Pointer) -> bool:
    """Return whether an object fits a matcher; labels of its pod template count as its own."""
    labels = {**_mapping(obj, (*at[:-1], "metadata", "labels")), **metadata(obj, "labels")}
    return matcher.fits(
        kind=str(obj.get("kind")),
        name=_text(obj, "name"),
        namespace=_text(obj, "namespace"),
        labels=labels,
        annotations=metadata(obj, "annotations"),
    )


def fits_one(text: str, globs: Iterable[str]) -> bool:
    """Return whether one of the globs fits."""
    return any(fnmatchcase(text, glob) for glob in globs)


def metadata(obj: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a mapping of ``metadata``, empty where there is none."""
    return _mapping(obj, ("metadata", name))


def _has_argument(container: Container, preset: Preset) -> bool:
    words = container.fields.get("args")
    if not isinstance(words, list):
        return False
    return any(isinstance(word, str) and fits_one(word, preset.arguments) for word in words)


def _text(obj: Mapping[str, Any], name: str) -> str:
    value = lookup(obj, ("metadata", name))
    return value if isinstance(value, str) else ""


def _mapping(obj: Mapping[str, Any], path: Pointer) -> Mapping[str, Any]:
    value = lookup(obj, path)
    return value if isinstance(value, Mapping) else {}
