"""The enabled targets that an item could concern, found by its kinds and words of its text, without reading it."""

from __future__ import annotations

from krm_fn.config import ProxyConfig
from krm_fn.light_typing import TYPE_CHECKING, NamedTuple
from krm_fn.plan.model import ObjectSource
from krm_fn.plan.selection import is_enabled, may_hold
from krm_fn.products.node_kinds import OF_CLASSES
from krm_fn.target_table import ROWS
from krm_fn.targets import TARGETS, filling_references, filling_values, of_kinds

if TYPE_CHECKING:
    from krm_fn.targets.base import Target


class ItemTargets(NamedTuple):
    """The targets that could edit an object of an item, and those that could create one beside it."""

    editors: list[Target]
    creators: list[Target]


def targets_of_items(
    source: ObjectSource, config: ProxyConfig, names: tuple[str, ...]
) -> dict[int, ItemTargets]:
    """Return the enabled targets for each item that concerns one, in the order of the table of targets.

    Args:
        source: the objects.
        config: the checked FunctionConfig.
        names: those of the ConfigMaps and Secrets that others read as a proxy.
    """
    found: dict[int, ItemTargets] = {}
    for kinds, indexes in source.by_kinds().items():
        for name in _enabled(kinds, config):
            possible = source.holding(_table_words(name, config, names), indexes)
            if not possible:
                continue  # a target is imported only where it may be needed
            target = TARGETS[name]
            options = target.options(config.targets)
            hints = target.hints(options)
            if may_hold(kinds, target.all_kinds(options)):
                words = hints + _names_for(name, names) if hints else ()
                for index in source.holding(words, possible):
                    found.setdefault(index, ItemTargets([], [])).editors.append(target)
            beside = target.creates.beside
            if beside and may_hold(kinds, beside):
                # A target that creates objects beside those that it edits has hints for them.
                words = hints if beside <= target.kinds else ()
                for index in source.holding(words, possible):
                    found.setdefault(index, ItemTargets([], [])).creators.append(target)
    return found


def _enabled(kinds: frozenset[str], config: ProxyConfig) -> list[str]:
    """Return the enabled targets for some kinds, in the order of the table."""
    # A target with options may have been given kinds by them, which only the target itself knows.
    candidates = {*of_kinds(kinds), *config.targets}
    candidates.discard(OF_CLASSES)  # ClusterClasses are edited last, by what their templates hold
    enabled = []
    for name, row in ROWS.items():
        is_asked = not row.on_request or name in config.targets
        if name in candidates and is_asked and is_enabled(name, config):
            enabled.append(name)
    return enabled


def _table_words(name: str, config: ProxyConfig, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return words of which one is in every object that concerns a target, known without an import."""
    row = ROWS[name]
    declared = {"trustedCA": config.trusted_ca.pem, "registryMirror": config.mirror}
    if row.needs and not declared[row.needs]:
        return row.traces
    # Options may add other words, which only the target itself knows.
    if not row.text_hints or name in config.targets:
        return ()
    return row.text_hints + _names_for(name, names)


def _names_for(name: str, names: tuple[str, ...]) -> tuple[str, ...]:
    return names if name in {*filling_references(), *filling_values()} else ()
