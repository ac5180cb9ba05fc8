"""The data of one object while targets edit it."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn import patch
from krm_fn.engine import Draft, WrongTypeError
from krm_fn.patch import APPEND, add, remove, replace


def test_what_was_there_before_is_not_changed() -> None:
    before = {"spec": {"a": [1]}}
    draft = Draft(before)
    draft.set(("spec", "a"), [2])
    assert before == {"spec": {"a": [1]}}
    assert draft.data == {"spec": {"a": [2]}}


def test_a_value_that_was_set_is_a_copy() -> None:
    value = {"a": 1}
    draft = Draft({})
    draft.set(("spec",), value)
    value["a"] = 2
    assert draft.data == {"spec": {"a": 1}}


@pytest.mark.parametrize(
    ("data", "path", "before", "operations"),
    [
        pytest.param({"a": 1}, ("a",), (), [replace("a", value="new")], id="a member that is there"),
        pytest.param({"a": "new"}, ("a",), (), [], id="a member that has the value already"),
        pytest.param({"a": 1}, ("b",), (), [add("b", value="new")], id="a new member at the end"),
        pytest.param(
            {"a": 1, "c": 2, "d": 3},
            ("b",),
            ("x", "d", "c"),
            [add("b", value="new", before="d")],
            id="in front of others",
        ),
        pytest.param({"a": 1}, ("b",), ("x",), [add("b", value="new")], id="in front of one that is not there"),
        pytest.param({}, ("a", "b"), (), [add("a", value={"b": "new"})], id="the mapping above it is missing"),
        pytest.param({"a": None}, ("a", "b"), (), [replace("a", value={"b": "new"})], id="the mapping above is null"),
        pytest.param(None, ("a",), (), [replace(value={"a": "new"})], id="there is nothing at all"),
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
        pytest.param({"a": 1, "b": 2}, ("a",), 0, {"b": 2}, id="a member beside others"),
        pytest.param({"a": {"b": {"c": 1}}, "x": 1}, ("a", "b", "c"), 0, {"x": 1}, id="all that is empty then"),
        pytest.param({"a": {"b": {"c": 1}}}, ("a", "b", "c"), 0, {}, id="but the whole stays"),
        pytest.param({"a": {"b": {"c": 1}}}, ("a", "b", "c"), 1, {"a": {}}, id="but what is kept"),
        pytest.param({"a": {"b": {"c": 1}}}, ("a", "b", "c"), 2, {"a": {"b": {}}}, id="or all"),
        pytest.param({"a": [1, 2]}, ("a", "0"), 0, {"a": [2]}, id="an item of a list"),
        pytest.param({"a": [1]}, ("a", "0"), 0, {}, id="the last item of a list"),
        pytest.param({"a": 1}, ("b", "c"), 0, {"a": 1}, id="what is not there"),
        pytest.param({"a": {}}, ("a", "c"), 0, {"a": {}}, id="an empty mapping that held nothing"),
        pytest.param({"a": "text"}, ("a", "c"), 0, {"a": "text"}, id="no mapping above it"),
    ],
)
def test_remove(data: Any, path: tuple[str, ...], keep: int, after: Any) -> None:
    draft = Draft(data)
    draft.remove(path, keep)
    assert draft.data == after


@pytest.mark.parametrize(
    ("data", "path", "wrong", "wanted"),
    [
        pytest.param({"a": "text"}, ("a", "b"), ("a",), "a mapping", id="a string on the way"),
        pytest.param({"a": [1]}, ("a", "b"), ("a",), "a mapping", id="a list on the way"),
        pytest.param({"a": {"b": 1}}, ("a", "b", "c", "d"), ("a", "b"), "a mapping", id="a number further on"),
        pytest.param("text", ("a",), (), "a mapping", id="the whole is a string"),
    ],
)
def test_another_type_on_the_way_changes_nothing(
    data: Any, path: tuple[str, ...], wrong: tuple[str, ...], wanted: str
) -> None:
    draft = Draft(data)
    with pytest.raises(WrongTypeError) as error:
        draft.set(path, "new")
    assert (error.value.path, error.value.wanted) == (wrong, wanted)
    assert draft.operations() == []


def test_a_mapping_and_a_list_are_read_as_what_they_are() -> None:
    draft = Draft({"mapping": {"a": 1}, "list": [1], "null": None})
    assert draft.mapping(("mapping",)) == {"a": 1}
    assert draft.items(("list",)) == [1]
    for path in (("null",), ("missing",), ("missing", "deeper")):
        assert draft.mapping(path) is None
        assert draft.items(path) is None
    with pytest.raises(WrongTypeError):
        draft.mapping(("list",))
    with pytest.raises(WrongTypeError):
        draft.items(("mapping",))


PATHS = st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map(tuple)
TREES = st.recursive(st.none() | st.integers(0, 1), lambda inner: st.dictionaries(st.sampled_from("abc"), inner))


@given(TREES, PATHS)
def test_what_was_set_in_an_empty_place_goes_without_a_trace(data: Any, path: tuple[str, ...]) -> None:
    draft = Draft(data)
    depth = next((at for at in range(len(path) + 1) if draft.get(path[:at]) is None), None)
    if depth is None or draft.get(path[:-1]) is not None or not isinstance(data, dict):
        return
    try:
        draft.set(path, 1)
    except WrongTypeError:
        return
    draft.remove(path, keep=0)
    emptied = copy.deepcopy(draft.data)
    again = Draft(emptied)
    again.set(path, 1)
    again.remove(path, keep=0)
    assert again.operations() == []


@pytest.mark.parametrize(
    ("before", "after", "origins", "operations"),
    [
        pytest.param(
            ["a", "b", "c=1", "c=2"],
            ["c=1", "c=2", "a", "b"],
            [None, None, 0, 1],
            [remove("l", 3), remove("l", 2), add("l", 0, value="c=1"), add("l", 1, value="c=2")],
            id="items that are said to move, although fewer would have to move the other way",
        ),
        pytest.param(["a", "b"], ["x", "b"], [0, 1], [replace("l", 0, value="x")], id="an item that changes"),
        pytest.param(
            ["a", "b"],
            ["x", "b"],
            [None, 1],
            [remove("l", 0), add("l", 0, value="x")],
            id="another item",
        ),
        pytest.param(["a"], ["a", "b"], None, [add("l", "-", value="b")], id="nothing is said"),
        pytest.param(["a"], [], None, [remove("l")], id="no item is left"),
        pytest.param(["a"], ["a"], None, [], id="the same items"),
        pytest.param([], [], None, [], id="there was an empty list"),
        pytest.param(None, ["a"], [None], [replace("l", value=["a"])], id="there was null"),
    ],
)
def test_set_items(before: Any, after: list[str], origins: list[int | None] | None, operations: list[Any]) -> None:
    draft = Draft({"l": before})
    draft.set_items(("l",), after, origins)
    assert draft.operations() == operations


def test_set_items_refuses_what_is_no_list() -> None:
    with pytest.raises(WrongTypeError):
        Draft({"l": "text"}).set_items(("l",), ["a"])


def test_origins_of_two_edits_of_one_list_are_put_together() -> None:
    draft = Draft({"l": ["a", "b", "c"]})
    draft.set_items(("l",), ["c", "a", "b"], [None, 0, 1])
    draft.insert(("l",), "new", 1)
    draft.remove(("l", "2"))
    draft.set_items(("l",), ["b", "c", "new"], [None, 0, 1])
    assert draft.data == {"l": ["b", "c", "new"]}
    data: Any = {"l": ["a", "b", "c"]}
    assert patch.apply(data, draft.operations()) == draft.data
    assert not any(operation.op == "replace" for operation in draft.operations())


@given(st.data(), st.lists(st.integers(0, 3), max_size=6), st.lists(st.integers(0, 3), min_size=1, max_size=6))
def test_whatever_the_origins_are_the_operations_lead_to_the_items(
    data: st.DataObject, before: list[int], after: list[int]
) -> None:
    origins = data.draw(st.lists(st.none() | st.integers(0, 7), min_size=len(after), max_size=len(after)))
    draft = Draft({"l": before})
    draft.set_items(("l",), after, origins)
    assert patch.apply({"l": list(before)}, draft.operations()) == {"l": after}


def test_what_a_snapshot_returned_stays_and_can_be_restored() -> None:
    draft = Draft({"a": {"b": 1}})
    draft.set(("a", "c"), 2)
    kept = draft.snapshot()
    draft.set(("a", "c"), 3)

    assert draft.data is not kept
    assert kept == {"a": {"b": 1, "c": 2}}
    draft.restore(kept)
    draft.set(("a", "d"), 4)
    assert kept == {"a": {"b": 1, "c": 2}}
    assert draft.data == {"a": {"b": 1, "c": 2, "d": 4}}


NESTED = {"a": [{"x": 1, "items": [1, 2]}, {"y": 2}], "b": 1}


@pytest.mark.parametrize("path", [(), ("a", "0")], ids=["the whole", "an item"])
def test_a_part_that_was_edited_is_taken_over(path: patch.Pointer) -> None:
    data = NESTED if path else NESTED["a"][0]  # type: ignore[index]
    draft = Draft(data)
    part = draft.part(path)
    part.set(("new", "b"), 1, keep=0)
    part.remove(("x",))
    assert draft.operations() == []

    draft.take_part(path, part)
    assert draft.operations() == [remove(*path, "x"), add(*path, "new", value={"b": 1})]
    assert patch.apply(copy.deepcopy(data), draft.operations()) == draft.data
    assert NESTED == {"a": [{"x": 1, "items": [1, 2]}, {"y": 2}], "b": 1}


def test_what_a_part_knows_about_its_operations_is_taken_over() -> None:
    draft = Draft({"a": [{"name": "n", "items": [1, 2], "empty": {}}]})
    part = draft.part(("a", "0"))
    part.set_items(("items",), [2, 1], [1, None])
    part.set(("empty", "z"), 1, keep=1)
    draft.take_part(("a", "0"), part)
    draft.insert(("a",), {}, 0)

    assert draft.operations() == [
        remove("a", "0", "items", "0"),
        add("a", "0", "items", APPEND, value=1),
        add("a", "0", "empty", "z", value=1),
        add("a", "0", value={}),
    ]


def test_what_is_known_of_items_holds_for_a_part_and_its_parts() -> None:
    draft = Draft({"l": ["a", "b", "c=1", "c=2"]})
    draft.set_items(("l",), ["c=1", "c=2", "a", "b"], [None, None, 0, 1])
    part = draft.part(())
    part.set_items(("l",), ["c=2", "a", "b"], [1, 2, 3])
    draft.take_part((), part)
    assert draft.operations() == [remove("l", 3), remove("l", 2), add("l", 0, value="c=2")]


@pytest.mark.parametrize(
    ("keep", "operation"),
    [
        pytest.param(None, replace("a", value={"b": 1}), id="one that goes with its last member"),
        pytest.param(0, replace("a", value={"b": 1}), id="one of which only what is around it stays"),
        pytest.param(1, add("a", "b", value=1), id="one that stays without a member"),
    ],
)
def test_an_empty_mapping_that_is_filled(keep: int | None, operation: patch.Operation) -> None:
    draft = Draft({"a": {}})
    draft.set(("a", "b"), 1, keep=keep)
    assert draft.operations() == [operation]


def test_a_part_without_an_edit_is_none() -> None:
    draft = Draft(NESTED)
    draft.take_part(("a", "0"), draft.part(("a", "0")))
    assert draft.edits == 0


def test_a_part_can_be_edited_on_after_it_was_taken_over_without_a_trace_in_what_was_before() -> None:
    draft = Draft(NESTED)
    part = draft.part(("a", "0"))
    part.set(("x",), 5)
    draft.take_part(("a", "0"), part)
    draft.set(("a", "0", "x"), 6)
    assert draft.data["a"][0]["x"] == 6
    assert NESTED["a"][0]["x"] == 1  # type: ignore[index]
