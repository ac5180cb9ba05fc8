"""Judge a FunctionConfig by its JSON Schema (draft 2020-12), in words that a person can act on.

The schema alone defines the API. A quick check spares the import of ``jsonschema``, which takes longer than a whole run
over a small list, and nearly every ProxyConfig is right. Only its answer yes counts: any other value is judged by
``jsonschema``. The words are those of this module: the texts of ``jsonschema`` repeat the value, which may hold a
password.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from krm_fn.light_typing import TYPE_CHECKING, Any, Fields
from krm_fn.near_names import did_you_mean, nearest
from krm_fn.package_files import text_of
from krm_fn.patch import Pointer
from krm_fn.target_table import ROWS, part_of

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

# A schema, or a part of one that is a schema of its own.
Node = Mapping[str, Any]


def fits(value: Any, node: Node) -> bool:
    """Return whether a value of plain data certainly fits a schema."""
    node = resolved(node)
    if not node.keys() <= _KNOWN:
        return False
    if not _is_of_type(value, node.get("type")):
        return False
    for keyword, is_right in _CHECKS.items():
        if keyword in node and not is_right(value, node[keyword]):
            return False
    if isinstance(value, dict):
        return all(_member_fits(name, value[name], node) for name in value)
    if isinstance(value, list):
        items = node.get("items", {})
        return all(fits(item, items) for item in value)
    return True


def resolved(node: Node) -> Node:
    """Return a node with the schema that it refers to; its own keywords win."""
    if "$ref" not in node:
        return node
    name = node["$ref"].removeprefix("#/$defs/")
    merged = {**schema()["$defs"][name], **node}
    del merged["$ref"]
    return merged


def matches_whole(pattern: str, text: str) -> bool:
    """Search a pattern in which ``$`` is the end of the text, as in editors; for Python, a line break may follow."""
    return re.search(pattern.replace("$", r"\Z"), text) is not None


def _member_fits(name: str, member: Any, node: Node) -> bool:
    if not fits(name, node.get("propertyNames", {})):
        return False
    others = node.get("additionalProperties", {})
    child = node.get("properties", {}).get(name, others)
    if isinstance(child, bool):
        return child
    return fits(member, child)


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
    needed = [names for name, names in companions.items() if name in value]
    return all(_has_all(value, names) for names in needed)


def _is_at_most(value: Any, most: int) -> bool:
    return len(value) <= most


def _is_at_least(value: Any, least: int) -> bool:
    if not isinstance(value, (dict, list, str)):
        return True
    return len(value) >= least


# Keyword -> whether a value, which has the type that the schema asks for, fits it.
_CHECKS: dict[str, Callable[[Any, Any], bool]] = {
    "anyOf": lambda value, choices: any(fits(value, choice) for choice in choices),
    "contains": lambda items, node: (
        isinstance(items, list) and any(fits(item, node) for item in items)
    ),
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
_KNOWN = {
    *_CHECKS,
    *("additionalProperties", "items", "properties", "propertyNames", "type"),
    *("default", "description", "errorMessage", "examples", "patternErrorMessage"),
}


# How deep the deepest field lies: ``spec.targets.workloads.trustedCA.choose[].labels.<name>``.
_DEPTH = 8
# Where the schema lies: first in an installed package, then in a checkout.
_FILES = (
    "functionconfig/proxyconfig.schema.json",
    "../functionconfig/proxyconfig.schema.json",
)


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
    properties = resolved(node).get("properties", {})
    for name, child in properties.items():
        yield f"{path}{name}", resolved(child)
        yield from _fields_below(child, f"{path}{name}.")


def field(name: str) -> Node | None:
    """Return the schema of the field at a dotted path, keys of a free mapping included; None if there is none."""
    node = resolved(schema()["properties"]["spec"])
    for step in name.split("."):
        properties = node.get("properties", {})
        child = properties.get(step) or node.get("additionalProperties")
        if not (step and child):
            return None
        node = resolved(child)
    return node


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


def problems(spec: Any) -> Iterator[tuple[Pointer, str]]:
    """Yield each way in which ``spec`` (of ``plain``) does not fit the schema: where, and one line that says it."""
    node = schema()["properties"]["spec"]
    if fits(spec, node):
        return
    from jsonschema import Draft202012Validator, validators  # noqa: PLC0415 -- 60 ms, for wrong configs only

    judge: Any = validators.extend(Draft202012Validator, {"pattern": _whole_pattern})  # type: ignore[no-untyped-call]
    whole = {**node, "$defs": schema()["$defs"]}
    for error in judge(whole).iter_errors(spec):
        place = tuple(map(str, error.absolute_path))
        given = error.instance
        if error.validator == "additionalProperties":
            known = error.schema["properties"]
            for name in given:
                if name not in known:
                    yield (*place, name), unknown(name, known)
            continue
        if error.validator == "enum" and not isinstance(given, str):
            continue  # its type is wrong, too
        if "propertyNames" in error.schema_path:
            place = (*place, given)
        words = _WORDS[error.validator]
        yield place, words(error.schema, given)


def _whole_pattern(_judge: Any, pattern: str, value: Any, _node: Any) -> Iterator[ValidationError]:
    """Check the keyword ``pattern`` as editors do: see ``matches_whole``."""
    from jsonschema.exceptions import ValidationError  # noqa: PLC0415 -- as above

    if isinstance(value, str) and not matches_whole(pattern, value):
        yield ValidationError("")


def unknown(name: str, known: Iterable[str], *, root: str = "spec.") -> str:
    """Return the message about an unknown field, with the nearest name of ``known`` or of another level.

    A name of another level that is only like it counts for a level of many fields: in a small one it has another sense.
    """
    here = list(known)
    hint = did_you_mean(name, here)
    if hint and 1 < len(here) <= _FEW:
        return f"unknown field; known here are {_listed(here)}{hint}"
    if hint:
        return f"unknown field{hint}"
    names: dict[str, list[str]] = {}
    for path, node in fields().items():
        if [*node.get("properties", ())] != here:
            _, _, below = path.partition(".")
            _, _, last = path.rpartition(".")
            for word in {last, below.replace(".", "")}:
                names.setdefault(word.lower(), []).append(path)
    for target in ROWS:
        part = part_of(target)
        whole = target.replace(".", "")
        is_alike = name.lower() in (part.lower(), whole.lower())
        if is_alike and f"targets.{target}" not in fields():
            return f"unknown field: {_PART.format(target)}"
    near = nearest(name, names, alike=0.8 if len(here) > _MANY else 1)
    paths = names.get(near or "", [])
    if len(paths) == 1:
        outer, _, inner = name.partition(".")
        if inner and paths[0].endswith(name):
            return f"unknown field; did you mean `{outer}: {{{inner}: …}}`?"
        return f"unknown field; did you mean `{root}{paths[0]}`?"
    outermost = [known_name for known_name in here if "." not in known_name]
    return f"unknown field; known here are {_listed(outermost)}"


_PART = "leave `{}` out by `only` or `selector.exclude`"


# Choices that a person reads at a glance, and the most that a person reads.
_FEW = 3
_MANY = 8
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
        types = [_NAMES[name] for name in reversed(wanted)]
        return f"must be {' or '.join(types)}"
    if wanted == "string" and isinstance(value, (bool, int, float)):
        return "must be a string: quote it"
    message = f"must be {_NAMES[wanted]}"
    if wanted in ("object", "array") and "examples" in node:
        example = json.dumps(node["examples"][0])
        message += f", as in `{example}`"
    return message


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
    companions = node["dependentRequired"]
    name = next(name for name in companions if name in value)
    (companion,) = companions[name]
    return f"must hold `{companion}` where it holds `{name}`"


# The message of a failed keyword of the schema, of the node and the value that does not fit it.
_WORDS: dict[str, Callable[[Node, Any], str]] = {
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


def _listed(names: Iterable[str], last: str = "and") -> str:
    *others, final = [f"`{name}`" for name in names]
    if not others:
        return final
    return f"{', '.join(others)} {last} {final}"
