"""A text of several documents: cut where PyYAML cuts it, edited there, and never written as something else."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from edits import add, edit_document, remove
from krm_fn.errors import EditError
from krm_fn.patch import Operation
from krm_fn.yamledit import read
from krm_fn.yamledit.stream import documents, rewrite_documents


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in documents(text)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("--- {a: b,\n  c: d}\n", "--- {a: b,\n  c: d,\n  new: {x: 1}}\n", id="one of several lines"),
        pytest.param("--- {}\n", "--- {new: {x: 1}}\n", id="an empty one"),
        pytest.param("--- {} # c\r\n", "--- {new: {x: 1}} # c\r\n", id="an empty one with a comment"),
        pytest.param("x: 1\n--- # c\n{}\n", None, id="a second document cannot be meant"),
    ],
)
def test_what_stands_behind_a_separator_is_edited_there_and_given_back(before: str, after: str | None) -> None:
    after = after or before.replace("x: 1\n", "x: 1\nnew:\n  x: 1\n", 1)

    assert edit_document(before, 0, [add("new", value={"x": 1})]) == after
    assert edit_document(after, 0, [remove("new")]) == before


PIECES = [
    *("---", "--- ", "--- # c", "--- {a: b}", "--- {} # c", "--- |\n  x", "--- 'a\n  b'", "--- !!map\nq: 1", "---\t{}"),
    *("...", "... # c", "# c", "", "  # c", "a: 1", "b: {c: d}", "c: |\n  --- x\n  ...", "---a: 1", "--- &x\ny: 1"),
]
LINES = st.lists(st.sampled_from(PIECES), max_size=8)
NEWLINES = st.sampled_from(["\n", "\r\n"])
NEW: list[Operation] = [add("new", value="http://proxy:3128")]


def said(text: str) -> list[object] | None:
    """What the documents say in which something is written, as PyYAML cuts them; None of what cannot be read."""
    try:
        roots = [one for one in yaml.compose_all(text, yaml.CSafeLoader) if one.start_mark.index < one.end_mark.index]
        for root in roots:
            if isinstance(root, yaml.MappingNode) and len({key.value for key, _ in root.value}) < len(root.value):
                return None  # a key is there twice, which PyYAML takes
        return [yaml.CSafeLoader("").construct_document(one) for one in roots]
    except yaml.YAMLError:
        return None


@given(LINES, NEWLINES, st.booleans(), st.booleans())
def test_a_text_is_cut_where_pyyaml_cuts_it(lines: list[str], newline: str, is_open: bool, has_mark: bool) -> None:
    text = "\ufeff" * has_mark + "\n".join(lines).replace("\n", newline) + newline * (not is_open)
    expected = said(text)

    if expected is not None:
        assert [read(part) for part in cut(text)] == expected


@given(LINES, NEWLINES, st.integers(0, 3))
def test_an_edit_of_one_document_says_what_is_meant_or_is_refused(lines: list[str], newline: str, index: int) -> None:
    text = "\n".join(lines).replace("\n", newline) + newline
    expected = said(text)
    if expected is None or index >= len(expected) or not isinstance(expected[index], dict):
        return

    new = edit_document(text, index, NEW)

    assert said(new) == [{**one, "new": "http://proxy:3128"} if one is expected[index] else one for one in expected]


# documents that come and go

REWRITTEN = [
    pytest.param("a: 1\n", {}, ["b: 1\n"], "a: 1\n---\nb: 1\n", id="one is added"),
    pytest.param(
        "--- # was: no line break above\na: 1\n", {}, [], "--- # was: no line break above\na: 1\n", id="nothing"
    ),
    pytest.param(
        "a: 1\n--- # was: no line break above\nb: 1\n---\nc: 1\n",
        {1: None},
        [],
        "a: 1\n---\nc: 1\n",
        id="one below which another one was added since",
    ),
    pytest.param("", {}, ["b: 1\n"], "b: 1\n", id="in a new file"),
    pytest.param("# top\n", {}, ["b: 1\n"], "# top\n---\nb: 1\n", id="in a file with comments alone"),
    pytest.param("\ufeffa: 1\n---\nb: 1\n", {0: None}, [], "\ufeffb: 1\n", id="behind a byte order mark"),
]


@pytest.mark.parametrize(("text", "texts", "new", "after"), REWRITTEN)
def test_documents_come_and_go_with_marks(text: str, texts: dict[int, str | None], new: list[str], after: str) -> None:
    assert rewrite_documents(text, texts, new) == after


def test_a_text_that_a_line_break_would_change_is_refused() -> None:
    with pytest.raises(EditError, match="its last line must end with a line break"):
        rewrite_documents("a: |\n  x", {}, ["b: 1\n"])


def test_a_document_with_a_separator_in_it_is_refused() -> None:
    with pytest.raises(EditError, match="would not have the documents that are meant"):
        rewrite_documents("a: 1\n", {0: "a: 1\n---\nb: 1\n"})
