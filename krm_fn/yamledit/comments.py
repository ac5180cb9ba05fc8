"""The places of a text of several YAML documents, each with the comments at it.

It says which comment is where, and never what one means.
"""

from __future__ import annotations

import re
from bisect import bisect, bisect_left
from collections.abc import Iterator

from krm_fn.yamledit.data import children
from krm_fn.yamledit.document import Document
from krm_fn.yamledit.lines import with_line_feeds
from krm_fn.yamledit.stream import documents
from krm_fn.yamledit.tree import Node, Scalar, walk

_COMMENT = r"(?m)(?:^|(?<=[ \t\ufeff]))#[^\r\n]*"
_WORD = r"[^\r\n]"


class CommentedPlace:
    """A document, a member of a mapping or an item of a list.

    Attributes:
        path: leads to it, and begins with the number of the document; () for what is behind everything.
        start: where it begins in the text: a document with its separator, and -1 if it has none.
        value_text: the text of a scalar, None of anything else.
        above: the comments between the place before and this one, on lines of their own.
        beside: those behind something on its line.
    """

    def __init__(self, path: tuple[str, ...], start: int, value_text: str | None = None) -> None:
        self.path = path
        self.start = start
        self.value_text = value_text
        self.above: list[str] = []
        self.beside: list[str] = []


def places(text: str) -> list[CommentedPlace]:
    """Return all places of ``text`` in order, its end as the last one.

    Raises:
        InputError: a document of it cannot be read.
    """
    text = with_line_feeds(text)
    found: list[CommentedPlace] = []
    pieces, position = [], 0
    for number, (start, end) in enumerate(documents(text)):
        root = Document(text[start:end]).root
        found.append(CommentedPlace((str(number),), _separator(text, start), _scalar_value(root)))
        found += _inner(root, (str(number),), start)
        pieces += [text[position:start], _without_scalars(text[start:end], root)]
        position = end
    found.append(CommentedPlace((), len(text)))
    hidden = "".join([*pieces, text[position:]])
    for comment in re.finditer(_COMMENT, hidden):
        _put(comment[0], comment.start(), hidden, found)
    return found


def _separator(text: str, start: int) -> int:
    """Return where the separator of the document at ``start`` begins; -1 if it has none."""
    if text.startswith("---", start):
        return start
    return text.rfind("\n", 0, start - 1) + 1 if start else -1


def _inner(node: Node, path: tuple[str, ...], offset: int) -> Iterator[CommentedPlace]:
    for name, start, value in children(node):
        yield CommentedPlace((*path, name), offset + start, _scalar_value(value))
        yield from _inner(value, (*path, name), offset)


def _scalar_value(node: Node) -> str | None:
    return node.value if isinstance(node, Scalar) else None


def _without_scalars(text: str, root: Node) -> str:
    """Return ``text`` with its scalars blanked, except line breaks: a ``#`` in a scalar is no comment."""
    pieces, position = [], 0
    for node in walk(root):
        if not isinstance(node, Scalar):
            continue
        start = node.start
        if node.style in ("|", ">"):  # a comment may follow the indicator
            start = text.find("\n", start, node.end)
        if start >= position:
            pieces += [text[position:start], re.sub(_WORD, "x", text[start : node.end])]
            position = node.end
    return "".join([*pieces, text[position:]])


def _put(comment: str, start: int, text: str, found: list[CommentedPlace]) -> None:
    line = text.rfind("\n", 0, start) + 1
    behind = bisect(found, start, key=lambda place: place.start)
    if not text[line:start].strip("\ufeff \t"):
        found[behind].above.append(comment)
        return
    first = bisect_left(found, line, key=lambda place: place.start)
    for place in found[first:behind] or found[behind - 1 : behind]:
        place.beside.append(comment)
