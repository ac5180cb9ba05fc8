"""Other layouts of a ResourceList that say the same: quotes, comments, null forms, flow style, anchors, line breaks.

Each mutation is one edit of the text at one place of an item; one that would say something else is not made.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from pathlib import Path

from krm_fn.errors import InputError
from krm_fn.yamledit import read
from krm_fn.yamledit.data import same, view
from krm_fn.yamledit.tree import Mapping, Node, Scalar, Sequence, compose, walk
from stories import TESTDATA, is_config_map, stories_of, wishes

Mutation = Callable[[str, Node, random.Random], str | None]

TARGETS = (
    "nodes.containerd",
    "nodes.commands",
    "workloads",
    "giantswarm.clusterValues",
    "giantswarm.systemdProxy",
    "tkg.kappController",
    "tkg.vsphereCPI",
)
FOLDERS = [*map(stories_of, TARGETS), *(TESTDATA / name for name in ("rollout", "systems", "clusters"))]
LARGEST = 9000
"""Bytes of an input: larger ones say nothing more, and take longer."""


def gives_back(story: Path) -> bool:
    """Whether removal is known to give the input back (``test_golden``), and there is something to remove."""
    data = (story / "input.yaml").read_bytes()
    targets = wishes(data).get("targets", {}) if not is_config_map(data) else {}
    if targets.get("workloads", {}).get("conflict") == "Keep":  # what is there is the user's
        return False
    return not any((story / name).exists() for name in ("removed.diff", "errors.txt")) and (
        len(data) < LARGEST and not is_config_map(data) and "mode" not in wishes(data)
    )


REVERSIBLE_STORIES = sorted(
    path.parent for folder in FOLDERS for path in folder.rglob("input.yaml") if gives_back(path.parent)
)


def mutated(text: str, dice: random.Random) -> str:
    """Return ``text`` with up to six mutations of its items, and perhaps other line breaks."""
    if dice.random() < 0.3:
        text = _with_blank_lines_at_an_end(text, dice)
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
    double = json.dumps(node.value, ensure_ascii=dice.random() < 0.5)
    return _replaced(text, node, dice.choice([node.value, single, double]))


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
    blocks = (node for node in walk(items) if isinstance(node, (Mapping, Sequence)) and not node.flow)
    short = [node for node in blocks if node is not items and text.count("\n", node.start, node.end) < 4]
    if not short:
        return None
    node = dice.choice(short)
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


def below(text: str, items: Node, dice: random.Random) -> str | None:
    """A value that is empty, or a text on one line, on a line below its key or its dash, with comments around it."""
    found = [node for node in walk(items) if _fits_below(text, node)]
    if not found:
        return None
    node = dice.choice(found)
    line = text[text.rfind("\n", 0, node.start) + 1 : node.start]
    column = len(line) - len(line.lstrip(" -")) + dice.choice([1, 2, 4])
    words = text[node.start : node.end]
    if words in ("[]", "{}") and dice.random() < 0.5:
        words = _opened(words, column, dice)
    above = [dice.choice(["", "  # why", " # a: b"])]
    above += [dice.choice(["", f"{' ' * column}# note", "# edge", " # x\\n"]) for _ in range(dice.randrange(3))]
    lines = "\n".join([*above, " " * column + words])
    return text[: node.start].rstrip(" ") + lines + text[node.end :]


def opened(text: str, items: Node, dice: random.Random) -> str | None:
    """A comment between the brackets of an empty collection."""
    found = [node for node in walk(items) if text[node.start : node.end] in ("[]", "{}")]
    if not found:
        return None
    node = dice.choice(found)
    line = text[text.rfind("\n", 0, node.start) + 1 : node.start]
    column = len(line) - len(line.lstrip(" -"))
    return _replaced(text, node, _opened(text[node.start : node.end], column, dice))


def _opened(brackets: str, column: int, dice: random.Random) -> str:
    comment = dice.choice([" # x", f"\n{' ' * column}  # x", "\n  # c:\\new"])
    return f"{brackets[0]}{comment}\n{' ' * column}  {brackets[1]}"


def _fits_below(text: str, node: Node) -> bool:
    words = text[node.start : node.end]
    is_key = re.match(r"[ \t]*:", text[node.end :]) is not None
    follows_an_indicator = text[: node.start].rstrip(" ").endswith((":", "\n-", " -"))
    is_alone = re.match(r"[ \t]*(?:#.*)?\r?(?:\n|\Z)", text[node.end :]) is not None
    return bool(words) and "\n" not in words and is_alone and follows_an_indicator and not is_key


def block_header(text: str, items: Node, dice: random.Random) -> str | None:
    """A text of several lines as a block: literal or folded, with any mark, indentation and comment in its header."""
    texts = [node for node in _scalars(items) if "\n" in node.value and node.value.strip("\n ")]
    texts = [node for node in texts if text[: node.start].rstrip(" ").endswith((":", "-"))]
    if not texts:
        return None
    node = dice.choice(texts)
    line = text[text.rfind("\n", 0, node.start) + 1 : node.start]
    step = dice.choice([1, 2, 2, 4])
    column = len(line) - len(line.lstrip(" "))
    # What is behind a dash is the parent: its key, or the dash itself.
    column += 2 * len(re.findall(r"- ", line))
    if not line.rstrip().endswith(":"):
        column -= 2
    style = dice.choice("|||>")
    digit = dice.choice(["", "", str(step)])
    chomping = "-"
    if node.value.endswith("\n"):
        chomping = "+" if node.value.endswith("\n\n") else dice.choice(["", "", "+"])
    header = style + dice.choice([digit + chomping, chomping + digit]) + dice.choice(["", "", "  # owner"])
    lines = node.value.removesuffix("\n").split("\n")
    if style == ">":
        lines = _folded(lines)
        long = [index for index, line in enumerate(lines) if re.match(r"\S+ \S", line)]
        if long and dice.random() < 0.5:
            at = dice.choice(long)
            lines[at : at + 1] = re.split(r"(?<=\S) (?=\S)", lines[at], maxsplit=1)
    pad = " " * (column + step)
    return _replaced(text, node, "\n".join([header, *(pad + line if line else "" for line in lines)]))


def _folded(lines: list[str]) -> list[str]:
    """The lines of a folded text: an empty one more between two that are not indented."""
    folded: list[str] = []
    for line in lines:
        above = [other for other in folded if other]
        if above and re.match(r"\S", line) and re.match(r"\S", above[-1]):
            folded.append("")
        folded.append(line)
    return folded


def _with_blank_lines_at_an_end(text: str, dice: random.Random) -> str:
    """Return a list in which a text in a block ends in blank lines, which it did not."""
    blocks = [node for node in _scalars(_items(compose(text))) if node.style == "|" and node.value.endswith("\n")]
    if not blocks:
        return text
    node = dice.choice(blocks)
    header, _, words = text[node.start : node.end].partition("\n")
    marks = header.replace("-", "").replace("+", "")
    return _replaced(text, node, f"{marks[0]}+{marks[1:]}\n{words}" + "\n" * dice.choice([1, 1, 3]))


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
    below,
    below,
    opened,
    block_header,
    block_header,
)
