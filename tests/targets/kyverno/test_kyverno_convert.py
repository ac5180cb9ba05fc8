"""The conversion of a ClusterPolicy or Policy: what is refused, and what stays.

What Kyverno does with converted policies is recorded in ``tests/kyverno/converted``.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from krm_fn.krm.results import Severity
from krm_fn.patch import Pointer, lookup
from krm_fn.targets import Context
from krm_fn.targets.kyverno import policies
from krm_fn.targets.kyverno.convert_match import matches
from kyverno_shapes import SHAPES, SIX, p1, p2, p3, p13, pods, policy, rule, smp, variable
from proposals import FULL, HTTP, NO, NONE, apply, changes, env, findings
from support import ROOT
from test_overrides_of_rules import MAIN, SECOND, items, ran
from test_overrides_of_rules import policy as named
from test_overrides_of_rules import rule as with_proxy

CONVERT = {"convert": "MutatingPolicy"}
TWO = env({"HTTP_PROXY": "http://old:1", "NO_PROXY": "localhost"})
CONVERTIBLE = ("P1", "P5", "P7", "P9")
WITHOUT_PROXY = ("P12",)
ANNOTATION = "pod-policies.kyverno.io/autogen-controllers"


def converted(obj: Any) -> Any:
    return apply(policies, obj, **CONVERT)


def refusals(obj: Any) -> list[str]:
    """What keeps a policy from being converted; then nothing but its values may change."""
    found = [one for one in findings(policies, obj, **CONVERT) if one.code == "PolicyNotConverted"]
    assert not found or converted(obj) == apply(policies, obj)
    return [one.message for one in found]


def body(container: Any, **spec: Any) -> Any:
    return smp({"spec": {"containers": [{"(name)": "*", "env": TWO, **container}], **spec}})


def matching(match: Any, **more: Any) -> Any:
    return policy({**rule(smp(pods(TWO))), "match": match, **more})


def block(**resources: Any) -> Any:
    return {"any": [{"resources": {"kinds": ["Pod"], **resources}}]}


def with_spec(**spec: Any) -> Any:
    obj = policy(rule(smp(pods(TWO))))
    obj["spec"] |= spec
    return obj


def pre(key: str, operator: str = "Equals", value: Any = "web") -> Any:
    condition = {"key": key, "operator": operator, "value": value}
    return matching(block(), preconditions={"all": [condition]})


def patching(text: str) -> Any:
    return policy(rule({"patchesJson6902": text}))


def json_patch(path: str, op: str = "add", value: str = "{name: HTTP_PROXY, value: x}") -> Any:
    return patching(f"- {{op: {op}, path: '{path}', value: {value}}}\n")


def each(**entry: Any) -> Any:
    return policy(rule({"foreach": [{"list": "request.object.spec.containers", **entry}]}))


ELEMENT = smp({"spec": {"containers": [{"name": "{{ element.name }}", "env": TWO}]}})


@pytest.mark.parametrize(
    ("obj", "reason"),
    [
        pytest.param(policy(rule(body({}, volumes=[]))), "it patches `volumes`, not only `env`", id="volumes"),
        pytest.param(policy(rule(body({"volumeMounts": []}))), "it patches `volumeMounts` of", id="volume mounts"),
        pytest.param(policy(rule(body({"envFrom": []}))), "it patches `envFrom` of containers", id="envFrom"),
        pytest.param(policy(rule(smp(pods(TWO, "ephemeralContainers")))), "`ephemeralContainers`", id="ephemeral"),
        pytest.param(p13(), "Kyverno adds a container", id="a name without the anchor"),
        pytest.param(policy(rule(body({"(name)": ">3"}))), "a pattern of an unknown form", id="a pattern of numbers"),
        pytest.param(p2(), "its `context` reads a ConfigMap", id="a context that reads a ConfigMap"),
        pytest.param(
            policy(rule(smp(pods(TWO)), context=[{"name": "a", "apiCall": {}}])), "reads an API call", id="an API call"
        ),
        pytest.param(
            policy(rule(smp(pods(env({"HTTP_PROXY": "x", "A": "{{ request.namespace }}"}))))),
            "`A` is not known here",
            id="a value that Kyverno computes",
        ),
        pytest.param(
            policy(rule(smp(pods(env({"HTTP_PROXY": "x", "A": "$(B)"}))))), "Kyverno computes `A`", id="a reference"
        ),
        pytest.param(
            policy(rule(smp(pods([*TWO, {"name": "A", "valueFrom": {"fieldRef": {}}}])))),
            "an entry of `env` has `valueFrom`",
            id="a valueFrom",
        ),
        pytest.param(
            policy(rule({**smp(pods(TWO)), "targets": [{}]})), "`targets` has no equivalent", id="existing objects"
        ),
        pytest.param(policy(rule(smp(pods(TWO)), "ConfigMap")), "one that is no pod", id="another kind"),
        pytest.param(policy(rule(smp(pods(TWO)), "Deployment")), "Kyverno skips its patch", id="a path of pods"),
        pytest.param(matching({"any": [{"resources": {"names": ["a"]}}]}), "without `kinds`", id="no kinds"),
        pytest.param(
            matching({"any": [{"resources": {"kinds": ["Pod"]}, "subjects": [{"kind": "User"}]}]}),
            "`subjects` asks who makes the request",
            id="subjects",
        ),
        pytest.param(
            matching(block(), exclude={"any": [{"clusterRoles": ["admin"]}]}),
            "`clusterRoles` asks who makes the request",
            id="roles in exclude",
        ),
        pytest.param(matching(block(operations=["DELETE"])), "another one than CREATE", id="another operation"),
        pytest.param(matching(block(annotations={"a/*": "b"})), "a key has a wildcard", id="a wildcard in a key"),
        pytest.param(
            matching(block(selector={"matchLabels": {"a": "b*"}})),
            "selector has a wildcard",
            id="a wildcard in a label",
        ),
        pytest.param(
            matching(block(), exclude={"any": [{"resources": {"selector": {"matchLabels": {}}}}]}),
            "`selector` asks for nothing",
            id="a selector that asks for nothing",
        ),
        pytest.param(
            matching(block(), exclude={"any": [{"resources": {"kinds": ["Pod"]}}, {"resources": {"kinds": ["Job"]}}]}),
            "to which Kyverno adds other kinds",
            id="an exclude that names a derived kind",
        ),
        pytest.param(pre("{{ request.userInfo.username }}"), "asks for something else", id="who makes the request"),
        pytest.param(pre("{{ images.containers.web.tag }}"), "asks for something else", id="an image"),
        pytest.param(pre("{{ request.object.metadata.labels.a }}"), "write `|| ''`", id="a label that may be missing"),
        pytest.param(pre("{{ request.operation }}", "GreaterThan"), "an operator or values", id="another operator"),
        pytest.param(pre("{{ request.operation }}", value=3), "something else than words", id="a number"),
        pytest.param(pre("{{ request.operation }}", value="1h"), "something else than words", id="a duration"),
        pytest.param(each(**ELEMENT, preconditions={}), "`preconditions` has no", id="conditions in foreach"),
        pytest.param(each(foreach=[{"list": "[element0]", **ELEMENT}]), "`foreach` has no", id="nested foreach"),
        pytest.param(each(**ELEMENT, list="request.object.spec.volumes"), "no list of containers", id="another list"),
        pytest.param(
            each(**ELEMENT, list="request.object.spec.initContainers"), "on objects without `initContainers`", id="init"
        ),
        pytest.param(json_patch("/spec/containers/1/env/-"), "the first container", id="the second container"),
        pytest.param(json_patch("/spec/containers/0/env/3"), "adds behind an entry", id="an index"),
        pytest.param(json_patch("/spec/containers/0/env/0", "replace"), "does more than to add", id="replace"),
        pytest.param(patching("HTTP_PROXY: ["), "is no list of operations", id="no YAML"),
        pytest.param(with_spec(applyRules="One", rules=p3()["spec"]["rules"]), "`applyRules: One`", id="one rule"),
        pytest.param(
            with_spec(mutateExistingOnPolicyUpdate=True),
            "`mutateExistingOnPolicyUpdate` has a value",
            id="on a policy update",
        ),
        pytest.param(with_spec(webhookConfiguration={"matchConditions": []}), "`matchConditions`", id="the webhook"),
        pytest.param(with_spec(somethingNew=True), "`somethingNew` has no equivalent", id="an unknown field"),
    ],
)
def test_what_is_not_proven_is_refused_with_the_reason_and_only_filled(obj: Any, reason: str) -> None:
    (message, *_) = refusals(obj)
    assert " cannot be converted to a MutatingPolicy: " in message
    assert reason in message


LABELS = {"key": "a", "operator": "In", "values": ["b"]}


def selecting(expressions: Any, key: str = "selector") -> Any:
    return matching(block(**{key: {"matchExpressions": expressions}}))


@pytest.mark.parametrize(
    ("obj", "path"),
    [
        pytest.param(matching(block(), exclude={"any": {"resources": {"kinds": ["Pod"]}}}), "exclude/any", id="any"),
        pytest.param(matching(block(), exclude={"all": "x"}), "exclude/all", id="all"),
        pytest.param(matching(block(), exclude=[{"resources": {"kinds": ["Pod"]}}]), "exclude", id="a list"),
        pytest.param(matching(block(), exclude=""), "exclude", id="an empty text"),
        pytest.param(matching(block(), preconditions={"all": {"key": "x"}}), "preconditions/all", id="a condition"),
        pytest.param(matching(block(), preconditions={"any": "x"}), "preconditions/any", id="any of conditions"),
        pytest.param(matching(block(), preconditions=False), "preconditions", id="no conditions"),
        pytest.param(
            matching(block(), preconditions=[{"key": "{{ request.operation }}", "value": 5}]),
            "preconditions/0",
            id="the older form",
        ),
        pytest.param(selecting(LABELS), "match/any/0/resources/selector/matchExpressions", id="expressions"),
        pytest.param(
            selecting(LABELS, "namespaceSelector"),
            "match/any/0/resources/namespaceSelector/matchExpressions",
            id="expressions about namespaces",
        ),
        *(
            pytest.param(
                selecting([{**LABELS, key: value}]),
                "/".join(["match/any/0/resources/selector/matchExpressions/0", *place]),
                id=f"{key}: {value}",
            )
            for key, value, place in (
                ("values", "text", ("values",)),
                ("values", 5, ("values",)),
                ("values", [5], ("values",)),
                ("values", [], ()),
                ("operator", "Exists", ()),
                ("key", None, ()),
                ("key", 5, ("key",)),
                ("other", 5, ("other",)),
            )
        ),
        pytest.param(matching(block(name=5)), "match/any/0/resources/name", id="a name"),
        pytest.param(matching(block(namespaces="")), "match/any/0/resources/namespaces", id="namespaces"),
        pytest.param(matching(block(annotations=[])), "match/any/0/resources/annotations", id="annotations"),
        pytest.param(matching(block(annotations={"a": 5})), "match/any/0/resources/annotations", id="a value"),
        pytest.param(
            matching({"any": [{"resources": {"kinds": ["Pod"]}, "subjects": {}}]}),
            "match/any/0/subjects",
            id="subjects",
        ),
        pytest.param(policy(rule(smp(pods(TWO)), context={"name": "a"})), "context", id="a context"),
        pytest.param(policy(rule(smp(pods(TWO)), context=["a"])), "context/0", id="an entry of a context"),
        pytest.param(
            policy(rule({"foreach": {"list": "request.object.spec.containers", **ELEMENT}})),
            "mutate/foreach",
            id="foreach",
        ),
        pytest.param(policy(rule({"foreach": ["HTTP_PROXY"]})), "mutate/foreach/0", id="an entry of foreach"),
        pytest.param(with_spec(webhookConfiguration="x"), "/webhookConfiguration", id="the webhook"),
        pytest.param(
            with_spec(webhookConfiguration={"timeoutSeconds": "10s"}),
            "/webhookConfiguration/timeoutSeconds",
            id="the timeout of the webhook",
        ),
        pytest.param(with_spec(webhookTimeoutSeconds=True), "/webhookTimeoutSeconds", id="the timeout"),
        pytest.param(with_spec(failurePolicy="Never"), "/failurePolicy", id="the failure policy"),
        pytest.param(with_spec(background="false"), "/background", id="the background"),
        pytest.param(with_spec(applyRules=1), "/applyRules", id="applyRules"),
    ],
)
def test_a_field_of_another_type_is_refused_with_its_path(obj: Any, path: str) -> None:
    """Without the field the new policy would be about more objects than the old one."""
    if "foreach" in path:
        obj["spec"]["rules"].append(rule(smp(pods(TWO))))
    (found,) = (one for one in findings(policies, obj, **CONVERT) if one.code == "PolicyNotConverted")
    in_rule = () if path.startswith("/") else ("rules", "0")
    assert found.path == ("spec", *in_rule, *path.strip("/").split("/"))
    assert refusals(obj) != []


@pytest.mark.parametrize("empty", [None, [], {}, {"all": []}, {"any": None}], ids=repr)
def test_preconditions_that_ask_for_nothing_are_no_condition(empty: Any) -> None:
    spec = converted(matching(block(operations=["CREATE"]), preconditions=empty))["spec"]
    assert "matchConditions" not in spec


def test_the_annotation_about_controllers_is_refused_unless_it_is_a_text() -> None:
    obj = p1()
    obj["metadata"]["annotations"] = {ANNOTATION: 5}
    assert len(refusals(obj)) == 1


OTHERS: tuple[Any, ...] = (None, 5, "x", [], {}, True, {"a": 1}, [None])
STORIES = sorted((ROOT / "tests" / "kyverno" / "converted").glob("*/before.yaml"))


def paths(data: Any, path: Pointer = ()) -> Iterator[Pointer]:
    """Each place at or below ``data`` that a mapping or a list holds."""
    held = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in held:
        yield (*path, str(key))
        yield from paths(value, (*path, str(key)))


def with_other(obj: Any, path: Pointer, value: Any) -> Any:
    changed = copy.deepcopy(obj)
    parent = lookup(changed, path[:-1])
    parent[int(path[-1]) if isinstance(parent, list) else path[-1]] = copy.deepcopy(value)
    return changed


def is_of_another_type(old: Any, new: Any, path: Pointer) -> bool:
    """Whether a condition is no longer what Kyverno reads; null is a missing one."""
    is_condition = not {"match", "exclude", "preconditions"}.isdisjoint(path)
    is_older_form = path[-1] == "preconditions" and isinstance(new, list)
    return is_condition and new is not None and not is_older_form and type(new) is not type(old)


@pytest.mark.parametrize("story", STORIES, ids=lambda file: file.parent.name)
def test_no_policy_with_a_part_of_another_type_is_a_crash_or_gets_wider(story: Path) -> None:
    converted_at_all = 0
    for obj in yaml.safe_load_all(story.read_text()):
        for number, path in enumerate(paths(obj)):
            if path == ("kind",):  # an object of another kind is none for this target
                continue
            is_condition = not {"match", "exclude", "preconditions"}.isdisjoint(path)
            for value in OTHERS[number % 2 :: 2] if is_condition else OTHERS[number % 4 :: 4]:
                context = Context(CONVERT, FULL)
                said = policies.TARGET.edit(with_other(obj, path, value), context)
                is_converted = "PolicyConverted" in {getattr(one, "code", "") for one in said}
                converted_at_all += is_converted
                if is_of_another_type(lookup(obj, path), value, path):
                    assert not is_converted, (path, value)
    assert converted_at_all > 0


def test_each_rule_that_is_in_the_way_is_named_once() -> None:
    validating = {"name": "checked", "match": block(), "validate": {"message": "x"}}
    right = rule(smp(pods(TWO)), name="right")
    messages = refusals(policy(rule(body({}, volumes=[]), name="volumes"), right, validating))
    assert [message.partition(" cannot")[0] for message in messages] == ['rule "volumes"', 'rule "checked"']


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_of_the_world_are_converted_or_refused(name: str) -> None:
    obj = SHAPES[name]()
    is_converted = converted(obj)["kind"] == "MutatingPolicy"
    assert is_converted is (name in CONVERTIBLE)
    assert bool(refusals(obj)) is not (is_converted or name in WITHOUT_PROXY)


def test_metadata_stays_but_for_the_annotation_that_kyverno_no_longer_reads() -> None:
    obj = p1()
    obj["metadata"] |= {"labels": {"a": "b"}, "annotations": {ANNOTATION: "none", "c": "d"}}
    obj["status"] = {"ready": True}
    after = converted(obj)
    assert (after["apiVersion"], after["kind"]) == ("policies.kyverno.io/v1", "MutatingPolicy")
    assert after["metadata"] == {"name": "inject-proxy-env", "labels": {"a": "b"}, "annotations": {"c": "d"}}
    assert "status" not in after
    assert [one["resources"] for one in after["spec"]["matchConstraints"]["resourceRules"]] == [["pods"]]


def test_an_annotation_that_names_all_kinds_is_refused() -> None:
    obj = p1()
    obj["metadata"]["annotations"] = {ANNOTATION: "all"}
    (message,) = refusals(obj)
    assert 'says "all"' in message


EMPTY = {"resources": {"kinds": [], "names": [], "operations": []}}
TEAM_B = {"resources": {"namespaces": ["team-b"]}}


OF_B, OF_CRON_JOBS = 'request.namespace == "team-b"', 'object.kind == "CronJob"'


@pytest.mark.parametrize(
    ("exclude", "of_pods", "of_all"),
    [
        pytest.param(EMPTY, None, None, id="one entry"),
        pytest.param({"any": [TEAM_B, EMPTY]}, f"!({OF_B})", f"!({OF_B} || {OF_CRON_JOBS})", id="any of several"),
        pytest.param({"all": [TEAM_B, EMPTY]}, None, f"!({OF_B} && {OF_CRON_JOBS})", id="all of several"),
        pytest.param({"any": [{"resources": {}}]}, None, f"!({OF_CRON_JOBS})", id="no member"),
        pytest.param({"any": [{"resources": {"namespaceSelector": {}}}]}, "false", "false", id="all namespaces"),
    ],
)
def test_an_entry_of_exclude_that_is_empty_excludes_nothing_but_cron_jobs(
    exclude: Any, of_pods: str | None, of_all: str | None
) -> None:
    """In the rule that it derives for CronJobs, Kyverno gives that kind to each entry of a list."""
    for controllers, condition in (("none", of_pods), ("Deployment,CronJob", of_all)):
        obj = matching(block(), exclude=exclude)
        obj["metadata"]["annotations"] = {ANNOTATION: controllers}
        found = [one["expression"] for one in converted(obj)["spec"].get("matchConditions", [])]
        assert found == ([] if condition is None else [f"{condition}\n"])


def test_a_converted_policy_is_updated_in_place_and_keeps_a_password() -> None:
    once = converted(policy(rule(smp(pods(env(dict.fromkeys(SIX, "http://old:1")))))))
    (entries,) = (one["expression"] for one in once["spec"]["variables"] if one["name"] == "env")
    assert f'{{"name": "HTTP_PROXY", "value": "{HTTP}"}}' in entries
    assert f'{{"name": "no_proxy", "value": "{NO}"}}' in entries
    stale = json.loads(json.dumps(once).replace(HTTP, "http://user:p%40s@old:1"))
    assert apply(policies, stale, **CONVERT) == once


@pytest.mark.parametrize("settings", [NONE], ids=["a removal"])
def test_a_removal_converts_nothing(settings: Any) -> None:
    obj = p1()
    assert apply(policies, obj, settings, **CONVERT) == apply(policies, obj, settings)


def expression_of(obj: Any, name: str) -> str:
    (found,) = (one["expression"] for one in obj["spec"]["variables"] if one["name"] == name)
    return str(found)


def test_a_removal_takes_the_entries_out_of_a_converted_policy() -> None:
    once = converted(p1())
    after = apply(policies, once, NONE)
    assert expression_of(after, "env") == "[]\n"
    assert [one.code for one in findings(policies, once, NONE)] == ["PolicyRuleEmpty"]
    assert after["spec"]["mutations"] == once["spec"]["mutations"]
    assert findings(policies, after, NONE) == []


def test_a_removal_leaves_the_entries_of_others() -> None:
    entries = env({"HTTP_PROXY": "x", "MODE": "fast", "NO_PROXY": "y"})
    after = apply(policies, converted(policy(rule(smp(pods(entries))))), NONE)
    assert expression_of(after, "env") == '[\n  {"name": "MODE", "value": "fast"}\n]\n'


@pytest.mark.parametrize(
    "use",
    ["variables.env[0].value", "variables.env", "f(variables.env)", '["HTTP_PROXY"] + variables.env'],
    ids=["an index", "the list alone", "a call", "a name elsewhere"],
)
def test_a_removal_leaves_a_list_that_is_used_in_another_way(use: str) -> None:
    obj = converted(p1())
    obj["spec"]["mutations"].append({"patchType": "JSONPatch", "jsonPatch": {"expression": use}})
    assert changes(policies, obj, NONE) == []
    assert "PolicyTextStale" in {one.code for one in findings(policies, obj, NONE)}


def test_a_policy_without_a_proxy_is_left_alone() -> None:
    obj = policy(rule(smp(pods(env({"MODE": "fast"})))))
    assert findings(policies, obj, **CONVERT) == []
    assert changes(policies, obj, **CONVERT) == []


def deprecations(obj: Any, **options: Any) -> list[str]:
    found = findings(policies, obj, **options)
    return [one.message for one in found if one.code == "PolicyDeprecated" and one.severity is Severity.WARNING]


def test_a_policy_that_is_filled_names_the_way_out_once_and_one_that_is_right_does_not() -> None:
    (message,) = deprecations(p3())
    assert "`targets.kyvernoPolicies.convert: MutatingPolicy`" in message
    assert deprecations(apply(policies, p3())) == []
    assert deprecations(p1(), **CONVERT) == []


def test_a_name_that_is_taken_in_the_list_is_refused() -> None:
    old = named("pods", with_proxy("r", MAIN))
    other = {"apiVersion": "policies.kyverno.io/v1beta1", "kind": "MutatingPolicy", "metadata": {"name": "pods"}}
    spec = {"httpProxy": MAIN, "targets": {"kyvernoPolicies": CONVERT}}
    outcome = ran(copy.deepcopy(old), other, **spec)
    assert items(outcome)[0]["kind"] == "ClusterPolicy"
    assert "PolicyNotConverted" in [one.code for one in outcome.results]
    assert items(ran(old, {**other, "metadata": {"name": "others"}}, **spec))[0]["kind"] == "MutatingPolicy"


@pytest.mark.parametrize(
    ("policy_name", "expected"),
    [
        pytest.param("pods", "ClusterPolicy", id="the policy"),
        pytest.param("others", "MutatingPolicy", id="another policy"),
        pytest.param("web/pods", "MutatingPolicy", id="a Policy of the same name"),
    ],
)
def test_a_policy_that_a_policy_exception_names_is_refused(policy_name: str, expected: str) -> None:
    exception = {
        "apiVersion": "kyverno.io/v2",
        "kind": "PolicyException",
        "metadata": {"name": "not-for-web", "namespace": "kyverno"},
        "spec": {"exceptions": [{"policyName": policy_name, "ruleNames": ["r"]}, "no exception"]},
    }
    spec = {"httpProxy": MAIN, "targets": {"kyvernoPolicies": CONVERT}}
    outcome = ran(named("pods", with_proxy("r", MAIN)), exception, **spec)
    assert [one["kind"] for one in items(outcome)] == [expected, "PolicyException"]
    refused = [one.message for one in outcome.results if one.code == "PolicyNotConverted"]
    assert ["PolicyException" in one and "`policyRefs`" in one for one in refused] == [True][: len(refused)]
    assert bool(refused) is (expected == "ClusterPolicy")


def test_the_labels_of_a_namespace_are_asked_for_in_variables_because_a_webhook_does_not_know_them() -> None:
    excluded = {"any": [{"resources": {"kinds": ["Pod"], "namespaceSelector": {"matchLabels": {"zone": "dmz"}}}}]}
    obj = matching(block(namespaces=["web-*"]), exclude=excluded)
    spec = converted(obj)["spec"]
    assert "namespaceObject" in expression_of(converted(obj), "applies1")
    assert [one["name"] for one in spec["matchConditions"]] == ["match"]
    assert "namespaceObject" not in str(spec["matchConditions"])
    assert all("!variables.applies1 ? [] :" in one["jsonPatch"]["expression"] for one in spec["mutations"])


@pytest.mark.parametrize("kinds", [["Pod"], ["Job", "Deployment"]], ids=["an extended rule", "a rule about Jobs"])
def test_jobs_that_exist_are_left_out(kinds: list[str]) -> None:
    change = smp(pods(TWO)) if kinds == ["Pod"] else smp({"spec": {"template": pods(TWO)}})
    found = converted(policy({**rule(change), "match": block(kinds=kinds)}))
    operations = {
        resource: one["operations"]
        for one in found["spec"]["matchConstraints"]["resourceRules"]
        for resource in one["resources"]
    }
    assert operations["jobs"] == ["CREATE"]
    assert operations["deployments"] == ["CREATE", "UPDATE"]
    assert "matchConditions" not in found["spec"]


def test_after_a_conversion_no_message_names_a_field_of_the_old_policy() -> None:
    obj = matching(block(), mutate=smp({"spec": {"containers": [{"(name)": "*", "env": env({"HTTP_PROXY": "x"})}]}}))
    found = findings(policies, obj, **CONVERT)
    assert {one.code for one in findings(policies, obj)} >= {"PolicyKeepsValueFrom", "PolicyWithoutNoProxy"}
    assert [one for one in found if one.path[:2] == ("spec", "rules")] == []
    assert {one.code for one in found} == {"PolicyConverted", "PolicyRunsOnUpdate"}
    (message,) = (one.message for one in found if one.code == "PolicyConverted")
    assert "Kyverno 1.17 or newer" in message


def test_a_conversion_says_that_items_with_two_conditions_were_broken() -> None:
    items_of = [{"(name)": name, "env": TWO} for name in "ab"]
    obj = policy(rule(smp({"spec": {"containers": items_of}})))
    found = findings(policies, obj, **CONVERT)
    (message,) = (one.message for one in found if one.code == "PolicyConverted")
    assert "kyverno#16862" in message
    assert "PolicyItemsAnchored" not in [one.code for one in found]
    assert apply(policies, obj, fill="Complete") == apply(policies, obj)


@pytest.mark.parametrize(
    "source",
    [
        {"configMap": {"name": "kubeadm-config", "namespace": "kube-system"}},
        {"apiCall": {"urlPath": "/api/v1/namespaces/kube-system/configmaps/kubeadm-config"}},
    ],
    ids=["a ConfigMap", "an API call"],
)
def test_a_policy_that_reads_what_kubeadm_says_names_the_generated_one(source: Any) -> None:
    (message,) = refusals(policy(rule(smp(pods(TWO)), context=[{"name": "kubeadm", **source}])))
    assert "`generated.noProxyFrom: KubeadmConfig`" in message


@pytest.mark.parametrize(
    ("name", "generated", "expected"),
    [
        pytest.param("inject-proxy", {}, "ClusterPolicy", id="the name without an option"),
        pytest.param("pods", {"name": "pods"}, "ClusterPolicy", id="another name"),
        pytest.param("pods", {}, "MutatingPolicy", id="names that differ"),
    ],
)
def test_a_name_that_a_generated_policy_gets_is_refused(name: str, generated: Any, expected: str) -> None:
    options = {**CONVERT, "generate": "MutatingPolicy", "generated": generated}
    spec = {"httpProxy": MAIN, "targets": {"kyvernoPolicies": options}}
    once = ran(named(name, with_proxy("r", MAIN)), **spec)
    assert [one["kind"] for one in items(once)] == [expected, "MutatingPolicy"]
    assert ("PolicyNotConverted" in [one.code for one in once.results]) is (expected == "ClusterPolicy")
    twice = ran(*copy.deepcopy(items(once)), **spec)
    assert items(twice) == items(once)
    assert [one for one in twice.results if one.severity is Severity.ERROR] == []


@pytest.mark.parametrize("is_first", [True, False], ids=["in front of it", "behind it"])
@pytest.mark.parametrize("options", [{}, {"generate": "MutatingAdmissionPolicy"}], ids=["nothing", "another kind"])
def test_a_policy_takes_the_name_of_a_generated_one_in_the_run_that_removes_that(is_first: bool, options: Any) -> None:
    spec = {"httpProxy": MAIN, "targets": {"kyvernoPolicies": {"generate": "MutatingPolicy"}}}
    generated = items(ran(**spec))
    own = [named("inject-proxy", with_proxy("r", MAIN))]
    spec = {"httpProxy": MAIN, "targets": {"kyvernoPolicies": {**CONVERT, **options}}}
    once = ran(*(own + generated if is_first else generated + own), **spec)
    assert [one["kind"] for one in items(once)][:1] == ["MutatingPolicy"]
    assert "labels" not in items(once)[0]["metadata"]
    assert items(ran(*copy.deepcopy(items(once)), **spec)) == items(once)


def test_a_name_that_an_excluded_generated_policy_would_get_is_free() -> None:
    options = {**CONVERT, "generate": "MutatingPolicy"}
    spec = {"httpProxy": MAIN, "selector": {"exclude": [{"kinds": ["MutatingPolicy"]}]}}
    outcome = ran(named("inject-proxy", with_proxy("r", MAIN)), **spec, targets={"kyvernoPolicies": options})
    assert [one["kind"] for one in items(outcome)] == ["MutatingPolicy"]


def test_rules_with_proxies_of_their_own_are_refused() -> None:
    obj = named("pods", with_proxy("first", MAIN), with_proxy("second", SECOND))
    overrides = [{"match": {"targets": ["kyvernoPolicies"], "rules": ["second"]}, "httpProxy": SECOND}]
    outcome = ran(obj, httpProxy=MAIN, overrides=overrides, targets={"kyvernoPolicies": CONVERT})
    assert items(outcome)[0]["kind"] == "ClusterPolicy"
    (message,) = (one.message for one in outcome.results if one.code == "PolicyNotConverted")
    assert "proxies of their own" in message


@pytest.mark.parametrize(
    ("patterns", "expression"),
    [
        ([], "false"),
        (["a"], 'x == "a"'),
        (["a", "b"], 'x in ["a", "b"]'),
        (["a", "*"], "true"),
        (["kube-*"], 'x.startsWith("kube-")'),
        (["*-b", "c"], 'x == "c" || x.endsWith("-b")'),
        (["a?c.*d"], r'x.matches("^(?s)a.c\\..*d$")'),
        (['a"b'], r'x == "a\"b"'),
    ],
)
def test_patterns_of_kyverno_are_written_in_cel(patterns: list[str], expression: str) -> None:
    assert matches("x", patterns) == expression


def test_a_static_context_variable_is_written_out() -> None:
    entries = env({"HTTP_PROXY": "{{ proxy }}", "NO_PROXY": "localhost"})
    after = converted(policy(rule(smp(pods(entries)), context=[variable("proxy", "http://old:1")])))
    assert FULL.variables()["HTTP_PROXY"] in str(after["spec"]["variables"])
