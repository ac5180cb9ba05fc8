"""One YAML document as plain data, the way YAML 1.2 reads it.

A key is a string, and so is every value that JSON cannot hold (``.nan``, a date, ``=``). The words that YAML 1.1
reads differently (``yes``, ``22:30``, ``0640``) are only looked at, and stay in the text.
"""

from __future__ import annotations

import math
import re

from krm_fn.errors import InputError, TextError
from krm_fn.light_typing import Any, Fields
from krm_fn.yamledit.tree import (
    MAX_DEPTH,
    Alias,
    Lines,
    Mapping,
    Node,
    Scalar,
    Sequence,
    column_of,
    walk,
)

_STR_TAGS = {"", "tag:yaml.org,2002:int", "tag:yaml.org,2002:float", "tag:yaml.org,2002:bool"}
_NULL_TAG = "tag:yaml.org,2002:null"
_MERGE_TAG = "tag:yaml.org,2002:merge"
_CONSTANTS: Fields = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(
    r"""(?x)
    [-+]? (?: \. [0-9]+                 # `-.5`
            | [0-9]+ (?: \. [0-9]* )? )   # `1`, `1.`, `1.5`
    (?: [eE] [-+]? [0-9]+ )?            # `e-3`
    """
)
_NUMBERS_BEGIN = frozenset("+-.0123456789")
_LONGEST_NUMBER = 1000  # Python refuses to read integers of more than 4300 digits

MAX_EXPANSION = 100_000
_LEAST_EXPANSION = 1000
_VALUES_OF_A_CHARACTER = 10
# A longer scalar counts as several values.
_CHARACTERS_OF_A_VALUE = 100


class ComplexKey(str):
    """The name of a key that is a mapping or a list, as ``{{ name }}`` without quotes is.

    JSON has no such keys. The name is the text of the key, and must never be written: it would be another key.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        """Return the text as it is: a key in a key in a key would else be twice as long at each level."""
        return str(self)


def resolve(text: str) -> Any:
    """Return the value of a plain scalar in the core schema of YAML 1.2; a number that JSON cannot hold is a string."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    # Two patterns for each scalar of a text would be a tenth of reading it.
    if text[0] not in _NUMBERS_BEGIN or len(text) > _LONGEST_NUMBER:
        return text
    if _INT.fullmatch(text):
        return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))
    if _FLOAT.fullmatch(text):
        number = float(text)
        if math.isfinite(number):
            return number
    return text


def scalar_value(node: Scalar) -> Any:
    """Return the value of one scalar."""
    if node.tag == _NULL_TAG:
        return None
    if node.style or node.tag not in _STR_TAGS:
        return node.value
    return resolve(node.value)


def has_tag_of_no_string(node: Scalar) -> bool:
    """Return whether a tag of YAML itself says that a scalar is no string."""
    if node.tag == "":
        return False
    return node.tag == _NULL_TAG or node.tag in _STR_TAGS


def is_merge(key: Node) -> bool:
    """Return whether a key is the merge key ``<<`` of YAML 1.1 (kpt writes it ``!!merge <<``)."""
    if not isinstance(key, Scalar) or key.value != "<<":
        return False
    return not key.style and key.tag in ("", _MERGE_TAG)


def key_text(node: Node) -> str:
    """Return a key as the string that JSON would have; a ``ComplexKey`` for one that is no scalar."""
    while isinstance(node, Alias):
        node = node.target
    if isinstance(node, Scalar):
        return node.value
    return ComplexKey(f"? {view(node)!r}")


def children(node: Node) -> list[tuple[str, int, Node]]:
    """Return key or index, start and value of each member or item of a collection; nothing for anything else."""
    if isinstance(node, Mapping):
        return [(key_text(key), key.start, value) for key, value in node.entries]
    if isinstance(node, Sequence):
        return [(str(index), item.start, item) for index, item in enumerate(node.items)]
    return []


def has_complex_key(node: Node) -> bool:
    """Return whether a key in a value is a mapping or a list."""
    for inner in walk(node):
        if isinstance(inner, Mapping):
            for key, _ in inner.entries:
                if isinstance(key_text(key), ComplexKey):
                    return True
    return False


