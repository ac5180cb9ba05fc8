"""What a removal takes out of CEL expressions, and what it must not touch.

What the engines do with the results is recorded in ``tests/kyverno/removed``.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kyverno_shapes import findings

from krm_fn.krm.results import Severity
from krm_fn.targets import kyverno_policies
from krm_fn.targets.kyverno.cel_removal import NotRemovableError, without_proxy
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
    return apply(kyverno_policies, obj, NONE)


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
            patched(f"[\n  {MODE},  // theirs\n  {URL},  // ours\n  {LIST}  // ours\n]"),
            patched(f"[\n  {MODE}  // theirs\n]"),
            id="comments of others stay",
        ),
        pytest.param(
            patched(f"[\n  {URL},  // ours\n  {MODE},  // theirs\n  {LIST},  // ours\n]"),
            patched(f"[\n  {MODE},  // theirs\n]"),
            id="comments behind the last comma",
        ),
        pytest.param(
            patched(f"[{MODE}, // theirs\n  {URL}] + c.env"),
            patched(f"[{MODE} // theirs\n] + c.env"),
            id="a comment does not reach the bracket",
        ),
        pytest.param(
            patched(f"[\n  {MODE},  // theirs\n  {URL},  // ours\n  {MODE}\n]"),
            patched(f"[\n  {MODE},  // theirs\n  {MODE}\n]"),
            id="one in the middle",
        ),
        pytest.param(patched(f"[{URL}]"), patched("[]", IDLE), id="a list that replaces that of a container"),
        pytest.param(patched(f"[{URL}].map(e, e)"), patched("[].map(e, e)", IDLE), id="a list that is gone through"),
        pytest.param(
            f"variables.x + [{URL}].map(e, JSONPatch{{value: e}})",
            "variables.x + [].map(e, JSONPatch{value: e})",
            id="a patch for each entry",
        ),
        pytest.param(patched(URL), patched("{}", IDLE), id="the value of a patch"),
        pytest.param(patched(f"dyn({URL})"), patched("dyn({})", IDLE), id="the value of a patch in dyn()"),
        pytest.param(
            patched(f"has(c.env) ? c.env + [{URL}] : [{URL}]"),
            patched("has(c.env) ? c.env + [] : []"),
            id="an empty list where there is no env",
        ),
        pytest.param(
            patched(f"!has(c.env) ? [{URL}] : c.env"), patched("!has(c.env) ? [] : c.env"), id="the same, negated"
        ),
        pytest.param(
            patched(f"c.x ? [{LIST}] : [{URL}]"), patched("c.x ? [] : []", IDLE), id="both results of a condition"
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
            patched(f'[{URL}] + c.env.filter(e, !!!(e.name in ["HTTP_PROXY"]))'),
            patched("[] + c.env.filter(e, !!!(e.name in []))"),
            id="a name that is negated three times",
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
            patched(f'[{URL}] + c.env.filter(e, (e.name != "HTTP_PROXY" && e.name != "A") && e.x)'),
            patched('[] + c.env.filter(e, (e.name != "A") && e.x)'),
            id="a comparison in parentheses",
        ),
        pytest.param(
            patched(f'[{URL}] + c.env.filter(e, !(e.name == "HTTP_PROXY" || e.name == "A"))'),
            patched('[] + c.env.filter(e, !(e.name == "A"))'),
            id="a negated comparison",
        ),
        pytest.param(
            patched(f'[{URL}, {{"name": "HTTP_PROXY", "valueFrom": x}}] + c.env.filter(e, e.name != "HTTP_PROXY")'),
            patched('[{"name": "HTTP_PROXY", "valueFrom": x}] + c.env.filter(e, e.name != "HTTP_PROXY")'),
            id="a name that another entry sets stays in the filter",
        ),
        pytest.param(
            f'[JSONPatch{{path: "/a/env/-", value: {URL}}}, JSONPatch{{path: "/b", value: "c"}}]',
            '[JSONPatch{path: "/b", value: "c"}]',
            id="a patch in a list",
        ),
        pytest.param(
            f'[JSONPatch{{path: "/a/env/-", value: {URL}}}]',
            '[JSONPatch{path: "/a/env/-", value: {}}].filter(patch, false)',
            id="the only patch in a list",
        ),
        pytest.param(
            f"x.map(c, [JSONPatch{{value: {URL}}}, JSONPatch{{value: {LIST}}}]).flatten()",
            "x.map(c, [JSONPatch{value: {}}, JSONPatch{value: {}}].filter(patch, false)).flatten()",
            id="lists of patches",
        ),
        pytest.param(
            f"x.map(c, c.y ? JSONPatch{{value: {URL}}} : JSONPatch{{value: {MODE}}})",
            f"x.filter(c, !(c.y)).map(c, c.y ? JSONPatch{{value: {{}}}} : JSONPatch{{value: {MODE}}})",
            id="one of two patches",
        ),
        pytest.param(
            f"x.map(c, c.y ? JSONPatch{{a: 1}} : c.z ? JSONPatch{{value: {URL}}} : JSONPatch{{b: 2}})",
            "x.filter(c, ((c.y) ? true : !(c.z))).map(c, c.y ? JSONPatch{a: 1} : "
            "c.z ? JSONPatch{value: {}} : JSONPatch{b: 2})",
            id="one of three patches",
        ),
        pytest.param(
            f"cel.bind(ours, [{URL}], x.map(c, JSONPatch{{value: ours + c.env}}))",
            "cel.bind(ours, [], x.map(c, JSONPatch{value: ours + c.env}))",
            id="a bound list that is added",
        ),
        pytest.param(
            f"a ? [] : cel.bind(ours, [{URL}], x.map(c, JSONPatch{{value: ours}}))",
            "a ? [] : cel.bind(ours, [], x.filter(c, false).map(c, JSONPatch{value: ours}))",
            id="a bound list that replaces",
        ),
        pytest.param(
            f"x.map(i, cel.bind(c, i, JSONPatch{{value: {URL}}}))",
            "x.filter(i, false).map(i, cel.bind(c, i, JSONPatch{value: {}}))",
            id="a patch with a bound container",
        ),
        pytest.param(
            patched('[{"name": "HTTP_PROXY", "value": "http://user:secret@" + object.host}] + c.env'),
            patched("[] + c.env"),
            id="a value that is computed in part",
        ),
        pytest.param(
            patched('[{"name": "HTTP_PROXY", "value": c.y ? "http://user:secret@a" : "http://b"}] + c.env'),
            patched("[] + c.env"),
            id="one of two values",
        ),
    ],
)
def test_entries_go_and_what_is_left_is_an_expression_that_takes_nothing_away(before: str, after: str) -> None:
    assert expressions(removed(policy(before))) == [after]


def test_the_text_of_a_variable_becomes_empty_if_only_entries_read_it() -> None:
    value = '[{"name": "HTTP_PROXY", "value": variables.url}] + c.env'
    obj = policy(patched(value), host='"user:secret@old"', url="'http://' + variables.host", other='"x"')
    after = removed(obj)
    assert variables(after) == {"host": '""', "url": "'' + variables.host", "other": '"x"'}
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
    ],
)
def test_a_password_that_cannot_be_removed_is_an_error_that_names_the_field(obj: Any) -> None:
    assert changes(kyverno_policies, obj, NONE) == []
    (found,) = (one for one in findings(kyverno_policies, obj, NONE) if one.severity is Severity.ERROR)
    assert found.code == "PolicyPasswordLeft"
    assert found.path[:1] == ("spec",)
    assert found.path[-1] == "expression"
    assert "secret" not in found.message


def test_a_proxy_without_a_password_that_cannot_be_removed_is_a_warning_that_fails_a_check() -> None:
    obj = policy(patched('[{"name": "HTTP_PROXY", "value": "http://old:1"}][0]'))
    assert changes(kyverno_policies, obj, NONE) == []
    (found,) = findings(kyverno_policies, obj, NONE)
    assert (found.code, found.severity, found.is_stale) == ("PolicyTextStale", Severity.WARNING, True)


def test_a_password_of_something_else_is_no_error() -> None:
    other = '{"name": "NEXUS", "value": "http://user:secret@nexus"}'
    obj = policy(patched(f'[{{"name": "HTTP_PROXY", "value": object.proxy}}, {other}]'))
    assert [one.code for one in findings(kyverno_policies, obj, NONE)] == ["PolicyTextComputed"]
    assert changes(kyverno_policies, obj, NONE) == []


def test_no_proxy_stays_beside_a_url_that_is_computed() -> None:
    value = f'[{{"name": "HTTP_PROXY", "value": object.x}}, {LIST}] + c.env.filter(e, !(e.name in ["NO_PROXY"]))'
    assert changes(kyverno_policies, policy(patched(value)), NONE) == []


@pytest.mark.parametrize(
    ("expression", "is_idle"),
    [
        pytest.param(patched(f"[{URL}] + c.env"), True, id="entries"),
        pytest.param(patched(f'[{URL}] + c.env.filter(e, e.name != "HTTP_PROXY")'), True, id="a filter of its name"),
        pytest.param(patched(URL), True, id="a patch that does not run any more"),
        pytest.param(patched(f"[{URL}, {MODE}]"), False, id="another entry"),
        pytest.param(patched(f'[{URL}] + c.env.filter(e, e.name != "A")'), False, id="a filter of another name"),
        pytest.param(f"[JSONPatch{{value: {URL}}}, JSONPatch{{op: 'remove', path: '/a'}}]", False, id="another patch"),
    ],
)
def test_a_policy_that_sets_nothing_any_more_is_a_warning(expression: str, is_idle: bool) -> None:
    codes = [one.code for one in findings(kyverno_policies, policy(expression), NONE)]
    assert codes == (["PolicyRuleEmpty"] if is_idle else [])
    after = removed(policy(expression))
    assert findings(kyverno_policies, after, NONE) == []
    assert changes(kyverno_policies, after) == []


def test_a_name_that_is_only_asked_for_is_no_finding_after_the_removal() -> None:
    asked = (
        f'x.map(c, c.env.exists(e, e.name == "HTTP_PROXY") ? JSONPatch{{value: {URL}}} : JSONPatch{{value: [{URL}]}})'
    )
    after = removed(policy(asked))
    assert findings(kyverno_policies, after, NONE) == []
    assert findings(kyverno_policies, after) == []


@pytest.mark.parametrize("unit", ["!", "a && ", "a + ", "a ? b : ", "a.filter(b, c).", "f("])
@pytest.mark.parametrize("count", [30, 140, 2_000])
def test_a_long_expression_is_emptied_or_left_without_a_crash(unit: str, count: int) -> None:
    text = patched(f"{unit * count}[{URL}]")
    if unit == "a + " and count <= 140:
        assert without_proxy({("spec",): text}, {}) == {("spec",): text.replace(URL, "")}
        return
    with pytest.raises(NotRemovableError):
        without_proxy({("spec",): text}, {})


SIGNS = ("[", "]", "{", "}", "(", ")", ",", "+", " ? ", " : ", "!", "\n// a\n")
FILTERS = ('.filter(e, e.name != "HTTP_PROXY")', '.filter(e, !(e.name in ["NO_PROXY"]))')
PIECES = (URL, LIST, MODE, "c.env", "variables.a", "dyn(", "JSONPatch{value: ")


@given(st.lists(st.sampled_from((*PIECES, *SIGNS, *FILTERS)), max_size=12).map("".join), st.booleans())
def test_property_a_removal_is_whole_or_none_and_twice_is_once(text: str, is_patched: bool) -> None:
    path = ("spec", "mutations", "0", "jsonPatch", "expression")
    of_variable = ("spec", "variables", "0", "expression")
    texts = {path: patched(text) if is_patched else text, of_variable: f"[{URL}]"}
    names = {of_variable: "a"}
    try:
        after = {**texts, **without_proxy(texts, names)}
    except NotRemovableError as error:
        assert error.path in texts
        return
    assert "secret" not in "".join(after.values())
    assert without_proxy(after, names) == {}
