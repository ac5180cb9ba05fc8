"""Which charts of an object get the proxy: what its annotation and the matchers of the target ``charts`` say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

from krm_fn.carriers import chosen_containers
from krm_fn.clusters import NO_SOURCES, ChartSources, ChartUse, charts_of
from krm_fn.config import Matcher
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Pointer, lookup

_AT: Pointer = ("spec",)
"""As of a pod specification, so that the annotations of the object itself count."""


class Chosen(NamedTuple):
    """A chart that gets the proxy: in the values of these names, or in all that are known, without names."""

    use: ChartUse
    names: tuple[str, ...] = ()


def is_refused(obj: Mapping[str, Any]) -> bool:
    """Return whether an annotation of an object says that it gets no proxy."""
    return chosen_containers.is_refused(obj, _AT)


def chosen_charts(
    obj: Mapping[str, Any], options: Mapping[str, Any], sources: ChartSources = NO_SOURCES
) -> Iterator[Chosen]:
    """Yield the charts of an object that get the proxy.

    Args:
        obj: any object; only HelmReleases and Applications install charts.
        options: those of the target ``charts``.
        sources: those of the charts of the list.
    """
    if is_refused(obj):
        return
    wish = chosen_containers.wish(obj, _AT)
    for use in charts_of(obj, sources):
        matchers = options.get("charts", ())
        if wish.is_wanted or wish.names or any(_fits(one, obj, use) for one in matchers):
            yield Chosen(use, wish.names)


def is_chosen(
    obj: Mapping[str, Any], options: Mapping[str, Any], sources: ChartSources = NO_SOURCES
) -> bool:
    """Return whether a chart of an object gets the proxy; arguments as ``chosen_charts``."""
    return any(True for _ in chosen_charts(obj, options, sources))


def _fits(matcher: Mapping[str, Any], obj: Mapping[str, Any], use: ChartUse) -> bool:
    pairs = (("charts", use.name), ("repositories", use.repository))
    for key, value in pairs:
        globs = matcher.get(key, ())
        if globs and not any(fnmatchcase(value, glob) for glob in globs):
            return False
    labels = lookup(obj, ("metadata", "labels"))
    return Matcher.of(matcher).fits(
        kind=str(obj.get("kind")),
        name=str(lookup(obj, ("metadata", "name"), "")),
        namespace=str(lookup(obj, ("metadata", "namespace"), "")),
        labels=labels if isinstance(labels, Mapping) else {},
        annotations={},
    )
