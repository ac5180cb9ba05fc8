"""YAML texts that nobody thought of, and operations on them, for the property tests of the writer.

What a strategy gives is a document the writer can read; whether it is edited well is judged
elsewhere. ``texts`` are dumped by PyYAML, ``handwritten`` have what people write and no dumper does.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any
from unittest import mock

import jsonpatch
import yaml
from hypothesis import assume
from hypothesis import strategies as st

from edits import rewrite
from krm_fn.errors import InputError
from krm_fn.patch import Operation
from krm_fn.yamledit import Document, edit, read
from krm_fn.yamledit.data import same

AWKWARD = [
    *("yes No on y n ~ null = << 0640 0o640 0x1F 1e3 1_000 22:30 1:2 .inf").split(),
    *("2024-01-01", "-", "- a", "a: b", "a #b", "#a", "a:", ": a", "&a", "*a", "!a", "|", ">", "%a", "@a", "`a", "'"),
    '"',
    *("{{ x }}", "[a", "{a", "a,b", "a\nb\n", "a\nb", "\na\n", " a", "a ", "a\n\nb\n\n", "  a\n b\n", "\t", "a\tb"),
    *("é", "😀"),
    *("\x85", "\u2028", "\ufeff", "a\rb", "\x00", "\x7f", "---", "...", "? a", "12345678901234567890", "true", "True"),
    *("http://user:p%40ss@proxy:3128", "systemctl restart containerd # x", "export A='b'"),
    '[Service]\nEnvironment="A=b"\n',
]
strings = st.one_of(st.sampled_from(AWKWARD), st.text(st.characters(exclude_categories=["Cs"]), max_size=12))
scalars = st.one_of(strings, st.integers(), st.booleans(), st.none(), st.floats(allow_nan=False, allow_infinity=False))
keys = st.one_of(st.sampled_from(["name", "value", "env", "files", "path", "on", "0640", "a b", "x-y"]), strings)
data = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=4)),
    max_leaves=14,
)
_collections = st.one_of(st.lists(data, max_size=4), st.dictionaries(keys, data, max_size=4))


class _Wide(yaml.SafeDumper):
    """Dashes of a list stand deeper than its key."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Documents in many styles, with comments and empty lines where they may stand."""
    text = yaml.dump(
        draw(_collections),
        Dumper=draw(st.sampled_from([yaml.SafeDumper, _Wide])),
        default_flow_style=draw(st.sampled_from([False, False, None, True])),
        default_style=draw(st.sampled_from([None, None, '"', "'", "|"])),
        indent=draw(st.sampled_from([2, 2, 4])),
        allow_unicode=draw(st.booleans()),
        sort_keys=False,
        width=10_000,
    )
    if draw(st.booleans()):
        commented = _with_comments(text, draw(st.randoms(use_true_random=False)))
        if same(read_or_none(commented), read_or_none(text)):
            text = commented
    return _with_line_breaks(draw, text)


@st.composite
def handwritten(draw: st.DrawFn) -> str:
    """Documents with anchors, aliases, merge keys, tags, block scalars of every kind, flow style over several lines."""
    author = _Author(draw)
    text = _with_line_breaks(draw, author.mapping(0, 0) if draw(st.booleans()) else author.sequence(0, 0))
    assume(read_or_none(text) is not None)
    return text


def _with_line_breaks(draw: st.DrawFn, text: str) -> str:
    line_break = draw(st.sampled_from(["\n", "\n", "\r\n", "\r\n", "\r", "\u2028", "\x85"]))
    text = text.replace("\n", line_break)
    return text.rstrip("\r\n\x85\u2028") if draw(st.integers(0, 9)) == 0 else text


def _with_comments(text: str, random: Any) -> str:
    lines: list[str] = []
    for line in text.splitlines(keepends=True):
        if random.random() < 0.3:
            lines.append(random.choice(["\n", "# a comment: - [\n", "      # deep\n"]))
        lines.append(line.rstrip("\n") + "  # why\n" if random.random() < 0.3 and line.endswith("\n") else line)
    return "".join(lines)


def read_or_none(text: str) -> Any:
    """What a text says; None for one that is refused."""
    try:
        return read(text)
    except InputError:  # a comment in the wrong place, an anchor that is gone: it is not used
        return None


