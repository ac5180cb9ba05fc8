"""YAML text: its lines, and a tree that knows the position of each value.

PyYAML and the YAML library of Go end a line also at a carriage return alone, at NEL, and at U+2028 and U+2029
(YAML 1.1, section 5.4). ``with_line_feeds`` makes line feeds of these, so that everything else knows one line break.

In the tree nothing is resolved and nothing is lost: an alias stays an alias, a key that is there twice stays twice.
PyYAML's own ``compose`` forgets both, so the tree is built from its events. Positions are offsets into the text, in
characters.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

import yaml
from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    StreamEndEvent,
)

from krm_fn.errors import InputError, TextError
from krm_fn.light_typing import Any, NamedTuple

# Where a word starts, and where it ends (behind its last character).
Span = tuple[int, int]

# Write the string in the place of ``text[start:end]``; an edit with start == end inserts.
Edit = tuple[int, int, str]

RARE_BREAKS = "\r(?!\n)|[\x85\u2028\u2029]"
# Every character that is a line break or part of one.
BREAKS = frozenset("\r\n\x85\u2028\u2029")

# Deeper nesting is refused: no manifest needs it, and the tree is walked by functions that call themselves.
MAX_DEPTH = 500

_PARSER: Any = yaml.cyaml.CParser if yaml.__with_libyaml__ else yaml.SafeLoader  # type: ignore[attr-defined]


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


class Node:
    """A value of the text; ``start`` includes its anchor and tag, ``end`` is behind its last character."""

    __slots__ = ("end", "start")

    def __init__(self, start: int, end: int) -> None:
        self.start = start
        self.end = end


class Scalar(Node):
    """``style`` is ``""`` for plain, else one of ``'``, ``"``, ``|``, ``>``; ``tag`` is empty unless written."""

    __slots__ = ("style", "tag", "value")

    def __init__(self, start: int, end: int, value: str, style: str, tag: str) -> None:
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


class Collection(Node):
    """A list or a mapping, in block style or in flow style; its end is known when it has been read."""

    __slots__ = ("flow",)

    def __init__(self, start: int, *, flow: bool) -> None:
        super().__init__(start, start)
        self.flow = flow


class Sequence(Collection):
    """A list."""

    __slots__ = ("items",)

    def __init__(self, start: int, *, flow: bool) -> None:
        super().__init__(start, flow=flow)
        self.items: list[Node] = []


class Mapping(Collection):
    """Pairs of key and value in the order of the text."""

    __slots__ = ("entries",)

    def __init__(self, start: int, *, flow: bool) -> None:
        super().__init__(start, flow=flow)
        self.entries: list[tuple[Node, Node]] = []


def compose(text: str) -> Node:
    """Return the tree of the one document that ``text`` holds.

    Raises:
        InputError: the text is not YAML, holds no or several documents, nests too deep, or uses an unknown alias. The
            message names line and column, never the text around them: it may hold a credential.
    """
    try:
        composer = _Composer(text)
        if composer.next_document() is None:
            raise InputError("the input is empty: it must be one YAML document")
        root = composer.root()
        second = composer.next_document()
    except yaml.YAMLError as error:
        raise _without_text(error, text) from None
    if second is not None:
        raise _error("the input must be one YAML document, but a second one begins", second)
    return root


def is_yaml(text: str) -> bool:
    """Return whether a text can be parsed as YAML; without a tree, which takes eight times as long."""
    parser = _PARSER(text)
    try:
        if yaml.__with_libyaml__:
            parser.raw_parse()
        else:
            while parser.check_event():
                parser.get_event()
    except yaml.YAMLError:
        return False
    return True


