"""Policies that are compared and never written: equal is silent, different is one line."""

from __future__ import annotations

from typing import Any

import pytest
from kyverno_shapes import policy

from krm_fn.krm.results import Severity
from krm_fn.targets import kyverno_policies
from proposals import HTTP, NO, NONE, changes, findings

OLD = "http://old:1"


def gatekeeper(kind: str, location: str, **assign: Any) -> Any:
    return {
        "apiVersion": "mutations.gatekeeper.sh/v1",
        "kind": kind,
        "metadata": {"name": "http-proxy"},
        "spec": {
            "applyTo": [{"groups": [""], "kinds": ["Pod"], "versions": ["v1"]}],
            "location": location,
            "parameters": {"assign": assign},
        },
    }


def of_value(value: Any) -> Any:
    return gatekeeper("Assign", "spec.containers[name:*].env[name:HTTP_PROXY].value", value=value)


def of_entry(value: str) -> Any:
    entry = {"name": "HTTP_PROXY", "value": value}
    return gatekeeper("Assign", 'spec.containers[name: *].env[name: "HTTP_PROXY"]', value=entry)


def of_annotation(value: str) -> Any:
    return gatekeeper("AssignMetadata", "metadata.annotations.http_proxy", value=value)


def modify_set(value: str) -> Any:
    obj = gatekeeper("ModifySet", "spec.containers[name:*].env")
    obj["spec"]["parameters"] = {
        "operation": "merge",
        "values": {"fromList": [{"name": "HTTP_PROXY", "value": value}]},
    }
    return obj


def generating_policy(value: str) -> Any:
    data = f'{{"kind": dyn("ConfigMap"), "data": dyn({{"HTTP_PROXY": "{value}"}})}}'
    return {
        "apiVersion": "policies.kyverno.io/v1",
        "kind": "GeneratingPolicy",
        "metadata": {"name": "proxy"},
        "spec": {
            "variables": [{"name": "objects", "expression": f"[{data}]"}],
            "generate": [{"expression": 'generator.Apply("ns", variables.objects)'}],
        },
    }


def generate_rule(value: str) -> Any:
    data = {"data": {"HTTP_PROXY": value, "NO_PROXY": NO}}
    generate = {"apiVersion": "v1", "kind": "ConfigMap", "name": "proxy", "data": data}
    return policy({"name": "proxy-settings", "match": {}, "generate": generate})


FORMS = {
    "the value of a variable": of_value,
    "an entry of env": of_entry,
    "an annotation": of_annotation,
    "a ModifySet": modify_set,
    "a GeneratingPolicy": generating_policy,
    "a generate rule": generate_rule,
}
in_each_form = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())


@in_each_form
def test_one_that_sets_the_declared_proxy_is_not_mentioned(form: Any) -> None:
    assert findings(kyverno_policies, form(HTTP)) == []


@in_each_form
def test_one_that_sets_another_proxy_is_one_line_that_fails_a_check(form: Any) -> None:
    (found,) = findings(kyverno_policies, form(OLD))

    assert (found.code, found.severity, found.is_stale) == ("PolicyKindNotFilled", Severity.WARNING, True)
    assert "change it there" in found.message
    assert OLD not in found.message
    assert changes(kyverno_policies, form(OLD)) == []


@in_each_form
def test_a_removal_names_what_is_to_be_removed_by_hand(form: Any) -> None:
    (found,) = findings(kyverno_policies, form(OLD), NONE)

    assert found.is_stale
    assert found.message.endswith("remove it there")


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(of_value({"x": 1}), id="a value that is no text"),
        pytest.param(
            gatekeeper("Assign", "spec.containers[name:*].env[name:NO_PROXY].value", fromMetadata={"field": "name"}),
            id="a value from elsewhere",
        ),
        pytest.param(
            {
                "apiVersion": "policies.kyverno.io/v1beta1",
                "kind": "NamespacedGeneratingPolicy",
                "spec": {"generate": [{"expression": '{"data": {"HTTP_PROXY": variables.a + ":1"}}'}]},
            },
            id="a value that CEL computes",
        ),
    ],
)
def test_what_cannot_be_compared_is_one_line_that_fails_no_check(obj: Any) -> None:
    (found,) = findings(kyverno_policies, obj)

    assert (found.code, found.is_stale) == ("PolicyKindNotFilled", False)
    assert "check there" in found.message


def test_a_list_in_another_order_is_the_same() -> None:
    location = "spec.containers[name:*].env[name:no_proxy].value"
    same = ",".join(reversed(NO.split(",")))
    assert findings(kyverno_policies, gatekeeper("Assign", location, value=same)) == []
    assert findings(kyverno_policies, gatekeeper("Assign", location, value=f"{same},more"))


def test_policies_about_something_else_are_not_mentioned() -> None:
    assert findings(kyverno_policies, gatekeeper("Assign", "spec.hostNetwork", value="true")) == []
    assert findings(kyverno_policies, policy({"name": "x", "generate": {"kind": "NetworkPolicy"}})) == []
    assert list(kyverno_policies.TARGET.read(of_value(HTTP), {})) == []
