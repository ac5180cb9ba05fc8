"""The envelope: what is a ResourceList, who is in it, and how it is written back, in every layout."""

from __future__ import annotations

from typing import Any

import pytest

from edits import add, remove, replace
from krm_fn.errors import InputError
from krm_fn.krm.resourcelist import ResourceList
from krm_fn.yamledit import read
from list_layouts import ACROSS, COMPACT, RESULT, layouts, load, whole_of


@layouts
def test_nothing_to_write_is_the_same_bytes(text: str) -> None:
    assert whole_of(load(text), {}, []) == text.encode()
    assert whole_of(load(text), {0: [], 1: []}, []) == text.encode()


@layouts
def test_a_change_of_one_item_is_read_back_and_the_rest_stays(text: str) -> None:
    old = read(text.removeprefix("\ufeff"))
    written = whole_of(load(text), {1: [add("new", value={"k": ["v"]})]}, [RESULT]).decode()
    assert written.startswith("\ufeff") == text.startswith("\ufeff")
    new = read(written.removeprefix("\ufeff"))
    old["items"][1]["new"] = {"k": ["v"]}
    assert new["items"] == old["items"]
    assert new["results"] == [*old.get("results", []), RESULT]
    assert {key: new[key] for key in old if key not in ("items", "results")} == {
        key: old[key] for key in old if key not in ("items", "results")
    }


@layouts
def test_the_items_and_the_function_config_are_found(text: str) -> None:
    found = load(text)
    assert len(found) == 2
    assert [found.read(index)["kind"] for index in range(2)] == ["Pod", "Secret"]
    assert ["Pod" in found.kinds[0], "Secret" in found.kinds[1]] == [True, True]
    assert found.function_config.data == {"kind": "X"}
    assert (found.contains(0, ("Pod",)), found.contains(0, ("Secret",)), found.contains(0, ())) == (True, False, True)


@layouts
def test_a_result_that_is_there_already_is_not_reported_twice(text: str) -> None:
    once = whole_of(load(text), {}, [RESULT])
    assert whole_of(ResourceList(once), {}, [RESULT]) == once


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("a: 1\n", "its `kind` is missing", id="another mapping"),
        pytest.param("kind: List\nitems:\n- a\n", "its `kind` is another one", id="another kind"),
        pytest.param("kind: ResourceList\nitems: {}\n", "`items` must be a list of objects", id="items are a mapping"),
        pytest.param(
            "kind: ResourceList\nitems: []\nitems:\n",
            "one mapping has the same key at line 2 and at line 3, column 1",
            id="items twice",
        ),
        pytest.param(COMPACT.replace("kind: X", "kind: ["), "at line 14, column 1", id="a mistake by its line in all"),
    ],
)
def test_what_is_no_resource_list_is_refused_in_one_line(text: str, says: str) -> None:
    with pytest.raises(InputError) as caught:
        load(text)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "says"), [(b"kind: \xe9\n", "byte 7 is not"), ("kind: x".encode("utf-16"), "byte 1 is not")]
)
def test_other_encodings_are_refused(data: bytes, says: str) -> None:
    with pytest.raises(InputError, match=f"must be UTF-8, but {says}"):
        ResourceList(data)


@pytest.mark.parametrize(
    ("results", "written"),
    [
        pytest.param("results: null\n", [RESULT], id="null"),
        pytest.param("results: []\n", [RESULT], id="empty"),
        pytest.param("results:\n- message: x # c\n", [{"message": "x"}, RESULT], id="one that was there"),
    ],
)
def test_results_that_are_there(results: str, written: list[Any]) -> None:
    for text in (COMPACT + results, results + COMPACT, COMPACT.replace("functionConfig", results + "functionConfig")):
        new = whole_of(load(text), {}, [RESULT]).decode()
        assert read(new)["results"] == written
        assert "# c" not in results or "# c" in new


@pytest.mark.parametrize(
    ("item", "says"), [("text", "a string"), ("7", "a number"), ("", "null"), ("true", "a boolean"), ("[1]", "a list")]
)
@pytest.mark.parametrize("flow", [False, True])
def test_an_item_that_is_no_object_is_refused_when_it_is_read(item: str, says: str, *, flow: bool) -> None:
    text = (
        f"kind: ResourceList\nitems: [{{a: 1}}, {item or 'null'}]\n"
        if flow
        else f"kind: ResourceList\nitems:\n- a: 1\n- {item}\n"
    )
    found = load(text)
    assert found.read(0) == {"a": 1}
    with pytest.raises(InputError, match=rf"`items\[1\]` must be an object, but it is {says}"):
        found.read(1)
    assert whole_of(found, {0: [add("b", value=1)]}, []) != text.encode()


def test_an_item_nobody_asks_for_is_never_read() -> None:
    text = "kind: ResourceList\nitems:\n- a: [\n- kind: Pod\n"
    found = load(text)
    assert whole_of(found, {1: [add("a", value=1)]}, []).decode() == text + "  a: 1\n"
    with pytest.raises(InputError, match=r"`items\[0\]`: not valid YAML: .* at line 4, column 1$"):
        found.read(0)


@pytest.mark.parametrize(
    ("index", "operation", "items"),
    [
        pytest.param(0, replace("a", "k", value=9), [{"a": {"k": 9}}, {"b": {"k": 1}}, {"c": 3}], id="anchored text"),
        pytest.param(0, remove("a"), [{}, {"b": {"k": 1}}, {"c": 3}], id="the anchored text goes"),
    ],
)
def test_an_alias_to_another_item_keeps_its_meaning(index: int, operation: Any, items: list[Any]) -> None:
    found = load(ACROSS)
    assert found.read(1) == {"b": {"k": 1}}
    assert read(whole_of(found, {index: [operation]}, []).decode())["items"] == items
    unread = load(ACROSS)  # an alias is seen by its text, too
    assert index == 1 or read(whole_of(unread, {index: [operation]}, []).decode())["items"] == items


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85", "\r"])
def test_line_breaks_that_only_yaml_1_1_knows_separate_items_too(mark: str) -> None:
    found = load(f"kind: ResourceList\nitems:\n- a: 1 # c{mark}- b: 2\n")
    assert [found.read(index) for index in range(len(found))] == [{"a": 1}, {"b": 2}]
