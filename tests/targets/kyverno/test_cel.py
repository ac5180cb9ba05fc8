"""The CEL expressions of a policy: which literals are set, what is reported, and that no other byte changes."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from all_targets import TARGETS
from krm_fn.krm.results import Severity
from krm_fn.patch import lookup
from kyverno_shapes import findings
from proposals import FULL, HTTP, HTTPS, NO, NONE, apply, changes, proposals

policies = TARGETS["kyverno"]

WANTED = FULL.variables
OLD = '"http://old:1"'
OF_ALL = "[" + ", ".join(f'{{"name": "{name}", "value": {json.dumps(value)}}}' for name, value in WANTED.items()) + "]"


def cel(expression: str, **variables: str) -> Any:
    """A MutatingPolicy with a JSON Patch of an expression."""
    spec = {
        "variables": [{"name": name, "expression": text} for name, text in variables.items()],
        "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": expression}}],
    }
    return {"apiVersion": "policies.kyverno.io/v1", "kind": "MutatingPolicy", "spec": spec}


def expression_of(obj: Any) -> str:
    return str(lookup(obj, ("spec", "mutations", "0", "jsonPatch", "expression")))


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(cel(OF_ALL), id="a list of maps"),
        pytest.param(cel(f"[E{{name: \"HTTP_PROXY\", value: r'{HTTP}'}}]"), id="a message with a raw string"),
        pytest.param(cel('[{"name": "HTTP_PROXY", "value": variables.proxy}]', proxy=f"'{HTTP}'"), id="a variable"),
        pytest.param(cel(f'{OF_ALL} + c.env.filter(e, e.name != "HTTP_PROXY")'), id="names that a filter mentions"),
    ],
)
def test_nothing_is_said_where_all_is_right(obj: Any) -> None:
    assert proposals(policies, obj) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param('{"name": "HTTP_PROXY", "value": "http://old:1"}', f'"{HTTP}"', id="double quotes"),
        pytest.param("E{name: 'HTTP_PROXY', value: r'http://old:1'}", f"'{HTTP}'", id="a message, a raw string"),
        pytest.param('{"name": "HTTP_PROXY", "value": """http://old:1"""}', f'"{HTTP}"', id="three quotes"),
        pytest.param('{\n "name" : "NO_PROXY", // the list\n "value":"x" }', f'"{NO}"', id="comments and line breaks"),
        pytest.param('{"HTTP_PROXY": "http://old:1"}', f'"{HTTP}"', id="a member of a map"),
    ],
)
def test_only_the_literal_of_a_value_is_edited(before: str, after: str) -> None:
    rest = ' + c.env.filter(e, !(e.name in ["HTTP_PROXY"])) // "http://old:1"'
    result = expression_of(apply(policies, cel(f"[{before}]{rest}")))
    assert result.endswith(rest)
    assert after in result
    for part in re.split(r"""r?(?:\"{3}|["'])(?:http://old:1|x)?(?:\"{3}|["'])""", before):
        assert part in result


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(cel('[{"name": "HTTP_PROXY", "value": "a" + "b"}]'), id="a computed value"),
        pytest.param(cel('[{"name": "HTTP_PROXY", "value": variables.x}]', x="object.y"), id="a computed variable"),
        pytest.param(cel('["HTTP_PROXY"].map(n, object.x[n])'), id="a name alone"),
        pytest.param(cel(f'[{{"value": {OLD}, "name": "HTTP_PROXY"}}]'), id="the value in front of the name"),
        pytest.param(
            cel(f'c.env.map(e, {{"name": e.name, "value": e.name == "HTTP_PROXY" ? {OLD} : e.value}})'),
            id="a condition in the value",
        ),
        pytest.param(cel(f'[{{"name": "HTTPS_PROXY", "value": "{HTTPS}"}}] + f("HTTP_PROXY", {OLD})'), id="beside one"),
    ],
)
def test_a_name_in_a_form_that_is_not_read_is_a_warning(obj: Any) -> None:
    (finding,) = findings(policies, obj)
    assert (finding.code, finding.severity) == ("ByHand", Severity.WARNING)
    assert "`HTTP_PROXY`" in finding.message
    assert changes(policies, obj) == []


@pytest.mark.parametrize(
    ("url", "code"),
    [("http://old:1", "ByHand"), ("http://user:secret@old:1", "PasswordLeft")],
    ids=["a proxy", "a password"],
)
def test_a_removal_leaves_expressions_and_says_so(url: str, code: str) -> None:
    obj = cel(f'[{{"name": "HTTP_PROXY", "value": "{url}"}}]')
    (finding,) = findings(policies, obj, NONE)
    assert finding.code == code
    assert changes(policies, obj, NONE) == []


@pytest.mark.parametrize("value", ['"a,b," + variables.x', '("a,b," + variables.x)', 'string("a,b," + variables.x)'])
def test_of_a_list_the_beginning_is_filled(value: str) -> None:
    obj = cel(f'[{{"name": "NO_PROXY", "value": {value}}}]', x="object.y")
    expected = value.replace("a,b", NO)
    assert expression_of(apply(policies, obj)) == f'[{{"name": "NO_PROXY", "value": {expected}}}]'


@pytest.mark.parametrize(
    "expression",
    [
        pytest.param('[{"name": "NO_PROXY", "value": variables.x + ",LIST"}]', id="behind what is computed"),
        pytest.param('["NO_PROXY"].map(n, {"name": n, "value": "LIST," + variables.x})', id="beside a name alone"),
    ],
)
@pytest.mark.parametrize(("entries", "is_stale"), [("a,b", True), (NO, False)], ids=["another list", "the list"])
def test_a_list_that_is_not_filled_fails_a_check_if_it_differs(expression: str, entries: str, is_stale: bool) -> None:
    (finding,) = findings(policies, cel(expression.replace("LIST", entries), x="object.y"))
    assert (finding.code, finding.is_stale) == ("ByHand", is_stale)


def test_one_literal_for_two_values_is_a_warning() -> None:
    both = '[{"name": "HTTP_PROXY", "value": variables.p}, {"name": "HTTPS_PROXY", "value": variables.p}]'
    (finding,) = findings(policies, cel(both, p=OLD))
    assert finding.code == "ByHand"
