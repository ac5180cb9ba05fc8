"""What a run covered: of each system how many objects there are, have the proxy, get it, and are left, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress

from krm_fn.errors import InputError
from krm_fn.explain.names import Names
from krm_fn.krm.codes import Severity
from krm_fn.krm.masking import redact
from krm_fn.light_typing import NamedTuple
from krm_fn.lint.compared import Compared, by_object
from krm_fn.plan import ObjectSource
from krm_fn.products.node_kinds import NODE_KINDS
from krm_fn.products.releases import APPLICATION, HELM_RELEASE
from krm_fn.products.systems import system_kinds
from krm_fn.products.workload_kinds import POD_KINDS
from krm_fn.target_table import ROWS
from krm_fn.targets import Writes

_SYSTEMS = {
    **dict.fromkeys({kind for _, kind in NODE_KINDS} | system_kinds(), "nodes"),
    **dict.fromkeys([kind for _, kind in POD_KINDS], "workloads"),
    **dict.fromkeys([HELM_RELEASE[1], APPLICATION[1]], "charts"),
    **{kind: "policies" for _, kind in ROWS["kyvernoPolicies"].kinds if kind.endswith("Policy")},
    "FluxInstance": "not judged",
}
"""Kind of an object that could carry a proxy -> its system."""
del _SYSTEMS["Cluster"]
_OTHERS = "other objects"
_NOBODY_CHOSE = {
    "nodes": "no target that is on writes them",
    "workloads": "nobody chose them: `spec.targets.workloads`",
    "charts": "nobody chose them: `spec.targets.charts`",
    "policies": "they set no proxy",
    "not judged": "set the proxy yourself: values of `helmCharts`, `spec.kustomize` of a FluxInstance",
    _OTHERS: "",
}
_CHANGED, _SAME = "changed", "same"
_MOST_REASONS = 4


class Covered(NamedTuple):
    """The objects of one system; ``found`` is the sum of the next three, and ``why`` says why some are left."""

    system: str
    found: int
    same: int
    changed: int
    left: int
    why: Names


def covered(compared: Iterable[Compared], source: ObjectSource) -> list[Covered]:
    """Return a row for each system of which there are objects.

    Args:
        compared: the records of a run.
        source: the objects of the list, which are counted by their kinds.
    """
    found = _found(source)
    outcomes: dict[str, Counter[str]] = {system: Counter() for system in _NOBODY_CHOSE}
    for records in by_object(compared).values():
        system = _SYSTEMS.get(records[0].obj.ref.kind, _OTHERS)
        if records[0].why_left and records[0].obj.ref.kind == "Cluster":
            system = "nodes"  # of which the Cluster says why they get none
        outcome = _outcome(records)
        if records[0].place.is_new:
            continue
        if system == _OTHERS:
            if outcome != _CHANGED and not any(record.after for record in records):
                continue
            found[system] += 1
        outcomes[system][outcome or _NOBODY_CHOSE[system]] += 1
    return [_row(system, found[system], outcomes[system]) for system in outcomes if found[system]]


def _found(source: ObjectSource) -> Counter[str]:
    """Return how many objects of each system there are; an item whose text names kinds of several is read."""
    found: Counter[str] = Counter()
    for kinds, indexes in source.by_kinds().items():
        if "Kustomization" in kinds:
            found["not judged"] += len(source.holding(("helmCharts",), indexes))
        systems = {_SYSTEMS.get(kind, "") for kind in kinds}
        if len(systems) == 1:
            found[systems.pop()] += len(indexes)
        elif any(systems):
            for index in indexes:
                with suppress(InputError):  # who needs the item says that it cannot be read
                    found.update(_SYSTEMS.get(obj.ref.kind, "") for obj in source.objects(index))
    return found


def _outcome(records: Sequence[Compared]) -> str:
    """Return that an object changes, that it has the proxy, or why it is left; "" where nothing says why."""
    if any(record.is_changed for record in records):
        return _CHANGED
    if any(_has_proxy(record) for record in records):
        return _SAME
    for record in records:
        if record.why_left:
            return str(redact(record.why_left))
        for result in record.results:
            if result.severity is not Severity.INFO:
                return str(redact(result.message))
    is_declared = any(record.place.is_asked and not record.wanted for record in records)
    return "a ClusterClass writes it, or it is switched off or removed" if is_declared else ""


def _has_proxy(record: Compared) -> bool:
    is_written = record.place.target_id and record.place.target.writes is not Writes.NOTHING
    return bool(is_written and record.after and record.wanted)


def _row(system: str, found: int, outcomes: Counter[str]) -> Covered:
    changed, same = outcomes.pop(_CHANGED, 0), outcomes.pop(_SAME, 0)
    left = found - changed - same
    outcomes[_NOBODY_CHOSE[system]] += max(0, left - outcomes.total())
    reasons = []
    without_reason = left
    for why, number in outcomes.most_common(_MOST_REASONS):
        shown = min(number, without_reason)  # a Cluster also says why for nodes that the list lacks
        without_reason -= shown
        if why and shown:
            reasons.append(f"{shown}: {why}")
    return Covered(system, found, same, changed, left, tuple(reasons))


def lines(rows: Sequence[Covered]) -> list[str]:
    """Return a line for each row, and below it why objects are left."""
    shown = [] if rows else ["no object could carry a proxy"]
    for row in rows:
        counts = f"{row.same} have it, {row.changed} changed, {row.left} left"
        shown.append(f"{row.system}: {row.found} found, {counts}")
        if row.left:
            shown += [f"  left: {why}" for why in row.why]
    return shown
