"""A quick check that accepts a value which certainly fits a JSON Schema, and leaves every other one to ``jsonschema``.

Importing ``jsonschema`` takes longer than a whole run over a small list, and nearly every FunctionConfig is
right. So the keywords that the schema of the FunctionConfig uses are checked here first. Only one answer of this
check counts: yes. A value that it does not accept may be right all the same; whether it is, and what is wrong with it,
``jsonschema`` decides, which ``_schema.py`` asks then. ``tests/test_config_schema.py`` holds both answers equal,
keyword by keyword.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from krm_fn.light_typing import Any

Node = Mapping[str, Any]
"""A schema, or a part of one that is a schema of its own."""

ANNOTATIONS = frozenset(
    {"$defs", "$schema", "default", "description", "examples", "patternErrorMessage", "title"}
)
"""Keywords that say nothing about which values are right."""


def is_certainly_valid(value: Any, schema: Node) -> bool:
    """Return True only if ``value`` fits ``schema``; False means that this check does not know.

    Args:
        value: plain data.
        schema: a JSON Schema (draft 2020-12). Where a keyword in it is neither known here nor one of ``ANNOTATIONS``,
            the answer is False.
    """
    return _Check(schema.get("$defs", {})).accepts(value, schema)


def matches_whole(pattern: str, text: str) -> bool:
    """Return whether ``pattern`` is found in ``text``, with ``$`` as JavaScript, and so every editor, reads it.

    In Python, a line break may follow the place that ``$`` matches.
    """
    return re.search(pattern.replace("$", r"\Z"), text) is not None


class _Check:
    """The check by one schema, and its keywords that hold schemas of their own.

    Each method for such a keyword takes the value, what the keyword says, and the node that holds the keyword.
    """

    def __init__(self, definitions: Mapping[str, Node]) -> None:
        self._definitions = definitions

    def accepts(self, value: Any, node: Node) -> bool:
        """Return whether every keyword of ``node`` certainly accepts ``value``."""
        for keyword, expected in node.items():
            if keyword in ANNOTATIONS:
                continue
            if keyword in _OF_VALUES:
                accepted = _OF_VALUES[keyword](value, expected)
            elif keyword in _OF_SCHEMAS:
                accepted = _OF_SCHEMAS[keyword](self, value, expected, node)
            else:
                return False
            if not accepted:
                return False
        return True

    def ref(self, value: Any, expected: str, _node: Node) -> bool:
        """Follow a reference to a definition of the same schema; any other is not known."""
        definition = self._definitions.get(expected.removeprefix("#/$defs/"))
        return definition is not None and self.accepts(value, definition)

    def any_of(self, value: Any, expected: list[Node], _node: Node) -> bool:
        """Accept what one of the schemas accepts."""
        return any(self.accepts(value, node) for node in expected)

    def properties(self, value: Any, expected: Mapping[str, Node], _node: Node) -> bool:
        """Accept a mapping by the members that have a schema."""
        if not isinstance(value, dict):
            return True
        return all(
            self.accepts(child, expected[name]) for name, child in value.items() if name in expected
        )

    def additional_properties(self, value: Any, expected: Node | bool, node: Node) -> bool:
        """Accept a mapping by the members that ``properties`` of the same node does not name."""
        if not isinstance(value, dict):
            return True
        named = node.get("properties", {})
        others = [child for name, child in value.items() if name not in named]
        if isinstance(expected, bool):
            return expected or not others
        return all(self.accepts(child, expected) for child in others)

    def property_names(self, value: Any, expected: Node, _node: Node) -> bool:
        """Accept a mapping by its keys."""
        return not isinstance(value, dict) or all(self.accepts(name, expected) for name in value)

    def items(self, value: Any, expected: Node, _node: Node) -> bool:
        """Accept a list by all of its items."""
        return not isinstance(value, list) or all(self.accepts(item, expected) for item in value)

    def contains(self, value: Any, expected: Node, _node: Node) -> bool:
        """Accept a list by one of its items."""
        return not isinstance(value, list) or any(self.accepts(item, expected) for item in value)


_OF_SCHEMAS: dict[str, Callable[[_Check, Any, Any, Node], bool]] = {
    "$ref": _Check.ref,
    "additionalProperties": _Check.additional_properties,
    "anyOf": _Check.any_of,
    "contains": _Check.contains,
    "items": _Check.items,
    "properties": _Check.properties,
    "propertyNames": _Check.property_names,
}

_TYPES = {"array": list, "boolean": bool, "integer": int, "object": dict, "string": str}


def _is_of_type(value: Any, wanted: str | list[str]) -> bool:
    """Compare the exact type: ``bool`` is an ``int`` in Python, but no integer in JSON Schema."""
    names = [wanted] if isinstance(wanted, str) else wanted
    return any(type(value) is _TYPES.get(name) for name in names)


def _is_one_of(value: Any, choices: list[Any]) -> bool:
    """Accept texts only: ``1`` and ``True`` are equal in Python, but not in JSON Schema."""
    return isinstance(value, str) and value in choices


def _holds_all(value: Any, names: list[str]) -> bool:
    return not isinstance(value, dict) or all(name in value for name in names)


def _holds_companions(value: Any, companions: Mapping[str, list[str]]) -> bool:
    if not isinstance(value, dict):
        return True
    return all(_holds_all(value, names) for name, names in companions.items() if name in value)


_OF_VALUES: dict[str, Callable[[Any, Any], bool]] = {
    "const": lambda value, expected: _is_one_of(value, [expected]),
    "dependentRequired": _holds_companions,
    "enum": _is_one_of,
    "maxLength": lambda value, expected: not isinstance(value, str) or len(value) <= expected,
    "maxProperties": lambda value, expected: not isinstance(value, dict) or len(value) <= expected,
    "minItems": lambda value, expected: not isinstance(value, list) or len(value) >= expected,
    "minLength": lambda value, expected: not isinstance(value, str) or len(value) >= expected,
    "minProperties": lambda value, expected: not isinstance(value, dict) or len(value) >= expected,
    "minimum": lambda value, expected: isinstance(value, int) and value >= expected,
    "pattern": lambda value, expected: not isinstance(value, str) or matches_whole(expected, value),
    "required": _holds_all,
    "type": _is_of_type,
}
