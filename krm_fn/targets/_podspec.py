"""The pod template of a workload: its labels and its containers.

It walks; it changes nothing. A missing or null field is empty, one of a wrong type is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from krm_fn.krm.results import Finding
from krm_fn.krm.type_errors import wrong_type
from krm_fn.patch import Pointer, lookup
from krm_fn.targets._env import Container

POD_SPEC: Pointer = ("spec", "template", "spec")
"""Where a Deployment, a Job and their like keep the pod specification."""


def labels(obj: Mapping[str, Any], key: str) -> set[str]:
    """The values that the object and its pod template have under the label ``key``: none, one, or two."""
    places = (("metadata", "labels", key), ("spec", "template", "metadata", "labels", key))
    return {value for value in (lookup(obj, place) for place in places) if isinstance(value, str)}


def containers(
    obj: Mapping[str, Any], field: str, *, at: Pointer = POD_SPEC
) -> tuple[list[Container], list[Finding]]:
    """The containers in one list (such as ``initContainers``) of the pod specification, and what is wrong with it."""
    path = (*at, field)
    for length in range(1, len(path) + 1):
        value = lookup(obj, path[:length])
        expected, called = (list, "a list") if length == len(path) else (dict, "a mapping")
        if value is None:
            return [], []
        if not isinstance(value, expected):
            return [], [wrong_type(path[:length], value, called)]
    items = [(index, item) for index, item in enumerate(value) if isinstance(item, Mapping)]
    return [
        Container(_text(item.get("name")), (*path, str(index)), item) for index, item in items
    ], []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