def walk(node: Node) -> Iterator[Node]:
    """Yield ``node`` and everything in it, in the order of the text; aliases are not followed."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        if isinstance(current, Sequence):
            pending.extend(reversed(current.items))
        elif isinstance(current, Mapping):
            for key, value in reversed(current.entries):
                pending += [value, key]


class _Composer:
    """Builds the trees of a text from the events of PyYAML, whose errors it raises."""

    def __init__(self, text: str) -> None:
        self._text = with_line_feeds(text)
        self._anchors: dict[str, Node] = {}
        self._next = _PARSER(text).get_event
        self._next()  # the stream starts

    def next_document(self) -> Any:
        """Go to the next document; return the mark of its start, None behind the last one."""
        self._anchors.clear()
        event = self._next()
        if type(event) is DocumentEndEvent:
            event = self._next()
        if type(event) is StreamEndEvent:
            return None
        return event.start_mark

    def root(self) -> Node:
        """Return the tree of the document."""
        return self._node(self._next(), 0)

    def _node(self, event: Any, depth: int) -> Node:
        """Return the value that begins with an event; it compares classes because a text has many events."""
        kind = type(event)
        if kind is ScalarEvent:
            return self._scalar(event)
        if kind is AliasEvent:
            return self._alias(event)
        if depth >= MAX_DEPTH:
            raise _error(f"nested more than {MAX_DEPTH} levels deep", event.start_mark)
        start = event.start_mark.index
        anchor = event.anchor
        is_flow = bool(event.flow_style)
        node: Mapping | Sequence
        last = None
        next_event = self._next
        scalar = self._scalar  # called directly: nearly all nodes are scalars
        if kind is MappingStartEvent:
            node = Mapping(start, flow=is_flow)
            if anchor:
                self._anchors[anchor] = node
            while type(event := next_event()) is not MappingEndEvent:
                is_scalar = type(event) is ScalarEvent
                key = scalar(event) if is_scalar else self._node(event, depth + 1)
                event = next_event()
                is_scalar = type(event) is ScalarEvent
                last = scalar(event) if is_scalar else self._node(event, depth + 1)
                node.entries.append((key, last))
        else:
            node = Sequence(start, flow=is_flow)
            if anchor:
                self._anchors[anchor] = node
            while type(event := next_event()) is not SequenceEndEvent:
                last = self._node(event, depth + 1)
                node.items.append(last)
        node.end = event.end_mark.index
        if last and not is_flow:
            node.end = last.end
        return node

    def _scalar(self, event: Any) -> Scalar:
        start = event.start_mark.index
        end = event.end_mark.index
        style = event.style or ""
        if style in ("|", ">"):
            end = _end_of_block(self._text, start, end)
        elif start == end:  # nothing, which PyYAML finds where the next thing begins
            start = end = len(self._text[:start].rstrip(" \t\r\n"))
        node = Scalar(start, end, event.value, style, event.tag or "")
        if event.anchor:
            self._anchors[event.anchor] = node
        return node

    def _alias(self, event: Any) -> Alias:
        target = self._anchors.get(event.anchor or "")
        if target is None:
            remedy = "quote a text that begins with `*`"
            raise _error("an alias has no anchor before it", event.start_mark, remedy)
        if (
            isinstance(target, Collection) and target.start == target.end
        ):  # it has not been read to its end
            raise _error("an alias must not be inside its own anchor", event.start_mark)
        return Alias(event.start_mark.index, event.end_mark.index, target)


def _end_of_block(text: str, start: int, end: int) -> int:
    """Return the end of a block scalar, without its line break and, except with ``|+``, without empty lines."""
    raw = text[start:end]
    header = raw.partition("\n")[0].partition("#")[0]
    if "+" in header:
        return start + len(raw.removesuffix("\n").removesuffix("\r"))
    return start + len(raw.rstrip("\r\n"))


def _without_text(error: yaml.YAMLError, text: str) -> InputError:
    """Return an error of ours for one of PyYAML, whose message would quote the text."""
    if isinstance(error, yaml.reader.ReaderError):
        # libyaml gives its position in bytes.
        unreadable = yaml.reader.Reader.NON_PRINTABLE.search(text)
        before = with_line_feeds(text)
        if unreadable:
            before = before[: unreadable.start()]
        line = before.count("\n") + 1
        column = len(before) - before.rfind("\n")
        return TextError(f"not valid YAML: {error.reason}", line, column)
    assert isinstance(error, yaml.MarkedYAMLError)  # noqa: S101 -- PyYAML raises no other one when it reads
    mark = error.problem_mark or error.context_mark
    problem = error.problem or error.context or ""
    if "tag handle" in problem:  # without libyaml its name follows, a part of the text
        problem = problem.partition(" '")[0]
    return _error(f"not valid YAML: {problem}", mark, _remedy(text, mark))


def _remedy(text: str, mark: Any) -> str:
    """Return advice on frequent mistakes, by the place where the text cannot be read any more."""
    lines = with_line_feeds(text).split("\n")[: mark.line + 1]
    for number in range(len(lines), 0, -1):
        line = lines[number - 1]
        if line.startswith("<<<<<<< "):
            return f"resolve the conflict that git marked in line {number}"
        if line.lstrip(" ").startswith("\N{NO-BREAK SPACE}"):
            return f"indent line {number} with blanks: a no-break space is there"
    indent = lines[-1][: mark.column + 1]
    if "\t" in indent and not indent.strip():
        return "indent the line with blanks, because YAML takes no tab there"
    if indent[:-1].endswith("*"):
        return "quote a text that begins with `*`"
    return ""


def _error(problem: str, mark: Any, remedy: str = "") -> TextError:
    return TextError(problem, mark.line + 1, mark.column + 1, remedy)
