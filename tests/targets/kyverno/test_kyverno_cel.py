"""The structure of CEL expressions."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.targets.kyverno.cel_nodes import joined, named
from krm_fn.targets.kyverno.cel_parser import CelNode, NodeKind, objects, parse, ungrouped


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
        pytest.param(
            "a + b + c - d - e + f", ("+", ("-", ("+", "a", "b", "c"), "d", "e"), "f"), id="a sum is one part"
        ),
        pytest.param("a < b < c", ("<", ("<", "a", "b"), "c"), id="relations have two sides"),
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
    ["!", "a - b + ", "a < ", "a ? b : ", "a.", "a(", "[", "f(a).", "a{b: "],
)
def test_an_expression_of_any_length_is_refused_without_a_crash(unit: str) -> None:
    assert parse(unit * 2_000 + "a") is None


@pytest.mark.parametrize("unit", ["a && ", "a || ", "a + "])
def test_any_number_of_terms_is_read_as_one_part(unit: str) -> None:
    node = parse(unit * 2_000 + "a")
    assert node is not None
    assert len(node.parts) == 2_001


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        pytest.param('{"name": "A", "value": "b"}', [("A", "b")], id="a map"),
        pytest.param("Env{name: 'A', value: 'b'}", [("A", "b")], id="a message"),
        pytest.param("{'value': 'b', 'name': 'A'}", [("A", "b")], id="in any order"),
        pytest.param("{'name': 'A', 'value': variables.proxy}", [("A", "http://p:1")], id="a variable"),
        pytest.param("{'name': 'A', 'value': 'b' + variables.proxy}", [("A", "bhttp://p:1")], id="a sum"),
        pytest.param("{'name': 'A', 'value': 'b' + c}", [("A", None)], id="a computed value"),
        pytest.param("{'name': 'A', 'value': f({'x': 1}, [2])}", [("A", None)], id="a call"),
        pytest.param("{'name': 'A', 'value': b'b'}", [("A", None)], id="bytes"),
        pytest.param("{'name': c.name, 'value': 'b'}", [(None, "b")], id="a computed name"),
        pytest.param("{'name': 'A', 'valueFrom': {'value': 'b'}}", [(None, "b")], id="a value one level deeper"),
        pytest.param("env.filter(e, e.name != 'A')", [], id="a comparison"),
        pytest.param("// {'name': 'A', 'value': 'b'}\n[]", [], id="a comment"),
        pytest.param("\"{'name': 'A', 'value': 'b'}\"", [], id="text in a string"),
        pytest.param("x.`a/b` ? [{'name': 'A', 'value': 'b'}] : []", [("A", "b")], id="a quoted name before it"),
    ],
)
def test_the_objects_of_an_expression_are_found_with_their_values(
    expression: str, expected: list[tuple[str | None, str | None]]
) -> None:
    values = [(named(one), one.member("value")) for one in objects(expression)]
    found = [(name, joined(value.value, {"proxy": "http://p:1"})) for name, value in values if value is not None]
    assert found == expected


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
