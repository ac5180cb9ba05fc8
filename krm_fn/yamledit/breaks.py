"""The line breaks of YAML: the line feed, and the four others that YAML 1.1 knows.

PyYAML and the YAML library of Go (both follow YAML 1.1 here) also end a line at a carriage return alone, at NEL, and at
U+2028 and U+2029. Source: YAML 1.1, section 5.4 ``b-char``.
"""

from __future__ import annotations

import re
from bisect import bisect_right

_OTHERS = "\r(?!\n)|[\x85\u2028\u2029]"
BREAKS = "\r\n\x85\u2028\u2029"
"""Every character that is a line break or part of one."""


def with_line_feeds(text: str) -> str:
    """Return ``text`` with a line feed in place of every other line break; a carriage return before one stays.

    Each position means the same in both texts, so what measures lines needs to know the line feed alone.
    """
    if text.isascii() and "\r" not in text:
        return text
    return re.sub(_OTHERS, "\n", text)


class Lines:
    """The line breaks of a text, as PyYAML counts them; they are found once, for any number of positions."""

    def __init__(self, text: str) -> None:
        self._ends = [found.end() for found in re.finditer("\n", with_line_feeds(text))]

    def above(self, position: int) -> int:
        """Return how many lines end before a position."""
        return bisect_right(self._ends, position)


def newline_of(text: str) -> str:
    """Return the line break for new lines: that of the first line, a line feed in place of a rare one."""
    first = re.search(r"\r\n?|\n", text)
    return first[0] if first else "\n"
