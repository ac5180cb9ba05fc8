"""What several models need: entries of a list, addresses, networks, domains.

A text of another form gives None or does not match; nothing raises.
"""

from __future__ import annotations

import ipaddress
import re
from typing import TypeAlias

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

_CIDR = re.compile(r"[0-9A-Fa-f.:]+/[0-9]+")
_UNWRITTEN_PORTS = (80, 443)


def trimmed(no_proxy: str) -> list[str]:
    """The entries between commas, without the blanks around them; empty ones fall away."""
    return [entry for part in no_proxy.split(",") if (entry := part.strip())]


def in_domain(name: str, domain: str) -> bool:
    """``name`` is ``domain`` itself or ends with it at a dot."""
    return name == domain or name.endswith("." + domain)


def address(text: str) -> Address | None:
    """The IP address ``text`` writes, without brackets and zone."""
    if "%" in text:
        return None
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def network(text: str, *, host_bits: bool = True) -> Network | None:
    """What ``ipaddress`` reads: an address, a CIDR or an address with a netmask; ``host_bits`` may be set or not."""
    try:
        return ipaddress.ip_network(text, strict=not host_bits)
    except ValueError:
        return None


def cidr(text: str) -> Network | None:
    """The network of ``address/prefix``, host bits ignored; a netmask is not a prefix."""
    return network(text) if _CIDR.fullmatch(text) else None


def contains(net: Network | None, ip: Address | None) -> bool:
    """``ip`` lies in ``net``; of two families, or where one is missing, it does not."""
    return net is not None and ip is not None and ip in net


def bracketed(host: str) -> str:
    """``host`` as a URL writes it: IPv6 in brackets."""
    return f"[{host}]" if ":" in host else host


def written_port(port: int) -> int | None:
    """The port if a URL writes it: 80 and 443 are what ``http`` and ``https`` mean without one."""
    return None if port in _UNWRITTEN_PORTS else port


def netloc(host: str, port: int) -> str:
    """Return ``host[:port]`` as URLs write it, in lower case."""
    written = written_port(port)
    return bracketed(host.lower()) + ("" if written is None else f":{written}")


def canonical(host: str) -> str:
    """``host`` as parsers of URLs hand it on: lower case, IPv6 in the form of RFC 5952."""
    ip = address(host)
    return host.lower() if ip is None else str(ip)


def ascii_name(name: str) -> str:
    """``name`` with non-ASCII labels as A-labels (IDNA 2003, what the standard library has); else unchanged."""
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
