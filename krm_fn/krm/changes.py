"""Collect the changes of a list: new data of its objects, and the objects that it lacks."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from krm_fn.krm.results import ObjectRef
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Data, Pointer, lookup

NO_ITEM = -1
"""The index for a new object that belongs beside no item of the list."""
WHOLE_ITEM: dict[Pointer, Any] = {(): None}
"""The changes of an item that is removed as a whole."""


class ContentChange(NamedTuple):
    """The content of a file before and after; None is a file that does not exist."""

    old: bytes | None
    new: bytes | None


FileChanges = Mapping[str, ContentChange]
"""Name or path of a file -> its content before and after."""


class NewObject(NamedTuple):
    """An object that a list lacks, the index of the item beside which it belongs, and its name in results."""

    data: Data
    beside: int = NO_ITEM
    ref: ObjectRef = ObjectRef()


class ListChanges:
    """The changes of a list.

    Attributes:
        items: index of an item -> path of an object in it -> the new data of that object, None if it goes.
        created: the objects that the list lacks.
    """

    def __init__(self) -> None:
        self.items: dict[int, dict[Pointer, Any]] = {}
        self.created: list[NewObject] = []

    def __len__(self) -> int:
        return len(self.items) + len(self.created)


def item_after(read: Callable[[], Any], objects: Mapping[Pointer, Any]) -> Any:
    """Return the data of an item with the new data of objects in it, without those that go.

    Args:
        read: returns the data of the item before; lists in it may be changed.
        objects: as in ``ListChanges.items``, of an item that stays.
    """
    if () in objects:
        return objects[()]
    item = read()
    paths = sorted(objects, key=lambda path: [int(step) for step in path if step.isdigit()])
    # The last object first: the index of an object must hold once others are gone.
    for path in reversed(paths):
        *above, last = path
        around = lookup(item, above)
        index = int(last)
        if objects[path] is None:
            del around[index]
        else:
            around[index] = objects[path]
    return item
