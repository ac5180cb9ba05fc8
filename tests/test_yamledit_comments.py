"""Which comment stands at which place of a text."""

from __future__ import annotations

import pytest

from krm_fn.yamledit.comments import places


def with_comments(text: str) -> dict[tuple[str, ...], tuple[list[str], list[str]]]:
    """Of the places with comments, those above and those beside."""
    return {place.path: (place.above, place.beside) for place in places(text) if place.above or place.beside}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("a: b#c\n", id="a word with the sign in it"),
        pytest.param("a: 'b # c'\nd: \"e\n  # f\"\n", id="texts in quotes"),
        pytest.param("a: |\n  # b\n  c # d\ne: >-\n  # f\n", id="texts of several lines"),
        pytest.param("a: {'# b': '# c'}\n", id="a key in quotes"),
        pytest.param("'a # b': c\n", id="the first key in quotes"),
    ],
)
def test_what_is_no_comment(text: str) -> None:
    assert with_comments(text) == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("# x\n", {(): (["# x"], [])}, id="a text of one comment"),
        pytest.param("a: 1\n# x", {(): (["# x"], [])}, id="the end of a text"),
        pytest.param("\n# x\na: 1\n", {("0", "a"): (["# x"], [])}, id="below an empty first line"),
        pytest.param("# x\n\n# y\na: 1\n", {("0", "a"): (["# x", "# y"], [])}, id="above the first member"),
        pytest.param("# x\n---\n# y\na: 1\n", {("0",): (["# x"], []), ("0", "a"): (["# y"], [])}, id="a header"),
        pytest.param("a: 1\n# x\n--- # y\nb: 1\n", {("1",): (["# x"], ["# y"])}, id="a second document"),
        pytest.param(
            "a: 1\n# x\n--- {b: 1} # y\n",
            {("1",): (["# x"], ["# y"]), ("1", "b"): ([], ["# y"])},
            id="a second document behind its separator",
        ),
        pytest.param("a: # x\n  b: 1 # y\n", {("0", "a"): ([], ["# x"]), ("0", "a", "b"): ([], ["# y"])}, id="beside"),
        pytest.param("a:\n  b: 1\n  # x\nc: 1\n", {("0", "c"): (["# x"], [])}, id="below, in whatever column"),
        pytest.param("a: | # x\n  b\n", {("0", "a"): ([], ["# x"])}, id="beside the sign of a text of several lines"),
        pytest.param("a: > # x\n  b\n", {("0", "a"): ([], ["# x"])}, id="beside the sign of a folded text"),
        pytest.param("a: 'b\n  c' # x\n", {("0", "a"): ([], ["# x"])}, id="behind a text of several lines"),
        pytest.param("'b\n  c' # x\n", {("0",): ([], ["# x"])}, id="behind a document of several lines"),
        pytest.param(
            "a: {b: 1} # x\r\n", {("0", "a"): ([], ["# x"]), ("0", "a", "b"): ([], ["# x"])}, id="several on a line"
        ),
        pytest.param("a:\n- 1\n# x\n- b: 1\n", {("0", "a", "1"): (["# x"], [])}, id="an item of a list"),
        pytest.param("\ufeff# x\na: 1\n", {("0", "a"): (["# x"], [])}, id="behind a byte order mark"),
    ],
)
def test_comments_belong_to_places(text: str, expected: dict[tuple[str, ...], tuple[list[str], list[str]]]) -> None:
    assert with_comments(text) == expected


def test_places_say_their_texts() -> None:
    value_text = {place.path: place.value_text for place in places("a: 'x'\nb: [1, {}]\n---\ny\n")}

    assert value_text == {
        ("0",): None,
        ("0", "a"): "x",
        ("0", "b"): None,
        ("0", "b", "0"): "1",
        ("0", "b", "1"): None,
        ("1",): "y",
        (): None,
    }
