"""Judge the URL of a proxy as the program that reads it gets it. No message holds a password."""

from __future__ import annotations

import re

from krm_fn import placeholders
from krm_fn.formats import escaping
from krm_fn.lint.values import Problem
from krm_fn.proxy_url import is_port, split_url

_SCHEMES = ("http", "https")
_ENCODED = r"%[0-9A-Fa-f]{2}"
_RAW = r"[^A-Za-z0-9._~-]"


def judge_url(url: str, *, in_secret: bool = False) -> list[Problem]:
    """Return the problems of the value of HTTP_PROXY or HTTPS_PROXY, which is not empty."""
    if placeholders.is_template(url):
        return []
    trimmed = url.strip().strip("\"'")
    parts = split_url(trimmed)
    problems = []
    if trimmed != url:
        message = "the proxy URL must not have blanks or quotes around it"
        problems.append(Problem("UrlInvalid", message))
    if parts.scheme not in _SCHEMES:
        message = 'the proxy URL must begin with "http://" or "https://" in lower case'
        return [*problems, Problem("UrlInvalid", message)]
    port = (parts.port + parts.tail).rstrip("/").removeprefix(":")
    if not parts.host:
        message = 'the proxy URL must name a host, as in "http://proxy.example.com:3128"'
        problems.append(Problem("UrlInvalid", message))
    elif port and not (parts.port and is_port(port)):
        message = 'the proxy URL must end in a port from 1 to 65535, as in ":3128", or in the host'
        problems.append(Problem("UrlInvalid", message))
    elif not port:
        message = "the proxy URL must name its port: curl takes 1080, wget 80"
        problems.append(Problem("UrlWithoutPort", message))
    if re.search(_RAW, re.sub(_ENCODED, "", parts.user + parts.password)):
        message = (
            "user name and password of the proxy must be percent-encoded: Go ignores the proxy "
            "otherwise"
        )
        problems.append(Problem("UrlInvalid", message))
    if parts.password and not in_secret:
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


def corrected_url(url: str) -> str:
    """Return a URL trimmed, with a scheme, and with an encoded user name and password, which it still holds."""
    if placeholders.is_template(url):
        return url
    trimmed = url.strip().strip("\"'")
    parts = split_url(trimmed if "://" in trimmed else f"http://{trimmed}")
    parts = parts._replace(scheme=parts.scheme.lower())
    if parts.scheme not in _SCHEMES or not parts.host:
        return trimmed
    if parts.user_info is None:
        return parts.text
    user, colon, password = parts.user_info.partition(":")
    return parts._replace(user_info=f"{_encoded(user)}{colon}{_encoded(password)}").text


def _encoded(text: str) -> str:
    """Return a part of the user info percent-encoded; what is encoded already stays."""
    encoded = ""
    for piece in re.split(f"({_ENCODED})", text):
        encoded += piece if re.fullmatch(_ENCODED, piece) else escaping.url_user_info(piece)
    return encoded
