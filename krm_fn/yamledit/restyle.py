"""A scalar that gets another value and keeps the way in which its author writes it.

Anchor, tag, quotes, the header of a block (``|2+  # owner``) and its indentation stay, and so do the lines and the
escapes of a text that are the same in the old and in the new value: taking a change back gives the same bytes again.
What is lost is where a line of the author was folded, in the part that changes.

Source: YAML 1.2.2, chapters 6.5 (folding), 7.3 (flow scalars) and 8.1 (block scalars).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from krm_fn.errors import InputError
from krm_fn.light_typing import NamedTuple
from krm_fn.yamledit.render import double_quoted, fits_block, is_string_in_every_yaml
from krm_fn.yamledit.tree import Mapping, Scalar, compose
from krm_fn.yamledit.view import resolves_by_tag, scalar_value

Change = tuple[int, int, str]
"""Write the text in place of what is from start to end; offsets into the text of the scalar."""

_PROPERTIES = r"(?:[&!][^ \t\r\n]*[ \t]+)*"
_HEADER = r"[|>](?P<marks>[-+0-9]*)[ \t]*(?:#[^\r\n]*)?"
_ESCAPE = r"(?s)\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)|[^\\]"


class Frame(NamedTuple):
    """What is around a scalar: the ``column`` of its key or dash, the line break, whether it is in flow style."""

    column: int
    newline: str
    flow: bool


def restyled(raw: str, node: Scalar, value: str, frame: Frame) -> list[Change] | None:
    """Return what makes the scalar ``raw`` say ``value``.

    Args:
        raw: the text of ``node``, its lines separated by line feeds.
        node: what it is now.
        value: what it must mean.
        frame: what is around it.

    Returns:
        None where the style cannot hold the value, or nothing shows a style.
    """
    if node.start == node.end or resolves_by_tag(node):
        return None
    properties = re.match(_PROPERTIES, raw)
    start = properties.end() if properties else 0
    if node.style == "|":
        changes = _literal(raw, start, node.value, value, frame.newline)
    elif node.style == ">":
        changes = _folded(raw, start, node.value, value, frame.newline)
    else:
        text = _on_one_line(raw[start:], node, value)
        changes = None if text is None else [(start, len(raw), text)]
    if changes is None or not _says(_changed(raw, changes), value, frame):
        return None
    return changes


def _changed(raw: str, changes: Sequence[Change]) -> str:
    for start, end, text in sorted(changes, reverse=True):
        raw = raw[:start] + text + raw[end:]
    return raw


def _says(text: str, value: str, frame: Frame) -> bool:
    document = f"k: [{text}]\n" if frame.flow else f"{' ' * frame.column}k: {text}\n"
    try:
        root = compose(document)
    except InputError:
        return False
    node = root.entries[0][1] if isinstance(root, Mapping) else root
    items = getattr(node, "items", None)
    found = items[0] if items else node
    return isinstance(found, Scalar) and scalar_value(found) == value


def _on_one_line(raw: str, node: Scalar, value: str) -> str | None:
    """Return the new text of a plain or quoted scalar behind its anchor and tag.

    None if only other quotes can hold it.
    """
    if node.style == "":
        return value if value.isprintable() and is_string_in_every_yaml(value) else None
    if node.style == "'":
        return "'" + value.replace("'", "''") + "'" if fits_block(value) else None
    return _double_quoted(raw, node.value, value)


def _double_quoted(raw: str, old: str, value: str) -> str:
    """Return the text in double quotes; what stays of a text on one line keeps its spelling."""
    tokens = re.findall(_ESCAPE, raw[1:-1])
    if len(tokens) != len(old):
        return double_quoted(value)
    head = _common(old, value)
    tail = _common(old[head:][::-1], value[head:][::-1])
    middle = double_quoted(value[head : len(value) - tail])[1:-1]
    return '"' + "".join([*tokens[:head], middle, *tokens[len(old) - tail :]]) + '"'


def _literal(raw: str, start: int, old: str, value: str, newline: str) -> list[Change] | None:
    header = _new_header(raw, start, value)
    if header is None:
        return None
    ends = _line_ends(raw)
    body = [raw[begin:end] for begin, end in ends[1:]]
    before, after = _lines(old), _lines(value)
    indent = next(
        (
            len(line) - len(old_line)
            for line, old_line in zip(body, before, strict=False)
            if old_line
        ),
        None,
    )
    if len(body) != len(before) or indent is None:
        return None
    head = _common(before, after)
    tail = _common(before[head:][::-1], after[head:][::-1])
    new = (" " * indent + line if line else "" for line in after[head : len(after) - tail])
    text = "".join(newline + line for line in new)
    return [*header, (ends[head][1], ends[len(before) - tail][1], text)]


def _folded(raw: str, start: int, old: str, value: str, newline: str) -> list[Change] | None:
    """Return the edits of a folded text, in which an empty line is a line break and any other line break a blank."""
    header = _new_header(raw, start, value)
    if header is None:
        return None
    before, after = _lines(old), _lines(value)
    ends = _line_ends(raw)
    body = [raw[begin:end] for begin, end in ends[1:]]
    paragraphs = _paragraphs(body)
    indent = next((len(line) - len(line.lstrip(" ")) for line in body if line.strip()), 0)
    head = _common(before, after)
    tail = _common(before[head:][::-1], after[head:][::-1])
    if len(paragraphs) != sum(map(bool, before)):
        return None
    kept_first = paragraphs[: sum(map(bool, before[:head]))]
    kept_last = paragraphs[len(paragraphs) - sum(map(bool, before[len(before) - tail :])) :]
    new = [[" " * indent + line] for line in after[head : len(after) - tail] if line]
    lines = _unfolded(after, [*kept_first, *new, *kept_last])
    return [*header, (ends[0][1], ends[-1][1], "".join(newline + line for line in lines))]


def _paragraphs(body: Sequence[str]) -> list[list[str]]:
    """Return the runs of lines between empty ones."""
    found: list[list[str]] = []
    is_open = False
    for line in body:
        if line.strip() and is_open:
            found[-1].append(line)
        elif line.strip():
            found.append([line])
        is_open = bool(line.strip())
    return found


def _unfolded(values: Sequence[str], paragraphs: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a folded block for the lines of its value.

    Each non-empty line keeps its paragraph.
    """
    lines: list[str] = []
    remaining = iter(paragraphs)
    for index, value in enumerate(values):
        if not value:
            lines.append("")
            continue
        if index and any(values[:index]):
            lines.append("")
        lines += next(remaining)
    return lines


def _new_header(raw: str, start: int, value: str) -> list[Change] | None:
    """Return what changes in the header of a block that gets another value; None where it cannot hold the value."""
    header = re.compile(_HEADER).match(raw, start)
    if header is None or not fits_block(value) or not value.strip("\n "):
        return None
    return [(*header.span("marks"), _chomping(header["marks"], value))]


def _chomping(marks: str, value: str) -> str:
    """Return the marks of a header that fit the final line break of a value."""
    if not value.endswith("\n"):
        return marks.replace("+", "-") if "-" in marks or "+" in marks else marks + "-"
    return marks.replace("-", "")


def _lines(value: str) -> list[str]:
    return value.removesuffix("\n").split("\n")


def _line_ends(raw: str) -> list[tuple[int, int]]:
    """Return where each line begins and ends, line breaks excluded."""
    spans, begin = [], 0
    for line in raw.split("\n"):
        spans.append((begin, begin + len(line.removesuffix("\r"))))
        begin += len(line) + 1
    return spans


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many items two sequences have in common at their beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
