"""Judge the URL of a proxy as the program that reads it gets it. No message holds a password."""

from __future__ import annotations

import re

from krm_fn import placeholders
from krm_fn.lint.values import Problem, Reader
from krm_fn.proxy_url import is_port, split_url

_ENCODED = r"(?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})*"
"""A user name or a password as Go takes it."""


def judge_url(url: str, reader: Reader) -> list[Problem]:
    """Return the problems of the value of HTTP_PROXY or HTTPS_PROXY, which is not empty."""
    if placeholders.is_template(url):
        return []
    parts = split_url(url.strip().strip("\"'"))
    port = (parts.port + parts.tail).rstrip("/").removeprefix(":")
    has_scheme = parts.scheme in ("http", "https")
    if reader.takes_host_and_port and not parts.scheme:
        has_scheme = True
    is_right = has_scheme and parts.text == url and parts.host != ""
    problems = []
    if not is_right or (port and not (parts.port and is_port(port))):
        message = (
            'the proxy URL must be as "http://proxy.example.com:3128", with "http://" or "https://" in lower case, '
            "a host, a port from 1 to 65535, and nothing around it"
        )
        problems.append(Problem("UrlInvalid", message))
    elif not port:
        message = "the proxy URL must name its port: curl takes 1080, wget 80"
        problems.append(Problem("UrlWithoutPort", message))
    credentials = (parts.user, parts.password)
    if not all(re.fullmatch(_ENCODED, text) for text in credentials):
        message = (
            "user name and password of the proxy must be percent-encoded: Go ignores the proxy "
            "otherwise"
        )
        problems.append(Problem("UrlInvalid", message))
    if parts.password and not reader.in_secret:
        message = (
            "everyone who reads this manifest reads the password of the proxy: keep it in a Secret"
        )
        problems.append(Problem("PasswordInClearText", message))
    if parts.scheme == "https":
        message = "wget, urllib, Ruby, aiohttp and .NET speak no TLS to a proxy: write `http://`"
        problems.append(Problem("UrlHttps", message))
    return problems


def judge_pair(http_proxy: str, https_proxy: str) -> list[Problem]:
    """Return the problem of a proxy for ``http://`` alone."""
    if not http_proxy or https_proxy:
        return []
    message = (
        "`HTTPS_PROXY` must be set, too: registries and APIs are called by `https://`, which goes "
        "direct"
    )
    return [Problem("HttpsProxyMissing", message)]
