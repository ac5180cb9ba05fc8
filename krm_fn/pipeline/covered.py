"""The table of a run: of each system how many objects there are, have the proxy, get it, and are left, and why."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from krm_fn.config import ProxyConfig
from krm_fn.krm.masking import redact
from krm_fn.krm.resourcelist import Object, ObjectSource
from krm_fn.krm.results import ObjectRef, message_of, some
from krm_fn.light_typing import Any, Fields, NamedTuple, Texts
from krm_fn.patch import Pointer
from krm_fn.pipeline.outcome import Outcome
from krm_fn.places.choice import REFUSALS, is_refused
from krm_fn.places.installed_charts import charts_of, is_known
from krm_fn.plan import plan_records
from krm_fn.plan.items import fits, readable_objects
from krm_fn.plan.record import ObjectRecord, Overview, Reason, State, Why
from krm_fn.products.node_kinds import NODE_KINDS
from krm_fn.products.release_kinds import APPLICATION, HELM_RELEASE
from krm_fn.products.systems import system_kinds
from krm_fn.products.workload_kinds import POD_KINDS
from krm_fn.target_table import ROWS, SYSTEMS
from krm_fn.targets import Context, load_target

# So many of the objects that are left for one reason are named.
SHOWN = 5
# The columns of the table.
HEAD = ("System", "Found", "Have it", "Changed", "Left")


class LeftBecause(NamedTuple):
    """Why some objects of a system are left, how many, and the names of those that were read."""

    why: str
    change: str
    number: int
    names: Texts

    def __str__(self) -> str:
        return f"{self.number}: {self.sentence}"

    @property
    def sentence(self) -> str:
        """The reason, and the command that changes it."""
        if self.change:
            return f"{self.why}: `{self.change}`"
        return self.why


class Covered(NamedTuple):
    """The objects of one system; ``found`` is the sum of the next three.

    Attributes:
        reasons: why some are left; their numbers add up to ``left``.
        names: those of the others that were read.
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

    def to_data(self) -> Fields:
        """Return the row for JSON."""
        reasons = [reason._asdict() for reason in self.reasons]
        return {**self._asdict(), "reasons": reasons}


class _Counted(NamedTuple):
    """The state of an object of a row, or of several that nobody has read; ``ref`` only where names are asked for."""

    row: str
    state: State
    reason: Reason
    ref: ObjectRef | None = None
    number: int = 1


def covered(
    outcome: Outcome, source: ObjectSource, *, named: bool = False, explained: bool = True
) -> list[Covered]:
    """Return a row for each system of which there are objects.

    Args:
        outcome: that of a run.
        source: the objects of the list, which are counted by their kinds.
        named: whether to read the names of all objects, and not only of a few of those that are left.
        explained: whether to read the objects that no target needs, to say why they are left.
    """
    rows: dict[str, list[_Counted]] = {row: [] for row in USUAL}
    not_judged = _Counted(NOT_JUDGED, State.LEFT, Reason(Why.NOT_JUDGED))
    for kinds, indexes in source.by_kinds.items():
        if "Kustomization" in kinds:
            number = len(source.holding(("helmCharts",), indexes))
            rows[NOT_JUDGED] += [not_judged] * number
    for counted in _counted(outcome, source, named=named, explained=explained):
        rows[counted.row].append(counted)
    return [_row(row, counted) for row, counted in rows.items() if counted]


def _counted(
    outcome: Outcome, source: ObjectSource, *, named: bool, explained: bool
) -> Iterator[_Counted]:
    """Yield every object that could carry a proxy; an item is read only where its text does not say enough."""
    overview = outcome.overview
    records: defaultdict[int, dict[Pointer, ObjectRecord]] = defaultdict(dict)
    for record in overview.records:
        if not record.is_new:
            records[record.item_index][record.obj.path] = record
    worth = set(worth_reading(source)) if explained else set()
    shown_of = dict.fromkeys(USUAL, 0)
    for kinds, indexes in source.by_kinds.items():
        rows = _rows_of(kinds)
        unread = []
        for index in indexes:
            by_path = records.get(index, {})
            is_explained = index in worth
            read_kinds = overview.kinds.get(index, ())
            if () in by_path:
                objects: Iterable[Object] = [by_path[()].obj]
            elif not by_path and {OTHERS} in (rows, _rows_of(read_kinds)):
                continue
            elif len(rows) == 1 and not (named or by_path or is_explained):
                unread.append(index)
                continue
            else:
                objects = readable_objects(source, [index])
                is_explained = True
            for obj in objects:
                known = by_path.get(obj.path)
                counted = count_object(obj, known, outcome, is_explained=is_explained)
                if counted.row != OTHERS or _has_to_do_with_a_proxy(known):
                    yield counted
        if unread:
            (row,) = rows
            usual = _Counted(row, State.LEFT, usual_reason(row, overview))
            shown = unread[: SHOWN - shown_of[row]] if explained else []
            # Each of these items is one object: of several the kinds have several rows.
            refs = [obj.ref for obj in readable_objects(source, shown)]
            yield from (usual._replace(ref=ref) for ref in refs)
            yield usual._replace(number=len(unread) - len(refs))
            shown_of[row] += len(refs)


