"""Node.js: undici (``fetch`` with EnvHttpProxyAgent), its own ``http`` module, proxy-from-env and axios.

Each function gives the verdict of one matcher on the host as WHATWG URL writes it. Of all only axios from 1.20 on reads
a CIDR.
"""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache

from krm_fn.noproxy.clients._match import (
    KEPT_TEXTS,
    Address,
    Network,
    address,
    ascii_name,
    bracketed,
    canonical,
    contains,
    in_domain,
)

_SEPARATOR = re.compile(r"[,\s]")
_WITH_PORT = re.compile(r"(.+):([0-9]+)")
_IN_BRACKETS = re.compile(r"\[(?P<host>[^\]]*)\](?::(?P<port>[0-9]+)$)?")
_ONE_COLON = re.compile(r"(?P<host>[^:]*):(?P<port>[0-9]+)")
_AXIOS_CIDR = re.compile(r"(?P<base>.+)/(?P<prefix>0|[1-9][0-9]{0,2})")
_IPV4_NUMBER = re.compile(
    r"0[xX](?P<hex>[0-9a-fA-F]+)|0(?P<octal>[0-7]+)|(?P<decimal>0|[1-9][0-9]*)"
)
_WILDCARD = re.compile(r"^\*?\.")


def undici(no_proxy: str, host: str, port: int) -> bool:
    """Return whether undici goes direct.

    ``d``, ``.d`` and ``*.d`` all mean ``d`` and the names below it; ports count; blanks and commas separate.

    undici 7.30 ``lib/dispatcher/env-http-proxy-agent.js``.
    """
    name = bracketed(canonical(host))
    if no_proxy == "*":
        return True
    for entry in filter(None, _SEPARATOR.split(no_proxy.lower())):
        domain, entry_port = _split_port(entry)
        if entry_port in (0, port) and in_domain(name, _WILDCARD.sub("", domain)):
            return True
    return False


def proxy_from_env(no_proxy: str, host: str, port: int) -> bool:
    """Return whether proxy-from-env goes direct.

    ``d`` means ``d`` alone, ``.d`` the names below it, ``*d`` any name with that end; ports count; blanks separate.

    proxy-from-env 1.1 and 2.1 ``index.js``.
    """
    name = bracketed(canonical(host))
    for entry in filter(None, _SEPARATOR.split(no_proxy.lower())):
        domain, entry_port = _split_port(entry)
        suffix = domain.removeprefix("*")
        if entry_port in (0, port) and (
            name.endswith(suffix) if domain[0] in ".*" else name == domain
        ):
            return True
    return False


def axios_1_19(no_proxy: str, host: str, port: int) -> bool:
    """Return whether axios 1.15 to 1.19 goes direct.

    As proxy-from-env, but it ignores final dots, reads ``d:port`` as one host, and reads ``fd00::1`` and ``127.1``.

    axios ``lib/adapters/http.js`` calls proxy-from-env first and then its own ``lib/helpers/shouldBypassProxy.js``;
    either may answer that a host goes direct. Modelled after 1.19: 1.15.0 does not take loopback names for each
    other, and before 1.18 ``0.0.0.0`` is none of them.
    """
    return proxy_from_env(no_proxy, host, port) or _axios(no_proxy, host, port, reads_cidrs=False)


def axios(no_proxy: str, host: str, port: int) -> bool:
    """Return whether axios 1.20 and later goes direct.

    It also reads CIDRs of both families, IPv6 in any form, and names beyond ASCII.
    """
    return proxy_from_env(no_proxy, host, port) or _axios(no_proxy, host, port, reads_cidrs=True)


def _axios(no_proxy: str, host: str, port: int, *, reads_cidrs: bool) -> bool:
    name = _axios_name(canonical(host), is_exact=not reads_cidrs)
    return any(
        _axios_matches(entry, name, port, reads_cidrs=reads_cidrs)
        for entry in filter(None, _SEPARATOR.split(no_proxy.lower()))
    )


def _axios_matches(entry: str, name: str, port: int, *, reads_cidrs: bool) -> bool:
    if reads_cidrs and "/" in entry:
        return contains(_axios_cidr(entry), address(name))
    domain, entry_port = _axios_port(entry)
    domain = _axios_name(domain, is_exact=not reads_cidrs)
    if not domain or entry_port not in (0, port):
        return False
    domain = domain.removeprefix("*")
    if domain.startswith("."):
        return name.endswith(domain)
    return name == domain or (_is_axios_loopback(name) and _is_axios_loopback(domain))


