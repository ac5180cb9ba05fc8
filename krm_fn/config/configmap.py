"""A ConfigMap read as if it were a ProxyConfig, as kpt sends it: ``fn eval -- key=value``, ``configMap`` of a Kptfile.

Its values are strings; a key is a field of ``spec``, a field below it with dots (``targets.nodes.kubelet``), or
the name of a variable. The schema judges the values.
"""

from __future__ import annotations

from krm_fn import yamledit
from krm_fn.config import json_schema
from krm_fn.config.names import FieldNames, shown
from krm_fn.errors import ConfigError, ConfigProblem, InputError
from krm_fn.light_typing import Any, Fields, NamedTuple, Texts
from krm_fn.patch import Data, put_at

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


class Field(NamedTuple):
    """A field of ``spec`` that a key says: the steps of its path, and its value."""

    key: str
    path: Texts
    value: Any

    def contradicts(self, other: Field) -> bool:
        """Return whether one of two fields is the other one, or in it, but does not say the same."""
        depth = min(len(self.path), len(other.path))
        if self.path[:depth] != other.path[:depth]:
            return False
        return self.path != other.path or self.value != other.value


def read(data: Data, names: FieldNames) -> tuple[Fields, list[ConfigProblem]]:
    """Return the ``spec`` that ``data`` means, and its problems; note the keys in ``names``."""
    spec: Fields = {}
    fields: list[Field] = []
    problems: list[ConfigProblem] = []
    for key, value in data.items():
        try:
            field = _field(key, value)
        except ConfigError as error:
            problems += error.problems
            continue
        others = [f"`data.{other.key}`" for other in fields if other.contradicts(field)]
        if others:
            text = f"must not contradict {others[0]}: give only one of them"
            problems.append(ConfigProblem(("data", key), text))
        else:
            put_at(spec, field.path, field.value)
        fields.append(field)
        names.keys.setdefault(field.path, key)
    return spec, problems


def _field(key: str, value: Any) -> Field:
    """Return the field that a key says; raises ConfigError."""
    name = ALIASES.get(key, key)
    known = json_schema.field(name)
    if known is None:
        names = [*json_schema.fields(), *ALIASES]
        advice = json_schema.unknown(key, names, root="")
        raise ConfigError([ConfigProblem(("data", shown(key)), advice)])
    path = tuple(name.split("."))
    if not isinstance(value, str):
        # A number stays one: ``0640`` without quotes has already become 416, and must not pass as a string.
        return Field(key, path, value)
    wanted, text = known["type"], value.strip()
    if "boolean" in wanted and text.lower() in _BOOLEANS:
        return Field(key, path, _BOOLEANS[text.lower()])
    if "string" not in wanted and ("object" in wanted or "array" in wanted):
        return Field(key, path, _read(key, value, known))
    return Field(key, path, text)


def _read(key: str, text: str, known: Data) -> Any:
    """Return a mapping or a list that is written as YAML or JSON in a text; raises ConfigError."""
    try:
        value = json_schema.plain(yamledit.read(text))
    except InputError as error:
        reason = f"must be YAML or JSON text: {error}"
        raise ConfigError([ConfigProblem(("data", key), reason)]) from None
    if isinstance(value, str) and "array" in known["type"]:
        return [name.strip() for name in value.split(",")]
    if "object" in known["type"] and not isinstance(value, dict):
        either = "`true`, `false` or " if "boolean" in known["type"] else ""
        message = f"must be {either}a mapping, as YAML or JSON text"
        raise ConfigError([ConfigProblem(("data", key), message)])
    return value
