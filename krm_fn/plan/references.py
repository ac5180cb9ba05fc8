"""The ConfigMaps and Secrets of a list from which others read a proxy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from krm_fn.clusters import Folders, ObjectIndex, key_of
from krm_fn.config import ProxyConfig
from krm_fn.krm.resourcelist import Object
from krm_fn.light_typing import Fields
from krm_fn.places.installed_charts import ChartSources, chart_sources
from krm_fn.places.provided import DataReference, DataUse, DataUses, find_uses, unite, values_in
from krm_fn.plan.items import ItemReader, add_whole, is_selected, items_of_kinds, kinds_and_hints
from krm_fn.products.release_kinds import CHART_SOURCES
from krm_fn.target_table import ROWS, VALUES, VARIABLES, TargetRow
from krm_fn.targets import load_target


def data_uses(
    reader: ItemReader, config: ProxyConfig, folders: Folders, items: Iterable[int]
) -> DataUses:
    """Return the objects to which others of the list refer.

    Empty if no enabled target fills ConfigMaps and Secrets, or values of charts in them. If something is referred to,
    the objects of ``items`` are added to ``folders``, which tell the clusters apart.
    """
    rows = {name: row for name, row in ROWS.items() if config.targets.is_on(name)}
    fills = {row.fills for row in rows.values()}
    if fills.isdisjoint((VALUES, VARIABLES)):
        return DataUses()
    sources = chart_sources(_flux_sources(reader), folders)
    if sources.listed:
        _add_whole(items, reader, folders)
    references: list[DataReference] = []
    for name, row in rows.items():
        if row.reference_words:
            references += _references(name, row, reader, config, sources)
    if VARIABLES not in fills:
        references = [reference for reference in references if reference.chart]
    if config.declaration.secret:  # which takes their place in containers
        references = [reference for reference in references if not reference.entry]
    if references:
        _add_whole(items, reader, folders)
    return DataUses(_listed(references, reader, config, folders), sources)


def _add_whole(items: Iterable[int], reader: ItemReader, folders: Folders) -> None:
    for index in items:
        for obj in reader.read(index):
            add_whole(folders, obj)


def _flux_sources(reader: ItemReader) -> Iterator[Object]:
    """Yield the sources of Flux, if one says more of a chart than its HelmRelease: of a ``chartRef``, or of Bitnami."""
    if not items_of_kinds(reader.source, ["HelmRelease"]):
        return
    words = ("bitnami", "Bitnami", "OCIRepository")
    kinds = [kind for _, kind in CHART_SOURCES]
    if not items_of_kinds(reader.source, kinds, words):
        return
    for index in items_of_kinds(reader.source, kinds):  # a nearer one may hold none of the words
        for obj in reader.read(index):
            if not obj.is_local:
                yield obj


def _references(
    name: str, row: TargetRow, reader: ItemReader, config: ProxyConfig, sources: ChartSources
) -> Iterator[DataReference]:
    """Yield the references that a target knows in the objects of the list; it is imported where there are any."""
    items = None  # any: such a target knows what objects refer to that it does not edit
    if row.fills != VARIABLES:
        kinds, hints = kinds_and_hints(name, row, config)
        items = items_of_kinds(reader.source, kinds, hints)
    for index in reader.source.holding(row.reference_words, items):
        target = load_target(name)
        options = target.options(config.targets)
        known_kinds = target.all_kinds(options)
        for obj in reader.read(index):
            if row.fills != VARIABLES and obj.group_kind not in known_kinds:
                continue
            if not is_selected(obj, config):
                continue
            file = obj.ref.file_path
            sources_from_file = sources._replace(file=file)
            for reference in target.references(obj.data, options, sources_from_file):
                yield reference._replace(key=reference.key._replace(file=file))


def _listed(
    references: Sequence[DataReference], reader: ItemReader, config: ProxyConfig, folders: Folders
) -> ObjectIndex[DataUse]:
    """Return the ConfigMaps and Secrets of the list that something refers to, as they are before the run."""
    listed: ObjectIndex[DataUse] = ObjectIndex(folders=folders)
    names = {reference.key.name: None for reference in references if reference.key.name}
    kinds = ("ConfigMap", "Secret") if names else ()
    for index in items_of_kinds(reader.source, kinds, tuple(names)):
        for obj in reader.read(index):
            key = key_of(obj)
            if key.group or key.name not in names:
                continue
            if is_selected(obj, config):
                listed.add(key, DataUse({**obj.data}, []))
    for reference in references:
        uses = find_uses(listed, reference.key)
        if reference.names and len(uses) > 1:  # read once for all of them
            alternatives: Fields = {}
            for values in values_in((use.data for use in uses), reference.member):
                unite(values, alternatives)
            reference = reference._replace(alternatives=alternatives)  # noqa: PLW2901
        for use in uses:
            use.references.append(reference)
    return listed
