"""chart-operator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from krm_fn.carriers.chosen_containers import is_refused
from krm_fn.carriers.data_references import DataUsesReader, provided_for
from krm_fn.carriers.env_list import OVERRIDE, EnvList, correct
from krm_fn.carriers.pod_spec import (
    CONTAINERS,
    INIT_CONTAINERS,
    POD_SPEC,
    containers,
    report_wrong_types,
)
from krm_fn.carriers.reading import Reading, Values
from krm_fn.engine import Draft
from krm_fn.krm.results import Severity
from krm_fn.noproxy import Audience
from krm_fn.targets.base import Context, Data, Options, Target
from krm_fn.targets.workloads import known_workloads


class _ChartOperator(Target):
    id = "chartOperator"
    kinds = frozenset({("apps", "Deployment"), ("extensions", "Deployment")})
    audience = Audience.GO

    def sites(self, draft: Draft, context: Context) -> Iterator[EnvList]:
        """Yield the environments of the two containers of chart-operator."""
        if not known_workloads.is_chart_operator(draft.data) or is_refused(draft.data, POD_SPEC):
            return
        ours = known_workloads.chart_operator_containers(draft.data)
        conflict = context.options.get("conflict", OVERRIDE)
        for field in (INIT_CONTAINERS, CONTAINERS):
            report_wrong_types(draft, field)
            found = [one for one in ours if field in one.path]
            for one in found:
                yield EnvList(draft, one, conflict, provided_for(context.uses, draft.data, one))
            is_unknown = any(containers(draft.data, field)) and not found
            if field == CONTAINERS and is_unknown and context.settings.sets_any:
                message = (
                    "no container is named `chart-operator`, so none gets the proxy: "
                    "give the operator's that name"
                )
                draft.report(
                    Severity.WARNING, message, (*POD_SPEC, field), code="ContainerNotFound"
                )

    def note_references(self, uses: DataUsesReader, obj: Data, options: Options) -> None:
        """Note the ConfigMaps and Secrets that the containers of chart-operator read."""
        if not is_refused(obj, POD_SPEC):
            uses.note_containers(obj, known_workloads.chart_operator_containers(obj))

    def fix(
        self, draft: Draft, place: Mapping[str, Reading], values: Values, options: Options
    ) -> None:
        """Give entries of ``env`` other values."""
        correct(draft, place, values)


TARGET = _ChartOperator()
