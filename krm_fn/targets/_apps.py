"""Which workloads are cert-manager's or chart-operator's, by their labels and the names of their containers.

It looks, and proposes nothing; the name of an object says nothing, it is that of a Helm release.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from krm_fn.carriers.pod_spec import Container, containers, labels

TEXT_HINTS = ("cert-manager", "chart-operator")
"""Of which one stands in the text of every such workload."""

_COMPONENTS = frozenset({"controller", "webhook", "cainjector", "startupapicheck"})
_NAMES = frozenset({"cert-manager", "cert-manager-app"})
_OWN_CONTAINER = re.compile(
    r"cert-manager|cert-manager-(app-)?(controller|webhook|cainjector|startupapicheck)"
)


def is_known(obj: Mapping[str, Any]) -> bool:
    """True for a workload of one of the two."""
    return is_chart_operator(obj) or bool(cert_manager_containers(obj))


def is_chart_operator(obj: Mapping[str, Any]) -> bool:
    """True for the Deployment of chart-operator."""
    return "chart-operator" in labels(obj, "app") | labels(obj, "app.kubernetes.io/name")


def may_be_cert_manager(obj: Mapping[str, Any]) -> bool:
    """True where the labels allow it; then the names of the containers decide."""
    names, components = _labels(obj)
    return bool((components or names) & (_NAMES | _COMPONENTS))


def cert_manager_containers(obj: Mapping[str, Any]) -> list[Container]:
    """The containers that are cert-manager's: by a full name, or by that of a component where the labels name both."""
    if not may_be_cert_manager(obj):
        return []
    names, components = _labels(obj)
    short = (components or names) & _COMPONENTS if names & _NAMES else frozenset()
    return [
        one for one in containers(obj) if one.name in short or _OWN_CONTAINER.fullmatch(one.name)
    ]


def is_cert_manager(obj: Mapping[str, Any]) -> bool:
    """True where the labels say that this is a part of cert-manager, whatever its containers are called."""
    names, components = _labels(obj)
    return bool(components and names & _NAMES)


def _labels(obj: Mapping[str, Any]) -> tuple[set[str], set[str]]:
    """The names and the components that the labels of the object and of its pod template tell."""
    names = labels(obj, "app") | labels(obj, "app.kubernetes.io/name")
    return names, labels(obj, "app.kubernetes.io/component")
