"""What gets the proxy by choice: what annotations say of containers and charts, and the matchers in the options of a target.

Sources of the names that are not ours: ``kyverno-policies-connectivity`` of Giant Swarm, AKS ("HTTP
proxy support"), and OpenShift's cluster-version-operator (``lib/resourcebuilder/podspec.go``).
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

from krm_fn.config import Matcher
from krm_fn.krm.results import Result
from krm_fn.krm.type_errors import type_name
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Pointer, lookup, text_at
from krm_fn.places.charts import NO_SOURCES, ChartSources, ChartUse, charts_of

ANNOTATION = "fn.inject-proxy.io/proxy"
"""``"true"``, ``"false"``, or the names of containers or values, separated by commas."""

LISTS = (ANNOTATION, "config.openshift.io/inject-proxy")
REFUSALS = {
    ANNOTATION: "false",
    "policies.kyverno.io/inject-proxy-env": "exclude",
    "kubernetes.azure.com/no-http-proxy-vars": "true",
}


class Request(NamedTuple):
    """What the author of an object says: nothing, all that the options name, or some by name."""

    is_wanted: bool = False
    names: tuple[str, ...] = ()


def is_refused(obj: Mapping[str, Any], at: Pointer) -> bool:
    """Return whether an annotation of an object, or of the pod template with the specification ``at``, refuses."""
    return any(value == REFUSALS.get(path[-1]) for path, value in _annotations(obj, at))


def request_of(obj: Mapping[str, Any], at: Pointer) -> Request:
    """Return what the annotations ask for; arguments as ``is_refused``."""
    is_wanted = False
    names: list[str] = []
    for path, value in _annotations(obj, at):
        if path[-1] in LISTS and value == "true":
            is_wanted = True
        elif path[-1] in LISTS and isinstance(value, str):
            names += [name.strip() for name in value.split(",") if name.strip()]
    return Request(is_wanted, tuple(dict.fromkeys(names)))


def wrong_annotations(obj: Mapping[str, Any], at: Pointer) -> Iterator[Result]:
    """Yield the findings about annotations that have no effect, because their values are no strings."""
    for path, value in _annotations(obj, at):
        if not isinstance(value, str):
            message = (
                f"the annotation `{path[-1]}` has no effect, because its value must be a string, not "
                f"{type_name(value)}: put it in quotes"
            )
            yield Result.of("SettingUnused", message, path)


def _annotations(obj: Mapping[str, Any], at: Pointer) -> Iterator[tuple[Pointer, Any]]:
    """Yield the annotations about the proxy that say something."""
    for above in dict.fromkeys((("metadata",), (*at[:-1], "metadata"))):
        for name in dict.fromkeys((*LISTS, *REFUSALS)):
            path = (*above, "annotations", name)
            value = lookup(obj, path)
            if value is not None:
                yield path, value


def fits_object(written: Mapping[str, Any], data: Mapping[str, Any], at: Pointer = ()) -> bool:
    """Return whether an object fits a matcher; labels of the pod template with the specification ``at`` are its own."""
    labels = {
        **_mapping(data, (*at[:-1], "metadata", "labels")),
        **_mapping(data, ("metadata", "labels")),
    }
    return Matcher.of(written).fits(
        kind=str(data.get("kind")),
        name=text_at(data, ("metadata", "name")),
        namespace=text_at(data, ("metadata", "namespace")),
        labels=labels,
        annotations=_mapping(data, ("metadata", "annotations")),
    )


def _mapping(data: Mapping[str, Any], path: Pointer) -> Mapping[str, Any]:
    value = lookup(data, path)
    return value if isinstance(value, dict) else {}


_OF_CHARTS = ("spec",)
"""As of a pod specification, so that the annotations of the object itself count."""


class Chosen(NamedTuple):
    """A chart that gets the proxy: in the values of these names, or in all that are known, without names."""

    use: ChartUse
    names: tuple[str, ...] = ()


def chosen_charts(
    obj: Mapping[str, Any], options: Mapping[str, Any], sources: ChartSources = NO_SOURCES
) -> Iterator[Chosen]:
    """Yield the charts of an object that get the proxy, given the options of the target ``charts``."""
    if is_refused(obj, _OF_CHARTS):
        return
    request = request_of(obj, _OF_CHARTS)
    for use in charts_of(obj, sources):
        is_matched = any(_fits(matcher, obj, use) for matcher in options.get("charts", ()))
        if request.is_wanted or request.names or is_matched:
            yield Chosen(use, request.names)


def is_chosen(
    obj: Mapping[str, Any], options: Mapping[str, Any], sources: ChartSources = NO_SOURCES
) -> bool:
    """Return whether a chart of an object gets the proxy; arguments as ``chosen_charts``."""
    return any(True for _ in chosen_charts(obj, options, sources))


def _fits(matcher: Mapping[str, Any], obj: Mapping[str, Any], use: ChartUse) -> bool:
    for value, globs in (
        (use.name, matcher.get("charts", ("*",))),
        (use.repository, matcher.get("repositories", ("*",))),
    ):
        if not any(fnmatchcase(value, glob) for glob in globs):
            return False
    return fits_object(matcher, obj)
