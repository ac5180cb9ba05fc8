"""Whether a text can be the URL of a proxy, and why not.

No message repeats any part of the URL, because any part of a wrong URL may be the password.

Why so strict: Go silently ignores a proxy whose user info it cannot read, and goes direct; apt, aiohttp, Ruby
and Node ignore one without a scheme; apt one whose scheme is in capitals (measured).
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator

from krm_fn import placeholders
from krm_fn.noproxy.entries import NAME
from krm_fn.printable import is_control
from krm_fn.proxy_url import ProxyUrl, is_port, split_url

_EXAMPLE = "http://proxy.example.com:3128"
_ENCODED = r"%[0-9A-Fa-f]{2}"
_RAW = r"[^A-Za-z0-9._~%-]"


def mistakes(url: str) -> Iterator[str]:
    """Say in one line each what keeps ``url``, which is not empty, from being the URL of a proxy."""
    if any(letter.isspace() or is_control(letter) for letter in url):
        yield 'must not hold blanks or line breaks: write a blank inside a password as "%20"'
    elif placeholders.is_in(url):
        yield from _placeholder_mistakes(url)
    elif url[0] in "\"'":
        yield "must not have quotes of its own: YAML takes one pair away, a second becomes part of the value"
    elif not url.startswith(("http://", "https://")):
        yield _scheme_mistake(url)
    else:
        yield from _mistakes_behind_scheme(url)


def _placeholder_mistakes(url: str) -> Iterator[str]:
    """Yield why a URL with a placeholder is invalid."""
    placeholder = placeholders.alone(url)
    if placeholder is None:
        yield 'must be a placeholder as a whole, such as "${HTTP_PROXY}", or hold none'
    elif placeholder.default:
        yield from (
            f"has a placeholder with a default, which {text}"
            for text in mistakes(placeholder.default)
        )


def _scheme_mistake(url: str) -> str:
    scheme, separator, _ = url.partition("://")
    if separator and scheme.lower() in ("http", "https"):
        return f'must begin with "{scheme.lower()}://" in lower case: apt does not use the proxy otherwise'
    if separator:
        return 'must begin with "http://" or "https://"; not every client understands other kinds of proxy'
    return f'must begin with "http://" or "https://", as in "{_EXAMPLE}"'


def _mistakes_behind_scheme(url: str) -> Iterator[str]:
    parts = split_url(url)
    if parts.user_info is not None:
        yield from _user_info_mistakes(parts, f"{parts.scheme}://user:***@host:3128")
    if parts.port.count(":") > 1:
        yield "must hold an IPv6 address in brackets, such as http://[fd00::1]:3128"
        return
    if not _is_host(parts.host):
        yield "must name a host behind the scheme: a DNS name, an IPv4 address, or an IPv6 address in brackets"
    if parts.port and not is_port(parts.port[1:]):
        yield 'must hold a port from 1 to 65535 behind the last ":", or no ":"'
    if parts.tail not in ("", "/"):
        yield f'must not hold a path, a query or a fragment: end it behind host and port, as in "{_EXAMPLE}"'


def _user_info_mistakes(parts: ProxyUrl, example: str) -> Iterator[str]:
    if not parts.user:
        yield 'must name a user in front of the "@"'
    unescaped = re.sub(_ENCODED, "", parts.user) + re.sub(_ENCODED, "", parts.password)
    if re.search(_RAW, unescaped):
        yield (
            'must hold user name and password percent-encoded: every character but letters, digits and "-._~" is '
            f'written as "%" and two hexadecimal digits, "@" as "%40", a further colon as "%3A", as in "{example}"'
        )
    if "%" in unescaped:
        yield 'must hold two hexadecimal digits behind every "%" in front of the host: write a "%" itself as "%25"'


def _is_host(text: str) -> bool:
    bracketed = text.startswith("[") and text.endswith("]")
    labels = text.split(".")
    # A name whose last label is a number is an IPv4 address to every resolver, or nothing (RFC 1123, section 2.1).
    if not bracketed and not labels[-1].isdigit():
        is_short = len(text) <= 253 and all(0 < len(label) <= 63 for label in labels)
        return is_short and text.isascii() and NAME.fullmatch(text.lower()) is not None
    try:
        ipaddress.IPv6Address(text[1:-1]) if bracketed else ipaddress.IPv4Address(text)
    except ValueError:
        return False
    return "%" not in text
