"""A quick check of a value by a JSON Schema (draft 2020-12), which spares the import of ``jsonschema``.

That import takes longer than a whole run over a small list, and nearly every ProxyConfig is right. Only the answer yes
counts: of any other value ``json_schema`` asks ``jsonschema``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from krm_fn.light_typing import Any

Node = Mapping[str, Any]
"""A schema, or a part of one that is a schema of its own."""


def fits(value: Any, node: Node, definitions: Node) -> bool:
    """Return whether a value of plain data certainly fits a schema; ``definitions`` are its ``$defs``."""
    node = resolved(node, definitions)
    if not node.keys() <= _KNOWN:
        return False
    if not _is_of_type(value, node.get("type")):
        return False
    for keyword, is_right in _CHECKS.items():
        if keyword in node and not is_right(value, node[keyword]):
            return False
    choices = node.get("anyOf")
    if choices and not any(fits(value, choice, definitions) for choice in choices):
        return False
    if isinstance(value, dict):
        return all(_member_fits(name, value[name], node, definitions) for name in value)
    if isinstance(value, list):
        contained = node.get("contains")
        if contained and not any(fits(item, contained, definitions) for item in value):
            return False
        items = node.get("items", {})
        return all(fits(item, items, definitions) for item in value)
    return True


def resolved(node: Node, definitions: Node) -> Node:
    """Return a node with the schema that it refers to; its own keywords win."""
    if "$ref" not in node:
        return node
    merged = {**definitions[node["$ref"].removeprefix("#/$defs/")], **node}
    del merged["$ref"]
    return merged


def matches_whole(pattern: str, text: str) -> bool:
    """Search a pattern in which ``$`` is the end of the text, as in editors; for Python, a line break may follow."""
    return re.search(pattern.replace("$", r"\Z"), text) is not None


def _member_fits(name: str, member: Any, node: Node, definitions: Node) -> bool:
    if not fits(name, node.get("propertyNames", {}), definitions):
        return False
    others = node.get("additionalProperties", {})
    child = node.get("properties", {}).get(name, others)
    if isinstance(child, bool):
        return child
    return fits(member, child, definitions)


_TYPES = {"array": list, "boolean": bool, "object": dict, "string": str}


def _is_of_type(value: Any, wanted: str | list[str] | None) -> bool:
    """Compare the exact type: ``bool`` is an ``int`` in Python, but no integer in JSON Schema."""
    if wanted is None:
        return True
    if isinstance(wanted, str):
        wanted = [wanted]
    return any(type(value) is _TYPES[name] for name in wanted)


def _has_all(value: Any, names: list[str]) -> bool:
    if not isinstance(value, dict):
        return True
    return all(name in value for name in names)


def _has_companions(value: Any, companions: Mapping[str, list[str]]) -> bool:
    if not isinstance(value, dict):
        return True
    return all(_has_all(value, needed) for name, needed in companions.items() if name in value)


def _is_at_most(value: Any, most: int) -> bool:
    return len(value) <= most


def _is_at_least(value: Any, least: int) -> bool:
    if not isinstance(value, (dict, list, str)):
        return True
    return len(value) >= least


_CHECKS: dict[str, Callable[[Any, Any], bool]] = {
    "dependentRequired": _has_companions,
    "enum": lambda value, choices: value in choices,
    "maxLength": _is_at_most,
    "maxProperties": _is_at_most,
    "minItems": _is_at_least,
    "minLength": _is_at_least,
    "minProperties": _is_at_least,
    "pattern": lambda value, pattern: matches_whole(pattern, value),
    "required": _has_all,
}
"""Keyword -> whether a value, which has the type that the schema asks for, fits it."""
_KNOWN = {
    *_CHECKS,
    *("additionalProperties", "anyOf", "contains", "items", "properties", "propertyNames", "type"),
    *("default", "description", "errorMessage", "examples", "patternErrorMessage"),
}
