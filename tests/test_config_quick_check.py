"""The quick check of a FunctionConfig accepts nothing that `jsonschema` does not accept, and asks it about all else."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given, note
from hypothesis import strategies as st

from function_configs import FOLDER, PROXY, SCHEMA, keywords, proxy_config, resolved
from krm_fn.config import ProxyConfig, _quick_check, _schema, load
from krm_fn.config._quick_check import is_certainly_valid
from krm_fn.errors import ConfigError, InputError
from krm_fn.krm.resourcelist import ResourceList
from support import ROOT

SPEC = SCHEMA["properties"]["spec"]
FORM = {"apiVersion": "fn.inject-proxy.io/v1alpha1", "kind": "ProxyConfig"}


def test_the_quick_check_knows_every_keyword_of_the_schema() -> None:
    assert {*keywords(SCHEMA)} == _quick_check.KEYWORDS | _quick_check.ANNOTATIONS


UNKNOWN = {"format": "uri"}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        pytest.param(UNKNOWN, "text", id="at the top"),
        pytest.param({"properties": {"a": UNKNOWN}}, {"a": "text"}, id="in a field"),
        pytest.param({"additionalProperties": UNKNOWN}, {"a": "text"}, id="in any other field"),
        pytest.param({"propertyNames": UNKNOWN}, {"a": "text"}, id="about the names of fields"),
        pytest.param({"items": UNKNOWN}, ["text"], id="in a list"),
        pytest.param({"contains": UNKNOWN}, ["text"], id="in one item of a list"),
        pytest.param({"anyOf": [UNKNOWN]}, "text", id="in a choice"),
        pytest.param({"$ref": "#/$defs/a", "$defs": {"a": UNKNOWN}}, "text", id="in a definition"),
        pytest.param({"$ref": "#/properties/a", "properties": {"a": {}}}, "text", id="a reference to another place"),
        pytest.param({"type": "number"}, 1, id="a type that the schema of the FunctionConfig does not use"),
    ],
)
def test_the_quick_check_does_not_accept_what_it_does_not_know(schema: dict[str, Any], value: Any) -> None:
    assert jsonschema.Draft202012Validator(schema).is_valid(value)
    assert not is_certainly_valid(value, schema)


VALUES: list[Any] = [
    *("", "ab", "ab\n", "abc", "1"),
    *(0, 1, 3, 1.0, 3.5, True, False, None, datetime.date(2024, 1, 1)),
    *([], ["ab"], ["abc", 1], [1, 2, 3], [True]),
    *({}, {"a": "ab"}, {"a": 1, "b": "ab"}, {"b": {}}, {"a": {}, "b": [], "c": 0}),
]
KEYWORD_SCHEMAS: list[dict[str, Any]] = [
    {"$ref": "#/$defs/ab", "$defs": {"ab": {"enum": ["ab"]}}},
    {"$ref": "#/$defs/ab", "$defs": {"ab": {"type": "string"}}, "minLength": 3},
    {"additionalProperties": False},
    {"additionalProperties": False, "properties": {"a": {}}},
    {"additionalProperties": {"type": "string"}, "properties": {"a": {"type": "integer"}}},
    {"anyOf": [{"type": "array"}, {"required": ["a"]}]},
    {"const": "ab"},
    {"const": 1},
    {"contains": {"type": "integer"}},
    {"dependentRequired": {"a": ["b"]}},
    {"enum": ["ab", 1]},
    {"items": {"type": "integer"}},
    {"maxLength": 2},
    {"maxProperties": 1},
    {"minItems": 1},
    {"minLength": 2},
    {"minProperties": 1},
    {"minimum": 1},
    {"pattern": "^ab$"},
    {"properties": {"a": {"type": "string"}}},
    {"propertyNames": {"enum": ["a"]}},
    {"required": ["a", "b"]},
    {"type": "string"},
    {"type": "integer"},
    {"type": "boolean"},
    {"type": "array"},
    {"type": "object"},
    {"type": ["array", "string"]},
]


def with_our_patterns(schema: dict[str, Any]) -> Any:
    """Return the validator that words the problems of a FunctionConfig, for another schema."""
    return _schema.validator_class()(schema)


def test_the_schemas_of_one_keyword_are_complete() -> None:
    assert {keyword for schema in KEYWORD_SCHEMAS for keyword in keywords(schema)} - {"$defs"} == _quick_check.KEYWORDS


@pytest.mark.parametrize("schema", KEYWORD_SCHEMAS, ids=str)
def test_each_keyword_accepts_some_values_and_none_that_jsonschema_does_not(schema: dict[str, Any]) -> None:
    judge = with_our_patterns(schema)
    accepted = [value for value in VALUES if is_certainly_valid(value, schema)]
    assert [value for value in accepted if not judge.is_valid(value)] == []
    assert bool(accepted) == (schema != {"const": 1})
    assert len(accepted) < len(VALUES)


NAMES = ["httpProxy", "noProxy", "mode", "match", "clusters", "enabled", "kubeletDropIn", "NP001", "other"]
SCALARS = st.sampled_from([*VALUES, PROXY, f"{PROXY}\n", "Remove", "Add", -1, 7, float("nan")])
JUNK = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=2),
    max_leaves=4,
)
MUTATIONS_IN = 40
"""One place in so many becomes something else, so that configs that are right are as likely as wrong ones."""


@st.composite
def config_values(draw: st.DrawFn, node: dict[str, Any]) -> Any:
    """Draw a value for a node of the schema: mostly a right one, now and then any other."""
    if draw(st.integers(1, MUTATIONS_IN)) == MUTATIONS_IN:
        return draw(JUNK)
    node = resolved(node)
    if "properties" in node:
        return draw(_mappings(node))
    if node.get("type") == "array" and draw(st.booleans()):
        return draw(st.lists(config_values(node["items"]), min_size=1, max_size=2))
    return draw(st.sampled_from([*node["examples"], *node.get("enum", [])] if "examples" in node else ["a-*"]))


@st.composite
def _mappings(draw: st.DrawFn, node: dict[str, Any]) -> dict[str, Any]:
    properties = node["properties"]
    names = {*node.get("required", []), *draw(st.lists(st.sampled_from([*properties]), max_size=3))}
    if draw(st.integers(1, MUTATIONS_IN)) == MUTATIONS_IN:
        names ^= {draw(st.sampled_from(NAMES))}
    return {name: draw(config_values(properties[name]) if name in properties else JUNK) for name in sorted(names)}


@given(config_values(SPEC))
def test_what_the_quick_check_accepts_jsonschema_accepts_too(value: Any) -> None:
    document = {**FORM, "spec": _schema.plain(value)}
    judged = with_our_patterns(SCHEMA).is_valid(document)
    accepted = is_certainly_valid(document, SCHEMA)
    note(f"jsonschema: {judged}")
    assert judged or not accepted
    if judged and not _has_float(document):
        assert accepted, "the quick check is of no use for this config"


def _has_float(value: Any) -> bool:
    """JSON Schema takes `1.0` for an integer, and the quick check does not know."""
    if isinstance(value, (dict, list)):
        return any(map(_has_float, value.values() if isinstance(value, dict) else value))
    return isinstance(value, float)


def function_configs() -> Iterator[tuple[str, Any]]:
    """Each FunctionConfig of the examples and the stories, and the file in which it is."""
    for file in sorted((ROOT / "testdata").rglob("input.yaml")):
        try:
            given_config = ResourceList(file.read_bytes()).function_config
        except InputError:
            continue
        yield str(file.relative_to(ROOT)), given_config
    for folder in (FOLDER / "examples", ROOT / "examples"):
        for file in sorted(folder.rglob("*.yaml")):
            for document in yaml.safe_load_all(file.read_text(encoding="utf-8")):
                if isinstance(document, dict) and document.get("kind") in ("ProxyConfig", "ConfigMap"):
                    yield str(file.relative_to(ROOT)), document


def is_right(function_config: Any) -> bool:
    try:
        return isinstance(load(function_config), ProxyConfig)
    except ConfigError:
        return False


def test_every_right_config_of_the_examples_and_stories_is_accepted_without_jsonschema(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right = [(file, given_config) for file, given_config in function_configs() if is_right(given_config)]
    assert {file.partition("/")[0] for file, _ in right} == {"examples", "functionconfig", "testdata"}
    assert len(right) > 150
    asked: list[str] = []
    ask = _schema._validator
    for file, given_config in right:
        monkeypatch.setattr(_schema, "_validator", lambda file=file: asked.append(file) or ask())
        load(given_config)
    assert asked == []


def test_jsonschema_words_the_problems_of_a_wrong_config(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    ask = _schema._validator
    monkeypatch.setattr(_schema, "_validator", lambda: asked.append(1) or ask())
    assert not is_right(proxy_config(httpProxy=PROXY, mode="Injekt"))
    assert asked
