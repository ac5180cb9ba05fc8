"""Which rules Kyverno extends to Deployments and other controllers of pods."""

from __future__ import annotations

from typing import Any

import pytest

from krm_fn.targets.kyverno import autogen, policy_rules
from kyverno_shapes import pods, policy, rule, smp
from proposals import env

BODY = smp(pods(env({"HTTP_PROXY": "x"})))
OF_PODS = {"any": [{"resources": {"kinds": ["Pod"]}}]}


def of(*given: Any, controllers: Any = None) -> Any:
    obj = policy(*given)
    if controllers is not None:
        obj["metadata"]["annotations"] = {autogen.ANNOTATION[-1]: controllers}
    return obj


def on_pods(**more: Any) -> Any:
    return {**rule(BODY), "match": OF_PODS, **more}


ALL = frozenset(autogen.CONTROLLERS)
NONE = frozenset[str]()


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        pytest.param(of(on_pods()), ALL, id="a rule on pods"),
        pytest.param(of(on_pods(), controllers="Deployment,Job"), {"Deployment", "Job"}, id="kinds of the annotation"),
        pytest.param(of(on_pods(), controllers="none"), NONE, id="an annotation without kinds"),
        pytest.param(of(on_pods(), controllers="Deployment,all"), None, id="an annotation that names all"),
        pytest.param(of(on_pods(), controllers=True), None, id="an annotation that is no text"),
        pytest.param(of(rule(BODY, "ConfigMap")), NONE, id="another kind"),
        pytest.param(of(rule(BODY, "Pod", "Deployment")), NONE, id="pods and another kind in one entry"),
        pytest.param(of(on_pods(), on_pods(mutate={"patchesJson6902": "[]"})), NONE, id="a JSON Patch in another rule"),
        pytest.param(of(on_pods(exclude={"resources": {"names": ["a"]}})), NONE, id="a name that is excluded"),
        pytest.param(of(on_pods(exclude={"resources": {"names": []}})), ALL, id="no name"),
        pytest.param(of(on_pods(exclude={"resources": {"annotations": {}}})), NONE, id="an empty mapping"),
        pytest.param(of(on_pods(exclude={"any": [{"resources": {"selector": None}}]})), ALL, id="no selector"),
    ],
)
def test_kinds_are_those_to_which_kyverno_extends_a_policy(obj: Any, expected: frozenset[str] | None) -> None:
    assert autogen.derived_kinds(obj) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(on_pods(), True, id="a rule on pods"),
        pytest.param(on_pods(exclude={"resources": {"kinds": ["Pod"]}}), True, id="pods are excluded"),
        pytest.param(on_pods(exclude={"resources": {"kinds": ["Job"]}}), False, id="another kind is excluded"),
        pytest.param(rule(BODY, "Deployment"), False, id="a rule on Deployments"),
    ],
)
def test_a_rule_is_extended_where_it_is_about_pods(given: Any, expected: bool) -> None:
    obj = of(given, on_pods(name="another"))
    first, _ = (one for one in policy_rules.rules(obj) if isinstance(one, policy_rules.PolicyRule))
    assert autogen.is_extended(first, obj) is expected
