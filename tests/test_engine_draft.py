"""The data of one object while targets edit it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

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
            [add("b", value="new")],
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


def test_a_new_member_is_in_front_of_the_first_that_is_there() -> None:
    draft = Draft({"a": 1, "c": 2, "d": 3})
    draft.set(("b",), 1, ("x", "d", "c"))
    draft.set(("a",), 2, ("d",))
    assert list(draft.data) == ["a", "c", "b", "d"]


@pytest.mark.parametrize(
    ("data", "path", "keep", "after"),
    [
        pytest.param({"a": 1, "b": 2}, ("a",), (), {"b": 2}, id="a member beside others"),
        pytest.param({"a": {"b": {"c": 1}}, "x": 1}, ("a", "b", "c"), (), {"x": 1}, id="all that is empty then"),
        pytest.param({"a": {"b": {"c": 1}}}, ("a", "b", "c"), (), {}, id="but the whole stays"),
        pytest.param({"a": {"b": {"c": 1}}}, ("a", "b", "c"), (1,), {"a": {}}, id="but what is kept"),
        pytest.param({"a": {"b": {"c": 1}}}, ("a", "b", "c"), (2,), {"a": {"b": {}}}, id="or all"),
        pytest.param({"a": [1, 2]}, ("a", "0"), (), {"a": [2]}, id="an item of a list"),
        pytest.param({"a": [1]}, ("a", "0"), (), {}, id="the last item of a list"),
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


@pytest.mark.parametrize(
    ("data", "operations"),
    [
        pytest.param({"a": {"l": [1]}}, [add("a", "l", APPEND, value=2)], id="there is a list"),
        pytest.param({"a": {"l": None}}, [replace("a", "l", value=[2])], id="there is null"),
        pytest.param({"a": {}}, [replace("a", value={"l": [2]})], id="there is nothing"),
        pytest.param({}, [add("a", value={"l": [2]})], id="nothing is above it"),
    ],
)
def test_append(data: Any, operations: list[Any]) -> None:
    draft = Draft(data)
    draft.append(("a", "l"), 2)
    assert draft.operations() == operations


def test_set_items_refuses_what_is_no_list() -> None:
    with pytest.raises(WrongTypeError):
        Draft({"l": "text"}).set_items(("l",), ["a"])


@pytest.mark.parametrize(
    ("before", "after", "operations"),
    [
        pytest.param(["a"], ["a", "b"], [add("l", "-", value="b")], id="one more"),
        pytest.param(["a"], [], [remove("l")], id="no item is left"),
        pytest.param(["a"], ["a"], [], id="the same items"),
        pytest.param([], [], [], id="there was an empty list"),
        pytest.param(None, ["a"], [replace("l", value=["a"])], id="there was null"),
    ],
)
def test_set_items(before: Any, after: list[str], operations: list[Any]) -> None:
    draft = Draft({"l": before})
    draft.set_items(("l",), after)
    assert draft.operations() == operations
