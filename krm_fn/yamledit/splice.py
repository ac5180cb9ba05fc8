"""From the shadow to edits of the text.

An edit touches the lines of what it is about and no others. It need not be right in every layout
one can think of: what it gives is proven, and where the proof fails a coarser edit is tried.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from krm_fn.light_typing import Any, NamedTuple
from krm_fn.yamledit import layout
from krm_fn.yamledit.document import PLAIN
from krm_fn.yamledit.layout import Geometry
from krm_fn.yamledit.origin import FormerValue, marked, plain_data, with_breaks
from krm_fn.yamledit.render import Layout, after_indicator, block, flow, is_literal, key
from krm_fn.yamledit.shadow import Child, Spot
from krm_fn.yamledit.tree import Mapping as MappingNode
from krm_fn.yamledit.tree import Node, Scalar, Sequence, walk
from krm_fn.yamledit.view import same, scalar_value, view


class TextEdit(NamedTuple):
    """Put ``text`` in place of the text from ``start`` to ``end``."""

    start: int
    end: int
    text: str


def splice(text: str, edits: list[TextEdit]) -> str:
    """Return ``text`` with all edits made.

    Of edits at one place the earlier in the list comes first.
    """
    parts: list[str] = []
    position = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        parts += [text[position : edit.start], edit.text]
        position = max(position, edit.end)
    return "".join([*parts, text[position:]])


class Origins(NamedTuple):
    """What values were before (``known``), and the outermost ``members`` of which that is not kept.

    ``comment`` begins the comment that keeps it; JSON knows none, so nothing is kept there.
    """

    known: Mapping[Node, FormerValue]
    members: Collection[str] = ()
    comment: str = PLAIN


def edits(text: str, root: Spot, style: Layout, before: Origins) -> list[TextEdit]:
    """Return the edits that bring the text to the state of the shadow.

    Inner ones before outer ones at one place.

    Raises:
        EditError: a layout that cannot be edited in place.
    """
    return list(
        _Writer(text, style, before, _members_at(root.node, before.members)).spot(root, None, 0)
    )


_WRITTEN_EMPTY = r" \{\}(?:[ \t]+#(?:.*[^ ])?)?"
"""What is behind the colon of an empty mapping, in the bytes that ``_Writer`` gives to one that loses all members."""


class _Writer:
    def __init__(
        self, text: str, style: Layout, before: Origins, envelope: Collection[int]
    ) -> None:
        self.text = text
        self.style = style
        self.before = before
        self.envelope = envelope

    def spot(self, spot: Spot, place: Geometry | None, index: int) -> Iterator[TextEdit]:
        """Yield edits for the child ``index`` of ``place``; the root has no place."""
        node = spot.node
        if node is None or (spot.kept and spot.children is None):
            return
        origin = self.before.known.get(node)
        if origin and place and same(plain_data(spot.plain()), origin.data):
            end = node.end if place.flow else layout.end_of_line(self.text, node.end)
            yield TextEdit(place.behind[index], end, origin.text)
            return
        is_member = place is not None and not place.flow and not place.is_list
        if is_member and self.is_line(node) and _grows(spot):
            spot.rewrite()
        if spot.kept and isinstance(node, (MappingNode, Sequence)) and _keeps_one(node, spot):
            yield from self.collection(node, spot.children or [])
        elif place is not None and (changes := self.restyled(spot, node, place)):
            yield from changes
        elif place is None:
            yield self.root(spot.plain(), node)
        elif place.flow:
            yield self.in_flow(node, spot, place, index)
        else:
            yield from self.behind_indicator(spot, node, place, index)

    def restyled(self, spot: Spot, node: Node, place: Geometry) -> list[TextEdit]:
        """Return the edits that give a scalar its new value in its author's style; none if there is no such way."""
        if not isinstance(node, Scalar) or not isinstance(spot.value, str):
            return []
        if self.style.json and layout.quote_of(node) != '"':
            return []  # JSON knows no text without double quotes
        from krm_fn.yamledit.restyle import Frame, restyled  # noqa: PLC0415 -- most edits only add

        raw = self.text[node.start : node.end]
        changes = restyled(
            raw, node, spot.value, Frame(place.column, self.style.newline, place.flow)
        )
        return [
            TextEdit(node.start + start, node.start + end, text)
            for start, end, text in changes or ()
        ]

    def is_line(self, node: Node) -> bool:
        """Return whether a node is a flow collection on one line, which can become a block without losing a comment."""
        if (
            not isinstance(node, (MappingNode, Sequence))
            or not node.flow
            or "\n" in self.text[node.start : node.end]
        ):
            return False
        keys = (
            key
            for inner in walk(node)
            if isinstance(inner, MappingNode)
            for key, _ in inner.entries
        )
        return not any(isinstance(key, (MappingNode, Sequence)) for key in keys)

    def collection(self, node: MappingNode | Sequence, children: list[Child]) -> Iterator[TextEdit]:
        """Yield edits inside a collection that stays: in its children, then removals, then additions."""
        stay = {child.index: child.spot for child in children if child.index is not None}
        if len(stay) == len(children) == _size(node) and all(
            spot.kept and spot.children is None for spot in stay.values()
        ):
            return
        place = Geometry(self.text, node)
        for index, spot in stay.items():
            yield from self.spot(spot, place, index)
        for first, last in _runs(set(range(_size(node))) - stay.keys()):
            yield self.removal(place, first, last)
        if len(stay) == len(children):  # nothing is new
            return
        style = layout.style_near(self.text, node, place, self.style)
        behind: int | None = None
        for child in children:
            if child.index is not None:
                behind = child.index
            else:
                insertion = self.flow_insertion if place.flow else self.block_insertion
                yield insertion(place, behind, min(stay), child, style)

    def removal(self, place: Geometry, first: int, last: int) -> TextEdit:
        """Take out the children from ``first`` to ``last``; at least one other stays."""
        text, start, end = self.text, place.starts[first], place.ends[last]
        if place.flow and first:
            return TextEdit(place.ends[first - 1], end, "")
        if place.flow:
            return TextEdit(start, place.starts[last + 1], "")
        if not layout.starts_line(text, start):
            # The line begins with the dash of the list around it; comments of the neighbour stay, below that dash.
            line_end, neighbour = layout.end_of_line(text, end), place.starts[last + 1]
            if text[line_end:neighbour].strip():
                return TextEdit(len(text[:start].rstrip(" ")), line_end, "")
            return TextEdit(start, neighbour, "")
        start -= layout.column_of(text, start)
        if start == 0:
            return TextEdit(0, text.index("\n", end) + 1, "")
        # The line break before is removed, the one behind stays: what is new behind a last child comes before that one.
        return TextEdit(layout.end_of_line(text, start - 1), layout.end_of_line(text, end), "")

    def block_insertion(
        self, place: Geometry, behind: int | None, first: int, child: Child, style: Layout
    ) -> TextEdit:
        """Return new lines below the child ``behind``, or above ``first``, the first one that stays."""
        value = child.spot.plain()
        new = [value] if child.key is None else {child.key: value}
        lines = style.newline.join(block(new, place.column, style))
        if behind is not None:
            position = layout.end_of_child(self.text, place.ends[behind], place.column)
            return TextEdit(position, position, style.newline + lines)
        start = place.starts[first]
        above = layout.above_comments(self.text, start) if child.key is None else start
        if above < start:  # the comments above the first item stay with it
            return TextEdit(above, above, lines + style.newline)
        pad = " " * place.column
        return TextEdit(start, start, lines.removeprefix(pad) + style.newline + pad)

    def flow_insertion(
        self, place: Geometry, behind: int | None, first: int, child: Child, style: Layout
    ) -> TextEdit:
        """Return a new member behind the child ``behind``, or before ``first``.

        On a line of its own if that one has one.
        """
        quote = dict(style.quotes).get("", "")  # a member has no neighbour with quotes
        head = "" if child.key is None else key(child.key, flow=True, json=style.json) + ": "
        member = head + flow(child.spot.plain(), style, quote)
        neighbour = place.starts[first if behind is None else behind]
        gap = " "
        if layout.starts_line(self.text, neighbour):
            gap = style.newline + " " * layout.column_of(self.text, neighbour)
        if behind is None:
            return TextEdit(neighbour, neighbour, member + "," + gap)
        return TextEdit(place.ends[behind], place.ends[behind], "," + gap + member)

    def in_flow(self, node: Node, spot: Spot, place: Geometry, index: int) -> TextEdit:
        """Rewrite a child of a flow collection.

        What was nothing stays in a comment behind its key.
        """
        value = spot.plain()
        text = flow(value, self.style)
        if place.is_list or not value or not isinstance(value, (dict, list)):
            return TextEdit(node.start, node.end, text)
        words = self.text[place.behind[index] : node.end]
        if (
            self.style.json
            or "\n" in words
            or not _is_nothing(node)
            or self.is_envelope(place, index)
        ):
            return TextEdit(node.start, node.end, text)
        if spot.stays and self.text[node.start : node.end] == "{}":
            return TextEdit(node.start, node.end, text)
        pad = " " * (layout.column_of(self.text, place.starts[index]) + self.style.step)
        mark = marked(words, "", self.before.comment)
        return TextEdit(place.behind[index], node.end, mark + self.style.newline + pad + text)

    def behind_indicator(
        self, spot: Spot, node: Node, place: Geometry, index: int
    ) -> Iterator[TextEdit]:
        """Rewrite the value behind a ``-`` or ``:``; a comment on that line stays."""
        value = spot.plain()
        indicator, newline = place.behind[index], self.style.newline
        rest, lines = self.words(value, node, place, index)
        body = "".join(newline + line for line in lines)
        end_of_line = layout.end_of_line(self.text, indicator)
        if node.end <= end_of_line:
            if isinstance(value, (dict, list)) and value and self.is_kept(spot, node, place, index):
                tail = self.text[node.end : end_of_line]
                mark = marked(self.text[indicator : node.end], tail, self.before.comment)
                yield TextEdit(indicator, end_of_line, mark + body)
                return
            start = node.start if rest and node.start > indicator else indicator
            yield TextEdit(start, node.end, rest[1:] if start > indicator else rest)
            yield TextEdit(end_of_line, end_of_line, body)
            return
        is_below = node.start > end_of_line
        is_filled = isinstance(value, (dict, list)) and bool(value)
        end = layout.end_of_line(self.text, node.end)
        if is_filled and (_is_nothing(node) or (is_below and self.is_line(node))):
            words = self.text[indicator:end]
            if is_below:  # the comment behind the value is one of its words
                tail = self.text[indicator:end_of_line]
                if not tail.strip():
                    tail = ""
                words = words.removeprefix(tail)
            else:
                tail = self.comment_behind(node)
                words = words.removesuffix(tail)
            words = with_breaks(words)
            if words and self.is_kept(spot, node, place, index):
                yield TextEdit(indicator, end, marked(words, tail, self.before.comment) + body)
                return
        comment = self.text[indicator:end_of_line].rstrip(" ") if is_below else ""
        yield TextEdit(indicator, end, rest + comment + self.comment_behind(node) + body)

    def words(self, value: Any, node: Node, place: Geometry, index: int) -> tuple[str, list[str]]:
        """Return what follows a ``-`` or ``:``, as ``after_indicator`` does.

        A comment below a literal block that is indented as deep would become words of it: there is none then.
        """
        quote = layout.quote_of(node)
        words = after_indicator(value, place.column, self.style, dash=place.is_list, quote=quote)
        lines = words[1]
        if not lines:
            return words
        column = len(lines[-1]) - len(lines[-1].lstrip(" "))
        end = layout.end_of_line(self.text, max(node.end, place.behind[index]))
        if layout.end_of_child(self.text, end, column - 1) == end:
            return words
        style = self.style._replace(literals=False)
        in_quotes = after_indicator(value, place.column, style, dash=place.is_list, quote=quote)
        return words if in_quotes[1][-1:] == lines[-1:] else in_quotes

    def comment_behind(self, node: Node) -> str:
        """Return the comment behind a value with the blanks before it; "" behind a block, where it is of a child."""
        if isinstance(node, (MappingNode, Sequence)) and not node.flow:
            return ""
        comment = self.text[node.end : layout.end_of_line(self.text, node.end)]
        return comment if comment.strip() else ""

    def is_kept(self, spot: Spot, node: Node, place: Geometry, index: int) -> bool:
        """Return whether a node on one line, or an empty one, becomes a block and its words stay in a comment."""
        if place.is_list or self.is_envelope(place, index):
            return False
        line = self.text[place.behind[index] : layout.end_of_line(self.text, node.end)]
        if spot.stays and re.fullmatch(_WRITTEN_EMPTY, line):
            return False
        if _is_nothing(node):
            return True
        is_collection = isinstance(node, (MappingNode, Sequence))
        return is_collection and _is_left(view(node), plain_data(spot.plain()))

    def is_envelope(self, place: Geometry, index: int) -> bool:
        """Return whether the old state of a member is not kept."""
        return place.starts[index] in self.envelope

    def root(self, value: Any, node: Node) -> TextEdit:
        """Rewrite the whole document; behind ``---`` on its line there can be no block."""
        column = layout.column_of(self.text, node.start)
        end, comment = layout.end_of_line(self.text, node.end), self.comment_behind(node)
        is_behind_marker = column > 0 and self.text.startswith("---", node.start - column)
        is_filled = isinstance(value, (dict, list)) and bool(value)
        if is_behind_marker or self.style.json or not is_filled:
            return TextEdit(node.start, end, flow(value, self.style) + comment)
        lines = block(value, column, self.style)
        if comment:
            lines.insert(0, comment.strip())
        return TextEdit(node.start, end, self.style.newline.join(lines).lstrip(" "))


