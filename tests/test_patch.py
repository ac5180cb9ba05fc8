"""JSON Patch as the language of changes: pointers, field paths, look-ups, and the edits of a list."""

from __future__ import annotations

from typing import Any

import jsonpatch
import pytest

from krm_fn.errors import InternalError
from krm_fn.patch import (
    APPEND,
    Operation,
    add,
    apply,
    field_path,
    list_at,
    lookup,
    remove,
    render_pointer,
    replace,
    text_at,
)


@pytest.mark.parametrize(
    ("path", "pointer", "field"),
    [
        pytest.param((), "", "", id="the root"),
        pytest.param(("spec",), "/spec", "spec", id="a member"),
        pytest.param(
            ("spec", "files", "0", "path"), "/spec/files/0/path", "spec.files[0].path", id="an item of a list"
        ),
        pytest.param(("a", APPEND), "/a/-", "a[-]", id="behind the last item"),
        pytest.param(("a/b", "c~d"), "/a~1b/c~0d", "a/b.c~d", id="what a pointer escapes"),
        pytest.param(("~1",), "/~01", "~1", id="what looks escaped already"),
        pytest.param(("0", "a"), "/0/a", "[0].a", id="a list at the root"),
        pytest.param(("",), "/", "", id="an empty key"),
    ],
)
def test_two_ways_to_write_a_path(path: tuple[str, ...], pointer: str, field: str) -> None:
    assert render_pointer(path) == pointer
    assert field_path(path) == field
    assert tuple(jsonpatch.JsonPointer(pointer).parts) == path


@pytest.mark.parametrize(
    ("operation", "written"),
    [
        (add("a", 0, value=[1]), {"op": "add", "path": "/a/0", "value": [1]}),
        (add("a", APPEND, value=None), {"op": "add", "path": "/a/-", "value": None}),
        (replace("a", "b/c", value="x"), {"op": "replace", "path": "/a/b~1c", "value": "x"}),
        (remove("a"), {"op": "remove", "path": "/a"}),
        (Operation("remove", ("a",), "ignored"), {"op": "remove", "path": "/a"}),
    ],
)
def test_operations_as_rfc_6902_writes_them(operation: Operation, written: dict[str, Any]) -> None:
    assert operation.to_json() == written


DATA = {"a": [{"b": None}, "text"], "0": "zero", "n": 7}


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(("x",), id="a member that is missing"),
        pytest.param(("a", 2), id="an item behind the last"),
        pytest.param(("a", -1), id="a negative index"),
        pytest.param(("a", APPEND), id="the place behind the last item"),
        pytest.param(("a", "b"), id="a name in a list"),
        pytest.param(("a", "²"), id="a digit that is no number"),
        pytest.param(("a", "9" * 5000), id="a number that is too long to be read"),
        pytest.param(("a", 1, 0), id="a character of a string"),
        pytest.param(("n", "x"), id="a member of a number"),
        pytest.param(("a", 0, "b", "c"), id="a member of null"),
        pytest.param((0,), id="a number is no key"),
    ],
)
def test_a_step_that_leads_nowhere_gives_the_default(path: tuple[str | int, ...]) -> None:
    assert lookup(DATA, path) is None
    assert lookup(DATA, path, "default") == "default"


@pytest.mark.parametrize(
    ("path", "found"),
    [
        pytest.param((), DATA, id="no step"),
        pytest.param(("a", 1), "text", id="an item by number"),
        pytest.param(("a", "1"), "text", id="an item by token"),
        pytest.param(("0",), "zero", id="a key of digits"),
    ],
)
def test_what_stands_at_a_path(path: tuple[str | int, ...], found: Any) -> None:
    assert lookup(DATA, path) == found


def test_null_is_found_and_no_default() -> None:
    assert lookup(DATA, ("a", 0, "b"), "default") is None


def test_operations_are_applied_one_after_another() -> None:
    wanted = [add("b", value=[]), add("b", APPEND, value=1), replace("a", value=2), remove("b", 0)]
    assert apply({"a": 1}, wanted) == {"a": 2, "b": []}


def test_values_of_operations_are_not_shared_with_the_data() -> None:
    value: dict[str, Any] = {"k": []}
    operations = [add("a", value=value), add("a", "k", APPEND, value=1)]
    assert apply({}, operations) == {"a": {"k": [1]}}
    assert value == {"k": []}


@pytest.mark.parametrize(
    "operation",
    [
        remove("x"),
        replace("x", value=1),
        add("x", "y", value=1),
        add("l", 5, value=1),
        remove("l", 9),
        replace("l", "k", value=1),
    ],
)
def test_an_operation_that_does_not_fit_is_our_bug(operation: Operation) -> None:
    with pytest.raises(InternalError, match="an operation does not fit its object"):
        apply({"l": [1]}, [operation])


@pytest.mark.parametrize(
    ("path", "text", "items"),
    [
        pytest.param(("a", "text"), "x", [], id="a string"),
        pytest.param(("a", "list"), "", [1], id="a list"),
        pytest.param(("a", "list", "0"), "", [], id="a number"),
        pytest.param(("a", "none"), "", [], id="nothing in it"),
        pytest.param(("b", "c"), "", [], id="no such path"),
    ],
)
def test_what_is_of_another_type_is_empty(path: tuple[str, ...], text: str, items: list[int]) -> None:
    data = {"a": {"text": "x", "list": [1], "none": None}}
    assert text_at(data, path) == text
    assert list_at(data, path) == items
