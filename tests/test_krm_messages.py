"""What users read about a code: an entry for each, in complete sentences, whose links lead somewhere."""

from __future__ import annotations

from krm_fn.krm.codes import CODES
from krm_fn.krm.messages import address, explanations


def test_each_code_has_an_entry_in_the_order_of_the_table() -> None:
    assert [*explanations()] == [*CODES]


def test_the_address_of_a_code_is_its_heading_on_the_site() -> None:
    assert address("ListEmpty") == "https://inject-proxy.io/krm_fn/krm/messages/#listempty"
