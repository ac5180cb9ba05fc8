"""Read values from plain data that may have any shape.

A value of a wrong type counts as missing; nothing here raises. A placeholder (``${POD_CIDR}``) is a value like any
other: it stays as it is, and nothing is derived from it.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator

from krm_fn import placeholders
from krm_fn.light_typing import Any
from krm_fn.patch import Pointer

_NAME_AND_PORT = r"([A-Za-z0-9_.-]+)(?::[0-9]+)?"
_BRACKETS = r"\[([0-9A-Fa-f:.]+)\](?::[0-9]+)?"
_SCHEME = r"^[A-Za-z][A-Za-z0-9+.-]*://"
_URL = r"(?:[A-Za-z][A-Za-z0-9+.-]*://)?([^/?#@\s]+)(?:[/?#]\S*)?"
_AROUND = r"[A-Za-z0-9_.:/-]*"
"""What may be around a placeholder in a name, an address or a CIDR."""

_PORT = r":[0-9]+"
_WORD = r"[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*"


def pattern(text: str) -> Pointer:
    """Return ``"spec.subnets.*.cidr"`` as a pointer.

    ``*`` means every item of a list and every member of a map.
    """
    return tuple(text.split("."))


def values(data: Any, wanted: Pointer, path: Pointer = ()) -> Iterator[tuple[Pointer, Any]]:
    """Yield each value in ``data`` that matches the pattern ``wanted``, and its path.

    ``path`` leads to ``data``.
    """
    for depth, step in enumerate(wanted, start=1):
        if step == "*" and isinstance(data, (list, dict)):
            members = data.items() if isinstance(data, dict) else enumerate(data)
            for name, member in members:
                yield from values(member, wanted[depth:], (*path, str(name)))
            return
        if not isinstance(data, dict) or step not in data:
            return
        data, path = data[step], (*path, step)
    yield path, data


def text(value: Any) -> str:
    """Return a string without blanks around it; "" for anything else."""
    return value.strip() if isinstance(value, str) else ""


def word(value: Any) -> str:
    """Return a name such as ``eu-west-1`` or a single placeholder; "" for anything else."""
    found = text(value)
    if placeholder := placeholders.alone(found):
        return placeholder.text
    return found if re.fullmatch(_WORD, found) else ""


def region(value: Any) -> str:
    """Return the name of a region as its provider writes it; "" for anything else."""
    return word(value)


def host(value: Any) -> str:
    """Return a name or an address without port, brackets and final dot.

    "" for anything else, and for ``0.0.0.0``.
    """
    found = text(value)
    if placeholders.is_in(found):
        return (
            _filled_in_later(found)
            if not _has_default(found) or host(placeholders.with_defaults(found))
            else ""
        )
    if match := re.fullmatch(_BRACKETS, found):
        found = match[1]
    address = _address(found)
    if address is not None:
        return "" if address.is_unspecified else found
    match = re.fullmatch(_NAME_AND_PORT, found)
    if match is None or _is_unspecified(match[1]):
        return ""
    return match[1].strip(".")


def url_host(value: Any) -> str:
    """Return the host of a URL, or of what ``host`` reads, without scheme, port and path.

    "" where it has a user name.
    """
    found = text(value)
    match = re.fullmatch(_URL, found)
    if placeholders.is_in(found):  # its default may hold any of the characters that divide a URL
        return _filled_in_later(re.sub(_SCHEME, "", found, count=1))
    return host(match[1]) if match else ""


def cidrs(value: Any) -> tuple[str, ...]:
    """Return the CIDRs of a comma-separated text, as written, without those that hold every address."""
    found = text(value)
    if placeholders.is_in(found):
        return tuple(filter(None, map(_cidr_or_placeholder, placeholders.split(found))))
    return tuple(part for piece in found.split(",") if _is_cidr(part := piece.strip()))


def _cidr_or_placeholder(part: str) -> str:
    """Return a CIDR, or a text whose placeholders have defaults that make it a CIDR."""
    if not placeholders.is_in(part):
        return part if _is_cidr(part) else ""
    likely = placeholders.with_defaults(part)
    is_sound = not _has_default(part) or all(_is_cidr(each.strip()) for each in likely.split(","))
    return _filled_in_later(part) if is_sound else ""


def _has_default(part: str) -> bool:
    placeholder = placeholders.alone(part)
    return placeholder is not None and bool(placeholder.default)


def _filled_in_later(value: str) -> str:
    """Return a text with placeholders, without port; "" if it can be neither a host nor a CIDR.

    An ``@`` may be a part of a credential, in a default as well.
    """
    found = placeholders.normal(value)
    rest = placeholders.without(found)
    if found.endswith(rest) and re.fullmatch(_PORT, rest):
        found = found.removesuffix(rest)
    return found if re.fullmatch(_AROUND, placeholders.without(found)) and "@" not in found else ""


def is_covered(network: str, by: str) -> bool:
    """Return whether every address of one CIDR (of ``cidrs``) is in the other.

    A host covers only itself.

    Half of all clients read no CIDRs, so the address of a machine says more than the network it is in.
    """
    if (
        network == by
        or placeholders.is_in(network)
        or placeholders.is_in(by)
        or "/" not in network
        or "/" not in by
    ):
        return network == by
    inner, outer = (ipaddress.ip_network(each, strict=False) for each in (network, by))
    if isinstance(inner, ipaddress.IPv4Network) and isinstance(outer, ipaddress.IPv4Network):
        return inner.subnet_of(outer)
    if isinstance(inner, ipaddress.IPv6Network) and isinstance(outer, ipaddress.IPv6Network):
        return inner.subnet_of(outer)
    return False


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
