"""Other layouts of a ResourceList that say the same: quotes, comments, null forms, flow style, anchors, line breaks.

Each mutation is one edit of the text at one place of an item; one that would say something else is not made.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable

from krm_fn.errors import InputError
from krm_fn.yamledit import read
from krm_fn.yamledit.data import same, view
from krm_fn.yamledit.tree import Mapping, Node, Scalar, Sequence, compose, walk

Mutation = Callable[[str, Node, random.Random], str | None]


def mutated(text: str, dice: random.Random) -> str:
    """Return ``text`` with up to six mutations of its items, and perhaps other line breaks."""
    meaning = read(text)
    for _ in range(dice.randint(1, 6)):
        other = dice.choice(MUTATIONS)(text, _items(compose(text)), dice)
        if other is not None and _means(other, meaning):
            text = other
    crlf = text.replace("\r\n", "\n").replace("\n", "\r\n")
    return crlf if dice.random() < 0.2 and _means(crlf, meaning) else text


def _means(text: str, meaning: object) -> bool:
    try:
        return same(read(text), meaning)
    except InputError:
        return False


def _items(root: Node) -> Node:
    members = {key.value: value for key, value in getattr(root, "entries", ()) if isinstance(key, Scalar)}
    return members["items"]


def _scalars(items: Node) -> list[Scalar]:
    """The values that are scalars, keys left out."""
    found: list[Scalar] = []
    for node in walk(items):
        values = node.items if isinstance(node, Sequence) else [value for _, value in getattr(node, "entries", ())]
        found += [value for value in values if isinstance(value, Scalar)]
    return found


def _replaced(text: str, node: Node, new: str) -> str:
    return text[: node.start] + new + text[node.end :]


def quotes(text: str, items: Node, dice: random.Random) -> str | None:
    """Other quotes around a text on one line."""
    words = [node for node in _scalars(items) if node.style in ("", "'", '"') and isinstance(view(node), str)]
    if not words:
        return None
    node = dice.choice(words)
    single = "'" + node.value.replace("'", "''") + "'"
    return _replaced(
        text, node, dice.choice([node.value, single, json.dumps(node.value, ensure_ascii=dice.random() < 0.5)])
    )


def anchor(text: str, items: Node, dice: random.Random) -> str | None:
    """An anchor, or a tag, before a value."""
    scalars = _scalars(items)
    node = dice.choice(scalars) if scalars else None
    if node is None or node.start == node.end:
        return None
    mark = dice.choice(["&anchor", "!!str"]) if isinstance(view(node), str) else "&anchor"
    return text[: node.start] + mark + " " + text[node.start :]


def comment(text: str, items: Node, dice: random.Random) -> str | None:
    """A comment on a line of its own, a blank line, or a comment behind what is on a line."""
    starts = [index + 1 for index, char in enumerate(text) if char == "\n" and items.start <= index < items.end]
    if not starts:
        return None
    at = dice.choice(starts)
    line = text[at : text.find("\n", at)]
    indent = line[: len(line) - len(line.lstrip(" "))]
    if dice.random() < 0.5:
        return text[:at] + dice.choice(["\n", f"{indent}# mine\n", "# edge\n", f"{indent}  # deep\n"]) + text[at:]
    return text[: at - 1] + dice.choice(["  # mine", " # a: b"]) + text[at - 1 :]


def nothing(text: str, items: Node, dice: random.Random) -> str | None:
    """Another word for null."""
    nulls = [node for node in _scalars(items) if view(node) is None]
    if not nulls:
        return None
    node = dice.choice(nulls)
    word = dice.choice(["null", "~", "!!null null"])
    return _replaced(text, node, word if node.start < node.end else f" {word}")


def emptied(text: str, items: Node, dice: random.Random) -> str | None:
    """Other words for an empty collection or null, also with blanks or an anchor, or below the key."""
    found = [node for node in walk(items) if view(node) in ([], {}, None) and "\n" not in text[node.start : node.end]]
    found = [node for node in found if node.start < node.end]
    if not found:
        return None
    node = dice.choice(found)
    words = {"[]": ["[ ]", " []", "!!seq []"], "{}": ["{ }", " {}", "!!map {}"]}
    other = [*words.get(text[node.start : node.end], ["~", "null", " Null"])]
    return _replaced(text, node, dice.choice(other))


def flow(text: str, items: Node, dice: random.Random) -> str | None:
    """A collection in flow style, on one line or on several, in which something may be empty."""
    found = [
        node for node in walk(items) if isinstance(node, (Mapping, Sequence)) and node is not items and not node.flow
    ]
    found = [node for node in found if text.count("\n", node.start, node.end) < 4]
    if not found:
        return None
    node = dice.choice(found)
    line = text[text.rfind("\n", 0, node.start) + 1 : node.start]
    start = node.start if line.strip() else text.rfind("\n", 0, text.rfind("\n", 0, node.start) + 1)
    written = json.dumps(view(node), ensure_ascii=False)
    is_tall = dice.random() < 0.3
    may_hold_empty = not is_tall and re.fullmatch(r" *[\w.-]+: *", line)
    if not may_hold_empty and any(view(inner) in ([], {}, None, "", False) for inner in walk(node)):
        return None  # see docs/removal.md
    if is_tall:  # the flow of YAML: every member on a line of its own
        indent = len(line) - len(line.lstrip(" -")) + 4
        lines = json.dumps(view(node), ensure_ascii=False, indent=2).splitlines()
        written = f"\n{' ' * indent}".join(lines)
    return text[:start] + ("" if line.strip() else " ") + written + text[node.end :]


def block_header(text: str, items: Node, dice: random.Random) -> str | None:
    """A comment behind the header of a block, or another header."""
    blocks = [node for node in _scalars(items) if node.style in ("|", ">")]
    if not blocks:
        return None
    node = dice.choice(blocks)
    end = text.find("\n", node.start)
    header = text[node.start : end]
    step = dice.choice(["", "2", "+", "-"])
    return text[: node.start] + dice.choice([f"{header}  # owner", f"{header[0]}{step}"]) + text[end:]


MUTATIONS: tuple[Mutation, ...] = (
    quotes,
    quotes,
    anchor,
    comment,
    comment,
    comment,
    nothing,
    emptied,
    flow,
    flow,
    block_header,
)
