"""YAML inside a value: base64 or plain, several documents, annotations of ytt; what is not asked for stays."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.formats.embedded import NotEditedError, TextEditor, Value, begin_text, mappings, read, values
from krm_fn.krm.codes import Severity

YTT = "#@data/values\n#@overlay/match-child-defaults missing_ok=True\n---\n"
PATH = ("stringData", "values.yaml")


def edited(text: str, index: int, change: Callable[[Any], None]) -> str:
    """``text`` after a change of the data of its document number ``index``."""
    data = copy.deepcopy(documents_of(text)[index])
    change(data)
    return TextEditor(Value(PATH, text)).edit(index, data)


def documents_of(text: str) -> list[Any]:
    return [document.data for document in read(Value(PATH, text))]


# Where texts stand.


@pytest.mark.parametrize(
    ("obj", "texts"),
    [
        pytest.param({}, [], id="an object without data"),
        pytest.param({"kind": "Secret", "data": None, "stringData": {}}, [], id="data that is null, and empty"),
        pytest.param({"kind": "Secret", "stringData": {"a": None}}, [], id="a value that is null"),
        pytest.param({"kind": "ConfigMap", "stringData": {"a": "x"}}, [], id="stringData of a ConfigMap is nothing"),
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
        pytest.param(
            {"kind": "Secret", "data": {"a": "eDog\nMQo=\n"}},
            [Value(("data", "a"), "x: 1\n", is_base64=True, width=4, ending="\n")],
            id="base64 over several lines",
        ),
        pytest.param(
            {"kind": "Secret", "data": {"a": "eDogMQo="}, "stringData": {"a": "x: 2\n"}},
            [Value(("stringData", "a"), "x: 2\n")],
            id="of one key in both, stringData counts",
        ),
        pytest.param({"kind": "ConfigMap", "data": {1: "x"}}, [Value(("data", "1"), "x")], id="a key that is a number"),
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
        pytest.param({"kind": "Secret", "data": {"a": "/w=="}}, Severity.WARNING, ("data", "a"), id="bytes, no UTF-8"),
    ],
)
def test_what_is_no_text_is_reported(obj: Any, severity: Severity, path: tuple[str, ...]) -> None:
    (value,) = values(obj)
    assert value.problem is not None
    assert (value.problem.severity, value.problem.path) == (severity, path)
    with pytest.raises(NotEditedError):
        read(value)


# What they say.


@pytest.mark.parametrize(
    ("text", "data"),
    [
        pytest.param("", [], id="an empty text"),
        pytest.param(YTT, [], id="annotations of ytt and a separator"),
        pytest.param("---\n#! nothing\n---\n", [], id="comments between separators"),
        pytest.param(f"{YTT}a: 1", [{"a": 1}], id="no line break at the end"),
        pytest.param("a: 1\r\n---\r\nb: 2\r\n", [{"a": 1}, {"b": 2}], id="the line breaks of Windows"),
        pytest.param("--- {a: 1}\n--- # x\nb: 2\n", [{"a": 1}, {"b": 2}], id="a document behind its separator"),
        pytest.param("- 1\n---\n~\n---\nx\n", [[1], None, "x"], id="documents that are no mappings"),
        pytest.param("a: |\n  --- no separator\n", [{"a": "--- no separator\n"}], id="dashes inside a text"),
    ],
)
def test_documents_are_read(text: str, data: list[Any]) -> None:
    assert documents_of(text) == data
    assert [one.data for one in mappings(Value(PATH, text))] == [one for one in data if isinstance(one, dict)]


@pytest.mark.parametrize("text", ["a: {", "\ta: 1\n", "a: 1\n---\n'"])
def test_yaml_that_cannot_be_read_is_reported_and_holds_no_mappings(text: str) -> None:
    with pytest.raises(NotEditedError) as raised:
        read(Value(PATH, text))
    assert (raised.value.finding.code, raised.value.finding.path) == ("TextUnreadable", PATH)
    assert list(mappings(Value(PATH, text))) == []


# How they are edited.


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            f"{YTT}# on top\na:\n  b: 1 #! why\n\n  #! below\n",
            f"{YTT}# on top\na:\n  b: 2 #! why\n\n  #! below\n",
            id="comments, blanks and annotations stay",
        ),
        pytest.param(f"{YTT}a: {{b: 1}}", f"{YTT}a: {{b: 2}}", id="no line break at the end, still none"),
        pytest.param("a:\r\n  b: 1\r\nc: 1\r\n", "a:\r\n  b: 2\r\nc: 1\r\n", id="the line breaks of Windows stay"),
        pytest.param('{"a": {"b": 1}}\n', '{"a": {"b": 2}}\n', id="JSON stays JSON"),
        pytest.param("a: &x {b: 1}\nc: *x\n", "a: &x {b: 2}\nc:\n  b: 1\n", id="what refers to it keeps its value"),
    ],
)
def test_only_what_is_asked_for_changes(before: str, after: str) -> None:
    assert edited(before, 0, lambda data: data["a"].update(b=2)) == after


def test_a_document_in_the_middle_is_edited_and_its_neighbours_are_not() -> None:
    text = f"x: 1 # first\n---\n{YTT}x: 1 # second\n--- # third\nx: 1\n"

    assert edited(text, 1, lambda data: data.update(x=2, z=3)) == (
        f"x: 1 # first\n---\n{YTT}x: 2 # second\nz: 3\n--- # third\nx: 1\n"
    )


@pytest.mark.parametrize(
    "written",
    [
        pytest.param("eDogMQo=", id="on one line"),
        pytest.param("eDogMQo=\n", id="on one line with a line break"),
        pytest.param("eDog\nMQo=", id="on several lines without a last line break"),
        pytest.param("eDog\nMQo=\n", id="on several lines"),
        pytest.param("eDog\nMQo=\n\n", id="with an empty line below"),
        pytest.param("", id="nothing"),
        pytest.param("\n", id="a line break"),
    ],
)
def test_base64_is_written_as_it_was(written: str) -> None:
    (value,) = values({"kind": "Secret", "data": {"a": written}})

    assert isinstance(value, Value)
    assert value.written(value.text) == written


@given(st.text(max_size=60), st.integers(0, 20))
def test_a_text_that_is_written_in_base64_is_read_again(text: str, width: int) -> None:
    written = Value(PATH, "", is_base64=True, width=width).written(text)
    (value,) = values({"kind": "Secret", "data": {"a": written}})
    assert value.text == text
    assert value.written(text).split() == written.split()


def test_a_key_that_stands_twice_is_reported_as_an_error() -> None:
    with pytest.raises(NotEditedError) as raised:
        edited("a: 1\na: 2\n", 0, lambda data: data.update(a=3))
    assert (raised.value.finding.severity, raised.value.finding.path) == (Severity.ERROR, PATH)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("", "a:\n  b: x\n", id="an empty text"),
        pytest.param(YTT, f"{YTT}a:\n  b: x\n", id="annotations and a separator"),
        pytest.param("#! nothing", "#! nothing\na:\n  b: x", id="a comment without a line break"),
        pytest.param("#! nothing\r\n", "#! nothing\r\na:\r\n  b: x\r\n", id="the line breaks of Windows"),
    ],
)
def test_a_first_document_is_put_behind_what_is_there(before: str, after: str) -> None:
    assert begin_text(Value(PATH, before), {"a": {"b": "x"}}) == after
    assert documents_of(after) == [{"a": {"b": "x"}}]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("...\n", id="the end of a document"),
        pytest.param("# a\n...\n", id="the same behind a comment"),
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
