"""The data of one object while targets edit it."""

from __future__ import annotations

import copy
from collections.abc import Callable
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


@pytest.mark.parametrize(
    ("data", "path"),
    [
        pytest.param({}, ("spec",), id="of a new member"),
        pytest.param({"spec": 1}, ("spec",), id="of a member"),
        pytest.param({"spec": [1]}, ("spec", "0"), id="of an item"),
        pytest.param({"spec": 1}, (), id="of the whole"),
    ],
)
def test_a_value_that_was_set_is_a_copy(data: Any, path: patch.Pointer) -> None:
    value = {"a": {"b": 1}}
    draft = Draft(data)
    draft.set(path, value)
    value["a"]["b"] = 2
    assert draft.get(path) == {"a": {"b": 1}}


def test_an_item_that_was_added_is_a_copy() -> None:
    item = {"a": {"b": 1}}
    draft = Draft({"l": []})
    draft.append(("l",), item)
    item["a"]["b"] = 2
    assert draft.data == {"l": [{"a": {"b": 1}}]}


def _edit_part(draft: Draft, value: int) -> None:
    part = draft.part(("l", "0"))
    part.set(("x",), value)
    draft.take_part(("l", "0"), part)


@pytest.mark.parametrize(
    ("edit", "count"),
    [
        pytest.param(lambda draft: draft.set(("a",), 2), 1, id="a member that is set"),
        pytest.param(lambda draft: draft.set((), {"a": 2}), 1, id="the whole that is set"),
        pytest.param(lambda draft: draft.set(("a",), 1), 0, id="a member that has the value already"),
        pytest.param(lambda draft: draft.set(("c",), None), 1, id="a new member that is null"),
        pytest.param(lambda draft: draft.append(("l",), 2), 1, id="an item that is added"),
        pytest.param(lambda draft: draft.set_items(("l",), [2]), 1, id="other items"),
        pytest.param(lambda draft: draft.set_items(("l",), [{"x": 1}]), 0, id="the same items"),
        pytest.param(lambda draft: draft.remove(("a",)), 1, id="what is removed"),
        pytest.param(lambda draft: draft.remove(("missing",)), 0, id="the removal of what is not there"),
        pytest.param(lambda draft: _edit_part(draft, 2), 1, id="a part that was edited"),
        pytest.param(lambda draft: _edit_part(draft, 1), 0, id="a part that has the value already"),
    ],
)
def test_what_changes_something_is_counted(edit: Callable[[Draft], None], count: int) -> None:
    draft = Draft({"a": 1, "l": [{"x": 1}]})
    draft.set(("b",), 1)
    edit(draft)
    assert draft.edits == 1 + count


