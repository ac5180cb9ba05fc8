"""Which charts a HelmRelease of Flux or an Application of Argo CD installs.

Source: ``HelmRelease`` (``spec.chart.spec``, ``spec.chartRef``) and its sources.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from krm_fn.clusters import Key, chart_of
from krm_fn.krm.resourcelist import Object, group_kind
from krm_fn.light_typing import NamedTuple
from krm_fn.patch import Data, Pointer, list_at, lookup, text_at
from krm_fn.places.reading import quoted
from krm_fn.products.releases import APPLICATION, CHART_SOURCES, FLUX_SOURCES, HELM_RELEASE
from krm_fn.products.systems import System

_CHART = ("spec", "chart", "spec")
_CHART_REF = ("spec", "chartRef")

ChartSources = Mapping[Key, str]
"""The objects of Flux that say where charts are -> their URLs."""
NO_SOURCES: ChartSources = MappingProxyType({})


class ChartUse(NamedTuple):
    """A chart that an object installs.

    Attributes:
        name: the last step of its name, its path or its URL.
        repository: where it is: the name of a source of Flux, or a URL.
        path: leads to what the object says of it.
        url: where it is; "" where that is not known.
    """

    name: str
    repository: str
    path: Pointer
    url: str = ""

    @property
    def is_of_bitnami(self) -> bool:
        """Whether it is of Bitnami, whose charts have names of others and values of their own."""
        return "bitnami" in self.url.lower()


def chart_sources(objects: Iterable[Object]) -> ChartSources:
    """Return the sources of charts among objects."""
    sources = {}
    for obj in objects:
        if obj.group_kind in CHART_SOURCES:
            key = Key(*obj.group_kind, obj.ref.namespace, obj.ref.name)
            sources[key] = text_at(obj.data, ("spec", "url"))
    return sources


def charts_of(obj: Data, sources: ChartSources = NO_SOURCES) -> Iterator[ChartUse]:
    """Yield the charts of a HelmRelease or an Application; ``sources`` are those that a HelmRelease may name."""
    kind = group_kind(obj)
    if kind == HELM_RELEASE and chart_of(obj):
        yield _of_release(obj, sources)
    elif kind == APPLICATION:
        paths: list[Pointer] = []
        for at, _ in enumerate(list_at(obj, ("spec", "sources"))):
            paths.append(("spec", "sources", str(at)))
        for path in paths or [("spec", "source")]:
            use = _of_application(obj, path)
            if use.name:
                yield use


def _of_release(obj: Data, sources: ChartSources) -> ChartUse:
    path = (*_CHART, "sourceRef")
    chart = text_at(obj, (*_CHART, "chart"))
    source = lookup(obj, path if chart else _CHART_REF)
    kind = text_at(source, ("kind",))
    name = text_at(source, ("name",))
    namespace = text_at(source, ("namespace",)) or text_at(obj, ("metadata", "namespace"))
    url = sources.get(Key(FLUX_SOURCES, kind, namespace, name), "")
    last = ""
    if not chart:
        last = _last_step(url)
    repository = text_at(obj, (*path, "name"))
    return ChartUse(last or chart_of(obj), repository, ("spec",), url)


def _of_application(obj: Data, path: Pointer) -> ChartUse:
    repository = text_at(obj, (*path, "repoURL")).strip()
    chart = text_at(obj, (*path, "chart")).strip()
    if not chart and repository.startswith("oci://"):
        chart = repository
    return ChartUse(_last_step(chart), repository, path, repository)


def _last_step(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


def charts_in(obj: Object, sources: ChartSources = NO_SOURCES) -> Iterator[tuple[System, Pointer]]:
    """Yield where the known charts of a HelmRelease or an Application keep a proxy, and the path of their values."""
    if obj.group_kind not in (HELM_RELEASE, APPLICATION):
        return
    from krm_fn.products.charts import CHARTS  # noqa: PLC0415 -- few objects install charts

    for use in charts_of(obj.data, sources):
        if use.name not in CHARTS or use.is_of_bitnami:
            continue
        chart = CHARTS[use.name]
        names: list[str] = []
        urls: list[Pointer] = []
        for other in chart.other_urls:
            steps = other.split(".")
            urls.append(tuple(steps))
        for value in chart.values:
            names += value.names
            for variable, path in value.texts.items():
                if variable != "NO_PROXY":
                    urls.append(path)
        system = System(f"the chart {use.name}", quoted(names), urls=tuple(urls))
        values = "values" if obj.group_kind == HELM_RELEASE else "helm"
        yield system, (*use.path, values)
