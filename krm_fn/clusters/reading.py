"""Read values from plain data of any shape: a value of a wrong type counts as missing, and nothing raises.

A placeholder (``${POD_CIDR}``) is a value like any other: it stays as it is, and nothing is derived from it.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator

from krm_fn import placeholders
from krm_fn.light_typing import Any, Texts
from krm_fn.patch import Pointer

_WIDEST = 8
"""The shortest prefix of a private network; what is wider would take the proxy from a part of the Internet."""
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_HOST_AND_PORT = r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9_.-]+))(?::[0-9]+)?"
_SCHEME = r"^[A-Za-z][A-Za-z0-9+.-]*://"
_URL_REST = r"[/?#].*"
_PORT = r"(?<=[^:]):(?:[0-9]+|\$\{[^{}]*\})$"
_AROUND = r"[A-Za-z0-9_.:/-]*"
"""What may be around a placeholder in a name, an address or a CIDR."""
_WORD = r"[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*"


def pattern(path: str) -> Pointer:
    """Return ``"spec.subnets.*.cidr"`` as a pointer, in which ``*`` means every item or member."""
    return tuple(path.split("."))


def field_of(steps: Pointer) -> Pointer:
    """Return the path of the field whose items, or whose value, match a pattern."""
    return steps[:-1] if steps[-1] == "*" else steps


def values(data: Any, steps: Pointer, path: Pointer = ()) -> Iterator[tuple[Pointer, Any]]:
    """Yield each value in ``data``, which is at ``path``, that matches a pattern, with its path."""
    for depth, step in enumerate(steps, start=1):
        if step == "*" and isinstance(data, (list, dict)):
            members = data.items() if isinstance(data, dict) else enumerate(data)
            for name, member in members:
                yield from values(member, steps[depth:], (*path, str(name)))
            return
        if not isinstance(data, dict) or step not in data:
            return
        data = data[step]
        path = (*path, step)
    yield path, data


def text(value: Any) -> str:
    """Return a string without blanks around it; "" for anything else."""
    return value.strip() if isinstance(value, str) else ""


def word(value: Any) -> str:
    """Return a name such as ``eu-west-1`` or a single placeholder; "" for anything else."""
    name = text(value)
    if placeholders.is_alone(name):
        return placeholders.normal(name)
    return name if re.fullmatch(_WORD, name) else ""


def host(value: Any) -> str:
    """Return a name or an address without port, brackets and final dot; "" for anything else, and ``0.0.0.0``."""
    name = text(value)
    if placeholders.is_in(name):
        return _filled_in_later(re.sub(_PORT, "", name), host)
    match = None if _address(name) else re.fullmatch(_HOST_AND_PORT, name)
    if match:
        name = match[1] or match[2]
    address = _address(name)
    if address:
        return "" if address.is_unspecified else name
    return name.strip(".") if match else ""


def url_host(value: Any) -> str:
    """Return the host of a URL, or of a host with a port; "" where it has a user name."""
    without_scheme = re.sub(_SCHEME, "", text(value))
    # A default may hold any of the characters that divide a URL.
    if placeholders.is_in(without_scheme):
        return host(without_scheme)
    return host(re.sub(_URL_REST, "", without_scheme))


def cidrs(value: Any) -> Texts:
    """Return the CIDRs of a comma-separated text, as written, without those that are too wide for a network."""
    networks: list[str] = []
    for part in placeholders.split(text(value)):
        if placeholders.is_in(part):
            networks.append(_filled_in_later(part, cidrs))
        elif network_of(part):
            networks.append(part)
    return tuple(filter(None, networks))


def _filled_in_later(value: str, read: Callable[[str], Any]) -> str:
    """Return a text with placeholders; "" if it, or its defaults, cannot be what ``read`` reads.

    An ``@`` may be a part of a credential, in a default as well.
    """
    normal = placeholders.normal(value)
    default = placeholders.with_defaults(normal) if placeholders.is_alone(normal) else ""
    if default and not read(default):
        return ""
    is_host_or_network = re.fullmatch(_AROUND, placeholders.without(normal)) is not None
    return normal if is_host_or_network and "@" not in normal else ""


def network_of(cidr: str) -> Network | None:
    """Return a CIDR, with or without host bits; None for anything else, and for one wider than a network can be."""
    try:
        network = ipaddress.ip_network(cidr, strict=False)
    except ValueError:
        return None
    return network if "/" in cidr and network.prefixlen >= _WIDEST else None


def is_covered(cidr: str, by: str) -> bool:
    """Return whether every address of one CIDR is in the other.

    An address is covered only by itself: half of all clients read no CIDRs.
    """
    inner = network_of(cidr)
    outer = network_of(by)
    if inner is None or outer is None or inner.version != outer.version:
        return cidr == by
    return inner.subnet_of(outer)  # type: ignore[arg-type]


def _address(value: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(value)
    except ValueError:
        return None
