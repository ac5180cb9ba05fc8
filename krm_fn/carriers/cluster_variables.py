"""The variables of a Cluster with a ClusterClass: where they are, and how to add and remove one.

It knows the lists and the names in them, never what a variable means.

Source: Cluster API ``api/core`` v1beta1 and v1beta2: ``spec.topology.variables``, and ``variables.overrides`` of the
control plane and of each group of workers, which count there instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from krm_fn import clusters
from krm_fn.light_typing import TYPE_CHECKING, Any
from krm_fn.patch import Pointer, list_at, lookup
from krm_fn.products import cluster_api

if TYPE_CHECKING:
    from krm_fn.engine import Draft  # a plan only reads

KIND = cluster_api.CLUSTER
VARIABLES = ("spec", "topology", "variables")

_WORKERS = ("spec", "topology", "workers")
_OVERRIDES = ("variables", "overrides")


def lists(obj: Mapping[str, Any]) -> Iterator[Pointer]:
    """Yield the paths of lists of variables, that of the whole Cluster first, whether or not they exist."""
    yield VARIABLES
    yield ("spec", "topology", "controlPlane", *_OVERRIDES)
    for section in ("machineDeployments", "machinePools"):
        for index, _ in enumerate(list_at(obj, (*_WORKERS, section))):
            yield (*_WORKERS, section, str(index), *_OVERRIDES)


def named(obj: Mapping[str, Any], path: Pointer, name: str) -> list[Pointer]:
    """Return the entries with that name in one list, the last one first, so that a removal moves no other one."""
    found = enumerate(list_at(obj, path))
    return [(*path, str(index)) for index, entry in found if lookup(entry, ("name",)) == name][::-1]


def append_entry(draft: Draft, path: Pointer, entry: Mapping[str, Any]) -> None:
    """Put a new entry at the end of a list, which is created where it is missing.

    Raises:
        WrongTypeError: something else is there, or on the way.
    """
    if draft.items(path) is None:
        draft.set(path, [entry])
    else:
        draft.append(path, entry)


def remove_entry(draft: Draft, path: Pointer, kept: int) -> None:
    """Remove an entry, and the lists and mappings around it that hold nothing else.

    Args:
        draft: the data of the object.
        path: leads to what is removed.
        kept: so many steps of ``path`` lead to what stays in any case.
    """
    while len(path) - 1 > kept and _is_alone(draft.get(path[:-1])):
        path = path[:-1]
    draft.remove(path, keep=len(path) - 1)


def _is_alone(holder: Any) -> bool:
    """Return whether a list or a mapping holds one thing.

    A variable's name beside its value does not count.
    """
    return (
        len(holder)
        - sum(name in holder for name in ("name", "definitionFrom") if isinstance(holder, Mapping))
        == 1
    )


def class_of(obj: Mapping[str, Any]) -> str:
    """Return the name of the ClusterClass of a Cluster, "" for none."""
    found, _ = clusters.class_of(obj, "")
    return found[3] if found else ""
