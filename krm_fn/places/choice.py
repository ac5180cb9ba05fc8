"""The choice of containers and charts that get the proxy: by annotations, and by the matchers of a target.

Sources of the names that are not ours: ``kyverno-policies-connectivity`` of Giant Swarm, AKS ("HTTP
proxy support"), and OpenShift's cluster-version-operator (``lib/resourcebuilder/podspec.go``).
"""

from __future__ import annotations

from collections.abc import Iterator

from krm_fn.config import matches
from krm_fn.krm.resourcelist import Object, reference
from krm_fn.light_typing import NamedTuple, Texts
from krm_fn.patch import Data, Pointer, lookup
from krm_fn.places.containers import pod_spec
from krm_fn.places.installed_charts import NO_SOURCES, ChartSources, ChartUse, charts_of

# ``"true"``, ``"false"``, or the names of containers or values, separated by commas.
ANNOTATION = "fn.inject-proxy.io/proxy"

LISTS = (ANNOTATION, "config.openshift.io/inject-proxy")
REFUSALS = {
    ANNOTATION: "false",
    "policies.kyverno.io/inject-proxy-env": "exclude",
    "kubernetes.azure.com/no-http-proxy-vars": "true",
}


class Request(NamedTuple):
    """The choice that the author of an object made: all that the options name, or the parts of these names alone."""

    is_wanted: bool = False
    names: Texts = ()


def is_refused(data: Data, at: Pointer | None = None) -> bool:
    """Return whether an annotation of an object, or of its pod template, refuses.

    ``at`` is the path of the pod specification in an object whose kind does not say it.
    """
    for name, value in _annotations(data, at or pod_spec(data) or ("spec",)):
        refusal = REFUSALS.get(name)
        if value == refusal:
            return True
    return False


def read_request(data: Data, at: Pointer = ("spec",)) -> Request:
    """Return the choice that annotations of an object, or of its pod template, state."""
    is_wanted = False
    names: dict[str, None] = {}
    for name, value in _annotations(data, at):
        if name not in LISTS:
            continue
        if value == "true":
            is_wanted = True
            continue
        for part in value.split(","):
            names[part.strip()] = None
    # "a,,b", and an annotation without text, name nothing.
    names.pop("", None)
    return Request(is_wanted or bool(names), tuple(names))


def _annotations(data: Data, at: Pointer) -> Iterator[tuple[str, str]]:
    """Yield name and value of the annotations about the proxy; Kubernetes refuses ``true`` without quotes."""
    # The object and its pod template both have annotations; those of a Pod are one.
    for above in dict.fromkeys(((), at[:-1])):
        annotations = lookup(data, (*above, "metadata", "annotations"))
        for name in (*LISTS, *REFUSALS):
            value = lookup(annotations, name)
            if isinstance(value, bool):
                value = str(value).lower()
            if isinstance(value, str):
                yield name, value


def fits_object(written: Data, data: Data, at: Pointer = ()) -> bool:
    """Return whether an object fits a matcher; labels of the pod template with the specification ``at`` are its own."""
    return matches(written, _subject(data, at))


def _subject(data: Data, at: Pointer = ()) -> Data:
    subject = Object((), dict(data), reference(data)).subject
    labels = lookup(data, (*at[:-1], "metadata", "labels"))
    if isinstance(labels, dict):
        subject["labels"] = {**labels, **subject["labels"]}
    return subject


class Chosen(NamedTuple):
    """A chart that gets the proxy: in the values of these names, or in all that are known, without names."""

    use: ChartUse
    names: Texts = ()


def chosen_charts(
    data: Data, options: Data, sources: ChartSources = NO_SOURCES
) -> Iterator[Chosen]:
    """Yield the charts of an object that get the proxy, given the options of the target ``charts``."""
    if is_refused(data):
        return
    request = read_request(data)
    matchers = options.get("choose", ())
    for use in charts_of(data, sources, takes_any_folder=request.is_wanted):
        is_chosen = request.is_wanted
        for matcher in matchers:
            is_chosen = is_chosen or fits_chart(matcher, data, use)
        if is_chosen:
            yield Chosen(use, request.names)


def fits_chart(matcher: Data, data: Data, use: ChartUse) -> bool:
    """Return whether a chart of an object fits a matcher."""
    subject = {**_subject(data), "charts": use.name, "repositories": use.repository}
    return matches(matcher, subject)
