"""What becomes of a list, for tests that say it in operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from krm_fn import patch
from krm_fn.krm.resourcelist import ListChanges, NewObject, ResourceList
from krm_fn.patch import Operation


def changes_of(
    given: ResourceList, operations: Mapping[int, Sequence[Operation]], new_items: Sequence[Mapping[str, Any]] = ()
) -> ListChanges:
    """Return what operations on items, and new items, make of a list."""
    changes = ListChanges()
    for index, of_item in operations.items():
        if any(not operation.path for operation in of_item):
            changes.items[index] = {(): None}
        elif of_item:
            changes.items[index] = {(): patch.apply(given.read(index), of_item)}
    changes.created = [NewObject(item) for item in new_items]
    return changes
