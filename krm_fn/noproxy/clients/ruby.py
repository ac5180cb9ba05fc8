"""Ruby's Net::HTTP, and what is built on it: Fluentd, Puppet, Chef.

The verdict of ``URI::Generic#find_proxy`` and ``use_proxy?`` (Ruby 3.1, ``uri/generic.rb``).

Ruby resolves a name before it compares, so that a CIDR can match a name; this program calls no name server and judges
literal addresses and ``localhost`` only. An entry is cut at every colon: ``::1`` is the name ``1``, which matches all
hosts that end in ``.1``.
"""

from __future__ import annotations

import re

from krm_fn.noproxy.clients._match import Address, address, in_domain

_ENTRY = re.compile(r"([^:,\s]+)(?::(\d+))?", re.ASCII)
_NETWORK = re.compile(r"([0-9.]+)(?:/(0|[1-9][0-9]*|[0-9.]+\.[0-9.]+))?")


def net_http(no_proxy: str, host: str, port: int) -> bool:
    """Return whether ``net/http`` of Ruby goes direct.

    Names are suffixes; ports, CIDRs and netmasks of IPv4 count; loopback goes direct without an entry.
    """
    name = host.lower()
    ip = address("127.0.0.1" if name == "localhost" else host)
    if ip is not None and (str(ip) == "::1" or str(ip).startswith("127.")):
        return True
    return any(
        _matches(entry, name, ip)
        for entry, entry_port in _ENTRY.findall(no_proxy)
        if entry_port in ("", str(port))
    )


def _matches(entry: str, name: str, ip: Address | None) -> bool:
    domain = entry.lower()
    if name.endswith(domain) if domain.startswith(".") else in_domain(name, domain):
        return True
    return ip is not None and ip.version == 4 and _in_network(entry, int(ip))


def _in_network(entry: str, ip: int) -> bool:
    match = _NETWORK.fullmatch(entry)
    base = address(match[1]) if match else None
    mask = _mask(match[2]) if match else None
    return base is not None and mask is not None and ip & mask == int(base) & mask


def _mask(text: str | None) -> int | None:
    """Return the bits of a prefix or of a contiguous netmask; None for what IPAddr refuses."""
    if text is None:
        return 0xFFFFFFFF
    if text.isdecimal():
        return 0xFFFFFFFF << 32 - int(text) & 0xFFFFFFFF if int(text) <= 32 else None
    netmask = address(text)
    if netmask is None:
        return None
    rest = 0xFFFFFFFF ^ int(netmask)
    return int(netmask) if rest & (rest + 1) == 0 else None
