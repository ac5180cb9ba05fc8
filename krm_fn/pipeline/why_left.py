"""Why an object that could carry a proxy is left: a reason in words, and the text in a ProxyConfig that changes it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress

from krm_fn.config import Mode, ProxyConfig
from krm_fn.errors import InputError
from krm_fn.krm.masking import redact
from krm_fn.krm.resourcelist import Object
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.places.charts import charts_of, is_known
from krm_fn.places.choice import REFUSALS, is_refused
from krm_fn.places.containers import pod_spec
from krm_fn.plan import ObjectSource, Overview, plan_edits
from krm_fn.plan.selection import fits, is_enabled
from krm_fn.products.node_kinds import NODE_KINDS
from krm_fn.products.releases import APPLICATION, HELM_RELEASE
from krm_fn.products.systems import system_kinds
from krm_fn.products.workload_kinds import POD_KINDS
from krm_fn.target_table import ROWS
from krm_fn.targets import TARGETS, Context

NOT_JUDGED = "not judged"
SYSTEM_OF_KIND = {
    **dict.fromkeys(({kind for _, kind in NODE_KINDS} | system_kinds()) - {"Cluster"}, "nodes"),
    **dict.fromkeys([kind for _, kind in POD_KINDS], "workloads"),
    **dict.fromkeys([HELM_RELEASE[1], APPLICATION[1]], "charts"),
    **{kind: "policies" for _, kind in ROWS["kyverno"].kinds if kind.endswith("Policy")},
    "FluxInstance": NOT_JUDGED,
}
"""Kind of an object that could carry a proxy -> its system."""
OTHERS = "other objects"
CHOSEN = ("workloads", "charts")
"""Systems of which objects are written where somebody chose them."""


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


HOLD_NONE = Reason("they hold no proxy")
_NOT_ON = Reason("no target that is on writes them")
NOBODY_CHOSE = {
    "nodes": _NOT_ON,
    "workloads": Reason("nobody chose them", "targets: {workloads: {choose: [{names: [NAME]}]}}"),
    "charts": Reason("nobody chose them", "targets: {charts: {choose: [{charts: [NAME]}]}}"),
    "policies": Reason("they set no proxy"),
    NOT_JUDGED: Reason(
        "set the proxy yourself: values of `helmCharts`, `spec.kustomize` of a FluxInstance"
    ),
    OTHERS: _NOT_ON,
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


def targets_to_choose(source: ObjectSource) -> dict[str, dict[str, Any]]:
    """Return `spec.targets` that chooses the workloads of presets, and the known charts, of a list of objects."""
    overview = Overview()
    plan_edits(source, ProxyConfig(), overview)
    names: defaultdict[Reason | None, set[str]] = defaultdict(set)
    for obj in unread_objects(source):
        reason, name = why_unread(obj, overview)
        names[reason].add(name)
    targets: dict[str, dict[str, Any]] = {}
    if names[_OF_PRESETS]:
        targets["workloads"] = {"presets": sorted(names[_OF_PRESETS])}
    if names[_KNOWN_CHARTS]:
        targets["charts"] = {"choose": [{"charts": sorted(names[_KNOWN_CHARTS])}]}
    return targets


def unread_objects(source: ObjectSource) -> Iterator[Object]:
    """Yield the workloads and charts that may be one that this program knows, judged by their text."""
    for kinds, indexes in source.by_kinds.items():
        systems = {SYSTEM_OF_KIND.get(kind, "") for kind in kinds}
        if "charts" in systems:
            yield from readable(source, indexes)
        elif "workloads" in systems:
            yield from readable(source, source.holding(_WORDS, indexes))


def why_unread(obj: Object, overview: Overview) -> tuple[Reason | None, str]:
    """Return why nobody writes into a workload or a chart, and which preset or chart it is; None where it is none."""
    config = overview.config or ProxyConfig()
    if not fits(obj, config.selector) or is_refused(obj.data, pod_spec(obj.data) or ("spec",)):
        return Reason("`spec.selector` or an annotation leaves them out"), ""
    system = SYSTEM_OF_KIND.get(obj.ref.kind, OTHERS)
    reason = why_not_chosen(system, overview)
    if reason != NOBODY_CHOSE[system]:
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


def why_not_chosen(system: str, overview: Overview) -> Reason:
    """Return why objects of a system are left of which nothing else is known."""
    config = overview.config or ProxyConfig()
    if not is_enabled(system, config):
        return Reason("`spec.only` or `spec.targets` leaves them out")
    reason = NOBODY_CHOSE[system]
    return HOLD_NONE if config.mode is Mode.REMOVE and reason.change else reason


def readable(source: ObjectSource, indexes: Iterable[int]) -> Iterator[Object]:
    """Yield the objects of some items, without those of items that cannot be read."""
    for index in indexes:
        with suppress(InputError):  # who needs the item says that it cannot be read
            yield from source.objects(index)
