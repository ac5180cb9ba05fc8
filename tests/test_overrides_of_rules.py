"""Overrides that match one object by its name, or one rule of a Kyverno policy."""

from __future__ import annotations

import json
from typing import Any

import pytest

from krm_fn.krm.results import Severity
from krm_fn.pipeline import Outcome, run

MAIN, SECOND = "http://main.corp.example:3128", "http://second.corp.example:3128"


def ran(*objects: dict[str, Any], **spec: Any) -> Outcome:
    config = {
        "apiVersion": "fn.inject-proxy.io/v1alpha1",
        "kind": "ProxyConfig",
        "metadata": {"name": "p"},
        "spec": spec,
    }
    listed = {
        "apiVersion": "config.kubernetes.io/v1",
        "kind": "ResourceList",
        "items": objects,
        "functionConfig": config,
    }
    return run(json.dumps(listed).encode())


def items(outcome: Outcome) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(outcome.output)["items"]
    return found


def rule(name: str, proxy: str) -> dict[str, Any]:
    entry = {"name": "HTTP_PROXY", "value": proxy}
    no_proxy = {"name": "NO_PROXY", "value": "localhost"}
    body = {"spec": {"containers": [{"(name)": "*", "env": [entry, no_proxy]}]}}
    match = {"any": [{"resources": {"kinds": ["Pod"]}}]}
    return {"name": name, "match": match, "mutate": {"patchStrategicMerge": body}}


def policy(name: str, *rules: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "kyverno.io/v1",
        "kind": "ClusterPolicy",
        "metadata": {"name": name},
        "spec": {"rules": rules},
    }


def proxies(outcome: Outcome) -> dict[str, str]:
    """Name of each rule -> the proxy that it sets."""
    found = {}
    for item in items(outcome):
        for one in item["spec"]["rules"]:
            (container,) = one["mutate"]["patchStrategicMerge"]["spec"]["containers"]
            found[one["name"]] = container["env"][0]["value"]
    return found


@pytest.mark.parametrize(
    ("match", "expected"),
    [
        pytest.param({"rules": ["*-second"]}, {"a-first": MAIN, "a-second": SECOND}, id="a glob of the rule"),
        pytest.param(
            {"targets": ["kyvernoPolicies"], "objects": ["add-*"], "rules": ["a-second"]},
            {"a-first": MAIN, "a-second": SECOND},
            id="target, object and rule",
        ),
        pytest.param({"objects": ["add-proxies"]}, {"a-first": SECOND, "a-second": SECOND}, id="the whole object"),
        pytest.param(
            {"objects": ["other"], "rules": ["*"]}, {"a-first": MAIN, "a-second": MAIN}, id="another object: no rule"
        ),
    ],
)
def test_an_override_gives_a_rule_or_an_object_its_own_proxy(match: dict[str, Any], expected: dict[str, str]) -> None:
    config = {"httpProxy": MAIN, "overrides": [{"match": match, "httpProxy": SECOND}]}
    obj = policy("add-proxies", rule("a-first", "http://old:1"), rule("a-second", "http://old:1"))
    outcome = ran(obj, **config)

    assert proxies(outcome) == expected
    again = ran(*items(outcome), **config)
    assert (again.changed, proxies(again)) == (0, expected)


def test_two_proxies_in_one_policy_are_kept_apart_by_their_rules_and_an_error_without() -> None:
    obj = policy("add-proxies", rule("main", "http://a:1"), rule("second", "http://b:1"))
    override = {"match": {"rules": ["second"]}, "httpProxy": SECOND}
    refused = ran(obj, httpProxy=MAIN)
    done = ran(obj, httpProxy=MAIN, overrides=[override])

    assert proxies(refused) == {"main": "http://a:1", "second": "http://b:1"}
    assert [one.severity for one in refused.results if "two different proxies" in one.message] == [Severity.ERROR]
    assert proxies(done) == {"main": MAIN, "second": SECOND}
    assert [one for one in done.results if "fits nothing" in one.message] == []


def test_an_override_for_a_rule_that_is_not_there_is_reported() -> None:
    override = {"match": {"rules": ["third"]}, "httpProxy": SECOND}
    outcome = ran(policy("p", rule("main", "http://a:1")), httpProxy=MAIN, overrides=[override])

    assert [one.path for one in outcome.results if one.code == "OverrideFitsNothing"] == [()]


def test_a_removal_takes_both_proxies_out() -> None:
    override = {"match": {"rules": ["second"]}, "httpProxy": SECOND}
    both = policy("p", rule("main", "http://a:1"), rule("second", "http://b:1"))
    outcome = ran(both, httpProxy=MAIN, overrides=[override], mode="Remove")

    assert "http://" not in json.dumps(items(outcome))


def test_a_rule_with_a_proxy_of_its_own_does_not_disagree_with_the_others() -> None:
    override = {"match": {"rules": ["*-second"]}, "httpProxy": SECOND}
    outcome = ran(
        policy("add-proxies", rule("a-first", "http://old:1"), rule("a-second", "http://old:2")),
        httpProxy=MAIN,
        overrides=[override],
    )
    assert proxies(outcome) == {"a-first": MAIN, "a-second": SECOND}
    assert "NP040" not in [one.code for one in outcome.results]
