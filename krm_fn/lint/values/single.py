"""What can be wrong with one entry, whatever else the list holds.

An entry with an ``@`` may be a credential and never gets here.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from functools import lru_cache

from krm_fn import noproxy
from krm_fn.krm.results import Severity
from krm_fn.noproxy import entries
from krm_fn.noproxy.entries import EntryKind
from krm_fn.noproxy.lint_rules import Problem, problem
from krm_fn.noproxy.model import Audience

_BROAD = frozenset(
    {
        "amazonaws.com",
        "elb.amazonaws.com",
        "compute.amazonaws.com",
        "googleapis.com",
        "cloudfront.net",
        "gcr.io",
        "azure.com",
        "azurecr.io",
        "cloudapp.azure.com",
        "windows.net",
        "core.windows.net",
        "microsoft.com",
        "github.io",
        "docker.io",
        "co.uk",
        "com.au",
        "com.br",
        "co.jp",
        "co.in",
        "com.cn",
    }
)


@lru_cache(maxsize=16384)
def of_entry(raw: str, audience: Audience, own: frozenset[str]) -> tuple[Problem, ...]:
    """Return the problems of ``raw``, the part of a list between two commas, without surrounding blanks.

    ``own`` are domains that are the cluster's own and never too broad, although one label may be all they have.
    """
    return () if entries.is_template(raw) else tuple(_problems(raw, audience, own))


def _problems(raw: str, audience: Audience, own: frozenset[str]) -> Iterator[Problem]:
    tokens = entries.split(raw)
    if len(tokens) > 1:
        corrected = ",".join(tokens)
        yield problem(
            "NP010",
            raw,
            f'entry "{_line(raw)}" must not hold blanks, ";" or "|": write "{corrected}"',
            corrected=corrected,
        )
    else:
        yield from _spelling(raw)
    for token in tokens:
        yield from _place(token)
        yield from _meaning(entries.bare(token), audience, own)


def _line(text: str) -> str:
    return " ".join(text.split())


def _spelling(raw: str) -> Iterator[Problem]:
    token = entries.QUOTES.sub("", raw)
    if token != raw:
        yield problem(
            "NP034", raw, f'an entry must not hold quotes: write "{token}"', corrected=token
        )
    corrected = "".join(entries.split(raw))
    if re.search("[A-Z]", raw) and not entries.is_variable(raw):
        yield problem(
            "NP021",
            raw,
            f'entry "{token}" must be in lower case: write "{corrected}"',
            corrected=corrected,
        )
    if not raw.isascii():
        corrected = entries.bare(corrected)
        advice = (
            f'write "{corrected}"'
            if corrected.isascii()
            else "write its A-label, which begins with `xn--`"
        )
        message = f'entry "{token}" must be ASCII, because httpx fails on it: {advice}'
        yield problem("NP022", raw, message, corrected=corrected if corrected.isascii() else "")


def _place(token: str) -> Iterator[Problem]:
    """Yield a problem if the entry holds more than a host: a scheme, a path, a port."""
    host = entries.bare(token)
    if not token.isascii() and "/" not in token and ":" not in token:
        return
    if token.endswith("/") and entries.address(token.rstrip("/").strip("[]")):
        corrected = entries.canonical(host)[0]
        message = f'entry "{token}" must not end in "/": write "{corrected}"'
        yield problem("NP015", token, message, corrected=corrected)
        return
    url = "://" in token or (
        "/" in token and not entries.network(host) and not entries.resembles_address(token)
    )
    if url:
        shown = f'"{host}"' if host != token else "a host name, a domain, an address or a CIDR"
        corrected = host if host != token else ""
        yield problem(
            "NP018", token, f'entry "{token}" must not be a URL: write {shown}', corrected=corrected
        )
    elif host != token:
        corrected = entries.canonical(host)[0]
        message = (
            f'entry "{token}" must not hold a port, '
            f'because curl, wget, apt and .NET ignore it then: write "{corrected}"'
        )
        yield problem("NP017", token, message, corrected=corrected)


def _meaning(token: str, audience: Audience, own: frozenset[str]) -> Iterator[Problem]:
    kind = entries.classify(token)
    yield from _glob(token, kind)
    if kind is EntryKind.CIDR:
        yield from _cidr(token)
    if kind in (EntryKind.CIDR, EntryKind.ADDRESS, EntryKind.ADDRESS_GLOB):
        yield from _reach(token, entries.canonical(token)[0])
    if ":" in token:
        yield from _ipv6(token, kind, audience)
    if kind is EntryKind.UNKNOWN and entries.resembles_address(token):
        yield problem(
            "NP015",
            token,
            f'entry "{token}" must be a whole address or CIDR, such as "10.1.2.0/24"',
        )
    elif kind is EntryKind.UNKNOWN and ".." in token:
        yield problem(
            "NP037",
            token,
            f'entry "{token}" must not hold two dots in a row: no host has such a name',
        )
    elif kind is EntryKind.UNKNOWN and entries.is_variable(token):
        yield problem("NP042", "", noproxy.NO_VARIABLE)
    elif kind is EntryKind.UNKNOWN and token.endswith(":"):
        yield problem("NP042", "", noproxy.NO_HOST)
    if kind in (EntryKind.NAME, EntryKind.DOMAIN, EntryKind.GLOB, EntryKind.NUMBERS) and _is_broad(
        token, kind, own
    ):
        message = f'entry "{token}" must not be so broad: everything that ends in it goes direct; name hosts or domains'
        yield problem("NP025", token, message)


def _glob(token: str, kind: EntryKind) -> Iterator[Problem]:
    if kind in (EntryKind.GLOB, EntryKind.ADDRESS_GLOB) or (
        kind is EntryKind.UNKNOWN and "*" in token
    ):
        corrected = ",".join(form for form in entries.expand(token) if form != token)
        advice = f'write "{corrected}"' if corrected else "write a domain or a CIDR"
        message = f'entry "{token}" must not be a glob, because curl, wget, apt and Python read none: {advice}'
        yield problem("NP012", token, message, corrected=corrected)


def _cidr(token: str) -> Iterator[Problem]:
    cidr = entries.network(token)
    corrected = str(cidr)
    before, _, prefix = token.partition("/")
    if entries.holds_every_address(token):
        yield problem(
            "NP014",
            token,
            f'entry "{token}" must not hold every address: Go would never use the proxy',
        )
    elif not prefix.isdigit():
        yield problem(
            "NP015",
            token,
            f'entry "{token}" must have a prefix length: write "{corrected}"',
            corrected=corrected,
        )
    elif cidr is not None and entries.address(before.strip("[]")) != cidr.network_address:
        message = f'entry "{token}" must not have bits behind its prefix: write "{corrected}"'
        yield problem("NP016", token, message, corrected=corrected)


_PRIVATE = tuple(
    map(ipaddress.IPv4Network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"))
)
"""RFC 1918, and RFC 6598, which Kubernetes distributions use for pods and services."""
_172 = ipaddress.IPv4Network("172.0.0.0/8")


def _reach(token: str, canonical: str) -> Iterator[Problem]:
    """Yield NP015 and NP025.

    IPv4 addresses and CIDRs that reach more, or other hosts, than a private network.
    """
    found = entries.network(canonical if "/" in canonical else f"{canonical}/32")
    if not isinstance(found, ipaddress.IPv4Network) or found.prefixlen == 0:
        return
    if "/" not in canonical and found.network_address.is_unspecified:
        message = f'entry "{token}" must be the address of a host: no host has this one'
        yield problem("NP015", token, message, severity=Severity.WARNING)
        return
    inner = next((one for one in _PRIVATE if found != one and found.supernet_of(one)), None)
    if inner is not None:
        message = (
            f'entry "{token}" must not be so broad: beside the private network "{inner}" '
            "it holds public addresses"
        )
        yield problem("NP025", token, f"{message}, which go direct then")
    elif found.subnet_of(_172) and not found.subnet_of(_PRIVATE[1]):
        message = f'entry "{token}" must not hold public addresses: of 172.0.0.0/8 only "{_PRIVATE[1]}" is private'
        yield problem("NP025", token, message)


def _ipv6(token: str, kind: EntryKind, audience: Audience) -> Iterator[Problem]:
    if kind not in (EntryKind.ADDRESS, EntryKind.CIDR):
        return
    corrected = entries.canonical(token)[0]
    pod = audience is Audience.POD
    if pod and entries.breaks_clients(token):
        message = (
            f'entry "{token}" must not be in a list for pods: httpx fails on every '
            "request then; name addresses"
        )
        written = (
            corrected if kind is EntryKind.ADDRESS and not entries.breaks_clients(corrected) else ""
        )
        yield problem("NP019", token, message, corrected=written, severity=Severity.ERROR)
    elif "%" in token:
        yield problem(
            "NP019", token, f'entry "{token}" must not have a zone: no client compares it'
        )
    elif not _is_short(token):
        message = f'entry "{token}" must be written as most clients compare it: write "{corrected}"'
        yield problem("NP019", token, message, corrected=corrected)
    if pod and entries.confuses_ruby(token):
        message = (
            f'entry "{token}" must not be in a list for Ruby: it goes direct to every host '
            "that ends in a part of it"
        )
        yield problem("NP020", token, message)


def _is_short(token: str) -> bool:
    """Return whether the address before the prefix is in its short form, without brackets (RFC 5952)."""
    text = token.partition("/")[0]
    return str(entries.address(text)) == text


def _is_broad(token: str, kind: EntryKind, own: frozenset[str]) -> bool:
    name = token.removeprefix("*").strip(".")
    if name in own or name in entries.CLUSTER_NAMES or name in entries.SHORT_NAMES:
        return False
    if entries.is_private_suffix(name):
        return False
    if kind is EntryKind.NUMBERS or name in _BROAD:
        return True
    return "." not in name and (kind is not EntryKind.NAME or entries.is_top_level(name))
