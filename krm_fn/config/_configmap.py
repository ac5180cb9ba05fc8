"""A ConfigMap read as if it were a ProxyConfig.

It changes the form and judges nothing that the schema can judge. Its values are strings; a key
is a field of ``spec`` (``httpProxy``), a field below it with dots (``targets.kubeletDropIn.enabled``), or a variable.

Convention: kpt sends ``fn eval -- key=value`` and the ``configMap`` of a Kptfile in this form; an unquoted ``yes``
arrives as a boolean.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from krm_fn import yamledit
from krm_fn.config import _schema
from krm_fn.errors import InputError
from krm_fn.light_typing import Any
from krm_fn.patch import Pointer, field_path

ALIASES = {
    "HTTP_PROXY": "httpProxy",
    "http_proxy": "httpProxy",
    "HTTPS_PROXY": "httpsProxy",
    "https_proxy": "httpsProxy",
    "NO_PROXY": "noProxy",
    "no_proxy": "noProxy",
}
"""The variables, as names for the fields that fill them."""

_BOOLEANS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}

_INTEGER = "-?[0-9]{1,9}"

Leaves = dict[tuple[str, ...], tuple[str, Any]]
"""Path below ``spec`` -> the key of ``data`` that set it, and its value."""


def read(data: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str], list[str]]:
    """Return what ``data`` means as a ``spec``, the key behind each field that a variable named, and the problems."""
    leaves: Leaves = {}
    problems: list[str] = []
    for key, value in data.items():
        problems += _put(leaves, key, value)
    written = {path[0]: key for path, (key, _) in leaves.items() if key in ALIASES}
    return _nested(leaves), written, problems


def _put(leaves: Leaves, key: str, value: Any) -> list[str]:
    """Enter one key; returns what is wrong with it."""
    name = ALIASES.get(key, key)
    known = _schema.field(name)
    if known is None:
        return [
            f"data.{_schema.shown(key)}: {_schema.unknown(key, [*_schema.fields(), *ALIASES], root='')}"
        ]
    if isinstance(value, str) and known["type"] in ("object", "array"):
        twice = yamledit.repeated_keys_of_text(value)
        if twice:
            return [_repeated(key, path) for path in twice]
    try:
        typed = _typed(value, known["type"])
        if isinstance(typed, str) and "enum" in known.get("items", {}):
            typed = [name.strip() for name in typed.split(",")]
    except InputError as error:
        return [f"data.{key}: must be YAML or JSON text: {_schema.shown(error)}"]
    if known["type"] == "object" and not isinstance(typed, Mapping):
        return [f"data.{key}: must be a mapping, as YAML or JSON text"]
    return [
        f"data.{key}: must not contradict `data.{leaves[path][0]}`: give only one of them"
        for path, leaf in _flat(tuple(name.split(".")), typed)
        if leaves.setdefault(path, (key, leaf))[1] != leaf
    ]


def _repeated(key: str, path: Pointer) -> str:
    known = _schema.known_part(path)
    problem = "be given twice" if known == path else "hold a key twice"
    return (
        f"data.{field_path((key, *known))}: must not {problem} in one mapping: keep one of the two"
    )


def _typed(value: Any, wanted: str | list[str]) -> Any:
    """Return a string as the type that the schema wants.

    Unchanged if it cannot be converted, so that the schema reports it.

    A number stays one too: ``0640`` without quotes has already become 416, and must not pass as a string.
    """
    if not isinstance(value, str):
        return value
    if wanted == "boolean":
        return _BOOLEANS.get(value.strip().lower(), value)
    if wanted == "integer":
        return int(value) if re.fullmatch(_INTEGER, value.strip()) else value
    if wanted in ("object", "array"):
        return _schema.plain(yamledit.read(value))
    return value.strip()


def _flat(path: tuple[str, ...], value: Any) -> list[tuple[tuple[str, ...], Any]]:
    if not value or not isinstance(value, Mapping):
        return [(path, value)]
    return [leaf for key, child in value.items() for leaf in _flat((*path, str(key)), child)]


def _nested(leaves: Leaves) -> dict[str, Any]:
    """Return the tree of dotted keys. A leaf wins over a mapping at the same place.

    The schema then reports it.
    """
    spec: dict[str, Any] = {}
    for path in sorted(leaves, key=len):
        node: Any = spec
        for step in path[:-1]:
            node = node.setdefault(step, {}) if isinstance(node, dict) else node
        if isinstance(node, dict):
            value = leaves[path][1]
            node[path[-1]] = dict(value) if isinstance(value, Mapping) else value
    return spec
