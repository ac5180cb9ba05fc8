"""FunctionConfigs for tests, and what the program says about wrong ones."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from krm_fn.clusters import Fact
from krm_fn.config import ProxyConfig, load
from krm_fn.errors import ConfigError
from krm_fn.krm.masking import redact
from krm_fn.noproxy import Entry
from krm_fn.patch import field_path
from support import ROOT

PROXY = "http://proxy.example.com:3128"
HEAD = "apiVersion: fn.inject-proxy.io/v1alpha1\nkind: ProxyConfig\nmetadata: {name: proxy}\nspec:\n"
URL = "http://proxy.corp.example:3128"
DECLARED = f"{HEAD}  httpProxy: {URL}\n  httpsProxy: {URL}\n"
"""A ProxyConfig as text, to which a test adds fields of its `spec`."""
NO_PROXY_AT_ALL = (
    "must hold `httpProxy` or `httpsProxy`, here or in one of `overrides`, "
    "or `secretRef`, `from`, `trustedCA`, `registryMirror` or `mode: Remove`, which need neither"
)
FOLDER = ROOT / "functionconfig"
SCHEMA: dict[str, Any] = json.loads((FOLDER / "proxyconfig.schema.json").read_text(encoding="utf-8"))
ALL_DERIVED = frozenset(SCHEMA["$defs"]["policy"]["properties"]["without"]["items"]["enum"])
"""What `spec.noProxyPolicy.without` may leave out."""


def resolved(node: dict[str, Any]) -> dict[str, Any]:
    """A node with what it refers to; what it says itself goes before that."""
    target = SCHEMA["$defs"][node["$ref"].rpartition("/")[2]] if "$ref" in node else {}
    return {**target, **{key: value for key, value in node.items() if key != "$ref"}}


def proxy_config(**spec: Any) -> dict[str, Any]:
    """A ProxyConfig with annotations as orchestrators add them, one of a type that Kubernetes would refuse."""
    return {
        "apiVersion": "fn.inject-proxy.io/v1alpha1",
        "kind": "ProxyConfig",
        "metadata": {"name": "proxy", "annotations": {"internal.config.kubernetes.io/index": "0", "x": 7}},
        "spec": spec,
    }


def config_map(**data: Any) -> dict[str, Any]:
    """A ConfigMap as kpt makes it."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "function-input"}, "data": data}


def problems(function_config: Any) -> list[str]:
    """What is wrong with it; each of one line that the redaction of results leaves as it is."""
    with pytest.raises(ConfigError) as caught:
        load(function_config)
    lines = lines_of(caught.value)
    for line in lines:
        assert line == " ".join(line.split())
        assert line == redact(line)
    return lines


def lines_of(error: ConfigError) -> list[str]:
    """The field and the text of each problem."""
    return [": ".join(filter(None, (field_path(path), text))) for path, text in error.problems]


def loaded(**spec: Any) -> ProxyConfig:
    """A ProxyConfig that is right, read."""
    config = load(proxy_config(**spec))
    assert config is not None
    return config


def without_reasons(value: Any) -> Any:
    """The same value; in it, no entry and no fact knows any more where it was written."""
    if isinstance(value, Entry):
        return Entry(value.text)
    if isinstance(value, Fact):
        return Fact(value.value)
    if isinstance(value, tuple):
        members = map(without_reasons, value)
        return value._make(members) if hasattr(value, "_make") else tuple(members)
    return value


def list_with_config(spec: Mapping[str, Any], *items: Any) -> bytes:
    """Return a ResourceList in JSON with these items, and a ProxyConfig of this ``spec``."""
    data = {
        "apiVersion": "config.kubernetes.io/v1",
        "kind": "ResourceList",
        "items": items,
        "functionConfig": proxy_config(**spec),
    }
    return json.dumps(data).encode()
