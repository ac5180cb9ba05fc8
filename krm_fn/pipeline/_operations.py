"""What is to become of a list: the operations on its items, and the objects that it lacks."""

from __future__ import annotations

from collections.abc import Mapping

from krm_fn.krm.resourcelist import Object
from krm_fn.light_typing import Any
from krm_fn.patch import Operation
from krm_fn.plan import PlannedEdit


class PlannedOperations:
    """What is to become of the list: operations on its items, and objects that it lacks."""

    def __init__(self) -> None:
        self.new_items: list[Mapping[str, Any]] = []
        self.beside: list[int] = []
        self._changes: dict[int, list[Operation]] = {}
        self._gone: dict[int, list[Operation]] = {}
        self.touched: set[int] = set()

    def note(self, place: PlannedEdit, operations: list[Operation]) -> None:
        """Note what is to be done at a place; what is new is added as its data is in the end."""
        if place.is_new:
            self.new_items += [place.obj.data] if operations else []
            self.beside += [place.item_index] if operations else []
            return
        self.touched |= {id(place.obj)} if operations else set()
        self.add(place.item_index, place.obj, operations)

    def add(self, index: int, obj: Object, operations: list[Operation]) -> None:
        """Note operations on an object of an item, from the root of the item."""
        for operation in operations:
            is_all = operation.op == "remove" and operation.path == obj.path
            (self._gone if is_all else self._changes).setdefault(index, []).append(operation)

    @property
    def changes(self) -> dict[int, list[Operation]]:
        """Index of an item -> operations; an object goes when all else is done, from the back, so that paths hold."""
        touched = sorted({*self._changes, *self._gone})
        return {
            index: [*self._changes.get(index, ()), *self._gone.get(index, ())[::-1]]
            for index in touched
        }

    @property
    def number(self) -> int:
        """How many items change, come or go."""
        return len(self.changes) + len(self.new_items)
