"""What the targets of workloads and policies see: the value that a program in the container gets."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.places.reading import Reading
from krm_fn.noproxy import Audience
from krm_fn.settings import ProxySettings
from krm_fn.targets.kyverno import policies
cert_manager = __import__("types").SimpleNamespace(TARGET=__import__("krm_fn.targets").targets.TARGETS["certManager"])
chart_operator = __import__("types").SimpleNamespace(TARGET=__import__("krm_fn.targets").targets.TARGETS["chartOperator"])
from kyverno_shapes import SHAPES, SIX, UPPER, p2, p9, p9_foreach, p10, p12, pods, policy, rule, smp, variable
from proposals import FULL, NO, apply, env, proxy_settings

VALUES = st.text(st.characters(min_codepoint=32, max_codepoint=0x2FF))
STATIC = st.text(st.characters(min_codepoint=32, max_codepoint=0x2FF, exclude_characters="{("))
SECRET = {"secretKeyRef": {"name": "s", "key": "k"}}
CONFIG = {"configMapKeyRef": {"name": "c", "key": "k"}}


def workload(app: str, **lists: list[Any]) -> dict[str, Any]:
    labels = {"app": app, "app.kubernetes.io/component": "controller"}
    pod = {"metadata": {"labels": labels}, "spec": lists}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "x"}, "spec": {"template": pod}}


def observed(target: Any, obj: dict[str, Any]) -> list[Reading]:
    """What ``target`` sees in ``obj``, which it must leave as it is."""
    before = copy.deepcopy(obj)
    seen = list(getattr(target, "TARGET", target).read(obj, {}))
    assert obj == before
    assert all((one.value is None) == bool(one.why_unknown) for one in seen)
    return seen


def in_env(*entries: Any) -> list[Reading]:
    containers = [{"name": "cert-manager-controller", "env": list(entries)}]
    return observed(cert_manager, workload("cert-manager", containers=containers))


def in_rule(*entries: Any, **more: Any) -> list[Reading]:
    return observed(policies, policy(rule(smp(pods(list(entries))), **more)))


def values(seen: list[Reading]) -> dict[str, str | None]:
    return {one.variable: one.value for one in seen}


@pytest.mark.parametrize(
    "target",
    [module.TARGET for module in (cert_manager, chart_operator, policies)],
    ids=lambda target: target.id,
)
@pytest.mark.parametrize(
    "obj",
    [
        pytest.param({}, id="nothing"),
        pytest.param({"kind": ["ClusterPolicy"], "metadata": 7, "spec": "x"}, id="wrong types"),
        pytest.param(workload("other", containers=[{"name": "other", "env": env({"NO_PROXY": "x"})}]), id="another"),
        pytest.param(
            workload("cert-manager", containers=[{"name": "sidecar", "env": env({"NO_PROXY": "x"})}]), id="a sidecar"
        ),
        pytest.param(
            workload("cert-manager", containers=[{"name": "cert-manager", "env": "NO_PROXY=x"}]), id="no list"
        ),
        pytest.param(workload("chart-operator", containers="chart-operator"), id="no containers"),
        pytest.param(policy("x", {"mutate": 7}, {"mutate": "NO_PROXY"}), id="rules that are none"),
        pytest.param(p12(), id="a policy that takes a ConfigMap as it is"),
        pytest.param(policy(rule(smp(pods([{"name": "NO_PROXY", "$patch": "delete"}])))), id="a deletion"),
        pytest.param(policy(rule(smp(pods(env({"NO_PROXY": "x"}))), name="autogen-x")), id="a rule that Kyverno made"),
    ],
)
def test_where_nothing_is_set_nothing_is_seen(target: Any, obj: dict[str, Any]) -> None:
    assert observed(target, obj) == []


@given(st.builds(proxy_settings, VALUES, VALUES, VALUES))
def test_property_what_is_written_to_containers_is_read_back(proxy: ProxySettings) -> None:
    cert = workload("cert-manager", containers=[{"name": "cert-manager-webhook"}, {"name": "x"}])
    chart = workload(
        "chart-operator", containers=[{"name": "chart-operator"}], initContainers=[{"name": "wait-for-quay"}]
    )
    seen = observed(chart_operator, apply(chart_operator, chart, proxy))
    assert values(observed(cert_manager, apply(cert_manager, cert, proxy))) == proxy.variables()
    assert len(seen) == 2 * len(proxy.variables())
    assert values(seen) == proxy.variables()


@given(st.builds(proxy_settings, STATIC, STATIC, STATIC))
def test_property_what_is_written_to_policies_is_read_back(proxy: ProxySettings) -> None:
    before = policy(rule(smp(pods(env(dict.fromkeys(SIX, "old"))))))
    seen = observed(policies, apply(policies, before, proxy))
    assert values(seen) == ({**dict.fromkeys(SIX, ""), **proxy.variables()} if proxy.variables() else {})


def test_all_of_them_are_read_in_pods() -> None:
    assert {target.TARGET.audience for target in (cert_manager, chart_operator)} == {Audience.GO}
    assert policies.TARGET.audience is Audience.POD


@pytest.mark.parametrize(
    ("entry", "value", "why"),
    [
        pytest.param({"value": "a$$b$c$$(d)"}, "a$b$c$(d)", "", id="dollars undone"),
        pytest.param({"value": "$(open"}, "$(open", "", id="a parenthesis that stays open"),
        pytest.param({"value": "x,$(HOST_IP)"}, None, "it refers to another variable", id="a reference"),
        pytest.param({}, "", "", id="without a value"),
        pytest.param({"value": None}, "", "", id="null"),
        pytest.param({"value": 7}, None, "its `value` must be a string", id="a number"),
        pytest.param({"valueFrom": SECRET}, None, 'it comes from the key "k" of the Secret "s"', id="a Secret"),
        pytest.param({"valueFrom": CONFIG}, None, 'it comes from the key "k" of the ConfigMap "c"', id="a ConfigMap"),
        pytest.param({"valueFrom": 7}, None, "it comes from a `valueFrom`", id="a source of a wrong type"),
    ],
)
def test_an_entry_is_read_as_kubernetes_reads_it(entry: dict[str, Any], value: str | None, why: str) -> None:
    (seen,) = in_env(None, {"name": "DEBUG"}, {"name": "NO_PROXY", **entry})
    assert (seen.variable, seen.value, seen.why_unknown) == ("NO_PROXY", value, why)
    assert seen.path[:8] == ("spec", "template", "spec", "containers", "0", "env", "2", *seen.path[7:])
    assert seen.place == 'container "cert-manager-controller"'


def test_of_a_repeated_name_the_last_entry_counts() -> None:
    (seen,) = in_env(*env({"NO_PROXY": "a"}), *env({"NO_PROXY": "b"}))
    assert (seen.value, seen.path[-2:]) == ("b", ("1", "value"))


def test_an_init_container_is_a_place_of_its_own() -> None:
    lists = {"containers": "chart-operator", "initContainers": "wait-for-quay"}
    both = {field: [{"name": name, "env": env({"NO_PROXY": field})}] for field, name in lists.items()}
    assert [(seen.place, seen.value) for seen in observed(chart_operator, workload("chart-operator", **both))] == [
        ('init container "wait-for-quay"', "initContainers"),
        ('container "chart-operator"', "containers"),
    ]


@pytest.mark.parametrize(
    ("entry", "value", "known", "why"),
    [
        pytest.param({"value": "a$$b"}, "a$b", "", "", id="static"),
        pytest.param({}, "", "", "", id="without a value"),
        pytest.param({"value": "a, {{ x }},b"}, None, "a,b", "a part of it is computed", id="computed in part"),
        pytest.param({"value": ",{{ x }}"}, None, "", "a part of it is computed", id="computed but for a comma"),
        pytest.param({"value": "{{ list }}"}, "a,b", "", "", id="a context variable"),
        pytest.param(
            {"value": "{{ half }}"}, None, "a,b$", "a part of it is computed", id="a variable computed in part"
        ),
        pytest.param(
            {"value": "{{ odd }}"}, None, "", "it comes from the context variable", id="a variable that is no text"
        ),
        pytest.param({"value": "{{ nowhere }}"}, None, "", '"nowhere" is no context variable', id="no variable"),
        pytest.param({"value": ["a"]}, None, "", "its `value` must be a text", id="a list"),
        pytest.param({"valueFrom": SECRET}, None, "", "it comes from a `valueFrom`", id="a Secret"),
    ],
)
def test_an_entry_of_a_policy_is_followed_to_its_text(
    entry: dict[str, Any], value: str | None, known: str, why: str
) -> None:
    context = [variable("list", "a,b"), variable("half", "a,{{ x.y }},b$$"), variable("odd", ["a"])]
    (seen,) = in_rule({"name": "NO_PROXY", **entry}, context=context)
    assert (seen.value, seen.known) == (value, known)
    assert seen.why_unknown.startswith(why)
    assert seen.place == '`spec.containers[0]` of rule "add-proxies"'


def test_a_url_that_is_computed_in_part_has_no_known_part() -> None:
    (seen,) = in_rule({"name": "HTTP_PROXY", "value": "http://a:1,{{ port }}"})
    assert (seen.value, seen.known) == (None, "")


def test_the_path_leads_to_the_text_that_decides() -> None:
    obj = p2()
    paths = {seen.variable: seen.path for seen in observed(policies, obj)}
    at = len(obj["spec"]["rules"][0]["context"]) - 1
    assert paths["NO_PROXY"] == ("spec", "rules", "0", "context", str(at), "variable", "value")
    assert paths["HTTP_PROXY"][-4:] == ("0", "env", "0", "value")


def test_a_filled_policy_of_the_document_says_what_was_wanted_as_far_as_it_is_known() -> None:
    seen = observed(policies, apply(policies, p2()))
    assert {one.variable: one.value for one in seen} == {**FULL.variables(), "NO_PROXY": None, "no_proxy": None}
    assert {one.known for one in seen if one.value is None} == {NO}
    assert len({one.place for one in seen}) == 3


@pytest.mark.parametrize(
    ("obj", "path", "value"),
    [
        (p9(), ("spec", "rules", "0", "mutate", "patchesJson6902"), "proxy.corp.com"),
        (p9_foreach(), ("spec", "rules", "0", "mutate", "foreach", "0", "patchesJson6902"), "proxy.corp.com"),
        (p10(), ("spec", "mutations", "0", "jsonPatch", "expression"), "http://proxy:8080"),
    ],
)
def test_what_other_texts_set_is_read(obj: dict[str, Any], path: tuple[str, ...], value: str) -> None:
    (seen,) = observed(policies, obj)
    assert (seen.variable, seen.value, seen.path) == ("HTTP_PROXY", value, path)
    assert "HTTP_PROXY" in seen.raw


@pytest.mark.parametrize("name", sorted(set(SHAPES) - {"P9", "P12"}))
def test_what_is_filled_in_any_shape_agrees_with_the_settings(name: str) -> None:
    seen = observed(policies, apply(policies, SHAPES[name]()))
    assert {one.variable for one in seen} >= set(UPPER)
    assert all((one.known if one.value is None else one.value) == FULL.variables()[one.variable] for one in seen)
