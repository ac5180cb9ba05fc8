from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.formats.splice import Edit, cuts, splice


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        pytest.param([], "abcdef", id="no edit gives the same text"),
        pytest.param([(2, 2, "")], "abcdef", id="an empty insertion gives the same text"),
        pytest.param([(0, 0, "X")], "Xabcdef", id="an insertion in front"),
        pytest.param([(6, 6, "X")], "abcdefX", id="an insertion behind"),
        pytest.param([(1, 3, "X")], "aXdef", id="a replacement"),
        pytest.param([(4, 5, "Y"), (1, 3, "")], "adYf", id="edits need not come in order"),
        pytest.param([(2, 4, ""), (2, 2, "X"), (2, 2, "Y")], "abXYef", id="insertions come first and keep their order"),
        pytest.param([(0, 6, "")], "", id="everything goes"),
    ],
)
def test_formats_splice(edits: list[Edit], expected: str) -> None:
    assert splice("abcdef", edits) == expected


@pytest.mark.parametrize(
    ("unwanted", "expected"),
    [
        pytest.param(set(), "export A=1  B=2\tC=3", id="nothing is cut"),
        pytest.param({1}, "export  B=2\tC=3", id="the gap in front of a word goes with it"),
        pytest.param({3}, "export A=1  B=2", id="so it does with the last one"),
        pytest.param({1, 2}, "export\tC=3", id="neighbours go together"),
        pytest.param({0}, "A=1  B=2\tC=3", id="the gap behind goes where nothing stays in front"),
        pytest.param({0, 1}, "B=2\tC=3", id="and does so for several"),
        pytest.param({0, 1, 2, 3}, "", id="all go, with all gaps"),
    ],
)
def test_cuts(unwanted: set[int], expected: str) -> None:
    text = "export A=1  B=2\tC=3"
    spans = cuts([(0, 6), (7, 10), (12, 15), (16, 19)], unwanted)
    assert splice(text, [(start, end, "") for start, end in spans]) == expected


@given(st.lists(st.sampled_from("abcde"), min_size=1), st.sets(st.integers(0, 9)))
def test_what_is_left_after_cuts_are_the_other_words(words: list[str], unwanted: set[int]) -> None:
    spans = [(2 * index, 2 * index + 1) for index in range(len(words))]
    left = splice(" ".join(words), [(start, end, "") for start, end in cuts(spans, unwanted)])
    assert left.split(" ") == [word for index, word in enumerate(words) if index not in unwanted] or left == ""
    assert (left == "") == (set(range(len(words))) <= unwanted)