def view(node: Node, text: str | None = None, *, keys_may_repeat: bool = False) -> Any:
    """Return plain data of ``node`` (dict, list, str, int, float, bool, None), with aliases and merge keys expanded.

    No two places share an object.

    Args:
        node: a value of a text.
        text: the whole text, where it is read for the first time: aliases may expand to ten values for each character,
            and a key must not have two values in one mapping; else the last one counts.
        keys_may_repeat: a key may have two values, too.

    Raises:
        InputError: aliases expand to more values than that, or nest deeper than a text may.
        TextError: a key has two values in one mapping.
    """
    most_values = MAX_EXPANSION
    if text is not None:
        by_length = max(_LEAST_EXPANSION, _VALUES_OF_A_CHARACTER * len(text))
        most_values = min(MAX_EXPANSION, by_length)
    if keys_may_repeat:
        text = None
    return _NodeReader(most_values, text).value(node, 0)


class _NodeReader:
    """Reads a tree as data, and counts the values inside of aliases."""

    def __init__(self, most_values: int, text: str | None) -> None:
        self._left = most_values
        self._text = text
        self._aliases_around = 0

    def value(self, node: Node, depth: int) -> Any:
        if self._aliases_around:
            self._count(node, depth)
        if isinstance(node, Scalar):
            return scalar_value(node)
        if isinstance(node, Mapping):
            return self._mapping(node, depth + 1)
        if isinstance(node, Sequence):
            return [self.value(item, depth + 1) for item in node.items]
        assert isinstance(node, Alias)  # noqa: S101 -- the last of the four kinds
        self._aliases_around += 1
        data = self.value(node.target, depth)
        self._aliases_around -= 1
        return data

    def _count(self, node: Node, depth: int) -> None:
        # Ten lines of `&b [*a, *a, ...]` would be a billion values.
        self._left -= 1
        if isinstance(node, Scalar):
            self._left -= len(node.value) // _CHARACTERS_OF_A_VALUE
        if self._left < 0 or max(depth, self._aliases_around) > MAX_DEPTH:
            raise InputError(
                "aliases expand to more values than the text has room for, or nest too deep: "
                "write them out or remove them"
            )

    def _mapping(self, node: Mapping, depth: int) -> Fields:
        inherited: Fields = {}
        own = {}
        for key, value in node.entries:
            if type(key) is Scalar and key.value != "<<":  # nearly all are
                own[key.value] = self.value(value, depth)
            elif is_merge(key):
                inherited = {**merged(self.value(value, depth)), **inherited}
            else:
                own[key_text(key)] = self.value(value, depth)
        if len(own) < len(node.entries) and self._text is not None:
            refuse_repeated_keys(node, self._text)
        if inherited:
            return {**inherited, **own}  # own members count, wherever the merge key is
        return own


def refuse_repeated_keys(node: Mapping, text: str) -> None:
    """Raise TextError if a key has two values in a mapping: go-yaml, kubectl and kustomize refuse it.

    The same value twice leaves no doubt, and templates that are in use hold it.
    """
    known: dict[str, tuple[int, Node]] = {}
    for key, value in node.entries:
        name = key_text(key)
        start, earlier = known.setdefault(name, (key.start, value))
        if earlier is not value and not is_merge(key) and not same(view(earlier), view(value)):
            lines = Lines(text)
            raise TextError(
                "one mapping has the same key",
                lines.above(key.start) + 1,
                column_of(text, key.start) + 1,
                "keep one of them",
                lines.above(start) + 1,
            )


def merged(data: Any) -> Fields:
    """Return the members that a merge key brings; of a key in several mappings, the first counts."""
    members: Fields = {}
    sources = data
    if not isinstance(data, list):
        sources = [data]
    for source in sources:
        if isinstance(source, dict):
            members = {**source, **members}
    return members


def same(one: Any, other: Any) -> bool:
    """Return whether both are equal in value and type, at every depth: ``True == 1 == 1.0`` is only true in Python."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        if one.keys() != other.keys():
            return False
        return all(map(same, one.values(), map(other.get, one)))
    if isinstance(one, list):
        if len(one) != len(other):
            return False
        return all(map(same, one, other))
    return bool(one == other)


def shared(old: Any, new: Any) -> Any:
    """Return new data in which each collection that is the same as in the old data is that very object.

    To find out that two of them are the same then costs nothing, at whatever depth.
    """
    if isinstance(old, dict) and isinstance(new, dict):
        new = {name: shared(old.get(name), value) for name, value in new.items()}
    elif isinstance(old, list) and isinstance(new, list):
        longer = new[len(old) :]
        new = [*map(shared, old, new), *longer]
    if same(old, new):
        return old
    return new