def _axios_port(entry: str) -> tuple[str, int]:
    """Return host and port of ``[host]:port`` or ``host:port``.

    With several colons there is no port.
    """
    in_brackets = _IN_BRACKETS.match(entry)
    if in_brackets:
        return in_brackets["host"], int(in_brackets["port"] or 0)
    with_port = _ONE_COLON.fullmatch(entry)
    return (with_port["host"], int(with_port["port"])) if with_port else (entry, 0)


def _axios_name(host: str, *, is_exact: bool) -> str:
    """Return ``host`` without final dots, and an IPv4 address in its usual form.

    With ``is_exact`` other addresses and names are compared as written.
    """
    text = host.rstrip(".")
    if not is_exact and not text.isascii():
        text = ascii_name(text)
    if ":" not in text:
        return str(_short_ipv4(text) or text)
    ip = address(text)
    mapped = getattr(ip, "ipv4_mapped", None)
    if mapped is not None:
        return str(mapped)
    return text if ip is None or is_exact else str(ip)


@lru_cache(maxsize=KEPT_TEXTS)
def _axios_cidr(entry: str) -> Network | None:
    match = _AXIOS_CIDR.fullmatch(entry)
    if match is None:
        return None
    base, prefix = match["base"], int(match["prefix"])
    if base.startswith("[") != base.endswith("]") or (base.startswith("[") and ":" not in base):
        return None
    ip = address(base.strip("[]")) if ":" in base else _short_ipv4(base)
    mapped = getattr(ip, "ipv4_mapped", None)
    if mapped is not None:
        ip, prefix = mapped, prefix - 96
    if ip is None or not 0 <= prefix <= ip.max_prefixlen:
        return None
    return ipaddress.ip_network(f"{ip}/{prefix}", strict=False)


@lru_cache(maxsize=KEPT_TEXTS)
def _short_ipv4(text: str) -> Address | None:
    """Return the address that ``127.1`` or ``0x7f.0.0.1`` means in a URL.

    None for a single number.
    """
    parts = text.split(".")
    numbers = [_ipv4_number(part) for part in parts]
    if not 2 <= len(parts) <= 4:
        return None
    value = 0
    for at, number in enumerate(numbers):
        is_last = at == len(numbers) - 1
        if number is None or number > (256 ** (5 - len(numbers)) - 1 if is_last else 255):
            return None
        value = value << (8 * (5 - len(numbers)) if is_last else 8) | number
    return ipaddress.IPv4Address(value)


def _ipv4_number(text: str) -> int | None:
    match = _IPV4_NUMBER.fullmatch(text)
    if match is None:
        return None
    if match["hex"]:
        return int(match["hex"], 16)
    return int(match["octal"], 8) if match["octal"] else int(match["decimal"])


def _is_axios_loopback(name: str) -> bool:
    ip = address(name)
    return name == "localhost" or (ip is not None and (ip.is_loopback or ip.is_unspecified))


def node_http(no_proxy: str, host: str, port: int) -> bool:
    """Return whether ``http`` and ``https`` of Node.js go direct.

    ``d`` means ``d`` alone, ``.d`` both, ``*.d`` the names below; ports count. No other client reads
    ranges (``10.1.2.1-10.1.2.9``).

    ``http`` of Node 24 with ``NODE_USE_ENV_PROXY=1`` (node ``lib/internal/http.js``); no test runs it.
    """
    name = canonical(host)
    ip = address(name)
    return any(
        _node_matches(entry.strip(), name, port, ip) for entry in no_proxy.lower().split(",")
    )


def _node_matches(entry: str, name: str, port: int, ip: Address | None) -> bool:
    if entry in ("*", name, f"{name}:{port}"):
        return True
    if entry.startswith("."):
        return in_domain(name, entry[1:])
    return (entry.startswith("*.") and name.endswith(entry[1:])) or _in_range(entry, ip)


def _in_range(entry: str, ip: Address | None) -> bool:
    first, last = (address(part.strip()) for part in [*entry.split("-"), ""][:2])
    if (
        first is None
        or last is None
        or ip is None
        or {first.version, last.version, ip.version} != {4}
    ):
        return False
    return int(first) <= int(ip) <= int(last)


def _split_port(entry: str) -> tuple[str, int]:
    match = _WITH_PORT.fullmatch(entry)
    return (match[1], int(match[2])) if match else (entry, 0)
