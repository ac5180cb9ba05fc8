"""The structure of CEL expressions."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.targets.kyverno.cel_tree import CelNode, NodeKind, parse, ungrouped


def shape(node: CelNode) -> Any:
    """Return a part as nested tuples: what it is called, and its parts."""
    name = node.text or node.kind.value
    members = [(one.key, shape(one.value)) for one in node.members]
    parts = [*map(shape, node.parts), *members]
    return (name, *parts) if parts else name


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        pytest.param("a.b.c", ("c", ("b", "a")), id="members"),
        pytest.param("a ? b : c ? d : e", ("condition", "a", "b", ("condition", "c", "d", "e")), id="conditions"),
        pytest.param("a + b * c - d", ("-", ("+", "a", ("*", "b", "c")), "d"), id="sums and products"),
        pytest.param("a || b && !c", ("||", "a", ("&&", "b", ("!", "c"))), id="and binds closer than or"),
        pytest.param('!(e.name in ["A"])', ("!", ("group", ("in", ("name", "e"), ("list", '"A"')))), id="in a list"),
        pytest.param("!!a", ("!", ("!", "a")), id="negated twice"),
        pytest.param("a <= -1", ("<=", "a", ("-", "1")), id="a negative number"),
        pytest.param("a.map(x, f(x))", ("map", "a", "x", ("f", "x")), id="a method and a function"),
        pytest.param(
            'A.b{c: 1, d: {"e": 2}}', ("A.b", ("c", "1"), ("d", ("object", ("e", "2")))), id="a message and a map"
        ),
        pytest.param("a.?b[?0].orValue([])", ("orValue", ("index", ("b", "a"), "0"), "list"), id="optional members"),
        pytest.param("A{?b: c}", ("A", ("b", "c")), id="an optional field"),
        pytest.param("[a, // the first\n b,]", ("list", "a", "b"), id="a comment, and a comma behind the last"),
    ],
)
def test_an_expression_is_read_as_the_grammar_says(expression: str, expected: Any) -> None:
    node = parse(expression)
    assert node is not None
    assert shape(node) == expected


@pytest.mark.parametrize(
    "expression",
    ["", "a b", "a.", "[a", "a ? b", "{a}", '"open', 'a + "open', "a ? b : c : d", f"{'(' * 200}a{')' * 200}", ";"],
)
def test_what_is_no_expression_has_no_structure(expression: str) -> None:
    assert parse(expression) is None


@pytest.mark.parametrize(
    "unit",
    ["!", "a && ", "a + ", "a ? b : ", "a.", "a(", "[", "f(a).", "a{b: "],
)
def test_an_expression_of_any_length_is_refused_without_a_crash(unit: str) -> None:
    assert parse(unit * 2_000 + "a") is None


def test_each_part_knows_its_place() -> None:
    text = "x.filter(c, (c.name) == 'a') + [b]"
    node = parse(text)
    assert node is not None
    found = {text[one.start : one.end] for one in node.all()}
    assert found >= {text, "x.filter(c, (c.name) == 'a')", "(c.name)", "c.name", "[b]", "b"}
    (group,) = (one for one in node.all() if one.kind is NodeKind.GROUP)
    assert ungrouped(group).text == "name"


@given(st.text(alphabet="ab1.?:,[](){}!=&|+-<>\"' \n/`", max_size=60))
def test_property_any_text_is_read_or_refused_and_parts_are_inside(expression: str) -> None:
    node = parse(expression)
    for one in node.all() if node is not None else ():
        for part in one.parts:
            assert one.start <= part.start < part.end <= one.end
