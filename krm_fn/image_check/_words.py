"""A YAML document as plain data whose texts know their lines.

Every scalar is a text, as a playbook that is not run has nothing else; no text is looked into.
"""

from __future__ import annotations

from collections.abc import Iterator

from krm_fn.errors import ExpansionError
from krm_fn.image_check._line_numbers import LineNumbers
from krm_fn.light_typing import Any
from krm_fn.yamledit import Document
from krm_fn.yamledit.tree import Alias, Mapping, Node, Scalar, Sequence


class Word(str):
    """A text; ``line`` is that of its first character, counted from 1."""

    __slots__ = ("line",)
    line: int

    def __new__(cls, text: str, line: int) -> Word:
        """Create a text with the number of its line."""
        word = super().__new__(cls, text)
        word.line = line
        return word


LARGEST = 1 << 20
"""So many characters all texts of a document may have, with those of its aliases and loops; no longer file is read."""


def read(text: str) -> Any:
    """Return the data of one document: dict, list, Word; raises InputError if it is not one, or is too large."""
    document = Document(text)
    document.data()  # raises where aliases expand to too much
    view = _view(document.root, LineNumbers(text))
    if _characters(view) > LARGEST:
        raise ExpansionError(f"aliases expand to more than {LARGEST} characters")
    return view


def text_of(data: Any) -> Word | None:
    """Return the text, or None for anything else."""
    return data if isinstance(data, Word) else None


def entries(data: Any) -> Iterator[Any]:
    """Yield the entries of a list, or a single one in place of a list."""
    if isinstance(data, list):
        yield from data
    elif data is not None:
        yield data


def _characters(view: Any) -> int:
    if isinstance(view, dict):
        return sum(map(_characters, view.values()))
    return sum(map(_characters, view)) if isinstance(view, list) else len(view)


def _view(node: Node, lines: LineNumbers) -> Any:
    if isinstance(node, Mapping):
        members = {}
        for key, value in node.entries:
            name = _view(key, lines) if isinstance(key, Scalar) else ""
            members[name] = _view(value, lines)
        return members
    if isinstance(node, Sequence):
        return [_view(item, lines) for item in node.items]
    if isinstance(node, Alias):
        return _view(node.target, lines)
    assert isinstance(node, Scalar)  # noqa: S101 -- the last of the four kinds
    is_block = node.style in ("|", ">")
    return Word(node.value, lines.at(node.start) + is_block)
