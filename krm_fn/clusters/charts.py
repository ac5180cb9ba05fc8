"""What the objects that bring charts say of their Cluster: App, HelmRelease, and what holds values of users.

One object at a time; of others only the sources of charts count, which are given. A kubeconfig and the values of a
cluster's own chart name a Cluster; the names that people give such objects only may be those of one.

Sources: ``App`` of Giant Swarm (``giantswarm/apiextensions-application``: ``spec.kubeConfig.secret``; ``kubectl gs
template`` calls what users set ``<name>-userconfig``, the documentation ``<name>-user-values``); ``HelmRelease`` of
Flux (``spec.kubeConfig.secretRef``, ``spec.releaseName``, ``spec.chartRef``), and ``spec.url`` of its sources; Cluster
API calls a kubeconfig ``<cluster>-kubeconfig``; the ``cluster-*`` charts name the Cluster by ``global.metadata.name``,
or by their release.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from krm_fn.clusters.reading import text
from krm_fn.krm.resourcelist import Object, group_kind
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Pointer, lookup, text_at
from krm_fn.products import giantswarm

HELM_RELEASE = ("helm.toolkit.fluxcd.io", "HelmRelease")
APPLICATION = ("argoproj.io", "Application")
_HELM_CHART = ("source.toolkit.fluxcd.io", "HelmChart")
CHART_SOURCES = (
    _HELM_CHART,
    ("source.toolkit.fluxcd.io", "HelmRepository"),
    ("source.toolkit.fluxcd.io", "OCIRepository"),
)
"""The kinds of objects that say which chart a HelmRelease installs, and where it is."""
_KUBECONFIGS: dict[tuple[str, str], Pointer] = {
    giantswarm.APP: ("spec", "kubeConfig", "secret"),
    HELM_RELEASE: ("spec", "kubeConfig", "secretRef"),
}
_KUBECONFIG = "-kubeconfig"
_NAME_IN_VALUES = ("spec", "values", "global", "metadata", "name")
_OPERATOR_VERSION = ("metadata", "labels", giantswarm.OPERATOR_VERSION_LABEL)
_RELEASE_NAME = ("spec", "releaseName")


class Aim(NamedTuple):
    """The Cluster that a field names: ``how`` is that field; an empty ``namespace`` is that of the object."""

    how: str = ""
    name: str = ""
    namespace: str = ""


def user_values_of(name: str) -> str:
    """Return whose user values an object of that name holds, by convention; "" for none."""
    return next(
        (name.removesuffix(end) for end in giantswarm.USER_VALUES_SUFFIXES if name.endswith(end)),
        "",
    )


def chart_of(release: Mapping[str, Any]) -> str:
    """Return the chart of a HelmRelease: the last step of its path or URL.

    "" where it names none.
    """
    for path in (("chart", "spec", "chart"), ("chartRef", "name")):
        name = text_at(release, ("spec", *path))
        if name:
            return _last_step(name)
    return ""


class ChartSource(NamedTuple):
    """What an OCIRepository, a HelmChart or a HelmRepository says: the chart, the URL where it is, and its version."""

    chart: str
    url: str
    version: str


SourceKey = tuple[str, str, str]
"""Kind, namespace and name of a source of Flux."""
ChartSources = Mapping[SourceKey, ChartSource]
"""Those of a list."""
NO_SOURCES: ChartSources = MappingProxyType({})


class ChartUse(NamedTuple):
    """A chart that an object installs.

    Attributes:
        name: the last step of its name, its path or its URL.
        repository: where it is: the name of a source of Flux, or a URL.
        path: leads to what the object says of it.
        url: where it is; "" where that is not known.
        version: the one that is asked for, as it is written; "" for none.
    """

    name: str
    repository: str
    path: Pointer
    url: str = ""
    version: str = ""

    @property
    def is_of_bitnami(self) -> bool:
        """Whether it is known to be of Bitnami, whose charts have names of others and values of their own."""
        return "bitnami" in self.url.lower()


def chart_sources(objects: Iterable[Object]) -> dict[SourceKey, ChartSource]:
    """Return the sources of charts among objects."""
    found: dict[SourceKey, ChartSource] = {}
    charts: list[Object] = []
    for obj in objects:
        if obj.group_kind == _HELM_CHART:
            charts.append(obj)
        elif obj.group_kind in CHART_SOURCES:
            url = text_at(obj.data, ("spec", "url"))
            key = (obj.ref.kind, obj.ref.namespace, obj.ref.name)
            # `semver` wins over `tag`.
            semver = text_at(obj.data, ("spec", "ref", "semver"))
            version = semver or text_at(obj.data, ("spec", "ref", "tag"))
            found[key] = ChartSource(_last_step(url), url, version)
    for obj in charts:
        chart = _last_step(text_at(obj.data, ("spec", "chart")))
        source = found.get(_source_key(obj.data, ("spec", "sourceRef")))
        key = (obj.ref.kind, obj.ref.namespace, obj.ref.name)
        version = text_at(obj.data, ("spec", "version"))
        found[key] = ChartSource(chart, source.url if source else "", version)
    return found


def charts_of(obj: Mapping[str, Any], sources: ChartSources = NO_SOURCES) -> Iterator[ChartUse]:
    """Yield the chart of a HelmRelease, or those of an Application; nothing for objects of other kinds.

    Args:
        obj: any object.
        sources: what is known of the sources that a HelmRelease names.
    """
    kind = group_kind(obj)
    if kind == HELM_RELEASE and chart_of(obj):
        yield _of_release(obj, sources)
    if kind != APPLICATION:
        return
    sources = lookup(obj, ("spec", "sources"))
    paths: list[Pointer] = [("spec", "source")]
    if isinstance(sources, list) and sources:  # then `source` does not count
        paths = [("spec", "sources", str(at)) for at in range(len(sources))]
    for path in paths:
        repository = text(lookup(obj, (*path, "repoURL")))
        chart = text(lookup(obj, (*path, "chart")))
        if not chart and repository.startswith("oci://"):
            chart = repository
        name = _last_step(chart)
        if name:
            version = text(lookup(obj, (*path, "targetRevision")))
            yield ChartUse(name, repository, path, repository, version)


def _of_release(obj: Mapping[str, Any], sources: ChartSources) -> ChartUse:
    """Return the chart of a HelmRelease, which the source of a ``chartRef`` knows."""
    repository = text_at(obj, ("spec", "chart", "spec", "sourceRef", "name"))
    if text_at(obj, ("spec", "chart", "spec", "chart")):
        source = sources.get(_source_key(obj, ("spec", "chart", "spec", "sourceRef")))
        url = source.url if source else ""
        version = text_at(obj, ("spec", "chart", "spec", "version"))
        return ChartUse(chart_of(obj), repository, ("spec",), url, version)
    source = sources.get(_source_key(obj, ("spec", "chartRef")), ChartSource("", "", ""))
    chart = source.chart or chart_of(obj)
    return ChartUse(chart, repository, ("spec",), source.url, source.version)


def _source_key(obj: Mapping[str, Any], path: Pointer) -> SourceKey:
    """Return which source an object names at a path; without a namespace it is in that of the object."""
    namespace = text_at(obj, (*path, "namespace")) or text_at(obj, ("metadata", "namespace"))
    return text_at(obj, (*path, "kind")), namespace, text_at(obj, (*path, "name"))


def _last_step(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


def aim(obj: Object) -> Aim:
    """Return the Cluster that a field of an App or a HelmRelease names as its destination."""
    if obj.group_kind not in _KUBECONFIGS:
        return Aim()
    secret = lookup(obj.data, _KUBECONFIGS[obj.group_kind])
    name = text(lookup(secret, ("name",)))
    if name.endswith(_KUBECONFIG) and not _is_inside(obj):
        return Aim(
            "its `spec.kubeConfig`",
            name.removesuffix(_KUBECONFIG),
            text(lookup(secret, ("namespace",))),
        )
    if obj.group_kind == HELM_RELEASE and chart_of(obj.data) in giantswarm.CLUSTER_CHARTS:
        return Aim("`global.metadata.name` of its values", text(lookup(obj.data, _NAME_IN_VALUES)))
    return Aim()


def may_be(obj: Object) -> tuple[str, ...]:
    """Return the names of Clusters after which the object may be named, the most likely one first."""
    kind = obj.group_kind
    if kind in (("", "Secret"), ("", "ConfigMap")):
        names = [user_values_of(obj.ref.name)]
    elif kind == HELM_RELEASE and chart_of(obj.data) in giantswarm.CLUSTER_CHARTS:
        names = [text(lookup(obj.data, _RELEASE_NAME)), obj.ref.name]
    elif (
        kind == giantswarm.APP
        and text(lookup(obj.data, ("spec", "name"))) in giantswarm.CLUSTER_CHARTS
    ):
        names = [obj.ref.name]
    elif kind == giantswarm.APP and not _is_inside(obj):
        names = [obj.ref.namespace]
    else:
        names = []
    return tuple(filter(None, names))


def _is_inside(obj: Object) -> bool:
    """Return whether an App is one of the management cluster."""
    if obj.group_kind != giantswarm.APP:
        return False
    is_inside = lookup(obj.data, ("spec", "kubeConfig", "inCluster")) is True
    version = lookup(obj.data, _OPERATOR_VERSION)
    return is_inside or version == giantswarm.MANAGEMENT_CLUSTER_VERSION
