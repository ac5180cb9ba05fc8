"""Kyverno policies: what is filled, what is never overwritten, what is reported."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.krm.results import Severity
from krm_fn.patch import lookup
from krm_fn.settings import ProxySettings
from krm_fn.targets.kyverno import policies
from krm_fn.targets.kyverno.rules import parts_of as split_entries
from kyverno_shapes import (
    LISTS,
    P9_TEXT,
    SHAPES,
    SIX,
    findings,
    messages,
    p1,
    p2,
    p3,
    p4,
    p5,
    p7,
    p10,
    p13,
    pods,
    policy,
    rule,
    smp,
    variable,
)
from proposals import FULL, HTTP, HTTPS, NO, NONE, apply, changes, env, proposals

WANTED = FULL.variables()
OTHER = ProxySettings("http://new:1", "http://new:2", "x,y")


def env_lists(data: Any) -> Iterator[list[Any]]:
    """Every list called ``env``, with or without an anchor, at any depth."""
    if isinstance(data, dict):
        for key, value in data.items():
            if key in ("env", "+(env)", "=(env)"):
                yield value
            yield from env_lists(value)
    elif isinstance(data, list):
        for item in data:
            yield from env_lists(item)


def values(obj: Any) -> list[dict[str, Any]]:
    """The name -> value of each ``env`` of a policy, in the order of the document."""
    return [{entry["name"]: entry.get("value") for entry in entries} for entries in env_lists(obj)]


def one(entry: Any, *context: Any, **more: Any) -> Any:
    """A policy with one rule of one entry beside a ``no_proxy`` that is right."""
    entries = [entry, {"name": "no_proxy", "value": NO}]
    return policy(rule(smp(pods(entries)), context=list(context), **more))


def context_of(obj: Any) -> dict[str, Any]:
    return {entry["name"]: lookup(entry, ("variable", "value")) for entry in obj["spec"]["rules"][0]["context"]}


def filled(shape: Callable[[], Any]) -> Any:
    return apply(policies, shape())


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(filled(p1), id="a policy that is filled"),
        pytest.param(filled(p2), id="a policy with a context that is filled"),
        pytest.param(policy(), id="no rules"),
        pytest.param(policy(rule(smp({"spec": {"hostNetwork": False}}))), id="a rule about something else"),
        pytest.param(policy({"name": "v", "validate": {"pattern": pods(env({"HTTP_PROXY": "x"}))}}), id="validation"),
        pytest.param(policy(rule(smp(pods(env({"HTTP_PROXY": "x"}))), name="autogen-add")), id="what Kyverno derives"),
        pytest.param({**policy(), "status": {"autogen": {"rules": p1()["spec"]["rules"]}}}, id="a status"),
        pytest.param(policy(rule(smp(pods(env({"ALL_PROXY": "x", "FOO": "HTTPS PROXY"}))))), id="other names"),
        pytest.param(policy(None, "x", {"mutate": None}, {"mutate": 7}), id="rules that are none"),
        pytest.param(policy(rule({"foreach": [None, "x", {}]}), rule({"foreach": {}})), id="foreach without a patch"),
        pytest.param({"kind": "Policy", "spec": None}, id="a policy without a spec"),
        pytest.param({"kind": "MutatingPolicy", "spec": {"mutations": None}}, id="CEL without a proxy"),
    ],
)
def test_what_must_not_change(obj: Any) -> None:
    assert proposals(policies, obj) == []


@pytest.mark.parametrize("shape", [p1, p3, p4, p5, p7, p13])
def test_static_values_are_set_in_every_list_and_no_name_is_added(shape: Callable[[], Any]) -> None:
    before, result = values(shape()), values(filled(shape))

    assert result == [{name: WANTED[name] for name in names} for names in before]
    assert [list(names) for names in result] == [list(names) for names in before]


def test_p2_the_static_part_of_the_context_variable_is_replaced_and_the_references_stay() -> None:
    result = filled(p2)

    references = dict.fromkeys(("NO_PROXY", "no_proxy"), "{{ fullNoProxy }}")
    assert values(result) == [{**WANTED, **references}] * len(LISTS)
    assert context_of(result) == {**context_of(p2()), "fullNoProxy": NO + ",{{dynamicNoProxy}}"}
    assert findings(policies, p2()) == []


def test_p2_is_reported_once_for_the_variable_and_not_for_each_of_its_six_uses() -> None:
    (change,) = changes(policies, p2())

    assert change.message == 'sets the proxy in rule "add-proxies"'


@pytest.mark.parametrize("shape", [p1, p2, p3, p4, p5, p7, p13])
@pytest.mark.parametrize("first", [OTHER, ProxySettings(http_proxy=HTTP)])
def test_changed_settings_end_where_one_run_would(shape: Callable[[], Any], first: ProxySettings) -> None:
    assert apply(policies, apply(policies, shape(), first)) == filled(shape)


@pytest.mark.parametrize("shape", [p1, p2, p3, p7])
def test_a_removal_takes_the_entries_out_so_that_no_empty_value_overwrites_that_of_a_pod(
    shape: Callable[[], Any],
) -> None:
    result = apply(policies, shape(), NONE)

    assert list(env_lists(result)) == []
    assert {finding.path for finding in findings(policies, shape(), NONE)} == {
        ("spec", "rules", str(index)) for index in range(len(shape()["spec"]["rules"]))
    }


def test_a_removal_leaves_the_other_entries_and_says_nothing_of_a_rule_that_sets_them() -> None:
    entries = env({"FIRST": "1", "HTTP_PROXY": "http://old:1", "MIDDLE": "2", "no_proxy": "svc", "LAST": "3"})
    obj = policy(rule(smp(pods(entries))))

    assert values(apply(policies, obj, NONE)) == [{"FIRST": "1", "MIDDLE": "2", "LAST": "3"}]
    assert findings(policies, obj, NONE) == []








def test_without_a_proxy_the_computed_part_of_a_list_stays() -> None:
    assert context_of(apply(policies, p2(), NONE))["fullNoProxy"] == ",{{dynamicNoProxy}}"


def test_a_variable_without_a_setting_becomes_empty() -> None:
    (result,) = values(apply(policies, p1(), ProxySettings(http_proxy=HTTP)))

    assert result == {"HTTP_PROXY": HTTP, "HTTPS_PROXY": "", "NO_PROXY": ""}


@pytest.mark.parametrize(
    ("value", "settings", "expected"),
    [
        pytest.param("a,{{ x }},b", FULL, NO + ",{{ x }}", id="ours come first, the computed entries behind them"),
        pytest.param("{{ x }},{{y}}", FULL, NO + ",{{ x }},{{y}}", id="only computed entries"),
        pytest.param(".{{ domain }}", FULL, NO + ",.{{ domain }}", id="an entry that is computed in part"),
        pytest.param("a,$(./../x)", FULL, NO + ",$(./../x)", id="a reference within the policy"),
        pytest.param("a, {{ join(',', x) }} ,b", FULL, NO + ",{{ join(',', x) }}", id="a comma within braces"),
        pytest.param("{{ {a: x, b: y} }},a", FULL, NO + ",{{ {a: x, b: y} }}", id="braces within braces"),
        pytest.param(None, FULL, NO, id="a null value is set"),
        pytest.param(8080, FULL, NO, id="a number is replaced"),
    ],
)
def test_a_list_keeps_what_kyverno_computes(value: Any, settings: ProxySettings, expected: str) -> None:
    obj = policy(rule(smp(pods([{"name": "NO_PROXY", "value": value}])), context=[variable("x", "static")]))

    result = apply(policies, obj, settings)

    assert values(result) == [{"NO_PROXY": expected}]
    assert context_of(result) == {"x": "static"}
    assert apply(policies, result) == apply(policies, obj)




@pytest.mark.parametrize(
    ("reference", "context", "expected"),
    [
        pytest.param("{{ proxy }}", [variable("proxy", "http://old:1")], {"proxy": HTTP}, id="a static variable"),
        pytest.param("{{proxy}}", [variable("proxy", "")], {"proxy": HTTP}, id="without blanks, and empty"),
        pytest.param('{{ "my-proxy" }}', [variable("my-proxy", "x")], {"my-proxy": HTTP}, id="a quoted name"),
        pytest.param(
            "{{ a }}", [variable("b", "x"), variable("a", "{{ b }}")], {"a": "{{ b }}", "b": HTTP}, id="a chain"
        ),
    ],
)
def test_a_url_is_followed_to_its_context_variable(reference: str, context: Any, expected: dict[str, str]) -> None:
    obj = one({"name": "HTTP_PROXY", "value": reference}, *context)

    result = apply(policies, obj)

    assert values(result)[0]["HTTP_PROXY"] == reference
    assert context_of(result) == expected
    assert findings(policies, obj) == []


def test_the_innermost_and_last_variable_of_a_name_is_the_one() -> None:
    inner = [variable("proxy", "inner-1"), variable("proxy", "inner-2")]
    patch = pods([{"name": "HTTP_PROXY", "value": "{{ proxy }}"}, {"name": "no_proxy", "value": NO}])
    foreach = [{"list": "x", "foreach": [{"list": "y", "context": inner, **smp(patch)}]}]
    obj = policy(rule({"foreach": foreach}, context=[variable("proxy", "outer")]))

    (change,) = changes(policies, obj)

    assert change.path[2:] == ("0", "mutate", *["foreach", "0"] * 2, "context", "1", "variable", "value")




@pytest.mark.parametrize(
    ("value", "context", "reason"),
    [
        ("http://{{ host }}:3128", [variable("host", "x")], "a part of it is computed by Kyverno"),
        ("http://$(HOST):3128", [], "a part of it is computed by Kyverno"),
        ("{{ request.object.metadata.labels.p }}", [], 'computes it from "request.object.metadata.labels.p"'),
        ("{{ a | to_upper(@) }}", [variable("a", "x")], 'from "a", that is from the context variable "a"'),
        ("{{ cm.data.proxy }}", [{"name": "cm", "configMap": {"name": "p", "namespace": "n"}}], 'the ConfigMap "n/p"'),
        ("{{ cm }}", [{"name": "cm", "configMap": {"name": "p", "namespace": "n"}}], 'from the ConfigMap "n/p"'),
        ("{{ cm }}", [{"name": "cm", "configMap": None}], 'it comes from the context entry "cm"'),
        ("{{ a }}", [{"name": "a", "apiCall": {"urlPath": "/api"}}], "it comes from an API call"),
        ("{{ a }}", [{"name": "a", "imageRegistry": {}}], "it comes from an image registry"),
        ("{{ a }}", [{"name": "a", "globalReference": {"name": "g"}}], "it comes from a global context entry"),
        ("{{ a }}", [{"name": "a", "variable": {"jmesPath": "x", "value": "y"}}], "the `jmesPath` of the context"),
        ("{{ a }}", [variable("a", {"http": "x"})], 'the context variable "a", whose `value` is not a text'),
        ("{{ a }}", [{"name": "a", "variable": {}}], 'the context variable "a", whose `value` is not a text'),
        ("{{ a }}", [variable("a", "{{ b }}"), variable("b", "{{ a }}")], 'the context variable "a" refers to itself'),
        ("{{ a }}", [], '"a" is no context variable of the rule'),
        ("{{ a }}", [variable("a", "http://{{ host }}")], "a part of it is computed by Kyverno"),
        ({"a": "b"}, [], "its `value` must be a text"),
    ],
)
@pytest.mark.parametrize("settings", [FULL, NONE])
def test_what_cannot_be_filled_is_a_warning_that_says_why(
    value: Any, context: list[Any], reason: str, settings: ProxySettings
) -> None:
    entries = [{"name": name, "value": value} for name in ("HTTP_PROXY", "http_proxy")]
    obj = policy(rule(smp(pods([*entries, {"name": "no_proxy", "value": settings.no_proxy}])), context=context))

    (finding,) = findings(policies, obj, settings)

    assert changes(policies, obj, settings) == []
    assert finding.message.startswith('`HTTP_PROXY`, `http_proxy` of rule "add-proxies" cannot be set: ')
    assert finding.code == "PolicyNotFilled"




def test_one_variable_for_different_values_is_a_warning_and_for_equal_ones_it_is_set() -> None:
    entries = [*env(dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY"), "{{ proxy }}")), *env({"NO_PROXY": NO})]
    obj = policy(rule(smp(pods(entries)), context=[variable("proxy", "old")]))

    (message,) = messages(policies, obj)
    same = apply(policies, obj, ProxySettings(HTTP, HTTP, NO))

    assert message.startswith('`HTTP_PROXY`, `HTTPS_PROXY` of rule "add-proxies" cannot be set: they differ and share')
    assert changes(policies, obj) == []
    assert context_of(same) == {"proxy": HTTP}


def test_a_value_from_elsewhere_is_left_alone_and_reported() -> None:
    entry = {"name": "HTTP_PROXY", "valueFrom": {"secretKeyRef": {"name": "proxy", "key": "http"}}}

    (finding,) = proposals(policies, one(entry))

    assert "it comes from a `valueFrom`" in finding.message
    assert changes(policies, one({**entry, "valueFrom": None, "value": "old"})) != []


@pytest.mark.parametrize("entry", [{"(value)": "*"}, {"<(value)": "x"}, {"$patch": "delete"}])
def test_a_condition_and_a_deletion_set_nothing(entry: Any) -> None:
    obj = policy(rule(smp(pods([{"name": "HTTP_PROXY", **entry}]))))

    assert messages(policies, obj) == [
        '`HTTP_PROXY` of rule "add-proxies" is mentioned where no `env` value is set: nothing is filled there'
    ]
    assert changes(policies, obj) == []


@pytest.mark.parametrize("value", ["{{ proxy }}", "http://user:$(x)@proxy:1"])
def test_a_setting_that_kyverno_would_interpret_is_not_written(value: str) -> None:
    obj = one({"name": "HTTP_PROXY", "value": "http://old:1"})

    (finding,) = proposals(policies, obj, ProxySettings(http_proxy=value, no_proxy=NO))

    assert "the setting must not hold them" in finding.message
    assert "user" not in finding.message


def test_a_dollar_is_written_twice_because_the_value_lands_in_pods() -> None:
    settings = ProxySettings("http://u:a$b@proxy:1", "", NO)

    assert values(apply(policies, p1(), settings))[0]["HTTP_PROXY"] == "http://u:a$$b@proxy:1"




@pytest.mark.parametrize("anchor", ["(name)", "+(name)", "<(name)", "X(name)", "^(name)"])
@pytest.mark.parametrize(("value", "is_stale"), [("old", True), (NO, False)])
def test_an_entry_with_an_anchor_at_its_name_is_not_filled_and_goes_with_a_removal(
    anchor: str, value: str, is_stale: bool
) -> None:
    obj = policy(rule(smp(pods([{anchor: "NO_PROXY", "value": value, "valueFrom": None}]))))
    assert changes(policies, obj) == []
    (found,) = (one for one in findings(policies, obj) if one.code == "PolicyNotFilled")
    assert found.is_stale is is_stale
    assert "NO_PROXY" not in str(apply(policies, obj, NONE))


@pytest.mark.parametrize("anchor", ["(env)", "X(env)", "<(env)", "^(env)"])
def test_anchors_that_ask_are_not_filled(anchor: str) -> None:
    body = {"spec": {"containers": [{"(name)": "*", anchor: env({"NO_PROXY": "old"})}]}}

    assert changes(policies, policy(rule(smp(body)))) == []


def test_a_cron_job_keeps_its_pods_one_level_deeper() -> None:
    body = {"spec": {"jobTemplate": {"spec": {"template": pods(env({"NO_PROXY": "old"}), *LISTS)}}}}

    result = apply(policies, policy(rule(smp(body), "CronJob"), kind="Policy"))

    assert values(result) == [{"NO_PROXY": NO}] * len(LISTS)


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        pytest.param(p4(), "is about pods and patches `spec.template.spec`, which a pod does not have", id="P4"),
        pytest.param(p13(), 'adds a container that is literally named "*" to every pod', id="P13"),
        pytest.param(
            policy(rule(smp(pods(env({"HTTP_PROXY": "old"}))))),
            "in-cluster traffic would go through the proxy: add `NO_PROXY`",
            id="URLs without NO_PROXY",
        ),
    ],
)
def test_a_policy_that_is_filled_and_does_no_good_is_reported(obj: Any, expected: str) -> None:
    (message,) = messages(policies, obj)

    assert expected in message
    assert changes(policies, obj) != []
    assert expected not in str(messages(policies, obj, settings=NONE))


@pytest.mark.parametrize(
    "match",
    [
        {"resources": {"kinds": ["Pod"]}},
        {"all": [{"resources": {"kinds": ["v1/Pod"]}}]},
        {"any": [{"resources": {"kinds": ["Pod"]}}, {"resources": {"kinds": ["Pod"]}}]},
    ],
)
def test_p4_is_found_in_every_style_of_match(match: Any) -> None:
    obj = p4()
    obj["spec"]["rules"][0]["match"] = match

    assert len(messages(policies, obj)) == 1


@pytest.mark.parametrize(
    "match", [None, {}, {"any": None}, {"any": [{"resources": {"kinds": ["Pod", "Deployment"]}}]}, "Pod"]
)
def test_p4_is_not_claimed_where_it_is_not_clear(match: Any) -> None:
    obj = p4()
    obj["spec"]["rules"][0]["match"] = match

    assert messages(policies, obj) == []


@pytest.mark.parametrize(
    ("obj", "path", "expected"),
    [
        (
            policy(rule({"patchesJson6902": "- op: test\n  path: /HTTP_PROXY\n"})),
            ("mutate", "patchesJson6902"),
            '`HTTP_PROXY` of rule "add-proxies" cannot be set: `patchesJson6902` does not set it as an entry of `env`',
        ),
        (
            policy(rule(smp("spec: {env: HTTP_PROXY}"))),
            ("mutate", "patchStrategicMerge"),
            '`HTTP_PROXY` of rule "add-proxies" is mentioned where no `env` value is set',
        ),
        (
            policy(rule(smp(pods("- name: no_proxy")))),
            ("mutate", "patchStrategicMerge"),
            '`no_proxy` of rule "add-proxies" is mentioned where no `env` value is set',
        ),
        (policy({"mutate": "HTTP_PROXY"}), ("mutate",), "`mutate` must be a mapping"),
    ],
)
def test_other_forms_are_reported_and_left_alone(obj: Any, path: tuple[str, ...], expected: str) -> None:
    (finding,) = proposals(policies, obj)

    assert finding in findings(policies, obj)
    assert finding.path == ("spec", "rules", "0", *path)
    assert finding.message.startswith(expected)


@pytest.mark.parametrize("kind", ["MutatingPolicy", "NamespacedMutatingPolicy"])
def test_a_literal_of_an_expression_is_set_and_every_other_byte_stays(kind: str) -> None:
    path = ("spec", "mutations", "0", "jsonPatch", "expression")
    before, after = p10(kind), apply(policies, p10(kind))

    assert lookup(after, path) == lookup(before, path).replace('"http://proxy:8080"', f'"{HTTP}"')
    assert findings(policies, p10(kind)) == []
    assert ("policies.kyverno.io", kind) in policies.TARGET.kinds








def test_a_rule_without_a_name_is_called_by_its_place() -> None:
    obj = p1()
    del obj["spec"]["rules"][0]["name"]

    (change,) = changes(policies, obj)
    assert change.message == "sets the proxy in rule 0"




_BROKEN = st.recursive(
    st.sampled_from([None, True, 7, "HTTP_PROXY", "{{ x }}", "Pod"]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2),
        st.dictionaries(st.sampled_from(["name", "value", "env", "spec", "variable", "context"]), inner, max_size=2),
    ),
    max_leaves=4,
)


def places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    members = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in members:
        yield (*path, key)
        yield from places(value, (*path, key))


@given(st.sampled_from(sorted(SHAPES)), st.integers(0, 10_000), _BROKEN, st.sampled_from([FULL, NONE, OTHER]))
def test_property_a_wrong_type_anywhere_never_raises_and_twice_is_once(
    shape: str, place: int, broken: Any, settings: ProxySettings
) -> None:
    obj = SHAPES[shape]()
    everywhere = list(places(obj))
    *parents, last = everywhere[place % len(everywhere)]
    lookup(obj, parents)[last] = broken

    apply(policies, obj, settings)

    said = findings(policies, obj, settings)
    assert all(found.severity is not Severity.ERROR or " must be a " in found.message for found in said)
    assert all(seen.variable in SIX for seen in policies.TARGET.read(obj, {}))


_ENTRIES = st.lists(st.sampled_from(["a", "10.0.0.0/8", "{{ x }}", "{{y}}.", "{{ f(x, y) }}", "$(z)", ""]), max_size=5)


@given(_ENTRIES, st.sampled_from([FULL, OTHER]), st.sampled_from([FULL, OTHER]))
def test_property_of_a_list_only_the_static_part_changes(
    entries: list[str], first: ProxySettings, second: ProxySettings
) -> None:
    text = ",".join(entries)
    obj = policy(rule(smp(pods([{"name": "NO_PROXY", "value": text}])), context=[variable("x", "x,{{ y.z }}")]))
    once = apply(policies, obj, second)

    written = split_entries(values(once)[0]["NO_PROXY"]) or []
    computed = [entry for entry in entries if "{{" in entry or "$(" in entry]
    assert [entry for entry in written if "{{" in entry or "$(" in entry] == computed
    assert apply(policies, apply(policies, obj, first), second) == once




def test_both_urls_reach_their_own_names() -> None:
    (result,) = values(filled(p1))

    assert (result["HTTP_PROXY"], result["HTTPS_PROXY"]) == (HTTP, HTTPS)


def two_rules(first: Any, second: Any) -> Any:
    return policy(
        *(rule(smp(pods(env(values))), name=name) for name, values in (("main", first), ("secondary", second)))
    )




@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param({"HTTP_PROXY": "http://a:1"}, {"HTTP_PROXY": "http://a:1/"}, id="a final slash"),
        pytest.param({"HTTP_PROXY": "http://a:1"}, {"HTTPS_PROXY": "http://b:1"}, id="one for http, one for https"),
        pytest.param({"HTTP_PROXY": "http://a:1"}, {"HTTP_PROXY": ""}, id="an empty value"),
        pytest.param({"HTTP_PROXY": "http://a:1"}, {"HTTP_PROXY": "http://{{ x }}:1"}, id="a computed value"),
        pytest.param({"NO_PROXY": "a"}, {"NO_PROXY": "b"}, id="two lists"),
    ],
)
def test_two_rules_with_one_proxy_are_none(first: Any, second: Any) -> None:
    assert messages(policies, two_rules(first, second), Severity.ERROR) == []


CEL_OF_ALL = (
    "[" + ", ".join(f'{{"name": "{name}", "value": {json.dumps(value)}}}' for name, value in WANTED.items()) + "]"
)


def cel(expression: str, **variables: str) -> Any:
    spec = {
        "variables": [{"name": name, "expression": text} for name, text in variables.items()],
        "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": expression}}],
    }
    return {"apiVersion": "policies.kyverno.io/v1", "kind": "MutatingPolicy", "spec": spec}


def json6902(text: str) -> Any:
    return policy(rule({"patchesJson6902": text}, name="json"))


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(cel(CEL_OF_ALL), id="CEL: a list of maps"),
        pytest.param(cel(f"[E{{name: \"HTTP_PROXY\", value: r'{HTTP}'}}]"), id="CEL: a message with a raw string"),
        pytest.param(
            cel('[{"name": "HTTP_PROXY", "value": variables.proxy}]', proxy=f"'{HTTP}'"), id="CEL: a literal variable"
        ),
        pytest.param(
            cel(f'{CEL_OF_ALL} + c.env.filter(e, e.name != "HTTP_PROXY")'), id="CEL: names that a filter mentions"
        ),
        pytest.param(
            json6902(P9_TEXT.replace("proxy.corp.com", HTTP).replace("env/-", "env/0")), id="a JSON patch in YAML"
        ),
        pytest.param(
            json6902(json.dumps([{"op": "add", "path": "/x", "value": env({"HTTP_PROXY": HTTP})}])),
            id="a JSON patch in JSON",
        ),
    ],
)
def test_a_text_with_the_declared_values_is_no_finding(obj: Any) -> None:
    assert proposals(policies, obj) == []


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(cel('[{"name": "HTTP_PROXY", "value": "a" + "b"}]'), id="CEL: a computed value"),
        pytest.param(cel('[{"name": "HTTP_PROXY", "value": variables.x}]', x="object.y"), id="CEL: a variable"),
        pytest.param(cel('["HTTP_PROXY"].map(n, object.x[n])'), id="CEL: a name alone"),
        pytest.param(
            json6902(P9_TEXT.replace("proxy.corp.com", "{{ x }}").replace("env/-", "env/0")),
            id="a JSON patch with a reference",
        ),
        pytest.param(json6902("{{ x }}: [HTTP_PROXY"), id="a JSON patch that is no YAML"),
    ],
)
def test_what_kyverno_computes_in_a_text_is_a_warning_and_stays(obj: Any) -> None:
    (finding,) = proposals(policies, obj)

    assert finding in findings(policies, obj)
    assert finding.severity is Severity.WARNING


COMMENTED_OF = "- {{op: add, path: /x, value: {{name: HTTP_PROXY, value: '{}'}}}}\n"


def expression_of(obj: Any) -> str:
    return str(lookup(obj, ("spec", "mutations", "0", "jsonPatch", "expression")))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param('{"name": "HTTP_PROXY", "value": "http://old:1"}', f'"{HTTP}"', id="double quotes"),
        pytest.param("{'name': 'HTTP_PROXY', 'value': 'http://old:1'}", f"'{HTTP}'", id="single quotes"),
        pytest.param("E{name: 'HTTP_PROXY', value: r'http://old:1'}", f"'{HTTP}'", id="a message, a raw string"),
        pytest.param('{"name": "HTTP_PROXY", "value": """http://old:1"""}', f'"{HTTP}"', id="three quotes"),
        pytest.param('{"name": "https_proxy", "value": ""}', f'"{HTTPS}"', id="an empty value, the other case"),
        pytest.param('{\n "value" : "x", // the proxy\n "name":"NO_PROXY" }', f'"{NO}"', id="comments, another order"),
    ],
)
def test_only_the_literal_of_a_value_is_edited(before: str, after: str) -> None:
    rest = ' + c.env.filter(e, !(e.name in ["HTTP_PROXY"])) // "http://old:1"'
    result = expression_of(apply(policies, cel(f"[{before}]{rest}")))

    assert result.endswith(rest)
    assert after in result
    for part in re.split(r"""r?(?:\"{3}|["'])(?:http://old:1|x)?(?:\"{3}|["'])""", before):
        assert part in result