def _members_at(root: Node | None, names: Collection[str]) -> set[int]:
    """Return where members of the outermost mapping begin."""
    entries = root.entries if isinstance(root, MappingNode) else ()
    return {key.start for key, _ in entries if isinstance(key, Scalar) and key.value in names}


def _is_nothing(node: Node) -> bool:
    """Return whether a node is an empty collection, or null."""
    if isinstance(node, (MappingNode, Sequence)):
        return _size(node) == 0
    return isinstance(node, Scalar) and scalar_value(node) is None


def _is_left(before: Any, after: Any) -> bool:
    """Return whether something of a value is in the one that takes its place: else there is nothing to go back to."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        return not before or any(
            key in after and _is_left(value, after[key]) for key, value in before.items()
        )
    if isinstance(before, list) and isinstance(after, list):
        return not before or any(map(_is_left, before, after))
    return same(before, after)


def _grows(spot: Spot) -> bool:
    """Return whether something empty in a flow collection becomes a text of several lines, or must keep a comment.

    In flow style the first would be one long line, and the second has a place behind the key of a block. A collection
    that holds something keeps its style, so that taking the text out again leaves what was there.
    """
    if spot.node is not None and _is_nothing(spot.node):
        value = spot.plain()
        is_filled = isinstance(value, (dict, list)) and bool(value)
        return is_filled and (_is_tall(value) or not spot.stays)
    return spot.kept and any(_grows(child.spot) for child in spot.children or ())


def _is_tall(value: Any) -> bool:
    if isinstance(value, (dict, list)):
        return any(map(_is_tall, value.values() if isinstance(value, dict) else value))
    return is_literal(value)


def _size(node: MappingNode | Sequence) -> int:
    return len(node.items) if isinstance(node, Sequence) else len(node.entries)


def _keeps_one(node: MappingNode | Sequence, spot: Spot) -> bool:
    """Return whether a child stays, so that the collection is edited and not rewritten."""
    children = spot.children or []
    return any(child.index is not None for child in children) or (_size(node) == 0 and not children)


def _runs(indexes: set[int]) -> Iterator[tuple[int, int]]:
    """Yield the runs of consecutive indexes: ``{1, 2, 5}`` -> (1, 2), (5, 5)."""
    for first in sorted(indexes):
        if first - 1 not in indexes:
            last = first
            while last + 1 in indexes:
                last += 1
            yield first, last
