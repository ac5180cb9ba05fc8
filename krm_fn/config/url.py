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
from krm_fn.proxy_url import is_port, split_url

_EXAMPLE = "http://proxy.example.com:3128"
_ENCODED = r"(?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})"
_USER_INFO = rf"{_ENCODED}+(?::{_ENCODED}*)?"


def mistakes(url: str) -> Iterator[str]:
    """Return a line for each reason why ``url``, which is not empty, cannot be the URL of a proxy."""
    placeholder = placeholders.alone(url)
    if any(letter.isspace() or not letter.isprintable() for letter in url):
        yield 'must not hold blanks or line breaks: write a blank inside a password as "%20"'
    elif placeholder:
        if placeholder.default:
            for text in mistakes(placeholder.default):
                yield f"has a placeholder with a default, which {text}"
    elif placeholders.is_in(url):
        yield 'must be a placeholder as a whole, such as "${HTTP_PROXY}", or hold none'
    elif not url.startswith(("http://", "https://")):
        yield f'must begin with "http://" or "https://", in lower case and without quotes, as in "{_EXAMPLE}"'
    else:
        yield from _mistakes_behind_scheme(url)


def _mistakes_behind_scheme(url: str) -> Iterator[str]:
    parts = split_url(url)
    user_info = parts.user_info
    if user_info is not None and not re.fullmatch(_USER_INFO, user_info):
        yield (
            "must hold a user name, and user name and password percent-encoded: every character but letters, digits "
            'and "-._~" is written as "%" and two hexadecimal digits, "@" as "%40", a further colon as "%3A", "%" '
            f'itself as "%25", as in "{parts.scheme}://user:***@host:3128"'
        )
    if not _is_host(parts.host):
        yield "must name a host behind the scheme: a DNS name, an IPv4 address, or an IPv6 address in brackets"
    if parts.port and not is_port(parts.port[1:]):
        yield 'must hold a port from 1 to 65535 behind the last ":", or no ":" but in the brackets of an IPv6 address'
    if parts.tail not in ("", "/"):
        yield f'must not hold a path, a query or a fragment: end it behind host and port, as in "{_EXAMPLE}"'


def _is_host(text: str) -> bool:
    bracketed = text.startswith("[") and text.endswith("]")
    labels = text.split(".")
    # A name whose last label is a number is an IPv4 address to every resolver, or nothing (RFC 1123, section 2.1).
    if not bracketed and not labels[-1].isdigit():
        longest = max(len(label) for label in labels)
        if len(text) > 253 or longest > 63:
            return False
        if "" in labels:
            return False
        return text.isascii() and NAME.fullmatch(text.lower()) is not None
    try:
        ipaddress.IPv6Address(text[1:-1]) if bracketed else ipaddress.IPv4Address(text)
    except ValueError:
        return False
    return "%" not in text