@pytest.mark.parametrize(
    ("data", "path", "before", "operations"),
    [
        pytest.param({"a": 1}, ("a",), (), [replace("a", value="new")], id="a member that is there"),
        pytest.param({"a": "new"}, ("a",), (), [], id="a member that has the value already"),
        pytest.param({"a": None}, ("a",), (), [replace("a", value="new")], id="a member that is null"),
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
        pytest.param("old", (), (), [replace(value="new")], id="the whole"),
        pytest.param({"a": ["x"]}, ("a", "0"), (), [replace("a", 0, value="new")], id="an item of a list"),
        pytest.param([{"a": [1]}], ("0", "a", "0"), (), [replace("0", "a", 0, value="new")], id="one further in"),
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
        pytest.param({"a": {"b": {"c": 1}}}, ("a", "b", "c"), (), {}, id="but the whole stays"),
        pytest.param({"a": {"b": {"c": 1}}}, ("a", "b", "c"), (1,), {"a": {}}, id="but what is kept"),
        pytest.param({"a": {"b": {"c": 1}}}, ("a", "b", "c"), (2,), {"a": {"b": {}}}, id="or all"),
        pytest.param({"a": [1, 2]}, ("a", "0"), (), {"a": [2]}, id="an item of a list"),
        pytest.param([{"a": [1, 2]}], ("0", "a", "1"), (), [{"a": [1]}], id="an item of a list in an item"),
        pytest.param({"a": [1]}, ("a", "0"), (), {}, id="the last item of a list"),
        pytest.param({"a": 1}, ("b", "c"), (), {"a": 1}, id="what is not there"),
        pytest.param({"a": {}}, ("a", "c"), (), {"a": {}}, id="an empty mapping that held nothing"),
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


@pytest.mark.parametrize(
    ("data", "path", "wrong", "value"),
    [
        pytest.param({"a": "text"}, ("a", "b"), ("a",), "text", id="a string on the way"),
        pytest.param({"a": [1]}, ("a", "b"), ("a",), [1], id="a list on the way"),
        pytest.param({"a": {"b": 1}}, ("a", "b", "c", "d"), ("a", "b"), 1, id="a number further on"),
        pytest.param("text", ("a",), (), "text", id="the whole is a string"),
    ],
)
def test_another_type_on_the_way_changes_nothing(
    data: Any, path: patch.Pointer, wrong: patch.Pointer, value: Any
) -> None:
    draft = Draft(data)
    with pytest.raises(WrongTypeError) as error:
        draft.set(path, "new")
    assert (error.value.path, error.value.value, error.value.wanted) == (wrong, value, "a mapping")
    assert draft.operations() == []


@pytest.mark.parametrize(
    ("read", "path", "value", "message"),
    [
        pytest.param(Draft.mapping, ("a", "list"), ["secret"], "a/list must be a mapping", id="a list"),
        pytest.param(Draft.mapping, ("a", "text"), "secret", "a/text must be a mapping", id="a text for a mapping"),
        pytest.param(Draft.items, ("a", "map"), {"b": "secret"}, "a/map must be a list", id="a mapping"),
        pytest.param(Draft.items, ("a", "text"), "secret", "a/text must be a list", id="a text for a list"),
    ],
)
def test_what_is_of_another_type_is_in_the_error_but_not_in_its_message(
    read: Callable[[Draft, patch.Pointer], Any], path: patch.Pointer, value: Any, message: str
) -> None:
    draft = Draft({"a": {"list": ["secret"], "text": "secret", "map": {"b": "secret"}}})
    with pytest.raises(WrongTypeError) as error:
        read(draft, path)
    assert (error.value.path, error.value.value, str(error.value)) == (path, value, message)
    assert message.endswith(error.value.wanted)


def test_a_mapping_and_a_list_are_read_as_what_they_are() -> None:
    draft = Draft({"mapping": {"a": 1}, "list": [1], "null": None})
    assert draft.mapping(("mapping",)) == {"a": 1}
    assert draft.items(("list",)) == [1]
    for path in (("null",), ("missing",), ("missing", "deeper")):
        assert draft.mapping(path) is None
        assert draft.items(path) is None


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


@pytest.mark.parametrize(
    ("data", "operations"),
    [
        pytest.param({"a": {"l": [1]}}, [add("a", "l", APPEND, value=2)], id="there is a list"),
        pytest.param({"a": {"l": None}}, [replace("a", "l", value=[2])], id="there is null"),
        pytest.param({"a": {}}, [add("a", "l", value=[2])], id="there is nothing"),
        pytest.param({}, [add("a", value={"l": [2]})], id="nothing is above it"),
    ],
)
def test_append(data: Any, operations: list[Any]) -> None:
    draft = Draft(data)
    draft.append(("a", "l"), 2)
    assert draft.operations() == operations


def test_a_mapping_stays_when_its_list_comes_and_goes() -> None:
    draft = Draft({"a": {}})
    draft.set_items(("a", "l"), [1])
    assert draft.operations() == [add("a", "l", value=[1])]
    draft.set_items(("a", "l"), [])
    assert draft.data == {"a": {}}


def test_set_items_refuses_what_is_no_list() -> None:
    with pytest.raises(WrongTypeError):
        Draft({"l": "text"}).set_items(("l",), ["a"])


def test_origins_of_two_edits_of_one_list_are_put_together() -> None:
    data: Any = {"m": {"l": ["a", "b", "c"]}}
    draft = Draft(data)
    draft.set_items(("m", "l"), ["c", "a", "b"], [None, 0, 1])
    draft.append(("m", "l"), "new")
    draft.remove(("m", "l", "1"))
    draft.set_items(("m", "l"), ["b", "c", "new"], [1, None, 2])
    assert draft.data == {"m": {"l": ["b", "c", "new"]}}
    assert draft.operations() == [
        remove("m", "l", 2),
        remove("m", "l", 0),
        add("m", "l", APPEND, value="c"),
        add("m", "l", APPEND, value="new"),
    ]
    assert patch.apply(data, draft.operations()) == draft.data


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
ITEM = {"x": 1, "y": 2}


@pytest.mark.parametrize(
    ("data", "path"),
    [
        pytest.param(ITEM, (), id="the whole"),
        pytest.param({"a": [ITEM, 2]}, ("a", "0"), id="an item"),
        pytest.param({"a": {"b": [2, ITEM]}}, ("a", "b", "1"), id="an item in a member of a member"),
        pytest.param([{"a": {"b": ITEM}}], ("0", "a", "b"), id="a member of a member of an item"),
    ],
)
def test_a_part_that_was_edited_is_taken_over(data: Any, path: patch.Pointer) -> None:
    before = copy.deepcopy(data)
    draft = Draft(data)
    part = draft.part(path)
    part.set(("new", "b"), 1, keep=0)
    part.remove(("x",))
    assert draft.operations() == []

    draft.take_part(path, part)
    assert draft.operations() == [remove(*path, "x"), add(*path, "new", value={"b": 1})]
    assert data == before
    assert patch.apply(before, draft.operations()) == draft.data


def test_what_a_part_knows_about_its_operations_is_taken_over() -> None:
    draft = Draft({"a": [{"name": "n", "items": [1, 2], "empty": {}}]})
    part = draft.part(("a", "0"))
    part.set_items(("items",), [2, 1], [1, None])
    part.set(("empty", "z"), 1, keep=1)
    draft.take_part(("a", "0"), part)
    draft.append(("a",), {})

    assert draft.operations() == [
        remove("a", "0", "items", "0"),
        add("a", "0", "items", APPEND, value=1),
        add("a", "0", "empty", "z", value=1),
        add("a", APPEND, value={}),
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


def test_an_empty_mapping_that_once_was_said_to_stay_stays() -> None:
    draft = Draft({"a": {}})
    draft.set(("a", "b"), 1, keep=1)
    draft.set(("a", "c"), 2)
    assert draft.operations() == [add("a", "b", value=1), add("a", "c", value=2)]


def test_a_part_can_be_edited_on_after_it_was_taken_over_without_a_trace_in_what_was_before() -> None:
    draft = Draft(NESTED)
    part = draft.part(("a", "0"))
    part.set(("x",), 5)
    draft.take_part(("a", "0"), part)
    draft.set(("a", "0", "x"), 6)
    assert draft.data["a"][0]["x"] == 6
    assert NESTED["a"][0]["x"] == 1  # type: ignore[index]
