"""The writer over public manifests: seeded random operations on items of lists that real kpt and kustomize sent."""

from __future__ import annotations

import copy
import random
from collections import Counter
from typing import Any

import pytest

from edits import rewrite
from krm_fn.errors import EditError, InputError
from krm_fn.patch import APPEND, Operation
from krm_fn.yamledit import Document, cut, read
from krm_fn.yamledit.data import same
from support import ROOT
from yaml_texts import at, edited_in_place, patched, places

INPUTS = ROOT.parent / "shared" / "real-inputs"
NAMES = ("anchors", "dupkeys", "equals", "mergekeys")
LISTS = [
    *(f"resourcelist_hazard_{name}.yaml" for name in NAMES),
    "resourcelist_kustomize_medium.yaml",
    "resourcelist_medium.yaml",
]
ITEMS = 250
"""Taken from each list, at random: enough to meet every layout, few enough for every commit."""

VALUES: tuple[Any, ...] = (
    {"name": "HTTP_PROXY", "value": "http://a:1"},
    '[Service]\nEnvironment="A=b"\n',
    ["a", "b"],
    "x # y",
    None,
    [],
    {},
    {"a": {"b": ["c", {"d": "e"}]}},
    "yes",
)


def real_input(name: str) -> str:
    path = INPUTS / name
    if not path.exists():
        pytest.skip(f"{name} is not there: the real inputs lie beside the checkout, not in it")
    return path.read_text(encoding="utf-8")


def some_items(name: str, dice: random.Random) -> list[str]:
    text = real_input(name)
    parts = cut(text, "items")
    assert parts is not None
    return [text[start:end] for start, end in dice.sample(parts.items, min(ITEMS, len(parts.items)))]


def random_operations(old: Any, dice: random.Random) -> list[Operation]:
    current, found = copy.deepcopy(old), []
    for _ in range(dice.randint(1, 4)):
        operation = _random_operation(current, dice)
        if operation is not None:
            found.append(operation)
            current = patched(current, [operation])
    return found


def _random_operation(current: Any, dice: random.Random) -> Operation | None:
    below = [place for place in places(current) if len(place) > 1]
    if not below:
        return None
    if dice.random() < 2 / 3:
        return Operation(dice.choice(["replace", "remove"]), dice.choice(below), dice.choice(VALUES))  # type: ignore[arg-type]
    place = dice.choice([place for place in below if isinstance(at(current, place), (dict, list))] or [("0",)])
    here = at(current, place)
    positions = [APPEND, APPEND, str(dice.randint(0, len(here)))]
    return Operation(
        "add", (*place, dice.choice(["new", "env"] if isinstance(here, dict) else positions)), dice.choice(VALUES)
    )


def outcome(text: str, dice: random.Random) -> str:
    """How one item fared; what is edited is proven and must not be touched by a second reading."""
    one = Document(text)
    try:
        old = one.data()
        wanted = random_operations(old, dice)
        new, in_place = edited_in_place(text, wanted)
    except EditError as error:
        assert "times in one mapping: keep one of them" in str(error)
        return "refused"
    except InputError:
        return "no document alone"
    assert same(read(new), patched(old, wanted))
    return "in place" if in_place else "coarse"


@pytest.mark.parametrize("name", LISTS)
def test_items_of_real_lists_are_edited_in_place(name: str) -> None:
    dice = random.Random(f"inject-proxy {name}")  # noqa: S311 -- the same dice each time
    counted = Counter(outcome(text, dice) for text in some_items(name, dice))
    assert counted["in place"] >= 0.99 * (counted["in place"] + counted["coarse"])
    assert counted["in place"] > 0.6 * counted.total()


@pytest.mark.parametrize(
    "name", [*LISTS[:4], "resourcelist_kustomize_small.yaml", "resourcelist_small.yaml", "resourcelist_torture.yaml"]
)
def test_whole_lists_that_nothing_is_done_to_are_the_same_text(name: str) -> None:
    text = real_input(name)
    assert rewrite(Document(text), [Operation("add", ("kind",), "ResourceList")]) == text


def test_yaml_of_the_test_suite_is_edited_around() -> None:
    """A member is added to each object of the list; the 204 texts of the YAML test suite in it stay as they are."""
    text = real_input("resourcelist_torture.yaml")
    items = Document(text).data()["items"]
    wanted = [Operation("add", ("items", str(index), "metadata", "namespace"), "n") for index in range(len(items))]
    new = rewrite(Document(text), wanted)
    added = new.splitlines()
    assert same(read(new), patched(read(text), wanted))
    for line in text.splitlines():
        assert line in added
    assert len(added) == len(text.splitlines()) + len(items)
