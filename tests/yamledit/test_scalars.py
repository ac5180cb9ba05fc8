"""What stays of the way in which an author writes a scalar, when it gets another value."""

from __future__ import annotations

import pytest

from edits import rewrite
from krm_fn.patch import replace
from krm_fn.yamledit import Document


@pytest.mark.parametrize(
    ("before", "value", "after"),
    [
        pytest.param(": b", "yes", ': "yes"', id="a plain text cannot be what some readers take for true"),
        pytest.param(": b", "c\u00a0d", ': "c\u00a0d"', id="a plain text cannot hold what nobody sees"),
        pytest.param(": !!str b", "1", ': "1"', id="a tag that says what a value is goes"),
        pytest.param(": &n 'b' # c", "it's", ": &n 'it''s' # c", id="an anchor before single quotes"),
        pytest.param(
            ": 'b' # c", "\nit's\n\nx\n", ": '\n\n  it''s\n\n\n  x\n\n  ' # c", id="line breaks in single quotes"
        ),
        pytest.param(": 'b'", "c\n d", ': "c\\n d"', id="single quotes cannot hold a blank at the beginning of a line"),
        pytest.param(": 'b'", "c\ufeffd", ': "c\\ufeffd"', id="single quotes cannot hold what needs an escape"),
        pytest.param(": |\n  b", "c\ufeffd\n", ': "c\\ufeffd\\n"', id="nor can a block"),
        pytest.param(': "\\u0041b\\u0041"', "AcA", ': "\\u0041c\\u0041"', id="escapes on both sides"),
        pytest.param(': &n "b\n  c"', "b d", ': &n "b d"', id="an anchor before double quotes on several lines"),
        pytest.param(": |\n  b\n  c\n  d", "b\nx\nd\n", ": |\n  b\n  x\n  d", id="a literal block"),
        pytest.param(
            ": |2- # e\n    b\n  c\n  d", "  b\nx\nd", ": |2- # e\n    b\n  x\n  d", id="the header of a block"
        ),
        pytest.param(": |+\n", "b\n", ": |\n  b", id="a block of an empty line"),
        pytest.param(": |-\n  b", "c\n", ": |\n  c", id="a line break at the end"),
        pytest.param(
            ": >\n  b\n    c\n  d", "x\n  c\nd\n", ": |\n  x\n    c\n  d", id="a folded block that is indented more"
        ),
        pytest.param(": >\n  b\n  c", "b\td \n", ": >\n  b\td ", id="a folded block with a blank at the end of a line"),
    ],
)
@pytest.mark.parametrize("line_break", ["\n", "\r\n"], ids=["Unix", "Windows"])
def test_another_value_in_the_style_of_its_author(before: str, value: str, after: str, line_break: str) -> None:
    text, new = (f"a{one}\n".replace("\n", line_break) for one in (before, after))
    assert rewrite(Document(text), [replace("a", value=value)]) == new


@pytest.mark.parametrize(
    ("text", "path", "value", "new"),
    [
        pytest.param("a: ['b', c]\n", ("a", 0), "d, e", "a: ['d, e', c]\n", id="quotes in flow style"),
        pytest.param("- - |\n    b\n", (0, 0), "b\nc\n", "- - |\n    b\n    c\n", id="a block behind two dashes"),
    ],
)
def test_the_style_of_a_text_in_a_collection(text: str, path: tuple[str | int, ...], value: str, new: str) -> None:
    assert rewrite(Document(text), [replace(*path, value=value)]) == new
