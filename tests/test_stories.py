"""The eyes of the story tests see: what they are to notice is put before them."""

from __future__ import annotations

from typing import Any

import pytest

from krm_fn.pipeline import Outcome, run
from stories import (
    HOST,
    NETWORK,
    TESTDATA,
    asking,
    differences,
    envelope,
    filled,
    items,
    passwords,
    unexplained,
    wishes,
    with_other_proxy,
)

STORY = (TESTDATA / "workloads" / "chartOperator" / "bootstrap-mode-and-init-container" / "input.yaml").read_bytes()
JSON = (TESTDATA / "nodes" / "containerdDropIn" / "list-in-json" / "input.yaml").read_bytes()
CONFIG_MAP = (TESTDATA / "workloads" / "chartOperator" / "variables-in-a-config-map" / "input.yaml").read_bytes()


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param({"a": [1, {"b": "c"}]}, {"a": [1, {"b": "c"}]}, [], id="the same data has none"),
        pytest.param({"a": {"b": 1}}, {"a": {"b": 2}}, [("a", "b")], id="a changed value is named by its path"),
        pytest.param({"a": 1}, {"b": 1}, [("a",), ("b",)], id="a key that goes and a key that comes"),
        pytest.param({"a": [1, 2]}, {"a": [1, 3]}, [("a", "1")], id="an item of a list as long as before"),
        pytest.param({"a": [1]}, {"a": [1, 2]}, [("a",)], id="a list that has grown"),
        pytest.param({"a": 1}, {"a": True}, [("a",)], id="a number is no boolean"),
        pytest.param({"a": {}}, {"a": []}, [("a",)], id="a mapping is no list"),
    ],
)
def test_differences(old: Any, new: Any, expected: list[tuple[str, ...]]) -> None:
    assert list(differences(old, new)) == expected


def tampered(old: bytes, new: bytes) -> Outcome:
    outcome = run(STORY)
    assert outcome.output.count(old) == 1
    return outcome._replace(pieces=[outcome.output.replace(old, new)])


def test_every_change_of_a_good_run_is_explained() -> None:
    assert unexplained(STORY, run(STORY)) == []


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        pytest.param(b"replicas: 1", b"replicas: 2", "spec.replicas", id="a value that nobody asked for"),
    ],
)
def test_a_change_that_no_result_tells_of_is_noticed(old: bytes, new: bytes, place: str) -> None:
    assert any(found.endswith(f" {place}") for found in unexplained(STORY, tampered(old, new)))


def test_a_changed_comment_in_an_item_without_results_is_noticed() -> None:
    tampering = run(STORY)._replace(results=())
    assert len(unexplained(STORY, tampering)) >= 1


def test_a_changed_function_config_is_noticed() -> None:
    assert envelope(asking(STORY, mode="Inject")) != envelope(STORY)


@pytest.mark.parametrize("data", [STORY, JSON, CONFIG_MAP], ids=["block style", "JSON", "a ConfigMap"])
def test_asking_for_another_proxy_changes_the_config_and_no_item(data: bytes) -> None:
    other = with_other_proxy(data)
    assert items(other) == items(data)
    assert [name for name in wishes(other) if name not in wishes(data)] == []
    text = envelope(other)["functionConfig"]
    assert HOST in text
    assert NETWORK in text
    assert "proxy.corp.example" not in text


@pytest.mark.parametrize("data", [STORY, JSON, CONFIG_MAP], ids=["block style", "JSON", "a ConfigMap"])
def test_the_items_of_any_layout_are_texts_of_the_list(data: bytes) -> None:
    texts = items(data)
    assert texts
    assert [text for text in texts if text not in data.decode()] == []


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        pytest.param("httpProxy: http://proxy.example:3128", set(), id="none without a user"),
        pytest.param("httpProxy: http://user@proxy.example:3128", set(), id="none in a user alone"),
        pytest.param("httpProxy: http://user:secret@proxy.example:3128", {"secret"}, id="one behind the user"),
        pytest.param('{"httpProxy": "http://user:p%40ss@proxy:1"}', {"p%40ss"}, id="one in JSON, as it is encoded"),
        pytest.param("httpsProxy: http://user:p@ss/word@proxy:1", {"p@ss/word"}, id="one that nobody encoded"),
    ],
)
def test_passwords(config: str, expected: set[str]) -> None:
    assert passwords(f"kind: ResourceList\nfunctionConfig: {config}\n".encode()) == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param({"a": 0, "b": None, "c": False}, {"a": 0, "b": None, "c": False}, id="kept"),
        pytest.param({"a": [], "b": {"c": {"d": []}}, "e": ""}, {}, id="what is empty, or holds only that, goes"),
        pytest.param([{"a": []}, 1, ""], [1, ""], id="so does an entry of a list, unless it is a text"),
        pytest.param("a: []\nb: 1\n", [{"b": 1}], id="a text counts as what its documents say"),
        pytest.param("YTogW10KYjogMQpjOiAyCg==", [{"b": 1, "c": 2}], id="so does one in base64"),
        pytest.param("a: [\n", "a: [\n", id="a text that is no YAML is kept"),
    ],
)
def test_filled(data: Any, expected: Any) -> None:
    assert filled(data) == expected
