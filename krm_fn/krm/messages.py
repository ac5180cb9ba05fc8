"""What users read about a code or a rule: ``messages.md``, with a section for each.

An ordinary run reads none of it.
"""

from __future__ import annotations

import re

from krm_fn.light_typing import NamedTuple
from krm_fn.package_files import text_of

SITE = "https://inject-proxy.io"
"""Where the documentation is: the site that `make site` builds, which has the folders of the repository."""


class CodeText(NamedTuple):
    """What users read about a code or a rule: complete sentences, in Markdown.

    ``meaning`` says what happened, or what a rule finds; ``fix`` what ``inject-proxy lint --fix`` does, "" where a
    person has to decide.
    """

    meaning: str
    cause: str
    remedy: str
    fix: str = ""


def address(name: str) -> str:
    """Return the address of what the site says about a code or a rule."""
    return f"{SITE}/krm_fn/krm/messages/#{name.lower()}"


def explanations() -> dict[str, CodeText]:
    """Return code or ID of a rule -> what users read about it, in the order of the file."""
    sections = re.split(r"^## ", text_of("krm/messages.md"), flags=re.MULTILINE)[1:]
    return dict(_of_section(section) for section in sections)


def _of_section(section: str) -> tuple[str, CodeText]:
    name, meaning, *parts = (" ".join(part.split()) for part in section.strip().split("\n\n"))
    labelled = (part.partition(": ") for part in parts)
    return name, CodeText(meaning, **{label.lower(): text for label, _, text in labelled})
