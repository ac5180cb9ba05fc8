"""The table of targets: a row for each module of a target, with the words for which it is imported."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from all_targets import TARGETS
from krm_fn.target_table import ROWS, VARIABLES
from krm_fn.targets.base import Target
from support import ROOT

TARGET_FILES = {Path(inspect.getfile(type(target))) for target in TARGETS.values()}


def test_every_target_of_the_folder_is_in_the_table() -> None:
    modules = {
        path
        for path in (ROOT / "krm_fn" / "targets").rglob("*.py")
        if re.search(r"^    audience = |self.audience = ", path.read_text(), re.MULTILINE)
    }
    assert modules == TARGET_FILES
    assert all(name == target.id for name, target in TARGETS.items())


@pytest.mark.parametrize("target", TARGETS.values(), ids=lambda target: target.id)
def test_the_table_knows_the_words_for_which_a_target_is_imported(target: Target) -> None:
    row = ROWS[target.id]
    assert {*row.text_hints} in (set(), {*target.hints({})})
    assert bool(row.reference_words) is ("references" in vars(type(target)))
    assert row.reference_words or row.fills != VARIABLES
