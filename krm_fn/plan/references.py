"""The ConfigMaps and Secrets of a list from which others read a proxy."""

from __future__ import annotations

from collections.abc import Iterator

from krm_fn.config import ProxyConfig
from krm_fn.light_typing import TYPE_CHECKING
from krm_fn.places.charts import NO_SOURCES, ChartSources, chart_sources
from krm_fn.places.provided import NO_USES, DataUses
from krm_fn.plan.items import ItemReader, items_of_kinds
from krm_fn.plan.model import ObjectSource
from krm_fn.plan.selection import is_enabled, is_selected, may_hold
from krm_fn.products.releases import CHART_SOURCES
from krm_fn.targets import (
    TARGETS,
    filling_references,
    filling_values,
    of_kinds,
    reference_words_of,
    text_hints_of,
    with_references,
)

if TYPE_CHECKING:
    from krm_fn.targets.base import Target

_DATA = frozenset({("", "ConfigMap"), ("", "Secret")})


def data_uses(reader: ItemReader, config: ProxyConfig) -> DataUses:
    """Return what objects of the list refer to, and which of that is in the list.

    Empty if no enabled target fills ConfigMaps and Secrets, or values of charts in them.
    """
    filling = [name for name in filling_references() if is_enabled(name, config)]
    if not filling and not any(is_enabled(name, config) for name in filling_values()):
        return NO_USES
    sources = _chart_sources(reader)
    concerned = list(_concerned(reader.source, config, fills_variables=bool(filling)))
    if not concerned:
        return DataUses(chart_sources=sources)
    uses = DataUses(fills_variables=bool(filling), chart_sources=sources)
    for index, name in concerned:
        _note_references(uses, TARGETS[name], index, reader, config)
    if uses.names:
        _note_data(uses, reader, config)
    return uses


def _chart_sources(reader: ItemReader) -> ChartSources:
    """Return the sources of Flux that say more of a chart than its HelmRelease: of a ``chartRef``, and of Bitnami."""
    source = reader.source
    releases = items_of_kinds(source, ["HelmRelease"])
    if not releases:
        return NO_SOURCES
    words: tuple[str, ...] = ("bitnami", "Bitnami")
    if source.holding(("chartRef",), releases):
        words = (*words, "OCIRepository", "HelmChart")
    found = []
    for index in source.holding(words, items_of_kinds(source, [kind for _, kind in CHART_SOURCES])):
        found += [obj for obj in reader.readable(index) if not obj.is_local]
    return chart_sources(found)


def _concerned(
    source: ObjectSource, config: ProxyConfig, *, fills_variables: bool
) -> Iterator[tuple[int, str]]:
    """Yield items that may refer to something, each with an enabled target that knows it, judged by their texts."""
    of_any_kind = {*filling_references()}  # these know what objects refer to that they do not edit
    referring: dict[int, list[str]] = {}
    for kinds, indexes in source.by_kinds().items():
        for name in _names(kinds, config, fills_variables=fills_variables):
            for index in source.holding(reference_words_of(name), indexes):
                referring.setdefault(index, []).append(name)
    for index, names in sorted(referring.items()):
        for name in names:
            # A target with options may have other words, which only the target itself knows.
            is_needed = name in of_any_kind or name in config.targets
            if is_needed or source.contains(index, text_hints_of(name)):
                yield index, name


def _names(kinds: frozenset[str], config: ProxyConfig, *, fills_variables: bool) -> list[str]:
    """Return the enabled targets that know what objects of some kinds refer to; none is imported."""
    # A target with options may have been given kinds by them, which only the target itself knows.
    concerned = {*of_kinds(kinds), *config.targets, *filling_references()}
    if not fills_variables:
        concerned = concerned.intersection(filling_values())
    return [name for name in with_references() if name in concerned and is_enabled(name, config)]


def _note_references(
    uses: DataUses, target: Target, index: int, reader: ItemReader, config: ProxyConfig
) -> None:
    """Note what the objects of one item refer to, as far as a target knows."""
    source = reader.source
    options = target.options(config.targets)
    kinds = target.all_kinds(options)
    is_of_any_kind = target.id in filling_references()
    if not is_of_any_kind:
        if not may_hold(source.kinds(index), kinds):
            return
        if not source.contains(index, target.hints(options)):
            return
    for obj in reader.readable(index):
        is_of_target = is_of_any_kind or obj.group_kind in kinds
        if is_of_target and is_selected(obj, config):
            target.note_references(uses, obj.data, options)


def _note_data(uses: DataUses, reader: ItemReader, config: ProxyConfig) -> None:
    """Note the ConfigMaps and Secrets that something refers to."""
    source = reader.source
    for index in source.holding(uses.names):
        if not may_hold(source.kinds(index), _DATA):
            continue
        for obj in reader.readable(index):
            if obj.group_kind in _DATA and is_selected(obj, config):
                uses.note_data(obj.data)
