"""What a run covered: of each system how many objects there are, have the proxy, get it, and are left, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from krm_fn.krm.masking import redact
from krm_fn.krm.results import ObjectRef
from krm_fn.light_typing import Any, NamedTuple, Texts
from krm_fn.pipeline.outcome import Comparison
from krm_fn.pipeline.why_left import (
    NOT_JUDGED,
    OTHERS,
    SYSTEM_OF_KIND,
    USUAL,
    usual_reason,
    why_unread,
    worth_reading,
)
from krm_fn.plan import ObjectSource
from krm_fn.plan.items import readable_objects
from krm_fn.plan.record import ObjectRecord, Reason, State, Why
from krm_fn.printable import shortened

HEAD = ("System", "Found", "Have it", "Changed", "Left")
"""The columns of the table."""


_SENTENCES = {
    Why.FAILED: ("nothing was changed, because the run has errors", ""),
    Why.SWITCHED_OFF: ("`spec.only` or `spec.targets` leaves them out", ""),
    Why.NOT_SELECTED: ("`spec.selector` or an annotation leaves them out", ""),
    Why.NOT_DECLARED: ("no proxy is declared for them, in `spec` or in an override that fits", ""),
    Why.HOLD_NONE: ("they hold no proxy", ""),
    Why.STILL_HOLD: ("they still hold a proxy, and are to have none", ""),
    Why.OTHER_PROXY: ("they set another proxy: `OtherProxy` says in which field", ""),
    Why.LEFT_BEHIND: (
        "they hold the proxy of an earlier run, which no run changes: `LeftBehind` says in which field",
        "",
    ),
    Why.NO_TARGET: ("no target that is on writes them", ""),
    Why.BY_CLASS: ("their ClusterClass writes it", ""),
    Why.POLICY_WITHOUT: ("they set no proxy", ""),
    Why.PRESET: ("presets would choose them", "targets: {workloads: {presets: [NAMES]}}"),
    Why.OTHER_CHART: ("charts whose values are not known: NAMES", ""),
    Why.KNOWN_CHART: (
        "known charts that nobody chose",
        "targets: {charts: {choose: [{charts: [NAMES]}]}}",
    ),
    Why.WORKLOAD: ("nobody chose them", "targets: {workloads: {choose: [{names: [NAME]}]}}"),
    Why.CHART: ("nobody chose them", "targets: {charts: {choose: [{charts: [NAME]}]}}"),
    Why.VALUES: ("their values switch off what would use the proxy", ""),
    Why.NOT_JUDGED: (
        "set the proxy yourself: values of `helmCharts`, `spec.kustomize` of a FluxInstance",
        "",
    ),
}
"""Why objects are left -> a sentence about several, and the text in a ProxyConfig that changes it.

