"""Text to tree: every value is found where it is, and what is no document is refused in one line."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.errors import InputError
from krm_fn.yamledit.tree import MAX_DEPTH, Mapping, Sequence, compose, walk
from support import run


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("", "the input is empty: it must be one YAML document", id="nothing"),
        pytest.param(
            "a: *nowhere\n",
            "an alias has no anchor before it at line 1, column 4: quote a text that begins with `*`",
            id="no anchor",
        ),
        pytest.param(
            "a: &x\n  b: *x\n",
            "an alias must not be inside its own anchor at line 2, column 6",
            id="an alias in itself",
        ),
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
