"""What a run covered: of each system how many objects there are, have the proxy, get it, and are left, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from krm_fn.krm.codes import Severity
from krm_fn.krm.masking import redact
from krm_fn.light_typing import NamedTuple
from krm_fn.lint.compared import Compared, by_object
from krm_fn.places.containers import POD_KINDS
from krm_fn.plan import ObjectSource
from krm_fn.products.node_kinds import NODE_KINDS
from krm_fn.products.releases import APPLICATION, HELM_RELEASE
from krm_fn.products.systems import system_kinds
from krm_fn.target_table import ROWS
from krm_fn.targets import Writes

_KINDS: Mapping[str, frozenset[str]] = {
    "nodes": (frozenset(kind for _, kind in NODE_KINDS) | system_kinds()) - {"Cluster"},
    "workloads": frozenset(kind for _, kind in POD_KINDS),
    "charts": frozenset({HELM_RELEASE[1], APPLICATION[1]}),
    "policies": frozenset(
        kind for kind in ROWS["kyvernoPolicies"].kinds if kind.endswith("Policy")
    ),
}
"""System -> the kinds of its objects that could carry a proxy."""
_OTHERS = "other objects"
_NOBODY_CHOSE = {
    "nodes": "nothing declares a proxy for them",
    "workloads": "nobody chose them: `spec.targets.workloads`",
    "charts": "nobody chose them: `spec.targets.charts`",
    "policies": "they set no proxy",
}
_MOST_REASONS = 4


class Covered(NamedTuple):
    """The objects of one system; ``found`` is the sum of the next three, and ``why`` says why some are left."""

    system: str
    found: int
    same: int
    changed: int
    left: int
    why: tuple[str, ...]


class _Count:
    """What became of the objects of one system."""

    def __init__(self, found: int = 0) -> None:
        self.found = found
        self.same = 0
        self.changed = 0
        self.reasons: Counter[str] = Counter()


def covered(compared: Sequence[Compared], source: ObjectSource) -> list[Covered]:
    """Return a row for each system of which there are objects.

    Args:
        compared: the records of a run.
        source: the objects of the list, which are counted by their kinds.
    """
    counts = {system: _Count(_number_of(source, kinds)) for system, kinds in _KINDS.items()}
    counts[_OTHERS] = _Count()
    for records in by_object(compared).values():
        if records[0].place.is_new:
            continue
        system = _system_of(records[0].obj.ref.kind)
        count = counts[system]
        is_changed = any(record.is_changed for record in records)
        if system == _OTHERS and not (is_changed or any(record.after for record in records)):
            continue
        count.found += system == _OTHERS
        if is_changed:
            count.changed += 1
        elif any(_has_proxy(record) for record in records):
            count.same += 1
        else:
            count.reasons[redact(_why_left(records)) or _NOBODY_CHOSE.get(system, "")] += 1
    return [_row(system, count) for system, count in counts.items() if count.found]


def _row(system: str, count: _Count) -> Covered:
    left = count.found - count.same - count.changed
    unread = left - sum(count.reasons.values())
    if unread > 0:
        count.reasons[_NOBODY_CHOSE.get(system, "")] += unread
    shown = [f"{number}: {why}" for why, number in count.reasons.most_common(_MOST_REASONS) if why]
    return Covered(system, count.found, count.same, count.changed, left, tuple(shown))


def lines(rows: Sequence[Covered]) -> list[str]:
    """Return a line for each row, and below it why objects are left."""
    if not rows:
        return ["no object could carry a proxy"]
    found = []
    for row in rows:
        counts = f"{row.same} have it, {row.changed} changed, {row.left} left"
        found.append(f"{row.system}: {row.found} found, {counts}")
        found += [f"  left: {why}" for why in row.why] if row.left else []
    return found


def _number_of(source: ObjectSource, kinds: frozenset[str]) -> int:
    """Return how many items hold an object of some kinds; one whose text names several kinds is read."""
    number = 0
    for found, indexes in source.by_kinds().items():
        if found and found <= kinds:
            number += len(indexes)
        elif found & kinds:
            for index in indexes:
                number += any(obj.ref.kind in kinds for obj in source.objects(index))
    return number


def _system_of(kind: str) -> str:
    for system, kinds in _KINDS.items():
        if kind in kinds:
            return system
    return _OTHERS


def _has_proxy(record: Compared) -> bool:
    is_written = record.place.target_id and record.place.target.writes is not Writes.NOTHING
    return bool(is_written and record.after and record.wanted)


def _why_left(records: Sequence[Compared]) -> str:
    """Return why an object is left, as the first record of it says."""
    for record in records:
        if record.why_left:
            return record.why_left
        for result in record.results:
            if result.severity is not Severity.INFO:
                return result.message
    is_declared = any(record.place.is_asked and not record.wanted for record in records)
    return "a ClusterClass writes their proxy" if is_declared else ""
