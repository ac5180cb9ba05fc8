"""The URL of a proxy, taken apart: whatever it is, its parts make it up again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.proxy_url import is_port, split_url


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        pytest.param("http://proxy:3128", ("http", None, "proxy", ":3128", ""), id="no credentials"),
        pytest.param("https://u:p@proxy:1/", ("https", "u:p", "proxy", ":1", "/"), id="user and password"),
        pytest.param("http://u:p@s/s:@proxy", ("http", "u:p@s/s:", "proxy", "", ""), id="a raw password"),
        pytest.param("http://@proxy", ("http", "", "proxy", "", ""), id="an empty user"),
        pytest.param("http://[fd00::1]:3128/a?b", ("http", None, "[fd00::1]", ":3128", "/a?b"), id="IPv6 and a path"),
        pytest.param("http://a\nb@c", ("http", "a\nb", "c", "", ""), id="a line break"),
    ],
)
def test_the_parts_of_a_url(text: str, parts: tuple[str | None, ...]) -> None:
    assert tuple(split_url(text)) == parts


@given(st.text(st.sampled_from("ab:/@[]?#.\n")))
def test_the_parts_make_up_the_text(text: str) -> None:
    for url in (text, f"http://{text}"):
        parts = split_url(url)
        assert parts.text == url
        assert "@" not in parts.without_credentials


@pytest.mark.parametrize(("text", "is_one"), [("1", True), ("65535", True), ("0", False), ("65536", False)])
def test_a_port(text: str, is_one: bool) -> None:
    assert is_port(text) is is_one
