"""Perl's LWP, Rust's reqwest, .NET and Java.

One function per client, after its source; what cannot be run in our tests says so.
"""

from __future__ import annotations

from krm_fn.noproxy.clients._match import (
    address,
    bracketed,
    canonical,
    cidr,
    contains,
    in_domain,
    trimmed,
)

_BLANKS = " \t\n\r\f\v"
_ALWAYS_DIRECT_IN_JAVA = "localhost|127.*|[::1]|0.0.0.0|[::0]"


def lwp(no_proxy: str, host: str, port: int) -> bool:
    """Return whether libwww-perl goes direct: an entry is a suffix without a boundary, and case counts.

    Source: ``LWP::UserAgent::_need_proxy`` of 6.68.

    An empty entry between two commas matches every host; at the end of the list Perl's ``split`` drops it.
    """
    del port
    entries = no_proxy.split(",")
    # Perl splits at `\s*,\s*`, so that only the outer ends of the list keep their blanks.
    entries[1:] = [entry.lstrip(_BLANKS) for entry in entries[1:]]
    entries[:-1] = [entry.rstrip(_BLANKS) for entry in entries[:-1]]
    while entries and not entries[-1]:
        entries.pop()
    return any(host.endswith(entry) for entry in entries)


def reqwest(no_proxy: str, host: str, port: int) -> bool:
    """Return whether reqwest goes direct: CIDRs of both families; ``d`` and ``.d`` mean both.

    ``*`` means every name.

    Source: hyper-util ``src/client/proxy/matcher.rs``.

    An address is compared with addresses only, so that ``*`` does not let one go direct. Read, and measured once.
    """
    del port
    ip, name, entries = address(host), host.lower(), trimmed(no_proxy)
    if ip is not None:
        return any(contains(cidr(entry), ip) or address(entry) == ip for entry in entries)
    return any(
        entry == "*" or in_domain(name, entry.lower().removeprefix(".")) for entry in entries
    )


def dotnet(no_proxy: str, host: str, port: int) -> bool:
    """Return whether .NET goes direct: ``d`` means ``d`` alone, ``.d`` both.

    No ``*``, no port, no CIDR.

    .NET ``HttpEnvironmentProxy.IsMatchInBypassList`` (dotnet/runtime 3e9e3d8); read, never run.
    """
    del port
    name = bracketed(canonical(host))
    return any(_dotnet_matches(entry.lower(), name) for entry in trimmed(no_proxy))


def _dotnet_matches(entry: str, name: str) -> bool:
    if entry.startswith("."):
        return in_domain(name, entry[1:])
    return name == entry


def java(no_proxy: str, host: str, port: int) -> bool:
    """Return whether Java goes direct with the list as ``http.nonProxyHosts``, ``|`` for ``,``.

    Source: ``sun.net.spi.DefaultProxySelector`` (OpenJDK 17).

    Java reads no variable. A ``*`` may begin or end an entry; where the property is not empty, loopback goes direct.
    """
    del port
    masks = no_proxy.replace(",", "|")
    masks = f"{masks}|{_ALWAYS_DIRECT_IN_JAVA}" if masks else ""
    name = bracketed(host.lower())
    return any(_java_matches(mask.lower(), name) for mask in masks.split("|") if mask)


def _java_matches(mask: str, name: str) -> bool:
    if mask.startswith("*"):
        return name.endswith(mask[1:])
    if mask.endswith("*"):
        return name.startswith(mask[:-1])
    return name == mask
