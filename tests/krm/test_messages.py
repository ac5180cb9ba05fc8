"""What users read about a code: an entry for each, which is complete where no page of this repository is at hand."""

from __future__ import annotations

from krm_fn.krm.codes import CODES
from krm_fn.krm.messages import explanations


def test_each_code_has_an_entry_in_the_order_of_the_table() -> None:
    assert [*explanations()] == [*CODES]


def test_an_entry_has_no_link_because_a_terminal_and_a_report_show_it_too() -> None:
    assert [code for code, text in explanations().items() if "](" in f"{text.meaning}{text.remedy}"] == []
