"""Forms that hold certificates, or an entry of ours: what others wrote stays."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from certificates import BOTH, ONE, A, B
from krm_fn.places.certificates import with_certificates, write_certificates, write_entry
from krm_fn.places.place import WrittenForm
from places_forms import place, reported, written
from proposals import env

MARK = "# inject-proxy: a certificate of spec.trustedCA\n"
CODED = place(WrittenForm(partial(write_certificates, is_base64=True)), "a", "ca", is_unconditional=True)


@pytest.mark.parametrize(
    ("before", "wanted", "after"),
    [
        pytest.param("", A + B, f"{MARK}{A}{MARK}{B}", id="two in an empty text"),
        pytest.param(B, A, f"{B}\n{MARK}{A}", id="beside one of others"),
        pytest.param(f"{B}\n{MARK}{A}", "", B, id="none"),
    ],
)
def test_certificates_of_a_text(before: str, wanted: str, after: str) -> None:
    assert with_certificates(before, wanted) == after
    assert with_certificates(after, wanted) == after


@pytest.mark.parametrize("text", ["", B, "# a comment\n", B.rstrip("\n")])
def test_certificates_that_go_leave_what_was_there(text: str) -> None:
    assert with_certificates(with_certificates(text, A), "") == text


@pytest.mark.parametrize("value", ["%%%", "/w==", 1, []])
def test_a_text_that_cannot_be_read_stays_and_is_reported(value: Any) -> None:
    data = {"a": {"ca": value}}
    assert written(data, CODED, BOTH) == data
    assert [path for _, path in reported(data, CODED, BOTH)] == [("a", "ca")]


OURS, OTHER, PROXY = {"name": "ours", "value": "1"}, {"name": "other"}, env({"HTTP_PROXY": "x"})


@pytest.mark.parametrize(
    ("before", "entry", "after"),
    [
        pytest.param(None, OURS, [OURS], id="no list"),
        pytest.param([OTHER, *PROXY], OURS, [OTHER, OURS, *PROXY], id="in front of a proxy at the end"),
        pytest.param([{"name": "ours", "x": 1}, OTHER], OURS, [{**OURS, "x": 1}, OTHER], id="where ours is"),
        pytest.param([OURS, None, OTHER], None, [None, OTHER], id="none any more"),
    ],
)
def test_the_entry_of_ours_is_set_or_removed(before: Any, entry: Any, after: Any) -> None:
    def data(value: Any) -> Any:
        return {"env": value} if value is not None else {}

    at = place(WrittenForm(partial(write_entry, "ours", entry)), "env", is_unconditional=True)
    assert written(data(before), at, ONE) == data(after)


def test_an_entry_for_what_is_no_list_is_an_error() -> None:
    at = place(WrittenForm(partial(write_entry, "ours", OURS)), "env", is_unconditional=True)
    assert reported({"env": "x"}, at, ONE) == [("CannotWrite", ("env",))]
