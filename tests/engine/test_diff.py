"""The JSON Patch between two states of plain data."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from growth import excess
from krm_fn import patch
from krm_fn.engine import diff
from krm_fn.patch import add, remove, replace
from krm_fn.yamledit import same

FILE = {"path": "/etc/a", "content": "1"}
OTHER = {"path": "/etc/b", "content": "2"}


@pytest.mark.parametrize(
    ("before", "after", "operations"),
    [
        pytest.param({"a": 1}, {"a": 1}, [], id="what is equal needs nothing"),
        pytest.param({"a": 1}, {"a": True}, [replace("a", value=True)], id="another type is another value"),
        pytest.param({"a": 1}, {}, [remove("a")], id="a member that goes"),
        pytest.param({"b": 2}, {"a": 1, "b": 2}, [add("a", value=1)], id="a new member"),
        pytest.param([1, 2, 3], [1, 3], [remove(1)], id="an item that goes"),
        pytest.param([1, 3], [1, 2, 3], [add(1, value=2)], id="an item that comes"),
        pytest.param([1, 2, 3], [2, 3, 4], [remove(0), add("-", value=4)], id="one goes and another comes"),
        pytest.param(["a", "b"], ["a", "c"], [replace(1, value="c")], id="what has no key changes where it is"),
        pytest.param(
            [FILE, OTHER],
            [OTHER, {**FILE, "content": "3"}],
            [remove(0), add("-", value={**FILE, "content": "3"})],
            id="an item that is equal keeps its place, and the moved one is new",
        ),
        pytest.param(
            [{"name": "A"}],
            [{"value": "1"}],
            [remove(0), add("-", value={"value": "1"})],
            id="an item without a name is another one than that with a name",
        ),
        pytest.param(
            [[1], [2], [3]], [[2], [9]], [replace(2, 0, value=9), remove(0)], id="a list that is equal keeps its place"
        ),
    ],
)
def test_operations(before: Any, after: Any, operations: list[Any]) -> None:
    assert diff(before, after) == operations


SCALARS = st.none() | st.booleans() | st.integers(0, 2) | st.floats(0, 2) | st.sampled_from(["", "a", "A=1", "A=2"])
DATA = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(st.sampled_from(["name", "path", "a", "b", "c/~"]), inner, max_size=4)
    ),
    max_leaves=25,
)


@given(DATA, DATA)
def test_the_operations_make_the_one_of_the_other(before: Any, after: Any) -> None:
    operations = diff(before, after)
    assert same(patch.apply(copy.deepcopy(before), operations), after)


@given(DATA)
def test_nothing_is_done_where_nothing_differs(data: Any) -> None:
    assert diff(data, copy.deepcopy(data)) == []


@pytest.mark.parametrize(
    "unit",
    [pytest.param("x", id="the same item again and again"), pytest.param("", id="items that are all different")],
)
def test_time_is_linear_in_the_number_of_items(unit: str) -> None:
    def change_both_ends(items: list[str]) -> None:
        diff(items, ["first", *items[1:-1], "last", "another"])
        diff(["first", *items, "last"], items)
        diff(items, [*items[len(items) // 2 :], *items[: len(items) // 2]])

    def make(size: int) -> list[str]:
        return [unit or f"item {number}" for number in range(size)]

    assert excess(change_both_ends, make, 8_000, in_steps=False) == ""
