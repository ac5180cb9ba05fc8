"""Plain data to text: plain where both YAML versions agree, quoted where one would not, literal where it is long."""

from __future__ import annotations

from typing import Any

import pytest

from krm_fn.yamledit.render import AuthorScalar, scalar


@pytest.mark.parametrize(
    ("value", "options", "written"),
    [
        pytest.param("x", {"quote": "'"}, "'x'", id="the author's single quotes"),
        pytest.param("it's", {}, "it's", id="a quote in a plain word"),
        pytest.param("\x7f\x85\u2028\ufeff", {}, '"\\u007f\\u0085\\u2028\\ufeff"', id="what YAML takes as a break"),
        pytest.param(AuthorScalar("0640", 416), {}, "0640", id="the author's words stay"),
        pytest.param(AuthorScalar("a,b", "a,b"), {"flow": True}, '"a,b"', id="words that would end in flow style"),
        pytest.param(AuthorScalar("0640", 416), {"flow": True}, "0640", id="the author's words stay in flow style"),
        pytest.param("a b", {"flow": True}, '"a b"', id="a blank in flow style"),
    ],
)
def test_one_value_on_one_line(value: Any, options: dict[str, Any], written: str) -> None:
    assert scalar(value, **options) == written
