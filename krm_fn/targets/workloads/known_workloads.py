"""Which workloads are cert-manager's or chart-operator's, by their labels and the names of their containers.

The name of an object does not count, because it is that of a Helm release.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from krm_fn.carriers.pod_spec import (
    CONTAINERS,
    INIT_CONTAINERS,
    Container,
    containers,
    labels,
)
from krm_fn.light_typing import Any

CHART_OPERATOR_NAMES = {INIT_CONTAINERS: "wait-for-quay", CONTAINERS: "chart-operator"}
"""The list of containers -> the name of the one that is chart-operator's."""

_COMPONENTS = frozenset({"controller", "webhook", "cainjector", "startupapicheck"})
_NAMES = frozenset({"cert-manager", "cert-manager-app"})
_OWN_CONTAINER = r"cert-manager|cert-manager-(app-)?(controller|webhook|cainjector|startupapicheck)"
_OWN_IMAGE = r"cert-manager-(controller|webhook|cainjector|startupapicheck|ctl)"
"""The last part of the names of cert-manager's images, which its ``nameOverride`` does not change."""


def is_known(obj: Mapping[str, Any]) -> bool:
    """Return whether a workload is cert-manager or chart-operator."""
    return is_chart_operator(obj) or bool(cert_manager_containers(obj))


def is_chart_operator(obj: Mapping[str, Any]) -> bool:
    """Return whether an object is the Deployment of chart-operator."""
    return "chart-operator" in labels(obj, "app") | labels(obj, "app.kubernetes.io/name")


def chart_operator_containers(obj: Mapping[str, Any]) -> list[Container]:
    """Return the container of chart-operator and its init container."""
    if not is_chart_operator(obj):
        return []
    return [
        one
        for field, name in CHART_OPERATOR_NAMES.items()
        for one in containers(obj, field)
        if one.name == name
    ]


def may_be_cert_manager(obj: Mapping[str, Any]) -> bool:
    """Return whether labels or an image suggest cert-manager; the containers decide."""
    return _has_its_labels(obj) or any(has_image_of_cert_manager(one) for one in containers(obj))


def cert_manager_containers(obj: Mapping[str, Any]) -> list[Container]:
    """Return the containers of cert-manager.

    By image, by full name, or by component if the labels name both.
    """
    names, components = _labels(obj)
    short = (components or names) & _COMPONENTS if names & _NAMES else frozenset()
    has_its_labels = _has_its_labels(obj)
    found = []
    for one in containers(obj):
        is_named = one.name in short or re.fullmatch(_OWN_CONTAINER, one.name)
        if has_image_of_cert_manager(one) or (has_its_labels and is_named):
            found.append(one)
    return found


def has_image_of_cert_manager(container: Container) -> bool:
    """Return whether a container runs a program of cert-manager, from any registry."""
    return bool(re.fullmatch(_OWN_IMAGE, container.image.rpartition("/")[2]))


def _has_its_labels(obj: Mapping[str, Any]) -> bool:
    names, components = _labels(obj)
    return bool((components or names) & (_NAMES | _COMPONENTS))


def is_cert_manager(obj: Mapping[str, Any]) -> bool:
    """Return whether the labels name a part of cert-manager, whatever its containers are called."""
    names, components = _labels(obj)
    return bool(components and names & _NAMES)


def _labels(obj: Mapping[str, Any]) -> tuple[set[str], set[str]]:
    """Return the names and the components in the labels of the object and of its pod template."""
    names = labels(obj, "app") | labels(obj, "app.kubernetes.io/name")
    return names, labels(obj, "app.kubernetes.io/component")
