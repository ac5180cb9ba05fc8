"""How a mistake in a ConfigMap is reported: under the key it was made in."""

from __future__ import annotations

from typing import Any

import pytest

from function_configs import NO_PROXY_AT_ALL, PROXY, config_map, problems


@pytest.mark.parametrize(
    ("data", "reported"),
    [
        pytest.param({"noProxi": ""}, "data.noProxi: unknown field; did you mean `noProxy`?", id="a misspelt field"),
        pytest.param(
            {"No_Proxy": ""}, "data.No_Proxy: unknown field; did you mean `no_proxy`?", id="a misspelt variable"
        ),
        pytest.param(
            {"style": ""}, "data.style: unknown field; did you mean `noProxyPolicy.style`?", id="a field below"
        ),
        pytest.param(
            {"targets.kubeletDropIn.enable": "true"},
            "data.targets.kubeletDropIn.enable: unknown field; did you mean `targets.kubeletDropIn.enabled`?",
            id="a misspelt option",
        ),
        pytest.param(
            {"targets": "kubelet: {}"},
            "data.targets.kubelet: unknown field; did you mean `kubeletDropIn`?",
            id="an unknown target without options",
        ),
        pytest.param(
            {"https_proxy": "http://other:1"},
            "data.https_proxy: must not contradict `data.httpsProxy`: give only one of them",
            id="two names that contradict each other",
        ),
        pytest.param(
            {"targets": "certManager: {enabled: true}", "targets.certManager.enabled": "false"},
            "data.targets.certManager.enabled: must not contradict `data.targets`: give only one of them",
            id="text and a key with dots that contradict each other",
        ),
        pytest.param(
            {"targets.certManager.enabled": "perhaps"},
            "data.targets.certManager.enabled: must be `true` or `false`, without quotes",
            id="a string that is no boolean",
        ),
        pytest.param(
            {"targets.kubeletDropIn.permissions": 416},
            "data.targets.kubeletDropIn.permissions: must be a string: quote it",
            id="an unquoted 0640 has become a number",
        ),
        pytest.param(
            {"targets": "text"}, "data.targets: must be a mapping, as YAML or JSON text", id="text for a mapping"
        ),
        pytest.param({"selector": 7}, "data.selector: must be a mapping, as YAML or JSON text", id="a number"),
        pytest.param({"selector.include": "a"}, "data.selector.include: must be a list", id="text for a list"),
        pytest.param(
            {"targets": "kubeletDropIn: 5", "targets.kubeletDropIn.enabled": "true"},
            "data.targets.kubeletDropIn: must be a mapping",
            id="a number where a key with dots expects a mapping",
        ),
        pytest.param(
            {"NO_PROXY": "a b"},
            'data.NO_PROXY: entry "a b" must not hold blanks, ";" or "|": write "a,b"',
            id="a mistake in a variable is reported under its name",
        ),
        pytest.param(
            {"mode": "remove"},
            "data.mode: must be `Inject`, `Remove` or `Check`; did you mean `Remove`?",
            id="a removal in lower case, which misses no proxy",
        ),
        pytest.param(
            {"targets": "kubeletDropIn: {}\nkubeletDropIn: {enabled: false}\n"},
            "data.targets.kubeletDropIn: must not be given twice in one mapping: keep one of the two",
            id="a key that occurs twice in a text",
        ),
        pytest.param({"httpProxy": 10}, "data.httpProxy: must be a string: quote it", id="a number for a URL"),
        pytest.param(
            {"overrides": "match: {clusters: [lab]}"}, "data.overrides: must be a list", id="one override without list"
        ),
        pytest.param(
            {"overrides": "- match: {clusters: [lab]}\n  httpProxy: proxy:3128\n"},
            'data.overrides[0].httpProxy: must begin with "http://" or "https://", as in "http://proxy.example.com:3128"',
            id="a URL without scheme in an override",
        ),
        pytest.param(
            {"noProxyPolicy.maxLength": "much"},
            "data.noProxyPolicy.maxLength: must be a whole number, not in quotes",
            id="a string that is no number",
        ),
        pytest.param(
            {"lint.rules.N4": "Off"},
            "data.lint.rules.N4: must be the id of a rule, from `NP001` to `NP042`, or the code that a "
            "message begins with",
            id="a rule that cannot be",
        ),
        pytest.param(
            {"lint.rule.NP004": "Off"},
            "data.lint.rule.NP004: unknown field; did you mean `lint.rules`?",
            id="a misspelt field above a free key",
        ),
        pytest.param(
            {"lint.rules.": "Off"},
            "data.lint.rules.: unknown field; did you mean `lint.rules`?",
            id="a key that ends in a dot",
        ),
        pytest.param(
            {"noProxy": True}, "data.noProxy: must be a list of strings, or one comma-separated string", id="yes"
        ),
    ],
)
def test_one_mistake_is_one_line(data: dict[str, Any], reported: str) -> None:
    assert problems(config_map(**{"httpsProxy": PROXY, **data})) == [reported]


@pytest.mark.parametrize("text", ["", "{", "a: b: c", "*unknown", "a\n---\nb"])
def test_text_that_is_not_yaml(text: str) -> None:
    (reported,) = problems(config_map(mode="Remove", targets=text))
    assert reported.startswith("data.targets: must be YAML or JSON text: ")
    assert not reported.endswith(": ")


@pytest.mark.parametrize("data", ["text", ["httpProxy"], 7, True])
def test_data_of_a_wrong_type(data: Any) -> None:
    assert problems({**config_map(), "data": data}) == ["data: must be a mapping"]


def test_inject_needs_a_proxy_here_too() -> None:
    assert problems(config_map(noProxy="a")) == [f"data: {NO_PROXY_AT_ALL}"]


def test_a_field_beside_data_is_reported() -> None:
    assert problems({**config_map(mode="Remove"), "httpProxy": PROXY, "dta": {}}) == [
        "dta: unknown field; did you mean `data`?",
        "httpProxy: unknown field; did you mean `data.httpProxy`?",
    ]


def test_all_problems_are_reported_at_once() -> None:
    reported = problems(config_map(HTTP_PROXY="x", noProxi="", mode="x", targets="{", no_proxy="a b"))
    assert [problem.partition(":")[0] for problem in reported] == [
        "data.HTTP_PROXY",
        "data.mode",
        "data.noProxi",
        "data.no_proxy",
        "data.targets",
    ]
