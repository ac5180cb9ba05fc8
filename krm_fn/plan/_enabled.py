"""The enabled targets that an item could concern, found without reading it."""

from __future__ import annotations

from collections.abc import Iterator

from krm_fn.carriers.data_uses import DataUses
from krm_fn.config import ProxyConfig
from krm_fn.light_typing import TYPE_CHECKING
from krm_fn.plan._model import ObjectSource
from krm_fn.plan._selection import is_enabled, may_hold
from krm_fn.products.node_kinds import OF_CLASSES
from krm_fn.target_table import ROWS
from krm_fn.targets import TARGETS, filling_references, filling_values, of_kinds

if TYPE_CHECKING:
    from krm_fn.targets.base import Target

_Hinted = tuple["Target", tuple[str, ...]]
"""A target, and words of which one is in the text of every object that concerns it; without words any may."""


class EnabledTargets:
    """The targets that the FunctionConfig leaves enabled, found by the kinds of an item."""

    def __init__(self, wanted: ProxyConfig, uses: DataUses) -> None:
        self._wanted = wanted
        self._names = uses.names
        self._filling = {*filling_references(), *filling_values()}
        self._words = self._words_of_targets()
        self._with_words: dict[frozenset[str], list[str]] = {}
        self._found: dict[
            tuple[frozenset[str], frozenset[str]], tuple[list[_Hinted], list[_Hinted]]
        ] = {}

    def _words_of_targets(self) -> dict[str, tuple[str, ...]]:
        """Return ID of a target -> words of which one is in every object that concerns it, known without an import."""
        declared = {
            "trustedCA": bool(self._wanted.trusted_ca.pem),
            "registryMirror": self._wanted.mirror is not None,
        }
        found: dict[str, tuple[str, ...]] = {}
        for name, row in ROWS.items():
            if row.needs and not declared[row.needs]:
                found[name] = row.traces
            # Options may add other words, which only the target itself knows.
            elif row.text_hints and name not in self._wanted.targets:
                found[name] = row.text_hints + (self._names if name in self._filling else ())
        return found

    def of_item(self, source: ObjectSource, index: int) -> tuple[list[Target], list[Target]]:
        """Return the targets that could edit an object of an item, and those that could create one beside it.

        They are judged by its text; one whose words it lacks is not imported.
        """
        kinds = source.kinds(index)
        lacking = [
            name
            for name in self._names_with_words(kinds)
            if not source.contains(index, self._words[name])
        ]
        editors, creators = self._of_kinds(kinds, frozenset(lacking))
        return (
            [target for target, hints in editors if source.contains(index, hints)],
            [target for target, hints in creators if source.contains(index, hints)],
        )

    def possible(self, source: ObjectSource) -> Iterator[int]:
        """Yield the indexes of all items for which ``of_item`` could return a target, some of them twice.

        Of thousands of items of one kind, only those are looked at one by one that hold a word of a target.
        """
        for kinds, indexes in source.by_kinds().items():
            names = self._names_with_words(kinds)
            editors, creators = self._of_kinds(kinds, frozenset(names))
            for _, hints in (*editors, *creators):
                yield from source.holding(hints, indexes)
            for name in names:
                yield from source.holding(self._words[name], indexes)

    def _names_with_words(self, kinds: frozenset[str]) -> list[str]:
        """Return the targets for some kinds of which words are known without an import."""
        if kinds not in self._with_words:
            self._with_words[kinds] = [name for name in of_kinds(kinds) if name in self._words]
        return self._with_words[kinds]

    def _of_kinds(
        self, kinds: frozenset[str], lacking: frozenset[str]
    ) -> tuple[list[_Hinted], list[_Hinted]]:
        """Return the targets that edit objects of some kinds, and those that create others beside them.

        Args:
            kinds: names of kinds.
            lacking: targets of which no word is there.
        """
        key = kinds, lacking
        if key not in self._found:
            self._found[key] = self._looked_up(kinds, lacking)
        return self._found[key]

    def _looked_up(
        self, kinds: frozenset[str], lacking: frozenset[str]
    ) -> tuple[list[_Hinted], list[_Hinted]]:
        editors: list[_Hinted] = []
        creators: list[_Hinted] = []
        # A target with options may have been given kinds by them, which only the target itself knows.
        asked = {*of_kinds(kinds), *self._wanted.targets} - lacking
        for name in TARGETS:
            # ClusterClasses are edited last, by what their templates hold in the end.
            if name not in asked or name == OF_CLASSES or not is_enabled(name, self._wanted):
                continue
            if ROWS[name].on_request and name not in self._wanted.targets:
                continue
            target = TARGETS[name]
            hints = target.hints(self._wanted.targets.get(name, {}))
            edited = target.all_kinds(target.options(self._wanted.targets))
            if may_hold(kinds, edited):
                names = self._names if name in self._filling else ()
                editors.append((target, (*hints, *names)))
            if target.creates.beside and may_hold(kinds, target.creates.beside):
                # A target that creates objects beside those that it edits has hints for them.
                has_hints = target.creates.beside <= target.kinds
                creators.append((target, hints if has_hints else ()))
        return editors, creators
