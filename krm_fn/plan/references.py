"""The ConfigMaps and Secrets of a list from which others read a proxy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from krm_fn.clusters import Folders, key_of
from krm_fn.config import ProxyConfig
from krm_fn.krm.resourcelist import Object
from krm_fn.patch import lookup
from krm_fn.places.installed_charts import chart_sources
from krm_fn.places.provided import NO_USES, DataUses
from krm_fn.plan.items import ItemReader, is_selected, items_of_kinds, kinds_and_hints
from krm_fn.products.release_kinds import CHART_SOURCES
from krm_fn.target_table import ROWS, VALUES, VARIABLES, TargetRow
from krm_fn.targets import TARGETS


def data_uses(
    reader: ItemReader, config: ProxyConfig, folders: Folders, items: Iterable[int]
) -> DataUses:
    """Return the objects that others of the list refer to, and which of them are in the list.

    Empty if no enabled target fills ConfigMaps and Secrets, or values of charts in them. If something is referred to,
    the objects of ``items`` are added to ``folders``, which tell the clusters apart.
    """
    rows = {name: row for name, row in ROWS.items() if config.targets.is_on(name)}
    fills_variables = any(row.fills == VARIABLES for row in rows.values())
    if not fills_variables:
        rows = {name: row for name, row in rows.items() if row.fills == VALUES}
        if not rows:
            return NO_USES
    sources = chart_sources(_flux_sources(reader), folders)
    if sources.urls:
        _add_whole(items, reader, folders)
    uses = DataUses(folders, fills_variables=fills_variables, chart_sources=sources)
    for name, row in rows.items():
        if row.reference_words:
            _note_references(uses, name, row, reader, config)
    if uses.names:
        _add_whole(items, reader, folders)
        _note_data(uses, reader, config)
    return uses


def add_whole(folders: Folders, obj: Object) -> None:
    """Add an object to folders, unless it is a patch: the API server takes no workload without a selector."""
    group, _ = obj.group_kind
    if group != "apps" or lookup(obj.data, ("spec", "selector")):
        folders.add(key_of(obj))


def _add_whole(items: Iterable[int], reader: ItemReader, folders: Folders) -> None:
    for index in items:
        for obj in reader.readable(index):
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
        for obj in reader.readable(index):
            if not obj.is_local:
                yield obj


def _note_references(
    uses: DataUses, name: str, row: TargetRow, reader: ItemReader, config: ProxyConfig
) -> None:
    """Note the references that a target knows in the objects of the list; it is imported where there are any."""
    items = None  # any: such a target knows what objects refer to that it does not edit
    if row.fills != VARIABLES:
        kinds, hints = kinds_and_hints(name, row, config)
        items = items_of_kinds(reader.source, kinds, hints)
    for index in reader.source.holding(row.reference_words, items):
        target = TARGETS[name]
        options = target.options(config.targets)
        known_kinds = target.all_kinds(options)
        for obj in reader.readable(index):
            if row.fills != VARIABLES and obj.group_kind not in known_kinds:
                continue
            if is_selected(obj, config):
                seen = uses.seen_from(obj.ref.file_path)
                target.note_references(seen, obj.data, options)


def _note_data(uses: DataUses, reader: ItemReader, config: ProxyConfig) -> None:
    """Note the ConfigMaps and Secrets that something refers to."""
    listed = []
    for index in items_of_kinds(reader.source, ("ConfigMap", "Secret"), uses.names):
        for obj in reader.readable(index):
            group, _ = obj.group_kind
            if not group and is_selected(obj, config):
                listed.append(obj)
    uses.note_data(listed)
