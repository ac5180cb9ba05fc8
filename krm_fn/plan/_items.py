"""The items of a list, each read when it is first asked for."""

from __future__ import annotations

from collections.abc import Iterator

from krm_fn.errors import DocumentError, InputError
from krm_fn.krm.resourcelist import Object
from krm_fn.plan._model import ObjectSource


class ItemReader:
    """Reads each item once, when it is first asked for, and forgets it when it is taken."""

    def __init__(self, source: ObjectSource) -> None:
        self.source = source
        self.held: dict[int, list[Object]] = {}
        self.unreadable: dict[int, DocumentError] = {}

    def of_kinds(self, kinds: frozenset[str]) -> Iterator[Object]:
        """Yield the objects of items that may hold one of some kinds; raises InputError."""
        for index in range(len(self.source)):
            seen = self.source.kinds(index)
            if not (seen and kinds.isdisjoint(seen)):
                self.held[index] = self.source.objects(index)
                yield from self.held[index]

    def readable_of_kinds(self, kinds: frozenset[str]) -> list[Object]:
        """Return the objects of items that no target needs; one that cannot be read is no error."""
        found = []
        for index in range(len(self.source)):
            if index not in self.held and not kinds.isdisjoint(self.source.kinds(index)):
                found += self.readable(index)
        return found

    def readable(self, index: int) -> list[Object]:
        """Return the objects of one item that no target needs, none if it cannot be read."""
        if index not in self.held:
            try:
                self.held[index] = self.source.objects(index)
            except InputError as error:
                if not isinstance(error, DocumentError):
                    error = DocumentError(str(error), code=error.code)
                self.unreadable[index] = error
                return []
        return self.held[index]

    def take(self, index: int) -> list[Object]:
        """Return the objects of one item and forget them; raises InputError."""
        held = self.held.pop(index, None)
        return self.source.objects(index) if held is None else held
