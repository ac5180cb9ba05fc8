"""Write the tables of fields in `docs/functionconfig.md` and of the options of targets from the JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from function_configs import SCHEMA, resolved
from krm_fn.target_table import ROWS

Node = Mapping[str, Any]

_REFERENCES = {
    "url": "URL",
    "entries": "entries",
    "level": "`Off`, `Info`, `Warning`, `Error`",
    "override": "overrides",
    "source": "sources",
    "matcher": "matchers",
    "certificates": "`pem` or `configMap`",
}
"""What the shared definitions of the schema are called in a table."""


TOPICS = {
    "fields of the proxy": ("httpProxy", "httpsProxy", "secretRef", "allowClearText", "noProxy", "mode"),
    "fields of NO_PROXY": ("noProxyPolicy",),
    "fields of clusters": ("clusterDefaults", "trustedNamespaces", "overrides"),
    "fields of the selection": ("only", "selector"),
    "fields of sources": ("from", "trustedCA", "registryMirror"),
    "fields of the run": ("failOn", "lint", "rollout"),
}
"""The name of a table -> the fields directly below `spec` that it describes."""


def fields(names: Sequence[str]) -> str:
    """Return the table of the fields with these names, and of those below them."""
    spec = SCHEMA["properties"]["spec"]
    return _table(row for row in _leaves(spec, "") if row[0].partition(".")[0] in names)


def options(target: str) -> str:
    """Return the table of the options of a target; "" where it has only `enabled`, as every target has."""
    system, _, part = target.partition(".")
    node = SCHEMA["properties"]["spec"]["properties"]["targets"]["properties"][system]
    if "properties" not in node:
        return ""
    parts = [name.partition(".")[2] for name in ROWS if name.startswith(f"{system}.")]
    rows = []
    for row in _leaves(node, ""):
        name, _, option = row[0].partition(".")
        if part == name and row[1] != "boolean":
            rows.append((option or name, *row[1:]))
        elif not part and name not in parts:
            rows.append(row)
    return _table(rows) if rows else ""


def override_fields() -> str:
    """Return the table of the fields of an override; the fields of its policy are those of `spec`."""
    rows = _leaves(SCHEMA["$defs"]["override"], "")
    policy = SCHEMA["$defs"]["override"]["properties"]["noProxyPolicy"]
    kept = [row for row in rows if not row[0].startswith("noProxyPolicy.")]
    return _table([*kept, ("noProxyPolicy", "as in `spec`", policy["description"])])


def source_fields() -> str:
    """Return the table of the fields of an item of `from`."""
    return _table(_leaves(SCHEMA["$defs"]["source"], ""))


def matcher_fields() -> str:
    """Return the table of the fields of a matcher."""
    return _table(_leaves(SCHEMA["$defs"]["matcher"], ""))


TABLES: dict[str, Callable[[], str]] = {
    **{name: partial(fields, names) for name, names in TOPICS.items()},
    "fields of an override": override_fields,
    "fields of a source": source_fields,
    "fields of a matcher": matcher_fields,
}
"""The name of a table in its marks -> what writes it."""


def _leaves(node: Node, path: str) -> Iterator[tuple[str, str, str]]:
    """Yield path, type and description of each field that holds a value."""
    for name, child in resolved(dict(node))["properties"].items():
        there = resolved(child)
        if "properties" in there and not _is_one_cell(child, there):
            yield from _leaves(child, f"{path}{name}.")
        else:
            yield f"{path}{name}", _type(child), there["description"]


def _is_one_cell(node: Node, there: Node) -> bool:
    """Return whether a mapping is described as a whole: certificates, and mappings of switches."""
    is_reference = str(node.get("$ref", "")).rpartition("/")[2] in _REFERENCES
    return is_reference or (
        len(there["properties"]) > 1 and all(field.get("type") == "boolean" for field in there["properties"].values())
    )


def _type(node: Node) -> str:
    """Return the type of a field in the words of the page, with its default."""
    there = resolved(dict(node))
    name = _name_of_type(node, there)
    if "default" not in there:
        return name
    default = there["default"]
    if "enum" in there:
        return name.replace(f"`{default}`", f"`{default}` (default)", 1)
    return f"{name}; `{json.dumps(default)}`"


def _name_of_type(node: Node, there: Node) -> str:
    reference = str(node.get("$ref", "")).rpartition("/")[2]
    if reference in _REFERENCES:
        return _REFERENCES[reference]
    if "enum" in there:
        return ", ".join(f"`{json.dumps(value)}`".replace(chr(34), "") for value in there["enum"])
    if "array" in there["type"]:
        return _list_of(there["items"])
    if "properties" in there:
        return "mapping of booleans"
    if there["type"] == "object":
        values = _name_of_type(there["additionalProperties"], resolved(there["additionalProperties"]))
        return "mapping" if values == "string" else f"mapping to {values}"
    return {"integer": "whole number"}.get(there["type"], str(there["type"]))


def _list_of(items: Node) -> str:
    reference = str(items.get("$ref", "")).rpartition("/")[2]
    if reference in _REFERENCES:
        return f"list of {_REFERENCES[reference]}"
    choices = resolved(dict(items)).get("enum", ())
    if "nodes.containerd" in choices:
        return "list of targets"
    if choices:
        return f"list of {', '.join(f'`{value}`' for value in choices)}"
    item = resolved(dict(items))
    if item.get("type") == "object":
        return f"list of mappings with {', '.join(f'`{name}`' for name in item['properties'])}"
    return "list"


def _table(rows: Iterable[tuple[str, str, str]]) -> str:
    head = "| field | type; default | what it does |\n|---|---|---|\n"
    lines = [f"| `{path}` | {kind} | {_cell(text)} |\n" for path, kind, text in rows]
    return head + "".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
