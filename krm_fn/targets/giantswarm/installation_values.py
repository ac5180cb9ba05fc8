"""Values of Giant Swarm charts that complete the list themselves: they get the one that holds for the installation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from krm_fn.carriers.documents import DocumentSites
from krm_fn.carriers.site import Site
from krm_fn.carriers.three_keys import CAMEL, SHORT, SNAKE, ThreeKeys
from krm_fn.clusters import user_values_of
from krm_fn.engine import Draft
from krm_fn.krm.results import Severity
from krm_fn.light_typing import Any
from krm_fn.noproxy import Audience
from krm_fn.patch import lookup
from krm_fn.products import giantswarm
from krm_fn.settings import ProxySettings
from krm_fn.targets.base import Context, FileForm, Reach, Target
from krm_fn.targets.giantswarm import helm_values
from krm_fn.targets.giantswarm.helm_values import HelmValues, is_of_chart

_GLOBAL = ThreeKeys(
    ("global", "connectivity", "proxy"),
    CAMEL,
    "`global.connectivity.proxy`",
    kept=0,
    switch="enabled",
)
_NAME = ("global", "metadata", "name")
"""Where the values of a ``cluster-*`` chart name the Cluster that it makes."""
_OF_A_CLUSTER = (
    _GLOBAL,
    ThreeKeys(("connectivity", "proxy"), CAMEL, "`connectivity.proxy`", kept=0, switch="enabled"),
    ThreeKeys(("proxy",), SNAKE, "`proxy`", kept=0, switch="enabled"),
)
_POLICY = ThreeKeys(giantswarm.PROXY, SHORT, "`proxy`", kept=0, switch="enabled")
_SHARED = ThreeKeys(giantswarm.CLUSTER_PROXY, SHORT, "`cluster.proxy`", kept=2)
_OPERATOR = ThreeKeys(giantswarm.PROXY, SHORT, "`proxy`", kept=1)


def _sites(draft: Draft, slots: Iterable[ThreeKeys]) -> Iterator[Site]:
    for slot in slots:
        yield slot.in_draft(draft)


def _is_known(name: Any, cluster: str) -> bool:
    """Return whether an object with that name holds values of the charts.

    User values of other apps are not ours.
    """
    if not isinstance(name, str):
        return False
    whose = user_values_of(name)
    return any(is_of_chart(name, chart) for chart in giantswarm.INSTALLATION_CHARTS) or (
        bool(whose) and cluster in ("", whose)
    )


def _slots(held: HelmValues, cluster: str) -> list[ThreeKeys]:
    """Return the places of the proxy in the values, or where it belongs in those of the Cluster."""
    if is_of_chart(held.of, giantswarm.POLICIES_CHART):
        found = [_POLICY, *_present(held, _SHARED)]
    elif is_of_chart(held.of, "cluster-apps-operator"):
        found = _present(held, _OPERATOR)
    elif held.of in giantswarm.CLUSTER_CHARTS or (held.document and user_values_of(held.of)):
        found = _present(held, *_OF_A_CLUSTER)
        found = found or ([_GLOBAL] if _is_to_be_added(held, cluster) else [])
    else:
        found = []
    return [slot._replace(path=(*held.root, *slot.path), kept=_kept(held, slot)) for slot in found]


def _present(held: HelmValues, *slots: ThreeKeys) -> list[ThreeKeys]:
    """Return the places that exist, a mapping or not.

    Of a cluster's older ``proxy``, one with its names.
    """
    return [
        slot
        for slot in slots
        if lookup(held.data, (*held.root, *slot.path)) is not None
        and (slot.keys != SNAKE or slot._replace(path=(*held.root, *slot.path)).is_in(held.data))
    ]


def _is_to_be_added(held: HelmValues, cluster: str) -> bool:
    if held.document is None:
        return not lookup(held.data, ("spec", "valuesFrom"))
    whose = user_values_of(held.of)
    if not whose or not isinstance(held.data.get("global"), Mapping):
        return False
    return whose == cluster or whose == lookup(held.data, _NAME)


def _is_cluster_release(held: HelmValues) -> bool:
    return held.document is None and held.of in giantswarm.CLUSTER_CHARTS


def _kept(held: HelmValues, slot: ThreeKeys) -> int:
    """Return how many steps of the path stay: ``spec`` of a HelmRelease, and ``global`` of a text."""
    if held.document and slot.path[:1] == _GLOBAL.path[:1]:
        return 1
    return slot.kept + len(held.root) if slot.kept else len(held.root[:1])


def _sites_of_file(draft: Draft, settings: ProxySettings) -> Iterator[Site]:
    yield ThreeKeys(giantswarm.PROXY, SHORT, "`proxy`", kept=0).in_draft(draft)


class _GiantswarmInstallationValues(Target):
    id = "giantswarmInstallationValues"
    kinds = helm_values.KINDS
    audience = Audience.PRODUCT
    reach = Reach.CLUSTER
    file = FileForm(audience, _sites_of_file)

    def sites(self, draft: Draft, context: Context) -> Iterator[Site | DocumentSites]:
        """Yield the places of a proxy in the values of an object.

        Report what keeps them from having one.
        """
        obj = draft.data
        cluster = context.settings.cluster
        name = lookup(obj, ("metadata", "name"))
        if obj.get("kind") != "HelmRelease" and _is_known(name, cluster):
            helm_values.report_unread(draft)
            if is_of_chart(name, giantswarm.POLICIES_CHART):
                for text in helm_values.blank(draft):
                    yield DocumentSites(text.new_document(), partial(_sites, slots=[_POLICY]))
        for held in helm_values.of_object(draft):
            slots = _slots(held, cluster)
            yield from held.sites(partial(_sites, slots=slots))
            if not slots and _is_cluster_release(held) and context.settings.sets_any:
                message = (
                    "its values come from `valuesFrom`, so no proxy is added here: set "
                    "`global.connectivity.proxy` there, or an empty one in `spec.values`"
                )
                draft.report(Severity.INFO, message, ("spec", "valuesFrom"), code="ValuesElsewhere")


TARGET = _GiantswarmInstallationValues()
