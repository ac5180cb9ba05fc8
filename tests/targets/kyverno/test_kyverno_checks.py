"""Shapes of Kyverno policies that are dead or do harm: each is a finding with its code, the good ones are silent.

What the engine does with these shapes is recorded in ``tests/kyverno``.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from krm_fn.krm.codes import CODES
from krm_fn.krm.results import Severity
from krm_fn.targets.kyverno import policies
from kyverno_shapes import SIX, findings, p1, p12, pods, policy, rule, settled, smp
from proposals import NONE, apply, env

VALUES = [settled(one) for one in env({"HTTP_PROXY": "http://old:1", "NO_PROXY": "localhost"})]
TEMPLATE = {"spec": {"template": pods(VALUES)}}
JOB_TEMPLATE = {"spec": {"jobTemplate": {"spec": TEMPLATE["spec"]}}}
APPENDING = "- {op: add, path: /spec/containers/0/env/-, value: {name: HTTP_PROXY, value: x}}\n"
OURS = '[{"name": "HTTP_PROXY", "value": "x"}]'


def patched(value: str, path: str = '"/spec/containers/0/env"', source: str = "object.spec.containers") -> str:
    """A CEL expression that patches the `env` of each container."""
    return f'{source}.map(c, JSONPatch{{op: "add", path: {path}, value: {value}}})'


EXPRESSION = patched(f'{OURS} + (has(c.env) ? c.env.filter(e, e.name != "HTTP_PROXY") : [])')
APPENDED = patched('{"name": "HTTP_PROXY", "value": "x"}', '"/spec/containers/" + string(0) + "/env/-"')
ANCHORED = [{"(name)": "a", "env": VALUES}, {"(name)": "b", "env": VALUES}]
NESTED = [{"list": "a", "foreach": [{"list": "[element0]", **smp(pods(VALUES))}]}]
OF_PODS = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}


def body(container: Any, *, containers: str = "containers") -> Any:
    return policy(rule(smp({"spec": {containers: [{"(name)": "*", **container}]}})))


def entry(name_key: str = "name", value_key: str = "value", env_key: str = "env") -> Any:
    return body({env_key: [{name_key: "HTTP_PROXY", value_key: "http://old:1", "valueFrom": None}, *VALUES[1:]]})


def matching(match: Any, **more: Any) -> Any:
    return policy({**rule(smp(pods(VALUES))), "match": match, **more})


def cel(*mutations: Any, kind: str = "MutatingPolicy", resource_rules: Any = (OF_PODS,), **spec: Any) -> Any:
    steps = {"matchConstraints": {"resourceRules": list(resource_rules)}, "mutations": list(mutations), **spec}
    return json.loads(json.dumps({"apiVersion": "policies.kyverno.io/v1", "kind": kind, "spec": steps}))


def json_patch(expression: str = EXPRESSION) -> Any:
    return {"patchType": "JSONPatch", "jsonPatch": {"expression": expression}}


def of_cel(expression: str, **spec: Any) -> Any:
    """A policy without any other mistake."""
    return cel(json_patch(expression), autogen={"podControllers": {"controllers": []}}, **spec)


def apply_configuration(fields: str, name: str = "a") -> Any:
    expression = f'Object{{spec: Object.spec{{containers: [Object.spec.containers{{name: "{name}", {fields}}}]}}}}'
    return {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": expression}}


ENV = 'env: [Object.spec.containers.env{name: "HTTP_PROXY", value: "x"}]'
ENV_FROM = "envFrom: [Object.spec.containers.envFrom{}]"
NO_AUTOGEN = {"podControllers": {"controllers": []}}
ON_UPDATE = {**OF_PODS, "operations": ["CREATE", "UPDATE"]}


def codes(obj: Any) -> list[str]:
    """The codes of this page's subject that a policy gives."""
    others = {"PolicyWithoutNoProxy", "PolicyNotFilled", "PolicyTextComputed"}
    return [found.code for found in findings(policies, obj) if found.code not in others]


