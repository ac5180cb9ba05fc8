"""The tree as plain data, the way YAML 1.2 reads it.

A key is a string, and so is every value that JSON cannot hold (``.nan``, a date, ``=``). What
YAML 1.1 would read differently (``yes``, ``22:30``, ``0640``) is data nobody writes back: it is only looked at.
"""

from __future__ import annotations

import json
import math
import re

from krm_fn.light_typing import Any
from krm_fn.yamledit.expansion import Expansion
from krm_fn.yamledit.tree import Alias, Mapping, Node, Scalar, Sequence

_STR_TAGS = frozenset(
    {"", "tag:yaml.org,2002:int", "tag:yaml.org,2002:float", "tag:yaml.org,2002:bool"}
)
_NULL_TAG = "tag:yaml.org,2002:null"
_MERGE_KEY = "<<"
_MERGE_TAG = "tag:yaml.org,2002:merge"
_CONSTANTS: dict[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NUMBERS_BEGIN = frozenset("+-.0123456789")
_LONGEST_NUMBER = 1000  # Python refuses to read integers of more than 4300 digits


def resolve(text: str) -> Any:
    """Return the value of a plain scalar in the core schema of YAML 1.2.

    A number that JSON cannot hold is a string.
    """
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text[0] not in _NUMBERS_BEGIN or len(text) > _LONGEST_NUMBER:
        return text
    if _INT.fullmatch(text):
        return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))
    if _FLOAT.fullmatch(text):
        number = float(text)
        return number if math.isfinite(number) else text
    return text


def scalar_value(node: Scalar) -> Any:
    """Return the value of one scalar."""
    if node.tag == _NULL_TAG:
        return None
    if node.style or node.tag not in _STR_TAGS:
        return node.value
    return resolve(node.value)


def resolves_by_tag(node: Scalar) -> bool:
    """Return True if a tag of YAML itself says that a scalar is no string."""
    return node.tag == _NULL_TAG or (bool(node.tag) and node.tag in _STR_TAGS)


class ComplexKey(str):
    """The name of a key that is a mapping or a list, as ``{{ replicas }}`` without quotes or ``? - a`` are.

    JSON has no such keys, so the name only says what the key holds, wherever it is in the text. It must never be
    written: it would be another key.
    """

    __slots__ = ()


def key_text(node: Node) -> str:
    """Return a key as the string that JSON would have; a ``ComplexKey`` for one that is no scalar.

    Raises:
        InputError: as ``view``, for a key that holds aliases.
    """
    return node.value if isinstance(node, Scalar) else _Viewer().key(node, 0)


def children(node: Node) -> list[tuple[str, int, Node]]:
    """Return key or index, start and value of each member or item of a collection; nothing for anything else."""
    if isinstance(node, Mapping):
        return [(key_text(key), key.start, value) for key, value in node.entries]
    if isinstance(node, Sequence):
        return [(str(index), item.start, item) for index, item in enumerate(node.items)]
    return []


def is_merge(key: Node) -> bool:
    """Return whether a key is the merge key ``<<`` of YAML 1.1 (kpt writes it ``!!merge <<``)."""
    return (
        isinstance(key, Scalar)
        and key.value == _MERGE_KEY
        and not key.style
        and key.tag in ("", _MERGE_TAG)
    )


def view(node: Node) -> Any:
    """Return plain data of ``node`` (dict, list, str, int, float, bool, None), with aliases and merge keys expanded.

    Of a key that occurs twice the last one counts, as JSON readers have it. No two places share an object.

    Raises:
        ExpansionError: aliases expand to more values than a text, or a run, may hold, or nest deeper than a text may.
    """
    return _Viewer().value(node, 0)


class _Viewer:
    def __init__(self) -> None:
        self.inside_alias = False
        self.expansion = Expansion()

    def value(self, node: Node, depth: int) -> Any:
        if isinstance(node, Scalar):
            return scalar_value(node)
        if isinstance(node, Mapping):
            return self.mapping(node, depth + 1)
        if isinstance(node, Sequence):
            return [self.value(item, depth + 1) for item in node.items]
        return self.alias(node, depth)

    def key(self, node: Node, depth: int) -> str:
        target = node
        while isinstance(target, Alias):
            target = target.target
        if isinstance(target, Scalar):
            return target.value
        return ComplexKey("? " + _json(self.value(node, depth)))

    def alias(self, node: Node, depth: int) -> Any:
        assert isinstance(node, Alias)  # noqa: S101 -- the last of the four kinds
        if self.inside_alias:  # counted with the alias around it
            return self.value(node.target, depth)
        self.expansion.enter(node, depth)
        self.inside_alias = True
        try:
            return self.value(node.target, depth)
        finally:
            self.inside_alias = False

    def mapping(self, node: Mapping, depth: int) -> dict[str, Any]:
        merged: list[dict[str, Any]] = []
        own: dict[str, Any] = {}
        for key, value in node.entries:
            if type(key) is Scalar and key.value != _MERGE_KEY:  # nearly all are
                own[key.value] = self.value(value, depth)
            elif is_merge(key):
                merged += self.sources(value, depth)
            else:
                own[self.key(key, depth)] = self.value(value, depth)
        data: dict[str, Any] = {}
        for source in reversed(merged):  # of a key in several of them, the first counts
            data.update(source)
        return {**data, **own} if data else own

    def sources(self, node: Node, depth: int) -> list[dict[str, Any]]:
        data = self.value(node, depth)
        return [
            source
            for source in (data if isinstance(data, list) else [data])
            if isinstance(source, dict)
        ]


def _json(data: Any) -> str:
    """Return data as JSON in one line, but for a ``ComplexKey``, which is there as it is.

    As a JSON string it would be escaped once for each level of keys, and each time take twice as many characters.
    """
    if isinstance(data, dict):
        members = [f"{_json_key(key)}: {_json(value)}" for key, value in data.items()]
        return "{" + ", ".join(members) + "}"
    if isinstance(data, list):
        return "[" + ", ".join(map(_json, data)) + "]"
    return json.dumps(data, ensure_ascii=False)


def _json_key(key: str) -> str:
    return key if isinstance(key, ComplexKey) else json.dumps(key, ensure_ascii=False)


def same(one: Any, other: Any) -> bool:
    """Return whether both are equal in value and type, at every depth.

    For Python ``True == 1 == 1.0``, not for YAML.
    """
    if type(one) is not type(other):
        return False
    if isinstance(one, (dict, list)) and one is other:
        return True
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(
            same(value, other[key]) for key, value in one.items()
        )
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)
