"""What a field for a proxy URL holds is shown only if it is a URL."""

from __future__ import annotations

import pytest

from krm_fn.krm.proxy_values import hidden_texts, is_name, shown, shown_text, shown_url, without

URL = "http://svc:S3CRET@proxy.corp.example:3128"
MASKED = "http://svc:***@proxy.corp.example:3128"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", "", id="nothing"),
        pytest.param("http://proxy:3128", "http://proxy:3128", id="a URL"),
        pytest.param("http://[fd00::1]:3128/", "http://[fd00::1]:3128/", id="an IPv6 address"),
        pytest.param(URL, MASKED, id="a URL with a password"),
        pytest.param("${HTTP_PROXY}", "${HTTP_PROXY}", id="a variable"),
        pytest.param("{{ .Values.proxy }}", "{{ .Values.proxy }}", id="a template"),
        pytest.param("S3CRET", "***", id="a password alone"),
        pytest.param("http://proxy:3128/S3CRET", "***", id="a path"),
        pytest.param("http://a b S3CRET", "***", id="blanks"),
        pytest.param("svc:S3CRET@proxy", "***", id="no scheme"),
        pytest.param("proxy.corp.example:8888", "proxy.corp.example:8888", id="host and port alone"),
    ],
)
def test_a_url_is_shown(text: str, expected: str) -> None:
    assert shown_url(text) == expected
    assert shown("httpProxy", text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("export HTTP_PROXY='http://p:1' A=b", "export HTTP_PROXY='http://p:1' A=b", id="a URL in quotes"),
        pytest.param('"A=b" "https_proxy=http://p:1"', '"A=b" "https_proxy=http://p:1"', id="a URL in a unit"),
        pytest.param("httpProxy: S3CRET a\nb", "httpProxy: ***\nb", id="up to the end of the line"),
        pytest.param("HTTP_PROXY=\nb", "HTTP_PROXY=\nb", id="empty"),
        pytest.param("HTTP_PROXY=$PROXY", "HTTP_PROXY=$PROXY", id="a variable"),
        pytest.param('{"httpProxy": "S3CRET", "b": "c"}', '{"httpProxy": "***', id="JSON"),
        pytest.param("https_proxy = http://p:1S3CRET", "https_proxy = ***", id="more behind the port"),
        pytest.param("https_proxy = svc:1234 S3CRET@p:1", "https_proxy = ***", id="a password that begins as a port"),
        pytest.param("NO_PROXY=a", "NO_PROXY=a", id="another variable"),
    ],
)
def test_what_is_assigned_to_a_proxy_in_a_text_is_a_url_or_hidden(text: str, expected: str) -> None:
    assert shown_text(text) == expected
    assert shown("content", text) == expected


@pytest.mark.parametrize("name", ["HTTP_PROXY", "https_proxy", "httpProxy", "TKG_HTTP_PROXY", "httpsProxyURL"])
def test_a_name_says_that_a_field_is_for_a_url(name: str) -> None:
    assert is_name(name)
    assert not is_name(f"{name}_ENABLED")


def test_values_that_are_no_urls_are_hidden_elsewhere_too() -> None:
    hidden = hidden_texts([" S3CRET", "http://p:1", ""])
    assert hidden == {"S3CRET"}
    assert without("a S3CRET, xS3CRETx", hidden) == "a ***, xS3CRETx"