def _rows_of(kinds: Iterable[str]) -> set[str]:
    return {SYSTEM_OF_KIND.get(kind, OTHERS) for kind in kinds}


def _has_to_do_with_a_proxy(record: ObjectRecord | None) -> bool:
    """Return whether an object counts that is of no system."""
    if record is None:
        return False
    if record.findings:
        return True
    if record.is_left_out:
        return False
    return record.holds_proxy or record.state is not State.LEFT


def count_object(
    obj: Object, record: ObjectRecord | None, outcome: Outcome, *, is_explained: bool = True
) -> _Counted:
    """Return the state of an object, by its record if it has one, and why it is left.

    ``is_explained``: whether to look into an object of which the record does not say why.
    """
    row = SYSTEM_OF_KIND.get(obj.ref.kind, OTHERS)
    state = record.state if record else State.LEFT
    reason = record.reason if record else None
    if state is State.CHANGED and outcome.is_failed:
        return _Counted(row, State.LEFT, Reason(Why.FAILED), obj.ref)
    if row == OTHERS and record and record.others and reason is None:
        state = State.HAS_IT  # another proxy would be the reason
    may_be_advised = reason is None or (record and record.findings)
    if state is State.LEFT and is_explained and may_be_advised:
        advice = reason_in(obj, outcome.overview)
        if reason is None or advice.why in (Why.PRESET, Why.KNOWN_CHART):
            reason = advice
    if reason is None:
        reason = usual_reason(row, outcome.overview)
    return _Counted(row, state, reason, obj.ref)


def _row(row: str, objects: Sequence[_Counted]) -> Covered:
    numbers = dict.fromkeys(State, 0)
    groups: dict[tuple[Why, str], list[_Counted]] = {}
    for counted in objects:
        numbers[counted.state] += counted.number
        if counted.state is State.LEFT:
            finding = counted.reason.finding
            reason = finding.reason if finding else ""
            groups.setdefault((counted.reason.why, reason), []).append(counted)
    # Of reasons with one number those with an advice of their own come before usual ones.
    order = [*Why]
    reasons = [
        left_because(why, groups[why, reason])
        for why, reason in sorted(groups, key=lambda key: order.index(key[0]))
    ]
    reasons.sort(key=lambda reason: -reason.number)
    return Covered(
        row,
        sum(numbers.values()),
        numbers[State.HAS_IT],
        numbers[State.CHANGED],
        numbers[State.LEFT],
        reasons,
        _names(counted for counted in objects if counted.state is not State.LEFT),
    )


def left_because(why: Why, left: Sequence[_Counted]) -> LeftBecause:
    """Return the reason for which objects are left, all for the same one."""
    names = some(sorted({counted.reason.name for counted in left}))
    findings = [counted.reason.finding for counted in left if counted.reason.finding]
    return LeftBecause(
        (why.sentence or message_of(findings)).replace("NAMES", names),
        why.change,
        sum(counted.number for counted in left),
        _names(left),
    )


def _names(objects: Iterable[_Counted]) -> Texts:
    return tuple(str(counted.ref) for counted in objects if counted.ref)


def total(outcome: Outcome, source: ObjectSource) -> str:
    """Return how many objects of each system have or get the proxy, in one sentence; "" where all do."""
    rows = covered(outcome, source, explained=False)
    rows = [row for row in rows if row.system != NOT_JUDGED]
    if not any(row.left for row in rows):
        return ""
    parts = []
    for row in rows:
        with_proxy = row.found - row.left
        parts.append(f"{row.system} {with_proxy} of {row.found}")
    return f"the proxy is in {', '.join(parts)}: `inject-proxy explain` says why not in the others"


def covered_lines(rows: Sequence[Covered], *, verbose: bool = False) -> list[str]:
    """Return a table for a terminal, with the reasons below each row; with ``verbose`` with all names."""
    if not rows:
        return ["no object could carry a proxy"]
    lines = [_in_columns(map(str.lower, HEAD))]
    for row in rows:
        lines.append(_in_columns(row.cells))
        if verbose:
            lines += [f"    {name}" for name in row.names]
        for reason in row.reasons:
            lines.append(f"  left {reason}")
            names = reason.names if verbose else reason.names[:SHOWN]
            lines += [f"    {name}" for name in names]
            more = reason.number - len(names)
            if names and more:
                lines.append(f"    and {more} more")
    return lines


def _in_columns(cells: Iterable[str]) -> str:
    system, *others = cells
    line = f"{system:14}"
    for cell in others:
        line += f"{cell:>9}"
    return line


