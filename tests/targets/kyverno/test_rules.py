"""The rules of a ClusterPolicy or Policy: what is filled, what stays and is reported, what a removal leaves."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from all_targets import TARGETS
from krm_fn.krm.results import Severity
from krm_fn.patch import lookup
from krm_fn.settings import ProxySettings
from krm_fn.targets.kyverno.rules import split_list
from kyverno_shapes import SIX, findings, p1, pods, policy, rule, smp, variable
from policy_folders import HERE
from proposals import FULL, HTTP, NO, NONE, apply, changes, env

policies = TARGETS["kyverno"]
OTHER = ProxySettings("http://new:1", "http://new:2", "x,y")
NAMES = {"name": "no_proxy", "value": NO}


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


def of_entries(*entries: Any, context: Any = ()) -> Any:
    """A policy with one rule that sets these entries."""
    return policy(rule(smp(pods(list(entries))), context=list(context)))


def context_of(obj: Any) -> dict[str, Any]:
    entries = obj["spec"]["rules"][0]["context"]
    return {entry["name"]: lookup(entry, ("variable", "value")) for entry in entries}


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(policy(), id="no rules"),
        pytest.param(policy({"name": "v", "validate": {"pattern": pods(env({"HTTP_PROXY": "x"}))}}), id="validation"),
        pytest.param(policy(rule(smp(pods(env({"HTTP_PROXY": "x"}))), name="autogen-add")), id="what Kyverno derives"),
        pytest.param(of_entries(*env({"ALL_PROXY": "x", "FOO": "HTTPS PROXY"})), id="other names"),
    ],
)
def test_nothing_is_said_of_a_policy_without_a_proxy(obj: Any) -> None:
    assert changes(policies, obj) == []
    assert findings(policies, obj) == []


def test_a_variable_without_a_setting_becomes_empty() -> None:
    (after,) = values(apply(policies, p1(), ProxySettings(http_proxy=HTTP)))
    assert after == {"HTTP_PROXY": HTTP, "HTTPS_PROXY": "", "NO_PROXY": ""}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param("a,{{ x }},b", NO + ",{{ x }}", id="ours come first, the computed entries behind them"),
        pytest.param(".{{ domain }}", NO + ",.{{ domain }}", id="an entry that is computed in part"),
        pytest.param("a,$(./../x)", NO + ",$(./../x)", id="a reference within the policy"),
        pytest.param("a, {{ join(',', x) }} ,b", NO + ",{{ join(',', x) }}", id="a comma within braces"),
        pytest.param("{{ {a: x, b: y} }},a", NO + ",{{ {a: x, b: y} }}", id="braces within braces"),
        pytest.param(None, NO, id="a null value is set"),
    ],
)
def test_a_list_keeps_what_kyverno_computes(value: Any, expected: str) -> None:
    after = apply(policies, of_entries({"name": "NO_PROXY", "value": value}, context=[variable("x", "static")]))
    assert values(after) == [{"NO_PROXY": expected}]
    assert context_of(after) == {"x": "static"}


def test_a_url_is_followed_through_a_chain_of_context_variables() -> None:
    chain = [variable("b", "x"), variable("a", "{{ b }}")]
    obj = of_entries({"name": "HTTP_PROXY", "value": "{{ a }}"}, NAMES, context=chain)
    after = apply(policies, obj)
    assert (values(after)[0]["HTTP_PROXY"], context_of(after)) == ("{{ a }}", {"a": "{{ b }}", "b": HTTP})
    assert findings(policies, obj) == []


def test_the_innermost_and_last_variable_of_a_name_is_the_one() -> None:
    inner = [variable("proxy", "inner-1"), variable("proxy", "inner-2")]
    patch = pods([{"name": "HTTP_PROXY", "value": "{{ proxy }}"}, NAMES])
    foreach = [{"list": "x", "foreach": [{"list": "y", "context": inner, **smp(patch)}]}]
    (change,) = changes(policies, policy(rule({"foreach": foreach}, context=[variable("proxy", "outer")])))
    assert change.path[2:] == ("0", "mutate", *["foreach", "0"] * 2, "context", "1", "variable", "value")


@pytest.mark.parametrize(
    ("value", "context"),
    [
        pytest.param("http://{{ host }}:3128", [variable("host", "x")], id="computed in part"),
        pytest.param("{{ a | to_upper(@) }}", [variable("a", "x")], id="an expression"),
        pytest.param("{{ a }}", [{"name": "a", "variable": {"jmesPath": "x", "value": "y"}}], id="with jmesPath"),
        pytest.param("{{ a }}", [variable("a", {"http": "x"})], id="a variable that is no text"),
        pytest.param("{{ a }}", [variable("a", "{{ b }}"), variable("b", "{{ a }}")], id="a circle"),
        pytest.param("{{ a }}", [variable("a", "http://{{ host }}")], id="a variable that is computed in part"),
        pytest.param({"a": "b"}, [], id="no text"),
    ],
)
def test_what_kyverno_computes_stays_and_is_a_warning(value: Any, context: list[Any]) -> None:
    names = ("HTTP_PROXY", "http_proxy")
    obj = of_entries(*({"name": name, "value": value} for name in names), context=context)
    (finding,) = findings(policies, obj)
    assert (finding.code, "`HTTP_PROXY`, `http_proxy`" in finding.message) == ("ByHand", True)
    assert changes(policies, obj) == []
    assert context_of(apply(policies, obj, NONE)) == context_of(obj)


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param({"valueFrom": {"secretKeyRef": {"name": "p", "key": "h"}}}, id="a value from elsewhere"),
        pytest.param({"(value)": "*"}, id="a condition for the value"),
        pytest.param({"+(value)": "http://old:1"}, id="a value that is added, at which the engine panics"),
    ],
)
def test_an_entry_in_another_form_stays_and_is_a_warning(entry: Any) -> None:
    obj = of_entries({"name": "HTTP_PROXY", **entry})
    (finding,) = findings(policies, obj)
    assert (finding.code, "`HTTP_PROXY`" in finding.message) == ("ByHand", True)
    assert changes(policies, obj) == []


@pytest.mark.parametrize("anchor", ["(name)", "+(name)", "<(name)", "X(name)", "^(name)"])
@pytest.mark.parametrize(("value", "is_stale"), [("old", True), (NO, False)])
def test_an_entry_with_an_anchor_at_its_name_stays_until_a_removal(anchor: str, value: str, is_stale: bool) -> None:
    obj = of_entries({anchor: "NO_PROXY", "value": value})
    (finding,) = (finding for finding in findings(policies, obj) if finding.code == "ByHand")
    assert finding.is_stale is is_stale
    assert changes(policies, obj) == []
    assert "NO_PROXY" not in str(apply(policies, obj, NONE))


@pytest.mark.parametrize("anchor", ["(env)", "X(env)", "<(env)", "^(env)"])
def test_a_condition_for_env_is_no_value(anchor: str) -> None:
    body = {"spec": {"containers": [{"(name)": "*", anchor: env({"HTTP_PROXY": "x"})}]}}
    assert changes(policies, policy(rule(smp(body)))) == []


@pytest.mark.parametrize("value", ["{{ proxy }}", "http://user:$(x)@proxy:1"])
def test_a_setting_that_kyverno_would_interpret_is_not_written(value: str) -> None:
    obj = of_entries({"name": "HTTP_PROXY", "value": "http://old:1"}, NAMES)
    settings = ProxySettings(http_proxy=value, no_proxy=NO)
    (finding,) = findings(policies, obj, settings)
    assert changes(policies, obj, settings) == []
    assert "user" not in finding.message


def test_a_dollar_is_written_twice_because_the_value_lands_in_pods() -> None:
    settings = ProxySettings("http://u:a$b@proxy:1", "", NO)
    assert values(apply(policies, p1(), settings))[0]["HTTP_PROXY"] == "http://u:a$$b@proxy:1"


@pytest.mark.parametrize(
    "mutate",
    [
        pytest.param({"patchesJson6902": "- op: test\n  path: /HTTP_PROXY\n"}, id="a JSON Patch that tests"),
        pytest.param({"patchesJson6902": "{{ x }}: [HTTP_PROXY"}, id="a JSON Patch that is no YAML"),
        pytest.param(smp("spec: {env: HTTP_PROXY}"), id="a patch as a text"),
    ],
)
def test_a_name_in_another_place_is_a_warning(mutate: Any) -> None:
    obj = policy(rule(mutate))
    assert "ByHand" in [finding.code for finding in findings(policies, obj)]
    assert changes(policies, obj) == []


# Any shape.

_BROKEN = st.recursive(
    st.sampled_from([None, True, 7, "HTTP_PROXY", "{{ x }}", "Pod"]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2),
        st.dictionaries(st.sampled_from(["name", "value", "env", "spec", "variable", "context"]), inner, max_size=2),
    ),
    max_leaves=4,
)


def paths(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    members = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in members:
        yield (*path, key)
        yield from paths(value, (*path, key))


_WRITTEN = [obj for file in sorted(HERE.rglob("before.yaml")) for obj in yaml.safe_load_all(file.read_text())]


@given(st.sampled_from(_WRITTEN), st.integers(0, 10_000), _BROKEN, st.sampled_from([FULL, NONE, OTHER]))
def test_property_a_wrong_type_never_raises(written: Any, place: int, broken: Any, settings: ProxySettings) -> None:
    obj = copy.deepcopy(written)
    everywhere = list(paths(obj))
    *parents, last = everywhere[place % len(everywhere)]
    lookup(obj, parents)[last] = broken
    apply(policies, obj, settings)
    errors = [finding for finding in findings(policies, obj, settings) if finding.severity is Severity.ERROR]
    assert all(" must be a " in finding.message for finding in errors)
    assert all(reading.variable in SIX for reading in policies.read(obj, {}))


_PARTS = st.lists(st.sampled_from(["a", "10.0.0.0/8", "{{ x }}", "{{y}}.", "{{ f(x, y) }}", "$(z)", ""]), max_size=5)


@given(_PARTS, st.sampled_from([FULL, OTHER]), st.sampled_from([FULL, OTHER]))
def test_property_only_the_static_part_changes(parts: list[str], first: ProxySettings, second: ProxySettings) -> None:
    obj = of_entries({"name": "NO_PROXY", "value": ",".join(parts)}, context=[variable("x", "x,{{ y.z }}")])
    once = apply(policies, obj, second)
    written = split_list(values(once)[0]["NO_PROXY"])
    computed = [part for part in parts if "{{" in part or "$(" in part]
    assert [part for part in written if "{{" in part or "$(" in part] == computed
    assert apply(policies, apply(policies, obj, first), second) == once
