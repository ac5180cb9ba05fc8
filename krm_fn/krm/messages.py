"""Read the explanations of codes for users in ``messages.md``, a section for each; an ordinary run reads none."""

from __future__ import annotations

import re

from krm_fn.light_typing import NamedTuple
from krm_fn.package_files import text_of


class CodeText(NamedTuple):
    """The meaning of a code and its remedy, as complete sentences in Markdown."""

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
