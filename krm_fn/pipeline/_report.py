"""Which results are reported, and in which order: nothing is said twice."""

from __future__ import annotations

from collections.abc import Iterable

from krm_fn.krm import results
from krm_fn.krm.results import ObjectRef, Result, Severity
from krm_fn.light_typing import Any
from krm_fn.patch import Operation, Pointer, is_index
from krm_fn.plan import PlannedEdit

CHANGE_DUE = "ProxyMissing"
"""The code of a change that a check reports and does not make."""


def in_report(found: Iterable[Result]) -> list[Result]:
    """Return the results as they are reported: in order, and nothing of them twice.

    What another target reported for the same field of the same object is left out.
    """
    return _values_once(results.in_order(results.once(found)))


def _values_once(found: Iterable[Result]) -> list[Result]:
    """Return the results, each value only in the first one that shows it: the list of a Cluster is long.

    Readers find the others in the manifests, and by the name of the variable in the message.
    """
    shown: set[str] = set()
    reported = []
    for result in found:
        current = _not_shown_yet(result.current, shown)
        proposed = _not_shown_yet(result.proposed, shown)
        is_same = current is result.current and proposed is result.proposed
        reported.append(result if is_same else result._replace(current=current, proposed=proposed))
    return reported


def _not_shown_yet(value: Any, shown: set[str]) -> Any:
    """Return a value, or the members of a mapping, without what was shown before.

    Note it as shown.
    """
    if isinstance(value, dict):
        left = {name: _not_shown_yet(member, shown) for name, member in value.items()}
        return {name: member for name, member in left.items() if member is not None} or None
    if not isinstance(value, str):
        return value
    if value in shown:
        return None
    shown.add(value)
    return value


_ABOUT_FACTS = frozenset({"NP038", "ClusterNameTaken", "NoProxyReplaced"})
"""What is the same for many objects: a fact of the Cluster to which they belong, the entries that their list loses."""


_SHOWN = 2
"""So many of the other Clusters of which a fact is true are named."""


class _Same:
    """The results that say one fact: their objects, and the Clusters that it is true of."""

    def __init__(self) -> None:
        self.objects: set[ObjectRef] = set()
        self.clusters: dict[str, None] = {}


def once_for_each_fact(found: Iterable[Result]) -> list[Result]:
    """Return the results; of those that say the same fact, only the first one, with what else it is true of."""
    known: dict[tuple[object, ...], _Same] = {}
    reported: list[tuple[Result, _Same | None]] = []
    for result in found:
        if result.code not in _ABOUT_FACTS or result.severity is Severity.INFO:
            reported.append((result, None))
            continue
        key = (result.severity, result.code, result.fact or result.message)
        if key not in known:
            known[key] = _Same()
            reported.append((result, known[key]))
        known[key].objects.add(result.ref)
        known[key].clusters.update(dict.fromkeys(result.clusters))
    return [_with_others(result, same) if same else result for result, same in reported]


def _with_others(result: Result, same: _Same) -> Result:
    """Return the first result about a fact with the other Clusters, and the number of other objects, it is true of."""
    others = [f"`{name}`" for name in same.clusters if name not in result.clusters]
    also: list[str] = []
    if len(others) > _SHOWN + 1:
        also.append(f"{', '.join(others[:_SHOWN])} and {len(others) - _SHOWN} more Clusters")
    elif others:
        also.append(", ".join(others))
    objects = len(same.objects) - 1
    if objects:
        also.append(f"{objects} more object{'s' * (objects > 1)}")
    if not also:
        return result
    message = f"{result.message} (also true of {', and of '.join(also)})"
    return result._replace(message=message, clusters=tuple(same.clusters))


def at_new_place(reported: Result, operations: list[Operation], place: PlannedEdit) -> Result:
    """Return a result of another target with the index after ``operations`` removed an item before it.

    So the next run, which finds it there, says the same. A target knows of its own removals.
    """
    if reported.target == place.target_id:
        return reported
    path = reported.path
    for operation in operations:
        if operation.op == "remove":
            path = _after_removal(path, operation.path[len(place.obj.path) :])
    return reported if path == reported.path else reported._replace(path=path)


def _after_removal(path: Pointer, removed: Pointer) -> Pointer:
    """Return where the field at ``path`` is after what is at ``removed``, such as an item before it, has gone."""
    if not removed or len(path) < len(removed) or path[: len(removed) - 1] != removed[:-1]:
        return path
    index, at_removed = path[len(removed) - 1], removed[-1]
    if not (is_index(index) and is_index(at_removed) and int(index) > int(at_removed)):
        return path
    return (*removed[:-1], str(int(index) - 1), *path[len(removed) :])
