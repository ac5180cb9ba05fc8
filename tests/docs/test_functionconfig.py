"""The schema, the function's definition, the examples and the page about them say the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from function_configs import FOLDER, PROXY, SCHEMA, proxy_config, resolved
from krm_fn.clusters import Role
from krm_fn.config import API_VERSION, KIND, ProxyConfig, load
from krm_fn.config import fields as config_fields
from krm_fn.krm.results import Severity
from krm_fn.noproxy import Policy, Style
from krm_fn.noproxy.policy import DEFAULTS, GROUPS, INFRASTRUCTURE_ENDPOINT, ROOTED, USER
from options_page import TABLES, TOPICS
from support import ROOT
from target_lists import schema_with_lists

EXAMPLES = sorted((FOLDER / "examples").glob("*.yaml"))
FILE = ROOT / "docs" / "functionconfig.md"


def named_fields(node: dict[str, Any] = SCHEMA, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every field that has a name, in lists and shared definitions too: its path and its schema."""
    for name, child in resolved(node).get("properties", {}).items():
        there = resolved(child)
        yield f"{path}{name}", there
        yield from named_fields(there, f"{path}{name}.")
        if "items" in there:
            yield from named_fields(there["items"], f"{path}{name}[].")


FIELDS = list(named_fields())


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == jsonschema.Draft202012Validator.META_SCHEMA["$id"]
    assert (SCHEMA["properties"]["apiVersion"]["const"], SCHEMA["properties"]["kind"]["const"]) == (API_VERSION, KIND)


def test_every_field_is_described_with_examples_that_fit() -> None:
    for path, field in FIELDS:
        assert field["description"].endswith("."), path
        assert field["examples"], path
        judge = jsonschema.Draft202012Validator({**field, "$defs": SCHEMA["$defs"]})
        for value in [*field["examples"], *([field["default"]] if "default" in field else [])]:
            assert judge.is_valid(value), (path, value)


def test_no_field_takes_unknown_ones_except_metadata() -> None:
    for path, field in FIELDS:
        if "object" in field["type"] and path != "metadata":
            assert field["additionalProperties"] in (False, {"type": "string"}, {"$ref": "#/$defs/level"}), path
        else:
            assert "additionalProperties" not in field, path


def test_the_defaults_are_those_of_the_schema() -> None:
    spec = dict(config_fields())
    config = load(proxy_config(httpProxy=PROXY))
    assert isinstance(config, ProxyConfig)
    assert config.mode.value == spec["mode"]["default"]
    assert [*config.declaration.no_proxy] == spec["noProxy"]["default"]
    assert [*config.overrides] == spec["overrides"]["default"]
    assert config.lint == spec["lint.rules"]["default"]


def test_the_policy_without_a_wish_is_that_of_the_schema() -> None:
    policy = SCHEMA["$defs"]["policy"]["properties"]
    assert Policy() == Policy(
        style=Style(policy["style"]["default"]),
        without=frozenset(policy["without"]["default"]),
        infrastructure_endpoint=policy["infrastructureEndpoint"]["default"],
        extra=tuple(policy["extra"]["default"]),
        exclude=tuple(policy["exclude"]["default"]),
        rooted=policy["rooted"].get("default"),
    )


def test_what_can_be_chosen_is_what_the_rooms_know() -> None:
    policy, match = SCHEMA["$defs"]["policy"]["properties"], SCHEMA["$defs"]["overrideMatch"]["properties"]
    assert {*policy["style"]["enum"]} == {style.value for style in Style}
    groups = {group.name for style in GROUPS.values() for group in style}
    assert {*policy["without"]["items"]["enum"]} == groups - {ROOTED, USER, INFRASTRUCTURE_ENDPOINT} | {DEFAULTS}
    assert match["roles"]["items"]["enum"] == [role.value for role in Role]
    levels = [severity.value.capitalize() for severity in reversed(Severity)]
    assert SCHEMA["$defs"]["level"]["enum"] == ["Off", *levels]


def test_the_lists_of_targets_in_the_schema_are_what_make_docs_writes(golden: Callable[[Path, bytes], None]) -> None:
    file = FOLDER / "proxyconfig.schema.json"
    golden(file, schema_with_lists(file.read_text(encoding="utf-8")).encode())


def test_there_are_examples_of_both_forms_and_one_of_everything() -> None:
    """That each one is valid, `test_docs.py` proves."""
    texts = {file.name: file.read_text(encoding="utf-8") for file in EXAMPLES}
    examples = {name: yaml.safe_load(text) for name, text in texts.items()}
    assert {example["kind"] for example in examples.values()} == {"ProxyConfig", "ConfigMap"}
    for name, text in texts.items():
        is_named = text.startswith("# yaml-language-server: $schema=../proxyconfig.schema.json\n")
        assert is_named or examples[name]["kind"] != KIND, name
    full = load(examples["full.yaml"])
    assert isinstance(full, ProxyConfig)
    assert {*parts(SCHEMA)} == {*parts(SCHEMA, examples["full.yaml"])}


def parts(node: dict[str, Any], value: Any = None, place: str = "") -> Iterator[tuple[str, str]]:
    """Yield the definition and the name of each field of the schema; with a value, of those that it holds."""
    place, there = str(node.get("$ref", place)), resolved(node)
    if isinstance(value, list):
        for item in value:
            yield from parts(there["items"], item, place)
        return
    for name, child in there.get("properties", {}).items():
        if value is None or (isinstance(value, dict) and name in value):
            yield place, name
            yield from parts(child, None if value is None else value[name], f"{place}.{name}")
    if value is None and "items" in there:
        yield from parts(there["items"], None, place)


def test_the_page_has_a_table_for_every_field() -> None:
    described = {name for names in TOPICS.values() for name in names}
    assert {*SCHEMA["properties"]["spec"]["properties"]} == described | {"targets"}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_the_page_is_what_make_docs_writes(name: str, golden: Callable[[Path, bytes], None]) -> None:
    text = FILE.read_text(encoding="utf-8")
    marks = rf"(<!-- {name}: `make docs` -->\n).*?(<!-- end -->)"
    assert re.search(marks, text, re.DOTALL)
    written = re.sub(marks, lambda found: f"{found[1]}\n{TABLES[name]()}\n{found[2]}", text, flags=re.DOTALL)
    golden(FILE, written.encode())
