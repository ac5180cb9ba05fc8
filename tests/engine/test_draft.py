"""The data of one object while targets edit it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from krm_fn import patch
from krm_fn.engine import Draft, WrongTypeError
from krm_fn.patch import add, remove, replace


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
            [add("b", value="new")],
            id="in front of others",
        ),
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
