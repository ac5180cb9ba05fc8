from __future__ import annotations

import base64
import gzip
import textwrap
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from certificates import A, B
from contract_lists import CONFIG, resource_list
from krm_fn.patch import lookup
from krm_fn.products.node_kinds import NODE_KINDS, WITH_FILES, NodeConfigKind
from krm_fn.targets.nodes.files import decode, encode
from support import inject_proxy

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


WITHOUT_TRUST = f"{CONFIG}  only: [nodeTrustStore, registryMirror]\n"
WITH_TRUST = f"""\
{WITHOUT_TRUST}
  trustedCA:
    pem: |
{textwrap.indent(A, "      ")}
  registryMirror:
    url: https://registry.corp.example:5000
    ca:
      pem: |
{textwrap.indent(B, "        ")}
"""


def in_base64(entry: dict[str, Any]) -> dict[str, Any]:
    return {**entry, "content": base64_of(entry["content"].encode()), "encoding": "base64"}


def injected(obj: dict[str, Any], config: str) -> dict[str, Any]:
    done = inject_proxy(resource_list(yaml.dump(obj), config=config))
    (item,) = yaml.safe_load(done.stdout)["items"]
    return {key: value for key, value in item.items() if key != "metadata"}


@pytest.mark.parametrize("rewritten", [dict, in_base64], ids=["as a run wrote them", "in base64"])
@pytest.mark.parametrize("kind", [NODE_KINDS[key] for key in sorted(WITH_FILES)], ids=lambda kind: kind.kind)
def test_files_are_removed_once_no_certificates_and_no_mirror_are_wanted(
    kind: NodeConfigKind, rewritten: Callable[[dict[str, Any]], dict[str, Any]]
) -> None:
    spec: dict[str, Any] = {kind.system.files: [{"path": "/etc/stranger", "content": "# inject-proxy"}]}
    for name in reversed(kind.path):
        spec = {name: spec}
    before = {"apiVersion": f"{kind.group}/v1beta1", "kind": kind.kind, **spec}
    after = injected(before, WITH_TRUST)
    entries = [rewritten(entry) for entry in lookup(after, kind.files)]
    lookup(after, kind.path)[kind.system.files] = entries
    assert len(entries) > 1
    left = injected(after, WITHOUT_TRUST)
    assert [entry["path"] for entry in lookup(left, kind.files)] == ["/etc/stranger"]
    assert "inject-proxy: trust store" not in str(left)
