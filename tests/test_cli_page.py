"""The page about the command line holds what the parsers of the commands say."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from cli_page import page
from krm_fn.cli.commands import MODULES
from support import ROOT

PAGE = ROOT / "docs" / "cli.md"


def test_the_page_is_what_make_docs_writes(golden: Callable[[Path, bytes], None]) -> None:
    golden(PAGE, page().encode())


def test_the_page_has_a_section_for_each_command() -> None:
    assert re.findall(r"^## (.*)$", page(), re.MULTILINE) == ["Without a command", *MODULES]


def test_a_row_of_a_table_has_two_cells() -> None:
    for line in page().splitlines():
        if line.startswith("|"):
            assert len(re.findall(r"(?<!\\)\|", line)) == 3, line
