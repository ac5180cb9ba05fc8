"""Text to tree: every value is found where it is, and what is no document is refused in one line."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.errors import InputError
from krm_fn.yamledit.tree import MAX_DEPTH, Mapping, Node, Scalar, Sequence, compose, walk
from support import run


def values_of(text: str) -> dict[str, Node]:
    """The values of the outermost mapping."""
    root = compose(text)
    assert isinstance(root, Mapping)
    return {key.value: value for key, value in root.entries if isinstance(key, Scalar)}


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        pytest.param("a: word\n", "word", id="a plain scalar"),
        pytest.param("a: two words # why\n", "two words", id="a plain scalar ends before its comment"),
        pytest.param("a: one\n  two\nb: 1\n", "one\n  two", id="a plain scalar over two lines"),
        pytest.param('a: "x\n\n  y"\n', '"x\n\n  y"', id="a double-quoted scalar over three lines"),
        pytest.param("a: &x word\n", "&x word", id="an anchor belongs to its value"),
        pytest.param("a: [1, {b: 2}] # why\n", "[1, {b: 2}]", id="a flow list with its brackets"),
        pytest.param("a: {b: 1,\n    c: 2}\nd: 1\n", "{b: 1,\n    c: 2}", id="a flow mapping over two lines"),
        pytest.param("a:\n- 1\n- 2\n# why\n\nb: 1\n", "- 1\n- 2", id="a block list ends with its last item"),
        pytest.param(
            "a:\n  b: 1\n  c: 2 # why\n\n# end\n", "b: 1\n  c: 2", id="a block mapping ends with its last value"
        ),
        pytest.param("a: &x\n  b: 1\n", "&x\n  b: 1", id="the anchor of a block mapping belongs to it"),
        pytest.param("a:\n  - - 1\n    - 2\nb: 1\n", "- - 1\n    - 2", id="a list in a list"),
        pytest.param("a: é😀\nb: 1\n", "é😀", id="positions count characters, not bytes"),
    ],
)
def test_a_value_is_found_where_it_stands(text: str, stands: str) -> None:
    node = values_of(text)["a"]
    assert text[node.start : node.end] == stands


@pytest.mark.parametrize(
    ("text", "stands", "value"),
    [
        pytest.param("a: |\n  x\n\n\nb: 1\n", "|\n  x", "x\n", id="literal, clipped"),
        pytest.param("a: |-\n  x\n\n\nb: 1\n", "|-\n  x", "x", id="literal, stripped"),
        pytest.param("a: |+\n  x\n\n\nb: 1\n", "|+\n  x\n\n", "x\n\n\n", id="literal, kept: empty lines are content"),
        pytest.param("a: >\n  x\n  y\n\nb: 1\n", ">\n  x\n  y", "x y\n", id="folded, clipped"),
        pytest.param("a: >-\n  x\n\n  y\n\nb: 1\n", ">-\n  x\n\n  y", "x\ny", id="folded, stripped"),
        pytest.param("a: >+\n  x\n\nb: 1\n", ">+\n  x\n", "x\n\n", id="folded, kept"),
        pytest.param("a: |2\n   x\nb: 1\n", "|2\n   x", " x\n", id="an indentation hint"),
        pytest.param("a: |1+\n  x\n\nb: 1\n", "|1+\n  x\n", " x\n\n", id="a hint and a kept end"),
        pytest.param(
            "a: | # not a + b\n  x\n\nb: 1\n", "| # not a + b\n  x", "x\n", id="a plus in the header's comment"
        ),
        pytest.param("a: |\n  x + y\n\nb: 1\n", "|\n  x + y", "x + y\n", id="a plus in its words"),
        pytest.param("a: |\n  x\r\n\nb: 1\n", "|\n  x", "x\n", id="line breaks of two kinds"),
        pytest.param("a: |\n  x\n# why\n\nb: 1\n", "|\n  x", "x\n", id="a comment behind it is not content"),
        pytest.param("a: |\n  x", "|\n  x", "x", id="no final line break"),
        pytest.param("a: |+\n  x\n", "|+\n  x", "x\n", id="kept at the end of the text"),
        pytest.param("a: |\r\n  x\r\n\r\nb: 1\r\n", "|\r\n  x", "x\n", id="line breaks of two characters"),
        pytest.param("a: |\n\nb: 1\n", "|", "", id="nothing in it"),
        pytest.param("a: |\n  a\tb\n\n", "|\n  a\tb", "a\tb\n", id="a tab in it"),
    ],
)
def test_a_block_scalar_ends_with_its_last_line_of_content(text: str, stands: str, value: str) -> None:
    node = values_of(text)["a"]
    assert isinstance(node, Scalar)
    assert text[node.start : node.end] == stands
    assert node.value == value
    assert node.style in "|>"


def test_all_nodes_are_walked_in_the_order_of_the_text() -> None:
    text = "a: [1, {b: 2}]\nc: *x\n".replace("1", "&x 1")
    nodes = list(walk(compose(text)))
    assert [type(node).__name__ for node in nodes] == [
        *("Mapping", "Scalar", "Sequence", "Scalar", "Mapping", "Scalar", "Scalar", "Scalar", "Alias"),
    ]
    assert [node.start for node in nodes] == sorted(node.start for node in nodes)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("", "the input is empty: it must be one YAML document", id="nothing"),
        pytest.param("# a comment\n\n", "the input is empty", id="a comment only"),
        pytest.param(
            "a: 1\n---\nb: 2\n",
            "the input must be one YAML document, but a second one begins at line 2, column 1",
            id="two documents",
        ),
        pytest.param(
            "a: *nowhere\n",
            "an alias has no anchor before it at line 1, column 4: quote a text that begins with `*`",
            id="no anchor",
        ),
        pytest.param("a: *x\nb: &x 1\n", "an alias has no anchor before it", id="an anchor that comes later"),
        pytest.param(
            "a: &x\n  b: *x\n",
            "an alias must not be inside its own anchor at line 2, column 6",
            id="an alias in itself",
        ),
        pytest.param(
            "a: &x [*x]\n", "an alias must not be inside its own anchor", id="an alias in itself, in flow style"
        ),
        pytest.param("a: [1, 2\n", "not valid YAML", id="a bracket that is open"),
        pytest.param(
            "a:\n\tb: 1\nc: 1\n",
            "at line 2, column 1: indent the line with blanks, because YAML takes no tab there",
            id="a tab as indentation",
        ),
        pytest.param(
            "a: 1\n<<<<<<< HEAD\nb: 1\n=======\nc: 1\n<<<<<<< HEAD\n",
            "at line 3, column 1: resolve the conflict that git marked in line 2",
            id="a conflict",
        ),
        pytest.param("a: [\n\t@\n", "at line 2, column 2", id="a tab where it may be"),
        pytest.param("a: @x\n", "at line 1, column 4", id="a reserved character"),
        pytest.param("a: \x00\n", "control characters are not allowed at line 1, column 4", id="a NUL"),
    ],
)
def test_what_is_no_document_is_refused_in_one_line(text: str, says: str) -> None:
    with pytest.raises(InputError) as caught:
        compose(text)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


QUOTED = ["a: http://user:geheim@proxy: [\n", "a: !geheim!x\n", "%TAG !geheim! x\n%TAG !geheim! x\n---\na: 1\n"]


@pytest.mark.parametrize("text", QUOTED)
def test_a_message_never_quotes_the_text_around_a_mistake(text: str) -> None:
    with pytest.raises(InputError) as caught:
        compose(text)
    assert "geheim" not in str(caught.value)


def test_a_message_never_quotes_it_without_libyaml() -> None:
    program = """
