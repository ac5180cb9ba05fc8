"""Name the places of a ``spec`` as the user wrote them, and read the texts of a place."""

from __future__ import annotations

from collections.abc import Iterator

from krm_fn.errors import ConfigProblem
from krm_fn.krm.masking import HIDDEN
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.noproxy import may_hold_a_credential
from krm_fn.patch import Pointer, field_path, lookup

_LONGEST = 80
PlacedTexts = Iterator[tuple[Pointer, str]]
"""Texts of a ``spec``, or about it, each with its place."""


class FieldName(NamedTuple):
    """The path of a field as the user wrote it, and which value of another object it refers to, to be shown."""

    path: Pointer
    referred: str = ""

    def __str__(self) -> str:
        name = field_path(self.path)
        return f"{name}: {self.referred}" if self.referred else name


class FieldNames:
    """The names of the places of one ``spec``: ``spec.noProxy[2]``, ``data.NO_PROXY``, or a key of another object.

    Attributes:
        root: ``spec`` or ``data``.
        keys: the places below ``spec`` that keys of a ConfigMap fill, and these keys.
        foreign: the places that another object fills, and their names.
    """

    def __init__(self, root: str) -> None:
        self.root = root
        self.keys: dict[Pointer, str] = {}
        self.foreign: dict[Pointer, FieldName] = {}

    def name(self, place: Pointer) -> FieldName:
        """Return the name of a place below ``spec``."""
        for depth in range(len(place), 0, -1):
            outer = place[:depth]
            if outer in self.foreign:
                return self.foreign[outer]
            if outer in self.keys:
                return FieldName((self.root, self.keys[outer], *map(shown, place[depth:])))
        return FieldName((self.root, *map(shown, place)))

    def problem(self, place: Pointer, text: str) -> ConfigProblem:
        """Return a problem at a place."""
        name = self.name(place)
        return ConfigProblem(name.path, f"{name.referred} {text}".lstrip())


def shown(name: Any) -> str:
    """Return a key of the user for a message: on one line, shortened, and hidden if it may be a credential."""
    words = str(name).split()
    text = " ".join(words)
    if "://" in text or may_hold_a_credential(text):
        return HIDDEN
    return text[:_LONGEST]


def texts_at(data: Any, place: Pointer) -> PlacedTexts:
    """Yield place and text of each item of the list at ``place``, or of the one text of entries that is there."""
    given = lookup(data, place)
    if isinstance(given, str):
        yield place, given
    elif isinstance(given, list):
        for index, text in enumerate(given):
            if isinstance(text, str):
                yield (*place, str(index)), text
