"""The pages about messages and lint hold what the tables of codes and rules say."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from krm_fn.krm.codes import CODES
from krm_fn.noproxy.rules import RULES
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


@pytest.mark.parametrize(("text", "names"), [(page(), CODES), (rules(), RULES)], ids=["codes", "rules"])
def test_each_code_and_each_rule_has_an_entry_that_can_be_linked_to(text: str, names: Iterable[str]) -> None:
    entries = re.split(r"^### ", text.partition("\n## Rules\n")[0], flags=re.MULTILINE)[1:]
    assert [entry.split("\n")[0] for entry in entries] == [*names]
    for entry in entries:
        name = entry.split("\n")[0]
        titles = re.findall(r"^- \*\*([A-Za-z]+)", entry, re.MULTILINE)
        assert titles[:4] in (["Severity", "Meaning", "Cause", "Remedy"], ["Severity", "Finds", "Cause", "Remedy"])
        is_silenceable = name not in CODES or not CODES[name].is_fixed
        assert (titles[-1] == "Silence") is is_silenceable
        assert (f'`spec: {{lint: {{rules: {{{name}: "Off"}}}}}}`' in entry) is is_silenceable


def test_each_remedy_is_a_complete_sentence() -> None:
    for rule in RULES.values():
        assert re.fullmatch(r"[A-Z].*\.", rule.remedy)
        for fragment in (rule.finds, rule.why, rule.fix):
            assert not fragment.endswith(".")
