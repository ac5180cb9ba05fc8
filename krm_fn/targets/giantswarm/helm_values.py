"""Values of Helm charts in a HelmRelease, a ConfigMap or a Secret: of which chart they are, and where in the object.

Sources: ``HelmRelease`` of Flux; ``App`` of Giant Swarm, whose values are under the key ``values``; the files
``secret-values.yaml.patch`` of a Giant Swarm config repository.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from krm_fn.clusters import chart_of
from krm_fn.formats import embedded
from krm_fn.krm.results import Result
from krm_fn.light_typing import Any
from krm_fn.patch import Pointer, lookup, text_at
from krm_fn.places.env_entries import UPPER_CASE, EnvEntries
from krm_fn.places.members import Members
from krm_fn.places.place import Place
from krm_fn.places.texts import YamlText, text_place
from krm_fn.targets.base import Data

KINDS = frozenset({("helm.toolkit.fluxcd.io", "HelmRelease"), ("", "Secret"), ("", "ConfigMap")})

ENV = EnvEntries((("NO_PROXY",), *UPPER_CASE[:2]))
"""A list of variables among values, in the order of cluster-apps-operator."""

_KEY = re.compile(r"(?:(?:secret|configmap)-)?values(?:\.ya?ml(?:\.(?:patch|template))?)?")

PlacesOf = Callable[[Any, Pointer], Iterable[Place]]
"""Yield the places in data whose values are at a path."""


def is_of_chart(name: str, chart: str) -> bool:
    """Return whether a name is that of the chart, or contains it between hyphens."""
    return f"-{chart}-" in f"-{name}-"


def name_of_chart(data: Data) -> str:
    """Return what says of which chart the values of an object are: the chart of a HelmRelease, or its own name."""
    return (
        chart_of(data) if data.get("kind") == "HelmRelease" else text_at(data, ("metadata", "name"))
    )


def places_of_values(
    data: Data, places: PlacesOf, begun: Sequence[Place] = ()
) -> Iterator[Place | Result]:
    """Yield the places in the values of an object."""
    if data.get("kind") == "HelmRelease":
        yield from places(data, ("spec", "values"))
        return

    def in_text(document: Any) -> Iterable[Place]:
        return places(document, ())

    for value in embedded.values(data):
        if len(value.path) < 2 or _KEY.fullmatch(value.path[-1]):
            yield text_place(value, YamlText(in_text, begun), "the values")


def present(data: Any, root: Pointer, path: Pointer, form: Members, keep: int) -> Iterator[Place]:
    """Yield the place of some members, if a mapping for them, or one of them, is there."""
    there = lookup(data, (*root, *path))
    has_own_mapping = there is not None and path in (("proxy",), ("cluster", "proxy"))
    if has_own_mapping or form.is_in(there):
        label = f"`{'.'.join(path)}`" if path else "the values"
        yield Place((*root, *path), form, label, keep)


def present_env(data: Any, root: Pointer, path: Pointer) -> Iterator[Place]:
    """Yield the place of a list of variables, if one of them is there."""
    place = Place((*root, *path), ENV, f"`{path[-1]}`", len(root) + len(path) - 1)
    if any(True for _ in ENV.read(data, place)):
        yield place
