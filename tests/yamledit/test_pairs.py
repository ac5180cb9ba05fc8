"""Which items of a list before are which items after."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.yamledit.pairs import pair_items


@pytest.mark.parametrize(
    ("before", "after", "pairs"),
    [
        pytest.param([1, 2, 3], [1, 3], [(0, 0), (2, 1)], id="what is equal"),
        pytest.param([1], [True], [(0, 0)], id="what is not equal, by its position"),
        pytest.param([{"name": "a"}, 1], [{"name": "a", "b": 1}], [(0, 0)], id="one name"),
        pytest.param([{"kind": "K", "name": "a"}], [{"kind": "K", "name": "b"}], [(0, 0)], id="a reference, renamed"),
        pytest.param([{"path": "a"}], [{"path": "b"}], [], id="another path is another item"),
        pytest.param(["A=1", "B=1"], ["B=2"], [(1, 0)], id="a variable, by its name"),
        pytest.param([{}, "x"], ["y", {"k": 1}, 2], [(0, 1)], id="of one type, in the order of both"),
    ],
)
def test_pairs(before: list[Any], after: list[Any], pairs: list[tuple[int, int]]) -> None:
    assert pair_items(before, after) == pairs


ITEMS = st.lists(st.integers(0, 2) | st.sampled_from(["A=1", "A=2", "b"]) | st.dictionaries(st.just("name"), st.text()))


@given(ITEMS, ITEMS)
def test_each_item_has_one_partner_at_most_in_the_order_of_both_lists(before: list[Any], after: list[Any]) -> None:
    pairs = pair_items(before, after)
    for side in zip(*pairs, strict=True):
        assert list(side) == sorted(set(side))