@pytest.mark.parametrize(
    ("obj", "code"),
    [
        pytest.param(entry(env_key="=(env)"), "PolicyAnchorLiteral", id="the anchor of a validation at env"),
        pytest.param(
            body({"env": VALUES}, containers="=(initContainers)"),
            "PolicyAnchorLiteral",
            id="the anchor of a validation at init containers",
        ),
        pytest.param(entry(value_key="=(value)"), "PolicyAnchorLiteral", id="the anchor of a validation at a value"),
        pytest.param(entry(env_key="+(env)"), "PolicyEnvSkipped", id="env that is added where there is none"),
        pytest.param(entry("(name)"), "PolicyEntryAnchor", id="a condition beside a value"),
        pytest.param(entry("+(name)"), "PolicyEntryAnchor", id="a name that is added"),
        pytest.param(entry("<(name)"), "PolicyEntryAnchor", id="a global condition"),
        pytest.param(entry("X(name)"), "PolicyEntryAnchor", id="a negation"),
        pytest.param(entry("^(name)"), "PolicyEntryAnchor", id="a condition of a list"),
        pytest.param(
            policy(rule(smp({"spec": {"containers": ANCHORED}}))),
            "PolicyItemsAnchored",
            id="two conditions for the name",
        ),
        pytest.param(
            policy(rule({"patchesJson6902": f"- {{op: add, path: /spec/containers/0/env, value: {OURS}}}\n"})),
            "PolicyEnvReplaced",
            id="a patch that replaces all variables",
        ),
        pytest.param(of_cel(patched(OURS)), "PolicyEnvReplaced", id="the same in CEL"),
        pytest.param(
            of_cel(patched("variables.env"), variables=[{"name": "env", "expression": OURS}]),
            "PolicyEnvReplaced",
            id="the same with a variable",
        ),
        pytest.param(of_cel(APPENDED), "PolicyEnvMissing", id="a patch in CEL that appends to nothing"),
        pytest.param(
            of_cel(patched(f'{OURS} + c.env.filter(e, e.name != "HTTP_PROXY")')),
            "PolicyEnvMissing",
            id="variables in CEL that need not be there",
        ),
        pytest.param(
            of_cel(APPENDED.replace("containers.map", "containers.filter(c, has(c.env)).map")),
            "PolicyEntryRepeated",
            id="a patch in CEL that appends",
        ),
        pytest.param(
            of_cel(patched(f"{OURS} + (has(c.env) ? c.env : [])")),
            "PolicyEntryRepeated",
            id="all variables that are there, in CEL",
        ),
        pytest.param(
            of_cel(patched(f"c.?env.orValue([]) + {OURS}")),
            "PolicyEntryRepeated",
            id="all variables that may be there, in CEL",
        ),
        pytest.param(
            cel(apply_configuration(ENV, "*"), kind="MutatingAdmissionPolicy"),
            "PolicyContainerName",
            id="a container in CEL that nobody has",
        ),
        pytest.param(entry(value_key="+(value)"), "PolicyValueAnchor", id="a value that is added"),
        pytest.param(policy(rule(smp(TEMPLATE))), "PolicyPatchesTemplate", id="a pod patched like a Deployment"),
        pytest.param(policy(rule(smp(JOB_TEMPLATE))), "PolicyPathUnfit", id="a pod patched like a CronJob"),
        pytest.param(
            policy(rule(smp(pods(VALUES)), "apps/v1/Deployment", "CronJob")),
            "PolicyPathUnfit",
            id="controllers patched like a pod",
        ),
        pytest.param(policy(rule(smp(TEMPLATE), "CronJob")), "PolicyPathUnfit", id="a CronJob patched like a Job"),
        pytest.param(
            policy(rule({**smp(pods(VALUES)), "targets": [{"apiVersion": "apps/v1", "kind": "Deployment"}]})),
            "PolicyPathUnfit",
            id="existing Deployments patched like a pod",
        ),
        pytest.param(
            policy(rule(smp({"spec": {"containers": [{"name": "*", "env": VALUES}]}}))),
            "PolicyContainerName",
            id="a container without the anchor",
        ),
        pytest.param(policy(rule({"patchesJson6902": APPENDING})), "PolicyEntryRepeated", id="a patch that appends"),
        pytest.param(
            policy(rule({"foreach": [{"list": "a", "foreach": [{"list": "b", "patchesJson6902": APPENDING}]}]}, "Job")),
            "PolicyEntryRepeated",
            id="a patch that appends in a nested foreach",
        ),
        pytest.param(policy(rule({"foreach": NESTED})), "PolicyNestedForeach", id="a foreach in a foreach on pods"),
        pytest.param(p12(), "PolicyEnvFromReplaced", id="envFrom in a strategic merge"),
        pytest.param(cel(apply_configuration(ENV_FROM)), "PolicyEnvFromReplaced", id="envFrom in CEL"),
        pytest.param(cel(json_patch()), "PolicyAutogenFails", id="a JSON Patch in CEL that Kyverno extends"),
        pytest.param(
            cel(json_patch(), kind="NamespacedMutatingPolicy", autogen={"podControllers": {"controllers": ["jobs"]}}),
            "PolicyAutogenFails",
            id="a JSON Patch in CEL that Kyverno extends to Jobs",
        ),
        pytest.param(
            body({"env": env({"HTTP_PROXY": "http://old:1", "NO_PROXY": "x"})}),
            "PolicyKeepsValueFrom",
            id="a value beside the valueFrom of a pod",
        ),
        pytest.param(matching({"any": [{"resources": {"kinds": ["Pod"]}}]}), "PolicyRunsOnUpdate", id="no operations"),
        pytest.param(
            matching({"resources": {"kinds": ["v1/Pod"], "operations": ["CREATE", "UPDATE"]}}),
            "PolicyRunsOnUpdate",
            id="both operations in the legacy match",
        ),
        pytest.param(
            cel(json_patch(), resource_rules=[ON_UPDATE], autogen=NO_AUTOGEN),
            "PolicyRunsOnUpdate",
            id="both operations in CEL",
        ),
        pytest.param(
            cel(json_patch(), resource_rules=[{**ON_UPDATE, "operations": [["CREATE"], "*"]}], autogen=NO_AUTOGEN),
            "PolicyRunsOnUpdate",
            id="all operations in CEL, beside what is no text",
        ),
        pytest.param(cel(apply_configuration(ENV)), "PolicyKeepsValueFrom", id="entries that CEL merges"),
        pytest.param(
            cel(apply_configuration(ENV), kind="MutatingAdmissionPolicy", resource_rules=[ON_UPDATE]),
            "PolicyRunsOnUpdate",
            id="both operations in a policy of Kubernetes",
        ),
    ],
)
def test_a_shape_that_is_dead_or_harmful_is_a_finding(obj: Any, code: str) -> None:
    assert codes(obj) == [code]
    (found,) = (one for one in findings(policies, obj) if one.code == code)
    assert found.severity is CODES[code]
    assert found.path[:1] == ("spec",)
    if code not in ("PolicyEnvFromReplaced",):
        assert code not in [one.code for one in findings(policies, obj, NONE)]


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(p1(), id="the sample of the Kyverno project"),
        pytest.param(policy(rule(smp(pods(VALUES)), "Pod", "Deployment")), id="pods among other kinds"),
        pytest.param(policy(rule(smp(TEMPLATE), "Pod", "Deployment")), id="Deployments among other kinds"),
        pytest.param(policy(rule(smp(pods(VALUES)), "Rollout")), id="a kind that nobody knows"),
        pytest.param(policy(rule(smp(JOB_TEMPLATE), "batch/v1/CronJob")), id="a CronJob by its own path"),
        pytest.param(
            policy(rule({"patchesJson6902": APPENDING}, preconditions={"all": [{"key": "{{ element.env }}"}]})),
            id="a patch that appends where a precondition asks for env",
        ),
        pytest.param(policy(rule({"patchesJson6902": APPENDING.replace("env/-", "env/0")})), id="a patch that inserts"),
        pytest.param(
            matching({"any": [{"resources": {"kinds": ["Pod"]}}], "all": [{"resources": {"operations": ["CREATE"]}}]}),
            id="operations beside the kinds",
        ),
        pytest.param(
            matching({"resources": {"kinds": ["Pod"]}}, preconditions=[{"key": "{{ request.operation }}"}]),
            id="a precondition about the operation",
        ),
        pytest.param(
            matching({"resources": {"kinds": ["Pod"]}}, exclude={"any": [{"resources": {"operations": ["UPDATE"]}}]}),
            id="updates that are excluded",
        ),
        pytest.param(policy(rule(smp(TEMPLATE), "Deployment"), kind="Policy"), id="Deployments on both operations"),
        pytest.param(
            {
                **policy(rule({"foreach": NESTED})),
                "metadata": {"annotations": {"pod-policies.kyverno.io/autogen-controllers": "none"}},
            },
            id="a nested foreach that Kyverno does not extend",
        ),
        pytest.param(
            matching(
                {"any": [{"resources": {"kinds": ["Pod"], "operations": ["CREATE"], "names": ["a-*"]}}]},
                mutate={"foreach": NESTED},
            ),
            id="a nested foreach for pods by name",
        ),
        pytest.param(cel(json_patch(), autogen=NO_AUTOGEN), id="CEL: autogen is switched off"),
        pytest.param(
            of_cel(patched(f"has(c.env) ? c.env.filter(e, e.name != 'HTTP_PROXY') + {OURS} : {OURS}")),
            id="CEL: a list where there is none",
        ),
        pytest.param(
            of_cel(
                patched(
                    f'c.env.map(e, e.name == "HTTP_PROXY" ? {OURS}[0] : e)', source="x.containers.filter(c, has(c.env))"
                )
            ),
            id="CEL: a value where the entry is there",
        ),
        pytest.param(
            of_cel(
                f'x.map(c, has(c.env) && c.env.exists(e, e.name == "HTTP_PROXY") ? JSONPatch{{path: "/env/0"}} : '
                f'has(c.env) ? JSONPatch{{path: "/env/-", value: {OURS}[0]}} : '
                f'JSONPatch{{path: "/env", value: {OURS}}})'
            ),
            id="CEL: a patch for each case",
        ),
        pytest.param(cel(json_patch(f'object.kind == "Pod" ? {EXPRESSION} : []')), id="CEL: it asks for the kind"),
        pytest.param(
            cel(json_patch(), resource_rules=[OF_PODS, {**OF_PODS, "resources": ["services"]}]),
            id="CEL: two rules, which Kyverno does not extend",
        ),
        pytest.param(cel(json_patch(), kind="MutatingAdmissionPolicy"), id="CEL: Kubernetes extends nothing"),
        pytest.param(
            cel(
                json_patch(),
                resource_rules=[ON_UPDATE],
                autogen=NO_AUTOGEN,
                matchConditions=[{"name": "new", "expression": 'request.operation == "CREATE"'}],
            ),
            id="CEL: a condition about the operation",
        ),
    ],
)
def test_a_shape_that_kyverno_executes_is_none(obj: Any) -> None:
    assert codes(obj) == []


