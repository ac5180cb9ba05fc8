"""Values out of plain data of which nothing is certain.

The law of this room: a value of a wrong type, or not yet a value (``${POD_CIDR}``), is not there; nothing here raises.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from typing import Any

from krm_fn.patch import Pointer

_NAME_AND_PORT = re.compile(r"([A-Za-z0-9_.-]+)(?::[0-9]+)?")
_BRACKETS = re.compile(r"\[([0-9A-Fa-f:.]+)\](?::[0-9]+)?")
_URL = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*://)?([^/?#@\s]+)(?:[/?#]\S*)?")
_WORD = re.compile(r"[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*")


def pattern(text: str) -> Pointer:
    """``"spec.subnets.*.cidr"`` as a pointer; ``*`` stands for every item of a list and every member of a map."""
    return tuple(text.split("."))


def values(data: Any, wanted: Pointer, path: Pointer = ()) -> Iterator[tuple[Pointer, Any]]:
    """Each value in ``data`` that fits the pattern ``wanted``, and where it stands; ``path`` leads to ``data``."""
    if not wanted:
        yield path, data
        return
    step, rest = wanted[0], wanted[1:]
    if step == "*" and isinstance(data, (list, dict)):
        members = data.items() if isinstance(data, dict) else enumerate(data)
        for name, member in members:
            yield from values(member, rest, (*path, str(name)))
    elif isinstance(data, dict) and step in data:
        yield from values(data[step], rest, (*path, step))


def text(value: Any) -> str:
    """A string without blanks around it; "" for anything else."""
    return value.strip() if isinstance(value, str) else ""


def word(value: Any) -> str:
    """A name such as ``eu-west-1``: letters, digits and single hyphens."""
    found = text(value)
    return found if _WORD.fullmatch(found) else ""


def region(value: Any) -> str:
    """The name of a region in the words of its provider; "" for what is none."""
    return word(value)


def host(value: Any) -> str:
    """A name or an address without port, brackets and final dot; "" for what is neither, and for ``0.0.0.0``."""
    found = text(value)
    if match := _BRACKETS.fullmatch(found):
        found = match[1]
    address = _address(found)
    if address is not None:
        return "" if address.is_unspecified else found
    match = _NAME_AND_PORT.fullmatch(found)
    if match is None or _is_unspecified(match[1]):
        return ""
    return match[1].strip(".")


def url_host(value: Any) -> str:
    """The host of a URL, or of what ``host`` reads: without scheme, port and path; "" where there is a user name."""
    match = _URL.fullmatch(text(value))
    return host(match[1]) if match else ""


def cidrs(value: Any) -> tuple[str, ...]:
    """The CIDRs of a comma-separated text, as written; one that holds every address says nothing about a network."""
    return tuple(part for piece in text(value).split(",") if _is_cidr(part := piece.strip()))


def is_covered(network: str, by: str) -> bool:
    """True if every address of one CIDR (of ``cidrs``) is in the other; a host (of ``host``) is covered by itself only.

    Half of all clients read no CIDRs, so the address of a machine says more than the network it is in.
    """
    if "/" not in network or "/" not in by:
        return network == by
    inner, outer = (ipaddress.ip_network(each, strict=False) for each in (network, by))
    if isinstance(inner, ipaddress.IPv4Network) and isinstance(outer, ipaddress.IPv4Network):
        return inner.subnet_of(outer)
    if isinstance(inner, ipaddress.IPv6Network) and isinstance(outer, ipaddress.IPv6Network):
        return inner.subnet_of(outer)
    return False


def is_template(value: str) -> bool:
    """True for what a later step fills in: ``${NAME}`` (clusterctl, Flux), ``{{ name }}`` (Helm, jinja)."""
    return "${" in value or "{{" in value


def _address(value: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(value)
    except ValueError:
        return None


def _is_unspecified(value: str) -> bool:
    address = _address(value)
    return address is not None and address.is_unspecified


def _is_cidr(value: str) -> bool:
    try:
        return "/" in value and ipaddress.ip_network(value, strict=False).prefixlen > 0
    except ValueError:
        return False
