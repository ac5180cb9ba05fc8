"""Semantic checks: mistakes that a schema cannot express, or describes worse.

A field that is reported here is not reported by the schema, too; a value that the schema takes may
still be wrong here.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterator

from krm_fn import noproxy
from krm_fn.config import url
from krm_fn.config.names import shown, texts_at
from krm_fn.config.target_options import is_switched_off
from krm_fn.light_typing import Any
from krm_fn.patch import Pointer, list_at, lookup, text_at
from krm_fn.products.node_kinds import FILES_ON_REQUEST
from krm_fn.target_table import ROWS, SYSTEMS, system_of

_Mistakes = Iterator[tuple[Pointer, str]]
_LISTS: tuple[tuple[Pointer, Callable[[str], str]], ...] = (
    (("noProxy",), noproxy.why_wrong),
    (("noProxyPolicy", "extra"), noproxy.why_wrong),
    (("noProxyPolicy", "exclude"), noproxy.why_wrong_pattern),
)
"""The lists of ``spec`` and of an override -> what says why an entry of them is wrong."""


def mistakes(spec: Any) -> _Mistakes:
    """Yield each mistake of ``spec`` (as ``json_schema.plain`` returns it): its place, and one line about it."""
    yield from _of_proxy(spec, ())
    overrides = list_at(spec, ("overrides",))
    for index in range(len(overrides)):
        yield from _of_proxy(spec, ("overrides", str(index)))
    for name in ("podCIDRs", "serviceCIDRs", "networks"):
        yield from _of_list(spec, ("clusterDefaults", name), _mistake_of_cidr)
    yield from _of_only(spec)


def _of_only(spec: Any) -> _Mistakes:
    """Yield the names of ``only`` for which ``targets`` leaves nothing to do."""
    for place, name in texts_at(spec, ("only",)):
        targets = SYSTEMS.get(name, (name,) if name in ROWS else ())
        if not targets or not all(is_switched_off(spec, target) for target in targets):
            continue
        is_off = lookup(spec, ("targets", system_of(name))) is False
        field = system_of(name) if is_off else name
        if targets[0] == FILES_ON_REQUEST and not is_off:
            yield place, f"writes nothing: list in `targets.{field}` what it should write"
        else:
            yield place, f"writes nothing, as `targets.{field}` is false: remove one of the two"


def _of_proxy(spec: Any, place: Pointer) -> _Mistakes:
    """Yield the mistakes that ``spec`` and an override, which is at ``place``, can both have."""
    for name in ("httpProxy", "httpsProxy"):
        given = text_at(spec, (*place, name))
        if given:
            for text in url.mistakes(given):
                yield (*place, name), text
    for path, mistake in _LISTS:
        yield from _of_list(spec, (*place, *path), mistake)


def _of_list(spec: Any, place: Pointer, mistake: Callable[[str], str]) -> _Mistakes:
    """Yield the mistakes of the entries at ``place``."""
    for entry_place, text in texts_at(spec, place):
        # A comma may be in a password: a text that could hold one is judged whole, so that no half of it is shown.
        if noproxy.may_hold_a_credential(text):
            entries: tuple[str, ...] = (text,)
        else:
            entries = noproxy.parse(text)
        for entry in entries:
            reason = mistake(entry)
            if reason:
                yield entry_place, reason


def _mistake_of_cidr(text: str) -> str:
    """Return why ``text`` is not a CIDR, and the correction, or ""."""
    try:
        network = ipaddress.ip_network(text, strict=False)
    except ValueError:
        return f'entry "{shown(text)}" must be a CIDR, such as "10.96.0.0/12"'
    if text.partition("/")[2] == str(network.prefixlen):
        return ""
    return f'entry "{shown(text)}" must be a CIDR: write "{network}"'
