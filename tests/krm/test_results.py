"""Results: their two forms and their order."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.krm.results import (
    ObjectRef,
    Result,
    Severity,
    by_importance,
    entries,
    lines,
    message_of,
    sorted_results,
    without_duplicates,
)

REF = ObjectRef("apps/v1", "Deployment", "web", "prod", "apps/web.yaml", 2)


@pytest.mark.parametrize(
    ("result", "data"),
    [
        pytest.param(Result("", "m\nn"), {"message": "m n", "severity": "info"}, id="a message is one line"),
        pytest.param(
            Result("", "m", ("a", "0"), "old", "new", ref=REF, target="nodes.kubelet", level=Severity.ERROR),
            {
                "message": "m",
                "severity": "error",
                "resourceRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "namespace": "prod"},
                "field": {"path": "a[0]", "currentValue": "old", "proposedValue": "new"},
                "file": {"path": "apps/web.yaml", "index": 2},
                "tags": {"target": "nodes.kubelet"},
            },
            id="all there can be",
        ),
        pytest.param(
            Result("", "m", ("a",), 1, 2, ref=ObjectRef("v1", "Secret")),
            {"message": "m", "severity": "info"},
            id="an object without a name is no reference, and a field needs one",
        ),
        pytest.param(
            Result("", "m", ("a",), False, 0, ref=ObjectRef("v1", "Secret", "x")),
            {
                "message": "m",
                "severity": "info",
                "resourceRef": {"apiVersion": "v1", "kind": "Secret", "name": "x"},
                "field": {"path": "a", "currentValue": False, "proposedValue": 0},
            },
            id="false and zero are values",
        ),
    ],
)
def test_the_entry_of_results(result: Result, data: dict[str, Any]) -> None:
    assert result.to_data() == data


@pytest.mark.parametrize(
    ("messages", "is_one", "message"),
    [
        pytest.param(["is off: no"], True, "is off: no", id="no names"),
        pytest.param(
            ["`a` of `x` is off", "`b` of `x` is off", "`a` of `y` is off"],
            True,
            "`a`, `b` of `x`, `y` is off",
            id="names",
        ),
        pytest.param(['lacks "a"', 'lacks "b", "c" and "d"'], True, 'lacks "a", "b", "c" and "d"', id="several in one"),
        pytest.param(
            [f'lacks "{number}"' for number in range(9)], True, 'lacks "0", "1", "2" and 6 more', id="so many are named"
        ),
        pytest.param(["`a` is off", "`a` is on"], False, "", id="other words"),
        pytest.param(["is off: ...", "is off: `a`"], True, "is off: ..., is off: ", id="three dots are no name"),
    ],
)
def test_results_of_one_reason_differ_in_names_alone(messages: list[str], is_one: bool, message: str) -> None:
    found = [Result("ByHand", text) for text in messages]
    assert (len({result.reason for result in found}) == 1) is is_one
    if is_one:
        assert message_of(found) == message


def test_the_entry_of_a_finding_has_its_reason() -> None:
    (entry,) = entries([Result("ByHand", 'lacks "a"')])
    assert entry["tags"] == {"rule": "ByHand", "reason": "ByHand: lacks ..."}


def _at(path: str, index: int, severity: Severity, message: str) -> Result:
    return Result("", message, ref=ObjectRef(file_path=path, file_index=index), level=severity)


IN_ORDER = [
    _at("", 0, Severity.INFO, "no file"),
    _at("a.yaml", 0, Severity.ERROR, "z"),
    _at("a.yaml", 0, Severity.WARNING, "a"),
    _at("a.yaml", 0, Severity.WARNING, "b"),
    _at("a.yaml", 2, Severity.ERROR, "a"),
    _at("a.yaml", 10, Severity.ERROR, "a"),
    _at("b.yaml", 0, Severity.INFO, "a"),
]


@given(st.permutations(IN_ORDER))
def test_results_stand_in_the_order_of_kyaml(shuffled: list[Result]) -> None:
    assert sorted_results(shuffled) == IN_ORDER


@given(st.permutations(IN_ORDER))
def test_what_matters_most_is_reported_first(shuffled: list[Result]) -> None:
    reported = by_importance(shuffled)
    assert [result.severity.value for result in reported] == ["error"] * 3 + ["warning"] * 2 + ["info"] * 2
    errors = [result for result in reported if result.severity is Severity.ERROR]
    assert errors == [IN_ORDER[1], IN_ORDER[4], IN_ORDER[5]]


WRITTEN = Result("ByHand", "sets x", ("data", "k"), "x", ref=REF, target="a")


@pytest.mark.parametrize(
    ("other", "is_one"),
    [
        pytest.param({}, True, id="the same"),
        pytest.param({"path": ("data", "other")}, False, id="another field"),
        pytest.param({"current": {"k": ["x"]}}, False, id="another value"),
    ],
)
def test_what_differs_in_its_target_only_is_one_result(other: dict[str, Any], is_one: bool) -> None:
    second = WRITTEN._replace(**other)
    assert without_duplicates([WRITTEN, second]) == ([WRITTEN] if is_one else [WRITTEN, second])
    assert without_duplicates([second, WRITTEN]) == ([second] if is_one else [second, WRITTEN])


def test_what_differs_in_a_password_only_is_said_once_of_many() -> None:
    found = [WRITTEN._replace(path=(str(at),), message=f'sets "http://u:{at}@h"') for at in range(4)]
    (line,) = lines(found)
    assert line.endswith("(and 3 more places in it, `--verbose` names them)")


CHANGE = Result("", "sets a", ("spec", "files"), ref=REF, target="one")


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        pytest.param({}, ["sets a, sets b (one, two) spec.files"], id="two changes of a field"),
        pytest.param({"path": ("spec", "commands")}, ["sets a, sets b (one, two) spec"], id="a field beside it"),
        pytest.param({"path": ("metadata",)}, ["sets a (one) spec.files", "sets b (two) metadata"], id="another field"),
        pytest.param({"current": "x"}, ["sets a (one) spec.files", "sets b (two) spec.files"], id="one with a value"),
        pytest.param(
            {"code": "ByHand"}, ["sets a (one) spec.files", "ByHand: sets b (two) spec.files"], id="no change"
        ),
    ],
)
def test_what_targets_change_in_one_object_is_one_entry(other: dict[str, Any], expected: list[str]) -> None:
    found = entries([CHANGE, CHANGE._replace(**{"message": "sets b", "target": "two", **other})])
    shown = [(one["message"], one.get("tags", {}).get("target", ""), one["field"]["path"]) for one in found]
    assert [f"{message} ({target}) {path}" for message, target, path in shown] == expected


def test_a_value_that_is_shown_is_that_of_the_field_of_its_entry() -> None:
    shown, other = CHANGE._replace(current="old"), CHANGE._replace(path=("spec", "commands"))
    assert [one["field"] for one in entries([shown, CHANGE, other])] == [
        {"path": "spec.files", "currentValue": "old"},
        {"path": "spec.commands"},
    ]


def test_a_line_is_the_severity_and_the_text_with_the_file() -> None:
    """Also where what is said holds the bracket that ends the severity."""
    ref = ObjectRef("v1", "ConfigMap", "a] b", "", "[x] y.yaml")
    result = Result("ByHand", "says [error] or  not", ("data", "c] d"), ref=ref)
    assert result.line_with_file() == "[warning] [x] y.yaml v1/ConfigMap/a] b data.c] d: ByHand: says [error] or not"
