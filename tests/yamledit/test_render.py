"""Plain data to text: plain where both YAML versions agree, quoted where one would not, literal where it is long."""

from __future__ import annotations

from typing import Any

import pytest

from krm_fn.yamledit.render import AuthorScalar, scalar


@pytest.mark.parametrize(
    ("value", "quote", "written"),
    [
        pytest.param("x", "'", "'x'", id="the author's single quotes"),
        pytest.param("it's", "", "it's", id="a quote in a plain word"),
        pytest.param("\x7f\x85\u2028\ufeff", "", '"\\u007f\\u0085\\u2028\\ufeff"', id="what YAML takes as a break"),
        pytest.param(AuthorScalar("0640", 416), "", "0640", id="the author's words stay"),
    ],
)
def test_one_value_on_one_line(value: Any, quote: str, written: str) -> None:
    assert scalar(value, quote=quote) == written


@pytest.mark.parametrize(
    ("value", "written"),
    [
        pytest.param(AuthorScalar("a,b", "a,b"), '"a,b"', id="words that would end in flow style are quoted"),
        pytest.param(AuthorScalar("0640", 416), "0640", id="words that would not stay"),
        pytest.param("a b", '"a b"', id="a blank"),
    ],
)
def test_one_value_in_flow_style(value: Any, written: str) -> None:
    assert scalar(value, flow=True) == written
