"""curl, and what links libcurl: git, PHP.

The verdict of ``Curl_check_noproxy`` (curl ``lib/noproxy.c``; before 7.86 ``check_noproxy`` in
``lib/url.c``) on what curl's URL parser hands it.

The rules changed four times, and distributions still ship each of them. Release 7.86.0 alone, replaced after eight
weeks, knew an address without a prefix only at the end of the list and a bare name only exactly; it is not modelled.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from krm_fn.noproxy.clients._match import Address, address, canonical, in_domain

_BLANK = re.compile(r"[ \t]+")
# What C's atoi makes of the text behind the slash: "8:6443" is 8, "x" is 0.
_LEADING_NUMBER = re.compile(r"[ \t]*\+?([0-9]+)")
_NUMBER = re.compile(r"[0-9]+")
_LONGEST_ADDRESS = 127


def curl_7_85(no_proxy: str, host: str, port: int) -> bool:
    """Return whether curl up to 7.85 (Ubuntu 22.04, RHEL 9) goes direct.

    Names only; commas and blanks separate entries; one leading dot is ignored.
    """
    del port
    name = host.lower()
    words = re.split(r"[, ]+", no_proxy.lower())
    return no_proxy == "*" or any(in_domain(name, word.removeprefix(".")) for word in words if word)


def curl_8_8(no_proxy: str, host: str, port: int) -> bool:
    """Return whether curl 7.87 to 8.8 (Debian 12) goes direct.

    It reads CIDRs of IPv4, compares IPv6 as a name, and ignores a final dot.
    """
    del port
    words = (word for part in no_proxy.split(",") for word in _BLANK.split(part))
    return _check(no_proxy, words, host, strict=False)


def curl_8_17(no_proxy: str, host: str, port: int) -> bool:
    """Return whether curl 8.9 to 8.17 (Debian 13) goes direct.

    As before, but a blank between entries ends the list.
    """
    del port
    return _check(no_proxy, _until_a_blank(no_proxy), host, strict=False)


def curl_8_18(no_proxy: str, host: str, port: int) -> bool:
    """Return whether curl 8.18 and later goes direct.

    It reads CIDRs of IPv6 too; only a number may be behind the slash.
    """
    del port
    return _check(no_proxy, _until_a_blank(no_proxy), host, strict=True)


def _check(no_proxy: str, words: Iterable[str], host: str, *, strict: bool) -> bool:
    if no_proxy == "*":
        return True
    name = canonical(host)
    ip = address(name)
    if ip is not None and (strict or ip.version == 4):
        return any(_matches_address(word, ip, strict=strict) for word in words if word)
    name = name.removesuffix(".")
    return any(
        in_domain(name, word.lower().removesuffix(".").removeprefix(".")) for word in words if word
    )


def _until_a_blank(no_proxy: str) -> Iterator[str]:
    for part in no_proxy.split(","):
        words = [word for word in _BLANK.split(part) if word]
        yield from words[:1]
        if len(words) > 1:
            return


def _matches_address(word: str, ip: Address, *, strict: bool) -> bool:
    """Return whether an entry is the address ``ip``, or a CIDR that holds it.

    ``/0`` and a prefix that is no number mean the address alone, because both are 0 in C.
    """
    text, slash, prefix = word.partition("/")
    net = address(text)
    match = (_NUMBER.fullmatch if strict else _LEADING_NUMBER.match)(prefix)
    if (
        net is None
        or net.version != ip.version
        or len(word) > _LONGEST_ADDRESS
        or (strict and slash and not match)
    ):
        return False
    bits = int(match[match.lastindex or 0]) if match else 0
    if bits > ip.max_prefixlen:
        return False
    shift = ip.max_prefixlen - (bits or ip.max_prefixlen)
    return int(ip) >> shift == int(net) >> shift
