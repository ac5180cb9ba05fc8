"""JSON Patch as the language of changes: pointers, field paths, look-ups, and the edits of a list."""

from __future__ import annotations

import jsonpatch
import pytest

from edits import add, remove, replace
from krm_fn.errors import InternalError
from krm_fn.patch import APPEND, Operation, apply, field_path, lookup, pointer_of, render_pointer


@pytest.mark.parametrize(
    ("path", "pointer", "field"),
    [
        pytest.param((), "", "", id="the root"),
        pytest.param(("spec",), "/spec", "spec", id="a member"),
        pytest.param(("spec", "files", "0", "path"), "/spec/files/0/path", "spec.files[0].path", id="item of a list"),
        pytest.param(("a", APPEND), "/a/-", "a[-]", id="behind the last item"),
    ],
)
def test_two_ways_to_write_a_path(path: tuple[str, ...], pointer: str, field: str) -> None:
    assert render_pointer(path) == pointer
    assert field_path(path) == field
    assert pointer_of(pointer) == tuple(jsonpatch.JsonPointer(pointer).parts) == path


DATA = {"a": [{"b": None}, "text"], "0": "zero", "n": 7}


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(("x",), id="a member that is missing"),
        pytest.param("aa", id="a text, which is one step"),
        pytest.param(("a", "2"), id="an item behind the last"),
        pytest.param(("a", "-1"), id="a negative index"),
        pytest.param(("a", "1", "0"), id="a character of a string"),
    ],
)
def test_a_step_that_leads_nowhere_gives_the_default(path: tuple[str, ...] | str) -> None:
    assert lookup(DATA, path) is None
    assert lookup(DATA, path, "default") == "default"


def test_a_text_is_one_step() -> None:
    assert lookup({"name": "web"}, "name") == "web"


def test_operations_are_applied_one_after_another() -> None:
    wanted = [add("b", value=[]), add("b", APPEND, value=1), replace("a", value=2), remove("b", 0)]
    assert apply({"a": 1}, wanted) == {"a": 2, "b": []}


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
