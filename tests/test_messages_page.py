"""The page about messages holds what the tables of codes and rules say."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from krm_fn.krm.codes import CODES
from krm_fn.noproxy.rules import RULES
from messages_page import page
from support import ROOT

PAGE = ROOT / "docs" / "messages.md"


def test_the_page_is_what_make_docs_writes(golden: Callable[[Path, bytes], None]) -> None:
    golden(PAGE, page().encode())


def test_the_page_explains_each_code_and_each_rule() -> None:
    entries = re.split(r"^### ", page(), flags=re.MULTILINE)[1:]
    assert [entry.split("\n")[0] for entry in entries] == [*CODES, *RULES]
    for entry in entries:
        titles = re.findall(r"^- \*\*([A-Za-z]+)", entry, re.MULTILINE)
        assert titles[:5] in (
            ["Severity", "Meaning", "Cause", "Remedy", "Silence"],
            ["Severity", "Finds", "Cause", "Remedy", "Silence"],
            ["Severity", "Finds", "Cause", "Remedy", "Fix"],
        )
        assert titles[-1] == "Silence"


def test_each_remedy_is_a_complete_sentence() -> None:
    for rule in RULES.values():
        assert re.fullmatch(r"[A-Z].*\.", rule.remedy)
        for fragment in (rule.finds, rule.why, rule.fix):
            assert not fragment.endswith(".")
