"""The tokens of CEL expressions, and the texts of string literals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.targets.kyverno.cel_parser import parse
from krm_fn.targets.kyverno.cel_text import text
from krm_fn.targets.kyverno.cel_tokens import TokenKind, tokens


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
    node = parse(expression)
    assert (None if node is None else node.value) == expected


@given(st.text(), st.sampled_from(["'a'", '"a"', "r'a'", '"""a"""']))
def test_property_a_literal_that_is_written_is_read_as_the_same_text(value: str, like: str) -> None:
    (token,) = tokens(text(value, like))
    assert token.value == value


@given(st.text(alphabet="ab\"'\\{}[](),:/ \n\u00e9r", max_size=60))
def test_property_tokens_are_slices_of_the_expression_in_order(expression: str) -> None:
    end = 0
    for token in tokens(expression):
        assert token.start >= end
        assert expression[token.start : token.end] == token.text
        assert token.value is None or token.kind is TokenKind.STRING
        end = token.end
