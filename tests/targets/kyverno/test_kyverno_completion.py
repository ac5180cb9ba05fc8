"""`fill: Complete`: what a policy leaves out is added, twice is once, and a removal takes it out."""

from __future__ import annotations

from typing import Any

import pytest

from krm_fn.krm.results import Severity
from krm_fn.patch import lookup
from krm_fn.settings import ProxySettings
from krm_fn.targets.kyverno import policies
from kyverno_shapes import SHAPES, SIX, findings, p1, p2, p7, p10, pods, policy, rule, smp, variable
from proposals import FULL, HTTP, NO, NONE, apply, changes, env

WANTED = FULL.variables()
TWO = env({"HTTP_PROXY": "http://old:1", "NO_PROXY": "localhost"})
BODY = ("spec", "rules", "0", "mutate", "patchStrategicMerge", "spec")


def complete(obj: Any, settings: ProxySettings = FULL) -> Any:
    return apply(policies, published(obj) if settings is FULL else obj, settings, fill="Complete")


def published(data: Any) -> Any:
    """The policy as it is found in public: without `valueFrom: null`."""
    if isinstance(data, list):
        return [published(one) for one in data]
    if isinstance(data, dict):
        return {key: published(one) for key, one in data.items() if (key, one) != ("valueFrom", None)}
    return data


def spec_of(obj: Any) -> Any:
    return lookup(obj, BODY)


def test_every_container_and_init_container_gets_the_six_without_a_value_from() -> None:
    spec = spec_of(complete(p1()))

    (container,), (init,) = spec["containers"], spec["initContainers"]
    assert {one["name"]: one["value"] for one in container["env"]} == WANTED
    assert all(one["valueFrom"] is None for one in container["env"])
    assert init == {"(name)": "*", "env": container["env"]}
    assert set(spec) == {"initContainers", "containers"}


def test_entries_that_are_there_keep_their_order_and_what_is_added_follows_them() -> None:
    entries = [*env({"FIRST": "1"}), *TWO, *env({"LAST": "2"})]
    (container,) = spec_of(complete(policy(rule(smp(pods(entries))))))["containers"]

    names = [one["name"] for one in container["env"]]
    assert names == [
        "FIRST",
        "HTTP_PROXY",
        "NO_PROXY",
        *sorted(set(SIX) - {"HTTP_PROXY", "NO_PROXY"}, key=SIX.index),
        "LAST",
    ]
    assert "valueFrom" not in container["env"][0]


def test_a_variable_takes_what_kyverno_computes_for_it_in_the_other_case() -> None:
    entries = [{"name": "NO_PROXY", "value": "{{ list }}"}, *env({"HTTP_PROXY": "http://old:1"})]
    obj = policy(rule(smp(pods(entries)), context=[variable("list", "a,{{ b }}")]))
    (container,) = spec_of(complete(obj))["containers"]

    values = {one["name"]: one["value"] for one in container["env"]}
    assert values["no_proxy"] == values["NO_PROXY"] == "{{ list }}"
    assert values["http_proxy"] == HTTP


def test_a_variable_from_elsewhere_gets_no_contradiction_in_the_other_case() -> None:
    entry = {"name": "HTTP_PROXY", "valueFrom": {"secretKeyRef": {"name": "proxy", "key": "http"}}}
    (container,) = spec_of(complete(policy(rule(smp(pods([entry, *TWO[1:]]))))))["containers"]

    assert entry in container["env"]
    assert "http_proxy" not in [one["name"] for one in container["env"]]


def test_init_containers_of_the_author_are_completed_and_no_other_ones_are_added() -> None:
    body = pods(TWO)
    body["spec"]["+(initContainers)"] = [{"(name)": "setup", "env": TWO[:1]}]
    spec = spec_of(complete(policy(rule(smp(body)))))

    assert set(spec) == {"containers", "+(initContainers)"}
    assert {one["name"] for one in spec["+(initContainers)"][0]["env"]} == set(SIX)


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        pytest.param({"kinds": ["Pod"]}, ["CREATE"], id="no operations"),
        pytest.param({"kinds": ["Pod"], "operations": ["CREATE", "UPDATE"]}, ["CREATE"], id="both operations"),
        pytest.param({"kinds": ["Pod"], "operations": ["CREATE"]}, ["CREATE"], id="CREATE already"),
        pytest.param({"kinds": ["apps/v1/Deployment"]}, None, id="Deployments may change on UPDATE"),
    ],
)
@pytest.mark.parametrize("style", ["any", "all", "match"])
def test_a_rule_on_pods_runs_on_create_only(resources: Any, expected: Any, style: str) -> None:
    obj = policy(rule(smp(pods(TWO))))
    block = {"resources": resources}
    obj["spec"]["rules"][0]["match"] = block if style == "match" else {style: [block]}
    match = complete(obj)["spec"]["rules"][0]["match"]

    (after,) = [match] if style == "match" else match[style]
    assert after["resources"].get("operations") == expected


