"""The enabled targets that an item could concern, found by its kinds and words of its text, without reading it."""

from __future__ import annotations

from krm_fn.config import ProxyConfig
from krm_fn.light_typing import TYPE_CHECKING, NamedTuple, Texts
from krm_fn.plan.items import items_of_kinds
from krm_fn.plan.model import ObjectSource
from krm_fn.plan.selection import is_enabled
from krm_fn.products.node_kinds import OF_CLASSES
from krm_fn.target_table import ROWS, TargetRow
from krm_fn.targets import TARGETS

if TYPE_CHECKING:
    from krm_fn.targets.base import Target


class ItemTargets(NamedTuple):
    """The targets that could edit an object of an item, and those that could create one beside it."""

    editors: list[Target]
    creators: list[Target]


def targets_of_items(
    source: ObjectSource, config: ProxyConfig, names: Texts
) -> dict[int, ItemTargets]:
    """Return the enabled targets for each item that concerns one, in the order of the table of targets.

    Args:
        source: the objects.
        config: the checked FunctionConfig.
        names: those of the ConfigMaps and Secrets that others read as a proxy.
    """
    of_items: dict[int, ItemTargets] = {}
    for name, row in ROWS.items():
        # ClusterClasses are edited last, by what their templates hold.
        if name == OF_CLASSES or not is_enabled(name, config):
            continue
        # A target is imported only where it may be needed. Options may add kinds and words that only itself knows.
        if not config.targets.names(name):
            words = _words(row, row.text_hints, config, names)
            if not items_of_kinds(source, row.kind_names, words):
                continue
        target = TARGETS[name]
        options = target.options(config.targets)
        hints = target.hints(options)
        kinds = [kind for _, kind in target.all_kinds(options)]
        for index in items_of_kinds(source, kinds, _words(row, hints, config, names)):
            of_items.setdefault(index, ItemTargets([], [])).editors.append(target)
        if row.beside and (not row.is_generator or config.targets.generates(name)):
            # A target that creates objects beside those that it edits has hints for them.
            words = hints if row.beside <= row.kinds else ()
            for index in items_of_kinds(source, [kind for _, kind in row.beside], words):
                of_items.setdefault(index, ItemTargets([], [])).creators.append(target)
    return of_items


def _words(row: TargetRow, hints: Texts, config: ProxyConfig, names: Texts) -> Texts:
    """Return words of which one is in every object that a target edits; empty if its kinds alone tell them."""
    if row.needs == "trustedCA" and not config.trusted_ca.pem:
        return row.traces
    if row.needs == "registryMirror" and not config.mirror:
        return row.traces
    if hints and row.fills:
        return hints + names
    return hints
