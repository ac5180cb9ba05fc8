"""JSON whose escapes are surrogate pairs is read, edited in place, and keeps its bytes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    ],
)
def test_surrogate_pairs_are_read_as_json_readers_do(text: str) -> None:
    assert read(text) == json.loads(text)
    assert Document(text).edit([add("new", value="x")]) == text[:-1] + ', "new": "x"}'


def test_a_value_with_a_pair_is_replaced() -> None:
    assert Document(r'{"a": "\ud83d\ude00", "b": 1}').edit([replace("a", value="é😁")]) == '{"a": "é😁", "b": 1}'


@pytest.mark.parametrize("text", [r'{"a": "\ud83d"}', r'{"a": "\ude00\ud83d"}', r'a: "\ud83d\ude00"' + "\n"])
def test_half_a_pair_and_pairs_in_yaml_are_no_text(text: str) -> None:
    with pytest.raises(InputError, match="not valid YAML"):
        read(text)


@given(st.dictionaries(st.text(max_size=5), st.text(max_size=8), max_size=4))
def test_what_json_writers_write_is_read_back(value: dict[str, str]) -> None:
    value["emoji"] = "😀"
    assert read(json.dumps(value)) == value
