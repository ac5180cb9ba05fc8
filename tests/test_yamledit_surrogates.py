"""JSON whose escapes are surrogate pairs is read, edited in place, and keeps its bytes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edits import rewrite
from krm_fn.errors import InputError
from krm_fn.patch import add, replace
from krm_fn.yamledit import Document, read


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(r'{"a": "\ud83d\ude00"}', id="a value"),
        pytest.param(r'{"\uD83D\uDE00": ["x\ud83d\ude00y", "\ud83d\ude00\ud83d\ude01"]}', id="a key, and several"),
        pytest.param(r'{"a": "\\ud83d\\ude00 \\\ud83d\ude00"}', id="backslashes that are no escapes"),
        pytest.param('{"a": "\\ud83d\\ude00\ue000", "b": "\\ue801"}', id="private characters in the text"),
        pytest.param(r'{"a": "\uD83D\uDE00 \uf8ff"}', id="capitals"),
        pytest.param(r'{"a": "\ud800\udc00 \udbff\udfff"}', id="the first and the last"),
        pytest.param(r'{"a": "\ud83d\ude00", "b": "\ue000\ue400"}', id="private characters as escapes"),
        pytest.param(r'{"a": "\ud83d\ude00", "b": "\uE000\uE400"}', id="private characters as escapes in capitals"),
        pytest.param('{"a": "bЖ"}', id="letters above and below, none of them escaped"),
    ],
)
def test_surrogate_pairs_are_read_as_json_readers_do(text: str) -> None:
    assert read(text) == json.loads(text)
    assert rewrite(Document(text), [add("new", value="x")]) == text[:-1] + ', "new": "x"}'


def test_a_value_with_a_pair_is_replaced() -> None:
    assert rewrite(Document(r'{"a": "\ud83d\ude00", "b": 1}'), [replace("a", value="é😁")]) == '{"a": "é😁", "b": 1}'


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(r'{"a": "\ud83d"}', id="half a pair"),
        pytest.param(r'{"a": "\ude00\ud83d"}', id="a pair in the wrong order"),
        pytest.param(r'a: "\ud83d\ude00"' + "\n", id="a pair in YAML"),
        pytest.param(r'{"a": "\ud83d\ude00", b: c}', id="a pair in YAML in flow style"),
        pytest.param('{"a": "\\ud83d\\ude00", "b": "\ue000\ue800\uf000"}', id="a pair beside all private characters"),
    ],
)
def test_pairs_that_cannot_be_read_are_no_text(text: str) -> None:
    with pytest.raises(InputError, match="not valid YAML"):
        read(text)


@given(st.dictionaries(st.text(max_size=5), st.text(max_size=8), max_size=4))
def test_what_json_writers_write_is_read_back(value: dict[str, str]) -> None:
    value["emoji"] = "😀"
    assert read(json.dumps(value)) == value
    assert read(f"\n{json.dumps([value])}") == [value]
