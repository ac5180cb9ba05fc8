"""Write the lists of targets in the JSON Schema, and each target that `full.yaml` lacks, from the table of targets."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Sequence
from typing import Any

import yaml

from function_configs import resolved
from krm_fn.config import names_of_only
from krm_fn.target_table import ROWS


def schema_with_lists(text: str) -> str:
    """Return the JSON Schema with the names that `only` and `match.targets` accept."""
    schema = json.loads(text)
    only = schema["properties"]["spec"]["properties"]["only"]
    targets = schema["$defs"]["overrideMatch"]["properties"]["targets"]
    for node, names in ((only, names_of_only()), (targets, tuple(ROWS))):
        text = _with_list(text, node["description"], names)
    return text


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
