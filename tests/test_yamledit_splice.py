from __future__ import annotations

import pytest

from krm_fn.yamledit.splice import Edit, splice


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
