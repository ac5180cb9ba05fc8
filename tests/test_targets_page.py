"""The page about targets, and the list in the README, hold what the targets say about themselves."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from krm_fn.targets import TARGETS
from stories import stories_of
from support import ROOT
from targets_page import page, short_list, title_of

PAGE = ROOT / "docs" / "targets.md"
README = ROOT / "README.md"
PARTS = ["What it sets", "Where", "What it leaves alone", "Before and after", "Options", "Why"]

Golden = Callable[[Path, bytes], None]


def test_the_page_is_what_make_docs_writes(golden: Golden) -> None:
    golden(PAGE, page().encode())


def test_the_list_in_the_readme_is_what_make_docs_writes(golden: Golden) -> None:
    text = README.read_text(encoding="utf-8")
    marks = r"(<!-- targets: `make docs` writes this list -->\n).*?(<!-- end of targets -->)"
    assert re.search(marks, text, re.DOTALL)
    golden(
        README,
        re.sub(marks, lambda found: found[1] + "\n" + short_list() + "\n" + found[2], text, flags=re.DOTALL).encode(),
    )


@pytest.mark.parametrize("target", TARGETS)
def test_the_section_of_a_target_has_all_parts(target: str) -> None:
    (section,) = re.findall(rf"^## {target}\n(.*?)(?=^## |\Z)", page(), re.MULTILINE | re.DOTALL)
    assert re.findall(r"^\*\*([A-Za-z ]+):\*\*", section, re.MULTILINE) == PARTS
    assert section.count("```") == 2  # the diff
    assert f"](../{stories_of(target).relative_to(ROOT)}/" in section


@pytest.mark.parametrize("target", TARGETS)
def test_the_table_of_contents_leads_to_the_section_of_a_target(target: str) -> None:
    contents = page().partition("\n## ")[0]
    assert f"| [{target}](#{target.lower()}) | {title_of(TARGETS[target])} |\n" in contents


@pytest.mark.parametrize("target", TARGETS)
def test_text_in_angle_brackets_is_code_so_that_markdown_shows_it(target: str) -> None:
    (section,) = re.findall(rf"^## {target}\n(.*?)(?=^## |\Z)", page(), re.MULTILINE | re.DOTALL)
    prose = re.sub(r"```.*?```|`[^`]+`", "", section, flags=re.DOTALL)
    assert re.findall(r"<\w+>", prose) == []