def test_a_container_that_a_policy_adds_still_is_there_after_a_removal() -> None:
    obj = cel(apply_configuration(ENV, "*"), kind="MutatingAdmissionPolicy")
    after = apply(policies, obj, NONE)
    assert "HTTP_PROXY" not in str(after)
    assert "PolicyRuleEmpty" not in [one.code for one in findings(policies, obj, NONE)]


@pytest.mark.parametrize("name", ["+(name)", "<(name)"])
def test_a_list_with_an_anchor_at_a_name_is_not_completed(name: str) -> None:
    assert apply(policies, entry(name), fill="Complete") == apply(policies, entry(name))


@pytest.mark.parametrize("field", ["matchConstraints", "mutations", "autogen", "variables"])
@pytest.mark.parametrize("value", [None, 7, "HTTP_PROXY", [None], {"resourceRules": "pods"}])
def test_a_wrong_type_in_a_policy_with_cel_never_raises(field: str, value: Any) -> None:
    findings(policies, cel(json_patch(), **{field: value}))


def test_each_shape_is_reported_once_for_a_rule() -> None:
    obj = policy(rule(smp(pods(env(dict.fromkeys(SIX, "x")), "=(initContainers)", "containers"))))

    (found,) = (one for one in findings(policies, obj) if one.severity is Severity.WARNING)
    assert found.path[-1] == "=(initContainers)"


def test_a_rule_about_kinds_with_several_paths_gets_each_of_them() -> None:
    obj = policy(rule(smp(pods(VALUES)), "CronJob", "Deployment", "DaemonSet"))
    (found,) = (one for one in findings(policies, obj) if one.code == "PolicyPathUnfit")
    assert found.message.endswith(
        "`spec` is no place of containers in CronJob, DaemonSet, Deployment: "
        "patch `spec.jobTemplate.spec.template.spec` for CronJob "
        "and `spec.template.spec` for DaemonSet, Deployment, in a rule for each"
    )
