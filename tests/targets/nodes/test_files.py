from __future__ import annotations

import base64
import gzip
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.targets.nodes.files import decode, encode

PACKED = gzip.compress(b"text", mtime=0)


def base64_of(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param({"content": 5}, id="a content that is no string"),
        pytest.param({"content": "x", "encoding": "rot13"}, id="an unknown encoding"),
        pytest.param({"content": "x", "encoding": ["base64"]}, id="an encoding that is no string"),
        pytest.param({"content": "x", "encoding": "gzip"}, id="raw gzip, which YAML cannot carry"),
        pytest.param({"content": "dGV4d", "encoding": "base64"}, id="base64 that is cut off"),
        pytest.param({"content": "dGV4*A==", "encoding": "base64"}, id="a character that is not of base64"),
        pytest.param({"content": "é", "encoding": "base64"}, id="a character beyond ASCII"),
        pytest.param({"content": base64_of(b"\xff"), "encoding": "base64"}, id="bytes that are no UTF-8"),
        pytest.param({"content": base64_of(b"text"), "encoding": "gzip+base64"}, id="what is no gzip"),
        pytest.param({"content": base64_of(PACKED[:-1]), "encoding": "gzip+base64"}, id="gzip that is cut off"),
        pytest.param({"content": base64_of(PACKED + b"x"), "encoding": "gzip+base64"}, id="gzip with something behind"),
        pytest.param({"content": base64_of(gzip.compress(bytes(2**24))), "encoding": "gzip+base64"}, id="a bomb"),
        pytest.param({"content": "x" * (2**20 + 1)}, id="more than a mebibyte"),
    ],
)
def test_what_cannot_be_read_is_none(entry: dict[str, Any]) -> None:
    assert decode(entry) is None


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        pytest.param({}, "", id="no content"),
        pytest.param({"content": None, "encoding": None}, "", id="a content that is null"),
        pytest.param({"content": "dGV4dA=="}, "dGV4dA==", id="what only looks like base64"),
        pytest.param({"content": "a\r\n", "encoding": ""}, "a\r\n", id="an encoding that is empty"),
        pytest.param({"content": "dGV4\n  dA==\n", "encoding": "base64"}, "text", id="base64 on several lines"),
        pytest.param({"content": base64_of(PACKED), "encoding": "gzip+base64"}, "text", id="packed"),
        pytest.param(
            {"content": base64_of(gzip.compress(b"text", mtime=9)), "encoding": "gzip+base64"}, "text", id="dated"
        ),
        pytest.param({"content": "", "encoding": "gzip+base64"}, "", id="nothing, packed"),
    ],
)
def test_decode(entry: dict[str, Any], text: str) -> None:
    assert decode(entry) == text


@given(st.text(), st.sampled_from([None, "", "base64", "gzip+base64"]))
def test_what_is_encoded_can_be_decoded_and_is_always_the_same(text: str, encoding: str | None) -> None:
    content = encode(text, encoding)
    assert decode({"content": content, "encoding": encoding}) == text
    assert encode(text, encoding) == content


def test_a_packed_content_carries_no_time() -> None:
    assert base64.b64decode(encode("text", "gzip+base64"))[4:8] == bytes(4)
