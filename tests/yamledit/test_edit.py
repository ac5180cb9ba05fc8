"""Edits in place: the lines an operation is about, in their author's style, and no other line."""

from __future__ import annotations

import pytest

from edits import add, edited, remove, replace, rewrite
from krm_fn.patch import Operation
from krm_fn.yamledit import Document

NEIGHBOUR = "z: [1,  2] # z\n"
"""Behind a text that is a list it is no neighbour, so none is there."""


@pytest.mark.parametrize(
    ("text", "operation", "new"),
    [
        pytest.param("a:   1 # c\n", replace("a", value=2), "a:   2 # c\n", id="blanks behind the key"),
        pytest.param("a:  \n  1 # c\n", replace("a", value=2), "a:  \n  2 # c\n", id="the line below the key"),
        pytest.param("a: # k \n  1\n", replace("a", value=2), "a: # k \n  2\n", id="a comment behind the key"),
        pytest.param("a: # k\n  # of 1\n\n  1\n", replace("a", value=[2]), "a: # k\n  # of 1\n\n- 2\n", id="above it"),
        pytest.param("a:\n  # of b\n  b: 1\n", replace("a", value=2), "a:\n  # of b\n  2\n", id="above a mapping"),
        pytest.param("-\n  # x\n  []\n- 1\n", add(0, "-", value=[2]), "-\n  # x\n  - - 2\n- 1\n", id="below a dash"),
        pytest.param("- [ # x\n  ]\n", add(0, "-", value=2), "-\n  # x\n  - 2\n", id="one in brackets behind a dash"),
        pytest.param("a: {b: [ # x\n  ]}\n", add("a", "b", "-", value=2), "a: {b: [2 # x\n  ]}\n", id="in flow style"),
        pytest.param("a: {b: [2 # x\n  ]}\n", remove("a", "b", 0), "a: {b: [ # x\n  ]}\n", id="or behind what goes"),
        pytest.param("a: [1,\n  2] # c\n", replace("a", value=5), "a: 5 # c\n", id="one behind a flow list over lines"),
        pytest.param("a: # k\n  [1,\n  2] # c\n", replace("a", value={"k": 1}), "a: # k # c\n  k: 1\n", id="two of it"),
        pytest.param("a: [1,\n  2] # c\n", replace("a", value="p\nq\n"), "a: | # c\n  p\n  q\n", id="one for a text"),
        pytest.param(
            "x: &x {k: 1}\na:\n  *x # c\n",
            replace("a", "k", value=2),
            "x: &x {k: 1}\na: # c\n  k: 2\n",
            id="of an alias",
        ),
        pytest.param(
            "a:\n- <<: {k: 1} # d\n",
            add("a", 0, "m", value=2),
            "a:\n- <<: {k: 1} # d\n  m: 2\n",
            id="a member behind a merge key",
        ),
        pytest.param(
            "a: {b: {? {x: } : y}, c: []}\n",
            replace("a", "c", value=[1]),
            "a: {b: {? {x: } : y}, c: [1]}\n",
            id="a list beside a key that is a mapping",
        ),
        pytest.param("a:\n  - []\n", add("a", 0, "-", value=1), "a:\n  - - 1\n", id="a mark behind a dash is none"),
        pytest.param("a:\n# c\n- - 1 # d\n", add("a", 0, 0, value=2), "a:\n# c\n- - 2\n  - 1 # d\n", id="two dashes"),
    ],
)
def test_an_edit_keeps_what_is_around_its_value(text: str, operation: Operation, new: str) -> None:
    neighbour = "" if text.startswith("-") else NEIGHBOUR
    assert edited(text + neighbour, operation) == new + neighbour


FLOW = "a: [1, 2, 3] # why\nb: {x: 1, y: 2}\n"
SPACED = "a: {x: ~,  y: [1,  p]} # why\n"
LINES = "a: {x:\n  [],  y: 2}\n"
ITEM = "- {x: {},  y: []}\n"
JSON = '{"a": 1,  "b": "\\u00e9b"}\n'
TALL = 'a: [\n  1, # one\n  2\n]\nb: {\n  "x": 1,\n  "y": 2\n}\n'


@pytest.mark.parametrize(
    ("text", "operation", "old", "new"),
    [
        pytest.param(FLOW, remove("a", 1), "[1, 2, 3]", "[1, 3]", id="one between goes"),
        pytest.param(FLOW, add("b", "z", value=["q", {"r": 1}]), "y: 2}", "y: 2, z: [q, {r: 1}]}", id="a new member"),
        pytest.param(FLOW, replace("b", "x", value="1\n2\n"), "x: 1", 'x: "1\\n2\\n"', id="a text stays on its line"),
        pytest.param(TALL, add("b", "z", value={"k": "v"}), ": 2\n", ': 2,\n  "z": {"k": "v"}\n', id="JSON stays JSON"),
        pytest.param(JSON, replace("b", value="éc"), "9b", "9c", id="an escape in JSON stays"),
        pytest.param(JSON, add("c", value=1e22), '"}', '", "c": 1.0e+22}', id="a large number in JSON"),
        pytest.param("a: [{n: 'x'}]\n", add("a", "-", value="z"), "'x'}", "'x'}, z", id="a mapping has none for it"),
        pytest.param(SPACED, replace("a", "y", 1, value="p, q"), "p", '"p, q"', id="a text with a comma"),
        pytest.param(SPACED, replace("a", "y", 1, value={"p,q": 1}), "p", '{"p,q": 1}', id="a mapping with such a key"),
        pytest.param(LINES, add("a", "x", "-", value=1), "[]", "[1]", id="a value below its key gets no mark"),
        pytest.param(ITEM, add(0, "x", "k", value=1), "{}", "{k: 1}", id="a mapping that stays gets none"),
    ],
)
def test_flow_style_stays_flow_style(text: str, operation: Operation, old: str, new: str) -> None:
    assert edited(text, operation) == text.replace(old, new)