NOT_JUDGED = "not judged"
OTHERS = "other objects"
# Kind of an object that could carry a proxy -> its row in the table of what was covered.
SYSTEM_OF_KIND = {
    **dict.fromkeys(({kind for _, kind in NODE_KINDS} | system_kinds()) - {"Cluster"}, "nodes"),
    **dict.fromkeys([kind for _, kind in POD_KINDS], "workloads"),
    **dict.fromkeys([HELM_RELEASE[1], APPLICATION[1]], "charts"),
    **{kind: "policies" for _, kind in ROWS["kyverno"].kinds if kind.endswith("Policy")},
    "FluxInstance": NOT_JUDGED,
}
# Row -> why its objects are left of which nothing else is known, in the order of the table.
USUAL = {
    "nodes": Why.NO_TARGET,
    "workloads": Why.WORKLOAD,
    "charts": Why.CHART,
    "policies": Why.POLICY_WITHOUT,
    NOT_JUDGED: Why.NOT_JUDGED,
    OTHERS: Why.NO_TARGET,
}
# Row -> the targets that write its objects.
_TARGETS = {
    "nodes": (*SYSTEMS["nodes"], *SYSTEMS["distributions"]),
    "workloads": SYSTEMS["workloads"],
    "charts": SYSTEMS["charts"],
    "policies": SYSTEMS["kyverno"],
}
_PRESETS = ("flux", "argocd", "clusterAPIProviders")
# Words of which one is in the text of each workload of a preset, as people write them, or that refuses the proxy.
_WORDS = ("flux", "argocd", "cluster.x-k8s.io/provider", "cluster-api", "diagnostics", *REFUSALS)


def targets_to_choose(source: ObjectSource) -> dict[str, Fields]:
    """Return `spec.targets` that chooses the workloads of presets, and the known charts, of a list of objects."""
    overview = plan_records(source, ProxyConfig())
    names: defaultdict[Why, set[str]] = defaultdict(set)
    for obj in readable_objects(source, worth_reading(source)):
        reason = reason_in(obj, overview)
        names[reason.why].add(reason.name)
    targets: dict[str, Fields] = {}
    if names[Why.PRESET]:
        targets["workloads"] = {"presets": sorted(names[Why.PRESET])}
    if names[Why.KNOWN_CHART]:
        targets["charts"] = {"choose": [{"charts": sorted(names[Why.KNOWN_CHART])}]}
    return targets


def worth_reading(source: ObjectSource) -> list[int]:
    """Return the items with charts, workloads that this program may know, or local ones, judged by their text."""
    worth = [*source.holding(("local-config",))]
    for kinds, indexes in source.by_kinds.items():
        rows = {SYSTEM_OF_KIND.get(kind) for kind in kinds}
        if "charts" in rows:
            worth += indexes
        elif "workloads" in rows:
            worth += source.holding(_WORDS, indexes)
    return worth


def reason_in(obj: Object, overview: Overview) -> Reason:
    """Return why nobody writes into an object, by its content."""
    config = overview.config
    row = SYSTEM_OF_KIND.get(obj.ref.kind, OTHERS)
    if obj.is_local:
        return Reason(Why.LOCAL)
    if not fits(obj, config.selector):
        return Reason(Why.NOT_SELECTED)
    if row in ("workloads", "charts") and is_refused(obj.data):
        return Reason(Why.REFUSED)
    usual = usual_reason(row, overview)
    if usual.why not in (Why.WORKLOAD, Why.CHART):
        return usual
    uses = overview.uses.seen_from(obj.ref.file_path)
    rows = config.targets.of("charts").get("rows", ())
    own_charts = {row["chart"] for row in rows}
    for use in sorted(charts_of(obj.data, uses.chart_sources), key=is_known, reverse=True):
        if not (is_known(use) or use.name in own_charts):
            return Reason(Why.OTHER_CHART, name=redact(use.name))
        context = Context({"choose": [{}], "rows": rows}, uses=uses)
        if load_target("charts").has_site(obj.data, context):
            return Reason(Why.KNOWN_CHART, name=use.name)
        return Reason(Why.VALUES)
    for preset in _PRESETS:
        if load_target("workloads").has_site(obj.data, Context({"presets": [preset]})):
            return Reason(Why.PRESET, name=preset)
    return usual


def addition_for(obj: Object, reason: Reason) -> tuple[Pointer, Any]:
    """Return the list in `spec` that chooses an object left for a reason, and a new item of it; None if none can."""
    if reason.why is Why.PRESET:
        return ("targets", "workloads", "presets"), reason.name
    matcher = {"kinds": [obj.ref.kind], "names": [obj.base_name]}
    if obj.ref.namespace:
        matcher["namespaces"] = [obj.ref.namespace]
    if reason.why is Why.KNOWN_CHART:
        return ("targets", "charts", "choose"), {"charts": [reason.name], **matcher}
    is_workload = reason.why is Why.WORKLOAD
    return ("targets", "workloads", "choose"), matcher if is_workload else None


def usual_reason(row: str, overview: Overview) -> Reason:
    """Return why objects of a row are left of which nothing else is known."""
    config = overview.config
    targets = _TARGETS.get(row, ())
    if targets and not any(config.targets.is_on(target) for target in targets):
        return Reason(Why.SWITCHED_OFF)
    if config.is_removal and row != NOT_JUDGED:
        return Reason(Why.HOLD_NONE)
    return Reason(USUAL[row])
