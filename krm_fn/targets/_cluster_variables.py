"""The variables of a Cluster that is made of a ClusterClass: where they stand, and how one comes and goes.

It knows the lists and the names in them, never what a variable means. Each step sees the object
as the steps before it leave it, so that no index is ever one too high.

Source: Cluster API ``api/core`` v1beta1 and v1beta2: ``spec.topology.variables``, and ``variables.overrides`` of the
control plane and of each group of workers, which count there instead.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from krm_fn import clusters, patch
from krm_fn.engine import Draft
from krm_fn.krm.results import Change, Finding
from krm_fn.krm.type_errors import wrong_type
from krm_fn.patch import Operation, Pointer, lookup, remove

KIND = ("cluster.x-k8s.io", "Cluster")
VARIABLES = ("spec", "topology", "variables")

_WORKERS = ("spec", "topology", "workers")
_OVERRIDES = ("variables", "overrides")

Step = Callable[[Mapping[str, Any]], Iterator[Change | Finding]]


def in_turn(obj: Mapping[str, Any], steps: Iterable[Step]) -> Iterator[Change | Finding]:
    """What all steps say; each is asked about the object as it is after those before it."""
    for step in steps:
        said = list(step(obj))
        yield from said
        for operation in (one.operation for one in said if isinstance(one, Change)):
            obj = patch.apply(_unshared(obj, operation.path[:-1]), [operation])


def _unshared(data: Any, path: Pointer) -> Any:
    """``data`` with copies of its own of what ``path`` leads through, and to: an edit there changes nothing else."""
    copied = copy.copy(data)
    if path and isinstance(copied, dict) and path[0] in copied:
        copied[path[0]] = _unshared(copied[path[0]], path[1:])
    elif path and isinstance(copied, list):
        copied[int(path[0])] = _unshared(copied[int(path[0])], path[1:])
    return copied


def lists(obj: Mapping[str, Any]) -> Iterator[Pointer]:
    """Where lists of variables stand: those of the whole Cluster first, whether or not they are there."""
    yield VARIABLES
    yield ("spec", "topology", "controlPlane", *_OVERRIDES)
    for section in ("machineDeployments", "machinePools"):
        groups = lookup(obj, (*_WORKERS, section))
        for index in range(len(groups) if isinstance(groups, list) else 0):
            yield (*_WORKERS, section, str(index), *_OVERRIDES)


def named(obj: Mapping[str, Any], path: Pointer, name: str) -> list[Pointer]:
    """The entries of that name in one list, the last one first: one that goes moves only those that are done."""
    entries = lookup(obj, path)
    found = enumerate(entries if isinstance(entries, list) else ())
    return [(*path, str(index)) for index, entry in found if lookup(entry, ("name",)) == name][::-1]


def appended(
    obj: Mapping[str, Any], path: Pointer, entry: Mapping[str, Any], message: str
) -> Change | Finding:
    """The change that puts a new entry at the end of a list, or what stands in its way."""
    entries = lookup(obj, path)
    if entries is not None and not isinstance(entries, list):
        return wrong_type(path, entries, "a list")
    if entries is None:
        return _made(obj, path, [entry], message)
    return Change(patch.add(*path, patch.APPEND, value=entry), message)


def _made(obj: Mapping[str, Any], path: Pointer, value: Any, message: str) -> Change | Finding:
    """The change that makes a list, and the mappings above it where they are missing."""
    holder = lookup(obj, path[:-1])
    while holder is None and len(path) > 1:
        path, value = path[:-1], {path[-1]: value}
        holder = lookup(obj, path[:-1])
    if not isinstance(holder, Mapping | list):
        return wrong_type(path[:-1], holder, "a mapping")
    return Change(patch.add(*path, value=value), message)


def append_entry(draft: Draft, path: Pointer, entry: Mapping[str, Any]) -> None:
    """Put a new entry at the end of a list, which is created where it is missing.

    Raises:
        WrongTypeError: something else is there, or on the way.
    """
    if draft.items(path) is None:
        draft.set(path, [entry])
    else:
        draft.insert(path, entry)


def remove_entry(draft: Draft, path: Pointer, kept: int) -> None:
    """Remove an entry, and the lists and mappings around it that hold nothing else; see ``without``."""
    gone = without(draft.data, path, kept).path
    draft.remove(gone, keep=len(gone) - 1)


def without(obj: Mapping[str, Any], path: Pointer, kept: int) -> Operation:
    """The removal of what stands at ``path``, and of the lists and mappings around it that hold nothing else.

    Args:
        obj: the object.
        path: leads to what is there and is to go.
        kept: so many steps of ``path`` lead to what stays in any case.
    """
    while len(path) - 1 > kept and _is_alone(lookup(obj, path[:-1])):
        path = path[:-1]
    return remove(*path)


def _is_alone(holder: Any) -> bool:
    """Whether a list or a mapping holds one thing; a variable's name beside its value is none."""
    return (
        len(holder)
        - sum(name in holder for name in ("name", "definitionFrom") if isinstance(holder, Mapping))
        == 1
    )


def class_of(obj: Mapping[str, Any]) -> str:
    """The name of the ClusterClass that a Cluster is made of, "" for none."""
    found, _ = clusters.class_of(obj, "")
    return found[-1] if found else ""
