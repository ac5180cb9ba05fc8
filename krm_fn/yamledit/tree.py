"""YAML text as a tree that knows the position of each value.

Nothing is resolved and nothing is lost; an alias stays an alias, a duplicated key stays twice.
PyYAML's ``compose`` forgets both, so the tree is built from its events.

All positions are offsets into the text, in characters.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml
from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from krm_fn.errors import InputError, TextError
from krm_fn.yamledit.breaks import with_line_feeds
from krm_fn.yamledit.surrogates import ReadableText

MAX_DEPTH = 500
"""Deeper nesting is refused: no manifest needs it, and every consumer of the tree may walk it recursively."""

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Node:
    """A value of the text; ``start`` includes its anchor and tag, ``end`` is behind its last character.

    The end of a block collection is the end of its last child (PyYAML's own mark lies on a later line), that of a block
    scalar the end of its last line of content, line break excluded.
    """

    __slots__ = ("end", "start")

    def __init__(self, start: int, end: int) -> None:
        self.start = start
        self.end = end


class Scalar(Node):
    """``style`` is ``""`` for plain, else one of ``'``, ``"``, ``|``, ``>``; ``tag`` is empty unless written."""

    __slots__ = ("style", "tag", "value")

    def __init__(self, start: int, end: int, value: str, style: str = "", tag: str = "") -> None:
        self.start = start
        self.end = end
        self.value = value
        self.style = style
        self.tag = tag


class Alias(Node):
    """``*name``; ``target`` is the anchored node itself."""

    __slots__ = ("target",)

    def __init__(self, start: int, end: int, target: Node) -> None:
        super().__init__(start, end)
        self.target = target


class Sequence(Node):
    """A list, in block style or in flow style; its end is known when it has been read."""

    __slots__ = ("flow", "items")

    def __init__(self, start: int, *, flow: bool) -> None:
        super().__init__(start, start)
        self.flow = flow
        self.items: list[Node] = []


class Mapping(Node):
    """Pairs of key and value in the order of the text; its end is known when it has been read."""

    __slots__ = ("entries", "flow")

    def __init__(self, start: int, *, flow: bool) -> None:
        super().__init__(start, start)
        self.flow = flow
        self.entries: list[tuple[Node, Node]] = []


def compose(text: str) -> Node:
    """Return the tree of the one document that ``text`` holds.

    Raises:
        InputError: the text is not YAML, holds no or several documents, nests too deep, or uses an unknown alias. The
            message names line and column, never the text around them: it may hold a credential.
    """
    source = ReadableText(text)
    builder = _Builder(source, with_line_feeds(source.text))
    for event in _events(source.text):
        if type(event) is DocumentStartEvent and builder.root is not None:
            raise _error(
                "the input must be one YAML document, but a second one begins", event.start_mark
            )
        builder.take(event)
    if builder.root is None:
        raise InputError("the input is empty: it must be one YAML document")
    return builder.root


def compose_all(text: str) -> Iterator[Node]:
    """Yield the trees of all documents of ``text`` as PyYAML splits it, without empty documents.

    Raises:
        InputError: as ``compose``, but for the number of documents.
    """
    source = ReadableText(text)
    with_breaks = with_line_feeds(source.text)
    builder = _Builder(source, with_breaks)
    for event in _events(source.text):
        if type(event) is DocumentStartEvent:
            builder = _Builder(source, with_breaks)
        builder.take(event)
        if (
            type(event) is DocumentEndEvent
            and builder.root
            and builder.root.start < builder.root.end
        ):
            yield builder.root


def _events(text: str) -> Iterator[Event]:
    try:
        loader = _LOADER(text)
        while loader.check_event():
            yield loader.get_event()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _error(f"not valid YAML: {error.problem or error.context}", mark) from None
    except yaml.reader.ReaderError as error:
        before = with_line_feeds(_text_before(text, error.position))
        line = before.count("\n") + 1
        column = len(before) - before.rfind("\n")
        raise TextError(f"not valid YAML: {error.reason}", line, column) from None


def _text_before(text: str, position: int) -> str:
    """Return what is before a position of ``ReaderError``: libyaml counts bytes, PyYAML characters."""
    if _LOADER is yaml.SafeLoader:
        return text[:position]
    return text.encode(errors="surrogatepass")[:position].decode(errors="surrogatepass")


def _error(problem: str, mark: Any, remedy: str = "") -> InputError:
    if not mark:
        return InputError(f"{problem}: {remedy}" if remedy else problem)
    return TextError(problem, mark.line + 1, mark.column + 1, remedy)


class _Builder:
    """Builds the tree event by event; an explicit stack, so that the code can limit the depth."""

    def __init__(self, source: ReadableText, text: str) -> None:
        self.source = source
        self.text = (
            text  # the same for all documents: made once, so that many of them take linear time
        )
        self.root: Node | None = None
        self.anchors: dict[str, Node] = {}
        self.stack: list[Sequence | Mapping] = []
        self.keys: list[Node | None] = []

    def take(self, event: Any) -> None:
        # A text has many events: their class is compared, which takes half the time of `isinstance`.
        kind = type(event)
        if kind is ScalarEvent:
            self._place(self._scalar(event), event.anchor)
        elif kind is MappingStartEvent:
            self._open(Mapping(event.start_mark.index, flow=bool(event.flow_style)), event)
        elif kind is SequenceStartEvent:
            self._open(Sequence(event.start_mark.index, flow=bool(event.flow_style)), event)
        elif kind is MappingEndEvent or kind is SequenceEndEvent:
            self._close(event.end_mark.index)
        elif kind is AliasEvent:
            self._place(self._alias(event), None)

    def _scalar(self, event: Any) -> Scalar:
        start, end = event.start_mark.index, event.end_mark.index
        style = event.style or ""
        if style in ("|", ">"):
            end = _end_of_block_scalar(self.text, start, end)
        elif start == end:  # nothing, which PyYAML finds where the next thing begins
            start = end = _end_of_text_before(self.text, start)
        return Scalar(start, end, self.source.meaning(event.value), style, event.tag or "")

    def _alias(self, event: Any) -> Alias:
        target = self.anchors.get(event.anchor or "")
        if target is None:
            remedy = "quote a text that begins with `*`"
            raise _error("an alias has no anchor before it", event.start_mark, remedy)
        if any(target is open_node for open_node in self.stack):
            raise _error("an alias must not be inside its own anchor", event.start_mark)
        return Alias(event.start_mark.index, event.end_mark.index, target)

    def _open(self, node: Sequence | Mapping, event: Any) -> None:
        if len(self.stack) >= MAX_DEPTH:
            raise _error(f"nested more than {MAX_DEPTH} levels deep", event.start_mark)
        self._place(node, event.anchor)
        self.stack.append(node)
        self.keys.append(None)

    def _close(self, end: int) -> None:
        node = self.stack.pop()
        self.keys.pop()
        if isinstance(node, Sequence):
            last = node.items[-1] if node.items else None
        else:
            last = node.entries[-1][1] if node.entries else None
        node.end = end if node.flow or last is None else last.end

    def _place(self, node: Node, anchor: str | None) -> None:
        if anchor:
            self.anchors[anchor] = node
        if not self.stack:
            self.root = node
            return
        parent = self.stack[-1]
        if isinstance(parent, Sequence):
            parent.items.append(node)
        elif self.keys[-1] is None:
            self.keys[-1] = node
        else:
            parent.entries.append((self.keys[-1], node))
            self.keys[-1] = None


def _end_of_text_before(text: str, position: int) -> int:
    while position and text[position - 1] in " \t\r\n":
        position -= 1
    return position


def _end_of_block_scalar(text: str, start: int, end: int) -> int:
    """Return the end of a block scalar, without its line break and, except with ``|+``, without empty lines."""
    raw = text[start:end]
    keeps_blank_lines = "+" in raw.partition("\n")[0].partition("#")[0]
    if keeps_blank_lines:
        return start + len(raw.removesuffix("\n").removesuffix("\r"))
    return start + _end_of_content(raw)


def _end_of_content(text: str) -> int:
    """Return where the final line breaks of ``text`` begin."""
    end = len(text)
    while text.endswith("\n", 0, end):
        end -= 2 if text.endswith("\r\n", 0, end) else 1
    return end


def walk(node: Node) -> Iterator[Node]:
    """Yield ``node`` and everything in it, in the order of the text; aliases are not followed."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        if isinstance(current, Sequence):
            pending.extend(reversed(current.items))
        elif isinstance(current, Mapping):
            pending.extend(part for entry in reversed(current.entries) for part in reversed(entry))
