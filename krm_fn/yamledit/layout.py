"""The layout of a text: columns, indicators, ends of lines, and the style they add up to.

It measures and changes nothing. All positions are offsets into the text, whose lines end at line
feeds (``breaks.with_line_feeds``).
"""

from __future__ import annotations

import re
from collections import Counter

from krm_fn.errors import EditError
from krm_fn.yamledit.breaks import newline_of
from krm_fn.yamledit.render import Layout
from krm_fn.yamledit.tree import Mapping, Node, Scalar, Sequence, walk
from krm_fn.yamledit.view import key_text

_SPACE_AND_COMMENTS = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_COMMENT_BELOW = re.compile(r"(?:\r?\n[ \t]*)*\r?\n(?P<indent> *)#[^\r\n]*")
_PROPERTIES = re.compile(r"(?:[&!][^ \t\r\n]*(?:[ \t\r\n]+|#[^\n]*)*)*")


def column_of(text: str, position: int) -> int:
    """Return the column of ``position`` on its line."""
    return position - (text.rfind("\n", 0, position) + 1)


def end_of_line(text: str, position: int) -> int:
    """Return the end of the line that holds ``position``, line break excluded."""
    end = text.find("\n", position)
    if end < 0:
        return len(text)
    return end - 1 if end and text[end - 1] == "\r" else end


def end_of_child(text: str, end: int, column: int) -> int:
    """Return the end of the last line of a child of a block collection at ``column``.

    The child ends at ``end``.

    Comments below it that are indented deeper are its own: behind a literal block they would become words of it.
    """
    position = end_of_line(text, end)
    while (comment := _COMMENT_BELOW.match(text, position)) and len(comment["indent"]) > column:
        position = comment.end()
    return position


def above_comments(text: str, start: int) -> int:
    """Return where the lines of comments directly above the item at ``start`` begin.

    ``start`` if there are none.

    Blank lines among them count as well. Comments at the beginning of a text are those of the whole text.
    """
    if not starts_line(text, start):
        return start
    position = start - column_of(text, start)
    found = start
    while position > 0:
        line = text.rfind("\n", 0, position - 1) + 1
        words = text[line:position].strip()
        if words and not words.startswith("#"):
            return found
        position = line
        found = line if words else found
    return start


def starts_line(text: str, position: int) -> bool:
    """Return whether there are only blanks before ``position`` on its line."""
    return not text[text.rfind("\n", 0, position) + 1 : position].strip()


def _skip(text: str, position: int) -> int:
    match = _SPACE_AND_COMMENTS.match(text, position)
    return match.end() if match else position


class Geometry:
    """The geometry of one collection of the text.

    Attributes:
        flow: it is written ``[...]`` or ``{...}``.
        is_list: it is a list.
        starts: for each child where it begins (its dash, its key, in flow style itself).
        ends: for each child where it ends.
        behind: for each child the position behind its ``-`` or ``:``; none for the items of a flow list. Of a member
            without a colon (``{a}``) it is behind its comma or brace.
        column: the column of the dashes or keys (block style only).

    Raises:
        EditError: an explicit key (``? key``) without a value.
    """

    def __init__(self, text: str, node: Mapping | Sequence) -> None:
        self.text = text
        self.flow = node.flow
        self.is_list = isinstance(node, Sequence)
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.behind: list[int] = []
        if isinstance(node, Sequence):
            self._measure_list(node)
        else:
            self._measure_mapping(node)
        self.column = column_of(text, self.starts[0]) if self.starts else 0

    def _measure_list(self, node: Sequence) -> None:
        position = _first_dash(self.text, node)
        for item in node.items:
            if self.flow:
                self.starts.append(item.start)
            else:
                position = _skip(self.text, position)
                self.starts.append(position)
                self.behind.append(position + 1)
                position = item.end
            self.ends.append(item.end)

    def _measure_mapping(self, node: Mapping) -> None:
        for key, value in node.entries:
            self.starts.append(_question_mark(self.text, key.start))
            self.ends.append(max(key.end, value.end))
            colon = _skip(self.text, key.end)
            self.behind.append(colon + 1)
            if not self.flow and not self.text.startswith(":", colon):
                raise EditError("an explicit key without a value cannot be edited in place")


