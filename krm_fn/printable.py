"""Make text fit to be shown: without control characters and marks that change the direction of writing, and short.

A name in a manifest may hold any character. Escape sequences would be carried out by the terminal (ECMA-48), and marks
like U+202E show another text than there is ("Trojan Source", CVE-2021-42574).
"""

from __future__ import annotations

from collections.abc import Sequence

HIDDEN = "***"
"""The text that an output shows in the place of a secret."""
LONGEST = 160
"""Characters of a line for a person in a terminal."""
_SOME = 3
"""So many names are said of many."""
_KEPT = frozenset({"Cs", "Zs"})
"""Halves of pairs, which stand for bytes of a file name that are no UTF-8, and blanks."""


def printable(line: str) -> str:
    r"""Return one line with ``\x1b`` or ``\u202e`` in place of the characters that a terminal would carry out."""
    if line.isprintable():
        return line
    return "".join(map(_escaped, line))


def shortened(line: str) -> str:
    """Return the words of a line that fit into a line for a person."""
    if len(line) <= LONGEST:
        return line
    words, _, _ = line[: LONGEST - 1].rpartition(" ")
    return f"{words} …"


def some(names: Sequence[str]) -> str:
    """Return names in one phrase: the first few, and the number of the others."""
    more = len(names) - _SOME
    if more <= 1:
        return ", ".join(names)
    return f"{', '.join(names[:_SOME])} and {more} more"


def printable_html(text: str) -> str:
    """Return a text as HTML, SVG or XML has to hold it to show it, also inside of an attribute in quotes."""
    from html import escape  # noqa: PLC0415 -- few outputs are HTML

    return escape(printable(text))


def _escaped(char: str) -> str:
    import unicodedata  # noqa: PLC0415 -- a megabyte for rare characters

    is_shown = char.isprintable() or unicodedata.category(char) in _KEPT
    return char if is_shown else char.encode("unicode_escape").decode()
