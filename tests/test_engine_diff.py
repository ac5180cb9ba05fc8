"""The JSON Patch between two states of plain data."""

from __future__ import annotations

import copy
from typing import Any

import jsonpatch
import pytest
from hypothesis import given
from hypothesis import strategies as st

from growth import excess
from krm_fn import patch
from krm_fn.engine import diff
from krm_fn.yamledit.pairs import pair_items
from krm_fn.patch import Operation, add, remove, replace
from krm_fn.yamledit import same

FILE = {"path": "/etc/a", "content": "1"}
OTHER = {"path": "/etc/b", "content": "2"}


@pytest.mark.parametrize(
    ("before", "after", "operations"),
    [
        pytest.param({"a": 1}, {"a": 1}, [], id="what is equal needs nothing"),
        pytest.param({"a": 1, "b": 2}, {"b": 2, "a": 1}, [], id="the order of old members does not count"),
        pytest.param({"a": 1}, {"a": True}, [replace("a", value=True)], id="another type is another value"),
        pytest.param({"a": 1}, {"a": 1.0}, [replace("a", value=1.0)], id="a float is no integer"),
        pytest.param({"a": 1}, {}, [remove("a")], id="a member that goes"),
        pytest.param(
            {"b": 2}, {"a": 1, "b": 2}, [add("a", value=1, before="b")], id="a new member in front of an old one"
        ),
        pytest.param(
            {"c": 3, "d": 4},
            {"a": 1, "b": 2, "c": 3, "d": 4},
            [add("a", value=1, before="c"), add("b", value=2, before="c")],
            id="two new members in front of the same old one keep their order",
        ),
        pytest.param({"a": 1}, {"a": 1, "b": 2}, [add("b", value=2)], id="a new member at the end"),
        pytest.param({"a": None}, {"a": {}}, [replace("a", value={})], id="null becomes a mapping"),
        pytest.param({"a": {"b": 1}}, {"a": [1]}, [replace("a", value=[1])], id="a mapping becomes a list"),
        pytest.param([1, 2, 3], [1, 3], [remove(1)], id="an item that goes"),
        pytest.param([1, 3], [1, 2, 3], [add(1, value=2)], id="an item that comes"),
        pytest.param([1], [1, 2, 3], [add("-", value=2), add("-", value=3)], id="items at the end"),
        pytest.param([1, 2, 3], [2, 3, 4], [remove(0), add("-", value=4)], id="one goes and another comes"),
        pytest.param(["a", "b"], ["a", "c"], [replace(1, value="c")], id="what has no key changes where it is"),
        pytest.param(
            [FILE, OTHER],
            [OTHER, {**FILE, "content": "3"}],
            [remove(0), add("-", value={**FILE, "content": "3"})],
            id="an item that is equal keeps its place, and the moved one is new",
        ),
        pytest.param(
            [FILE, OTHER],
            [{"path": "/new"}, {**FILE, "content": "3"}, OTHER],
            [replace(0, "content", value="3"), add(0, value={"path": "/new"})],
            id="an item is known by its path",
        ),
        pytest.param(
            [{"name": "A", "value": "1"}],
            [{"name": "B", "value": "1"}],
            [remove(0), add("-", value={"name": "B", "value": "1"})],
            id="another name is another item",
        ),
        pytest.param(
            [{"name": "A"}],
            [{"value": "1"}],
            [remove(0), add("-", value={"value": "1"})],
            id="an item without a name is another one than that with a name",
        ),
        pytest.param(
            [{"value": "1"}],
            [{"name": "A"}],
            [remove(0), add("-", value={"name": "A"})],
            id="and one with a name another one than that without",
        ),
        pytest.param(
            [[1], [2], [3]], [[2], [9]], [replace(2, 0, value=9), remove(0)], id="a list that is equal keeps its place"
        ),
        pytest.param([5, 1], [True], [replace(0, value=True), remove(1)], id="1 and true are not equal"),
        pytest.param(
            ["export A=1", "export B=1", "export C=1"],
            ["export A=2", "export C=2"],
            [replace(0, value="export A=2"), replace(2, value="export C=2"), remove(1)],
            id="a command is known by the variable that it sets",
        ),
        pytest.param(
            ["export A=b=1"], ["export A=c=1"], [replace(0, value="export A=c=1")], id="also where its value has a ="
        ),
        pytest.param({"a": 1}, None, [replace(value=None)], id="the whole"),
    ],
)
def test_operations(before: Any, after: Any, operations: list[Any]) -> None:
    assert diff(before, after) == operations


@pytest.mark.parametrize(
    "origins",
    [
        pytest.param([0], id="too few"),
        pytest.param([1, 0], id="not in their order"),
        pytest.param([0, 2], id="beyond the list before"),
    ],
)
def test_origins_that_say_nothing_about_a_list_do_not_count(origins: list[int | None]) -> None:
    after = ["a", "c"]
    copied = Copied(after)
    copied.origins = origins
    assert diff(["a", "b"], after, {id(after): copied}) == [replace(1, value="c")]


def apply(data: Any, operations: list[Operation]) -> Any:
    """Return ``data`` after the operations, each new member in front of the one that its operation names."""
    for operation in operations:
        mapping = patch.lookup(data, operation.path[:-1])
        is_new = isinstance(mapping, dict) and operation.path[-1:] and operation.path[-1] not in mapping
        data = patch.apply(data, [operation])
        if is_new and operation.before in mapping:
            keys = list(mapping)
            for behind in keys[keys.index(operation.before) : -1]:
                mapping[behind] = mapping.pop(behind)
    return data


def test_a_new_member_is_in_front_of_the_old_one_that_follows() -> None:
    data = apply({"a": 1, "d": 4}, [add("b", value=2, before="d"), add("c", value=3, before="d")])
    assert list(data) == ["a", "b", "c", "d"]


def test_a_member_that_is_there_keeps_its_place() -> None:
    assert list(apply({"a": 1, "b": 2}, [add("b", value=3, before="a")])) == ["a", "b"]


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

    assert same(apply(copy.deepcopy(before), operations), after)
    witness = jsonpatch.JsonPatch([operation.to_json() for operation in operations])
    assert same(witness.apply(copy.deepcopy(before)), after)


@given(DATA)
def test_nothing_is_done_where_nothing_differs(data: Any) -> None:
    assert diff(data, copy.deepcopy(data)) == []


@given(st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 1)), st.permutations("abcdef"))
def test_new_members_come_in_the_order_of_the_new_state(before: dict[str, int], order: list[str]) -> None:
    """The old members keep their order; each new one is in front of the first old one behind it."""
    kept = [key for key in order if key in before]
    after = {key: before.get(key, 9) for key in order}
    expected = list(before) if list(before) != kept else order
    result = list(apply(dict(before), diff(before, after)))
    if expected == order:
        assert result == order
    assert [key for key in result if key in before] == list(before)


@given(st.lists(DATA, max_size=6), st.lists(DATA, max_size=6))
def test_each_item_has_one_partner_at_most_in_the_order_of_both_lists(before: list[Any], after: list[Any]) -> None:
    pairs = pair_items(before, after)
    assert pairs == sorted(pairs)
    for side in zip(*pairs, strict=True):
        assert list(side) == sorted(set(side))


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
