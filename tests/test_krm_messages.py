"""What users read about a code: an entry for each, in complete sentences, whose links lead somewhere."""

from __future__ import annotations

import re

import pytest

from krm_fn.krm.codes import CODES
from krm_fn.krm.messages import address, explanations

_PROGRAMS = "containerd|httpx|systemd"


def test_each_code_has_an_entry_in_the_order_of_the_table() -> None:
    assert [*explanations()] == [*CODES]


@pytest.mark.parametrize("code", CODES)
def test_an_entry_is_complete_sentences(code: str) -> None:
    for text in explanations()[code]:
        assert re.match(rf"[A-Z`]|({_PROGRAMS}) ", text)
        assert re.search(r"[.`]$", text)
        assert "\n" not in text


def test_the_address_of_a_code_is_its_heading_on_the_site() -> None:
    assert address("ListEmpty") == "https://inject-proxy.io/krm_fn/krm/messages/#listempty"
