"""The FunctionConfig as a ConfigMap: `kpt fn eval -- key=value`, a Kptfile's `configMap`, or a file."""

from __future__ import annotations

from typing import Any

import pytest

from function_configs import PROXY, config_map, proxy_config, without_reasons
from krm_fn.config import ProxyConfig, load
from krm_fn.noproxy import Entry


@pytest.mark.parametrize(
    "function_config",
    [
        pytest.param(config_map(), id="data is empty, as kpt sends it without arguments"),
        pytest.param({"apiVersion": "v1", "kind": "ConfigMap"}, id="data is missing"),
        pytest.param({"apiVersion": "v1", "kind": "ConfigMap", "data": None}, id="data is null"),
        pytest.param({"apiVersion": "v1", "kind": "ConfigMap", "data": {"mode": None}}, id="every value is null"),
        pytest.param({"kind": "ConfigMap", "apiVersion": "v1", "immutable": True}, id="it is immutable"),
    ],
)
def test_a_config_map_without_data_asks_for_nothing(function_config: dict[str, Any]) -> None:
    assert load(function_config) is None


@pytest.mark.parametrize(
    ("data", "spec"),
    [
        pytest.param({"httpProxy": PROXY}, {"httpProxy": PROXY}, id="a URL"),
        pytest.param({"httpProxy": f"{PROXY}\n"}, {"httpProxy": PROXY}, id="the line break of a text block"),
        pytest.param({"HTTP_PROXY": PROXY}, {"httpProxy": PROXY}, id="the name of a variable"),
        pytest.param({"https_proxy": PROXY}, {"httpsProxy": PROXY}, id="the name of a variable in lower case"),
        pytest.param(
            {"HTTP_PROXY": PROXY, "http_proxy": PROXY, "httpProxy": PROXY},
            {"httpProxy": PROXY},
            id="several names that agree",
        ),
        pytest.param(
            {"httpProxy": PROXY, "NO_PROXY": "a, b,"},
            {"httpProxy": PROXY, "noProxy": ["a", "b"]},
            id="a list in a string",
        ),
        pytest.param({"mode": "Remove"}, {"mode": "Remove"}, id="the mode alone"),
        pytest.param(
            {"mode": "Remove", "targets.kubeadmCommands.restart": "false"},
            {"mode": "Remove", "targets": {"kubeadmCommands": {"restart": False}}},
            id="a key with dots, and a boolean in a string",
        ),
        pytest.param(
            {"mode": "Remove", "targets.certManager.enabled": False, "targets.chartOperator.enabled": True},
            {"mode": "Remove", "targets": {"certManager": {"enabled": False}, "chartOperator": {"enabled": True}}},
            id="booleans that arrive unquoted",
        ),
        pytest.param(
            {"mode": "Remove", "targets.certManager.enabled": "No", "targets.chartOperator.enabled": "on"},
            {"mode": "Remove", "targets": {"certManager": {"enabled": False}, "chartOperator": {"enabled": True}}},
            id="booleans in the words of YAML 1.1",
        ),
        pytest.param(
            {"httpProxy": PROXY, "noProxyPolicy.style": "Verbatim"},
            {"httpProxy": PROXY, "noProxyPolicy": {"style": "Verbatim"}},
            id="the style of the list",
        ),
        pytest.param(
            {"mode": "Remove", "targets": "certManager: {conflict: Keep}\nkubeletDropIn:\n  permissions: '0600'\n"},
            {
                "mode": "Remove",
                "targets": {"certManager": {"conflict": "Keep"}, "kubeletDropIn": {"permissions": "0600"}},
            },
            id="targets as YAML text",
        ),
        pytest.param(
            {"mode": "Remove", "targets": "certManager: {conflict: Keep}", "targets.certManager.enabled": "false"},
            {"mode": "Remove", "targets": {"certManager": {"conflict": "Keep", "enabled": False}}},
            id="text and keys with dots are put together",
        ),
        pytest.param(
            {"mode": "Remove", "targets": "certManager: {conflict: Keep}", "targets.certManager.conflict": "Keep"},
            {"mode": "Remove", "targets": {"certManager": {"conflict": "Keep"}}},
            id="text and a key with dots that agree",
        ),
        pytest.param(
            {"mode": "Remove", "targets": "certManager: {}\nchartOperator:", "targets.certManager.enabled": "false"},
            {"mode": "Remove", "targets": {"certManager": {"enabled": False}}},
            id="an empty mapping in the text, and a null",
        ),
        pytest.param(
            {"mode": "Remove", "selector": '{"include": [{"names": ["a*"], "labels": {"b": "c"}}]}'},
            {"mode": "Remove", "selector": {"include": [{"names": ["a*"], "labels": {"b": "c"}}]}},
            id="a selector as JSON text",
        ),
        pytest.param(
            {"mode": "Remove", "selector.exclude": "- kinds: [Job]\n"},
            {"mode": "Remove", "selector": {"exclude": [{"kinds": ["Job"]}]}},
            id="one list of the selector as YAML text",
        ),
        pytest.param(
            {"mode": "Remove", "overrides": "- match: {clusters: [lab]}\n  disabled: true\n"},
            {"mode": "Remove", "overrides": [{"match": {"clusters": ["lab"]}, "disabled": True}]},
            id="overrides as YAML text",
        ),
        pytest.param(
            {"overrides": f'[{{"match": {{"roles": ["Worker"]}}, "httpProxy": "{PROXY}"}}]'},
            {"overrides": [{"match": {"roles": ["Worker"]}, "httpProxy": PROXY}]},
            id="overrides as JSON text, with the only proxy in one of them",
        ),
        pytest.param(
            {"mode": "Remove", "noProxyPolicy.derive.mirrors": "false", "noProxyPolicy.maxLength": " 1023"},
            {"mode": "Remove", "noProxyPolicy": {"derive": {"mirrors": False}, "maxLength": 1023}},
            id="a boolean and a number in strings, far below",
        ),
        pytest.param(
            {"mode": "Remove", "noProxyPolicy": "{rooted: true, extra: [a]}", "noProxyPolicy.exclude": "b, c"},
            {"mode": "Remove", "noProxyPolicy": {"rooted": True, "extra": ["a"], "exclude": ["b", "c"]}},
            id="the policy in both ways",
        ),
        pytest.param(
            {
                "mode": "Remove",
                "clusterDefaults.podCIDRs": "10.0.0.0/8,fd00::/8",
                "clusterDefaults": "region: eu-west-1",
            },
            {"mode": "Remove", "clusterDefaults": {"podCIDRs": ["10.0.0.0/8", "fd00::/8"], "region": "eu-west-1"}},
            id="defaults of the Clusters in both ways",
        ),
        pytest.param(
            {"mode": "Remove", "lint.rules.NP004": "Off", "lint.rules": "NP011: Error"},
            {"mode": "Remove", "lint": {"rules": {"NP004": "Off", "NP011": "Error"}}},
            id="the severity of a rule in both ways",
        ),
        pytest.param(
            {"httpProxy": PROXY, "noProxy": ["a"], "targets": {"certManager": {"enabled": False}}},
            {"httpProxy": PROXY, "noProxy": ["a"], "targets": {"certManager": {"enabled": False}}},
            id="lists and mappings that a ConfigMap should not hold mean what they say",
        ),
    ],
)
def test_a_config_map_means_what_the_same_fields_mean(data: dict[str, Any], spec: dict[str, Any]) -> None:
    read = load(config_map(**data))
    assert isinstance(read, ProxyConfig)
    assert without_reasons(read) == without_reasons(load(proxy_config(**spec)))


def test_every_entry_knows_the_key_it_was_written_under() -> None:
    overrides = "- match: {clusters: [lab]}\n  noProxy: [b]\n"
    config = load(config_map(httpProxy=PROXY, NO_PROXY="a", overrides=overrides))
    assert isinstance(config, ProxyConfig)
    assert config.no_proxy == (Entry.of_config("a", "data.NO_PROXY"),)
    assert config.overrides[0].no_proxy == (Entry.of_config("b", "data.overrides[0].noProxy[0]"),)
