"""Go's ``net/http``, and with it most of Kubernetes: containerd, kubelet, kubectl, Flux, Argo CD, Helm, Kyverno.

The verdict of ``golang.org/x/net/http/httpproxy`` (``proxy.go``; ``net/http`` carries a copy).

CIDRs of both families and ports are honoured; ``.d`` and ``*.d`` mean the names below ``d``, ``d`` means both. What is
no address is a name, and a name never matches an address. Loopback goes direct without an entry.
"""

from __future__ import annotations

import ipaddress
import re

from krm_fn.noproxy.clients._match import (
    Address,
    Network,
    address,
    ascii_name,
    cidr,
    contains,
    in_domain,
    trimmed,
)

# net.SplitHostPort: one colon, or brackets and a colon.
_WITH_PORT = re.compile(
    r"\[(?P<six>[^\[\]]*)\]:(?P<port6>[^:\[\]]*)|(?P<host>[^:\[\]]*):(?P<port>[^:\[\]]*)"
)


def net_http(no_proxy: str, host: str, port: int) -> bool:
    """Return whether Go's ``net/http`` goes direct: the inverse of ``config.useProxy``.

    Measured with Go 1.19 and 1.26.
    """
    ip = _unmapped(address(host))
    if host == "localhost" or (ip is not None and ip.is_loopback):
        return True
    name = ascii_name(host).strip().lower()
    return any(_matches(entry, name, ip, port) for entry in trimmed(no_proxy.lower()))


def _matches(entry: str, name: str, ip: Address | None, port: int) -> bool:
    if entry == "*":
        return True
    net = _unmapped_network(cidr(entry))
    if net is not None:
        return contains(net, ip)
    host, entry_port = _split_port(entry)
    if entry_port not in ("", str(port)):
        return False
    literal = _unmapped(address(host))
    if literal is not None:
        return ip == literal
    return ip is None and _is_below(ascii_name(host), name)


def _is_below(host: str, name: str) -> bool:
    host = host[1:] if host.startswith("*.") else host
    if host.startswith("."):
        return name.endswith(host)
    return host != "" and in_domain(name, host)


def _split_port(entry: str) -> tuple[str, str]:
    match = _WITH_PORT.fullmatch(entry)
    if match is None:
        return entry, ""
    return match["six"] or match["host"] or "", match["port6"] or match["port"] or ""


def _unmapped(ip: Address | None) -> Address | None:
    """Go takes ``::ffff:10.0.0.1`` and ``10.0.0.1`` for the same."""
    return getattr(ip, "ipv4_mapped", None) or ip


def _unmapped_network(net: Network | None) -> Network | None:
    """Go takes ``::ffff:10.0.0.0/104`` and ``10.0.0.0/8`` for the same."""
    if net is None or net.version == 4 or net.prefixlen < 96:
        return net
    mapped = net.network_address.ipv4_mapped
    return ipaddress.IPv4Network((mapped, net.prefixlen - 96)) if mapped else net
