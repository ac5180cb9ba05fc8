"""What is said about a policy that sets a proxy and does no good; what the engine does is in ``tests/kyverno``."""

from __future__ import annotations

from typing import Any

import pytest

from all_targets import TARGETS
from krm_fn.krm.results import Result, Severity
from kyverno_shapes import SIX, findings, p1, p10, pods, policy, rule, smp
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


def matching(match: Any) -> Any:
    """A policy that patches what it matches like a Deployment."""
    obj = policy(rule(smp(TEMPLATE)))
    obj["spec"]["rules"][0]["match"] = match
    return obj


def codes(obj: Any, settings: Any = FULL) -> set[str]:
    return {said.code for said in proposals(policies, obj, settings) if isinstance(said, Result)}


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        pytest.param(
            policy(rule({**smp(pods(VALUES)), "targets": DEPLOYMENTS})),
            {"PolicyBroken", "PolicyDeprecated"},
            id="Deployments that exist, patched like a pod",
        ),
        *(
            pytest.param(matching(match), {"PolicyBroken", "PolicyDeprecated"}, id=f"a pod like a Deployment: {match}")
            for match in (
                {"resources": {"kinds": ["Pod"]}},
                {"all": [{"resources": {"kinds": ["v1/Pod"]}}]},
                {"any": [{"resources": {"kinds": ["Pod"]}}, {"resources": {"kinds": ["Pod"]}}]},
            )
        ),
        pytest.param(
            matching({"any": [{"resources": {"kinds": ["Pod", "Deployment"]}}]}),
            {"PolicyDeprecated"},
            id="a path of one of two kinds",
        ),
        pytest.param(matching({"any": None}), {"PolicyDeprecated"}, id="no kinds"),
        pytest.param(p1(), {"PolicyDeprecated"}, id="the sample of the Kyverno project"),
        pytest.param(policy(rule(smp(pods(VALUES)), "Pod", "Deployment")), {"PolicyDeprecated"}, id="pods and others"),
        pytest.param(policy(rule(smp(pods(VALUES)), "Rollout")), {"PolicyDeprecated"}, id="a kind that nobody knows"),
        pytest.param(merging("MutatingAdmissionPolicy"), set(), id="entries that Kubernetes merges"),
        pytest.param(p10(), set(), id="a MutatingPolicy, which stays"),
        pytest.param(policy(), set(), id="a policy that sets no proxy"),
    ],
)
def test_what_is_said_of_a_shape_beside_those_that_the_engine_has_judged(obj: Any, expected: set[str]) -> None:
    """Each shape that does harm is a folder of `tests/kyverno/harmful`."""
    assert codes(obj) == expected
    assert codes(obj, NONE) <= {"ByHand"}


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
