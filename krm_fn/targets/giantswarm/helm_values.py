"""Values of Helm charts in a HelmRelease, a ConfigMap or a Secret: of which chart they are, and where in the object.

Sources: ``HelmRelease`` of Flux; ``App`` of Giant Swarm, whose values are under the key ``values``; the files
``secret-values.yaml.patch`` of a Giant Swarm config repository.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from krm_fn.clusters import chart_of
from krm_fn.formats import embedded
from krm_fn.light_typing import Any
from krm_fn.patch import Pointer, lookup
from krm_fn.places.containers import EnvEntries
from krm_fn.places.mapping_forms import Members
from krm_fn.places.place import Place
from krm_fn.places.provided import name_of
from krm_fn.places.text_forms import YamlText, text_place
from krm_fn.products import proxy_keys
from krm_fn.targets.base import Data, Places

# A list of variables among values, in the order of cluster-apps-operator.
ENV = EnvEntries(("NO_PROXY", *proxy_keys.UPPER[:2]))

_KEY = re.compile(
    r"""(?:(?:secret|configmap)-)?  # "secret-" of a config repository of Giant Swarm
    values                          # "values" of an App
    (?:\.ya?ml                      # "values.yaml" of a HelmRelease
      (?:\.(?:patch|template))?     # "secret-values.yaml.patch", "configmap-values.yaml.template"
    )?""",
    re.VERBOSE,
)

# Yield the places in data whose values are at a path.
PlacesOf = Callable[[Any, Pointer], Places]
# The way to a place among values, and its form.
Row = tuple[Pointer, Members | EnvEntries]


def is_of_chart(name: str, chart: str) -> bool:
    """Return whether a name is that of the chart, or contains it between hyphens."""
    return f"-{chart}-" in f"-{name}-"


def name_of_chart(data: Data) -> str:
    """Return the name that tells the chart of some values: that of the chart of a HelmRelease, or of the object."""
    if data.get("kind") == "HelmRelease":
        return chart_of(data)
    return name_of(data)


def places_of_values(data: Data, places: PlacesOf, begun: Sequence[Place] = ()) -> Places:
    """Yield the places in the values of an object."""
    if data.get("kind") == "HelmRelease":
        yield from places(data, ("spec", "values"))
        return
    form = YamlText(lambda document: places(document, ()), begun)
    for value in embedded.values(data):
        if len(value.path) < 2 or _KEY.fullmatch(value.path[-1]):
            yield text_place(value, form, "the values")


def present(data: Any, root: Pointer, *rows: Row) -> Iterator[Place]:
    """Yield the places of rows that are there; a mapping stays when it becomes empty, and a list goes."""
    for way, form in rows:
        path = (*root, *way)
        label = f"`{'.'.join(way)}`" if way else "the values"
        kept_steps = len(path)
        if isinstance(form, EnvEntries):
            kept_steps -= 1
        place = Place(path, form, label, kept_steps)
        if is_present(data, place):
            yield place


def is_present(data: Any, place: Place) -> bool:
    """Return whether a place is there: one of the members, one of the variables, or a mapping `proxy`."""
    if isinstance(place.form, Members):
        there = lookup(data, place.path)
        if place.form.is_in(there):
            return True
        return there is not None and place.path[-1:] == ("proxy",)
    return any(True for _ in place.form.read(data, place))
