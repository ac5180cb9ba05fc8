"""Items that come and go: a new one stands behind all others, one that goes leaves the rest as it is."""

from __future__ import annotations

from typing import Any

import pytest

from edits import remove, replace
from krm_fn.yamledit import read
from list_layouts import ACROSS, COMPACT, RESULT, layouts, load, whole_of

NEW = {"kind": "Secret", "metadata": {"name": "new"}, "stringData": {"k": "[Service]\nA=b\n"}}


def meaning(text: str) -> Any:
    return read(text.removeprefix("\ufeff"))


def items(text: str) -> Any:
    return meaning(text)["items"]


def envelope(text: str) -> dict[str, Any]:
    return {key: value for key, value in meaning(text).items() if key != "items"}


@layouts
def test_a_new_item_stands_behind_all_others_in_every_layout(text: str) -> None:
    written = whole_of(load(text), {}, [], [NEW, NEW]).decode()
    assert items(written) == [*items(text), NEW, NEW]
    assert envelope(written) == envelope(text)


@layouts
def test_a_new_item_goes_and_the_bytes_are_those_of_before(text: str) -> None:
    written = whole_of(load(text), {}, [], [NEW]).decode()
    back = whole_of(load(written), {2: [remove()]}, []).decode()
    assert back == text if text != text.rstrip("\n") else meaning(back) == meaning(text)


@layouts
@pytest.mark.parametrize("gone", [{0}, {1}, {0, 1}], ids=["the first", "the last", "all"])
def test_an_item_that_goes_leaves_the_others(text: str, gone: set[int]) -> None:
    written = whole_of(load(text), {index: [remove()] for index in gone}, [RESULT]).decode()
    assert items(written) == [item for index, item in enumerate(items(text)) if index not in gone]
    assert meaning(written)["results"] == [*meaning(text).get("results", []), RESULT]
    assert "functionConfig" in meaning(written)


@pytest.mark.parametrize("new", [[], [NEW]], ids=["none", "its first one"])
@pytest.mark.parametrize("member", ["", "items:\n", "items: null\n", "items: []\n", "items: ~\n"])
def test_a_list_without_items_has_the_member_and_what_is_new(member: str, new: list[Any]) -> None:
    text = f"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n{member}functionConfig: {{kind: X}}\n"
    written = whole_of(load(text), {}, [RESULT], new).decode()
    assert (items(written) or []) == new
    assert (meaning(written)["functionConfig"], meaning(written)["results"]) == ({"kind": "X"}, [RESULT])


def test_lines_of_the_other_items_stay_and_the_new_one_is_laid_out_as_they_are() -> None:
    written = whole_of(load(COMPACT), {}, [], [NEW]).decode()
    before, behind = COMPACT.split("functionConfig", 1)
    assert written.startswith(before)
    assert written.endswith(f"functionConfig{behind}")
    assert written.removeprefix(before).removesuffix(f"functionConfig{behind}") == (
        "- kind: Secret\n  metadata:\n    name: new\n  stringData:\n    k: |\n      [Service]\n      A=b\n"
    )


def test_an_item_that_goes_takes_no_anchor_from_another() -> None:
    written = whole_of(load(ACROSS), {0: [remove()]}, [], [NEW]).decode()
    assert items(written) == [{"b": {"k": 1}}, {"c": 3}, NEW]


def test_a_new_item_stands_behind_one_that_cannot_be_read() -> None:
    text = "kind: ResourceList\nitems:\n- a: 1\n- b: [\nfunctionConfig: {kind: X}\n"
    assert whole_of(load(text), {}, [], [{"c": 3}]).decode() == text.replace("- b: [\n", "- b: [\n- c: 3\n")


@pytest.mark.parametrize(
    "below",
    [
        pytest.param("# of the config\n\n# really\n", id="comments with a blank line between them"),
        pytest.param("\n# of the config\n", id="a blank line and a comment"),
    ],
)
@pytest.mark.parametrize("last", ["- b: 2\n", "- b: |\n    # of the text\n", "- b: 2\n  # of the item\n"])
def test_a_comment_below_the_items_stays_there(last: str, below: str) -> None:
    text = f"kind: ResourceList\nitems:\n- a: 1\n{last}{below}functionConfig: {{kind: X}}\n"
    written = whole_of(load(text), {}, [], [{"c": 3}]).decode()
    assert written.endswith(below.lstrip("\n") + "functionConfig: {kind: X}\n")
    assert items(written) == [*items(text), {"c": 3}]
    assert whole_of(load(written), {2: [remove()]}, []).decode() == text


def test_items_on_one_line_stay_on_it() -> None:
    text = 'kind: ResourceList\nitems: [ {kind: A, spec: {},  b: 1}, {"kind":   B, y: []} ]\nfunctionConfig: {}\n'
    written = whole_of(load(text), {0: [replace("spec", value={"x": 1})]}, []).decode()
    assert written == text.replace("spec: {}", "spec: {x: 1}")
