"""Write the targets that are rows of a table into the JSON Schema, its lists of targets, and what `full.yaml` lacks."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

import yaml

from function_configs import resolved
from krm_fn.config import names_of_only
from krm_fn.krm.codes import SILENCEABLE
from krm_fn.products import distributions
from krm_fn.products.node_kinds import SERVICE_TARGETS
from krm_fn.target_table import ROWS
from krm_fn.targets.pages import title_of


def schema_with_lists(text: str) -> str:
    """Return the JSON Schema with the names of targets, the codes, and the targets of rows."""
    text = _with_blocks(text, SERVICE_TARGETS, _block_of_services)
    text = _with_blocks(text, tuple(distributions.PRODUCTS), _block)
    schema = json.loads(text)
    only = schema["properties"]["spec"]["properties"]["only"]
    targets = schema["$defs"]["overrideMatch"]["properties"]["targets"]
    code = schema["$defs"]["code"]
    for node, names in ((only, names_of_only()), (targets, tuple(ROWS)), (code, sorted(SILENCEABLE))):
        text = _with_list(text, node["description"], names)
    return text


def _with_blocks(text: str, names: Sequence[str], block: Callable[[str], list[str]]) -> str:
    """Replace what is said of targets that follow each other; a new one is behind those that are there."""
    blocks = []
    for name in names:
        lines = [f"{json.dumps(name)}: {{", *(f"  {line}" for line in block(name)), "}"]
        blocks.append("\n".join(f"{' ' * 12}{line}" for line in lines))
    start = text.index(f'{" " * 12}"{names[0]}": {{')
    following = list(ROWS)[list(ROWS).index(names[-1]) + 1 :]
    ends = f',\n{" " * 12}"{following[0]}": {{' if following else f"\n{' ' * 10}}}"
    return text[:start] + ",\n".join(blocks) + text[text.index(ends, start) :]


def _block_of_services(name: str) -> list[str]:
    """Return the lines about a target that writes all of a system of nodes."""
    options = [f'  "{option}": {{ "$ref": "#/$defs/{option}" }}' for option in ("enabled", "exports", "place")]
    return [
        f'"description": {json.dumps(title_of(name) + ".", ensure_ascii=False)},',
        '"type": "object",',
        '"additionalProperties": false,',
        '"examples": [{ "exports": false }],',
        '"properties": {',
        *",\n".join(options).splitlines(),
        "}",
    ]


def _block(name: str) -> list[str]:
    """Return the lines about one distribution, as its rows and its page say it."""
    rows = [row for row in distributions.ROWS if row.target == name]
    on_request = [row.kind for row in rows if row.is_immutable]
    enabled = '{ "$ref": "#/$defs/enabled" }'
    if len(on_request) == len(rows):
        enabled = '{ "$ref": "#/$defs/enabledIfAsked" }'
    elif on_request:
        description = (
            "Whether this target looks at objects at all. An explicit true also writes what cannot be changed later: "
            f"{', '.join(on_request)}."
        )
        enabled = f'{{ "$ref": "#/$defs/enabled", "description": {json.dumps(description)} }}'
    return [
        f'"description": {json.dumps(title_of(name) + ".", ensure_ascii=False)},',
        '"type": "object",',
        '"additionalProperties": false,',
        f'"examples": [{{ "enabled": {json.dumps(bool(on_request))} }}],',
        f'"properties": {{ "enabled": {enabled} }}',
    ]


def _with_list(text: str, description: str, names: Sequence[str]) -> str:
    """Replace the first `enum` behind a description, which no other field has."""
    start = text.index(json.dumps(description, ensure_ascii=False))
    opened = text.index('"enum": [\n', start) + len('"enum": [\n')
    closed = text.index("]", opened)
    closed = text.rindex("\n", opened, closed)
    indent = re.match(" *", text[opened:])
    lines = ",\n".join(f"{indent[0] if indent else ''}{json.dumps(name)}" for name in names)
    return f"{text[:opened]}{lines}{text[closed:]}"


def example_with_targets(text: str, schema: Any) -> str:
    """Return `full.yaml` with each target that it lacks at its end, where `spec.targets` is.

    Each option has its default, or its first example.
    """
    shown = yaml.safe_load(text)["spec"]["targets"]
    known = schema["properties"]["spec"]["properties"]["targets"]["properties"]
    for name, target in known.items():
        if name not in shown:
            fields = {option: resolved(node) for option, node in target["properties"].items()}
            options = {option: node.get("default", node["examples"][0]) for option, node in fields.items()}
            text += textwrap.indent(yaml.safe_dump({name: options}, sort_keys=False), " " * 4)
    return text
