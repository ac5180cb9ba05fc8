"""The form of an item that a list may lack, told by its name: a variable of a Cluster, a container."""

from __future__ import annotations

from collections.abc import Iterator

from krm_fn.engine import Draft
from krm_fn.light_typing import Any, Fields, NamedTuple
from krm_fn.patch import Pointer, named_items
from krm_fn.places.place import Form, Place
from krm_fn.places.reading import Reading
from krm_fn.settings import ProxySettings


class NamedItem(NamedTuple):
    """An item; the path of its place leads to the list.

    Attributes:
        name: that of the item.
        inside: the way from the item to what the form writes.
        form: what it writes there.
        add_if_missing: the item is added where it is missing.
        empty_value: what says nothing alone: an item in which nothing else is left goes.
        is_read: False for the variable of one worker group, which says nothing of the Cluster.
    """

    name: str
    inside: Pointer
    form: Form
    add_if_missing: bool = True
    empty_value: Any = None
    is_read: bool = True

    def read(self, data: Any, place: Place) -> Iterator[Reading]:
        """Yield what the item says."""
        if not self.is_read:
            return
        for path in named_items(data, place.path, self.name):
            inside = self._inside(place, path)
            yield from self.form.read(data, inside)

    def write(self, draft: Draft, place: Place, settings: ProxySettings) -> None:
        """Write into the item; add it where it is missing, and remove it where nothing is left in it."""
        items = named_items(draft.data, place.path, self.name)
        for path in items:
            edits = draft.edits
            inside = self._inside(place, path)
            self.form.write(draft, inside, settings)
            if draft.edits == edits and settings.sets_any:
                continue
            item = draft.get(path)
            if not self._is_left(item):
                draft.remove(path, keep=place.kept_steps)
        if items or not self.add_if_missing:
            return
        new = Draft({"name": self.name})
        self.form.write(new, self._inside(place, ()), settings)
        if new.edits:
            draft.append(place.path, new.data)

    def _inside(self, place: Place, path: Pointer) -> Place:
        """Return the place in one item."""
        return place._replace(path=(*path, *self.inside), kept_steps=len(path))

    def _is_left(self, item: Fields) -> bool:
        """Return whether an item says anything besides its name."""
        rest = {**item}
        for name in ("name", "definitionFrom"):
            rest.pop(name, None)
        return rest not in ({}, self.empty_value)
