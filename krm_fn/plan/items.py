"""The items of a list: which may concern a run, judged by their text, and each read once when it is needed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from krm_fn.clusters import Folders, key_of
from krm_fn.config import ProxyConfig, Selector
from krm_fn.errors import DocumentError, InputError
from krm_fn.krm.resourcelist import Object, ObjectSource
from krm_fn.light_typing import TYPE_CHECKING, NamedTuple, Texts
from krm_fn.patch import lookup
from krm_fn.products.node_kinds import OF_CLASSES
from krm_fn.target_table import ROWS, TargetRow
from krm_fn.targets import load_target

if TYPE_CHECKING:
    from krm_fn.targets.base import Target


def is_selected(obj: Object, config: ProxyConfig) -> bool:
    """Return whether the run may change an object: the selector includes it, and it is not local configuration."""
    return not obj.is_local and fits(obj, config.selector)


def fits(obj: Object, selector: Selector) -> bool:
    """Return whether a selector includes an object."""
    if not any(selector):
        return True
    return selector.selects(obj.subject)


def is_edited(target: Target, obj: Object, config: ProxyConfig) -> bool:
    """Return whether a target edits objects of the kind of this one, with its options."""
    options = target.options(config.targets)
    return obj.group_kind in target.all_kinds(options)


def items_of_kinds(source: ObjectSource, kinds: Iterable[str], words: Texts = ()) -> Sequence[int]:
    """Return the indexes of the items that may hold an object of some kinds, and one of some words, in order."""
    kinds = frozenset(kinds)
    possible: list[int] = []
    if not kinds:
        return possible
    for occurring, indexes in source.by_kinds.items():
        if not (occurring and kinds.isdisjoint(occurring)):
            possible += indexes
    possible.sort()
    return source.holding(words, possible)


def readable_objects(source: ObjectSource, indexes: Iterable[int]) -> Iterator[Object]:
    """Yield the objects of some items, without those of items that cannot be read: who needs one says so."""
    for index in indexes:
        with suppress(InputError):
            yield from source.objects(index)


def add_whole(folders: Folders, obj: Object) -> None:
    """Add an object to folders, unless it is a patch: the API server takes no workload without a selector."""
    group, _ = obj.group_kind
    if group != "apps" or lookup(obj.data, ("spec", "selector")):
        folders.add(key_of(obj))


class ItemReader:
    """Reads each item once, when it is first asked for, and forgets it when it is taken; its ``kinds`` stay."""

    def __init__(self, source: ObjectSource) -> None:
        self.source = source
        self._read: dict[int, list[Object]] = {}
        self.kinds: dict[int, set[str]] = {}
        self.unreadable: dict[int, DocumentError] = {}

    def of_kinds(self, kinds: frozenset[str], *, is_needed: bool = False) -> list[Object]:
        """Return the objects of items that may hold one of some kinds, without those that are read; see ``read``."""
        objects = []
        for index in items_of_kinds(self.source, kinds):
            if index not in self._read:
                objects += self.read(index, is_needed=is_needed)
        return objects

    def read(self, index: int, *, is_needed: bool = False) -> list[Object]:
        """Return the objects of one item; none of one that cannot be read.

        Args:
            index: the number of the item.
            is_needed: a target needs it. A file may be somebody else's business even then; a ResourceList comes from
                one program, as a whole.

        Raises:
            InputError: a needed item of a ResourceList cannot be read.
        """
        if index in self._read:
            return self._read[index]
        try:
            objects = self.source.objects(index)
        except InputError as error:
            if not isinstance(error, DocumentError):
                error = DocumentError(str(error), code=error.code)
            if is_needed and not error.file:
                raise
            self.unreadable[index] = error
            return []
        self._read[index] = objects
        self.kinds[index] = {obj.ref.kind for obj in objects}
        return objects

    def take(self, index: int, *, is_needed: bool) -> list[Object]:
        """Return the objects of one item as ``read`` does, and forget them."""
        objects = self.read(index, is_needed=is_needed)
        self._read.pop(index, None)
        return objects


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
    of_items: defaultdict[int, ItemTargets] = defaultdict(lambda: ItemTargets([], []))
    for name, row in ROWS.items():
        # ClusterClasses are edited last, by what their templates hold.
        if name == OF_CLASSES or not config.targets.is_on(name):
            continue
        kinds, hints = kinds_and_hints(name, row, config)
        # A target is imported only where it is needed.
        words = _words(row, hints, config, names)
        for index in items_of_kinds(source, kinds, words):
            of_items[index].editors.append(load_target(name))
        if row.is_generator and not config.targets.generates(name):
            continue
        # A target that creates objects beside those that it edits has hints for them.
        words = hints if row.beside <= row.kinds else ()
        kinds_beside = [kind for _, kind in row.beside]
        for index in items_of_kinds(source, kinds_beside, words):
            of_items[index].creators.append(load_target(name))
    return of_items


def kinds_and_hints(name: str, row: TargetRow, config: ProxyConfig) -> tuple[list[str], Texts]:
    """Return the names of the kinds that a target edits, and words of which one is in each such object.

    Its row says both, unless its options add kinds and words that only the target knows.
    """
    has_kinds = "customKinds" in config.targets.of(name)
    if not (has_kinds or config.targets.names(name)):
        return [kind for _, kind in row.kinds], row.text_hints
    target = load_target(name)
    options = target.options(config.targets)
    kinds = [kind for _, kind in target.all_kinds(options)]
    return kinds, target.hints(options)


def _words(row: TargetRow, hints: Texts, config: ProxyConfig, names: Texts) -> Texts:
    """Return words of which one is in every object that a target edits; empty if its kinds alone tell them."""
    if row.needs == "trustedCA" and not config.trusted_ca.pem:
        return row.traces
    if row.needs == "registryMirror" and not config.mirror:
        return row.traces
    if hints and row.fills:
        return hints + names
    return hints
