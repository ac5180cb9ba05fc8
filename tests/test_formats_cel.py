"""CEL expressions: string literals, and objects with a name and a value."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.targets.kyverno.cel import NamedValue, TokenKind, literal_members, named_values, string_of, tokens


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        pytest.param("'http://proxy:1'", "http://proxy:1", id="single quotes"),
        pytest.param('"a\'b"', "a'b", id="double quotes around a single one"),
        pytest.param('"""a"b\n"""', 'a"b\n', id="triple quotes"),
        pytest.param("'''a'b'''", "a'b", id="triple single quotes"),
        pytest.param(r"r'a\n'", r"a\n", id="raw"),
        pytest.param(r"'a\n\\\'\x41\u00e9\U0001F600\101'", "a\n\\'A\u00e9\U0001f600A", id="every escape"),
        pytest.param("  'a' // a comment", "a", id="blanks and a comment"),
        pytest.param("b'a'", None, id="bytes"),
        pytest.param(r"'\q'", None, id="an escape that CEL does not define"),
        pytest.param(r"'\ud800'", None, id="half of a surrogate pair"),
        pytest.param("'a' + 'b'", None, id="a sum"),
        pytest.param("'a", None, id="not closed"),
        pytest.param("a", None, id="a name"),
        pytest.param("", None, id="nothing"),
    ],
)
def test_the_string_of_one_literal(expression: str, expected: str | None) -> None:
    assert string_of(expression) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        pytest.param('{"name": "A", "value": "b"}', [NamedValue("A", "b")], id="a map"),
        pytest.param("Env{name: 'A', value: 'b'}", [NamedValue("A", "b")], id="a message"),
        pytest.param("{'value': 'b', 'name': 'A'}", [NamedValue("A", "b")], id="in any order"),
        pytest.param("{'name': 'A', 'value': variables.proxy}", [NamedValue("A", None, "proxy")], id="a variable"),
        pytest.param("{'name': 'A', 'value': 'b' + c}", [NamedValue("A", None)], id="a computed value"),
        pytest.param("{'name': 'A', 'value': f({'x': 1}, [2])}", [NamedValue("A", None)], id="a call"),
        pytest.param("{'name': c.name, 'value': 'b'}", [], id="a computed name"),
        pytest.param("{'name': 'A', 'valueFrom': {'value': 'b'}}", [], id="a value one level deeper"),
        pytest.param("env.filter(e, e.name != 'A')", [], id="a comparison"),
        pytest.param("// {'name': 'A', 'value': 'b'}\n[]", [], id="a comment"),
        pytest.param("\"{'name': 'A', 'value': 'b'}\"", [], id="text in a string"),
        pytest.param(
            "dyn({'name': 'A', 'value': 'b'}) + [{", [NamedValue("A", "b")], id="what is not closed behind it"
        ),
    ],
)
def test_objects_with_a_name_and_a_value(expression: str, expected: list[NamedValue]) -> None:
    found = list(named_values(expression))
    assert [one._replace(start=0, end=0, tokens=()) for one in found] == expected
    for one in found:
        assert string_of(expression[one.start : one.end]) == one.literal


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        pytest.param("{'a': 'b', 'c': \"d\"}", [("a", "b"), ("c", "d")], id="a map"),
        pytest.param("Object{a: 'b', c: 1}", [("a", "b")], id="a message"),
        pytest.param("{'a': {'b': 'c'}, 'd': 'e'}", [("b", "c"), ("d", "e")], id="one in another"),
        pytest.param("{'a': 'b' + c, 'd': variables.e}", [], id="what is computed"),
        pytest.param("{a: b'c'}", [], id="bytes"),
        pytest.param("f('a', 'b')", [], id="arguments"),
    ],
)
def test_members_that_are_literals(expression: str, expected: list[tuple[str, str]]) -> None:
    assert list(literal_members(expression)) == expected


@given(st.text(alphabet="ab\"'\\{}[](),:/ \n\u00e9r", max_size=60))
def test_property_tokens_are_slices_of_the_expression_in_order(expression: str) -> None:
    end = 0
    for token in tokens(expression):
        assert token.start >= end
        assert expression[token.start : token.end] == token.text
        assert token.value is None or token.kind is TokenKind.STRING
        end = token.end
    list(named_values(expression))
