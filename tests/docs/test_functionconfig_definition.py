"""The function's definition holds the schema in the words of OpenAPI, and names this function."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from function_configs import FOLDER, SCHEMA, resolved
from krm_fn.config import API_VERSION, KIND
from support import ROOT

FILE = FOLDER / "krmfunctiondefinition.yaml"
DEFINITION = yaml.safe_load(FILE.read_text(encoding="utf-8"))
UNKNOWN_TO_OPEN_API = {
    "$id",
    "$schema",
    "$defs",
    "errorMessage",
    "patternErrorMessage",
    "propertyNames",
    "dependentRequired",
    "contains",
}


def open_api(node: Any) -> Any:
    """A JSON Schema in the words of OpenAPI 3.0, which knows neither references nor lists of types."""
    node = resolved(node)
    if isinstance(node.get("type"), list):
        shared = ("description", "default", "examples")
        kept = {key: value for key, value in node.items() if key in shared}
        rest = {key: value for key, value in node.items() if key not in shared}
        forms = [open_api({**rest, "type": name}) for name in node["type"]]
        return {**open_api(kept), "oneOf": [_of_type(form) for form in forms]}
    whole: dict[str, Any] = {}
    for key, value in node.items():
        if key == "properties":
            whole[key] = {name: open_api(child) for name, child in value.items()}
        elif key in ("items", "additionalProperties") and isinstance(value, dict):
            whole[key] = open_api(value)
        elif key == "anyOf":
            whole[key] = [open_api(child) for child in value]
        elif key == "const":
            whole["enum"] = [value]
        elif key == "examples":
            whole["example"] = value[0]
        elif key not in UNKNOWN_TO_OPEN_API:
            whole[key] = value
    return whole


def _of_type(node: dict[str, Any]) -> dict[str, Any]:
    """What a schema says of values of its type."""
    words = {"object": ("properties", "additionalProperties"), "array": ("items",), "string": ("enum",)}
    names = words.get(node["type"], ())
    return {key: value for key, value in node.items() if key in ("type", *names)}


class Dumper(yaml.SafeDumper):
    """Lists stand under their key, indented, and nothing is said by reference."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:
        return True


def test_the_definition_holds_the_schema(golden: Callable[[Path, bytes], None]) -> None:
    text = FILE.read_text(encoding="utf-8")
    definition = yaml.safe_load(text)
    (version,) = definition["spec"]["versions"]
    version["schema"]["openAPIV3Schema"] = open_api(SCHEMA)
    introduction = text[: text.index("apiVersion:")]
    golden(FILE, (introduction + yaml.dump(definition, Dumper=Dumper, sort_keys=False, width=118)).encode())


def test_the_definition_names_this_function() -> None:
    (version,) = DEFINITION["spec"]["versions"]
    assert (DEFINITION["apiVersion"], DEFINITION["kind"]) == ("config.kubernetes.io/v1alpha1", "KRMFunctionDefinition")
    assert f"{DEFINITION['spec']['group']}/{version['name']}" == API_VERSION
    assert DEFINITION["spec"]["names"] == {"kind": KIND}
    assert version["idempotent"] is True
    assert (ROOT / version["usage"]).is_file()
    assert all((ROOT / example).is_file() for example in version["examples"])