def _question_mark(text: str, key: int) -> int:
    """Return where an explicit key (``? key``) begins; for any other key its own place."""
    mark = key - 1
    while mark >= 0 and text[mark] in " \t\r\n":
        mark -= 1
    if mark < 0 or text[mark] != "?":
        return key
    is_indicator = not text[text.rfind("\n", 0, mark) + 1 : mark].strip(" \t-?:")
    return mark if is_indicator else key


def _first_dash(text: str, node: Sequence) -> int:
    properties = _PROPERTIES.match(text, node.start)
    return properties.end() if properties else node.start


def style_of(text: str, root: Node) -> Layout:
    """Return the predominant layout of the text.

    That of kustomize (two columns, compact lists) by default.
    """
    steps: Counter[int] = Counter()
    dashes: Counter[int] = Counter()
    for node in walk(root):
        if isinstance(node, Mapping) and not node.flow:
            for key, value in node.entries:
                if not isinstance(value, Scalar):
                    _count(text, column_of(text, key.start), value, steps, dashes)
    return Layout(
        step=_most(steps, 2, 1),
        dash=_most(dashes, 0, 0),
        newline=newline_of(text),
        json=text.lstrip()[:1] in ("{", "[") and _has_only_keys_of_json(root),
    )


def _has_only_keys_of_json(root: Node) -> bool:
    return all(
        quote_of(key) == '"'
        for node in walk(root)
        if isinstance(node, Mapping)
        for key, _ in node.entries
    )


def _count(text: str, column: int, value: Node, steps: Counter[int], dashes: Counter[int]) -> None:
    if isinstance(value, Mapping) and not value.flow and value.entries:
        steps[column_of(text, value.entries[0][0].start) - column] += 1
    elif isinstance(value, Sequence) and not value.flow and value.items:
        dashes[column_of(text, _first_dash(text, value)) - column] += 1


def _most(counted: Counter[int], default: int, least: int) -> int:
    possible = {columns: times for columns, times in counted.items() if columns >= least}
    return max(possible, key=lambda columns: possible[columns]) if possible else default


def style_near(text: str, node: Mapping | Sequence, place: Geometry, style: Layout) -> Layout:
    """Return ``style`` adapted to the siblings of a new child.

    Quotes, columns behind a dash, JSON or not.
    """
    dash, width = style.dash, style.width
    if isinstance(node, Mapping) and not node.flow:
        own: Counter[int] = Counter()
        for _, value in node.entries:
            if not isinstance(value, Scalar):
                _count(text, place.column, value, Counter(), own)
        dash = _most(own, dash, 0)
    if isinstance(node, Sequence) and not node.flow:
        gaps = [item.start - start for item, start in zip(node.items, place.starts, strict=True)]
        in_line = [
            gap
            for gap, start in zip(gaps, place.starts, strict=True)
            if "\n" not in text[start : start + gap]
        ]
        width = max(in_line[-1], 2) if in_line else width
    is_json = style.json or _is_json(node)
    return style._replace(json=is_json, quotes=_quotes(node), dash=dash, width=width)


def _is_json(node: Node) -> bool:
    if isinstance(node, Sequence):
        return node.flow and bool(node.items) and _is_json(node.items[-1])
    return (
        isinstance(node, Mapping)
        and node.flow
        and bool(node.entries)
        and quote_of(node.entries[0][0]) == '"'
    )


def _quotes(node: Mapping | Sequence) -> tuple[tuple[str, str], ...]:
    if isinstance(node, Mapping) or not node.items:
        return ()
    last = node.items[-1]
    if isinstance(last, Mapping):
        return tuple((key_text(key), quote_of(value)) for key, value in last.entries)
    return (("", quote_of(last)),)


def quote_of(node: Node) -> str:
    """Return the quote around a scalar; "" for one without, and for a collection."""
    return node.style if isinstance(node, Scalar) and node.style in ("'", '"') else ""
