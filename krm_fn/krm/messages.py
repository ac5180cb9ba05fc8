"""What users read about a code: ``messages.md``, with a section for each. An ordinary run reads none of it."""

from __future__ import annotations

import re

from krm_fn.light_typing import NamedTuple
from krm_fn.package_files import text_of


class CodeText(NamedTuple):
    """What a code means, and what to do; complete sentences in Markdown."""

    meaning: str
    remedy: str


def explanations() -> dict[str, CodeText]:
    """Return code -> its explanation, in the order of the file."""
    found = {}
    for section in re.split(r"^## ", text_of("krm/messages.md"), flags=re.MULTILINE)[1:]:
        parts = section.strip().split("\n\n")
        code, meaning, remedy = (" ".join(part.split()) for part in parts)
        found[code] = CodeText(meaning, remedy.removeprefix("Remedy: "))
    return found
