"""The items of a list, each read when it is first asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from krm_fn.errors import DocumentError, InputError
from krm_fn.krm.resourcelist import Object
from krm_fn.light_typing import Texts
from krm_fn.plan.model import ObjectSource


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


class ItemReader:
    """Reads each item once, when it is first asked for, and forgets it when it is taken; its ``kinds`` stay."""

    def __init__(self, source: ObjectSource) -> None:
        self.source = source
        self._read: dict[int, list[Object]] = {}
        self.kinds: dict[int, set[str]] = {}
        self.unreadable: dict[int, DocumentError] = {}

    def of_kinds(self, kinds: frozenset[str]) -> Iterator[Object]:
        """Yield the objects of items that may hold one of some kinds; raises InputError."""
        for index in items_of_kinds(self.source, kinds):
            self._read[index] = self._objects(index)
            yield from self._read[index]

    def readable_of_kinds(self, kinds: frozenset[str]) -> list[Object]:
        """Return the objects of items that no target needs; one that cannot be read is no error."""
        objects = []
        for index in items_of_kinds(self.source, kinds):
            if index not in self._read:
                objects += self.readable(index)
        return objects

    def readable(self, index: int) -> list[Object]:
        """Return the objects of one item that no target needs, none if it cannot be read."""
        if index not in self._read:
            try:
                self._read[index] = self._objects(index)
            except InputError as error:
                if not isinstance(error, DocumentError):
                    error = DocumentError(str(error), code=error.code)
                self.unreadable[index] = error
                return []
        return self._read[index]

    def take(self, index: int) -> list[Object]:
        """Return the objects of one item and forget them; raises InputError."""
        if index in self._read:
            return self._read.pop(index)
        return self._objects(index)

    def _objects(self, index: int) -> list[Object]:
        objects = self.source.objects(index)
        self.kinds[index] = {obj.ref.kind for obj in objects}
        return objects
