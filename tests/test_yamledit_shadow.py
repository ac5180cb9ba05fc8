"""Operations on the shadow: what stays one spot, what is taken apart, and what every operation comes to."""

from __future__ import annotations

from typing import Any

import pytest

from krm_fn.errors import EditError
from krm_fn.patch import Operation, add, remove, replace
from krm_fn.yamledit.render import Raw
from krm_fn.yamledit.shadow import Spot, apply, container, detach
from krm_fn.yamledit.tree import compose


def shadow(text: str, *operations: Operation) -> Spot:
    root = Spot(compose(text))
    apply(root, operations)
    return root


def meaning(value: Any) -> Any:
    """``value`` without the words its author chose."""
    if isinstance(value, Raw):
        return value.value
    if isinstance(value, dict):
        return {key: meaning(item) for key, item in value.items()}
    return [meaning(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    "operation",
    [
        pytest.param(replace("a", value=[1, 2]), id="an equal list"),
        pytest.param(replace("b", value={"c": "x"}), id="an equal mapping"),
        pytest.param(add("b", "c", value="x"), id="an equal scalar"),
    ],
)
def test_what_is_equal_keeps_its_text(operation: Operation) -> None:
    root = shadow("a: [1, 2]\nb: {c: x}\n", operation)
    pending = [root]
    while pending:
        spot = pending.pop()
        assert spot.kept
        pending += [child.spot for child in spot.children or []]


def test_what_no_operation_is_about_stays_one_spot() -> None:
    root = shadow("a: {b: 1}\nc: {d: [1, 2]}\n", replace("a", "b", value=2))
    untouched = root.open()[1].spot
    assert untouched.kept
    assert untouched.children is None


@pytest.mark.parametrize(
    ("operations", "data"),
    [
        pytest.param([add("l", 0, value="n")], {"l": ["n", 1, 2, 3], "m": {"x": "y"}}, id="insert before the first"),
        pytest.param(
            [add("l", 3, value="n")], {"l": [1, 2, 3, "n"], "m": {"x": "y"}}, id="insert behind the last by index"
        ),
        pytest.param([add("l", "-", value="n")], {"l": [1, 2, 3, "n"], "m": {"x": "y"}}, id="append"),
        pytest.param([remove("l", 1)], {"l": [1, 3], "m": {"x": "y"}}, id="remove an item"),
        pytest.param([remove("m", "x")], {"l": [1, 2, 3], "m": {}}, id="remove a member"),
        pytest.param([replace("l", value=[1, 9, 3])], {"l": [1, 9, 3], "m": {"x": "y"}}, id="replace a list"),
        pytest.param([replace("l", value="s")], {"l": "s", "m": {"x": "y"}}, id="a scalar for a list"),
        pytest.param([add("m", value={"z": 1})], {"l": [1, 2, 3], "m": {"z": 1}}, id="another mapping"),
        pytest.param(
            [add("n", value={"k": []}), add("n", "k", "-", value=1), replace("n", "k", 0, value=2)],
            {"l": [1, 2, 3], "m": {"x": "y"}, "n": {"k": [2]}},
            id="a later operation reaches into what an earlier one wrote",
        ),
        pytest.param(
            [add("m", value=[1, {"k": 2}]), add("m", 1, value=3)],
            {"l": [1, 2, 3], "m": [1, 3, {"k": 2}]},
            id="a list for a mapping, with a later item",
        ),
        pytest.param(
            [remove("l", 0), remove("l", 0), add("l", 1, value=7)], {"l": [3, 7], "m": {"x": "y"}}, id="in order"
        ),
        pytest.param(
            [add("a~b/c", value=1)], {"l": [1, 2, 3], "m": {"x": "y"}, "a~b/c": 1}, id="a key that a pointer escapes"
        ),
        pytest.param([add(value={"a": 1}), add("b", value=2)], {"a": 1, "b": 2}, id="the root becomes another mapping"),
    ],
)
def test_what_operations_come_to(operations: list[Operation], data: Any) -> None:
    assert meaning(shadow("l: [1, 2, 3]\nm: {x: y}\n", *operations).plain()) == data


@pytest.mark.parametrize(
    ("before", "keys"),
    [
        pytest.param("", ["a", "b", "n"], id="at the end where nothing is said"),
        pytest.param("b", ["a", "n", "b"], id="in front of the one that is named"),
        pytest.param("a", ["n", "a", "b"], id="in front of the first"),
        pytest.param("gone", ["a", "b", "n"], id="at the end where that one is not there"),
    ],
)
def test_where_a_new_member_stands(before: str, keys: list[str]) -> None:
    root = shadow("a: 1\nb: 2\n", add("n", value=3, before=before))
    assert [child.key for child in root.open()] == keys


@pytest.mark.parametrize("operation", [replace("a", "b", value=1), remove("a", "b"), add("a", "b", "c", value=1)])
def test_a_way_through_a_key_that_stands_twice_is_refused(operation: Operation) -> None:
    with pytest.raises(EditError, match="the key `b` occurs 2 times in one mapping: keep one of them"):
        shadow("a:\n  b: {}\n  b: {}\n", operation)


def test_a_key_that_stands_twice_elsewhere_is_no_hindrance() -> None:
    assert meaning(shadow("a: 1\na: 2\nb: 3\n", replace("b", value=4)).plain()) == {"a": 2, "b": 4}


def test_a_step_to_nowhere_is_refused() -> None:
    with pytest.raises(EditError, match="there is nothing at `/b~1c`"):
        shadow("a: 1\n", remove("b/c", "d"))


def test_an_alias_on_the_way_is_taken_apart() -> None:
    root = shadow("x: &n {b: 1}\na: *n\n", replace("a", "b", value=2))
    assert meaning(root.plain()) == {"x": {"b": 1}, "a": {"b": 2}}
    assert [child.spot.kept for child in root.open()] == [True, False]


MERGED = "x: &n {b: 1, c: {d: 2}}\na:\n  <<: *n\n  e: 3\n"


@pytest.mark.parametrize(
    ("operation", "data"),
    [
        pytest.param(replace("a", "b", value=9), {"b": 9, "c": {"d": 2}, "e": 3}, id="a merged member is replaced"),
        pytest.param(replace("a", "c", "d", value=9), {"b": 1, "c": {"d": 9}, "e": 3}, id="inside a merged member"),
        pytest.param(
            add("a", "c", "f", value=9), {"b": 1, "c": {"d": 2, "f": 9}, "e": 3}, id="more in a merged member"
        ),
        pytest.param(remove("a", "b"), {"c": {"d": 2}, "e": 3}, id="a merged member goes"),
        pytest.param(remove("a", "e"), {"b": 1, "c": {"d": 2}}, id="a member of its own goes"),
        pytest.param(add("a", "f", value=4), {"b": 1, "c": {"d": 2}, "e": 3, "f": 4}, id="a new member"),
    ],
)
def test_a_mapping_with_a_merge_key(operation: Operation, data: Any) -> None:
    root = shadow(MERGED, operation)
    assert meaning(root.plain()) == {"x": {"b": 1, "c": {"d": 2}}, "a": data}
    assert root.open()[0].spot.kept


def test_a_mapping_with_a_list_of_merges_behind_its_members() -> None:
    text = "x: &n {b: 1}\ny: &m {b: 2, c: 3}\na:\n  e: 4\n  <<: [*n, *m]\n"
    root = shadow(text, replace("a", "e", value=5), remove("a", "b"))
    assert meaning(root.plain())["a"] == {"c": 3, "e": 5}


def test_an_alias_of_a_mapping_with_a_merge_key_is_taken_apart() -> None:
    root = shadow("x: &n {b: 1, e: 0}\na: &a\n  <<: *n\n  e: 3\nf: *a\n", add("f", "g", value=4))
    assert meaning(root.plain())["f"] == {"b": 1, "e": 3, "g": 4}


def test_what_is_written_anew_keeps_the_words_of_its_scalars() -> None:
    assert detach(compose("a: [0640, ~, 1e3, 'x', !!str 7]\n")) == {
        "a": [Raw("0640", 640), Raw("~", None), Raw("1e3", 1000.0), "x", "7"]
    }


def test_the_container_of_an_operation() -> None:
    root = Spot(compose("a: [{b: 1}]\n"))
    assert container(root, add("a", 0, "c", value=1)) is root.open()[0].spot.open()[0].spot
    assert container(root, remove("a")) is root


def test_the_values_of_operations_are_copied() -> None:
    value = {"k": ["v"]}
    root = shadow("a: 1\nl: []\n", replace("a", value=value), add("b", value=value), add("l", "-", value=value))
    value["k"].append("later")
    assert meaning(root.plain()) == {"a": {"k": ["v"]}, "b": {"k": ["v"]}, "l": [{"k": ["v"]}]}
