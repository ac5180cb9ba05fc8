"""What stays of the way in which an author writes a scalar, when it gets another value."""

from __future__ import annotations

import pytest

from edits import replace, rewrite
from krm_fn.yamledit import Document


@pytest.mark.parametrize(
    ("before", "value", "after"),
    [
        pytest.param(": b", "yes", ': "yes"', id="a plain text cannot be what some readers take for true"),
        pytest.param(": b", "c\u00a0d", ': "c\u00a0d"', id="a plain text cannot hold what nobody sees"),
        pytest.param(": !!str b", "1", ': "1"', id="a tag that says what a value is goes"),
        pytest.param(": &n 'b' # c", "it's", ": &n 'it''s' # c", id="an anchor before single quotes"),
        pytest.param(": 'b' # c", "\nit's\n\nx\n", ": '\n\n  it''s\n\n\n  x\n\n  ' # c", id="breaks in single quotes"),
        pytest.param(": 'b'", "c\n d", ': "c\\n d"', id="single quotes cannot hold a blank at the beginning of a line"),
        pytest.param(": 'b'", "c\ufeffd", ': "c\\ufeffd"', id="single quotes cannot hold what needs an escape"),
        pytest.param(": |\n  b", "c\ufeffd\n", ': "c\\ufeffd\\n"', id="nor can a block"),
        pytest.param(': "\\u0041b\\u0041"', "AcA", ': "\\u0041c\\u0041"', id="escapes on both sides"),
        pytest.param(': &n "b\n  c"', "b d", ': &n "b d"', id="an anchor before double quotes on several lines"),
        pytest.param(": |\n  b\n  c\n  d", "b\nx\nd\n", ": |\n  b\n  x\n  d", id="a literal block"),
        pytest.param(": |2- # e\n    b\n  c\n  d", "  b\nx\nd", ": |2- # e\n    b\n  x\n  d", id="a block's header"),
        pytest.param(": |+\n", "b\n", ": |\n  b", id="a block of an empty line"),
        pytest.param(": |-\n  b", "c\n", ": |\n  c", id="a line break at the end"),
        pytest.param(": >\n  b\n    c\n  d", "x\n  c\nd\n", ": >\n  x\n    c\n  d", id="a folded block, indented more"),
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


HEADERS = ("|", "|-", "|+", ">", ">-", ">+", "|2", "|2-", "|2+", "|+2", ">2", ">2+", "|4+", "|+  # owner", "> # owner")
WORDS = {
    "a line": "A=1\n",
    "lines": "A=1\nB=2\n",
    "an empty line between": "A=1\n\nB=2\n",
    "an empty line before": "\nA=1\nB=2\n",
    "a blank line at the end": "A=1\nB=2\n\n",
    "blank lines at the end": "A=1\n\n\n\n",
    "a line that is indented more": "A=1\n  B=2\nC=3\n\n",
    "two lines that are": "A=1\n\n  B=2\n  C=3\n\nD=4\nE=5\n",
    "a blank before the first": " A=1\nB=2\n",
}
BELOW = {
    "a neighbour": "  z: 1\n",
    "a key with less indent": "z: 1\n",
    "the end": "",
    "a comment at the edge": "# x\nz: 1\n",
    "a comment that is indented more": "    # x\nz: 1\n",
}


def is_block(header: str, words: str) -> bool:
    """Return whether the words can be in such a block: a blank at the beginning needs a number in the header."""
    return any(mark in header for mark in "24") or not words.startswith(" ")


@pytest.mark.parametrize(
    ("header", "words"),
    [
        pytest.param(header, words, id=f"{header} of {name}")
        for header in HEADERS
        for name, words in WORDS.items()
        if is_block(header, words)
    ],
)
@pytest.mark.parametrize("below", BELOW.values(), ids=BELOW.keys())
def test_a_block_that_gets_a_line_and_loses_it_is_as_it_was(header: str, words: str, below: str) -> None:
    step = 4 if "4" in header else 2
    lines = "".join(" " * (2 + step) * (line != "") + line + "\n" for line in words.splitlines())
    text = f"a:\n  b: {header}\n{lines}{below}"
    old = Document(text).data()
    value = old["a"]["b"]
    bare = value.rstrip("\n")
    for new in (f"N=1\n{value}", f"{bare}\nN=1{value[len(bare) :]}", value.replace("\nB", "\nN=1\nB")):
        changed = rewrite(Document(text), [replace("a", "b", value=new)])
        assert header in changed
        assert rewrite(Document(changed), []) == changed
        assert rewrite(Document(changed), [replace("a", "b", value=value)]) == text


@pytest.mark.parametrize("header", [*HEADERS, "|-2"])
@pytest.mark.parametrize("words", ["A=1", "A=1\n    B=2", "A=1\n\n    B=2"], ids=["a line", "lines", "a paragraph"])
def test_a_block_at_the_end_of_a_file_without_a_line_break_keeps_its_header(header: str, words: str) -> None:
    text = f"a:\n  b: {header.replace('4', '2')}\n    {words}"
    value = Document(text).data()["a"]["b"]
    changed = rewrite(Document(text), [replace("a", "b", value=f"N=1\n{value}")])
    assert rewrite(Document(changed), [replace("a", "b", value=value)]) == text