def test_a_literal_variable_of_a_mutating_policy_is_set_where_it_is_declared() -> None:
    obj = cel('[{"name": "HTTP_PROXY", "value": variables.proxy}]', proxy="'http://old:1'", other="'x'")
    result = apply(policies, obj)

    assert [one["expression"] for one in result["spec"]["variables"]] == [f"'{HTTP}'", "'x'"]
    assert expression_of(result) == expression_of(obj)


def test_one_literal_for_two_values_is_a_warning() -> None:
    both = '[{"name": "HTTP_PROXY", "value": variables.p}, {"name": "HTTPS_PROXY", "value": variables.p}]'
    (message,) = messages(policies, cel(both, p="'http://old:1'"))

    assert message.startswith("the literal is the value of several variables that differ")


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(
            cel('[{"name": "HTTP_PROXY", "value": "http://a:1"}] + [{"name": "http_proxy", "value": "http://b:1"}]'),
            id="CEL",
        ),
        pytest.param(
            policy(
                rule({"patchesJson6902": COMMENTED_OF.format("http://a:1")}),
                rule({"patchesJson6902": COMMENTED_OF.format("http://b:1")}, name="second"),
            ),
            id="JSON patches of two rules",
        ),
    ],
)
def test_two_proxies_in_texts_are_an_error_and_change_nothing(obj: Any) -> None:
    (message,) = messages(policies, obj, Severity.ERROR)

    assert "two different proxies in `HTTP_PROXY`" in message
    assert changes(policies, obj) == []


