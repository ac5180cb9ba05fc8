r"""What a member was before it got its first items: ``files: # was: []``, so that it can be that again.

A list that loses its last item is removed with its key, because that restores the text if there was none before. Where
its author wrote ``files: []``, ``files: ~`` or ``files:``, only the text shows it, so these words stay in a
comment behind the key while something else is there. An operation that would remove the member puts them back
instead.

A text that ytt reads gets ``config: #! was: null``: ``#!`` begins a comment there, and ytt refuses any other than that
and ``#@``, its code (https://carvel.dev/ytt/docs/latest/ytt-text-templates/ and "Comments" of its language reference).
To YAML both are comments. ``\n`` is a line break in the words of a value that is below its key or has several lines. In
a flow collection the mark is behind the key, too, and the value on the next line. None is written behind the dash of a
list: kpt puts such a comment above the item, or above the whole object.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from krm_fn.errors import EditError, InputError
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Operation, Pointer
from krm_fn.yamledit import layout, shadow
from krm_fn.yamledit.breaks import newline_of
from krm_fn.yamledit.render import Raw
from krm_fn.yamledit.shadow import Spot
from krm_fn.yamledit.tree import Mapping as MappingNode
from krm_fn.yamledit.tree import Node, compose, walk
from krm_fn.yamledit.tree import Sequence as SequenceNode
from krm_fn.yamledit.view import is_merge, key_text, view

_MARK = r"(?P<tail>[ \t]+#[^\n]*|) #!? was:(?P<words>[^\n]*)"
_BREAK = r"\n"
"""Stands for a line break in words that are below their key, or empty; no value begins with a backslash."""
_NO_DATA = object()
_READ_AS_A_WHOLE = r"# *(?:kpt-set:|\{\"\$)|#@"
"""A comment behind which nothing may be written: a setter of kpt, or code or an annotation of ytt."""


class FormerValue(NamedTuple):
    """What was behind the colon of a member: ``text`` with the comment there, and the ``data`` that it meant."""

    text: str
    data: Any


def marked(words: str, tail: str, opening: str) -> str:
    """Return what replaces ``words`` and ``tail`` behind the colon of a member that becomes a block.

    Args:
        words: what the member is, with the blanks before it; those of ``with_breaks`` for one over several lines.
        tail: blanks and a comment behind it, or behind the key of one on the line below.
        opening: what begins a comment, ``PLAIN`` or ``FOR_YTT``.
    """
    # kpt copies comments back: the mark may be there already.
    if re.fullmatch(_MARK, tail) or re.search(_READ_AS_A_WHOLE, tail):
        return tail
    mark = f" {opening} was:{words}"
    return f"{tail}{mark}" if tail.strip() else f"{mark}{tail}"


def with_breaks(lines: str) -> str:
    """Return the words for a value over several lines; "" where these cannot be given back.

    Args:
        lines: what is behind the key to the end of the value; to the end of its line where the value is below its key.
    """
    return "" if _BREAK in lines else re.sub("\r?\n", re.escape(_BREAK), lines)


def origins(lines: str, root: Node) -> dict[Node, FormerValue]:
    """Return what the values of a document were, as far as a mark behind the key shows it.

    Args:
        lines: the text, its lines ended by line feeds.
        root: its tree.
    """
    found: dict[Node, FormerValue] = {}
    if " was:" not in lines:
        return found
    newline = newline_of(lines)
    for node in walk(root):
        is_flow_list = isinstance(node, SequenceNode) and node.flow  # no key, and no dash
        if isinstance(node, (MappingNode, SequenceNode)) and not is_flow_list:
            found.update(_origins_in(lines, node, newline))
    return found


def _origins_in(
    lines: str, node: MappingNode | SequenceNode, newline: str
) -> Iterator[tuple[Node, FormerValue]]:
    """Yield the values of one collection that have a mark behind their key or dash."""
    values = node.items if isinstance(node, SequenceNode) else [value for _, value in node.entries]
    try:
        behind = layout.Geometry(lines, node).behind
    except EditError:  # an explicit key without a value
        return
    for start, value in zip(behind, values, strict=True):
        line = lines[start : layout.end_of_line(lines, start)]
        mark = re.fullmatch(_MARK, line)
        if not mark or not isinstance(value, (MappingNode, SequenceNode)):
            continue
        # Nobody writes it, and what is behind the value leaves no place for it.
        if node.flow and mark["tail"]:
            continue
        words, tail = mark["words"], mark["tail"]
        if words.lstrip().startswith(_BREAK):
            words, tail = tail + words.replace(_BREAK, newline), ""
        elif _BREAK in words and _bare(_data(words.replace(_BREAK, newline))) is None:
            words = words.replace(_BREAK, newline)  # nothing is in it that could hold a backslash
        data = _data(words)
        if data is _NO_DATA:
            continue
        # On removal kpt copies the mark to the line below: of another kind, it says nothing of what is there.
        if data is None or isinstance(data, dict) is isinstance(value, MappingNode):
            yield value, FormerValue(words + tail, data)


def _data(words: str) -> Any:
    """Return what is behind the colon of a member; ``_NO_DATA`` where the words are no value."""
    try:
        return view(compose('{"k":' + words + "\n}"))["k"]
    except (InputError, TypeError, KeyError):
        return _NO_DATA


def give_back(
    root: Node, operations: Iterable[Operation], known: Mapping[Node, FormerValue]
) -> list[Operation]:
    """Return the operations, with values of before in the place of removals of what has an origin.

    A value that says the same as its origin after the operations, but for what is empty, becomes its origin, too,
    unless an operation has set it, or something around it, to what it says.
    """
    spot, given = Spot(root), []
    for operation in operations:
        replaced = [operation]
        if operation.op == "remove" and operation.path:
            holder = shadow.container(spot, operation)
            # An item of a list was never empty.
            child = None if holder.is_list() else shadow.child_of(holder, operation.path[-1])
            if child and child.node:
                replaced = _without(child.node, operation.path, known)
        shadow.apply(spot, replaced)
        given += replaced
    asked = {operation.path for operation in given if operation.op != "remove"}
    for path, node, value in _changed(spot, ()):
        if any(path[:depth] in asked for depth in range(len(path) + 1)):
            continue
        if node in known and _bare(value) == _bare(known[node].data):
            given.append(Operation("replace", path, known[node].data))
    return given


def _without(node: Node, path: Pointer, known: Mapping[Node, FormerValue]) -> list[Operation]:
    """Return the operations that remove what is at ``path``, but for the members inside it that were there before."""
    if node in known:
        return [Operation("replace", path, known[node].data)]
    removed: list[Operation] = []
    keys: list[str] = []
    for key, value in node.entries if isinstance(node, MappingNode) else ():
        if not is_merge(key):  # nobody but an author writes it
            keys.append(key_text(key))
            removed += _without(value, (*path, keys[-1]), known)
    if all(operation.op == "remove" for operation in removed):
        return [Operation("remove", path)]
    if len(set(keys)) < len(keys):  # the key is not shown, because a person chose it
        raise EditError(
            "in what is removed, a key occurs several times in one mapping: keep one of them"
        )
    return removed


def _changed(spot: Spot, path: Pointer) -> Iterator[tuple[Pointer, Node, Any]]:
    """Yield the places of the text that were entered or get another value, outer ones first."""
    if spot.node is not None and (spot.children is not None or not spot.kept):
        yield path, spot.node, plain_data(spot.plain())
    for index, child in enumerate(spot.children or ()):
        if child.key is not None or spot.is_list():
            yield from _changed(
                child.spot, (*path, child.key if child.key is not None else str(index))
            )


def plain_data(value: Any) -> Any:
    """Return plain data for the value of a spot."""
    if isinstance(value, Raw):
        return value.value
    if isinstance(value, dict):
        return {key: plain_data(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain_data(item) for item in value]
    return value


def _bare(value: Any) -> Any:
    """Return data without null and empty members; None if nothing remains."""
    if isinstance(value, dict):
        members = {key: bare for key, item in value.items() if (bare := _bare(item)) is not None}
        return members or None
    if isinstance(value, list):
        return [_bare(item) for item in value] or None
    return value
