"""The page about NO_PROXY says what the code does."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from krm_fn.lint.values import RULES, Rule
from krm_fn.noproxy import ALL_DERIVED, Audience, ClusterNetwork, Entry, Fact, Policy, Style, compose, join
from support import ROOT

FILE = ROOT / "docs" / "no-proxy.md"
PAGE = FILE.read_text(encoding="utf-8")

DOCUMENTS = ClusterNetwork(
    pod_cidrs=(Fact("100.96.0.0/11"),),
    service_cidrs=(Fact("100.64.0.0/13"),),
    service_domain=Fact("cluster.local"),
    endpoint=Fact("178.170.32.59"),
)
USER = tuple(map(Entry, ("172.16.0.0/16", "internal.corpdomain.net", "example.com")))


def line(rule: Rule) -> str:
    cells = (rule.id, rule.severity.value, rule.about.value, rule.finds, rule.why, rule.fix or "-")
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def test_the_table_is_the_table_of_the_code(golden: Callable[[Path, bytes], None]) -> None:
    text = FILE.read_text(encoding="utf-8")
    marks = r"(<!-- rules: `make docs` writes this table -->\n).*?(<!-- end of rules -->)"
    assert re.search(marks, text, re.DOTALL)

    head = ["| id | severity | about | finds | why | fix |", "|---|---|---|---|---|---|"]
    table = "\n".join([*head, *map(line, RULES.values())])
    golden(FILE, re.sub(marks, lambda found: f"{found[1]}\n{table}\n\n{found[2]}", text, flags=re.DOTALL).encode())


@pytest.mark.parametrize("style", Style)
def test_the_example_of_each_style_is_its_output(style: Style) -> None:
    example = join(compose(USER, (DOCUMENTS,), Policy(style=style), Audience.NODE))
    assert f"\n{style.value}:\n    {example}\n" in PAGE


def test_every_name_that_can_be_derived_is_explained() -> None:
    explained = re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)
    assert set(explained) >= ALL_DERIVED
