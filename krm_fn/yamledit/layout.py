"""The layout of a text: where the parts of a collection are, and the style of its author.

It measures and changes nothing. Positions are offsets into a text whose lines end at line feeds.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from krm_fn.light_typing import NamedTuple
from krm_fn.yamledit.data import key_text
from krm_fn.yamledit.render import Layout, is_plain
from krm_fn.yamledit.tree import (
    Collection,
    Mapping,
    Node,
    Scalar,
    Sequence,
    column_of,
    end_of_line,
    end_of_match,
    starts_line,
    walk,
)

_SPACE_AND_COMMENTS = r"(?:[ \t\r\n]+|#[^\n]*)*"
_PROPERTIES = r"(?:[&!][^ \t\r\n]*(?:[ \t\r\n]+|#[^\n]*)*)*"
_BLOCK_HEADER = r"(?:[&!][^ \t\r\n]*[ \t]+)*[|>][-+0-9]*"
_COMMENT_BELOW = r"(?:\r?\n[ \t]*)*\r?\n(?P<indent> *)#[^\r\n]*"


# In the note on a key whose value was on a line below it; see ``was``.
NOTE_OF_VALUE_BELOW = r" was:\n"
# Where a value is: the whole document, behind a key, behind a dash, or in a flow collection.
ROOT, KEY, DASH, FLOW = "root", "key", "dash", "flow"


class Slot(NamedTuple):
    """Where a value, or a member or an item of a collection, is.

    Attributes:
        node: the value.
        kind: ``ROOT``, ``KEY``, ``DASH`` or ``FLOW``.
        start: where it begins: its key, its dash, in a flow list itself.
        behind: the position behind its ``:`` or ``-``; in a flow list its start.
        end: where it ends.
        name: the key of a member.
    """

    node: Node
    kind: str
    start: int
    behind: int
    end: int
    name: str = ""


def slots_of(text: str, node: Mapping | Sequence) -> list[Slot]:
    """Return where the members or items of a collection are."""
    slots = []
    if isinstance(node, Mapping):
        slots = [slot_of(text, node, key, value) for key, value in node.entries]
    elif node.flow:
        slots = [Slot(item, FLOW, item.start, item.start, item.end) for item in node.items]
    else:
        position = end_of_match(_PROPERTIES, text, node.start)
        for item in node.items:
            dash = end_of_match(_SPACE_AND_COMMENTS, text, position)
            slots.append(Slot(item, DASH, dash, dash + 1, item.end))
            position = item.end
    return slots


def slot_of(text: str, node: Mapping, key: Node, value: Node) -> Slot:
    """Return where a member of a mapping is."""
    kind = KEY
    if node.flow:
        kind = FLOW
    start = _begin_of_key(text, key.start)
    behind = end = key.end
    colon = end_of_match(_SPACE_AND_COMMENTS, text, behind)
    if text.startswith(":", colon):  # else an explicit key without a value
        behind = colon + 1
        end = max(end, value.end)
    return Slot(value, kind, start, behind, end, key_text(key))


class Surroundings(NamedTuple):
    """All from the ``:`` or ``-`` in front of a value to the end of its last line: comments belong to nobody's value.

    Attributes:
        head: the rest of the first line, with its comment, where the value is on a line below it.
        above: the lines of comments between, each behind its line break.
        gap: the blanks in front of the value; below the first line, its line break and indentation.
        words: the value as it is written; of a block scalar its header, of a block collection nothing.
        tail: the comment behind the words, on their line.
        end: where the last line ends.
        is_below: whether the value is on a line below the first one.
    """

    head: str
    above: str
    gap: str
    words: str
    tail: str
    end: int
    is_below: bool


def surroundings_of(text: str, slot: Slot) -> Surroundings:
    """Return what is around the value of a member or an item in block style."""
    node = slot.node
    first_end = end_of_line(text, slot.behind)
    end = max(first_end, end_of_line(text, node.end))
    is_below = node.start > first_end
    head = above = ""
    start = slot.behind
    if is_below:
        start = end_of_line(text, text.rfind("\n", 0, node.start))
        head = text[slot.behind : first_end]
        above = text[first_end:start]
    gap = text[start : node.start]
    words_end = node.end
    tail_end = end
    if is_block(node):
        words_end = tail_end = node.start
    elif isinstance(node, Scalar) and node.style in ("|", ">"):
        words_end = end_of_match(_BLOCK_HEADER, text, node.start)
        tail_end = end_of_line(text, words_end)
    words = text[node.start : words_end]
    tail = text[words_end:tail_end]
    if node.end > first_end and not tail.strip():
        tail = ""
    return Surroundings(head, above, gap, words, tail, end, is_below)


def is_block(node: Node) -> bool:
    """Return whether a value is a collection in block style."""
    return isinstance(node, Collection) and not node.flow


def _begin_of_key(text: str, key: int) -> int:
    """Return where an explicit key (``? key``) begins; for any other key its own place."""
    start = key - 1
    while start > 0 and text[start].isspace():
        start -= 1
    if start < 0 or text[start] != "?":
        return key
    line = text[text.rfind("\n", 0, start) + 1 : start]
    if line.strip(" \t-?:"):
        return key
    return start


def end_of_child(text: str, end: int, column: int) -> int:
    """Return the end of the last line of a child, which ends at ``end``, of a block collection at ``column``.

    Comments below it that are indented deeper are its own: behind a literal block they would become words of it.
    """
    position = end_of_line(text, end)
    while comment := re.compile(_COMMENT_BELOW).match(text, position):
        if len(comment["indent"]) <= column:
            break
        position = comment.end()
    return position


def above_comments(text: str, start: int) -> int:
    """Return where the lines of comments directly above the item at ``start`` begin; ``start`` if there are none.

    Blank lines among them count as well. Comments at the beginning of a text are those of the whole text.
    """
    if not starts_line(text, start):
        return start
    position = start - column_of(text, start)
    begin = start
    while position > 0:
        line = text.rfind("\n", 0, position - 1) + 1
        words = text[line:position].strip()
        if words and not words.startswith("#"):
            if NOTE_OF_VALUE_BELOW in words:
                return start  # the comments were above the value that the list has replaced
            return begin
        position = line
        if words:
            begin = line
    return start


def style_of(text: str, root: Node) -> Layout:
    """Return the predominant layout of the text; that of kustomize (two columns, compact lists) by default."""
    steps = []
    dashes = []
    is_json = text.lstrip().startswith(("{", "["))
    if is_json:
        mappings = [node for node in walk(root) if isinstance(node, Mapping)]
        is_json = all(quote_of(key) == '"' for node in mappings for key, _ in node.entries)
    pending = [root]
    # Scalars have no layout, and neither have values inside of a flow collection.
    while pending:
        node = pending.pop()
        if isinstance(node, Mapping):
            indents = list(_indents(text, node))
            for value, columns in indents:
                if isinstance(value, Sequence):
                    dashes.append(columns)
                elif columns:
                    steps.append(columns)
            pending += [value for value, _ in reversed(indents)]
        elif isinstance(node, Sequence) and not node.flow:
            pending += [item for item in reversed(node.items) if isinstance(item, Collection)]
    return Layout(_usual(steps, 2), _usual(dashes, 0), json=is_json)


def _indents(text: str, node: Mapping) -> Iterator[tuple[Node, int]]:
    """Yield each block collection in a mapping, and how much deeper than its key it is."""
    if node.flow:
        return
    for key, value in node.entries:
        if isinstance(value, Collection) and not value.flow:
            start = end_of_match(_PROPERTIES, text, value.start)
            columns = column_of(text, start) - column_of(text, key.start)
            if columns >= 0:
                yield value, columns


def _usual(columns: Iterable[int], default: int) -> int:
    """Return the number that occurs most often, the first of several."""
    counts = Counter(columns)
    return max(counts, key=counts.__getitem__, default=default)


def style_near(text: str, node: Mapping | Sequence, slots: list[Slot], style: Layout) -> Layout:
    """Return ``style`` adapted to the siblings of a new child: quotes, columns behind a dash, JSON or not."""
    if _is_json(node):
        style = style._replace(json=True)
    if isinstance(node, Mapping):
        lists = [columns for value, columns in _indents(text, node) if isinstance(value, Sequence)]
        return style._replace(dash=_usual(lists, style.dash), quotes={})
    last = node.items[-1]
    quotes = {"": quote_of(last)}
    if isinstance(last, Mapping):  # for the next item
        quotes = {key_text(key): quote_of(value) for key, value in last.entries}
    style = style._replace(quotes=quotes, plain=_is_plain_without_need(node.items))
    for slot in reversed(slots):
        before = text[slot.start : slot.node.start]
        if before and "\n" not in before:
            width = max(len(before), 2)
            return style._replace(width=width)
    return style


def _is_json(node: Node) -> bool:
    while isinstance(node, Sequence) and node.flow and node.items:
        node = node.items[-1]
    if not isinstance(node, Mapping) or not node.flow:
        return False
    return [quote_of(key) for key, _ in node.entries[:1]] == ['"']


def _is_plain_without_need(items: list[Node]) -> bool:
    """Return whether the texts of a list have quotes only where they need them: the last one that does not decides."""
    for item in reversed(items):
        if isinstance(item, Scalar) and is_plain(item.value):
            return item.style == ""
    return True


def quote_of(node: Node) -> str:
    """Return the quote around a scalar; "" for one without, and for a collection."""
    if isinstance(node, Scalar) and node.style in ("'", '"'):
        return node.style
    return ""
