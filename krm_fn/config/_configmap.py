"""A ConfigMap read as if it were a ProxyConfig, as kpt sends it: ``fn eval -- key=value``, ``configMap`` of a Kptfile.

Its values are strings; a key is a field of ``spec``, a field below it with dots (``targets.kubeletDropIn.enabled``), or
the name of a variable. What the schema can judge is not judged here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from krm_fn import yamledit
from krm_fn.config import _schema
from krm_fn.errors import InputError
from krm_fn.light_typing import Any
from krm_fn.patch import field_path

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


def read(data: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str], list[str]]:
    """Return what ``data`` means as a ``spec``, the key behind each field that a variable named, and the problems."""
    spec: dict[str, Any] = {}
    written: dict[str, str] = {}
    problems: list[str] = []
    for key, value in data.items():
        name = ALIASES.get(key, key)
        known = _schema.field(name)
        if known is None:
            advice = _schema.unknown(key, [*_schema.fields(), *ALIASES], root="")
            problems.append(f"data.{_schema.shown(key)}: {advice}")
            continue
        typed, found = _typed(key, value, known)
        problems += found
        for step in reversed(name.split(".")):
            typed = {step: typed}
        if not found and not _add(spec, typed):
            other = written.get(name, name)
            problems.append(
                f"data.{key}: must not contradict `data.{other}`: give only one of them"
            )
        if key in ALIASES:
            written.setdefault(name, key)
    return spec, written, problems


def _typed(key: str, value: Any, known: Mapping[str, Any]) -> tuple[Any, list[str]]:
    """Return a string as the type that the schema wants, and the problems; what does not fit stays as it is.

    A number stays one: ``0640`` without quotes has already become 416, and must not pass as a string.
    """
    wanted = known["type"]
    if not isinstance(value, str):
        return value, []
    text = value.strip()
    if wanted == "boolean":
        return _BOOLEANS.get(text.lower(), value), []
    if wanted == "integer":
        return int(text) if re.fullmatch(_INTEGER, text) else value, []
    if wanted not in ("object", "array"):
        return text, []
    if twice := yamledit.repeated_keys_of_text(value):
        place = field_path((key, *_schema.known_part(twice[0])))
        return value, [
            f"data.{place}: must not hold a key twice in one mapping: keep one of the two"
        ]
    try:
        typed = _schema.plain(yamledit.read(value))
    except InputError as error:
        return value, [f"data.{key}: must be YAML or JSON text: {_schema.shown(error)}"]
    if isinstance(typed, str) and "enum" in known.get("items", {}):
        typed = [name.strip() for name in typed.split(",")]
    if wanted == "object" and not isinstance(typed, dict):
        return typed, [f"data.{key}: must be a mapping, as YAML or JSON text"]
    return typed, []


def _add(members: dict[str, Any], more: Mapping[str, Any]) -> bool:
    """Add members to a tree; returns whether none of them contradicts what is there."""
    is_sound = True
    for name, value in more.items():
        if name not in members:
            members[name] = value
        elif isinstance(members[name], dict) and isinstance(value, dict):
            is_sound = _add(members[name], value) and is_sound
        elif members[name] != value:
            is_sound = False
    return is_sound
