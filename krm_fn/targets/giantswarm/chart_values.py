"""Values of charts that hand a proxy on as it is: cert-manager, chart-operator, and other apps of Giant Swarm."""

from __future__ import annotations

from krm_fn.config import TargetOptions
from krm_fn.noproxy import Audience
from krm_fn.places.choice import chosen_charts
from krm_fn.places.mapping_forms import SHORT, SNAKE
from krm_fn.products import giantswarm
from krm_fn.targets.base import Context, Data, Options, Places, Target
from krm_fn.targets.giantswarm import helm_values

_ROWS: tuple[helm_values.Row, ...] = (
    (giantswarm.PROXY, SHORT),
    (giantswarm.CLUSTER_PROXY, SHORT),
    (("cert-manager",), SNAKE),
    ((), SNAKE),
    (("env",), helm_values.ENV),
)


class ChartValues(Target):
    """The proxy that values of some charts of Giant Swarm hold already.

    Example: the values of "cert-manager-app"::

        proxy: {http: ""}

    become::

        proxy: {http: "http://proxy:3128", https: "http://proxy:3128", noProxy: "10.0.0.0/8"}
    """

    audience = Audience.GO

    def options(self, all_options: TargetOptions) -> Options:
        """Return the options, with those of the target that writes charts which somebody chose."""
        charts = all_options.of("charts") if all_options.is_on("charts") else None
        return {**super().options(all_options), "charts": charts}

    def places(self, data: Data, context: Context) -> Places:
        """Yield the places that are there in values of one of the charts, unless the target ``charts`` writes them."""
        name = helm_values.name_of_chart(data)
        if not any(helm_values.is_of_chart(name, chart) for chart in giantswarm.CHARTS_WITH_PROXY):
            return
        charts = context.options.get("charts", {})
        uses = context.uses
        if any(reference.chart for reference in uses.references_to(data)):
            return
        if charts is not None and any(chosen_charts(data, charts, uses.chart_sources)):
            return
        yield from helm_values.places_of_values(
            data, lambda values, root: helm_values.present(values, root, *_ROWS)
        )
