"""A FunctionConfig is right where the published schema says so, and `jsonschema` is imported for wrong ones only."""

from __future__ import annotations

import copy
import datetime
import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from function_configs import FOLDER, PROXY, SCHEMA, resolved
from krm_fn.config import ProxyConfig, fields, load
from krm_fn.errors import ConfigError, InputError
from krm_fn.krm.resourcelist import ResourceList
from support import ROOT, TIME_LIMIT

SPEC = SCHEMA["properties"]["spec"]
FORM = {"apiVersion": "fn.inject-proxy.io/v1alpha1", "kind": "ProxyConfig"}


def ending_at_the_end(node: Any) -> Any:
    """The schema as editors read it: `$` is the end of the text, for Python also the place before a last line break."""
    if isinstance(node, list):
        return [ending_at_the_end(child) for child in node]
    if not isinstance(node, dict):
        return node
    whole = {key: ending_at_the_end(child) for key, child in node.items()}
    if isinstance(whole.get("pattern"), str):
        whole["pattern"] = whole["pattern"].replace("$", r"\Z")
    return whole


JUDGE = jsonschema.Draft202012Validator(ending_at_the_end(SCHEMA))
VALUES: list[Any] = [
    *("", "ab", "ab\n", "abc", "1"),
    *(0, 1, 3, 1.0, 3.5, True, False, None, datetime.date(2024, 1, 1)),
    *([], ["ab"], ["abc", 1], [1, 2, 3], [True]),
    *({}, {"a": "ab"}, {"a": 1, "b": "ab"}, {"b": {}}, {"a": {}, "b": [], "c": 0}),
]


def without_null(value: Any) -> Any:
    """A field that is null counts as not given."""
    if isinstance(value, dict):
        return {key: without_null(child) for key, child in value.items() if child is not None}
    return [without_null(child) for child in value] if isinstance(value, list) else value


def is_right(function_config: Any) -> bool:
    try:
        return isinstance(load(function_config), ProxyConfig)
    except ConfigError:
        return False


def with_field(path: str, value: Any) -> dict[str, Any]:
    """A right ProxyConfig but for the field at a dotted path."""
    spec: dict[str, Any] = {"httpProxy": PROXY}
    parent = spec
    *above, name = path.split(".")
    for key in above:
        parent = parent.setdefault(key, {})
    parent[name] = copy.deepcopy(value)
    return {**FORM, "spec": spec}


@pytest.mark.parametrize("field", SPEC["properties"])
def test_a_value_that_the_schema_refuses_is_refused_in_each_field(field: str) -> None:
    """What is refused has its words, whichever keyword of the schema refuses it."""
    tried = [with_field(path, value) for path in fields() if path.split(".")[0] == field for value in VALUES]
    wrong = [document for document in tried if not JUDGE.is_valid(without_null(document))]
    assert wrong
    assert [document for document in wrong if is_right(document)] == []


NAMES = ["httpProxy", "noProxy", "mode", "match", "clusters", "enabled", "nodes.kubelet", "OtherProxy", "other"]
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


def documents() -> st.SearchStrategy[dict[str, Any]]:
    """A ProxyConfig of values for its whole schema, or a right one but for any value in one field."""
    whole = config_values(SPEC).map(lambda spec: {**FORM, "spec": spec})
    return whole | st.builds(with_field, st.sampled_from(sorted(fields())), JUNK)


@given(documents())
def test_what_is_accepted_jsonschema_accepts_too(document: dict[str, Any]) -> None:
    assert not is_right(document) or JUDGE.is_valid(without_null(document))


def function_configs() -> Iterator[tuple[str, Any]]:
    """Each FunctionConfig of the examples and the stories, and the file in which it is."""
    for file in sorted((ROOT / "testdata").rglob("input.yaml")):
        try:
            given_config = ResourceList(file.read_bytes()).function_config.data
        except InputError:
            continue
        yield str(file.relative_to(ROOT)), given_config
    for folder in (FOLDER / "examples", ROOT / "examples"):
        for file in sorted(folder.rglob("*.yaml")):
            for document in yaml.safe_load_all(file.read_text(encoding="utf-8")):
                if isinstance(document, dict) and document.get("kind") in ("ProxyConfig", "ConfigMap"):
                    yield str(file.relative_to(ROOT)), document


LOADS = """\
import json, sys
from krm_fn.config import load
for one in json.load(sys.stdin):
    load(one)
print("jsonschema" in sys.modules)
"""


def test_every_right_config_of_the_examples_and_stories_is_accepted_without_jsonschema() -> None:
    right = [(file, given_config) for file, given_config in function_configs() if is_right(given_config)]
    assert {file.partition("/")[0] for file, _ in right} == {"examples", "functionconfig", "testdata"}
    assert len(right) > 150
    text = json.dumps([given_config for _, given_config in right])
    done = subprocess.run(
        [sys.executable, "-c", LOADS], input=text, capture_output=True, text=True, timeout=TIME_LIMIT, check=True
    )
    assert done.stdout == "False\n"
