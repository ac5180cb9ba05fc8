"""What the places of a ``spec`` are called, in the form that the user wrote, and the texts that a place holds."""

from __future__ import annotations

from collections.abc import Iterator

from krm_fn.light_typing import Any
from krm_fn.noproxy import may_hold_a_credential
from krm_fn.patch import Pointer, field_path, lookup
from krm_fn.printable import HIDDEN

_LONGEST = 80


class FieldNames:
    """The names of the places of one ``spec``: ``spec.noProxy[2]``, ``data.NO_PROXY``, or a key of another object.

    Attributes:
        root: ``spec`` or ``data``.
        keys: the fields below ``spec`` for which a ConfigMap has another key, and that key.
        foreign: the places that another object fills, and their names.
    """

    def __init__(self, root: str) -> None:
        self.root = root
        self.keys: dict[str, str] = {}
        self.foreign: dict[Pointer, str] = {}

    def name(self, place: Pointer) -> str:
        """Return the name of a place below ``spec``, to be shown as it is."""
        foreign = self._foreign_name(place)
        if foreign:
            return foreign
        steps = [shown(step) for step in place]
        if place:
            steps[0] = self.keys.get(place[0], steps[0])
        return field_path((self.root, *steps))

    def mistake(self, place: Pointer, text: str) -> str:
        """Return the line about a mistake at a place."""
        separator = " " if self._foreign_name(place) else ": "
        return f"{self.name(place)}{separator}{text}"

    def _foreign_name(self, place: Pointer) -> str:
        for depth in range(len(place), 0, -1):
            if place[:depth] in self.foreign:
                return self.foreign[place[:depth]]
        return ""


def shown(name: Any) -> str:
    """Return a key of the user for a message: on one line, shortened, and hidden if it may be a credential."""
    words = str(name).split()
    text = " ".join(words)
    if "://" in text or may_hold_a_credential(text):
        return HIDDEN
    return text[:_LONGEST]


def texts_at(data: Any, place: Pointer) -> Iterator[tuple[Pointer, str]]:
    """Yield place and text of each item of the list at ``place``, or of the one text of entries that is there."""
    given = lookup(data, place)
    if isinstance(given, str):
        yield place, given
    elif isinstance(given, list):
        for index, text in enumerate(given):
            if isinstance(text, str):
                yield (*place, str(index)), text