import sys
sys.modules["yaml._yaml"] = None
from krm_fn.errors import InputError
from krm_fn.yamledit.tree import compose
for text in sys.argv[1:]:
    try:
        compose(text)
    except InputError as error:
        print(error)
"""
    done = run([sys.executable, "-c", program, *QUOTED])
    assert (done.returncode, done.stdout.count(b"not valid YAML"), b"geheim" in done.stdout) == (0, len(QUOTED), False)


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        pytest.param("[", "]", id="flow lists"),
        pytest.param("{a: ", "}", id="flow mappings"),
        pytest.param("- ", "", id="block lists"),
        pytest.param("? ", "", id="keys"),
    ],
)
def test_the_deepest_document_that_is_read(opening: str, closing: str) -> None:
    deepest = opening * MAX_DEPTH + "x" + closing * MAX_DEPTH + "\n"
    assert sum(isinstance(node, (Mapping, Sequence)) for node in walk(compose(deepest))) == MAX_DEPTH
    with pytest.raises(InputError, match=f"nested more than {MAX_DEPTH} levels deep at line 1"):
        compose(opening + deepest.rstrip("\n") + closing + "\n")


@given(st.text(st.sampled_from("ab:-?[]{}&*!|>'\"#%@ \t\n\r,1")))
def test_any_text_is_a_tree_inside_the_text_or_refused(text: str) -> None:
    try:
        root = compose(text)
    except InputError as error:
        assert "\n" not in str(error)
        return
    for node in walk(root):
        assert 0 <= node.start <= node.end <= len(text)
