"""The data of one object while targets edit it, and the JSON Patch between two states of plain data."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edits import add, remove, replace
from growth import excess
from krm_fn import patch
from krm_fn.engine import Draft, WrongTypeError, diff
from krm_fn.yamledit import same


@pytest.mark.parametrize(
    ("data", "path"),
    [pytest.param({}, ("spec",), id="of a new member"), pytest.param({"spec": 1}, (), id="of the whole")],
)
def test_a_value_that_was_set_is_a_copy(data: Any, path: patch.Pointer) -> None:
    value = {"a": {"b": 1}}
    draft = Draft(data)
    draft.set(path, value)
    value["a"]["b"] = 2
    assert draft.get(path) == {"a": {"b": 1}}


@pytest.mark.parametrize(
    ("data", "path", "before", "operations"),
    [
        pytest.param({"a": 1}, ("a",), (), [replace("a", value="new")], id="a member that is there"),
        pytest.param({"a": "new"}, ("a",), (), [], id="a member that has the value already"),
        pytest.param({"a": 1}, ("b",), (), [add("b", value="new")], id="a new member at the end"),
        pytest.param({"a": 1, "c": 2, "d": 3}, ("b",), ("x", "d", "c"), [add("b", value="new")], id="before others"),
        pytest.param({}, ("a", "b"), (), [add("a", value={"b": "new"})], id="the mapping above it is missing"),
        pytest.param({"a": None}, ("a", "b"), (), [replace("a", value={"b": "new"})], id="the mapping above is null"),
        pytest.param({"a": ["x"]}, ("a", "0"), (), [replace("a", 0, value="new")], id="an item of a list"),
        pytest.param([{"a": 1}], ("0", "b"), (), [add("0", "b", value="new")], id="a member of an item"),
    ],
)
def test_set(data: Any, path: tuple[str, ...], before: tuple[str, ...], operations: list[Any]) -> None:
    draft = Draft(data)
    draft.set(path, "new", before)
    assert draft.operations() == operations
    assert draft.get(path) == "new"


@pytest.mark.parametrize(
    ("data", "path", "keep", "after"),
    [
        pytest.param({"a": 1, "b": 2}, ("a",), (), {"b": 2}, id="a member beside others"),
        pytest.param({"a": {"b": {"c": 1}}, "x": 1}, ("a", "b", "c"), (), {"x": 1}, id="all that is empty then"),
        pytest.param({"a": [1, 2]}, ("a", "0"), (), {"a": [2]}, id="an item of a list"),
        pytest.param({"a": 1}, ("b", "c"), (), {"a": 1}, id="what is not there"),
        pytest.param({"a": "text"}, ("a", "c"), (), {"a": "text"}, id="no mapping above it"),
        pytest.param({"a": {}}, (), (), None, id="the whole"),
    ],
)
def test_remove(data: Any, path: tuple[str, ...], keep: tuple[int, ...], after: Any) -> None:
    draft = Draft(data)
    draft.remove(path, *keep)
    assert draft.data == after


def test_the_removal_of_the_whole_is_one_operation_and_nothing_is_not_removed() -> None:
    draft = Draft({"a": 1})
    draft.remove(())
    assert draft.operations() == [remove()]
    assert Draft(None).operations() == []


def test_another_type_on_the_way_changes_nothing() -> None:
    draft = Draft({"a": "text"})
    with pytest.raises(WrongTypeError) as error:
        draft.set(("a", "b"), "new")
    assert error.value.finding.path == ("a",)
    assert draft.operations() == []


@pytest.mark.parametrize(
    ("read", "path", "said"),
    [
        pytest.param(Draft.mapping, ("a", "list"), "`list` must be a mapping, not a list", id="a list"),
        pytest.param(Draft.items, ("a", "map"), "`map` must be a list, not a mapping", id="a mapping"),
    ],
)
def test_an_error_says_which_value_is_of_another_type_and_not_what_it_holds(
    read: Callable[[Draft, patch.Pointer], Any], path: patch.Pointer, said: str
) -> None:
    draft = Draft({"a": {"list": ["secret"], "text": "secret", "map": {"b": "secret"}}})
    with pytest.raises(WrongTypeError) as error:
        read(draft, path)
    assert error.value.finding.path == path
    assert str(error.value).startswith(said)
    assert "secret" not in repr(error.value.finding)


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
        pytest.param([[1], [2], [3]], [[2], [9]], [replace(2, 0, value=9), remove(0)], id="an equal list keeps it"),
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
    "unit", [pytest.param("x", id="the same item again and again"), pytest.param("", id="items that are all different")]
)
def test_time_is_linear_in_the_number_of_items(unit: str) -> None:
    def change_both_ends(items: list[str]) -> None:
        diff(items, ["first", *items[1:-1], "last", "another"])
        diff(["first", *items, "last"], items)
        diff(items, [*items[len(items) // 2 :], *items[: len(items) // 2]])

    def make(size: int) -> list[str]:
        return [unit or f"item {number}" for number in range(size)]

    assert excess(change_both_ends, make, 8_000, in_steps=False) == ""
