"""What several models need: entries of a list, addresses, networks, domains.

A text of another form gives None or does not match; nothing raises.

What a text means is kept: each entry of a list is compared with many hosts, by many models.
"""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_CIDR = re.compile(r"[0-9A-Fa-f.:]+/[0-9]+")
_UNWRITTEN_PORTS = (80, 443)
KEPT_TEXTS = 16384
"""Entries and hosts whose meaning is kept."""
KEPT_LISTS = 4
"""Lists that are kept as their entries: each is asked about many hosts before the next."""


@lru_cache(maxsize=KEPT_LISTS)
def trimmed(no_proxy: str) -> tuple[str, ...]:
    """Return the entries between commas without surrounding blanks; empty entries are left out."""
    return tuple(entry for part in no_proxy.split(",") if (entry := part.strip()))


def in_domain(name: str, domain: str) -> bool:
    """Return whether ``name`` is ``domain`` itself or is below it."""
    return name == domain or name.endswith("." + domain)


@lru_cache(maxsize=KEPT_TEXTS)
def address(text: str) -> Address | None:
    """Return the IP address that ``text`` writes, without brackets and zone."""
    if "%" in text:
        return None
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


@lru_cache(maxsize=KEPT_TEXTS)
def network(text: str, *, host_bits: bool = True) -> Network | None:
    """Return what ``ipaddress`` reads: an address, a CIDR or an address with a netmask.

    Host bits may be set.
    """
    try:
        return ipaddress.ip_network(text, strict=not host_bits)
    except ValueError:
        return None


def cidr(text: str) -> Network | None:
    """Return the network of ``address/prefix``, host bits ignored; a netmask is not a prefix."""
    return network(text) if _CIDR.fullmatch(text) else None


def contains(net: Network | None, ip: Address | None) -> bool:
    """Return whether ``ip`` lies in ``net``; False if one is missing or their families differ."""
    return net is not None and ip is not None and ip in net


def bracketed(host: str) -> str:
    """Return ``host`` as a URL writes it: IPv6 in brackets."""
    return f"[{host}]" if ":" in host else host


def written_port(port: int) -> int | None:
    """Return the port if a URL writes it: None for 80 and 443, the defaults of ``http`` and ``https``."""
    return None if port in _UNWRITTEN_PORTS else port


def netloc(host: str, port: int) -> str:
    """Return ``host[:port]`` as URLs write it, in lower case."""
    written = written_port(port)
    return bracketed(host.lower()) + ("" if written is None else f":{written}")


def canonical(host: str) -> str:
    """Return ``host`` as URL parsers return it: in lower case, IPv6 in the form of RFC 5952."""
    ip = address(host)
    return host.lower() if ip is None else str(ip)


def ascii_name(name: str) -> str:
    """Return ``name`` with non-ASCII labels as A-labels (IDNA 2003, as in the standard library), else unchanged."""
    if name.isascii():
        return name
    return ".".join(_a_label(label) for label in name.split("."))


def unicode_name(name: str) -> str:
    """Return ``name`` with its A-labels decoded; without A-labels unchanged."""
    try:
        return name.encode("ascii").decode("idna") if "xn--" in name else name
    except UnicodeError:
        return name


def _a_label(label: str) -> str:
    try:
        return label if label.isascii() else label.encode("idna").decode("ascii")
    except UnicodeError:
        return label
