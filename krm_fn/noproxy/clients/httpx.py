"""Python's httpx.

The verdict of httpx 0.28 ``_utils.get_environment_proxies`` and ``URLPattern``, which make a URL
of every entry. One that makes no URL is an exception in every ``httpx.Client()``, for every host.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from functools import lru_cache

from krm_fn.noproxy.clients._match import (
    KEPT_LISTS,
    KEPT_TEXTS,
    ascii_name,
    trimmed,
    unicode_name,
    written_port,
)

# httpx's own grammar: what has no scheme or no authority is still a URL, one that matches no host.
_URL = re.compile(
    r"(?:(?P<scheme>(?:[A-Za-z][A-Za-z0-9+.-]*)?):)?(?://(?P<authority>[^/?#]*))?(?P<path>[^?#]*)",
    re.DOTALL,
)
_AUTHORITY = re.compile(r"(?:.*@)?(?P<host>\[.*\]|[^:@]*):?(?P<port>.*)")
_DEFAULT_PORTS = {"http": 80, "https": 443}
_NOT_OF_A_NAME = re.compile(r"[\x00-,/:-@\[-`{-\x7f]")
_LIKE_IPV4 = re.compile(r"[0-9]+(?:\.[0-9]+){3}")


@dataclass(frozen=True)
class _Pattern:
    """``scheme`` is ``all`` or empty for both; ``host`` may begin with ``*``; ``port`` None means every port."""

    scheme: str
    host: str
    port: int | None

    def matches(self, scheme: str, host: str, port: int | None) -> bool:
        if self.scheme not in ("", "all", scheme) or self.port not in (None, port):
            return False
        if self.host in ("", "*"):
            return self.port is not None  # else the pattern of the proxy itself comes first
        if self.host.startswith("*."):
            return host.endswith(self.host[1:]) and host != self.host[1:]
        if self.host.startswith("*"):
            return host == self.host[1:] or (
                host.endswith("." + self.host[1:]) and host != "." + self.host[1:]
            )
        return host == self.host


def httpx(no_proxy: str, host: str, port: int) -> bool:
    """Return whether httpx goes direct.

    ``.d`` means the names below ``d``, ``d`` both; ports count; a CIDR is its address alone; ``*``
    anywhere means every host.
    """
    entries = trimmed(no_proxy)
    if "*" in entries:
        return True
    patterns = _patterns(no_proxy)
    scheme = "https" if port == 443 else "http"
    name = _name(host.lower())
    return len(patterns) == len(entries) and any(
        pattern.matches(scheme, name, written_port(port)) for pattern in patterns
    )


@lru_cache(maxsize=KEPT_LISTS)
def breaks_on(no_proxy: str) -> str:
    """Return why httpx cannot create a client with this list; "" if it can."""
    entries = trimmed(no_proxy)
    unreadable = [entry for entry in entries if _pattern(entry) is None]
    if not unreadable or "*" in entries:
        return ""
    entry = "".join(char if char.isprintable() else "?" for char in unreadable[0])
    shown = "one with `@`" if "@" in entry else f'"{entry}"'
    return f"httpx raises InvalidURL for every request, because it cannot read the entry {shown}"


@lru_cache(maxsize=KEPT_LISTS)
def _patterns(no_proxy: str) -> tuple[_Pattern, ...]:
    """Return what httpx compares with a URL, without entries of which it can make no URL."""
    found = map(_pattern, trimmed(no_proxy))
    return tuple(pattern for pattern in found if pattern is not None)


@lru_cache(maxsize=KEPT_TEXTS)
def _pattern(entry: str) -> _Pattern | None:
    """Return what httpx compares with a URL for this entry.

    None if it can make no URL of the entry.
    """
    url = _URL.match(_url(entry))
    authority = _AUTHORITY.match(url["authority"] or "") if url else None
    if (
        url is None
        or authority is None
        or any(char.isascii() and not char.isprintable() for char in entry)
    ):
        return None
    scheme = (url["scheme"] or "").lower()
    if not scheme and not url["authority"] and url["path"].startswith((":", "//")):
        return None
    try:
        port = int(authority["port"]) if authority["port"] else None
        host = _host(authority["host"])
    except ValueError:
        return None
    return _Pattern(scheme, host, None if port == _DEFAULT_PORTS.get(scheme) else port)


def _url(entry: str) -> str:
    if "://" in entry:
        return entry
    before_slash = entry.partition("/")[0]
    if _is(ipaddress.IPv4Address, before_slash) or entry.lower() == "localhost":
        return f"all://{entry}"
    if _is(ipaddress.IPv6Address, before_slash):
        return f"all://[{entry}]"
    return f"all://*{entry}"


def _host(host: str) -> str:
    """Return the host as httpx compares it: names in lower case, IPv6 as written.

    Raises ValueError for no host.
    """
    if _LIKE_IPV4.fullmatch(host):
        return str(ipaddress.IPv4Address(host))
    if host.startswith("[") and host.endswith("]"):
        ipaddress.IPv6Address(host[1:-1])
        return host[1:-1]
    if not host.isascii() and _NOT_OF_A_NAME.search(host):
        raise ValueError(
            "IDNA encodes names only, and every entry without a scheme is put behind a `*`"
        )
    return _name(ascii_name(host.lower()))


def _name(host: str) -> str:
    return unicode_name(host) if host.startswith("xn--") else host


def _is(kind: type[ipaddress.IPv4Address] | type[ipaddress.IPv6Address], text: str) -> bool:
    try:
        kind(text)
    except ValueError:
        return False
    return True
