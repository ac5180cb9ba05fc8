"""The judge of the URL of a proxy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.lint.urls import judge_url
from krm_fn.lint.values import Reader
from krm_fn.noproxy import Audience

READER = Reader(Audience.NODE)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        pytest.param("http://proxy.example.com:3128", [], id="a host and a port"),
        pytest.param("http://user:p%40ss@10.0.0.1:3128", ["PasswordInClearText"], id="an encoded password"),
        pytest.param("${PROXY}", [], id="a template"),
        pytest.param("proxy:3128", ["UrlInvalid"], id="no scheme"),
        pytest.param(" http://proxy:3128\n", ["UrlInvalid"], id="blanks around it"),
        pytest.param("http://proxy/path", ["UrlInvalid"], id="a path"),
        pytest.param("http://u%zz@proxy:1", ["UrlInvalid"], id="a percent sign alone"),
        pytest.param("http://D\\u@proxy:1", ["UrlInvalid"], id="a Windows domain"),
        pytest.param("https://proxy:3128", ["UrlHttps"], id="TLS to the proxy"),
        pytest.param("http://proxy.example.com", ["UrlWithoutPort"], id="no port"),
    ],
)
def test_each_problem_of_a_url(url: str, expected: list[str]) -> None:
    assert [problem.code for problem in judge_url(url, READER)] == expected


def test_what_is_right_depends_on_the_reader() -> None:
    assert judge_url("http://u:p@proxy:1", READER._replace(in_secret=True)) == []
    assert judge_url("proxy:3128", READER._replace(takes_host_and_port=True)) == []


@given(st.text(max_size=12), st.text(max_size=12))
def test_no_message_repeats_the_password(user: str, password: str) -> None:
    secret = f"Q{password}Q"
    for problem in judge_url(f"http://Z{user}Z:{secret}@proxy:3128", READER):
        assert secret not in f"{problem.message}{problem.entry}"
