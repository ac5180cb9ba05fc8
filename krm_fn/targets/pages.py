"""The pages for users about the targets: one for each system, ``<system>/README.md``, with a section for each target.

A section ends with the options of the target, which `make docs` writes from the JSON Schema.
"""

from __future__ import annotations

from krm_fn.package_files import text_of
from krm_fn.target_table import system_of

# The words before the options of a target.
OPTIONS = "**Options:**"


def title_of(target_id: str) -> str:
    """Return the first sentence about a target, in Markdown and without a full stop."""
    return section_of(target_id).partition("\n")[0].removesuffix(".")


def section_of(target_id: str) -> str:
    """Return the section about a target on the page of its system, in Markdown and without its heading."""
    page = page_of(system_of(target_id))
    name = target_id.rpartition(".")[2]
    return page.partition(f"\n## {name}\n")[2].partition("\n## ")[0].strip("\n")


def introduction_of(system: str) -> str:
    """Return the text before the first section of the page of a system, in Markdown and with its heading."""
    return page_of(system).partition("\n## ")[0].rstrip("\n")


def page_of(system: str) -> str:
    """Return the page of a system in Markdown.

    Raises:
        InternalError: this installation has none.
    """
    return text_of(f"targets/{system}/README.md")
