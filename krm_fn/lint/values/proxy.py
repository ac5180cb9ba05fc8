"""What can be wrong with the URL of a proxy, and with the variables of one place together.

No message and no ``corrected`` holds a user name or a password; ``corrected_url`` returns the URL itself,
for the one who writes it, never for print.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from krm_fn.formats import escaping
from krm_fn.noproxy import entries
from krm_fn.noproxy.lint_rules import Problem, problem
from krm_fn.proxy_url import ProxyUrl, is_port, split_url

_SCHEMES = ("http", "https")
_ENCODED = r"%[0-9A-Fa-f]{2}"
_RAW = r"[^A-Za-z0-9._~-]"


def lint_proxy(url: str, *, no_proxy: str = "", in_manifest: bool = False) -> list[Problem]:
    """Return the problems of ``url``, the value of HTTP_PROXY or HTTPS_PROXY, which is not empty.

    Args:
        url: as it is in the variable, escaped for no layer.
        no_proxy: the list beside it.
        in_manifest: whether it is in a text that people read, and not in a Secret.
    """
    if entries.is_template(url):
        return []
    trimmed = url.strip().strip("\"'")
    parts = split_url(trimmed)
    found: list[Problem] = []
    if trimmed != url:
        message = "the proxy URL must not have blanks or quotes around it: write it without"
        found.append(problem("NP006", "", message))
    found += _form(parts)
    if parts.scheme in _SCHEMES:
        if parts.user_info:
            found += _user_info(parts, in_manifest=in_manifest)
        found += _host(parts, no_proxy)
    return found


def _form(parts: ProxyUrl) -> Iterator[Problem]:
    if parts.scheme not in _SCHEMES:
        yield problem(
            "NP006", "", 'the proxy URL must begin with "http://" or "https://" in lower case'
        )
        return
    rest = parts.port + parts.tail
    port = rest.rstrip("/").removeprefix(":")
    if not parts.host:
        yield problem(
            "NP006", "", 'the proxy URL must name a host, as in "http://proxy.example.com:3128"'
        )
    elif port and not (parts.port and is_port(port)):
        yield problem(
            "NP006",
            "",
            'the proxy URL must end in a port from 1 to 65535, as in ":3128", or in the host',
        )
    elif not port:
        yield problem("NP036", "", "the proxy URL must name its port: curl takes 1080, wget 80")


def _user_info(parts: ProxyUrl, *, in_manifest: bool) -> Iterator[Problem]:
    if re.search(_RAW, re.sub(_ENCODED, "", parts.user + parts.password)):
        message = "user name and password of the proxy must be percent-encoded: Go ignores the proxy otherwise"
        yield problem("NP005", "", message)
    if parts.password and in_manifest:
        message = (
            "the password of the proxy must not be in clear text: keep it in a Secret where this kind of object takes "
            "it from one, or use a proxy without a password"
        )
        yield problem("NP033", "", message)


def _host(parts: ProxyUrl, no_proxy: str) -> Iterator[Problem]:
    name = parts.host.strip("[]").lower()
    if name and name in (entries.bare(token) for token in entries.split(no_proxy)):
        message = f'entry "{name}" is not needed: it is the host of the proxy itself'
        yield problem("NP028", name, message)
    if parts.scheme == "https":
        message = (
            "the proxy URL must begin with `http://` for wget, urllib, Ruby, aiohttp and .NET, "
            "which speak no TLS to a proxy"
        )
        yield problem("NP032", "", message)


def corrected_url(url: str) -> str:
    """Return the URL with the certain fixes of NP005 and NP006.

    It may hold a credential, so do not print it.

    What is percent-encoded already stays: nothing is encoded twice.
    """
    if entries.is_template(url):
        return url
    trimmed = url.strip().strip("\"'")
    parts = split_url(trimmed if "://" in trimmed else f"http://{trimmed}")
    parts = parts._replace(scheme=parts.scheme.lower())
    if parts.scheme not in _SCHEMES:
        return trimmed
    if not parts.user_info:
        return parts.text if parts.host else trimmed
    user, colon, password = parts.user_info.partition(":")
    return parts._replace(user_info=f"{_encoded(user)}{colon}{_encoded(password)}").text


def _encoded(text: str) -> str:
    pieces = re.split(f"({_ENCODED})", text)
    return "".join(
        piece if at % 2 else escaping.url_user_info(piece) for at, piece in enumerate(pieces)
    )


def lint_pair(http_proxy: str, https_proxy: str) -> list[Problem]:
    """Return NP035: the problems of both URLs together; "" means that a variable is not set."""
    message = "`HTTPS_PROXY` must be set too, or `https://` goes direct: programs call registries and APIs by it"
    return [problem("NP035", "", message)] if http_proxy and not https_proxy else []


def lint_variables(variables: Mapping[str, str]) -> list[Problem]:
    """Return NP007 and NP008.

    Differences between the two cases of the variables of one place (name -> value).
    """
    return [
        found
        for upper in ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
        for found in _pair(upper, variables)
    ]


def _pair(upper: str, variables: Mapping[str, str]) -> Iterator[Problem]:
    lower = upper.lower()
    first, second = variables.get(upper), variables.get(lower)
    if first is not None and second is not None and first != second:
        message = f"`{upper}` and `{lower}` must be equal: Go reads the upper one, curl, Python and Node the lower one"
        yield problem("NP007", "", message)
    elif (first is None) != (second is None):
        existing, missing = (upper, lower) if second is None else (lower, upper)
        message = f"`{existing}` is set without `{missing}`: add `{missing}` with the same value"
        yield problem("NP008", "", message)
