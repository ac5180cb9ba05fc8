"""Positions in a YAML text: its lines and their line breaks, and the text after edits of some of its spans.

PyYAML and the YAML library of Go end a line also at a carriage return alone, at NEL, and at U+2028 and U+2029
(YAML 1.1, section 5.4). ``with_line_feeds`` makes line feeds of these, so that everything else knows one line break.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable

from krm_fn.light_typing import NamedTuple

Span = tuple[int, int]
"""Where a word starts, and where it ends (behind its last character)."""

Edit = tuple[int, int, str]
"""Write the string in the place of ``text[start:end]``; an edit with start == end inserts."""

RARE_BREAKS = "\r(?!\n)|[\x85\u2028\u2029]"
BREAKS = frozenset("\r\n\x85\u2028\u2029")
"""Every character that is a line break or part of one."""


def with_line_feeds(text: str) -> str:
    """Return ``text`` with a line feed in place of each rare line break; each position means the same in both texts."""
    if text.isascii() and "\r" not in text:
        return text
    return re.sub(RARE_BREAKS, "\n", text)


def newline_of(text: str) -> str:
    """Return the line break for new lines: that of the first line."""
    first = re.search(r"\r\n?|\n", text)
    if first:
        return first[0]
    return "\n"


class Position(NamedTuple):
    """A place in a text, as people count: the first line and the first column are 1."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.line}:{self.column}"


class Lines:
    """The line breaks of a text, found once for any number of positions."""

    def __init__(self, text: str) -> None:
        breaks = re.finditer("\n", with_line_feeds(text))
        self._starts = [0, *(match.end() for match in breaks)]

    def above(self, position: int) -> int:
        """Return how many lines end before a position."""
        return bisect_right(self._starts, position) - 1

    def position(self, offset: int) -> Position:
        """Return the line and the column of an offset in the text."""
        above = self.above(offset)
        return Position(above + 1, offset - self._starts[above] + 1)


def end_of_match(pattern: str, text: str, position: int) -> int:
    """Return the end of a pattern's match at a position; the position itself without a match."""
    match = re.compile(pattern).match(text, position)
    if match:
        return match.end()
    return position


def column_of(text: str, position: int) -> int:
    """Return the column of a position on its line."""
    return position - (text.rfind("\n", 0, position) + 1)


def end_of_line(text: str, position: int) -> int:
    """Return the end of the line that holds a position, line break excluded."""
    end = text.find("\n", position)
    if end < 0:
        return len(text)
    if text.startswith("\r", max(end - 1, 0)):
        return end - 1
    return end


def starts_line(text: str, position: int) -> bool:
    """Return whether only blanks are before a position on its line."""
    start = text.rfind("\n", 0, position) + 1
    return not text[start:position].strip()


def splice(text: str, edits: Iterable[Edit]) -> str:
    """Return ``text`` after all edits, whose offsets are those of ``text``; they must not overlap.

    Edits of the same place keep their order, insertions first.
    """
    pieces = []
    at = 0
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
        pieces += [text[at:start], new]
        at = max(at, end)
    pieces.append(text[at:])
    return "".join(pieces)
