"""YAML inside a value: base64 or plain, several documents, annotations of ytt; what is not asked for stays."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.formats.embedded import NotEditedError, Value, begin_text, edited, mappings, read, values
from krm_fn.krm.codes import Severity

PATH = ("stringData", "values.yaml")


# Where texts stand.


@pytest.mark.parametrize(
    ("obj", "texts"),
    [
        pytest.param(
            {"kind": "ConfigMap", "data": {"a": "eA=="}, "binaryData": {"b": "eA=="}},
            [Value(("data", "a"), "eA==")],
            id="data of a ConfigMap is text",
        ),
        pytest.param(
            {"kind": "Secret", "data": {"a": "eDogMQo="}, "stringData": {"b": "y: 2\n"}},
            [Value(("stringData", "b"), "y: 2\n"), Value(("data", "a"), "x: 1\n", is_base64=True)],
            id="data of a Secret is base64, and stringData is not",
        ),
    ],
)
def test_texts_are_found(obj: Any, texts: list[Value]) -> None:
    assert values(obj) == texts


@pytest.mark.parametrize(
    ("obj", "severity", "path"),
    [
        pytest.param({"kind": "Secret", "data": [1]}, Severity.ERROR, ("data",), id="data is a list"),
        pytest.param({"kind": "ConfigMap", "data": {"a": 1}}, Severity.ERROR, ("data", "a"), id="a value is a number"),
        pytest.param({"kind": "ConfigMap", "data": "${DATA}"}, Severity.WARNING, ("data",), id="data is a template"),
        pytest.param({"kind": "Secret", "data": {"a": "x: 1"}}, Severity.WARNING, ("data", "a"), id="no base64"),
    ],
)
def test_what_is_no_text_is_reported(obj: Any, severity: Severity, path: tuple[str, ...]) -> None:
    (value,) = values(obj)
    assert value.problem is not None
    assert (value.problem.severity, value.problem.path) == (severity, path)
    with pytest.raises(NotEditedError):
        read(value)


# What they say.


@pytest.mark.parametrize("text", ["a: {", "\ta: 1\n", "a: 1\n---\n'"])
def test_yaml_that_cannot_be_read_is_reported_and_holds_no_mappings(text: str) -> None:
    with pytest.raises(NotEditedError) as raised:
        read(Value(PATH, text))
    assert (raised.value.finding.code, raised.value.finding.path) == ("TextUnreadable", PATH)
    assert list(mappings(Value(PATH, text))) == []


# How they are edited.


@given(st.text(max_size=60), st.integers(0, 20))
def test_a_text_that_is_written_in_base64_is_read_again(text: str, width: int) -> None:
    written = Value(PATH, "", is_base64=True, width=width).written(text)
    (value,) = values({"kind": "Secret", "data": {"a": written}})
    assert value.text == text
    assert value.written(text).split() == written.split()


def test_a_text_with_a_key_twice_cannot_be_read() -> None:
    with pytest.raises(NotEditedError) as raised:
        edited(Value(PATH, "a: 1\na: 2\n"), {0: {"a": 3}})
    assert (raised.value.finding.code, raised.value.finding.path) == ("TextUnreadable", PATH)
    assert "same key at line 1 and at line 2" in raised.value.finding.message


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("...\n", id="the end of a document"),
        pytest.param("--- {a: b}\n", id="a document that was taken for none"),
    ],
)
def test_a_first_document_that_yaml_would_not_read_is_refused(text: str) -> None:
    with pytest.raises(NotEditedError) as raised:
        begin_text(Value(PATH, text), {"a": "x"})
    assert (raised.value.finding.severity, raised.value.finding.path) == (Severity.ERROR, PATH)


# What nobody thought of.


@given(st.text(max_size=40) | st.none() | st.integers() | st.lists(st.text(max_size=3)))
def test_a_value_of_any_shape_is_text_or_has_a_problem(data: Any) -> None:
    for kind in ("Secret", "ConfigMap"):
        for value in values({"kind": kind, "data": {"values.yaml": data}}):
            assert value.problem or isinstance(value.text, str)
            list(mappings(value))
