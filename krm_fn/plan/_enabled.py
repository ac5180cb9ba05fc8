"""The enabled targets that an item could concern, found by its kinds and words of its text, without reading it."""

from __future__ import annotations

from collections.abc import Iterator

from krm_fn.config import ProxyConfig
from krm_fn.light_typing import TYPE_CHECKING, NamedTuple
from krm_fn.places.provided import DataUses
from krm_fn.plan._model import ObjectSource
from krm_fn.plan._selection import is_enabled, may_hold
from krm_fn.products.node_kinds import OF_CLASSES
from krm_fn.target_table import ROWS
from krm_fn.targets import TARGETS, filling_references, filling_values, of_kinds

if TYPE_CHECKING:
    from krm_fn.targets.base import Target


class _Work(NamedTuple):
    """A target, and words of which one is in the text of every item that it edits, or creates objects beside.

    Without words it may be any item; None if the target does not do that.
    """

    target: Target
    edits: tuple[str, ...] | None
    creates: tuple[str, ...] | None


class EnabledTargets:
    """The targets that the FunctionConfig leaves enabled."""

    def __init__(self, config: ProxyConfig, uses: DataUses) -> None:
        self._config = config
        filling = {*filling_references(), *filling_values()}
        self._names = dict.fromkeys(filling, uses.names)
        self._ids: dict[frozenset[str], list[str]] = {}
        self._work: dict[tuple[str, frozenset[str]], _Work] = {}

    def of_item(self, source: ObjectSource, index: int) -> tuple[list[Target], list[Target]]:
        """Return the targets that could edit an object of an item, and those that could create one beside it."""
        kinds = source.kinds(index)
        editors: list[Target] = []
        creators: list[Target] = []
        for name in self._ids_for(kinds):
            if not source.contains(index, self._table_words(name)):
                continue
            work = self._work_of(name, kinds)
            if work.edits is not None and source.contains(index, work.edits):
                editors.append(work.target)
            if work.creates is not None and source.contains(index, work.creates):
                creators.append(work.target)
        return editors, creators

    def possible(self, source: ObjectSource) -> Iterator[int]:
        """Yield the indexes of all items for which ``of_item`` returns a target, some of them twice.

        Of thousands of items of one kind, only those are looked at one by one that hold a word of a target.
        """
        for kinds, indexes in source.by_kinds().items():
            for name in self._ids_for(kinds):
                possible = source.holding(self._table_words(name), indexes)
                work = self._work_of(name, kinds) if possible else None
                for words in (work.edits, work.creates) if work else ():
                    if words is not None:
                        yield from source.holding(words, possible)

    def _ids_for(self, kinds: frozenset[str]) -> list[str]:
        """Return the enabled targets for some kinds, in the order of the table."""
        if kinds not in self._ids:
            given = self._config.targets
            # A target with options may have been given kinds by them, which only the target itself knows.
            ids = {*of_kinds(kinds), *given}
            # ClusterClasses are edited last, by what their templates hold in the end.
            ids -= {
                name for name in ids if name == OF_CLASSES or not is_enabled(name, self._config)
            }
            ids -= {name for name in ids if ROWS[name].on_request and name not in given}
            self._ids[kinds] = [name for name in ROWS if name in ids]
        return self._ids[kinds]

    def _table_words(self, name: str) -> tuple[str, ...]:
        """Return words of which one is in every object that concerns a target, known without an import."""
        row = ROWS[name]
        declared = {"trustedCA": self._config.trusted_ca.pem, "registryMirror": self._config.mirror}
        if row.needs and not declared[row.needs]:
            return row.traces
        # Options may add other words, which only the target itself knows.
        if not row.text_hints or name in self._config.targets:
            return ()
        return row.text_hints + self._names.get(name, ())

    def _work_of(self, name: str, kinds: frozenset[str]) -> _Work:
        if (name, kinds) not in self._work:
            self._work[name, kinds] = self._new_work(TARGETS[name], kinds)
        return self._work[name, kinds]

    def _new_work(self, target: Target, kinds: frozenset[str]) -> _Work:
        given = self._config.targets
        hints = target.hints(given.get(target.id, {}))
        edits = creates = None
        if may_hold(kinds, target.all_kinds(target.options(given))):
            edits = (*hints, *self._names.get(target.id, ())) if hints else ()
        beside = target.creates.beside
        if beside and may_hold(kinds, beside):
            # A target that creates objects beside those that it edits has hints for them.
            creates = hints if beside <= target.kinds else ()
        return _Work(target, edits, creates)