def test_a_precondition_about_the_operation_is_left_to_its_author() -> None:
    fields = rule(smp(pods(TWO)), preconditions=[{"key": "{{ request.operation }}"}])
    match = {"any": [{"resources": {"kinds": ["Pod"]}}]}

    assert complete(policy({**fields, "match": match}))["spec"]["rules"][0]["match"] == match


def test_expressions_get_their_values_and_nothing_else_and_one_line_names_generate() -> None:
    obj = p10()
    pod_rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": ["pods"]}
    obj["spec"]["matchConstraints"] = {"resourceRules": [pod_rule]}

    assert complete(obj) == apply(policies, obj)
    (found,) = (one for one in findings(policies, obj, fill="Complete") if one.code == "PolicyNotCompleted")
    assert found.severity is Severity.INFO
    assert "`generate: MutatingPolicy`" in found.message


def test_expressions_that_set_the_six_in_init_containers_too_need_no_line_about_it() -> None:
    obj = p10()
    entries = ", ".join(f'{{"name": "{name}", "value": "x"}}' for name in SIX)
    expression = f"object.spec.initContainers.map(c, JSONPatch{{value: [{entries}] + c.env}})"
    obj["spec"]["mutations"][0]["jsonPatch"]["expression"] = expression
    assert "PolicyNotCompleted" not in [one.code for one in findings(policies, obj, fill="Complete")]


def test_containers_by_name_get_the_variables_and_one_line_about_their_init_containers() -> None:
    obj = p7()
    result = complete(obj)

    (container,) = result["spec"]["rules"][0]["mutate"]["foreach"][0]["patchStrategicMerge"]["spec"]["containers"]
    assert {one["name"] for one in container["env"]} == set(SIX)
    assert [one.code for one in findings(policies, obj, fill="Complete")] == ["PolicyNotCompleted"]


def test_a_foreach_through_containers_gives_init_containers_nothing_and_claims_nothing() -> None:
    patch = smp({"spec": {"containers": [{"(name)": "{{ element.name }}", "env": TWO}]}})
    obj = policy(rule({"foreach": [{"list": "request.object.spec.containers", **patch}]}))
    spec = complete(obj)["spec"]["rules"][0]["mutate"]["foreach"][0]["patchStrategicMerge"]["spec"]

    assert set(spec) == {"containers"}
    assert {one["name"] for one in spec["containers"][0]["env"]} == set(SIX)
    (found,) = (one for one in findings(policies, obj, fill="Complete") if one.code == "PolicyNotCompleted")
    assert "init containers are not added" in found.message


def test_what_is_completed_needs_no_warning_about_it() -> None:
    obj = policy(rule(smp(pods(TWO[:1]))))
    obj["spec"]["rules"][0]["match"] = {"any": [{"resources": {"kinds": ["Pod"]}}]}

    expected = {"PolicyWithoutNoProxy", "PolicyRunsOnUpdate", "PolicyKeepsValueFrom"}
    assert {one.code for one in findings(policies, published(obj))} == expected
    assert findings(policies, obj, fill="Complete") == []


def test_a_removal_takes_out_the_init_containers_and_says_that_the_operations_stay() -> None:
    completed = complete(p1())
    result = complete(completed, NONE)

    assert result == apply(policies, p1(), NONE)
    codes = [one.code for one in findings(policies, completed, NONE, fill="Complete")]
    assert codes == ["PolicyCompletionStays", "PolicyRuleEmpty"]


def test_a_removal_leaves_init_containers_that_do_something_else() -> None:
    body = pods([*TWO, *env({"OTHER": "1"})], "containers", "initContainers")
    result = complete(policy(rule(smp(body))), NONE)

    assert spec_of(result)["initContainers"] == [{"(name)": "*", "env": env({"OTHER": "1"})}]


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_values_after_complete_keep_what_was_added(shape: str) -> None:
    completed = complete(SHAPES[shape]())

    assert changes(policies, completed) == []
    changed = complete(completed, ProxySettings("http://new:1", "http://new:2", "x"))
    assert complete(changed) == completed


def test_a_variable_without_a_setting_is_not_added() -> None:
    (container,) = spec_of(complete(p2(), ProxySettings(http_proxy=HTTP, no_proxy=NO)))["containers"]
    assert {one["name"] for one in container["env"]} == set(SIX)
    (container,) = spec_of(complete(policy(rule(smp(pods(TWO)))), ProxySettings(HTTP, "", NO)))["containers"]
    assert {one["name"] for one in container["env"]} == {"HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy"}
