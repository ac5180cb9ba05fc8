"""What a run covered: of each system how many objects there are, have the proxy, get it, and are left, and why."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from krm_fn.config import Mode, ProxyConfig
from krm_fn.errors import InputError
from krm_fn.krm.codes import Severity
from krm_fn.krm.masking import redact
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import ObjectRef
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.lint.compared import Compared, by_object
from krm_fn.pipeline import Comparison
from krm_fn.places.charts import charts_of, is_known
from krm_fn.places.choice import REFUSALS, is_refused
from krm_fn.places.containers import pod_spec
from krm_fn.plan import ObjectSource, Overview, plan_edits
from krm_fn.plan.selection import fits, is_enabled
from krm_fn.printable import shortened
from krm_fn.products.node_kinds import NODE_KINDS
from krm_fn.products.releases import APPLICATION, HELM_RELEASE
from krm_fn.products.systems import system_kinds
from krm_fn.products.workload_kinds import POD_KINDS
from krm_fn.settings import declared_urls
from krm_fn.target_table import ROWS
from krm_fn.targets import TARGETS, Context, Writes

_NOT_JUDGED = "not judged"
_SYSTEM_OF_KIND = {
    **dict.fromkeys({kind for _, kind in NODE_KINDS} | system_kinds(), "nodes"),
    **dict.fromkeys([kind for _, kind in POD_KINDS], "workloads"),
    **dict.fromkeys([HELM_RELEASE[1], APPLICATION[1]], "charts"),
    **{kind: "policies" for _, kind in ROWS["kyverno"].kinds if kind.endswith("Policy")},
    "FluxInstance": _NOT_JUDGED,
}
"""Kind of an object that could carry a proxy -> its system."""
del _SYSTEM_OF_KIND["Cluster"]
_OTHERS = "other objects"
_CHOSEN = ("workloads", "charts")
"""Systems of which objects are written where somebody chose them."""
HEAD = ("System", "Found", "Have it", "Changed", "Left")
_UNREAD = ObjectRef()
"""Stands for an object that is only counted."""


class Reason(NamedTuple):
    """Why objects are left.

    Attributes:
        why: the reason in words.
        change: the text in a ProxyConfig that changes it; "" for none.
        number: of how many objects of a system it is true.
        names: theirs, as far as somebody asked for them.
    """

    why: str
    change: str = ""
    number: int = 0
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = f"{self.number}: {self.why}"
        return f"{text}: `{self.change}`" if self.change else text


_SAME, _CHANGED = Reason("have it"), Reason("changed")
_HOLD_NONE = Reason("they hold no proxy")
_NOT_ON = Reason("no target that is on writes them")
_NOBODY_CHOSE = {
    "nodes": _NOT_ON,
    "workloads": Reason("nobody chose them", "targets: {workloads: {choose: [{names: [NAME]}]}}"),
    "charts": Reason("nobody chose them", "targets: {charts: {choose: [{charts: [NAME]}]}}"),
    "policies": Reason("they set no proxy"),
    _NOT_JUDGED: Reason(
        "set the proxy yourself: values of `helmCharts`, `spec.kustomize` of a FluxInstance"
    ),
    _OTHERS: _NOT_ON,
}
"""Why objects of a system are left of which nothing else is known."""
_PRESETS = ("flux", "argocd", "clusterAPIProviders")
_WORDS = ("flux", "argocd", "cluster.x-k8s.io/provider", "cluster-api", "diagnostics", *REFUSALS)
"""Words of which one is in the text of each workload of a preset, as people write them, or that refuses the proxy."""
_OF_PRESETS = Reason("presets would choose them", "targets: {workloads: {presets: [NAMES]}}")
_KNOWN_CHARTS = Reason(
    "known charts that nobody chose", "targets: {charts: {choose: [{charts: [NAMES]}]}}"
)
_OTHER_CHARTS = Reason("charts whose values are not known: NAMES")
_Groups = dict[Reason, list[ObjectRef]]
"""What becomes of objects -> these objects."""


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
    reasons: list[Reason]
    names: tuple[str, ...]

    @property
    def cells(self) -> list[str]:
        """The system and its numbers, as texts."""
        numbers = (self.found, self.have, self.changed, self.left)
        return [self.system, *map(str, numbers)]

    def to_data(self) -> dict[str, Any]:
        """Return the row for JSON."""
        reasons = [reason._asdict() for reason in self.reasons]
        return {**self._asdict(), "reasons": reasons}


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
    overview = comparison.overview
    found = _found(source, named=named)
    groups: defaultdict[str, _Groups] = defaultdict(lambda: defaultdict(list))
    known = set()
    for key, records in by_object(comparison.compared).items():
        first = records[0]
        ref = first.obj.ref
        system = _SYSTEM_OF_KIND.get(ref.kind, _OTHERS)
        is_chosen = any(record.place.target_id for record in records)
        if system in _CHOSEN and not is_chosen:
            continue  # whatever it sets itself, it is left because nobody chose it
        if first.why_left and ref.kind == "Cluster":
            system = "nodes"  # of which the Cluster says why they get none
        outcome = _outcome(records, overview)
        if first.place.is_new or not outcome:
            continue
        known.add(key)
        if system == _OTHERS:
            if outcome != _CHANGED and not any(record.after for record in records):
                continue
            found[system].append(ref)
        groups[system][outcome].append(ref)
    unread: defaultdict[tuple[str, Reason], list[tuple[str, ObjectRef]]] = defaultdict(list)
    for obj in _unread(source) if explained else ():
        reason, name = _why_unread(obj, overview)
        if reason and (obj.ref, obj.path) not in known:
            system = _SYSTEM_OF_KIND.get(obj.ref.kind, _OTHERS)
            unread[system, reason].append((name, obj.ref))
    for (system, reason), named_refs in unread.items():
        names = ", ".join(sorted({name for name, _ in named_refs}))
        why, change = (text.replace("NAMES", names) for text in reason[:2])
        groups[system][Reason(why, change)] += [ref for _, ref in named_refs]
    rows = []
    for system in filter(found.get, _NOBODY_CHOSE):
        rest = _why_not_chosen(system, overview)
        rows.append(_row(system, found[system], groups[system], rest, named=named))
    return rows


def _found(source: ObjectSource, *, named: bool) -> dict[str, list[ObjectRef]]:
    """Return the objects of each system; an item whose text names kinds of several is read."""
    found: defaultdict[str, list[ObjectRef]] = defaultdict(list)
    for kinds, indexes in source.by_kinds.items():
        if "Kustomization" in kinds:
            with_charts = source.holding(("helmCharts",), indexes)
            found[_NOT_JUDGED] += [_UNREAD] * len(with_charts)
        systems = {_SYSTEM_OF_KIND.get(kind, "") for kind in kinds}
        if len(systems) == 1 and not named:
            found[systems.pop()] += [_UNREAD] * len(indexes)
        elif any(systems) or not kinds:  # its text does not show its kind
            for obj in _objects(source, indexes):
                found[_SYSTEM_OF_KIND.get(obj.ref.kind, "")].append(obj.ref)
    return found


def _objects(source: ObjectSource, indexes: Iterable[int]) -> Iterator[Object]:
    for index in indexes:
        with suppress(InputError):  # who needs the item says that it cannot be read
            yield from source.objects(index)


def _outcome(records: Sequence[Compared], overview: Overview) -> Reason | None:
    """Return that an object changes, that it has the proxy, or why it is left; None where nothing says why."""
    if any(record.is_changed for record in records):
        return _CHANGED
    if any(_has_proxy(record) for record in records):
        return _SAME
    for record in records:
        if record.why_left:
            why = "they set another proxy: " if record.after else ""
            return Reason(why + redact(record.why_left))
        for result in record.results:
            if result.severity is not Severity.INFO:
                return Reason(redact(result.message))
    for record in records:
        if record.place.is_asked and not record.wanted:
            return _why_not_wanted(record, overview)
    return None


def _has_proxy(record: Compared) -> bool:
    if not record.place.target_id or record.place.target.writes is Writes.NOTHING:
        return False
    return bool(record.after and record.wanted)


def _why_not_wanted(record: Compared, overview: Overview) -> Reason | None:
    """Return why a target that looks at an object gives it no proxy."""
    place, config = record.place, overview.config
    if config is None or config.mode is Mode.REMOVE:
        return _HOLD_NONE
    name = place.obj.base_name
    urls = declared_urls(config, place.memberships, target=place.target_id, name=name)
    if not any(urls or ()):
        return Reason("no proxy is declared for them, in `spec` or in an override that fits")
    if _SYSTEM_OF_KIND.get(place.obj.ref.kind) != "nodes":
        return None
    return Reason("their ClusterClass writes it")


def targets_to_choose(source: ObjectSource) -> dict[str, dict[str, Any]]:
    """Return `spec.targets` that chooses the workloads of presets, and the known charts, of a list of objects."""
    overview = Overview()
    plan_edits(source, ProxyConfig(), overview)
    names: defaultdict[Reason | None, set[str]] = defaultdict(set)
    for obj in _unread(source):
        reason, name = _why_unread(obj, overview)
        names[reason].add(name)
    targets: dict[str, dict[str, Any]] = {}
    if names[_OF_PRESETS]:
        targets["workloads"] = {"presets": sorted(names[_OF_PRESETS])}
    if names[_KNOWN_CHARTS]:
        targets["charts"] = {"choose": [{"charts": sorted(names[_KNOWN_CHARTS])}]}
    return targets


def _unread(source: ObjectSource) -> Iterator[Object]:
    """Yield the workloads and charts that may be one that this program knows, judged by their text."""
    for kinds, indexes in source.by_kinds.items():
        systems = {_SYSTEM_OF_KIND.get(kind, "") for kind in kinds}
        if "charts" in systems:
            yield from _objects(source, indexes)
        elif "workloads" in systems:
            yield from _objects(source, source.holding(_WORDS, indexes))


def _why_unread(obj: Object, overview: Overview) -> tuple[Reason | None, str]:
    """Return why nobody writes into a workload or a chart, and which preset or chart it is; None where it is none."""
    config = overview.config or ProxyConfig()
    if not fits(obj, config.selector) or is_refused(obj.data, pod_spec(obj.data) or ("spec",)):
        return Reason("`spec.selector` or an annotation leaves them out"), ""
    system = _SYSTEM_OF_KIND.get(obj.ref.kind, _OTHERS)
    reason = _why_not_chosen(system, overview)
    if reason != _NOBODY_CHOSE[system]:
        return reason, ""
    uses = overview.uses.seen_from(obj.ref.file_path)
    for use in sorted(charts_of(obj.data, uses.chart_sources), key=is_known, reverse=True):
        if not is_known(use):
            return _OTHER_CHARTS, redact(use.name)
        if TARGETS["charts"].has_site(obj.data, Context({"choose": [{}]}, uses=uses)):
            return _KNOWN_CHARTS, use.name
        return Reason("their values switch off what would use the proxy"), ""
    for preset in _PRESETS:
        if TARGETS["workloads"].has_site(obj.data, Context({"presets": [preset]})):
            return _OF_PRESETS, preset
    return None, ""


def _why_not_chosen(system: str, overview: Overview) -> Reason:
    """Return why objects of a system are left of which nothing else is known."""
    config = overview.config or ProxyConfig()
    if not is_enabled(system, config):
        return Reason("`spec.only` or `spec.targets` leaves them out")
    reason = _NOBODY_CHOSE[system]
    return _HOLD_NONE if config.mode is Mode.REMOVE and reason.change else reason


def _row(
    system: str, found: Sequence[ObjectRef], groups: _Groups, rest: Reason, *, named: bool
) -> Covered:
    known = Counter(ref for refs in groups.values() for ref in refs)
    unknown = list((Counter(found) - known).elements())
    have = groups.pop(_SAME, [])
    changed = groups.pop(_CHANGED, [])
    left = missing = len(found) - len(have) - len(changed)
    unexplained = left - sum(map(len, groups.values()))
    groups[rest] += unknown[: max(0, unexplained)]
    reasons = []
    for reason, refs in sorted(groups.items(), key=lambda group: -len(group[1])):
        shown = refs[:missing]  # a Cluster also says why for nodes that the list lacks
        missing -= len(shown)
        if shown:
            names = _names(shown) if named else ()
            reasons.append(reason._replace(number=len(shown), names=names))
    names = _names([*have, *changed]) if named else ()
    return Covered(system, len(found), len(have), len(changed), left, reasons, names)


def _names(refs: Iterable[ObjectRef]) -> tuple[str, ...]:
    return tuple(str(ref) for ref in refs if ref != _UNREAD)


def total(comparison: Comparison, source: ObjectSource) -> str:
    """Return how many objects of each system have or get the proxy, in one sentence; "" where all do."""
    rows = covered(comparison, source, explained=False)
    rows = [row for row in rows if row.system != _NOT_JUDGED]
    if not any(row.left for row in rows):
        return ""
    parts = [f"{row.system} {row.found - row.left} of {row.found}" for row in rows]
    return f"the proxy is in {', '.join(parts)}: `inject-proxy explain` says why not in the others"


def lines(rows: Sequence[Covered], *, verbose: bool = False) -> list[str]:
    """Return a table, and below each row why objects are left; with ``verbose`` whole, and with all names."""
    if not rows:
        return ["no object could carry a proxy"]
    shown = [_in_columns(map(str.lower, HEAD))]
    for row in rows:
        shown.append(_in_columns(row.cells))
        if verbose:
            shown += [f"    {name}" for name in row.names]
        for reason in row.reasons:
            line = f"  left {reason}"
            shown.append(line if verbose else shortened(line))
            if verbose:
                shown += [f"    {name}" for name in reason.names]
    return shown


def _in_columns(cells: Iterable[str]) -> str:
    system, *others = cells
    line = f"{system:14}"
    for cell in others:
        line += f"{cell:>9}"
    return line