NAMES stands for the charts or presets that these objects are of. FINDING has the sentence of its finding.
"""


class LeftBecause(NamedTuple):
    """Why some objects of a system are left, how many, and their names as far as somebody asked for them."""

    why: str
    change: str
    number: int
    names: Texts

    def __str__(self) -> str:
        text = f"{self.number}: {self.why}"
        return f"{text}: `{self.change}`" if self.change else text


class Covered(NamedTuple):
    """The objects of one system; ``found`` is the sum of the next three.

    Attributes:
        reasons: why some are left; their numbers add up to ``left``.
        names: those of the others, as far as somebody asked for them.
    """

    system: str
    found: int
    have: int
    changed: int
    left: int
    reasons: list[LeftBecause]
    names: Texts

    @property
    def cells(self) -> list[str]:
        """The system and its numbers, as texts."""
        numbers = (self.found, self.have, self.changed, self.left)
        return [self.system, *map(str, numbers)]

    def to_data(self) -> dict[str, Any]:
        """Return the row for JSON."""
        reasons = [reason._asdict() for reason in self.reasons]
        return {**self._asdict(), "reasons": reasons}


class _Counted(NamedTuple):
    """What becomes of an object of a row, or of several that nobody has read, which have no ``ref``."""

    row: str
    state: State
    reason: Reason
    ref: ObjectRef | None = None
    number: int = 1


def covered(
    comparison: Comparison, source: ObjectSource, *, named: bool = False, explained: bool = True
) -> list[Covered]:
    """Return a row for each system of which there are objects.

    Args:
        comparison: what a run found out.
        source: the objects of the list, which are counted by their kinds.
        named: whether to read the names of all objects.
        explained: whether to read the objects that no target needs, to say why they are left.
    """
    rows: dict[str, list[_Counted]] = {row: [] for row in USUAL}
    for counted in _counted(comparison, source, named=named, explained=explained):
        rows[counted.row].append(counted)
    return [_row(row, counted, named=named) for row, counted in rows.items() if counted]


def _counted(
    comparison: Comparison, source: ObjectSource, *, named: bool, explained: bool
) -> Iterator[_Counted]:
    """Yield every object that could carry a proxy; an item is read only where its text does not say enough."""
    overview = comparison.overview
    records: dict[int, list[ObjectRecord]] = {}
    for record in comparison.records:
        if record.is_new:
            continue
        records.setdefault(record.item_index, []).append(record)
    worth: set[int] = set()
    if explained:
        worth.update(worth_reading(source))
    for kinds, indexes in source.by_kinds.items():
        rows = _rows_of(kinds)
        if "Kustomization" in kinds:
            with_charts = len(source.holding(("helmCharts",), indexes))
            if with_charts:
                reason = Reason(Why.NOT_JUDGED)
                yield _Counted(NOT_JUDGED, State.LEFT, reason, number=with_charts)
        unread = 0
        for index in indexes:
            of_item = records.get(index, [])
            if of_item and not of_item[0].obj.path:
                yield from _of_record(of_item[0], comparison, is_worth_reading=index in worth)
            elif not of_item and {OTHERS} in (rows, _rows_of(overview.kinds.get(index, ()))):
                continue
            elif len(rows) == 1 and not (named or of_item or index in worth):
                unread += 1
            else:
                yield from _of_item(index, of_item, source, comparison)
        if unread:
            (row,) = rows
            yield _Counted(row, State.LEFT, usual_reason(row, overview), number=unread)


def _rows_of(kinds: Iterable[str]) -> set[str]:
    return {SYSTEM_OF_KIND.get(kind, OTHERS) for kind in kinds}


def _of_item(
    index: int, records: Sequence[ObjectRecord], source: ObjectSource, comparison: Comparison
) -> Iterator[_Counted]:
    """Yield the objects of an item that is read for this table, each by its record if it has one."""
    by_path = {record.obj.path: record for record in records}
    for obj in readable_objects(source, [index]):
        record = by_path.get(obj.path)
        row = SYSTEM_OF_KIND.get(obj.ref.kind, OTHERS)
        if record is not None:
            yield from _of_record(record, comparison, is_worth_reading=True)
        elif row != OTHERS:
            yield _Counted(row, State.LEFT, why_unread(obj, comparison.overview), obj.ref)


def _of_record(
    record: ObjectRecord, comparison: Comparison, *, is_worth_reading: bool
) -> Iterator[_Counted]:
    """Yield the object of a record; one of no system counts only where it has to do with a proxy."""
    row = SYSTEM_OF_KIND.get(record.obj.ref.kind, OTHERS)
    is_worth_a_word = record.holds_proxy or record.state is not State.LEFT
    if row == OTHERS and (record.is_left_out or not is_worth_a_word) and not record.findings:
        return
    state, reason = record.state, record.reason
    if state is State.CHANGED and comparison.is_failed:
        state, reason = State.LEFT, Reason(Why.FAILED)
    elif is_worth_reading and state is State.LEFT and (reason is None or record.findings):
        unread = why_unread(record.obj, comparison.overview)
        if reason is None or unread.why in (Why.PRESET, Why.KNOWN_CHART):
            reason = unread
    reason = reason or usual_reason(row, comparison.overview)
    yield _Counted(row, state, reason, record.obj.ref)


def _row(row: str, objects: Sequence[_Counted], *, named: bool) -> Covered:
    numbers = dict.fromkeys(State, 0)
    groups: dict[tuple[Why, str], list[_Counted]] = {}
    for counted in objects:
        numbers[counted.state] += counted.number
        if counted.state is State.LEFT:
            reason = counted.reason
            message = redact(reason.finding.message) if reason.finding else ""
            groups.setdefault((reason.why, message), []).append(counted)
    reasons = [
        _left_because(*key, left, named=named) for key, left in sorted(groups.items(), key=_order)
    ]
    reasons.sort(key=lambda reason: -reason.number)
    others = [counted for counted in objects if counted.state is not State.LEFT]
    return Covered(
        row,
        sum(numbers.values()),
        numbers[State.HAS_IT],
        numbers[State.CHANGED],
        numbers[State.LEFT],
        reasons,
        _names(others) if named else (),
    )


def _order(group: tuple[tuple[Why, str], Sequence[_Counted]]) -> int:
    """Return where a reason is in a row: reasons with an advice of their own before usual ones."""
    (why, _), _ = group
    return list(Why).index(why)


def _left_because(why: Why, message: str, left: Sequence[_Counted], *, named: bool) -> LeftBecause:
    sentence, change = _SENTENCES.get(why, (message, ""))
    names = ", ".join(sorted({counted.reason.name for counted in left}))
    number = sum(counted.number for counted in left)
    return LeftBecause(
        sentence.replace("NAMES", names),
        change.replace("NAMES", names),
        number,
        _names(left) if named else (),
    )


def _names(objects: Iterable[_Counted]) -> Texts:
    return tuple(str(counted.ref) for counted in objects if counted.ref)


def total(comparison: Comparison, source: ObjectSource) -> str:
    """Return how many objects of each system have or get the proxy, in one sentence; "" where all do."""
    rows = covered(comparison, source, explained=False)
    rows = [row for row in rows if row.system != NOT_JUDGED]
    if not any(row.left for row in rows):
        return ""
    parts = [f"{row.system} {row.found - row.left} of {row.found}" for row in rows]
    return f"the proxy is in {', '.join(parts)}: `inject-proxy explain` says why not in the others"


def covered_lines(rows: Sequence[Covered], *, verbose: bool = False) -> list[str]:
    """Return a table for a terminal, with the reasons below each row; with ``verbose`` whole, and with all names."""
    if not rows:
        return ["no object could carry a proxy"]
    lines = [_in_columns(map(str.lower, HEAD))]
    for row in rows:
        lines.append(_in_columns(row.cells))
        if verbose:
            lines += [f"    {name}" for name in row.names]
        for reason in row.reasons:
            line = f"  left {reason}"
            lines.append(line if verbose else shortened(line))
            if verbose:
                lines += [f"    {name}" for name in reason.names]
    return lines


def _in_columns(cells: Iterable[str]) -> str:
    system, *others = cells
    return f"{system:14}" + "".join(f"{cell:>9}" for cell in others)
