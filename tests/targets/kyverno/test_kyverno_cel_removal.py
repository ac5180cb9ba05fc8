"""What a removal takes out of CEL expressions that have a form of ours, and that it leaves all others to a person.

What the engines do with the results is recorded in ``tests/kyverno/removed``.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.krm.results import Severity
from krm_fn.targets.kyverno import policies
from krm_fn.targets.kyverno.cel_parser import parse
from kyverno_shapes import findings
from proposals import NONE, apply, changes

URL = '{"name": "HTTP_PROXY", "value": "http://user:secret@old:1"}'
LIST = '{"name": "NO_PROXY", "value": "localhost"}'
MODE = '{"name": "MODE", "value": "fast"}'
OF_ITEM = 'Object.spec.containers.env{name: "HTTP_PROXY", value: "http://user:secret@old:1"}'


def patched(value: str, filtered: str = "") -> str:
    """A JSON Patch for each container with this value."""
    return f'object.spec.containers{filtered}.map(c, JSONPatch{{op: "add", path: "/spec/x/env", value: {value}}})'


IDLE = ".filter(c, false)"


def policy(*expressions: str, **variables: str) -> Any:
    mutations = [{"patchType": "JSONPatch", "jsonPatch": {"expression": text}} for text in expressions]
    given = [{"name": name, "expression": text} for name, text in variables.items()]
    spec = {"variables": given, "mutations": mutations}
    return json.loads(json.dumps({"apiVersion": "policies.kyverno.io/v1", "kind": "MutatingPolicy", "spec": spec}))


def removed(obj: Any) -> Any:
    return apply(policies, obj, NONE)


def expressions(obj: Any) -> list[str]:
    return [one["jsonPatch"]["expression"] for one in obj["spec"]["mutations"]]


def variables(obj: Any) -> dict[str, str]:
    return {one["name"]: one["expression"] for one in obj["spec"]["variables"]}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(patched(f"[{URL}, {MODE}]"), patched(f"[{MODE}]"), id="the first of a list"),
        pytest.param(patched(f"[{MODE}, {URL}]"), patched(f"[{MODE}]"), id="the last of a list"),
        pytest.param(patched(f"[{URL}, {LIST}] + c.env"), patched("[] + c.env"), id="all of a list that is added"),
        pytest.param(patched(f"c.env + [{URL},]"), patched("c.env + []"), id="a comma behind the last"),
        pytest.param(patched(f"[dyn({URL})] + c.env"), patched("[] + c.env"), id="in dyn()"),
        pytest.param(patched(f"[{OF_ITEM}] + c.env"), patched("[] + c.env"), id="a message"),
        pytest.param(
            patched(f"[\n  {URL},  // ours\n  {LIST}  // ours\n] + c.env"),
            patched("[] + c.env"),
            id="all, with comments",
        ),
        pytest.param(patched(f"[{MODE}, {URL}, {MODE}]"), patched(f"[{MODE}, {MODE}]"), id="one in the middle"),
        pytest.param(patched(f"[{URL}]"), patched("[]", IDLE), id="a list that replaces that of a container"),
        pytest.param(
            patched(f"has(c.env) ? c.env + [{URL}] : [{URL}]"),
            patched("has(c.env) ? c.env + [] : []"),
            id="an empty list where there is no env",
        ),
        pytest.param(
            patched(f"!has(c.env) ? [{URL}] : c.env"), patched("!has(c.env) ? [] : c.env"), id="the same, negated"
        ),
        pytest.param(
            patched(f'[{URL}] + c.env.filter(e, !(e.name in ["HTTP_PROXY", "A"]))'),
            patched('[] + c.env.filter(e, !(e.name in ["A"]))'),
            id="a name in a filter",
        ),
        pytest.param(
            patched(f'[{URL}] + c.env.filter(e, !(e.name in ["HTTP_PROXY"]))'),
            patched("[] + c.env.filter(e, !(e.name in []))"),
            id="the only name in a filter",
        ),
        pytest.param(
            patched(f'[{URL}] + c.env.filter(e, e.name != "HTTP_PROXY" && e.name != "A")'),
            patched('[] + c.env.filter(e, e.name != "A")'),
            id="a comparison",
        ),
        pytest.param(
            patched(f'[{URL}] + c.env.filter(e, "HTTP_PROXY" != e.name)'),
            patched("[] + c.env.filter(e, true)"),
            id="the only comparison",
        ),
        pytest.param(
            patched(f'[{URL}, {{"name": "HTTP_PROXY", "valueFrom": x}}] + c.env.filter(e, e.name != "HTTP_PROXY")'),
            patched('[{"name": "HTTP_PROXY", "valueFrom": x}] + c.env.filter(e, e.name != "HTTP_PROXY")'),
            id="a name that another entry sets stays in the filter",
        ),
    ],
)
def test_entries_go_and_what_is_left_is_an_expression_that_takes_nothing_away(before: str, after: str) -> None:
    assert expressions(removed(policy(before))) == [after]


def test_the_text_of_a_variable_becomes_empty_if_only_entries_read_it() -> None:
    value = '[{"name": "HTTP_PROXY", "value": variables.url}] + c.env'
    after = removed(policy(patched(value), url="'http://user:secret@old'", other='"x"'))
    assert variables(after) == {"url": "''", "other": '"x"'}
    assert expressions(after) == [patched("[] + c.env")]


def test_names_that_are_a_variable_go_out_of_it() -> None:
    value = "variables.proxy + c.?env.orValue([]).filter(e, !(e.name in variables.names))"
    obj = policy(patched(value), names='["HTTP_PROXY", "NO_PROXY"]', proxy=f"[{URL}, {LIST}]")
    assert variables(removed(obj)) == {"names": "[]", "proxy": "[]"}


def test_a_list_that_is_a_variable_and_replaces_that_of_a_container_keeps_its_patch_from_running() -> None:
    after = removed(policy(patched("variables.env"), env=f"[{URL}]"))
    assert expressions(after) == [patched("variables.env", IDLE)]
    assert variables(after) == {"env": "[]"}


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(policy(patched(f"c.x ? c.env : [{URL}]")), id="a condition about something else"),
        pytest.param(policy(patched(f"[\n  {MODE},  // theirs\n  {URL}\n]")), id="a comment between entries"),
        pytest.param(policy(patched(f"[{URL}][0]")), id="an index"),
        pytest.param(policy(patched("variables.env[0]"), env=f"[{URL}]"), id="an index of a variable"),
        pytest.param(policy(patched(f"([{URL}] + c.x)[0]")), id="an index of a sum"),
        pytest.param(policy(patched(f"[{URL}, {MODE}][1]")), id="an index of a list with another entry"),
        pytest.param(
            policy(patched("variables.env[1]"), env=f"[{URL}, {MODE}]"), id="an index of a variable with another entry"
        ),
        pytest.param(
            policy(patched("size(variables.env) == 2 ? variables.env : []"), env=f"[{URL}, {MODE}]"), id="a size"
        ),
        pytest.param(policy(patched("c.x"), env=f"f([{URL}])"), id="an argument"),
        pytest.param(policy("variables.env", env=f"[{URL}]"), id="the list as the whole patch"),
        pytest.param(policy(patched(f"[{URL}] + c.env.filter(e, e.name in ['HTTP_PROXY'])")), id="a filter that keeps"),
        pytest.param(policy(patched(f"c.env.map(e, e.name == 'HTTP_PROXY' ? {URL} : e)")), id="each entry by its name"),
        pytest.param(policy(patched(f"[{URL}] + c.env.filter(e, !!(e.name in ['HTTP_PROXY']))")), id="negated twice"),
        pytest.param(policy(patched(f"['HTTP_PROXY'] + [{URL}]")), id="the name among other values"),
        pytest.param(
            policy(f"[JSONPatch{{op: 'remove', path: string(x.indexOf('HTTP_PROXY'))}}, JSONPatch{{value: {URL}}}]"),
            id="a patch that removes the entry first",
        ),
        pytest.param(
            policy(
                patched('[{"name": "HTTP_PROXY", "value": variables.url}] + variables.url'), url='"http://u:secret@o"'
            ),
            id="a variable that something else reads",
        ),
        pytest.param(
            policy(patched('["HTTP_PROXY"].map(n, {"name": n, "value": "http://user:secret@old:1"})')),
            id="entries that are computed",
        ),
        pytest.param(policy(patched(f"[{URL}] + c.`env`")), id="an expression that is not read"),
        pytest.param(policy(patched(URL)), id="the value of a patch"),
        pytest.param(policy(f'[JSONPatch{{path: "/a/env", value: [{URL}]}}]'), id="a patch in a list"),
        pytest.param(policy(patched(f"[{URL}].map(e, e)")), id="a list that is gone through"),
        pytest.param(policy(patched(f"c.x ? [{LIST}] : [{URL}]")), id="both results of a condition"),
        pytest.param(
            policy(patched(f"[{URL}] + c.env.filter(e, !(e.name == 'HTTP_PROXY' || e.name == 'A'))")),
            id="a filter that negates comparisons",
        ),
        pytest.param(
            policy(patched(f"[{URL}] + c.env.filter(e, !e.name.endsWith('PROXY'))")), id="a filter by the end of names"
        ),
        pytest.param(policy(f"cel.bind(ours, [{URL}], x.map(c, JSONPatch{{value: ours + c.env}}))"), id="a bound list"),
        pytest.param(
            policy(patched('[{"name": "HTTP_PROXY", "value": "http://user:secret@" + object.host}] + c.env')),
            id="a value that is computed in part",
        ),
        pytest.param(
            policy(patched('[{"name": "HTTP_PROXY", "value": c.y ? "http://user:secret@a" : "http://b"}] + c.env')),
            id="one of two values",
        ),
        pytest.param(
            policy(patched("m.map(n, {'name': n, 'value': m[n]})"), m='{"HTTP_PROXY": "http://user:secret@old:1"}'),
            id="a map that is a variable",
        ),
        pytest.param(
            policy(
                patched("c.env.map(e, e.name == 'HTTP_PROXY' ? {'name': e.name, 'value': 'http://u:secret@o:1'} : e)")
            ),
            id="a value where the entry is there",
        ),
        pytest.param(
            policy(patched("['HTTP' + '_PROXY', 'NO_PROXY'].map(n, {'name': n, 'value': 'http://u:secret@o:1'})")),
            id="names that are computed",
        ),
    ],
)
def test_a_password_that_cannot_be_removed_is_an_error_that_names_the_field(obj: Any) -> None:
    assert changes(policies, obj, NONE) == []
    (found,) = (one for one in findings(policies, obj, NONE) if one.severity is Severity.ERROR)
    assert found.code == "PolicyPasswordLeft"
    assert found.path[:1] == ("spec",)
    assert found.path[-1] == "expression"
    assert "secret" not in found.message


def test_a_proxy_without_a_password_that_cannot_be_removed_is_a_warning_that_fails_a_check() -> None:
    obj = policy(patched('[{"name": "HTTP_PROXY", "value": "http://old:1"}][0]'))
    assert changes(policies, obj, NONE) == []
    (found,) = findings(policies, obj, NONE)
    assert (found.code, found.severity, found.is_stale) == ("PolicyTextStale", Severity.WARNING, True)


def test_a_password_of_something_else_is_no_error() -> None:
    other = '{"name": "NEXUS", "value": "http://user:secret@nexus"}'
    obj = policy(patched(f'[{{"name": "HTTP_PROXY", "value": object.proxy}}, {other}]'))
    assert [one.code for one in findings(policies, obj, NONE)] == ["PolicyTextComputed"]
    assert changes(policies, obj, NONE) == []


def test_no_proxy_stays_beside_a_url_that_is_computed() -> None:
    value = f'[{{"name": "HTTP_PROXY", "value": object.x}}, {LIST}] + c.env.filter(e, !(e.name in ["NO_PROXY"]))'
    assert changes(policies, policy(patched(value)), NONE) == []


@pytest.mark.parametrize(
    ("expression", "is_idle"),
    [
        pytest.param(patched(f"[{URL}] + c.env"), True, id="entries"),
        pytest.param(patched(f'[{URL}] + c.env.filter(e, e.name != "HTTP_PROXY")'), True, id="a filter of its name"),
        pytest.param(patched(f"[{URL}]"), True, id="a patch that does not run any more"),
        pytest.param(
            f'x.map(c, JSONPatch{{value: [{URL}] + c.env}}) + [JSONPatch{{op: "remove", path: "/a"}}]',
            False,
            id="a patch that removes something",
        ),
        pytest.param(patched(f"[{URL}, {MODE}]"), False, id="another entry"),
        pytest.param(patched(f'[{URL}] + c.env.filter(e, e.name != "A")'), False, id="a filter of another name"),
    ],
)
def test_a_policy_that_sets_nothing_any_more_is_a_warning(expression: str, is_idle: bool) -> None:
    codes = [one.code for one in findings(policies, policy(expression), NONE)]
    assert codes == (["PolicyRuleEmpty"] if is_idle else [])
    after = removed(policy(expression))
    assert findings(policies, after, NONE) == []
    assert changes(policies, after) == []


@pytest.mark.parametrize("unit", ["!", "a && ", "a + ", "a ? b : ", "a.filter(b, c).", "f("])
@pytest.mark.parametrize("count", [140, 1_000])
def test_a_long_expression_is_left_without_a_crash(unit: str, count: int) -> None:
    obj = policy(patched(f"{unit * count}[{URL}]"))
    assert changes(policies, obj, NONE) == []
    assert [one.code for one in findings(policies, obj, NONE)] == ["PolicyPasswordLeft"]


SIGNS = ("[", "]", "{", "}", "(", ")", ",", "+", " ? ", " : ", "!", "\n// a\n")
FILTERS = ('.filter(e, e.name != "HTTP_PROXY")', '.filter(e, !(e.name in ["NO_PROXY"]))')
PIECES = (URL, LIST, MODE, "c.env", "variables.a", "dyn(", "JSONPatch{value: ")


@given(st.lists(st.sampled_from((*PIECES, *SIGNS, *FILTERS)), max_size=12).map("".join), st.booleans())
def test_property_a_removal_leaves_no_password_or_says_so_and_twice_is_once(text: str, is_patched: bool) -> None:
    obj = policy(patched(text) if is_patched else text, a=f"[{URL}]")
    after = removed(obj)
    codes = [one.code for one in findings(policies, obj, NONE)]
    assert ("secret" in str(after)) is ("PolicyPasswordLeft" in codes)
    assert removed(after) == after
    texts = [*expressions(after), *variables(after).values()]
    assert after == obj or all(parse(one) is not None for one in texts)
