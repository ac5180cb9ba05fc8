"""What a run covered: of each system how many objects there are, have the proxy, get it, and are left, and why."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from krm_fn.config import Mode
from krm_fn.errors import InputError
from krm_fn.explain.names import Names
from krm_fn.krm.codes import Severity
from krm_fn.krm.masking import redact
from krm_fn.krm.resourcelist import Object
from krm_fn.light_typing import NamedTuple
from krm_fn.lint.compared import Compared, by_object
from krm_fn.pipeline import Comparison
from krm_fn.places.charts import charts_in, charts_of
from krm_fn.plan import ObjectSource, Overview
from krm_fn.plan.selection import fits, is_enabled
from krm_fn.printable import shortened
from krm_fn.products.node_kinds import NODE_KINDS
from krm_fn.products.releases import APPLICATION, HELM_RELEASE
from krm_fn.products.systems import system_kinds
from krm_fn.products.workload_kinds import POD_KINDS
from krm_fn.settings import ProxySettings, declared_urls
from krm_fn.target_table import ROWS
from krm_fn.targets import TARGETS, Context, Writes

_SYSTEMS = {
    **dict.fromkeys({kind for _, kind in NODE_KINDS} | system_kinds(), "nodes"),
    **dict.fromkeys([kind for _, kind in POD_KINDS], "workloads"),
    **dict.fromkeys([HELM_RELEASE[1], APPLICATION[1]], "charts"),
    **{kind: "policies" for _, kind in ROWS["kyverno"].kinds if kind.endswith("Policy")},
    "FluxInstance": "not judged",
}
"""Kind of an object that could carry a proxy -> its system."""
del _SYSTEMS["Cluster"]
_OTHERS = "other objects"
_NOBODY_CHOSE = {
    "nodes": "no target that is on writes them",
    "workloads": "nobody chose them: `targets: {workloads: {choose: [{names: [NAME]}]}}`",
    "charts": "nobody chose them: `targets: {charts: {choose: [{charts: [NAME]}]}}`",
    "policies": "they set no proxy",
    "not judged": "set the proxy yourself: values of `helmCharts`, `spec.kustomize` of a FluxInstance",
    _OTHERS: "no target that is on writes them",
}
"""Why objects of a system are left of which nothing else is known."""
_PRESETS = ("flux", "argocd", "clusterAPIProviders")
_WORDS_OF_PRESETS = ("flux", "argocd", "cluster.x-k8s.io/provider", "cluster-api", "diagnostics")
"""Words of which one is in the text of each workload of a preset, as people write them."""
_OF_PRESETS = "presets would choose them: `targets: {workloads: {presets: [NAMES]}}`"
_KNOWN_CHARTS = "known charts that nobody chose: `targets: {charts: {choose: [{charts: [NAMES]}]}}`"
_OTHER_CHARTS = "charts whose values are not known: NAMES"
HEAD = ("System", "Found", "Have it", "Changed", "Left")
_CHANGED, _SAME = "changed", "same"
_MOST_REASONS = 4


class Covered(NamedTuple):
    """The objects of one system; ``found`` is the sum of the next three, and ``why`` says why some are left.

    Each of ``why`` begins with a number, and their sum is ``left``.
    """

    system: str
    found: int
    same: int
    changed: int
    left: int
    why: Names

    @property
    def cells(self) -> list[str]:
        """The system and its numbers, as texts."""
        numbers = (self.found, self.same, self.changed, self.left)
        return [self.system, *map(str, numbers)]


def covered(comparison: Comparison, source: ObjectSource) -> list[Covered]:
    """Return a row for each system of which there are objects.

    Args:
        comparison: what a run found out.
        source: the objects of the list, which are counted by their kinds.
    """
    overview = comparison.overview
    found = _found(source)
    outcomes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    known = set()
    for key, records in by_object(comparison.compared).items():
        first = records[0]
        system = _SYSTEMS.get(first.obj.ref.kind, _OTHERS)
        if first.why_left and first.obj.ref.kind == "Cluster":
            system = "nodes"  # of which the Cluster says why they get none
        outcome = _outcome(records, overview)
        if first.place.is_new or not outcome:
            continue
        known.add(key)
        has_place = outcome == _CHANGED or any(record.after for record in records)
        if system == _OTHERS and not has_place:
            continue
        if system == _OTHERS:
            found[system] += 1
        outcomes[system][outcome] += 1
    names: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for obj in _unread(source):
        why, name = _why_unread(obj, overview)
        if why and (obj.ref, obj.path) not in known:
            system = _SYSTEMS.get(obj.ref.kind, _OTHERS)
            names[system, why].append(name)
    for (system, why), group in names.items():
        together = ", ".join(sorted(set(group)))
        reason = why.replace("NAMES", together)
        outcomes[system][reason] += len(group)
    systems = [system for system in _NOBODY_CHOSE if found[system]]
    return [_row(system, found[system], outcomes[system]) for system in systems]


def _found(source: ObjectSource) -> Counter[str]:
    """Return how many objects of each system there are; an item whose text names kinds of several is read."""
    found: Counter[str] = Counter()
    for kinds, indexes in source.by_kinds.items():
        if "Kustomization" in kinds:
            with_charts = source.holding(("helmCharts",), indexes)
            found["not judged"] += len(with_charts)
        systems = {_SYSTEMS.get(kind, "") for kind in kinds}
        if len(systems) == 1:
            found[systems.pop()] += len(indexes)
        elif any(systems):
            for obj in _objects(source, indexes):
                found[_SYSTEMS.get(obj.ref.kind, "")] += 1
    return found


def _objects(source: ObjectSource, indexes: Iterable[int]) -> Iterator[Object]:
    for index in indexes:
        with suppress(InputError):  # who needs the item says that it cannot be read
            yield from source.objects(index)


def _outcome(records: Sequence[Compared], overview: Overview) -> str:
    """Return that an object changes, that it has the proxy, or why it is left; "" where nothing says why."""
    if any(record.is_changed for record in records):
        return _CHANGED
    if any(_has_proxy(record) for record in records):
        return _SAME
    for record in records:
        if record.why_left and record.after:
            return f"they set another proxy: {redact(record.why_left)}"
        if record.why_left:
            return str(redact(record.why_left))
        for result in record.results:
            if result.severity is not Severity.INFO:
                return str(redact(result.message))
    for record in records:
        if record.place.is_asked and not record.wanted:
            return _why_not_wanted(record, overview)
    return ""


def _has_proxy(record: Compared) -> bool:
    if not record.place.target_id or record.place.target.writes is Writes.NOTHING:
        return False
    return bool(record.after and record.wanted)


def _why_not_wanted(record: Compared, overview: Overview) -> str:
    """Return why a target that looks at an object gives it no proxy."""
    place, config = record.place, overview.config
    if config is None or config.mode is Mode.REMOVE:
        return "they hold no proxy"
    name = place.obj.base_name
    urls = declared_urls(config, place.memberships, target=place.target_id, name=name)
    if not any(urls or ()):
        return "no proxy is declared for them, in `spec` or in an override that fits"
    if place.memberships:
        return "the ClusterClass of their Clusters writes it"
    return "no Cluster of the list uses their ClusterClass"


def _unread(source: ObjectSource) -> Iterator[Object]:
    """Yield the workloads and charts that may be one that this program knows, judged by their text."""
    for kinds, indexes in source.by_kinds.items():
        systems = {_SYSTEMS.get(kind, "") for kind in kinds}
        if "charts" in systems:
            yield from _objects(source, indexes)
        elif "workloads" in systems:
            yield from _objects(source, source.holding(_WORDS_OF_PRESETS, indexes))


def _why_unread(obj: Object, overview: Overview) -> tuple[str, str]:
    """Return why nobody writes into a workload or a chart, and which preset or chart it is; "" where it is none."""
    config = overview.config
    if config is not None and not fits(obj, config.selector):
        return "`spec.selector` leaves them out", ""
    system = _SYSTEMS.get(obj.ref.kind, "")
    if config is not None and system in ROWS and not is_enabled(system, config):
        return "`spec.only` or `spec.targets` leaves them out", ""
    sources = overview.uses.seen_from(obj.ref.file_path).chart_sources
    why = _KNOWN_CHARTS if any(charts_in(obj, sources)) else _OTHER_CHARTS
    for use in charts_of(obj.data, sources):
        return why, redact(use.name)
    for preset in _PRESETS:
        context = Context({"presets": [preset]}, ProxySettings())
        if TARGETS["workloads"].has_site(obj.data, context):
            return _OF_PRESETS, preset
    return "", ""


def _row(system: str, found: int, outcomes: Counter[str]) -> Covered:
    changed = outcomes.pop(_CHANGED, 0)
    same = outcomes.pop(_SAME, 0)
    left = found - changed - same
    unexplained = left - outcomes.total()
    outcomes[_NOBODY_CHOSE[system]] += max(0, unexplained)
    reasons = []
    rest = left
    for why, number in outcomes.most_common(_MOST_REASONS):
        shown = min(number, rest)  # a Cluster also says why for nodes that the list lacks
        if shown:
            reasons.append(f"{shown}: {why}")
        rest -= shown
    if rest:
        reasons.append(f"{rest}: other reasons, which warnings say")
    return Covered(system, found, same, changed, left, tuple(reasons))


def lines(rows: Sequence[Covered], *, verbose: bool = False) -> list[str]:
    """Return a table, and below each row why objects are left; cut where it is long, if not ``verbose``."""
    if not rows:
        return ["no object could carry a proxy"]
    shown = [_in_columns(map(str.lower, HEAD))]
    for row in rows:
        shown.append(_in_columns(row.cells))
        reasons = [f"  left {why}" for why in row.why]
        shown += reasons if verbose else map(shortened, reasons)
    return shown


def _in_columns(cells: Iterable[str]) -> str:
    system, *others = cells
    line = f"{system:14}"
    for cell in others:
        line += f"{cell:>9}"
    return line
