"""A ConfigMap read as if it were a ProxyConfig, as kpt sends it: ``fn eval -- key=value``, ``configMap`` of a Kptfile.

Its values are strings; a key is a field of ``spec``, a field below it with dots (``targets.nodes.kubelet``), or
the name of a variable. The schema judges the values.
"""

from __future__ import annotations

from krm_fn import yamledit
from krm_fn.config import json_schema
from krm_fn.config.spec import FieldNames, shown
from krm_fn.errors import ConfigError, ConfigProblem, InputError
from krm_fn.light_typing import Any, Fields
from krm_fn.patch import Data, Pointer, lookup, put_at

# The variables, as names for the fields that fill them.
ALIASES = {
    "HTTP_PROXY": "httpProxy",
    "http_proxy": "httpProxy",
    "HTTPS_PROXY": "httpsProxy",
    "https_proxy": "httpsProxy",
    "NO_PROXY": "noProxy",
    "no_proxy": "noProxy",
}
_BOOLEANS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def read(data: Data, names: FieldNames) -> tuple[Fields, list[ConfigProblem]]:
    """Return the ``spec`` that ``data`` means, and its problems; note the keys in ``names``."""
    spec: Fields = {}
    problems: list[ConfigProblem] = []
    for key, written in data.items():
        try:
            path, value = _field(key, written)
        except ConfigError as error:
            problems += error.problems
            continue
        contradicted = [
            other_key
            for other, other_key in names.keys.items()
            if _contradicts(spec, other, path, value)
        ]
        if contradicted:
            text = f"must not contradict `data.{contradicted[0]}`: give only one of them"
            problems.append(ConfigProblem(("data", key), text))
        else:
            put_at(spec, path, value)
        names.keys.setdefault(path, key)
    return spec, problems


def _contradicts(spec: Data, other: Pointer, path: Pointer, value: Any) -> bool:
    """Return whether a field of a ``spec`` is the same as one with a value, or one in it, but does not say the same."""
    depth = min(len(path), len(other))
    if path[:depth] != other[:depth]:
        return False
    return path != other or lookup(spec, path) != value


def _field(key: str, value: Any) -> tuple[Pointer, Any]:
    """Return the field of ``spec`` that a key says, and its value; raises ConfigError."""
    name = ALIASES.get(key, key)
    known = json_schema.field(name)
    if known is None:
        names = [*json_schema.fields(), *ALIASES]
        advice = json_schema.unknown(key, names, root="")
        raise ConfigError(problems=[ConfigProblem(("data", shown(key)), advice)])
    path = tuple(name.split("."))
    if not isinstance(value, str):
        # A number stays one: ``0640`` without quotes has already become 416, and must not pass as a string.
        return path, value
    wanted = known["type"]
    text = value.strip()
    if "boolean" in wanted and text.lower() in _BOOLEANS:
        return path, _BOOLEANS[text.lower()]
    if "string" not in wanted and ("object" in wanted or "array" in wanted):
        return path, _read(key, value, known)
    return path, text


def _read(key: str, text: str, known: Data) -> Any:
    """Return a mapping or a list that is written as YAML or JSON in a text; raises ConfigError."""
    try:
        value = json_schema.plain(yamledit.read(text))
    except InputError as error:
        reason = f"must be YAML or JSON text: {error}"
        raise ConfigError(problems=[ConfigProblem(("data", key), reason)]) from None
    if isinstance(value, str) and "array" in known["type"]:
        return [name.strip() for name in value.split(",")]
    if "object" in known["type"] and not isinstance(value, dict):
        either = "`true`, `false` or " if "boolean" in known["type"] else ""
        message = f"must be {either}a mapping, as YAML or JSON text"
        raise ConfigError(problems=[ConfigProblem(("data", key), message)])
    return value
