"""Find problems that a schema cannot express, or describes worse, among them those of the URL of a proxy.

A field that is reported here is not reported by the schema, too; a value that the schema takes may still be wrong here.
No message repeats any part of a URL, because any part of a wrong URL may be the password. Why so strict: Go silently
ignores a proxy whose user info it cannot read, and goes direct; apt, aiohttp, Ruby and Node ignore one without a
scheme; apt one whose scheme is in capitals (measured).
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator

from krm_fn import noproxy, placeholders
from krm_fn.config.proxy_config import is_switched_off
from krm_fn.config.spec import PlacedTexts, shown, texts_at
from krm_fn.light_typing import Any, Texts
from krm_fn.noproxy.entries import NAME
from krm_fn.patch import Pointer, list_at, lookup, text_at
from krm_fn.products.node_kinds import FILES_ON_REQUEST
from krm_fn.proxy_url import is_port, split_url
from krm_fn.target_table import ROWS, SYSTEMS, system_of

# The lists of ``spec`` and of an override -> what says why an entry of them is wrong.
_LISTS: tuple[tuple[Pointer, Callable[[str], str]], ...] = (
    (("noProxy",), noproxy.why_wrong),
    (("noProxyPolicy", "extra"), noproxy.why_wrong),
    (("noProxyPolicy", "exclude"), noproxy.why_wrong_pattern),
)


def problems(spec: Any) -> PlacedTexts:
    """Yield each problem of ``spec`` (as ``json_schema.plain`` returns it): its place, and one line about it."""
    yield from _proxy_problems(spec, ())
    overrides = list_at(spec, "overrides")
    for index in range(len(overrides)):
        yield from _proxy_problems(spec, ("overrides", str(index)))
    for name in ("podCIDRs", "serviceCIDRs", "networks"):
        yield from _list_problems(spec, ("clusterDefaults", name), _why_no_cidr)
    yield from _only_problems(spec)


def _only_problems(spec: Any) -> PlacedTexts:
    """Yield the names of ``only`` for which ``targets`` leaves nothing to do."""
    for place, name in texts_at(spec, ("only",)):
        own = (name,) if name in ROWS else ()
        targets = SYSTEMS.get(name, own)
        if not targets or not all(is_switched_off(spec, target) for target in targets):
            continue
        is_off = lookup(spec, ("targets", system_of(name))) is False
        field = system_of(name) if is_off else name
        if targets[0] == FILES_ON_REQUEST and not is_off:
            yield place, f"writes nothing: list in `targets.{field}` what it should write"
        else:
            yield place, f"writes nothing, as `targets.{field}` is false: remove one of the two"


def _proxy_problems(spec: Any, place: Pointer) -> PlacedTexts:
    """Yield the problems that ``spec`` and an override, which is at ``place``, can both have."""
    for name in ("httpProxy", "httpsProxy"):
        given = text_at(spec, (*place, name))
        if given:
            for text in url_problems(given):
                yield (*place, name), text
    for path, why_wrong in _LISTS:
        yield from _list_problems(spec, (*place, *path), why_wrong)


def _list_problems(spec: Any, path: Pointer, why_wrong: Callable[[str], str]) -> PlacedTexts:
    """Yield the problems of the entries at ``place``."""
    for entry_place, text in texts_at(spec, path):
        # A comma may be in a password: a text that could hold one is judged whole, so that no half of it is shown.
        if noproxy.may_hold_a_credential(text):
            entries: Texts = (text,)
        else:
            entries = noproxy.parse(text)
        for entry in entries:
            reason = why_wrong(entry)
            if reason:
                yield entry_place, reason


def _why_no_cidr(text: str) -> str:
    """Return why ``text`` is not a CIDR, and the correction, or ""."""
    try:
        network = ipaddress.ip_network(text, strict=False)
    except ValueError:
        return f'entry "{shown(text)}" must be a CIDR, such as "10.96.0.0/12"'
    if text.partition("/")[2] == str(network.prefixlen):
        return ""
    return f'entry "{shown(text)}" must be a CIDR: write "{network}"'


_EXAMPLE = "http://proxy.example.com:3128"
_ENCODED = r"(?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})"
_USER_INFO = rf"{_ENCODED}+(?::{_ENCODED}*)?"


def url_problems(url: str) -> Iterator[str]:
    """Return a line for each reason why ``url``, which is not empty, cannot be the URL of a proxy."""
    if any(letter.isspace() or not letter.isprintable() for letter in url):
        yield 'must not hold blanks or line breaks: write a blank inside a password as "%20"'
    elif placeholders.is_alone(url):
        default = placeholders.with_defaults(url)
        if default:
            for text in url_problems(default):
                yield f"has a placeholder with a default, which {text}"
    elif placeholders.is_in(url):
        yield 'must be a placeholder as a whole, such as "${HTTP_PROXY}", or hold none'
    elif url.lower().startswith("socks"):
        yield (
            "must be the URL of an HTTP proxy: nodes and most programs speak no SOCKS, so name an HTTP proxy that "
            f'uses the SOCKS proxy, as in "{_EXAMPLE}"'
        )
    elif not url.startswith(("http://", "https://")):
        yield f'must begin with "http://" or "https://", in lower case and without quotes, as in "{_EXAMPLE}"'
    else:
        yield from _problems_behind_scheme(url)


def _problems_behind_scheme(url: str) -> Iterator[str]:
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
        yield 'must hold a port from 1 to 65535 behind the last ":"; an IPv6 address is in brackets, "[fd00::1]"'
    if parts.tail.endswith((".pac", "/wpad.dat")):
        yield (
            "must be the URL of a proxy: programs on nodes read no PAC file, so write the proxy that the file names, "
            f'as in "{_EXAMPLE}"'
        )
    elif parts.tail not in ("", "/"):
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
