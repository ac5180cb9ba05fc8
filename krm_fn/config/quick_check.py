"""A quick check of a value by a JSON Schema (draft 2020-12), which spares the import of ``jsonschema``.

That import takes longer than a whole run over a small list, and nearly every ProxyConfig is right. Only the answer yes
counts: of any other value ``_schema.py`` asks ``jsonschema``.
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
    if not node.keys() <= _KNOWN or not _is_of_type(value, node.get("type")):
        return False
    for keyword, is_right in _CHECKS.items():
        if keyword in node and not is_right(value, node[keyword]):
            return False
    choices = node.get("anyOf")
    if choices and not any(fits(value, choice, definitions) for choice in choices):
        return False
    if isinstance(value, dict):
        return _members_fit(value, node, definitions)
    if isinstance(value, list):
        return _items_fit(value, node, definitions)
    return True


def resolved(node: Node, definitions: Node) -> Node:
    """Return a node with the schema that it refers to; its own keywords win."""
    if "$ref" not in node:
        return node
    own = {keyword: value for keyword, value in node.items() if keyword != "$ref"}
    return {**definitions[node["$ref"].removeprefix("#/$defs/")], **own}


def matches_whole(pattern: str, text: str) -> bool:
    """Search a pattern in which ``$`` is the end of the text, as in editors; for Python, a line break may follow."""
    return re.search(pattern.replace("$", r"\Z"), text) is not None


def _members_fit(value: dict[str, Any], node: Node, definitions: Node) -> bool:
    properties, others = node.get("properties", {}), node.get("additionalProperties", {})
    names = node.get("propertyNames", {})
    for name, member in value.items():
        if name not in properties and isinstance(others, bool):
            if not others:
                return False
        elif not fits(member, properties.get(name, others), definitions):
            return False
        if not fits(name, names, definitions):
            return False
    return True


def _items_fit(value: list[Any], node: Node, definitions: Node) -> bool:
    items, contained = node.get("items", {}), node.get("contains")
    if contained and not any(fits(item, contained, definitions) for item in value):
        return False
    return all(fits(item, items, definitions) for item in value)


_TYPES = {"array": list, "boolean": bool, "integer": int, "object": dict, "string": str}


def _is_of_type(value: Any, wanted: str | list[str] | None) -> bool:
    """Compare the exact type: ``bool`` is an ``int`` in Python, but no integer in JSON Schema."""
    names = [wanted] if isinstance(wanted, str) else wanted
    return names is None or any(type(value) is _TYPES[name] for name in names)


def _has_all(value: Any, names: list[str]) -> bool:
    return not isinstance(value, dict) or all(name in value for name in names)


def _has_companions(value: Any, companions: Mapping[str, list[str]]) -> bool:
    return all(_has_all(value, needed) for name, needed in companions.items() if name in value)


_CHECKS: dict[str, Callable[[Any, Any], bool]] = {
    "const": lambda value, expected: value == expected,
    "dependentRequired": _has_companions,
    "enum": lambda value, choices: value in choices,
    "maxLength": lambda value, most: len(value) <= most,
    "maxProperties": lambda value, most: len(value) <= most,
    "minItems": lambda value, least: not isinstance(value, list) or len(value) >= least,
    "minLength": lambda value, least: not isinstance(value, str) or len(value) >= least,
    "minProperties": lambda value, least: len(value) >= least,
    "minimum": lambda value, least: value >= least,
    "pattern": lambda value, pattern: matches_whole(pattern, value),
    "required": _has_all,
}
"""Keyword -> whether a value, which has the type that the schema asks for, fits it."""
_KNOWN = {
    *_CHECKS,
    *("additionalProperties", "anyOf", "contains", "items", "properties", "propertyNames", "type"),
    *("default", "description", "examples", "patternErrorMessage", "title"),
}
