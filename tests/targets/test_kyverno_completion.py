"""`fill: Complete`: what a policy leaves out is added, twice is once, and a removal takes it out."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kyverno_shapes import SHAPES, SIX, findings, p1, p2, p7, p10, pods, policy, rule, smp, variable

from krm_fn.formats import cel
from krm_fn.krm.results import Severity
from krm_fn.patch import lookup
from krm_fn.settings import ProxySettings
from krm_fn.targets import kyverno_policies
from krm_fn.targets.kyverno import cel_containers
from krm_fn.targets.kyverno.cel_completion import completed
from proposals import FULL, HTTP, NO, NONE, apply, changes, env

WANTED = FULL.variables()
TWO = env({"HTTP_PROXY": "http://old:1", "NO_PROXY": "localhost"})
BODY = ("spec", "rules", "0", "mutate", "patchStrategicMerge", "spec")


def complete(obj: Any, settings: ProxySettings = FULL) -> Any:
    return apply(kyverno_policies, published(obj) if settings is FULL else obj, settings, fill="Complete")


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


def test_a_mutating_policy_on_pods_runs_on_create_only_and_sets_the_six() -> None:
    obj = p10()
    pod_rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": ["pods"]}
    obj["spec"]["matchConstraints"] = {"resourceRules": [pod_rule]}
    result = complete(obj)

    assert result["spec"]["matchConstraints"]["resourceRules"] == [{**pod_rule, "operations": ["CREATE"]}]
    text = result["spec"]["mutations"][0]["jsonPatch"]["expression"]
    assert {one.name: one.literal for one in cel.named_values(text)} == WANTED
    codes = {one.code for one in findings(kyverno_policies, obj, fill="Complete")}
    assert codes == {"PolicyAutogenFails", "PolicyNotCompleted"}  # its path is none of containers


def test_expressions_that_cannot_be_completed_stay_and_are_a_line_for_each_reason() -> None:
    obj = p10()
    obj["spec"]["mutations"][0]["jsonPatch"]["expression"] += " + c.env"
    result = complete(obj)

    assert result["spec"]["mutations"] == apply(kyverno_policies, obj)["spec"]["mutations"]
    found = [one for one in findings(kyverno_policies, obj, fill="Complete") if one.code == "PolicyNotCompleted"]
    assert [one.severity for one in found] == [Severity.INFO] * 2
    of_variables, of_init_containers = (one.message for one in found)
    assert "`http_proxy`" in of_variables
    assert of_init_containers.startswith("init containers are not added")


ENTRY = '{"name": "HTTP_PROXY", "value": "http://old:1"}'
NAMES = '"HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy"'
FOUR = {"HTTP_PROXY": "u", "http_proxy": "u", "NO_PROXY": "l", "no_proxy": "l"}
FILLED = (
    '[{"name": "HTTP_PROXY", "value": "http://old:1"}, {"name": "http_proxy", "value": "http://old:1"}, '
    '{"name": "NO_PROXY", "value": "l"}, {"name": "no_proxy", "value": "l"}]'
)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(f"[{ENTRY}]", FILLED, id="nothing is kept"),
        pytest.param(
            f'[{ENTRY}] + c.env.filter(e, !(e.name in ["HTTP_PROXY"]))',
            f"{FILLED} + c.env.filter(e, !(e.name in [{NAMES}]))",
            id="a list of names",
        ),
        pytest.param(
            f"[{ENTRY}] + c.env.filter(x, x.name != 'HTTP_PROXY')",
            f"{FILLED} + c.env.filter(x, x.name != 'HTTP_PROXY' && x.name != 'http_proxy' && x.name != 'NO_PROXY'"
            " && x.name != 'no_proxy')",
            id="a comparison",
        ),
        pytest.param(
            f'[{ENTRY}] + c.env.filter(e, !(e.name in ["A", "HTTP_PROXY", "no_proxy"]))',
            f'{FILLED} + c.env.filter(e, !(e.name in ["A", "HTTP_PROXY", "no_proxy", "http_proxy", "NO_PROXY"]))',
            id="a list that has more names",
        ),
        pytest.param(f"[{ENTRY}] + c.env", None, id="all that is there is kept"),
        pytest.param(f"[{ENTRY}] + c.?env.orValue([])", None, id="the same where it is there"),
        pytest.param(f'[{ENTRY}] + c["env"]', None, id="the same by an index"),
        pytest.param(f"has(c.env) ? [] : [{ENTRY}]", f"has(c.env) ? [] : {FILLED}", id="only whether it is there"),
        pytest.param(f'[{ENTRY}] + c.env.filter(e, e.name == "A")', None, id="another filter"),
        pytest.param(f'[{ENTRY}] + c.env.filter(e, !(e.name in ["A"]))', None, id="a filter of other names"),
        pytest.param(f'c.env.exists(e, e.name in ["HTTP_PROXY"]) ? [] : [{ENTRY}]', None, id="a condition"),
        pytest.param(f'c.env.filter(e, e.name in ["HTTP_PROXY"]) + [{ENTRY}]', None, id="the opposite of a filter"),
        pytest.param(f'x.filter(e, e.name != "HTTP_PROXY") + [{ENTRY}] + c.env', None, id="a filter of another list"),
        pytest.param(
            f'[{ENTRY}] + c.env.filter(e, e.name != "HTTP_PROXY") + d.env', None, id="one of two lists without a filter"
        ),
        pytest.param(f'[{ENTRY}] + c.env.map(e, e).filter(e, e.name != "HTTP_PROXY")', None, id="a call in between"),
        pytest.param(
            f'[{ENTRY}] + c.env.filter(e, e.name != "HTTP_PROXY" || e.value == "")', None, id="an alternative"
        ),
        pytest.param(
            f'[{ENTRY}] + c.env.filter(e, !(e.name in ["HTTP_PROXY"]) || true)', None, id="an alternative to a list"
        ),
        pytest.param(
            f'[{ENTRY}] + c.env.filter(e, !(e.name in ["HTTP_PROXY"] && x))', None, id="a list under a condition"
        ),
        pytest.param(f'[{ENTRY}] + c.env.filter(e, e.name != "HTTP_PROXY" + x)', None, id="a name that is joined"),
        pytest.param(
            f'[{ENTRY}] + c.env.filter(e, !(e.name in ["HTTP_PROXY"]) && e.value != "")',
            f'{FILLED} + c.env.filter(e, !(e.name in [{NAMES}]) && e.value != "")',
            id="one more condition",
        ),
        *(
            pytest.param(
                f'[{ENTRY}] + {kept}.filter(e, !(e.name in ["HTTP_PROXY"]))',
                f"{FILLED} + {kept}.filter(e, !(e.name in [{NAMES}]))",
                id=f"a filter behind {kept}",
            )
            for kept in ("c.?env.orValue([])", 'c["env"]', 'c[?"env"].orValue([])', "(has(c.env) ? c.env : [])")
        ),
        pytest.param(ENTRY, None, id="an entry that is in no list"),
        pytest.param('[{"name": "HTTP_PROXY", "valueFrom": x}]', None, id="a value from elsewhere"),
        pytest.param('["HTTP_PROXY"]', None, id="names alone"),
    ],
)
def test_an_expression_is_completed_only_where_its_meaning_is_known(before: str, after: str | None) -> None:
    assert completed([before], FOUR, merges=False) == (None if after is None else [after])
    if after is not None:
        assert completed([after], FOUR, merges=False) == [after]


def test_entries_that_the_engine_merges_need_no_filter() -> None:
    text = 'Object.spec.containers{env: [Object.spec.containers.env{name: "HTTP_PROXY", value: "u"}], a: c.env[0]}'
    assert completed([text], FOUR, merges=False) is None
    (after,) = completed([text], FOUR, merges=True) or [""]
    assert [one.name for one in cel.named_values(after)] == [*FOUR]
    assert after.count("Object.spec.containers.env{") == len(FOUR)


def test_the_filter_may_be_in_another_expression() -> None:
    texts = [f"[{ENTRY}]", 'variables.list + c.env.filter(e, !(e.name in ["HTTP_PROXY"]))']
    after = completed(texts, FOUR, merges=False)
    assert after == [FILLED, texts[1].replace('"HTTP_PROXY"', NAMES)]


def test_an_expression_that_hands_on_all_that_is_there_keeps_the_others_as_they_are() -> None:
    assert completed([f"[{ENTRY}] + variables.old", "object.spec.containers[0].env"], FOUR, merges=False) is None


@given(st.text(alphabet="[]{}(),:=!&.+ \"'en\n/", max_size=40), st.sampled_from(["", ENTRY, f"[{ENTRY}]"]))
def test_property_an_expression_is_completed_once_or_not_at_all(text: str, entry: str) -> None:
    after = completed([text + entry], FOUR, merges=True)
    if after is not None:
        assert completed(after, FOUR, merges=True) == after


PATCHED = (
    'object.spec.containers.map(c, JSONPatch{op: "add", path: "/spec/containers/" + '
    'string(object.spec.containers.indexOf(c)) + "/env", value: VALUE})'
)
PATCHED_INIT = (
    '(has(object.spec.initContainers) ? object.spec.initContainers.map(c, JSONPatch{op: "add", '
    'path: "/spec/initContainers/" + string(object.spec.initContainers.indexOf(c)) + "/env", value: VALUE}) : [])'
)
OURS = '[{"name": "HTTP_PROXY", "value": "u"}]'
KEPT = f'{OURS} + (has(c.env) ? c.env.filter(e, e.name != "HTTP_PROXY") : [])'


def with_value(expression: str, value: str = KEPT) -> str:
    return expression.replace("VALUE", value)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(with_value(PATCHED), with_value(PATCHED_INIT), id="a map"),
        pytest.param(
            f"object.kind == 'Pod' ? {with_value(PATCHED)} : []",
            f"object.kind == 'Pod' ? {with_value(PATCHED_INIT)} : []",
            id="under a condition",
        ),
        pytest.param(
            with_value(PATCHED).replace("containers.map", "containers.filter(c, c.name != 'a').map", 1),
            with_value(PATCHED_INIT).replace("initContainers.map", "initContainers.filter(c, c.name != 'a').map", 1),
            id="some containers",
        ),
        pytest.param(
            with_value(PATCHED, "variables.env + c.?env.orValue([]).filter(e, !(e.name in variables.env))"),
            with_value(PATCHED_INIT, "variables.env + c.?env.orValue([]).filter(e, !(e.name in variables.env))"),
            id="a list that is a variable",
        ),
        pytest.param(with_value(PATCHED, OURS), None, id="a list that replaces that of a container"),
        pytest.param(with_value(PATCHED, f'{KEPT} + [{{"name": "MODE", "value": "a"}}]'), None, id="one of others"),
        pytest.param(with_value(PATCHED, f"{OURS} + c.env"), None, id="all that is there is kept"),
        pytest.param(
            with_value(PATCHED).replace("object.spec.containers.map", "[object.spec.containers[0]].map", 1),
            None,
            id="the first container",
        ),
        pytest.param(with_value(PATCHED).replace('"/spec/containers/"', "variables.path"), None, id="a path elsewhere"),
        pytest.param(f"{with_value(PATCHED)} + {with_value(PATCHED)}", None, id="two lists"),
        pytest.param(with_value(PATCHED).replace(".indexOf(c)", " ("), None, id="no expression"),
    ],
)
def test_a_patch_of_containers_is_written_for_init_containers_where_its_meaning_is_known(
    before: str, after: str | None
) -> None:
    assert cel_containers.of_patch(before, {"env": OURS}) == after


CONFIGURATION = (
    "Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, "
    'env: [Object.spec.containers.env{name: "HTTP_PROXY", value: "u"}]})MORE}}'
)
CONFIGURED = CONFIGURATION.replace("MORE", "")
INIT_CONTAINERS = (
    ", ?initContainers: has(object.spec.initContainers) ? optional.of(object.spec.initContainers.map(c, "
    'Object.spec.initContainers{name: c.name, env: [Object.spec.initContainers.env{name: "HTTP_PROXY", value: "u"}]}'
    ")) : optional.none()"
)


@pytest.mark.parametrize(
    ("before", "is_known"),
    [
        pytest.param(CONFIGURED, True, id="a map"),
        pytest.param(CONFIGURATION.replace("MORE", ", hostNetwork: true"), True, id="something beside it"),
        pytest.param(CONFIGURATION.replace("MORE", ", initContainers: []"), False, id="init containers beside it"),
        pytest.param(CONFIGURED.replace("c.name", '"a"'), False, id="a name that need not be there"),
        pytest.param(CONFIGURED.replace("name: c.name", 'name: c.name, image: "a"'), False, id="more than env"),
        pytest.param('Object{spec: Object.spec{containers: [Object.spec.containers{name: "a"}]}}', False, id="a list"),
    ],
)
def test_an_applied_configuration_gets_init_containers_where_its_meaning_is_known(before: str, is_known: bool) -> None:
    after = cel_containers.of_configuration(before)
    assert (after is not None) is is_known
    if after is not None:
        assert after != before
        assert after.replace(INIT_CONTAINERS, "") == before


def by_cel(*expressions: str) -> Any:
    mutations = [
        {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": one}}
        if one.startswith("Object{")
        else {"patchType": "JSONPatch", "jsonPatch": {"expression": one}}
        for one in expressions
    ]
    return {"apiVersion": "policies.kyverno.io/v1", "kind": "MutatingPolicy", "spec": {"mutations": mutations}}


FORMS = pytest.mark.parametrize(
    "obj",
    [
        pytest.param(by_cel(with_value(PATCHED)), id="a JSON Patch"),
        pytest.param(by_cel(CONFIGURED), id="an applied configuration"),
        pytest.param(by_cel(with_value(PATCHED), CONFIGURED, with_value(PATCHED).replace("spec", "xy")), id="several"),
    ],
)


@FORMS
def test_init_containers_get_the_six_where_expressions_set_containers_only(obj: Any) -> None:
    texts = [str(one) for one in complete(obj)["spec"]["mutations"]]
    assert sum("initContainers" in one for one in texts) == len(obj["spec"]["mutations"])
    for one in texts:
        assert set(SIX) <= set(one.replace('"', " ").split())
    assert not [one for one in findings(kyverno_policies, obj, fill="Complete") if one.code == "PolicyNotCompleted"]


@FORMS
def test_a_removal_after_a_completion_gives_what_it_gives_without_one(obj: Any) -> None:
    alone = apply(kyverno_policies, obj, NONE, fill="Complete")
    assert apply(kyverno_policies, complete(obj), NONE, fill="Complete") == alone
    assert "initContainers" not in str(alone)
    assert apply(kyverno_policies, obj, NONE) == alone


def test_a_policy_that_has_init_containers_gets_no_other_ones() -> None:
    stale = with_value(PATCHED_INIT, KEPT.replace('"u"', '"http://old:1"'))
    assert len(complete(by_cel(with_value(PATCHED), stale))["spec"]["mutations"]) == 2


def test_init_containers_of_the_author_that_do_something_else_stay_after_a_removal() -> None:
    more = KEPT.replace('e.name != "HTTP_PROXY"', 'e.name != "HTTP_PROXY" && e.name != "A"')
    obj = by_cel(with_value(PATCHED, more), with_value(PATCHED_INIT, more))
    after = apply(kyverno_policies, obj, NONE, fill="Complete")
    assert len(after["spec"]["mutations"]) == 2


def test_containers_by_name_get_the_variables_and_one_line_about_their_init_containers() -> None:
    obj = p7()
    result = complete(obj)

    (container,) = result["spec"]["rules"][0]["mutate"]["foreach"][0]["patchStrategicMerge"]["spec"]["containers"]
    assert {one["name"] for one in container["env"]} == set(SIX)
    assert [one.code for one in findings(kyverno_policies, obj, fill="Complete")] == ["PolicyNotCompleted"]


def test_what_is_completed_needs_no_warning_about_it() -> None:
    obj = policy(rule(smp(pods(TWO[:1]))))
    obj["spec"]["rules"][0]["match"] = {"any": [{"resources": {"kinds": ["Pod"]}}]}

    expected = {"PolicyWithoutNoProxy", "PolicyRunsOnUpdate", "PolicyKeepsValueFrom"}
    assert {one.code for one in findings(kyverno_policies, published(obj))} == expected
    assert findings(kyverno_policies, obj, fill="Complete") == []


def test_a_removal_takes_out_the_init_containers_and_says_that_the_operations_stay() -> None:
    completed = complete(p1())
    result = complete(completed, NONE)

    assert result == apply(kyverno_policies, p1(), NONE)
    codes = [one.code for one in findings(kyverno_policies, completed, NONE, fill="Complete")]
    assert codes == ["PolicyCompletionStays", "PolicyRuleEmpty"]


def test_a_removal_leaves_init_containers_that_do_something_else() -> None:
    body = pods([*TWO, *env({"OTHER": "1"})], "containers", "initContainers")
    result = complete(policy(rule(smp(body))), NONE)

    assert spec_of(result)["initContainers"] == [{"(name)": "*", "env": env({"OTHER": "1"})}]


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_values_after_complete_keep_what_was_added(shape: str) -> None:
    completed = complete(SHAPES[shape]())

    assert changes(kyverno_policies, completed) == []
    changed = complete(completed, ProxySettings("http://new:1", "http://new:2", "x"))
    assert complete(changed) == completed


def test_a_variable_without_a_setting_is_not_added() -> None:
    (container,) = spec_of(complete(p2(), ProxySettings(http_proxy=HTTP, no_proxy=NO)))["containers"]
    assert {one["name"] for one in container["env"]} == set(SIX)
    (container,) = spec_of(complete(policy(rule(smp(pods(TWO)))), ProxySettings(HTTP, "", NO)))["containers"]
    assert {one["name"] for one in container["env"]} == {"HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy"}
