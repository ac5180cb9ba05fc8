"""What is said about a policy that sets a proxy and does no good; what the engine does is in ``tests/kyverno``."""

from __future__ import annotations

from typing import Any

import pytest

from krm_fn.krm.results import Result, Severity
from krm_fn.targets import TARGETS
from kyverno_shapes import SIX, findings, p1, p4, p10, p13, pods, policy, rule, smp
from proposals import FULL, NONE, env, proposals

policies = TARGETS["kyverno"]

VALUES = env({"HTTP_PROXY": "http://old:1", "NO_PROXY": "localhost"})
TEMPLATE = {"spec": {"template": pods(VALUES)}}
DEPLOYMENTS = [{"apiVersion": "apps/v1", "kind": "Deployment"}]
MERGED = 'Object{spec: Object.spec{containers: [{"env": [{"name": "HTTP_PROXY", "value": "http://old:1"}]}]}}'


def merging(kind: str) -> Any:
    """A policy with CEL that merges entries."""
    group = "admissionregistration.k8s.io" if kind == "MutatingAdmissionPolicy" else "policies.kyverno.io"
    spec = {"mutations": [{"applyConfiguration": {"expression": MERGED}}]}
    return {"apiVersion": f"{group}/v1", "kind": kind, "spec": spec}


def cel(expression: str) -> Any:
    return {**p10(), "spec": {"mutations": [{"jsonPatch": {"expression": expression}}]}}


def without_null(obj: Any) -> Any:
    for entry in obj["spec"]["rules"][0]["mutate"]["patchStrategicMerge"]["spec"]["containers"][0]["env"]:
        del entry["valueFrom"]
    return obj


def codes(obj: Any, settings: Any = FULL) -> set[str]:
    return {said.code for said in proposals(policies, obj, settings) if isinstance(said, Result)}


@pytest.mark.parametrize(
    ("obj", "code"),
    [
        pytest.param(policy(rule(smp(TEMPLATE))), "PolicyBroken", id="a pod patched like a Deployment"),
        pytest.param(policy(rule(smp(pods(VALUES)), "apps/v1/Deployment")), "PolicyBroken", id="Deployment like a pod"),
        pytest.param(
            policy(rule({**smp(pods(VALUES)), "targets": DEPLOYMENTS})),
            "PolicyBroken",
            id="Deployments that exist, patched like a pod",
        ),
        pytest.param(p13(), "PolicyBroken", id="a container without the anchor"),
        pytest.param(without_null(policy(rule(smp(pods(VALUES))))), "PolicyKeepsValueFrom", id="no `valueFrom: null`"),
        pytest.param(merging("MutatingPolicy"), "PolicyKeepsValueFrom", id="entries that CEL merges"),
    ],
)
def test_a_shape_that_does_harm_is_a_finding(obj: Any, code: str) -> None:
    assert codes(obj) - {"PolicyDeprecated"} == {code}
    assert code not in codes(obj, NONE)


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(p1(), id="the sample of the Kyverno project"),
        pytest.param(policy(rule(smp(pods(VALUES)), "Pod", "Deployment")), id="pods among other kinds"),
        pytest.param(policy(rule(smp(pods(VALUES)), "Rollout")), id="a kind that nobody knows"),
        pytest.param(merging("MutatingAdmissionPolicy"), id="entries that Kubernetes merges"),
    ],
)
def test_a_shape_that_kyverno_executes_is_none(obj: Any) -> None:
    assert codes(obj) <= {"PolicyDeprecated"}


@pytest.mark.parametrize(
    ("match", "is_broken"),
    [
        ({"resources": {"kinds": ["Pod"]}}, True),
        ({"all": [{"resources": {"kinds": ["v1/Pod"]}}]}, True),
        ({"any": [{"resources": {"kinds": ["Pod"]}}, {"resources": {"kinds": ["Pod"]}}]}, True),
        ({"any": [{"resources": {"kinds": ["Pod", "Deployment"]}}]}, False),
        ({"any": None}, False),
    ],
)
def test_the_path_is_judged_by_the_kinds_in_every_style_of_match(match: Any, is_broken: bool) -> None:
    obj = p4()
    obj["spec"]["rules"][0]["match"] = match
    assert ("PolicyBroken" in codes(obj)) is is_broken


@pytest.mark.parametrize(
    ("obj", "is_deprecated"),
    [
        pytest.param(p1(), True, id="ClusterPolicy"),
        pytest.param(p10(), False, id="MutatingPolicy"),
        pytest.param(policy(), False, id="one that sets no proxy"),
    ],
)
def test_a_kind_that_kyverno_removes_is_a_finding_where_it_sets_a_proxy(obj: Any, is_deprecated: bool) -> None:
    assert ("PolicyDeprecated" in codes(obj)) is is_deprecated


def test_each_shape_is_reported_once_for_a_rule() -> None:
    obj = policy(rule(smp(pods(env(dict.fromkeys(SIX, "x")), "initContainers", "containers")), "Deployment"))
    assert [finding.code for finding in findings(policies, obj)] == ["PolicyBroken"]


# Two proxies in one policy.


def two_rules(first: Any, second: Any) -> Any:
    rules = (("main", first), ("secondary", second))
    return policy(*(rule(smp(pods(env(values))), name=name) for name, values in rules))


@pytest.mark.parametrize(
    ("obj", "authors"),
    [
        pytest.param(
            two_rules({"HTTP_PROXY": "http://a:1"}, {"http_proxy": "http://b:1"}),
            ['rule "main"', 'rule "secondary"'],
            id="two rules",
        ),
        pytest.param(
            policy(rule(smp(pods(env({"HTTP_PROXY": "http://a:1", "http_proxy": "http://b:1"}))), name="one")),
            ['rule "one"'],
            id="one rule",
        ),
        pytest.param(
            cel('[{"HTTP_PROXY": "http://a:1", "http_proxy": "http://b:1"}]'), ["the CEL expressions"], id="CEL"
        ),
    ],
)
def test_two_proxies_are_one_error_that_names_who_sets_them(obj: Any, authors: list[str]) -> None:
    (error,) = (finding for finding in findings(policies, obj) if finding.severity is Severity.ERROR)
    assert "two different proxies in `HTTP_PROXY`" in error.message
    assert all(author in error.message for author in authors)
    assert "http://" not in error.message


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param({"HTTP_PROXY": "http://a:1"}, {"HTTP_PROXY": "http://a:1/"}, id="a final slash"),
        pytest.param({"HTTP_PROXY": "http://a:1"}, {"HTTPS_PROXY": "http://b:1"}, id="one for http, one for https"),
        pytest.param({"NO_PROXY": "a"}, {"NO_PROXY": "b"}, id="two lists"),
    ],
)
def test_two_rules_with_one_proxy_are_none(first: Any, second: Any) -> None:
    assert "CannotWrite" not in codes(two_rules(first, second))
