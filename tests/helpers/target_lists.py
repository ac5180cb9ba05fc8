"""Write the lists of targets and of codes into the JSON Schema."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from krm_fn.config import names_of_only
from krm_fn.krm.codes import SILENCEABLE


def schema_with_lists(text: str) -> str:
    """Return the JSON Schema with the names of targets and the codes."""
    definitions = json.loads(text)["$defs"]
    for name, names in (("target", names_of_only()), ("code", sorted(SILENCEABLE))):
        text = _with_list(text, definitions[name]["description"], names)
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
