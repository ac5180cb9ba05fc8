"""Values of charts that hand a proxy on as it is: cert-manager, chart-operator, and other apps of Giant Swarm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from krm_fn.carriers.chosen_charts import is_chosen
from krm_fn.carriers.documents import DocumentSites
from krm_fn.carriers.site import Site
from krm_fn.carriers.three_keys import SHORT, SNAKE, Keys, ThreeKeys
from krm_fn.clusters import ChartSources
from krm_fn.engine import Draft
from krm_fn.light_typing import Any
from krm_fn.noproxy import Audience
from krm_fn.patch import Pointer, lookup
from krm_fn.products import giantswarm
from krm_fn.targets.base import Context, Data, Options, Target
from krm_fn.targets.giantswarm import helm_values
from krm_fn.targets.giantswarm.helm_values import is_of_chart
from krm_fn.targets.giantswarm.values_env import ValuesEnv, has_variables

_PLACES: tuple[tuple[tuple[str, ...], Keys], ...] = (
    (giantswarm.PROXY, SHORT),
    (giantswarm.CLUSTER_PROXY, SHORT),
    (("cert-manager",), SNAKE),
    ((), SNAKE),
)


def _is_of_a_chart(name: Any) -> bool:
    return isinstance(name, str) and any(
        is_of_chart(name, chart) for chart in giantswarm.CHARTS_WITH_PROXY
    )


def _is_of_charts(obj: Data, options: Options, sources: ChartSources) -> bool:
    """Return whether the target ``charts`` is enabled and writes a chart of an object."""
    charts = options.get("charts", {})
    return charts is not None and is_chosen(obj, charts, sources)


def _sites(draft: Draft, root: Pointer) -> Iterator[Site]:
    """Yield the places that are there: a mapping of its own also while it is empty, or is none."""
    for path, keys in _PLACES:
        label = f"`{'.'.join(path)}`" if path else "the values"
        slot = ThreeKeys((*root, *path), keys, label, kept=len(root) + len(path))
        has_own_mapping = keys is SHORT and lookup(draft.data, slot.path) is not None
        if has_own_mapping or slot.is_in(draft.data):
            yield slot.in_draft(draft)
    if has_variables(draft.data, (*root, "env")):
        yield ValuesEnv(draft, (*root, "env"))


class _GiantswarmChartValues(Target):
    id = "giantswarmChartValues"
    kinds = helm_values.KINDS
    audience = Audience.GO

    def options(self, given: Mapping[str, Options]) -> Options:
        """Return the options, with those by which charts are chosen for the target that has a table of them."""
        charts = given.get("charts", {})
        is_enabled = charts.get("enabled", True)
        return {**super().options(given), "charts": charts if is_enabled else None}

    def sites(self, draft: Draft, context: Context) -> Iterator[Site | DocumentSites]:
        """Yield the places of a proxy in the values of an object that are for one of the charts."""
        obj = draft.data
        uses = context.uses
        if uses.use(obj).of_charts or _is_of_charts(obj, context.options, uses.chart_sources):
            return  # the target ``charts`` writes what its options or an annotation choose
        if obj.get("kind") != "HelmRelease" and _is_of_a_chart(lookup(obj, ("metadata", "name"))):
            helm_values.report_unread(draft)
        for held in helm_values.of_object(draft):
            if _is_of_a_chart(held.of):
                yield from held.sites(partial(_sites, root=held.root))


TARGET = _GiantswarmChartValues()
