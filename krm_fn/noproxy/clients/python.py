"""Python's HTTP clients, but for httpx.

The verdict of each library's own function, on the host as that library cuts it out of the URL.
"""

from __future__ import annotations

import re
from functools import lru_cache

from krm_fn.noproxy.clients._match import (
    KEPT_TEXTS,
    address,
    canonical,
    contains,
    in_domain,
    netloc,
    network,
    trimmed,
    unicode_name,
    written_port,
)

_SPLIT_PORT = re.compile(r"(.*):([0-9]*)", re.DOTALL)
_OCTET = re.compile(r"0[xX](?P<hex>[0-9a-fA-F]+)|0(?P<octal>[0-7]*)|(?P<decimal>[1-9][0-9]*)")


def urllib(no_proxy: str, host: str, port: int) -> bool:
    """Return whether ``urllib.request`` and botocore (boto3, the AWS CLI) go direct.

    Suffixes, ports, ``[v6]``; no CIDR.

    CPython ``Lib/urllib/request.py`` ``proxy_bypass_environment``; botocore 1.44 ``utils.should_bypass_proxies``.
    """
    return _bypass_environment(no_proxy, netloc(host, port))


def aiohttp(no_proxy: str, host: str, port: int) -> bool:
    """Return whether aiohttp goes direct.

    It asks urllib for the bare host: no port, IPv6 without brackets, an IDN with its Unicode letters.

    aiohttp 3.14 ``helpers.get_env_proxy_for_url``; yarl's ``URL.host`` decodes A-labels.
    """
    del port
    return _bypass_environment(no_proxy, unicode_name(canonical(host)))


def requests(no_proxy: str, host: str, port: int) -> bool:
    """Return whether requests goes direct.

    It reads CIDRs of IPv4 from /1 to /32, in a list without blanks, and then asks urllib for the bare host.

    requests 2.34 ``utils.should_bypass_proxies``.
    """
    name = host.lower()
    entries = [entry for entry in no_proxy.replace(" ", "").split(",") if entry]
    if _inet_aton(name) is not None:
        matches = any(entry == name or _in_short_cidr(name, entry) for entry in entries)
    else:
        port_text = "" if written_port(port) is None else f":{port}"
        domains = [entry.lstrip(".") for entry in entries]
        matches = any(
            in_domain(name, domain) or in_domain(name + port_text, domain) for domain in domains
        )
    return matches or _bypass_environment(no_proxy, name)


def kubernetes(no_proxy: str, host: str, port: int) -> bool:
    """Return whether the Kubernetes client goes direct.

    Networks of both families, netmasks, ports, ``[v6]``.

    Source: ``client/rest.py`` of version 37.
    """
    name, location, ip = host.lower(), netloc(host, port), address(host)
    for entry in trimmed(no_proxy.lower()):
        domain = entry.lstrip(".")
        if (
            entry == "*"
            or contains(network(entry), ip)
            or in_domain(name, domain)
            or in_domain(location, domain)
        ):
            return True
    return False


def httplib2(no_proxy: str, host: str, port: int) -> bool:
    """Return whether httplib2 goes direct: ``d`` means ``d`` alone, ``.d`` both.

    Case and blanks count.

    httplib2 0.32 ``ProxyInfo.bypass_host``.
    """
    del port
    name = "." + host.lower().lstrip(".")
    entries = [entry for entry in no_proxy.split(",") if entry]
    return no_proxy == "*" or any(
        name == "." + entry or (entry.startswith(".") and name.endswith(entry)) for entry in entries
    )


def websocket_client(no_proxy: str, host: str, port: int) -> bool:
    """Return whether websocket-client goes direct.

    It reads networks without host bits; ``.d`` is a suffix without a boundary, so that it matches ``notd`` too.

    websocket-client 1.9 ``_url._is_no_proxy_host``.
    """
    del port
    name, ip = host.lower(), address(host)
    entries = no_proxy.replace(" ", "").split(",") if no_proxy.replace(" ", "") else []
    if "*" in entries or name in entries:
        return True
    if ip is not None:
        return any(contains(network(entry, host_bits=False), ip) for entry in entries)
    return any(_websocket_client_matches(entry, name) for entry in entries)


def _websocket_client_matches(entry: str, name: str) -> bool:
    if entry.startswith("."):
        return name.endswith(entry.lstrip("."))
    return in_domain(name, entry)


def _bypass_environment(no_proxy: str, host: str) -> bool:
    if no_proxy == "*":
        return True
    match = _SPLIT_PORT.fullmatch(host)
    without_port = match[1] if match else host
    domains = [entry.lstrip(".").lower() for entry in trimmed(no_proxy)]
    return any(in_domain(without_port, domain) or in_domain(host, domain) for domain in domains)


def _in_short_cidr(host: str, entry: str) -> bool:
    base, _, prefix = entry.partition("/")
    net, ip = _inet_aton(base), _inet_aton(host)
    try:
        shift = 32 - int(prefix)
    except ValueError:
        return False
    return net is not None and ip is not None and 0 <= shift < 32 and ip >> shift == net >> shift


@lru_cache(maxsize=KEPT_TEXTS)
def _inet_aton(text: str) -> int | None:
    """Read an IPv4 address as the C function in requests does: also ``10.0``, ``0x0a000001``, ``012.0.0.1``."""
    parts = [_octet(part) for part in text.split(".")]
    *octets, last = parts
    if len(parts) > 4 or last is None or last >= 256 ** (5 - len(parts)):
        return None
    value = 0
    for octet in octets:
        if octet is None or octet > 255:
            return None
        value = value << 8 | octet
    return value << 8 * (5 - len(parts)) | last


def _octet(text: str) -> int | None:
    match = _OCTET.fullmatch(text)
    if match is None:
        return None
    if match["hex"]:
        return int(match["hex"], 16)
    if match["decimal"]:
        return int(match["decimal"])
    return int(match["octal"] or "0", 8)
