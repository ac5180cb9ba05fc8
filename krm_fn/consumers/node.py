"""Node.js: undici (``fetch`` with EnvHttpProxyAgent), its own ``http`` module, and proxy-from-env, which axios uses.

The law of this room: the verdict of each matcher on the host as WHATWG URL writes it. None reads a CIDR.
"""

from __future__ import annotations

import re

from krm_fn.consumers._match import Address, address, bracketed, canonical, in_domain

_SEPARATOR = re.compile(r"[,\s]")
_WITH_PORT = re.compile(r"(.+):([0-9]+)")
_WILDCARD = re.compile(r"^\*?\.")


def undici(no_proxy: str, host: str, port: int) -> bool:
    """``d``, ``.d`` and ``*.d`` all mean ``d`` and what is below it; ports; a blank separates as a comma does.

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
    """``d`` is ``d`` alone, ``.d`` what is below it, ``*d`` any name that ends so; ports; blanks separate.

    proxy-from-env 1.1 and 2.1 ``index.js``.
    """
    name = bracketed(canonical(host))
    for entry in filter(None, _SEPARATOR.split(no_proxy.lower())):
        domain, entry_port = _split_port(entry)
        suffix = domain.removeprefix("*")
        if entry_port in (0, port) and (name.endswith(suffix) if domain[0] in ".*" else name == domain):
            return True
    return False


def node_http(no_proxy: str, host: str, port: int) -> bool:
    """``d`` is ``d`` alone, ``.d`` both, ``*.d`` what is below; ports; alone of all a range (``10.1.2.1-10.1.2.9``).

    ``http`` of Node 24 with ``NODE_USE_ENV_PROXY=1`` (node ``lib/internal/http.js``); no test of ours runs it.
    """
    name = canonical(host)
    ip = address(name)
    return any(_node_matches(entry.strip(), name, port, ip) for entry in no_proxy.lower().split(","))


def _node_matches(entry: str, name: str, port: int, ip: Address | None) -> bool:
    if entry in ("*", name, f"{name}:{port}"):
        return True
    if entry.startswith("."):
        return in_domain(name, entry[1:])
    return (entry.startswith("*.") and name.endswith(entry[1:])) or _in_range(entry, ip)


def _in_range(entry: str, ip: Address | None) -> bool:
    first, last = (address(part.strip()) for part in [*entry.split("-"), ""][:2])
    if first is None or last is None or ip is None or {first.version, last.version, ip.version} != {4}:
        return False
    return int(first) <= int(ip) <= int(last)


def _split_port(entry: str) -> tuple[str, int]:
    match = _WITH_PORT.fullmatch(entry)
    return (match[1], int(match[2])) if match else (entry, 0)