@pytest.mark.parametrize("kind", ["MutatingPolicy", "NamespacedMutatingPolicy", "MutatingAdmissionPolicy"])
@pytest.mark.parametrize("version", ["v1", "v1beta1", "v1alpha1"])
def test_every_kind_and_version_with_expressions_is_filled(kind: str, version: str) -> None:
    group = "admissionregistration.k8s.io" if kind == "MutatingAdmissionPolicy" else "policies.kyverno.io"
    mutation = {"applyConfiguration": {"expression": 'Object{env: [{"name": "HTTP_PROXY", "value": "http://old:1"}]}'}}
    obj = {"apiVersion": f"{group}/{version}", "kind": kind, "spec": {"mutations": [mutation]}}
    result = apply(policies, obj)

    assert f'"value": "{HTTP}"' in result["spec"]["mutations"][0]["applyConfiguration"]["expression"]


def test_a_password_survives_the_expression() -> None:
    settings = ProxySettings("http://user:p%40s@proxy:3128")
    obj = cel('[{"name": "HTTP_PROXY", "value": "http://old:1"}]')

    assert '"http://user:p%40s@proxy:3128"' in expression_of(apply(policies, obj, settings))


OLD = '"http://old:1"'


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(
            cel(
                'variables.proxies.map(n, {"name": n, "value": variables.proxies[n]})',
                proxies=f'{{"HTTP_PROXY": {OLD}}}',
            ),
            id="a map that is a variable",
        ),
        pytest.param(
            cel(f'{{"HTTP_PROXY": {OLD}}}.transformList(n, v, {{"name": n, "value": v}})'), id="a map in the expression"
        ),
        pytest.param(
            cel(
                '[{"name": "HTTP_PROXY", "value": variables.proxies["HTTP_PROXY"]}]',
                proxies=f'{{"HTTP_PROXY": {OLD}}}',
            ),
            id="one member of a map",
        ),
        pytest.param(
            cel(f'c.env.map(e, e.name == "HTTP_PROXY" ? dyn({{"name": string(e.name), "value": {OLD}}}) : dyn(e))'),
            id="an entry of that name, where it is there",
        ),
        pytest.param(
            cel(f'c.env.map(e, "HTTP_PROXY" == e.name && has(e.value) ? {{"name": e.name, "value": {OLD}}} : e)'),
            id="the same with another condition",
        ),
        pytest.param(
            cel(f'c.env.filter(e, e.name in ["HTTP_PROXY", "http_proxy"]).map(e, {{"name": e.name, "value": {OLD}}})'),
            id="entries of some names, filtered first",
        ),
        pytest.param(cel(f'["HTTP_PROXY", "http_proxy"].map(n, {{"name": n, "value": {OLD}}})'), id="a list of names"),
        pytest.param(
            cel('variables.names.map(n, {"name": n, "value": variables.url})', names='["HTTP_PROXY"]', url=OLD),
            id="a list of names and a text that are variables",
        ),
    ],
)
def test_a_value_is_filled_where_the_expression_says_which_names_it_is_for(obj: Any) -> None:
    after = apply(policies, obj)
    assert json.dumps(after) == json.dumps(obj).replace(json.dumps(OLD)[1:-1], json.dumps(f'"{HTTP}"')[1:-1])
    assert changes(policies, after) == []
    assert [one for one in findings(policies, obj) if one.code == "PolicyNotFilled"] == []
    (left,) = {one.code for one in findings(policies, obj, NONE)}
    assert left == "PolicyNotFilled"


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(cel(f'[["HTTP_PROXY", {OLD}]].map(p, {{"name": p[0], "value": p[1]}})'), id="a list of pairs"),
        pytest.param(
            cel(f'c.env.map(e, {{"name": e.name, "value": e.name == "HTTP_PROXY" ? {OLD} : e.value}})'),
            id="a condition in the value",
        ),
        pytest.param(
            cel(f'c.env.map(e, e.name != "HTTP_PROXY" ? e : {{"name": e.name, "value": {OLD}}})'),
            id="a condition that is turned round",
        ),
        pytest.param(
            cel(f'[JSONPatch{{path: "/env/" + string(x.indexOf("HTTP_PROXY")) + "/value", value: {OLD}}}]'),
            id="a patch of the value alone",
        ),
        pytest.param(
            cel(f'[{{"name": "HTTPS_PROXY", "value": {OLD}}}] + f("HTTP_PROXY", {OLD})'),
            id="beside an entry that is read",
        ),
    ],
)
def test_a_name_in_a_form_that_is_not_understood_is_a_warning(obj: Any) -> None:
    codes = [one.code for one in findings(policies, obj) if "`HTTP_PROXY`" in one.message]
    assert codes == ["PolicyNotFilled"]