@pytest.mark.parametrize(
    ("text", "value", "new"),
    [
        pytest.param("a: >\n  x\n  y\n", " p\nq\n", "a: |2\n   p\n  q\n", id="a folded text that cannot be one"),
        pytest.param("a: |\n  x\n  y\n", "# z", "a: |-\n  # z\n", id="a literal text that no word can hold stays one"),
        pytest.param("a: |\n  x\n", " z", 'a: " z"\n', id="one whose header says nothing about the blank before"),
    ],
)
def test_a_replaced_scalar_keeps_what_it_can(text: str, value: str, new: str) -> None:
    assert edited(text, replace("a", value=value)) == new


@pytest.mark.parametrize(
    ("text", "operation", "new"),
    [
        ("- a: 1\n  # of b\n  b: 2\n", remove(0, "a"), "-\n  # of b\n  b: 2\n"),
        ("- - 1\n  # of 2\n\n  - 2\n", remove(0, 0), "-\n  # of 2\n\n  - 2\n"),
    ],
)
def test_a_comment_of_the_neighbour_survives_what_is_beside_the_dash(text: str, operation: Operation, new: str) -> None:
    assert edited(text, operation) == new


@pytest.mark.parametrize("indent", ["", "  ", "    "], ids=["a compact list", "an indented list", "one indented more"])
@pytest.mark.parametrize(
    ("value", "lines"),
    [
        pytest.param("x", ["- x"], id="on one line"),
        pytest.param({"p": 1, "q": 2}, ["- p: 1", "  q: 2"], id="a mapping"),
        pytest.param("p\nq\n", ["- |", "  p", "  q"], id="a text of several lines"),
    ],
)
def test_comments_above_the_first_item_stay_with_it(indent: str, value: object, lines: list[str]) -> None:
    rest = f"{indent}# above\n{indent}- 1 # one\nb: [x,  y]\n"
    new = "".join(f"{indent}{line}\n" for line in lines)
    assert edited(f"a:\n{rest}", add("a", 0, value=value)) == f"a:\n{new}{rest}"


@pytest.mark.parametrize(
    ("before", "operations", "after"),
    [
        pytest.param('{x: "old"}', [remove("a", "x"), add("a", "y", value=1)], " {y: 1}", id="a member"),
        pytest.param("[old]", [remove("a", 0), add("a", "-", value="new")], " [new]", id="an item"),
        pytest.param("{x: old}", [replace("a", value={"y": 1, "z": 2})], "\n  y: 1\n  z: 2", id="the whole"),
        pytest.param(
            "[{n: A, v: old}]", [replace("a", value=[{"n": "B", "v": "new"}])], "\n- n: B\n  v: new", id="items"
        ),
        pytest.param("{x: old}", [replace("a", value=["x"])], "\n- x", id="a list for a mapping"),
    ],
)
def test_a_flow_collection_that_goes_leaves_no_comment(before: str, operations: list[Operation], after: str) -> None:
    edited = rewrite(Document(f"a: {before} # why\n"), operations)
    assert "old" not in edited
    assert "# why" in edited
    assert Document(edited).data() == Document(f"a:{after}\n").data()


@pytest.mark.parametrize(
    ("text", "operation", "expected"),
    [
        pytest.param("k:\n  g: x\n    # c\n", replace("k", "g", value="a\nb"), 'g: "a\\nb"\n    # c\n', id="a word"),
        pytest.param(
            "k:\n- x\n\n  # c\n- y\n", replace("k", 0, value="a\nb"), '- "a\\nb"\n\n  # c\n- y\n', id="an item"
        ),
        pytest.param(
            "k: x\n\n\n  # c\n# d\ng: 1\n",
            replace("k", value="a\nb"),
            '"a\\nb"\n\n\n  # c\n# d\ng: 1\n',
            id="above a key",
        ),
        pytest.param("a: |\n  x\ng: y\n  # c\n", remove("g"), 'a: "x\\n"\n  # c\n', id="a removal below a block"),
    ],
)
def test_a_comment_indented_more_is_no_part_of_the_text_above(text: str, operation: Operation, expected: str) -> None:
    new = edited(text, operation)

    assert new.endswith(expected)
