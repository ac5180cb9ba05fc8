"""Cutting words out of a text, and writing others in their place, without touching the text around them.

It knows offsets only; what the words mean is the business of its callers.
"""

from __future__ import annotations

from collections.abc import Iterable

Span = tuple[int, int]
"""Where a word starts, and where it ends (behind its last character)."""

Edit = tuple[int, int, str]
"""Write the string in the place of ``text[start:end]``; an edit with start == end inserts."""


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