def test_a_removal_leaves_an_expression_that_is_no_patch_and_says_what_to_remove() -> None:
    obj = cel('[{"name": "HTTP_PROXY", "value": "http://old:1"}]')
    (finding,) = findings(policies, obj, NONE)

    assert finding.is_stale
    assert finding.message.startswith("the CEL expression sets `HTTP_PROXY`, and no proxy is declared for it: delete")
    assert apply(policies, obj, NONE) == obj


COMMENTED = """\
# the proxy of the company
- op: add
  path: /spec/containers/{{elementIndex}}/env/-
  value: {"name": "HTTP_PROXY", "value": "http://old:1"}   # for http
- op: add
  path: "/spec/{{ element0 }}/{{ elementIndex1 }}/env/-"
  value:
    name: NO_PROXY
    value: localhost   # more
"""


def text_of(obj: Any) -> str:
    return str(lookup(obj, ("spec", "rules", "0", "mutate", "patchesJson6902")))


def test_a_json_patch_in_yaml_keeps_its_comments_flow_and_references() -> None:
    result = text_of(apply(policies, json6902(COMMENTED)))

    assert result == COMMENTED.replace('"http://old:1"', f'"{HTTP}"').replace("localhost   #", f"{NO}   #")


def test_a_json_patch_in_json_stays_json() -> None:
    text = '[{"op":"add","path":"/x","value":[{"name":"HTTP_PROXY","value":"http://old:1"},{"name":"A","value":"b"}]}]'

    assert text_of(apply(policies, json6902(text))) == text.replace("http://old:1", HTTP)


