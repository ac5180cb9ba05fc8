"""Which charts a HelmRelease of Flux or an Application of Argo CD installs.

Source: ``HelmRelease`` (``spec.chart.spec``, ``spec.chartRef``) and its sources.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from krm_fn.clusters import Folders, Key, ObjectIndex, chart_of, key_of
from krm_fn.krm.resourcelist import Object, group_kind
from krm_fn.light_typing import NamedTuple
from krm_fn.patch import Data, Pointer, items_at, lookup, text_at
from krm_fn.products.release_kinds import APPLICATION, CHART_SOURCES, FLUX_SOURCES, HELM_RELEASE

_CHART = ("spec", "chart", "spec")


class ChartSource(NamedTuple):
    """An object of Flux that says where charts are: its URL, and the versions that it allows ("" for any)."""

    url: str
    version: str


class ChartSources(NamedTuple):
    """The objects of Flux that say where charts are, seen from a file: the nearest of one name counts."""

    listed: ObjectIndex[ChartSource] = ObjectIndex()
    file: str = ""

    def find(self, key: Key) -> list[ChartSource]:
        """Return a source, none for one that is not known, several where it may be one of several."""
        candidates = self.listed.candidates(key._replace(file=self.file))
        sources = [self.listed[candidate] for candidate in candidates]
        return list(dict.fromkeys(sources))


NO_SOURCES = ChartSources()


class ChartUse(NamedTuple):
    """A chart that an object installs.

    Attributes:
        name: the last step of its name, its path or its URL; several names where it may be one of several.
        repository: where it is: the name of a source of Flux, or a URL.
        path: leads to the source of it in the object.
        url: where it is, or may be; "" where that is not known.
        is_folder: it is in a folder, whose name may be that of another chart.
        version: the versions of it that the object allows, in the language of Helm; "" where it says none.
    """

    name: str
    repository: str
    path: Pointer
    url: str = ""
    is_folder: bool = False
    version: str = ""

    @property
    def is_of_bitnami(self) -> bool:
        """Whether it is of Bitnami, whose charts have names of others and values of their own."""
        return "bitnami" in self.url.lower()


def chart_sources(objects: Iterable[Object], folders: Folders) -> ChartSources:
    """Return the sources of charts among objects; ``folders`` tell apart those of different clusters."""
    listed: ObjectIndex[ChartSource] = ObjectIndex(folders=folders)
    for obj in objects:
        if obj.group_kind in CHART_SOURCES:
            # Of an OCIRepository; a range wins over a tag.
            ref = lookup(obj.data, ("spec", "ref"))
            version = text_at(ref, "semver") or text_at(ref, "tag")
            url = text_at(obj.data, ("spec", "url"))
            listed.add(key_of(obj), ChartSource(url, version))
    return ChartSources(listed)


def charts_of(
    data: Data, sources: ChartSources = NO_SOURCES, *, takes_any_folder: bool = False
) -> Iterator[ChartUse]:
    """Yield the charts of a HelmRelease or an Application.

    Args:
        data: the object.
        sources: those that a HelmRelease may name.
        takes_any_folder: whether the folder of an Application holds a chart though nothing but its author says so.
    """
    kind = group_kind(data)
    if kind == HELM_RELEASE and chart_of(data):
        yield _release_chart(data, sources)
    elif kind == APPLICATION:
        paths = [path for path, _ in items_at(data, ("spec", "sources"))]
        for path in paths or [("spec", "source")]:
            use = _application_chart(data, path)
            if not use.name:
                continue
            may_hold_others = use.is_folder and not takes_any_folder
            if may_hold_others and not _holds_chart(data, path):
                continue
            yield use


def _release_chart(data: Data, sources: ChartSources) -> ChartUse:
    path = (*_CHART, "sourceRef")
    chart = text_at(data, (*_CHART, "chart"))
    # ``chartRef`` names an OCIRepository, whose URL ends with the name of the chart, or a HelmChart.
    source = lookup(data, path if chart else ("spec", "chartRef"))
    kind = text_at(source, "kind")
    name = text_at(source, "name")
    namespace = text_at(source, "namespace")
    if not namespace:
        namespace = text_at(data, ("metadata", "namespace"))
    listed = sources.find(Key(FLUX_SOURCES, kind, namespace, name))
    names = ""
    version = text_at(data, (*_CHART, "version"))
    if not chart:
        steps = [_last_step(source.url) for source in listed]
        names = " or ".join(dict.fromkeys(steps))
        version = " || ".join(source.version for source in listed)
    repository = text_at(data, (*path, "name"))
    # In a GitRepository, or a Bucket, the chart is a path, whose last step its author chose.
    is_folder = "/" in chart and kind != "HelmRepository"
    if is_folder:  # the version is that of the Git repository, or none
        version = ""
    urls = " ".join(source.url for source in listed)
    if not names:
        names = chart_of(data)
    return ChartUse(names, repository, ("spec",), urls, is_folder, version)


def _application_chart(data: Data, path: Pointer) -> ChartUse:
    repository = text_at(data, (*path, "repoURL")).strip()
    chart = text_at(data, (*path, "chart")).strip()
    # Argo CD takes a chart from an OCI registry also without ``chart``, by the URL alone.
    if not chart and repository.startswith("oci://"):
        chart = repository
    folder = text_at(data, (*path, "path")).strip()
    name = _last_step(folder)
    if name and not chart:
        return ChartUse(name, repository, path, repository, is_folder=True)
    version = text_at(data, (*path, "targetRevision"))
    return ChartUse(_last_step(chart), repository, path, repository, version=version)


def _holds_chart(data: Data, path: Pointer) -> bool:
    """Return whether a folder holds no plain manifests: values of Helm, or the usual folder of charts, tell."""
    if lookup(data, (*path, "helm")):
        return True
    folder = text_at(data, (*path, "path")).strip("/ ")
    *above, _ = folder.split("/")
    return "charts" in above


def _last_step(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


def is_known(use: ChartUse) -> bool:
    """Return whether the table says under which values a chart takes a proxy."""
    from krm_fn.products.charts import CHARTS  # noqa: PLC0415 -- few objects install charts

    if use.is_of_bitnami or use.is_folder:
        return False
    return use.name in CHARTS


def charts_in(
    obj: Object, sources: ChartSources = NO_SOURCES
) -> Iterator[tuple[list[Pointer], Pointer]]:
    """Yield where the known charts of a HelmRelease or an Application keep URLs, and the path of their values."""
    if obj.group_kind not in (HELM_RELEASE, APPLICATION):
        return
    from krm_fn.products.charts import CHARTS  # noqa: PLC0415 -- few objects install charts

    for use in charts_of(obj.data, sources):
        if not is_known(use):
            continue
        chart = CHARTS[use.name]
        urls = []
        for other in chart.other_urls:
            steps = other.split(".")
            urls.append(tuple(steps))
        for value in chart.values:
            for variable, path in value.texts.items():
                if variable != "NO_PROXY":
                    urls.append(path)
        values = "values" if obj.group_kind == HELM_RELEASE else "helm"
        yield urls, (*use.path, values)
