"""The page about targets holds what the targets say about themselves."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from all_targets import TARGETS
from krm_fn.target_table import ROWS, system_of
from krm_fn.targets.pages import introduction_of, page_of, section_of
from support import ROOT
from targets_page import INDEX, index, pages, rows_of_charts

PARTS = ["What it sets", "Where", "What it leaves alone", "Before and after", "Why"]

Golden = Callable[[Path, bytes], None]


def test_the_table_of_charts_is_what_the_rows_say(golden: Golden) -> None:
    path = ROOT / "krm_fn/targets/charts/README.md"
    text = path.read_text(encoding="utf-8")
    table = r"(\| chart \|[^\n]*\n\|---[^\n]*\n)(?:\|[^\n]*\n)*"
    assert re.search(table, text)
    golden(path, re.sub(table, lambda found: found[1] + rows_of_charts(), text).encode())


def test_the_index_is_what_make_docs_writes(golden: Golden) -> None:
    golden(INDEX, index().encode())


@pytest.mark.parametrize("path", pages(), ids=lambda path: path.parent.name)
def test_the_options_on_a_page_are_those_of_the_schema(path: Path, golden: Golden) -> None:
    golden(path, pages()[path].encode())


@pytest.mark.parametrize("target", TARGETS)
def test_the_section_of_a_target_has_all_parts(target: str) -> None:
    section = section_of(target)
    parts = re.findall(r"^\*\*([A-Za-z ]+):\*\*", section, re.MULTILINE)
    assert [part for part in parts if part != "Options"] == PARTS
    assert section.count("```") == 2  # the diff


@pytest.mark.parametrize("target", TARGETS)
def test_the_page_names_each_kind_of_a_target(target: str) -> None:
    text = introduction_of(system_of(target)) + section_of(target)
    assert sorted(kind for _, kind in ROWS[target].kinds if kind not in text) == []


@pytest.mark.parametrize("target", TARGETS)
def test_the_index_leads_to_the_page_of_a_target(target: str) -> None:
    assert f"(../krm_fn/targets/{system_of(target)}/README.md)" in index()
    assert f"| `{target}` |" in index()
    assert f"\n## {target.rpartition('.')[2]}\n" in page_of(system_of(target))


@pytest.mark.parametrize("target", TARGETS)
def test_text_in_angle_brackets_is_code_so_that_markdown_shows_it(target: str) -> None:
    prose = re.sub(r"```.*?```|`[^`]+`", "", section_of(target), flags=re.DOTALL)
    assert re.findall(r"<\w+>", prose) == []
