"""Well-known programs whose containers reach the world outside: how they are recognised, and what they read.

A container is one of a program if its workload fits a matcher and its own name fits, or if its image does. Labels count on
the object and on its pod template. Sources: the released manifests of Flux, Argo CD, cert-manager and the Cluster API
providers (``sigs.k8s.io/cluster-api/util/flags`` defines ``--diagnostics-address``).
"""  # noqa: E501

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase

from krm_fn.krm.resourcelist import group_kind
from krm_fn.light_typing import NamedTuple
from krm_fn.patch import Pointer, list_at
from krm_fn.places.containers import (
    CONTAINERS,
    INIT_CONTAINERS,
    POD_SPEC,
    Container,
    containers,
    labels,
)
from krm_fn.targets.base import Data

PROVIDER_GROUP = "operator.cluster.x-k8s.io"
"""The group of the objects from which cluster-api-operator installs the providers of Cluster API."""

_NAME = "app.kubernetes.io/name"
_PART_OF = "app.kubernetes.io/part-of"
_CERT_MANAGER = frozenset({"cert-manager", "cert-manager-app"})
_COMPONENTS = frozenset({"controller", "webhook", "cainjector", "startupapicheck"})
_COMPONENT = "controller|webhook|cainjector|startupapicheck"
_CHART_OPERATOR = {INIT_CONTAINERS: "wait-for-quay", CONTAINERS: "chart-operator"}


class Program(NamedTuple):
    """One program.

    Attributes:
        labels: pairs of a label and a glob; one of them must fit its workload.
        containers: globs for the names of its containers.
        images: globs for their images, whatever the workload is called.
        arguments: globs; a container of ``containers`` with such an argument is meant, whatever its workload is called.
        group: an API group whose objects are meant as a whole.
        finds: yields its containers, where all that does not say enough.
        names: by which its parts call each other inside the cluster.
        writes_rooted_names: they write names of Services with a final dot.
    """

    labels: tuple[tuple[str, str], ...] = ()
    containers: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    group: str = ""
    finds: Callable[[Data], Iterable[Container]] | None = None
    names: tuple[str, ...] = ()
    writes_rooted_names: bool = False


def cert_manager_containers(data: Data) -> Iterator[Container]:
    """Yield the containers of cert-manager: by image, by full name, or by component if the labels name both."""
    names = labels(data, "app") | labels(data, _NAME)
    parts = labels(data, "app.kubernetes.io/component") or names
    is_labelled = bool(parts & (_CERT_MANAGER | _COMPONENTS))
    short = parts & _COMPONENTS if names & _CERT_MANAGER else frozenset()
    for container in containers(data):
        image = container.image.rpartition("/")[2]
        has_image = re.fullmatch(rf"cert-manager-({_COMPONENT}|ctl)", image)
        is_named = re.fullmatch(rf"cert-manager(-(app-)?({_COMPONENT}))?", container.name)
        if has_image or (is_labelled and (is_named or container.name in short)):
            yield container


def is_cert_manager(data: Data) -> bool:
    """Return whether the labels name a part of cert-manager, whatever its containers are called."""
    names = labels(data, "app") | labels(data, _NAME)
    parts = labels(data, "app.kubernetes.io/component") & (_CERT_MANAGER | _COMPONENTS)
    return bool(names & _CERT_MANAGER and parts)


def is_chart_operator(data: Data) -> bool:
    """Return whether an object is the Deployment of chart-operator."""
    return "chart-operator" in labels(data, "app") | labels(data, _NAME)


def chart_operator_containers(data: Data) -> Iterator[Container]:
    """Yield the container of chart-operator and its init container."""
    for field, name in _CHART_OPERATOR.items() if is_chart_operator(data) else ():
        for container in containers(data, field):
            if container.name == name:
                yield container


def is_cert_manager_or_chart_operator(data: Data) -> bool:
    """Return whether a workload is one of these two."""
    return is_chart_operator(data) or any(True for _ in cert_manager_containers(data))


PROGRAMS: dict[str, Program] = {
    "flux": Program(
        labels=((_PART_OF, "flux"),),
        containers=("manager",),
        images=("*fluxcd/*-controller", "*/flux-operator"),
        writes_rooted_names=True,  # http://source-controller.flux-system.svc.cluster.local./
    ),
    "argocd": Program(
        labels=((_PART_OF, "argocd"), (_NAME, "argocd-*")),
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
    "clusterAPIProviders": Program(
        labels=(("cluster.x-k8s.io/provider", "*"), ("control-plane", "ca*-controller-manager")),
        containers=("manager",),
        images=(
            "*cluster-api/*-controller",
            "*/cluster-api-*-controller",
            "*/cluster-api-provider-*",
        ),
        arguments=("--diagnostics-address=*", "--insecure-diagnostics=*"),
        group=PROVIDER_GROUP,
    ),
    "certManager": Program(finds=cert_manager_containers),
    "chartOperator": Program(finds=chart_operator_containers),
}
"""The name under ``presets`` -> the program."""

OWN_TARGETS = ("certManager", "chartOperator")
"""The programs that have a target of their own, which has the same name."""


def containers_of(program: Program, data: Data, at: Pointer = POD_SPEC) -> Iterator[Container]:
    """Yield the containers of a program in an object whose pod specification is at a path."""
    if program.finds is not None:
        yield from program.finds(data)
        return
    fits = group_kind(data)[0] == program.group or any(
        matches_any(value, [glob])
        for label, glob in program.labels
        for value in labels(data, label)
    )
    for container in containers(data, at=at):
        is_named = matches_any(container.name, program.containers)
        words = [word for word in list_at(container.fields, ("args",)) if isinstance(word, str)]
        has_argument = any(matches_any(word, program.arguments) for word in words)
        if (is_named and (fits or has_argument)) or matches_any(container.image, program.images):
            yield container


def is_of(program: Program, container: Container, data: Data, at: Pointer) -> bool:
    """Return whether a container is one of a program."""
    return any(own.path == container.path for own in containers_of(program, data, at))


def matches_any(text: str, globs: Iterable[str]) -> bool:
    """Return whether one of the globs fits."""
    return any(fnmatchcase(text, glob) for glob in globs)
