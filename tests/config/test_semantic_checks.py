"""Proxy URLs: what is accepted, how a mistake is reported, and that no message ever holds a password."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from function_configs import config_map, problems, proxy_config
from krm_fn.config import fields, load

PATTERN = fields()["httpProxy"]["pattern"]
SECRET = "S3CRET"

FINE = [
    pytest.param("http://proxy.example.com:3128", id="the usual form"),
    pytest.param("http://proxy:3128/", id="a single slash at the end"),
    pytest.param("http://proxy_1.example.com:1", id="an underscore in a name"),
    pytest.param("http://[fd00::1]:3128", id="an IPv6 address in brackets"),
    pytest.param("http://user:p%40ss@proxy:3128", id="a password that is percent-encoded"),
    pytest.param("http://user:caf%C3%A9@proxy:3128", id="a password that is not ASCII, percent-encoded"),
    pytest.param("http://user:@proxy", id="an empty password"),
    pytest.param("http://u.s_e~r-1:p.a_s~s-1@proxy", id="everything that need not be encoded"),
]


@pytest.mark.parametrize("url", FINE)
@pytest.mark.parametrize("field", ["httpProxy", "httpsProxy"])
def test_a_url_that_is_fine(field: str, url: str) -> None:
    spec = {field: url}
    config = load({"apiVersion": "fn.inject-proxy.io/v1alpha1", "kind": "ProxyConfig", "spec": spec})
    assert config is not None
    assert url in config.declaration.urls
    assert re.search(PATTERN, url)


@pytest.mark.parametrize(
    ("url", "reported"),
    [
        pytest.param("proxy:3128", 'as in "http://proxy.example.com:3128"', id="no scheme"),
        pytest.param("http://proxy:3128\n", "must not hold blanks or line breaks", id="a line break at the end"),
        pytest.param("http://pr\ud800oxy", "must not hold blanks or line breaks", id="half of a surrogate pair"),
        pytest.param('"http://proxy"', "without quotes", id="quotes that became part of it"),
        pytest.param("HTTP://proxy", "in lower case", id="a scheme in capitals"),
        pytest.param("socks5://proxy:1080", "speak no SOCKS", id="SOCKS"),
        pytest.param("http://wpad/proxy.pac", "read no PAC file", id="a PAC file"),
        pytest.param("http://u:p@", "must name a host", id="a password without a host"),
        pytest.param("http://pröxy", "must name a host", id="a name that is not ASCII"),
        pytest.param("http://[fe80::1%eth0]", "must name a host", id="an IPv6 address with a zone"),
        pytest.param("http://fd00::1:3128", "in brackets", id="an IPv6 address without brackets"),
        pytest.param("http://proxy:123456", "must hold a port", id="a port above 65535"),
        pytest.param("http://u:p@ss@proxy:1", '"@" as "%40"', id="a raw @"),
        pytest.param("http://:p@proxy", "must hold a user name", id="a password without a user"),
    ],
)
def test_a_url_that_is_not(url: str, reported: str) -> None:
    (problem,) = problems(proxy_config(httpProxy=url))
    assert problem.startswith("spec.httpProxy: must ")
    assert reported in problem


def test_several_mistakes_in_one_url_are_all_reported() -> None:
    reported = " ".join(problems(proxy_config(httpProxy="http://u:p@%@pr..oxy:0/x")))
    assert all(
        part in reported for part in ('"@"', '"%25"', "must name a host", "must hold a port", "must not hold a path")
    )


def problems_of(value: str) -> str:
    """All that is said where ``value`` stands in every place of both forms, and as the name of a field."""
    keys = ("httpProxy", "httpsProxy", "noProxy", "mode", "noProxyPolicy", "selector", "targets", value)
    aliases = ("httpProxy", "HTTPS_PROXY", "no_proxy", "mode", "noProxyPolicy.style", "selector", "targets", value)
    return "\n".join(
        [
            *problems(proxy_config(**dict.fromkeys(keys, value))),
            *problems(config_map(**dict.fromkeys(aliases, value))),
            *problems({value: value, "apiVersion": value, "kind": value}),
            *problems({**proxy_config(), value: value}),
        ]
    )


NASTY = ["@", "/", "#", ":", "?", "%", "//", "@@", "\\", '"', "'", " ", "\n", ",", ";", "|", "[", "]", "é", "%zz", "{"]


FORMS = ["http://user:{}@host:3128", "http://user:{}@", "user:{}@host", "socks5://u:{}@h/x"]
PASSWORDS = ["{0}S3CRET", "S3CRET{0}", "{0}S3CRET{0}", "x{0}S3CRET{0}y"]
IN_PAIRS = [
    (FORMS[(row + column) % len(FORMS)], password, special)
    for row, special in enumerate(NASTY)
    for column, password in enumerate(PASSWORDS)
]
"""Each two of form, password and character."""


@pytest.mark.parametrize(("form", "password", "special"), IN_PAIRS)
def test_no_message_holds_the_password(form: str, password: str, special: str) -> None:
    reported = problems_of(form.format(password.replace("{0}", special)))
    assert reported
    assert SECRET not in reported


@settings(deadline=None)  # the first run loads the schema
@given(
    st.text(alphabet="@/#:?%[]ab1.,; \\\"'é\n", max_size=6),
    st.text(alphabet="@/#:?%[]ab1.,; \\\"'é\n", max_size=6),
    st.sampled_from(["http://user:{}@host:3128", "https://u:{}@h", "HTTP://u:{}@h", "http://u:{}@h:x/y?z"]),
)
@example("a@", ",b", "http://user:{}@host:3128")
@example("", "/", "http://u:{}@h:x/y?z")
def test_no_message_holds_any_password(before: str, after: str, form: str) -> None:
    assert SECRET not in problems_of(form.format(before + SECRET + after))


@given(st.from_regex(r"https?://[a-c:@%/.\[\]0-9é-]{0,12}\n?", fullmatch=True))
def test_what_the_schema_refuses_has_its_words(url: str) -> None:
    if not re.search(PATTERN.replace("$", r"\Z"), url):
        assert problems(proxy_config(httpProxy=url))
