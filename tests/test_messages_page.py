"""The pages about messages and lint hold what the tables of codes and rules say."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from krm_fn.krm.codes import FIXED, SILENCEABLE
from krm_fn.noproxy.lint_rules import RULES
from messages_page import page, rules
from support import ROOT

PAGE = ROOT / "docs" / "messages.md"
LINT_PAGE = ROOT / "docs" / "lint.md"


def test_the_page_is_what_make_docs_writes(golden: Callable[[Path, bytes], None]) -> None:
    golden(PAGE, page().encode())


def test_the_rules_of_the_lint_page_are_what_make_docs_writes(golden: Callable[[Path, bytes], None]) -> None:
    text = LINT_PAGE.read_text(encoding="utf-8")
    marks = r"(<!-- rules: `make docs` writes this part -->\n).*?(<!-- end of rules -->)"
    assert re.search(marks, text, re.DOTALL)
    golden(LINT_PAGE, re.sub(marks, lambda found: f"{found[1]}\n{rules()}\n{found[2]}", text, flags=re.DOTALL).encode())


@pytest.mark.parametrize(
    ("text", "names"),
    [
        pytest.param(page().partition("## Codes that nothing silences")[0], SILENCEABLE, id="codes"),
        pytest.param(page().partition("## Codes that nothing silences")[2], FIXED, id="codes that nothing silences"),
        pytest.param(rules(), RULES, id="rules"),
    ],
)
def test_each_code_and_each_rule_has_a_row(text: str, names: Mapping[str, object]) -> None:
    assert re.findall(r"^\| ([A-Z]\w+) \|", text, re.MULTILINE) == [*names]
