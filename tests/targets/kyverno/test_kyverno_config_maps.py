"""ConfigMaps that the context of a Kyverno rule reads: they are filled, and the references stay."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from krm_fn.pipeline import Outcome, run
from kyverno_shapes import pods, policy, rule, smp, variable
from proposals import HTTP, HTTPS, env

OLD = "http://old:1"


def config_map(namespace: str = "kyverno", **data: str) -> Any:
    metadata = {"name": "settings", "namespace": namespace}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def reading(value: str, *context: Any, kind: str = "ClusterPolicy", name: str = "HTTP_PROXY", **source: str) -> Any:
    """A policy with a variable that a ConfigMap gives a value, beside a list that is right."""
    entries = env({name: value, "NO_PROXY" if name != "NO_PROXY" else "OTHER": "a"})
    source = {"name": "settings", "namespace": "kyverno", **source}
    entry = {"name": "settings", "configMap": {key: text for key, text in source.items() if text}}
    return policy(rule(smp(pods(entries)), context=[entry, *context]), kind=kind)


def done(spec: dict[str, Any], *items: Any) -> tuple[list[Any], Outcome]:
    proxy = {"httpProxy": HTTP, "httpsProxy": HTTPS, "noProxy": ["a"], "noProxyPolicy": {"style": "Verbatim"}}
    config = {
        "apiVersion": "fn.inject-proxy.io/v1alpha1",
        "kind": "ProxyConfig",
        "metadata": {"name": "p"},
        "spec": {"mode": "Remove"} if spec == {"mode": "Remove"} else {**proxy, **spec},
    }
    listed = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": list(items)}
    outcome = run(yaml.safe_dump({**listed, "functionConfig": config}).encode())
    return yaml.safe_load(outcome.output)["items"], outcome


def codes(outcome: Outcome) -> list[str]:
    return [one.code for one in outcome.results if one.code.startswith("Policy")]


@pytest.mark.parametrize(
    "of_policy",
    [
        pytest.param(reading("{{ settings.data.url }}"), id="a key"),
        pytest.param(reading('{{settings.data."url"}}'), id="a key in quotes"),
        pytest.param(
            reading("{{ mine }}", variable("mine", "{{ settings.data.url }}")), id="by way of a context variable"
        ),
    ],
)
def test_the_key_is_set_and_the_policy_stays(of_policy: Any) -> None:
    items, outcome = done({}, config_map(url=OLD, other=OLD), of_policy)

    assert items == [config_map(url=HTTP, other=OLD), of_policy]
    assert codes(outcome) == []
    assert done({}, *items)[0] == items
    assert done({"mode": "Check"}, *items)[1].exit_code == 0
    assert done({"mode": "Check"}, config_map(url=OLD), of_policy)[1].exit_code == 1


@pytest.mark.parametrize(
    ("kind", "namespace", "of_config_map", "is_filled"),
    [
        pytest.param("ClusterPolicy", "", "default", True, id="a ClusterPolicy reads default"),
        pytest.param("ClusterPolicy", "", "kyverno", False, id="and nothing else"),
        pytest.param("Policy", "", "team", True, id="a Policy reads its own namespace"),
        pytest.param("Policy", "", "default", False, id="and not default"),
        pytest.param("ClusterPolicy", "other", "kyverno", False, id="another namespace"),
        pytest.param("ClusterPolicy", "{{ request.namespace }}", "kyverno", False, id="that of the request"),
    ],
)
def test_the_namespace_is_that_of_the_engine(kind: str, namespace: str, of_config_map: str, is_filled: bool) -> None:
    of_policy = reading("{{ settings.data.url }}", kind=kind, namespace=namespace)
    if kind == "Policy":
        of_policy["metadata"]["namespace"] = "team"
    items, outcome = done({}, config_map(of_config_map, url=OLD), of_policy)

    assert items[0]["data"]["url"] == (HTTP if is_filled else OLD)
    assert codes(outcome) == ([] if is_filled else ["PolicyNotFilled"])


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("{{ settings.data.url || 'x' }}", id="a default"),
        pytest.param("{{ settings.data.all | parse_yaml(@).url }}", id="a function"),
        pytest.param("http://{{ settings.data.url }}", id="a part of the value"),
        pytest.param("{{ settings.metadata.name }}", id="no data"),
    ],
)
def test_what_is_more_than_a_key_is_reported_as_before(value: str) -> None:
    items, outcome = done({}, config_map(url=OLD), reading(value))
    assert items[0]["data"]["url"] == OLD
    assert codes(outcome) == ["PolicyNotFilled"]


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param({"targets": {"proxyData": {"enabled": False}}}, id="the target is off"),
        pytest.param({"selector": {"exclude": [{"kinds": ["ConfigMap"]}]}}, id="the ConfigMap is left out"),
    ],
)
def test_a_config_map_that_is_not_to_be_filled_is_reported_as_before(spec: Any) -> None:
    items, outcome = done(spec, config_map(url=OLD), reading("{{ settings.data.url }}"))
    assert items[0]["data"]["url"] == OLD
    assert codes(outcome) == ["PolicyNotFilled"]


def test_a_key_for_two_variables_is_set_where_they_are_equal() -> None:
    policies = [reading("{{ settings.data.url }}", name=name) for name in ("HTTP_PROXY", "https_proxy")]
    items, outcome = done({"httpsProxy": HTTP}, config_map(url=OLD), *policies)
    assert items[0]["data"]["url"] == HTTP
    assert codes(outcome) == []

    items, outcome = done({}, config_map(url=OLD), *policies)
    assert items[0]["data"]["url"] == OLD
    assert codes(outcome) == ["PolicyNotFilled"]
    assert done({"mode": "Check"}, config_map(url=OLD), *policies)[1].exit_code == 1


@pytest.mark.parametrize("entry", ["{{x}}", "$(X)"])
def test_a_value_that_kyverno_or_kubernetes_would_replace_is_not_written(entry: str) -> None:
    of_policy = reading("{{ settings.data.list }}", name="NO_PROXY")
    items, outcome = done({"noProxy": [entry]}, config_map(list="a"), of_policy)
    assert items[0]["data"]["list"] == "a"
    assert codes(outcome) == ["PolicyNotFilled"]


def test_a_removal_takes_the_entry_out_of_the_policy_so_that_the_value_of_a_pod_survives() -> None:
    items, outcome = done({"mode": "Remove"}, config_map(url=HTTP), reading("{{ settings.data.url }}"))

    assert items[0]["data"]["url"] == ""
    assert "env" not in items[1]["spec"]["rules"][0]["mutate"]["patchStrategicMerge"]["spec"]["containers"][0]
    assert codes(outcome) == ["PolicyRuleEmpty"]
    assert done({"mode": "Remove"}, *items)[0] == items


def test_a_proxy_of_one_rule_does_not_reach_a_config_map() -> None:
    override = {"match": {"targets": ["kyvernoPolicies"], "rules": ["add-*"]}, "httpProxy": "http://second:1"}
    _, outcome = done({"overrides": [override]}, config_map(url=OLD), reading("{{ settings.data.url }}"))
    assert codes(outcome) == ["PolicyNotFilled"]
