"""Values of Giant Swarm charts that complete the list themselves: they get the one that holds for the installation."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from krm_fn.clusters import user_values_of
from krm_fn.krm.results import Result
from krm_fn.light_typing import Any
from krm_fn.noproxy import Audience
from krm_fn.patch import Pointer, lookup
from krm_fn.places.mapping_forms import CAMEL, SHORT, SNAKE
from krm_fn.places.place import Place
from krm_fn.products import giantswarm
from krm_fn.settings import ProxySettings
from krm_fn.targets.base import Context, Data, FileForm, Places, Reach, Target
from krm_fn.targets.giantswarm.helm_values import (
    is_of_chart,
    name_of_chart,
    places_of_values,
    present,
)

_OF_A_CLUSTER = (
    (("global", "connectivity", "proxy"), CAMEL._replace(switch="enabled", in_unit=True)),
    (("connectivity", "proxy"), CAMEL._replace(switch="enabled", in_unit=True)),
    (("proxy",), SNAKE._replace(switch="enabled", in_unit=True)),
)
_OPERATOR = (giantswarm.PROXY, SHORT._replace(in_unit=True))
# Where the values of a ``cluster-*`` chart name the Cluster that it makes.
_NAME = ("global", "metadata", "name")


def _policies_places(data: Any, root: Pointer) -> Iterator[Place]:
    switched = SHORT._replace(switch="enabled")
    yield Place((*root, *giantswarm.PROXY), switched, "`proxy`", len(root[:1]))
    yield from present(data, root, (giantswarm.CLUSTER_PROXY, SHORT))


def _cluster_places(name: str, settings: ProxySettings, data: Any, root: Pointer) -> Places:
    """Return the places that are there, or else the one where a proxy belongs, in the values of the Cluster."""
    rows = []
    for path, form in _OF_A_CLUSTER:
        value = lookup(data, (*root, *path))
        if form.is_in(value) or (value is not None and len(path) > 1):
            rows.append((path, form))
    if root:
        is_to_be_added = not lookup(data, ("spec", "valuesFrom"))
    else:
        is_of_cluster = user_values_of(name) in (settings.cluster, lookup(data, _NAME))
        is_to_be_added = isinstance(data.get("global"), dict) and is_of_cluster
    # Only a chart that makes this Cluster gets a new place; other values may be of any chart.
    if not rows and is_to_be_added:
        rows = [_OF_A_CLUSTER[0]]
    places = []
    for path, form in rows:
        keep = 1 if root or path[0] == "global" else 0
        places.append(Place((*root, *path), form, f"`{'.'.join(path)}`", keep))
    return _unless_lost(settings, places)


def _unless_lost(settings: ProxySettings, places: Places) -> Places:
    """Yield the places in values that end up in drop-ins, or errors where systemd would drop a value."""
    is_lost = "%" in "".join(settings.variables.values())
    for place in places:
        if is_lost:
            yield Result(
                "CannotWrite",
                "the chart puts the values as they are into drop-ins, where systemd drops one with `%`, and "
                "elsewhere, so no text is right: declare a password without characters to encode in an entry of "
                "`spec.overrides` with `match: {targets: [giantswarm.installationValues]}`, or set "
                "`spec.targets.giantswarm.installationValues: false`",
                place.path,
            )
        else:
            yield place


def _places_of_file(settings: ProxySettings, document: Any) -> Places:
    return _unless_lost(settings, [Place(giantswarm.PROXY, SHORT, "`proxy`")])


class InstallationValues(Target):
    """The proxy in values of charts that complete the list themselves.

    Example: the values of a chart "cluster-aws"::

        global: {metadata: {name: gs1}}

    become::

        global:
          metadata: {name: gs1}
          connectivity:
            proxy: {enabled: true, httpProxy: "http://proxy:3128", noProxy: "10.0.0.0/8"}
    """

    audience = Audience.PRODUCT
    reach = Reach.CLUSTER
    file = FileForm(audience, _places_of_file)

    def places(self, data: Data, context: Context) -> Places:
        """Yield the places in values of an installation, or of a cluster."""
        settings = context.settings
        name = name_of_chart(data)
        is_text = data.get("kind") != "HelmRelease"
        if is_of_chart(name, giantswarm.POLICIES_CHART):
            yield from places_of_values(data, _policies_places, [*_policies_places({}, ())])
        elif is_of_chart(name, "cluster-apps-operator"):
            yield from places_of_values(
                data, lambda values, root: _unless_lost(settings, present(values, root, _OPERATOR))
            )
        elif name in giantswarm.CLUSTER_CHARTS or (is_text and user_values_of(name)):
            places = [*places_of_values(data, partial(_cluster_places, name, settings))]
            yield from places
            if not places and not is_text and settings.sets_any:
                yield Result(
                    "ByHand",
                    "its values come from `valuesFrom`, so no proxy is added here: set `global.connectivity.proxy` "
                    "there, or an empty one in `spec.values`",
                    ("spec", "valuesFrom"),
                    is_info=True,
                )
