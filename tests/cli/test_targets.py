"""`targets`: the list of all, and a page for each."""

from __future__ import annotations

import pytest

from all_targets import TARGETS
from krm_fn.target_table import SYSTEMS
from krm_fn.targets.pages import OPTIONS, section_of
from support import out


def test_targets_are_listed_each_with_a_title() -> None:
    rows = [line.split("  ", 1) for line in out("targets").splitlines()]
    assert [row[0].strip() for row in rows] == [*TARGETS]
    assert all(rest.rstrip().endswith(".") for _, rest in rows)


@pytest.mark.parametrize("system", [name for name, targets in SYSTEMS.items() if len(targets) > 1])
def test_targets_of_a_system(system: str) -> None:
    table, _, page = out("targets", system).partition("\n\n")
    assert [line.split()[0] for line in table.splitlines()] == [*SYSTEMS[system]]
    assert page.startswith(f"# {system}\n") == (system in TARGETS)


@pytest.mark.parametrize("target", TARGETS)
def test_a_target_has_a_page_with_its_options(target: str) -> None:
    text = out("targets", target)
    assert f"# {target}\n\n" in text
    assert ("**Options:**" in text) == (OPTIONS in section_of(target))
    assert "](" not in text, "a terminal follows no link"
