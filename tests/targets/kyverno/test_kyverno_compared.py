"""What is compared and not written: equal is silent, different is one line that fails a check."""

from __future__ import annotations

from typing import Any

import pytest

from krm_fn.krm.results import Severity
from krm_fn.settings import ProxySettings
from krm_fn.targets.kyverno import policies
from kyverno_shapes import pods, policy, rule, smp, variable
from proposals import HTTP, NO, NONE, changes, env, findings

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
    assert findings(policies, form(HTTP)) == []


@in_each_form
def test_one_that_sets_another_proxy_is_one_line_that_fails_a_check(form: Any) -> None:
    (found,) = findings(policies, form(OLD))

    assert (found.code, found.severity, found.is_stale) == ("PolicyKindNotFilled", Severity.WARNING, True)
    assert "change it there" in found.message
    assert OLD not in found.message
    assert changes(policies, form(OLD)) == []


@in_each_form
def test_a_removal_names_what_is_to_be_removed_by_hand(form: Any) -> None:
    (found,) = findings(policies, form(OLD), NONE)

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
    (found,) = findings(policies, obj)

    assert (found.code, found.is_stale) == ("PolicyKindNotFilled", False)
    assert "check there" in found.message


def test_a_list_in_another_order_is_the_same() -> None:
    location = "spec.containers[name:*].env[name:no_proxy].value"
    same = ",".join(reversed(NO.split(",")))
    assert findings(policies, gatekeeper("Assign", location, value=same)) == []
    assert findings(policies, gatekeeper("Assign", location, value=f"{same},more"))


def test_policies_about_something_else_are_not_mentioned() -> None:
    assert findings(policies, gatekeeper("Assign", "spec.hostNetwork", value="true")) == []
    assert findings(policies, policy({"name": "x", "generate": {"kind": "NetworkPolicy"}})) == []
    assert list(policies.TARGET.read(of_value(HTTP), {})) == []


def of_context(value: str, *context: Any) -> Any:
    entries = env({"HTTP_PROXY": value, "NO_PROXY": NO})
    return policy(rule(smp(pods(entries)), context=list(context)))


def of_expression(value: str, **variables: str) -> Any:
    entries = f'[{{"name": "HTTP_PROXY", "value": {value}}}, {{"name": "NO_PROXY", "value": "{NO}"}}]'
    expression = f'[JSONPatch{{op: "add", path: "/env", value: {entries}}}]'
    declared = [{"name": name, "expression": text} for name, text in variables.items()]
    return {
        "apiVersion": "policies.kyverno.io/v1",
        "kind": "MutatingPolicy",
        "spec": {"variables": declared, "mutations": [{"jsonPatch": {"expression": expression}}]},
    }


HOST = variable("host", "proxy.corp.example")
COMPARED = [
    pytest.param(of_context("http://{{ host }}:3128", HOST), False, id="joined of a context variable"),
    pytest.param(of_context("http://{{ other }}:3128", HOST), None, id="of a variable that is not there"),
    pytest.param(of_context("http://{{ host }}:80", HOST), True, id="joined of a context variable, another port"),
    pytest.param(
        of_context("{{ url }}", variable("url", "{{ scheme }}://{{host}}:3128"), variable("scheme", "http"), HOST),
        False,
        id="variables of variables",
    ),
    pytest.param(of_context("a{{ a }}", variable("a", "b{{ a }}")), None, id="a variable that refers to itself"),
    pytest.param(of_context("http://$(HOST):3128"), None, id="a variable of the container"),
    pytest.param(
        of_context("http://{{ host }}", {"name": "host", "apiCall": {"urlPath": "/"}}), None, id="an API call"
    ),
    pytest.param(of_expression('"http://proxy.corp" + ".example:3128"'), False, id="CEL: two literals"),
    pytest.param(of_expression('"http://proxy.corp" + ".example:80"'), True, id="CEL: two literals, another port"),
    pytest.param(
        of_expression('variables.scheme + "proxy.corp.example:3128"', scheme="'http' + '://'"),
        False,
        id="CEL: a variable and a literal",
    ),
    pytest.param(of_expression("variables.url", url="'http://' + 'old:1'"), True, id="CEL: a joined variable"),
    pytest.param(of_expression("variables.url", url="params.data.url"), None, id="CEL: parameters"),
    pytest.param(of_expression('"http://" + variables.host', host="object.x"), None, id="CEL: a part of the object"),
    pytest.param(of_expression('"http://a" + '), None, id="CEL: nothing behind a sign"),
]


@pytest.mark.parametrize(("obj", "is_stale"), COMPARED)
def test_a_value_that_a_policy_joins_is_compared_as_far_as_it_says_it(obj: Any, is_stale: bool | None) -> None:
    codes = ("PolicyNotFilled", "PolicyTextComputed")
    found = [one for one in findings(policies, obj) if one.code in codes]
    expected = [] if is_stale is False else [bool(is_stale)]
    assert [one.is_stale for one in found] == expected
    assert changes(policies, obj) == []


@pytest.mark.parametrize(("obj", "is_stale"), COMPARED)
def test_a_value_that_a_policy_joins_is_read_as_far_as_it_says_it(obj: Any, is_stale: bool | None) -> None:
    (seen,) = {one.value for one in policies.TARGET.read(obj, {}) if one.variable == "HTTP_PROXY"}
    assert (seen is None) is (is_stale is None)
    assert (seen == HTTP) is (is_stale is False)


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(
            policy(
                rule(
                    smp(pods(env({"HTTP_PROXY": "{{ url }}", "HTTPS_PROXY": "{{ url }}", "no_proxy": NO}))),
                    context=[variable("url", OLD)],
                )
            ),
            id="one context variable for two proxies",
        ),
        pytest.param(of_context(OLD), id="a setting that Kyverno would replace"),
        pytest.param(
            policy(rule({"patchesJson6902": f'- {{op: add, value: {{name: HTTP_PROXY, value: "{OLD}"}}}}'})),
            id="the same in a JSON patch",
        ),
    ],
)
def test_a_known_value_that_cannot_be_replaced_fails_a_check(obj: Any) -> None:
    settings = ProxySettings("http://{{ x }}:1", "http://{{ y }}:2", NO)
    found = [one for one in findings(policies, obj, settings) if one.code == "PolicyNotFilled"]
    assert found
    assert all(one.is_stale for one in found)
