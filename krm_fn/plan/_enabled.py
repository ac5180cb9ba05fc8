"""The enabled targets that an item could concern, found without reading it."""

from __future__ import annotations

from krm_fn.carriers.data_uses import DataUses
from krm_fn.config import ProxyConfig
from krm_fn.plan._model import ObjectSource
from krm_fn.plan._selection import is_enabled, may_hold
from krm_fn.products.node_kinds import OF_CLASSES
from krm_fn.targets import (
    TARGETS,
    Target,
    filling_references,
    filling_values,
    of_kinds,
    text_hints_of,
)

_Hinted = tuple[Target, tuple[str, ...]]
"""A target, and words of which one is in the text of every object that concerns it; without words any may."""


class EnabledTargets:
    """The targets that the FunctionConfig leaves enabled, found by the kinds of an item."""

    def __init__(self, wanted: ProxyConfig, uses: DataUses) -> None:
        self._wanted = wanted
        self._names = uses.names
        self._filling = {*filling_references(), *filling_values()}
        self._with_words: dict[frozenset[str], list[str]] = {}
        self._found: dict[
            tuple[frozenset[str], frozenset[str]], tuple[list[_Hinted], list[_Hinted]]
        ] = {}

    def of_item(self, source: ObjectSource, index: int) -> tuple[list[Target], list[Target]]:
        """Return the targets that could edit an object of an item, and those that could create one beside it.

        They are judged by its text; one whose words it lacks is not imported.
        """
        kinds = source.kinds(index)
        if kinds not in self._with_words:
            self._with_words[kinds] = [
                name
                for name in of_kinds(kinds)
                if text_hints_of(name) and name not in self._wanted.targets
            ]
        lacking = []
        for name in self._with_words[kinds]:
            words = text_hints_of(name)
            if name in self._filling:
                words += self._names
            if not source.contains(index, words):
                lacking.append(name)
        key = (kinds, frozenset(lacking))
        if key not in self._found:
            self._found[key] = self._of_kinds(*key)
        editors, creators = self._found[key]
        return (
            [target for target, hints in editors if source.contains(index, hints)],
            [target for target, hints in creators if source.contains(index, hints)],
        )

    def _of_kinds(
        self, kinds: frozenset[str], lacking: frozenset[str]
    ) -> tuple[list[_Hinted], list[_Hinted]]:
        """Return the targets that edit objects of some kinds, and those that create others beside them."""
        editors: list[_Hinted] = []
        creators: list[_Hinted] = []
        # A target with options may have been given kinds by them, which only the target itself knows.
        asked = {*of_kinds(kinds), *self._wanted.targets} - lacking
        for name in TARGETS:
            # ClusterClasses are edited last, by what their templates hold in the end.
            if name not in asked or name == OF_CLASSES or not is_enabled(name, self._wanted):
                continue
            target = TARGETS[name]
            hints = target.hints(self._wanted.targets.get(name, {}))
            edited = target.all_kinds(target.options(self._wanted.targets))
            if may_hold(kinds, edited):
                names = self._names if name in self._filling else ()
                editors.append((target, (*hints, *names)))
            if target.creates and may_hold(kinds, target.creates.beside):
                # A target that creates objects beside those that it edits has hints for them.
                has_hints = target.creates.beside <= target.kinds
                creators.append((target, hints if has_hints else ()))
        return editors, creators