class _Author:
    """Writes values as people do; each method gives what follows ``key:`` or ``-``, with its last line break."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.anchors: list[str] = []
        self.names = 0

    def pick(self, *choices: str) -> str:
        return self.draw(st.sampled_from(choices))

    def comment(self) -> str:
        return self.pick("", "", "", " # why", "\t# tab", "   # - [")

    def key(self) -> str:
        self.names += 1
        return self.pick("k{}", "'q {}'", '"d{}"', "ke-y.{}", "0{}", "!!str t{}").format(self.names)

    def complex_key(self, column: int) -> str:
        """A key that is a mapping or a list, behind its question mark."""
        self.names += 1
        pad = "\n" + " " * (column + 2)
        return self.pick("[k{}, x]", "{{ k{} }}", "{{ k{}: 1 }}", f"- k{{}}{pad}- x", f"k{{}}:{pad}- x").format(
            self.names
        )

    def properties(self) -> str:
        """A tag or an anchor, sometimes. The anchor counts from its value's end on."""
        if self.pick("", "", "", "anchor") == "":
            return ""
        self.names += 1
        self.anchors.append(f"n{self.names}")
        return f"&n{self.names} "

    def value(self, column: int, depth: int, *, dash: bool) -> str:
        kinds = ["word", "word", "quoted", "block", "flow", "tall"]
        kinds += ["alias"] * bool(self.anchors) + ["mapping", "sequence"] * (depth < 3)
        kind = self.pick(*kinds)
        if kind in ("mapping", "sequence"):
            return self.collection(kind, column, depth, dash=dash)
        if kind == "block":
            return self.block_scalar(column)
        written = {"word": self.word, "quoted": self.quoted, "flow": self.flow, "alias": self.alias}
        text = self.tall(column) if kind == "tall" else written[kind]()
        return " " + text + self.comment() + "\n"

    def collection(self, kind: str, column: int, depth: int, *, dash: bool) -> str:
        beside = dash and self.pick("beside", "below") == "beside"
        step = (
            2 if beside else self.draw(st.integers(1, 4)) if dash or kind == "mapping" else self.draw(st.integers(0, 3))
        )
        anchor = "" if beside else self.properties()
        write = self.mapping if kind == "mapping" else self.sequence
        text = write(column + step, depth + 1)
        return " " + text.lstrip(" ") if beside else " " + anchor + self.comment() + "\n" + text

    def mapping(self, column: int, depth: int) -> str:
        lines = []
        pad = " " * column
        if self.anchors and self.pick("", "", "merge") == "merge":
            lines.append(f"{pad}{self.pick('<<', '!!merge <<')}: [{self.alias()}]{self.comment()}\n")
        for _ in range(self.draw(st.integers(1, 3))):
            explicit = self.pick("", "", "", "? ") if lines else ""
            key = self.pick(self.key(), self.key(), self.complex_key(column)) if explicit else self.key()
            head = f"{pad}{explicit}{key}" + (f"\n{pad}:" if explicit else self.pick(":", ":", ":", " :"))
            lines.append(head + self.value(column, depth, dash=False) + self.between(column))
        return "".join(lines)

    def sequence(self, column: int, depth: int) -> str:
        items = range(self.draw(st.integers(1, 3)))
        return "".join(" " * column + "-" + self.value(column, depth, dash=True) + self.between(column) for _ in items)

    def between(self, column: int) -> str:
        deeper = " " * (column + self.draw(st.integers(1, 6))) + "# deeper\n"
        return self.pick("", "", "", "\n", " " * column + "# between\n", "# at the edge\n", deeper)

    def word(self) -> str:
        words = (
            "x",
            "two words",
            "0640",
            "1e3",
            "~",
            "",
            "on",
            "=",
            "22:30",
            "é",
            "a#b",
            "http://u:p@h:1",
            "!!str 7",
            "-1",
        )
        return self.properties() + self.pick(*words)

    def quoted(self) -> str:
        return self.properties() + self.pick(
            "'it''s'", '"a\\tb"', '"two\n\n          lines"', "'on\n          two'", '"#"', "''"
        )

    def flow(self) -> str:
        return self.pick(
            "[]", "{}", "[1, {a: b}, 'c']", '{"a": [1, 2], b: {}}', "[x, [y], ]", "{ a : 1 }", '{"a":1}', "{{ x }}"
        )

    def tall(self, column: int) -> str:
        """A flow collection over several lines."""
        pad = "\n" + " " * (column + self.draw(st.integers(1, 3)))
        shape = self.pick("[{0}1,{0}2{0}]", "[1,{0}2]", "{{{0}a: 1, # c{0}b: [2,{0}3]{0}}}", '{{"a": 1,{0}"b": {{}}}}')
        return shape.format(pad)

    def block_scalar(self, column: int) -> str:
        hint = self.draw(st.integers(1, 4))
        header = self.pick("|", ">") + self.pick("", str(hint)) + self.pick("", "-", "+") + self.pick("", " # c")
        pad = " " * (column + hint)
        lines = [self.pick("a", "a b", "# no comment", "\tt", "  deep", "", "- x", "k: v") for _ in range(3)]
        body = "".join((pad + line if line else "") + "\n" for line in ["first", *lines])
        return f" {self.properties()}{header}\n{body}" + self.pick("", "\n", "\n\n")

    def alias(self) -> str:
        return "*" + self.pick(*self.anchors) + " "


@st.composite
def operations(draw: st.DrawFn, old: Any, most: int = 4) -> list[Operation]:
    """Operations that hold on ``old`` when applied in order."""
    current = copy.deepcopy(old)
    found = []
    for _ in range(draw(st.integers(1, most))):
        below = [place for place in places(current) if place]
        containers = [place for place in places(current) if isinstance(at(current, place), (dict, list))]
        kind = draw(st.sampled_from(["add", "replace", "remove"]))
        if kind == "add" or not below:
            place = draw(st.sampled_from(containers))
            here = at(current, place)
            positions = ["-", *map(str, range(len(here) + 1))]
            token = draw(keys) if isinstance(here, dict) else draw(st.sampled_from(positions))
            operation = Operation("add", (*place, token), draw(data))
        else:
            operation = Operation(kind, draw(st.sampled_from(below)), draw(data))  # type: ignore[arg-type]
        found.append(operation)
        current = patched(current, [operation])
    return found


def patched(old: Any, wanted: list[Operation]) -> Any:
    """What ``jsonpatch`` makes of ``old``, which is not changed."""
    return jsonpatch.apply_patch(old, [copy.deepcopy(operation.to_json()) for operation in wanted])


def places(value: Any, here: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Every pointer into ``value``, its root first."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [here, *(place for key, child in members for place in places(child, (*here, str(key))))]


def at(value: Any, place: tuple[str, ...]) -> Any:
    """What a pointer of ``places`` leads to."""
    for token in place:
        value = value[int(token)] if isinstance(value, list) else value[token]
    return value


def edited_in_place(text: str, operations: Sequence[Operation]) -> tuple[str, bool]:
    """The text after the operations, and whether the first way of writing it, that of least change, was enough."""
    with mock.patch.object(edit, "_Writer", wraps=edit._Writer) as ways:
        return rewrite(Document(text), operations), ways.call_count <= 1
