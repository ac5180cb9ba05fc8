"""Overrides that match one object by its name, or one rule of a Kyverno policy."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from function_configs import loaded
from krm_fn.krm.results import Severity
from krm_fn.lint.manifests import audit
from krm_fn.pipeline import Outcome, run
from krm_fn.yamledit import read
from stories import TESTDATA, asking

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


CLASS = "nodes/clusterClass/two-networks-of-one-class-in-v1beta1"


@pytest.mark.parametrize(
    ("story", "kind", "name", "match"),
    [
        pytest.param(
            "tkg/tkgClusterClass/workers-with-a-proxy-of-their-own",
            "Cluster",
            "workload-1",
            {"clusters": ["workload-1"]},
            id="the variables of a Cluster and of its workers",
        ),
        pytest.param(CLASS, "Cluster", "north", {"clusters": ["north"]}, id="the variable of a Cluster with a class"),
        pytest.param(CLASS, "ClusterClass", "company", {"targets": ["clusterClass"]}, id="the variable of a class"),
        pytest.param(
            "konvoy/imageBuilderOverrides/made-for-pre-provisioned-clusters",
            "Secret",
            "cluster-2-user-overrides",
            {"clusters": ["cluster-2"]},
            id="a Secret that the machines of all roles share",
        ),
    ],
)
def test_an_override_for_the_name_of_an_object_gives_it_what_one_for_its_place_does(
    story: str, kind: str, name: str, match: dict[str, Any]
) -> None:
    data = (TESTDATA / story / "input.yaml").read_bytes()
    of_workers = {"match": {"roles": ["Worker"]}, "noProxy": ["only-for-workers.example"]}

    def written(match: dict[str, Any]) -> Any:
        override = {"match": match, "httpProxy": SECOND, "httpsProxy": SECOND}
        output = run(asking(data, overrides=[override, of_workers])).output.decode()
        (found,) = [item for item in read(output)["items"] if (item["kind"], item["metadata"]["name"]) == (kind, name)]
        return found

    by_name = written({"objects": [name]})
    assert SECOND in json.dumps(by_name)
    assert by_name == written(match)


def cert_manager(**variables: str) -> dict[str, Any]:
    env = [{"name": name, "value": value} for name, value in variables.items()]
    container = {"name": "cert-manager-controller", "image": "quay.io/jetstack/cert-manager-controller:v1", "env": env}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "cert-manager", "namespace": "cert-manager"},
        "spec": {"template": {"spec": {"containers": [container]}}},
    }


def test_an_override_for_all_rules_is_for_rules_alone() -> None:
    override = {"match": {"rules": ["*"]}, "httpProxy": SECOND}
    outcome = ran(cert_manager(), policy("p", rule("main", "http://old:1")), httpProxy=MAIN, overrides=[override])

    written = json.dumps(items(outcome)[0])
    assert (MAIN in written, SECOND in written) == (True, False)
    assert SECOND in json.dumps(items(outcome)[1])


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        pytest.param("own", [], id="the proxy that an override gives it"),
        pytest.param("other", ["StaleProxy"], id="the proxy of another object"),
    ],
)
def test_a_field_that_no_target_writes_is_compared_with_the_override_for_its_object(
    name: str, codes: list[str]
) -> None:
    thing = {
        "apiVersion": "example.com/v1",
        "kind": "Thing",
        "metadata": {"name": name, "namespace": "a"},
        "spec": {"httpProxy": SECOND},
    }
    override = {"match": {"objects": ["own"]}, "httpProxy": SECOND}
    outcome = ran(thing, httpProxy=MAIN, overrides=[override])
    assert [one.code for one in outcome.results if one.ref.kind == "Thing"] == codes


@pytest.mark.parametrize("name", ["cert-manager", "other"])
def test_lint_judges_the_list_of_an_object_by_the_override_for_its_name(name: str) -> None:
    override = {"match": {"objects": [name]}, "noProxyPolicy": {"maxLength": 10}}
    text = yaml.safe_dump(cert_manager(HTTP_PROXY=MAIN, NO_PROXY="a.example,b.example"))
    found = audit({"a.yaml": text.encode()}, config=loaded(httpProxy=MAIN, overrides=[override])).results
    assert ("NP026" in [one.code for one in found]) is (name == "cert-manager")
