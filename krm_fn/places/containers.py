"""The containers in the pod specification of a workload."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from krm_fn.krm.resourcelist import group_kind
from krm_fn.krm.results import Result
from krm_fn.krm.type_errors import wrong_type
from krm_fn.light_typing import NamedTuple
from krm_fn.patch import Data, Pointer, list_at, lookup, text_at
from krm_fn.products.workload_kinds import POD_SPEC, POD_SPEC_OF

CONTAINERS, INIT_CONTAINERS = "containers", "initContainers"
LISTS = (INIT_CONTAINERS, CONTAINERS, "ephemeralContainers")
"""The lists of containers of a pod specification."""


class Container(NamedTuple):
    """One container of a pod specification: its ``name`` ("" where it has none), its place, its fields as they are."""

    name: str
    path: Pointer
    fields: Data

    @property
    def key(self) -> str:
        """What tells it apart in its workload: its name, or its place, ``containers[0]``, where it has none.

        Knative names the container of a Service at admission. No name has a bracket.
        """
        *_, field, index = self.path
        return self.name or f"{field}[{index}]"

    @property
    def is_init(self) -> bool:
        """Whether it is an init container."""
        return INIT_CONTAINERS in self.path

    @property
    def image(self) -> str:
        """The name of its image without tag and digest, "" where it has none: ``quay.io/argoproj/argocd``."""
        image = text_at(self.fields, ("image",))
        return re.sub(r"(:[^/]*)?(@.*)?\Z", "", image)


def pod_spec(obj: Data) -> Pointer | None:
    """Return where an object keeps the pod specification; None for an object of another kind."""
    return POD_SPEC_OF.get(group_kind(obj))


def labels(obj: Data, key: str) -> set[str]:
    """Return the values that an object and its pod template have under a label: none, one, or two."""
    values = set()
    for above in ((), ("spec", "template")):
        value = text_at(obj, (*above, "metadata", "labels", key))
        if value:
            values.add(value)
    return values


def containers(
    obj: Data, field: str = CONTAINERS, *, at: Pointer = POD_SPEC
) -> Iterator[Container]:
    """Yield the containers in one list of the pod specification at ``at``; none where that is of a wrong type."""
    path = (*at, field)
    for index, item in enumerate(list_at(obj, path)):
        if isinstance(item, Mapping):
            name = text_at(item, ("name",))
            yield Container(name, (*path, str(index)), item)


def all_containers(data: Data, at: Pointer) -> Iterator[Container]:
    """Yield the init containers and the containers of a workload."""
    for field in (INIT_CONTAINERS, CONTAINERS):
        yield from containers(data, field, at=at)


def wrong_types(data: Data, at: Pointer) -> Iterator[Result]:
    """Yield what on the way to the containers, or among them, has a wrong type."""
    mappings = []
    for length, _ in enumerate(at, 1):
        mappings.append(at[:length])
    for field in (INIT_CONTAINERS, CONTAINERS):
        path = (*at, field)
        value = lookup(data, path)
        if value is not None and not isinstance(value, list):
            yield wrong_type(path, value, "a list")
        for index, _ in enumerate(list_at(data, path)):
            mappings.append((*path, str(index)))
    for path in mappings:
        value = lookup(data, path)
        if value is not None and not isinstance(value, dict):
            yield wrong_type(path, value, "a mapping")
