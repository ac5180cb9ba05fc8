"""Which charts a HelmRelease of Flux or an Application of Argo CD installs, and for which Cluster.

Sources: ``HelmRelease`` (``spec.chart.spec``, ``spec.chartRef``, ``spec.kubeConfig.secretRef``) and its sources; ``App``
of Giant Swarm (``spec.kubeConfig.secret``); Cluster API calls a kubeconfig ``<cluster>-kubeconfig``.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from krm_fn.clusters.model import Key
from krm_fn.krm.resourcelist import Object, group_kind
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Pointer, list_at, lookup, text_at
from krm_fn.products import giantswarm

HELM_RELEASE = ("helm.toolkit.fluxcd.io", "HelmRelease")
APPLICATION = ("argoproj.io", "Application")
_SOURCES = "source.toolkit.fluxcd.io"
CHART_SOURCES = (
    (_SOURCES, "HelmChart"),
    (_SOURCES, "HelmRepository"),
    (_SOURCES, "OCIRepository"),
)
"""The kinds of objects that say which chart a HelmRelease installs, and where it is."""
_CHART, _CHART_REF = ("spec", "chart", "spec"), ("spec", "chartRef")
_KUBECONFIGS = {
    giantswarm.APP: ("spec", "kubeConfig", "secret"),
    HELM_RELEASE: ("spec", "kubeConfig", "secretRef"),
}
_KUBECONFIG = "-kubeconfig"
_OPERATOR_VERSION = ("metadata", "labels", giantswarm.OPERATOR_VERSION_LABEL)


class ChartSource(NamedTuple):
    """What an object of ``CHART_SOURCES`` says: the chart, the URL where it is, and its version."""

    chart: str = ""
    url: str = ""
    version: str = ""


ChartSources = Mapping[Key, ChartSource]
NO_SOURCES: ChartSources = MappingProxyType({})


class ChartUse(NamedTuple):
    """A chart that an object installs.

    Attributes:
        name: the last step of its name, its path or its URL.
        repository: where it is: the name of a source of Flux, or a URL.
        path: leads to what the object says of it.
        url: where it is; "" where that is not known.
        version: the one that is asked for; "" for none.
    """

    name: str
    repository: str
    path: Pointer
    url: str = ""
    version: str = ""

    @property
    def is_of_bitnami(self) -> bool:
        """Whether it is of Bitnami, whose charts have names of others and values of their own."""
        return "bitnami" in self.url.lower()


def chart_of(release: Mapping[str, Any]) -> str:
    """Return the name of the chart of a HelmRelease; "" where it names none."""
    return _last_step(
        text_at(release, (*_CHART, "chart")) or text_at(release, (*_CHART_REF, "name"))
    )


def chart_sources(objects: Iterable[Object]) -> dict[Key, ChartSource]:
    """Return the sources of charts among objects."""
    sources: dict[Key, ChartSource] = {}
    # A HelmChart comes last: it names another source.
    for obj in sorted(objects, key=lambda obj: obj.ref.kind == "HelmChart"):
        key = Key(_SOURCES, obj.ref.kind, obj.ref.namespace, obj.ref.name)
        url = text_at(obj.data, ("spec", "url"))
        if obj.ref.kind == "HelmChart":
            source = sources.get(_source_key(obj.data, ("spec", "sourceRef")), ChartSource())
            chart = _last_step(text_at(obj.data, ("spec", "chart")))
            sources[key] = ChartSource(chart, source.url, text_at(obj.data, ("spec", "version")))
        elif obj.group_kind in CHART_SOURCES:
            ref = ("spec", "ref")
            version = text_at(obj.data, (*ref, "semver")) or text_at(obj.data, (*ref, "tag"))
            sources[key] = ChartSource(_last_step(url), url, version)
    return sources


def charts_of(obj: Mapping[str, Any], sources: ChartSources = NO_SOURCES) -> Iterator[ChartUse]:
    """Yield the charts of a HelmRelease or an Application; ``sources`` are those that a HelmRelease may name."""
    kind = group_kind(obj)
    if kind == HELM_RELEASE and chart_of(obj):
        yield _of_release(obj, sources)
    elif kind == APPLICATION:
        count = len(list_at(obj, ("spec", "sources")))
        paths: list[Pointer] = [("spec", "sources", str(at)) for at in range(count)]
        for path in paths or [("spec", "source")]:
            use = _of_application(obj, path)
            if use.name:
                yield use


def kubeconfig_of(obj: Object) -> tuple[str, str]:
    """Return the Cluster, and its namespace, whose kubeconfig an App or a HelmRelease uses; "" for none."""
    secret = lookup(obj.data, _KUBECONFIGS.get(obj.group_kind, ("",)))
    name = text_at(secret, ("name",)).strip()
    if not name.endswith(_KUBECONFIG) or is_of_management_cluster(obj):
        return "", ""
    return name.removesuffix(_KUBECONFIG), text_at(secret, ("namespace",)).strip()


def is_release_of_cluster(obj: Object) -> bool:
    """Return whether a HelmRelease installs a chart that makes a whole cluster of Giant Swarm."""
    return obj.group_kind == HELM_RELEASE and chart_of(obj.data) in giantswarm.CLUSTER_CHARTS


def is_of_management_cluster(obj: Object) -> bool:
    """Return whether an App is one of the management cluster."""
    if obj.group_kind != giantswarm.APP:
        return False
    is_inside = lookup(obj.data, ("spec", "kubeConfig", "inCluster")) is True
    version = lookup(obj.data, _OPERATOR_VERSION)
    return is_inside or version == giantswarm.MANAGEMENT_CLUSTER_VERSION


def _of_release(obj: Mapping[str, Any], sources: ChartSources) -> ChartUse:
    repository = text_at(obj, (*_CHART, "sourceRef", "name"))
    if text_at(obj, (*_CHART, "chart")):
        source = sources.get(_source_key(obj, (*_CHART, "sourceRef")), ChartSource())
        version = text_at(obj, (*_CHART, "version"))
        return ChartUse(chart_of(obj), repository, ("spec",), source.url, version)
    source = sources.get(_source_key(obj, _CHART_REF), ChartSource())
    chart = source.chart or chart_of(obj)
    return ChartUse(chart, repository, ("spec",), source.url, source.version)


def _of_application(obj: Mapping[str, Any], path: Pointer) -> ChartUse:
    repository = text_at(obj, (*path, "repoURL")).strip()
    chart = text_at(obj, (*path, "chart")).strip()
    if not chart and repository.startswith("oci://"):
        chart = repository
    version = text_at(obj, (*path, "targetRevision")).strip()
    return ChartUse(_last_step(chart), repository, path, repository, version)


def _source_key(obj: Mapping[str, Any], path: Pointer) -> Key:
    """Return the key of the source that an object names at a path; its namespace is by default that of the object."""
    namespace = text_at(obj, (*path, "namespace")) or text_at(obj, ("metadata", "namespace"))
    return Key(_SOURCES, text_at(obj, (*path, "kind")), namespace, text_at(obj, (*path, "name")))


def _last_step(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]
