"""A large document taken apart by its text alone, so that a reader pays only for the parts it looks at.

A text whose layout leaves a doubt is not cut, and the caller composes the whole; nothing is read
that no edit is about.

Why text is enough: in block style, everything in an item of a list is indented deeper than its dash, and everything
belongs to a member of the outermost mapping is indented at all, is a comment, or begins with a dash.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from krm_fn.light_typing import NamedTuple
from krm_fn.yamledit.tree import Span, end_of_match

# It begins with its literal, which is searched for faster than the beginning of a line.
_TOP_LEVEL = re.compile(r"\n(?=[^ \t\r\n#\-])")
_KEY = re.compile(r"([A-Za-z][A-Za-z0-9_-]*):(?=[ \t\r\n]|\Z)")
_SEPARATOR = "\n---"
# A CR before the line feed is part of a comment, or alone: never both, or time would be exponential.
_NOTHING = r"[ \t]*(?:#[^\n]*|\r)?\n"
_BEFORE = rf"(?:(?:---)?{_NOTHING})*"
_BEHIND_DASH = (" ", "\r", "\n")
_OTHER_LINE_BREAKS = ("\x85", "\u2028", "\u2029")
_LIST_HEAD = re.compile(rf"[A-Za-z0-9_-]+:{_NOTHING}(?:{_NOTHING})*( *)-(?=[ \r\n])")


class Cut(NamedTuple):
    """A text whose outermost mapping is cut into its members, and one of them, a list, into its items.

    ``members`` maps each key to (start, end), its own line included; ``items`` are (start, end) of each item, its dash
    and indentation included, so that each slice is a YAML document of its own: a list of one.
    """

    text: str
    members: Mapping[str, Span]
    items: Sequence[Span]


def cut(text: str, key: str) -> Cut | None:
    """Cut ``text``; the member ``key`` must be a block list. None where the layout leaves a doubt."""
    if not _breaks_lines_plainly(text):
        return None
    begin = end_of_match(_BEFORE, text, 0)
    members = _members(text, begin)
    if key not in members:
        return None
    start, end = members[key]
    # Perhaps another document, perhaps the words of a scalar; where there are items, `_items` sees it.
    if _SEPARATOR in text[begin:start] or _SEPARATOR in text[end:]:
        return None
    items = _items(text, start, end)
    if items is None:
        return None
    return Cut(text, members, items)


def _breaks_lines_plainly(text: str) -> bool:
    """Return whether every line break of YAML 1.1 in the text is one that the patterns of this package match."""
    if "\r" in text and text.count("\r") != text.count("\r\n"):
        return False
    return not any(mark in text for mark in _OTHER_LINE_BREAKS)


def _members(text: str, begin: int) -> dict[str, Span]:
    """Return where each member of the outermost mapping is; nothing where there is a doubt."""
    members = {}
    others = [match.end() for match in _TOP_LEVEL.finditer(text, begin)]
    for start, end in pairwise([begin, *others, len(text)]):
        key = _KEY.match(text, start)
        if key is None or key[1] in members:
            return {}
        members[key[1]] = (start, end)
    return members


def _items(text: str, start: int, end: int) -> list[Span] | None:
    head = _LIST_HEAD.match(text, start)
    if head is None:
        return None
    column = len(head[1])
    first = head.start(1)
    shallow = re.compile(rf"\n {{0,{column}}}(?=[^ \r\n#])")
    dashes = []
    for match in shallow.finditer(text, first - 1, end):
        begin = match.start() + 1
        at = match.end()
        if at - begin != column or text[at] != "-":
            return None
        if not text.startswith(_BEHIND_DASH, at + 1):
            return None
        dashes.append(begin)
    return list(pairwise([*dashes, end]))