def test_a_list_in_a_json_patch_keeps_what_kyverno_computes() -> None:
    text = '- {op: add, path: /x, value: {name: NO_PROXY, value: "a,{{ element.name }}"}}\n'

    assert text_of(apply(policies, json6902(text))) == text.replace('"a,', f'"{NO},')


def test_json_patches_of_a_foreach_at_any_depth_are_filled() -> None:
    inner = {"list": "b", "patchesJson6902": COMMENTED}
    obj = policy(rule({"foreach": [{"list": "a", "foreach": [inner]}]}))
    (body,) = apply(policies, obj)["spec"]["rules"][0]["mutate"]["foreach"][0]["foreach"]

    assert f'"{HTTP}"}}   # for http' in body["patchesJson6902"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(COMMENTED, None, id="nothing else is in it"),
        pytest.param(
            "- {op: add, path: /a, value: 1}\n- {op: add, path: /e, value: {name: HTTP_PROXY, value: x}}\n",
            "- {op: add, path: /a, value: 1}\n",
            id="an operation beside another one",
        ),
        pytest.param(
            "- op: add\n  path: /env\n  value:\n  - {name: A, value: b}\n  - {name: no_proxy, value: x}\n",
            "- op: add\n  path: /env\n  value:\n  - {name: A, value: b}\n",
            id="an entry of a list",
        ),
        pytest.param(
            "- op: add\n  path: /env\n  value:\n  - {name: HTTP_PROXY, value: x}\n- {op: add, path: /a, value: 1}\n",
            "- {op: add, path: /a, value: 1}\n",
            id="a list that holds nothing else",
        ),
    ],
)
def test_a_removal_takes_entries_out_of_a_json_patch(text: str, expected: str | None) -> None:
    result = apply(policies, json6902(text), NONE)

    assert lookup(result, ("spec", "rules", "0", "mutate", "patchesJson6902")) == expected


def test_the_values_of_a_text_are_seen() -> None:
    seen = {one.variable: one.value for one in policies.TARGET.read(cel(CEL_OF_ALL), {})}

    assert seen == WANTED


def test_a_list_that_kyverno_completes_is_named_when_a_json_patch_gets_it() -> None:
    text = "- {op: add, path: /spec/containers/0/env/-, value: {name: NO_PROXY, value: 'x,{{ request.namespace }}'}}\n"
    (change,) = changes(policies, json6902(text), ProxySettings("http://a:1", "http://a:1", "a.corp"))

    assert change.message == 'sets `NO_PROXY` in rule "json"'
    assert change.current == {"NO_PROXY": "x"}
    assert change.proposed == {"NO_PROXY": "a.corp"}
