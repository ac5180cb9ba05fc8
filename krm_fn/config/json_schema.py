"""Judge a FunctionConfig by its JSON Schema (draft 2020-12), in words that a person can act on.

The schema alone defines the API, and this module knows the keywords that it has: to import a library for all of JSON
Schema takes longer than a whole run over a small list. No message repeats a value, which may hold a password.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from krm_fn.light_typing import Any, Fields, NamedTuple
from krm_fn.near_names import did_you_mean, nearest
from krm_fn.package_files import text_of
from krm_fn.patch import Data, Pointer
from krm_fn.target_table import ROWS, part_of

Node = Data
"""A schema, or a part of one that is a schema of its own."""


_DEPTH = 8
"""How deep the deepest field lies: ``spec.targets.workloads.trustedCA.choose[].labels.<name>``."""
_FILES = tuple(
    f"{folder}/proxyconfig.schema.json" for folder in ("functionconfig", "../functionconfig")
)
"""Where the schema lies: first in an installed package, then in a checkout."""


@functools.cache
def schema() -> Fields:
    """Return the schema, read once.

    Raises:
        InternalError: this installation has none.
    """
    text = text_of(*_FILES)
    schema: Fields = json.loads(text)
    return schema


def fields() -> dict[str, Node]:
    """Return dotted path below ``spec`` -> its schema, for every named field (not for items of lists)."""
    return dict(_fields_below(schema()["properties"]["spec"], ""))


def _fields_below(node: Node, path: str) -> Iterator[tuple[str, Node]]:
    properties = _resolved(node).get("properties", {})
    for name, child in properties.items():
        yield f"{path}{name}", _resolved(child)
        yield from _fields_below(child, f"{path}{name}.")


def field(name: str) -> Node | None:
    """Return the schema of the field at a dotted path, keys of a free mapping included; None if there is none."""
    node = _resolved(schema()["properties"]["spec"])
    for step in name.split("."):
        properties = node.get("properties", {})
        child = properties.get(step) or node.get("additionalProperties")
        if not (step and child):
            return None
        node = _resolved(child)
    return node


def default(name: str) -> Any:
    """Return the default of the field at a dotted path; None if it has none."""
    return (field(name) or {}).get("default")


def plain(value: Any, depth: int = 0) -> Any:
    """Return ``value`` with string keys and without null members, which count as not set.

    Values deeper than any field of the schema are emptied, so that no nesting and no cycle is ever followed.
    """
    deeper = depth + 1
    if isinstance(value, Mapping):
        if depth >= _DEPTH:
            return {}
        return {str(key): plain(child, deeper) for key, child in value.items() if child is not None}
    if isinstance(value, (list, tuple)):
        if depth >= _DEPTH:
            return []
        return [plain(child, deeper) for child in value]
    return value


def matches_whole(pattern: str, text: str) -> bool:
    """Search a pattern in which ``$`` is the end of the text, as in editors; for Python, a line break may follow."""
    return re.search(pattern.replace("$", r"\Z"), text) is not None


class _Misfit(NamedTuple):
    """A value that does not fit a part of the schema: its place, and the keyword that it breaks."""

    place: Pointer
    keyword: str
    node: Node
    value: Any


def problems(spec: Any) -> Iterator[tuple[Pointer, str]]:
    """Yield each way in which ``spec`` (of ``plain``) does not fit the schema: where, and one line that says it."""
    for misfit in _misfits(spec, schema()["properties"]["spec"], ()):
        words = _WORDS[misfit.keyword]
        yield misfit.place, words(misfit.node, misfit.value)


def _misfits(value: Any, node: Node, place: Pointer) -> Iterator[_Misfit]:
    """Yield each way in which a value of plain data does not fit a part of the schema."""
    node = _resolved(node)
    if "type" in node and type(value) not in _types(node):
        yield _Misfit(place, "type", node, value)
        return
    for keyword, (of_type, is_right) in _CHECKS.items():
        if keyword in node and isinstance(value, of_type) and not is_right(value, node[keyword]):
            yield _Misfit(place, keyword, node, value)
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _misfits(item, node.get("items", {}), (*place, str(index)))
    if isinstance(value, dict):
        for name, member in value.items():
            yield from _misfits_of_member(name, member, node, (*place, name))


def _misfits_of_member(name: str, member: Any, node: Node, place: Pointer) -> Iterator[_Misfit]:
    yield from _misfits(name, node.get("propertyNames", {}), place)
    child = node.get("properties", {}).get(name, node.get("additionalProperties", {}))
    if child is False:
        yield _Misfit(place, "additionalProperties", node, name)
    else:
        yield from _misfits(member, child, place)


def _types(node: Node) -> list[type]:
    """Return the types that a value may have; exactly: a boolean is an integer in Python, but not in JSON Schema."""
    names = node["type"]
    if isinstance(names, str):
        names = [names]
    return [_TYPES[name] for name in names]


def _fits(value: Any, node: Node) -> bool:
    return next(_misfits(value, node, ()), None) is None


def _has_companions(value: Data, companions: Mapping[str, list[str]]) -> bool:
    return all(value.keys() >= {*needed} for name, needed in companions.items() if name in value)


def _is_at_most(value: Any, most: int) -> bool:
    return len(value) <= most


def _is_at_least(value: Any, least: int) -> bool:
    return len(value) >= least


_TYPES = {"array": list, "boolean": bool, "object": dict, "string": str}
_CHECKS: dict[str, tuple[type, Callable[[Any, Any], bool]]] = {
    "anyOf": (object, lambda value, nodes: any(_fits(value, node) for node in nodes)),
    "contains": (list, lambda items, node: any(_fits(item, node) for item in items)),
    "dependentRequired": (dict, _has_companions),
    "enum": (object, lambda value, choices: value in choices),
    "maxLength": (str, _is_at_most),
    "maxProperties": (dict, _is_at_most),
    "minItems": (list, _is_at_least),
    "minLength": (str, _is_at_least),
    "minProperties": (dict, _is_at_least),
    "pattern": (str, lambda text, pattern: matches_whole(pattern, text)),
    "required": (dict, lambda value, names: value.keys() >= {*names}),
}
"""Keyword -> the type of the values that it is about, and whether one fits it."""


def unknown(name: str, known: Iterable[str], *, root: str = "spec.") -> str:
    """Return the message about an unknown field, with the nearest name of ``known`` or of another level."""
    here = list(known)
    hint = did_you_mean(name, here)
    if hint:
        return f"unknown field{hint}"
    names: dict[str, list[str]] = {}
    for path, node in fields().items():
        if [*node.get("properties", ())] != here:
            _, _, below = path.partition(".")
            for word in {path.rpartition(".")[2], below.replace(".", "")}:
                names.setdefault(word.lower(), []).append(path)
    for target in ROWS:
        is_alike = name.lower() in (part_of(target).lower(), target.replace(".", "").lower())
        if is_alike and f"targets.{target}" not in fields():
            return f"unknown field: {_PART.format(target)}"
    paths = names.get(nearest(name, names, alike=0.8) or "", [])
    if len(paths) == 1:
        return f"unknown field; did you mean `{root}{paths[0]}`?"
    outermost = [known_name for known_name in here if "." not in known_name]
    return f"unknown field; known here are {_listed(outermost)}"


_PART = "leave `{}` out by `only` or `selector.exclude`"


def _resolved(node: Node) -> Node:
    """Return a node with the schema that it refers to; its own keywords win."""
    if "$ref" not in node:
        return node
    merged = {**schema()["$defs"][node["$ref"].removeprefix("#/$defs/")], **node}
    del merged["$ref"]
    return merged


_MANY = 8
"""More choices than a person reads."""
_NAMES = {
    "string": "a string",
    "boolean": "`true` or `false`, without quotes",
    "object": "a mapping",
    "array": "a list",
}


def _wrong_type(node: Node, value: Any) -> str:
    wanted = node["type"]
    if "string" in wanted and "array" in wanted:
        return "must be a list of strings, or one comma-separated string"
    if "enum" in node:
        return _not_one_of(node, "")
    if not isinstance(wanted, str):
        return f"must be {' or '.join(_NAMES[name] for name in reversed(wanted))}"
    if wanted == "string" and isinstance(value, (bool, int, float)):
        return "must be a string: quote it"
    return f"must be {_NAMES[wanted]}"


def _not_one_of(node: Node, value: Any) -> str:
    allowed = [name for name in node["enum"] if isinstance(name, str)]
    meant = did_you_mean(value, allowed)
    if len(allowed) > _MANY:
        return f"must be one of {len(allowed)} names, such as `{allowed[0]}`{meant}"
    return f"must be {_listed(allowed, 'or')}{meant}"


def _missing(node: Node, value: Any) -> str:
    names = [name for name in node["required"] if name not in value]
    return f"must hold {_listed(names)}"


def _without_companion(node: Node, value: Any) -> str:
    name = next(name for name in node["dependentRequired"] if name in value)
    (companion,) = node["dependentRequired"][name]
    return f"must hold `{companion}` where it holds `{name}`"


_WORDS: dict[str, Callable[[Node, Any], str]] = {
    "additionalProperties": lambda node, name: unknown(name, node["properties"]),
    "anyOf": lambda node, _: str(node["errorMessage"]),
    "dependentRequired": _without_companion,
    "enum": _not_one_of,
    "maxLength": lambda node, _: f"must not be longer than {node['maxLength']} characters",
    "maxProperties": lambda node, _: f"must hold only one of {_listed(node['properties'])}",
    **dict.fromkeys(("minItems", "minLength", "minProperties"), lambda *_: "must not be empty"),
    "pattern": lambda node, _: str(node["patternErrorMessage"]),
    "required": _missing,
    "type": _wrong_type,
}
"""The message of a failed keyword of the schema, of the node and the value that does not fit it."""


def _listed(names: Iterable[str], last: str = "and") -> str:
    *others, final = [f"`{name}`" for name in names]
    if not others:
        return final
    return f"{', '.join(others)} {last} {final}"
