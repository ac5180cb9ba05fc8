"""The FunctionConfig as a ConfigMap: `kpt fn eval -- key=value`, a Kptfile's `configMap`, or a file."""

from __future__ import annotations

from typing import Any

import pytest

from function_configs import PROXY, config_map, proxy_config, without_reasons
from krm_fn.config import ProxyConfig, load
from krm_fn.noproxy import Entry


def test_a_config_map_without_data_asks_for_nothing() -> None:
    assert load({**config_map(), "immutable": True}) is None


MEANINGS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "the line break of a text block": ({"httpProxy": f"{PROXY}\n"}, {"httpProxy": PROXY}),
    "names of variables": ({"HTTP_PROXY": PROXY, "https_proxy": PROXY}, {"httpProxy": PROXY, "httpsProxy": PROXY}),
    "several names that agree": ({"HTTP_PROXY": PROXY, "httpProxy": PROXY}, {"httpProxy": PROXY}),
    "a list in a string": ({"httpProxy": PROXY, "NO_PROXY": "a, b,"}, {"httpProxy": PROXY, "noProxy": ["a", "b"]}),
    "keys with dots, booleans in a string": (
        {"mode": "Remove", "targets.workloads.data": "No", "noProxyPolicy.rooted": "true"},
        {"mode": "Remove", "targets": {"workloads": {"data": False}}, "noProxyPolicy": {"rooted": True}},
    ),
    "a list with commas": (
        {"mode": "Remove", "noProxyPolicy.without": "mirrors, metadata"},
        {"mode": "Remove", "noProxyPolicy": {"without": ["mirrors", "metadata"]}},
    ),
    "a null in YAML text": ({"mode": "Remove", "targets": "kyverno:\n"}, {"mode": "Remove", "targets": {}}),
    "JSON text": (
        {"overrides": f'[{{"match": {{"roles": ["Worker"]}}, "httpProxy": "{PROXY}"}}]'},
        {"overrides": [{"match": {"roles": ["Worker"]}, "httpProxy": PROXY}]},
    ),
    "names with commas": ({"mode": "Remove", "only": "tkg, nutanix"}, {"mode": "Remove", "only": ["tkg", "nutanix"]}),
    "lists and mappings that a ConfigMap should not hold": (
        {"httpProxy": PROXY, "noProxy": ["a"], "targets": {"workloads": {"data": False}}},
        {"httpProxy": PROXY, "noProxy": ["a"], "targets": {"workloads": {"data": False}}},
    ),
}


@pytest.mark.parametrize(("data", "spec"), MEANINGS.values(), ids=MEANINGS)
def test_a_config_map_means_what_the_same_fields_mean(data: dict[str, Any], spec: dict[str, Any]) -> None:
    read = load(config_map(**data))
    assert isinstance(read, ProxyConfig)
    assert without_reasons(read) == without_reasons(load(proxy_config(**spec)))


def test_every_entry_knows_the_key_it_was_written_under() -> None:
    overrides = "- match: {clusters: [lab]}\n  noProxy: [b]\n"
    config = load(config_map(httpProxy=PROXY, NO_PROXY="a", overrides=overrides))
    assert isinstance(config, ProxyConfig)
    assert config.declaration.no_proxy == (Entry.from_config("a", "data.NO_PROXY"),)
    assert config.overrides[0].no_proxy == (Entry.from_config("b", "data.overrides[0].noProxy[0]"),)
