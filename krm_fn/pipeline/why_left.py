"""Why an object that no target needed to read is left: it is in no record of a run."""

from __future__ import annotations

from collections import defaultdict

from krm_fn.config import Mode, ProxyConfig
from krm_fn.krm.masking import redact
from krm_fn.krm.resourcelist import Object
from krm_fn.light_typing import Any
from krm_fn.places.choice import REFUSALS, is_refused
from krm_fn.places.containers import pod_spec
from krm_fn.places.installed_charts import charts_of, is_known
from krm_fn.plan import ObjectSource, Overview, plan_records
from krm_fn.plan.items import readable_objects
from krm_fn.plan.record import Reason, Why
from krm_fn.plan.selection import fits, is_enabled
from krm_fn.products.node_kinds import NODE_KINDS
from krm_fn.products.release_kinds import APPLICATION, HELM_RELEASE
from krm_fn.products.systems import system_kinds
from krm_fn.products.workload_kinds import POD_KINDS
from krm_fn.target_table import ROWS, SYSTEMS
from krm_fn.targets import TARGETS, Context

NOT_JUDGED = "not judged"
OTHERS = "other objects"
SYSTEM_OF_KIND = {
    **dict.fromkeys(({kind for _, kind in NODE_KINDS} | system_kinds()) - {"Cluster"}, "nodes"),
    **dict.fromkeys([kind for _, kind in POD_KINDS], "workloads"),
    **dict.fromkeys([HELM_RELEASE[1], APPLICATION[1]], "charts"),
    **{kind: "policies" for _, kind in ROWS["kyverno"].kinds if kind.endswith("Policy")},
    "FluxInstance": NOT_JUDGED,
}
"""Kind of an object that could carry a proxy -> its row in the table of what was covered."""
USUAL = {
    "nodes": Why.NO_TARGET,
    "workloads": Why.WORKLOAD,
    "charts": Why.CHART,
    "policies": Why.POLICY_WITHOUT,
    NOT_JUDGED: Why.NOT_JUDGED,
    OTHERS: Why.NO_TARGET,
}
"""Row -> why its objects are left of which nothing else is known, in the order of the table."""
_TARGETS = {
    "nodes": (*SYSTEMS["nodes"], *SYSTEMS["distributions"]),
    "workloads": SYSTEMS["workloads"],
    "charts": SYSTEMS["charts"],
    "policies": SYSTEMS["kyverno"],
}
"""Row -> the targets that write its objects."""
_PRESETS = ("flux", "argocd", "clusterAPIProviders")
_WORDS = ("flux", "argocd", "cluster.x-k8s.io/provider", "cluster-api", "diagnostics", *REFUSALS)
"""Words of which one is in the text of each workload of a preset, as people write them, or that refuses the proxy."""


def targets_to_choose(source: ObjectSource) -> dict[str, dict[str, Any]]:
    """Return `spec.targets` that chooses the workloads of presets, and the known charts, of a list of objects."""
    overview = Overview()
    plan_records(source, ProxyConfig(), overview)
    names: defaultdict[Why, set[str]] = defaultdict(set)
    for obj in readable_objects(source, worth_reading(source)):
        reason = why_unread(obj, overview)
        names[reason.why].add(reason.name)
    targets: dict[str, dict[str, Any]] = {}
    if names[Why.PRESET]:
        targets["workloads"] = {"presets": sorted(names[Why.PRESET])}
    if names[Why.KNOWN_CHART]:
        targets["charts"] = {"choose": [{"charts": sorted(names[Why.KNOWN_CHART])}]}
    return targets


def worth_reading(source: ObjectSource) -> list[int]:
    """Return the items with charts, and with workloads that this program may know, judged by their text."""
    worth: list[int] = []
    for kinds, indexes in source.by_kinds.items():
        rows = {SYSTEM_OF_KIND.get(kind) for kind in kinds}
        if "charts" in rows:
            worth += indexes
        elif "workloads" in rows:
            worth += source.holding(_WORDS, indexes)
    return worth


def why_unread(obj: Object, overview: Overview) -> Reason:
    """Return why nobody writes into an object that no target needed."""
    config = overview.config or ProxyConfig()
    row = SYSTEM_OF_KIND.get(obj.ref.kind, OTHERS)
    usual = usual_reason(row, overview)
    if row not in ("workloads", "charts"):
        is_left_out = not fits(obj, config.selector)
        return Reason(Why.NOT_SELECTED) if is_left_out else usual
    if not fits(obj, config.selector) or is_refused(obj.data, pod_spec(obj.data) or ("spec",)):
        return Reason(Why.NOT_SELECTED)
    if usual.why not in (Why.WORKLOAD, Why.CHART):
        return usual
    uses = overview.uses.seen_from(obj.ref.file_path)
    for use in sorted(charts_of(obj.data, uses.chart_sources), key=is_known, reverse=True):
        if not is_known(use):
            return Reason(Why.OTHER_CHART, name=redact(use.name))
        if TARGETS["charts"].has_site(obj.data, Context({"choose": [{}]}, uses=uses)):
            return Reason(Why.KNOWN_CHART, name=use.name)
        return Reason(Why.VALUES)
    for preset in _PRESETS:
        if TARGETS["workloads"].has_site(obj.data, Context({"presets": [preset]})):
            return Reason(Why.PRESET, name=preset)
    return usual


def usual_reason(row: str, overview: Overview) -> Reason:
    """Return why objects of a row are left of which nothing else is known."""
    config = overview.config or ProxyConfig()
    targets = _TARGETS.get(row, ())
    if targets and not any(is_enabled(target, config) for target in targets):
        return Reason(Why.SWITCHED_OFF)
    if config.mode is Mode.REMOVE and row != NOT_JUDGED:
        return Reason(Why.HOLD_NONE)
    return Reason(USUAL[row])
