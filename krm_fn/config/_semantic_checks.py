"""Semantic checks: mistakes that a schema cannot express, or describes worse.

A field that is reported here is not reported by the schema, too; what is valid for the schema may
still be wrong here.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterator, Mapping

from krm_fn import noproxy
from krm_fn.config import _schema, _url
from krm_fn.light_typing import Any
from krm_fn.near_names import did_you_mean
from krm_fn.patch import list_at, lookup, text_at

_Problems = Iterator[tuple[_schema.Place, str]]


def problems(spec: dict[str, Any]) -> _Problems:
    """Yield each mistake of ``spec`` (as ``_schema.plain`` returns it): its path, and one line about it."""
    yield from _of_proxy(spec, ())
    overrides = spec.get("overrides")
    for at, override in enumerate(overrides if isinstance(overrides, list) else ()):
        yield from _of_proxy(override, ("overrides", at))
    for name in ("podCIDRs", "serviceCIDRs", "networks"):
        yield from _of_entries(spec, ("clusterDefaults", name), _cidr_problem)
    rules = lookup(spec, ("lint", "rules"))
    yield from _unknown_rules(("lint", "rules"), {rule: rule for rule in _keys(rules)})
    ignored = lookup(spec, ("lint", "ignore"))
    for at, entry in enumerate(ignored if isinstance(ignored, list) else ()):
        names = lookup(entry, ("rules",))
        place = ("lint", "ignore", at, "rules")
        yield from _unknown_rules(place, dict(enumerate(names if isinstance(names, list) else ())))
    yield from _shared_path(spec.get("targets"))
    yield from _repeated_conditions(spec)


def _of_proxy(proxy: Any, place: _schema.Place) -> _Problems:
    """Yield the problems that ``spec`` and an override can both have."""
    for name in ("httpProxy", "httpsProxy"):
        url = text_at(proxy, (name,))
        for text in _url.problems(url) if url else ():
            yield (*place, name), text
    for path, mistake in (
        (("noProxy",), noproxy.mistake),
        (("noProxyPolicy", "extra"), noproxy.mistake),
        (("noProxyPolicy", "exclude"), noproxy.mistake_of_pattern),
    ):
        for where, text in _of_entries(proxy, path, mistake):
            yield (*place, *where), text


def _of_entries(data: Any, path: _schema.Place, mistake: Callable[[str], str]) -> _Problems:
    """Yield the problems of the entries at ``path``: those of one text, or of a list of texts."""
    given = lookup(data, path)
    if isinstance(given, str):
        for text in _entry_problems(given, mistake):
            yield path, text
    elif isinstance(given, list):
        for at, item in enumerate(given):
            for text in _entry_problems(item, mistake):
                yield (*path, at), text


def _entry_problems(text: Any, mistake: Callable[[str], str]) -> Iterator[str]:
    if not isinstance(text, str):
        return
    # A comma may be in a password: a text that could hold one is judged whole, so that no half of it is shown.
    entries = (text,) if noproxy.may_hold_a_credential(text) else noproxy.parse(text)
    yield from filter(None, map(mistake, entries))


def _cidr_problem(text: str) -> str:
    """Return why ``text`` is not a CIDR, and what to write; "" if it is one."""
    shown = _schema.shown(text)
    try:
        network = ipaddress.ip_network(text, strict=False)
    except ValueError:
        return f'entry "{shown}" must be a CIDR, such as "10.96.0.0/12"'
    exact = "/" in text and text.partition("/")[2] == str(network.prefixlen)
    return "" if exact else f'entry "{shown}" must be a CIDR: write "{network}"'


def _keys(mapping: Any) -> list[str]:
    return list(mapping) if isinstance(mapping, dict) else []


def _unknown_rules(place: _schema.Place, rules: Mapping[str | int, Any]) -> _Problems:
    """Yield each unknown rule, by its step below a place: a typing mistake would otherwise switch off nothing."""
    if not rules:
        return
    from krm_fn.krm.codes import SILENCEABLE  # noqa: PLC0415 -- most runs name no rule

    for step, rule in rules.items():
        if not isinstance(rule, str) or rule in SILENCEABLE:
            continue
        advice = did_you_mean(rule, SILENCEABLE, alike=0.7, begin="; ")
        message = "must be the code that a message begins with"
        yield (*place, step), message + advice


def _shared_path(targets: Any) -> _Problems:
    """Yield a problem if two drop-ins have one path.

    They would overwrite each other's variables in every run.
    """
    names = ("containerdDropIn", "kubeletDropIn")
    if not any(lookup(targets, (name, "path")) for name in names):
        return  # the defaults differ
    paths = {}
    for name in names:
        given = lookup(targets, (name,), {})
        default = _schema.fields()[f"targets.{name}.path"]["default"]
        paths[name] = (
            lookup(given, ("path",), default)
            if lookup(given, ("enabled",), True) is not False
            else name
        )
    if paths["containerdDropIn"] == paths["kubeletDropIn"]:
        yield (
            ("targets", "kubeletDropIn", "path"),
            "must not be the `path` of `containerdDropIn`: one file, one unit",
        )


def _repeated_conditions(spec: dict[str, Any]) -> _Problems:
    """Yield each condition of the generated policy whose name another one has: the API server refuses both."""
    place = ("targets", "kyvernoPolicies", "generated", "matchConditions")
    names = ["no-opt-out"]
    for at, condition in enumerate(list_at(spec, place)):
        name = text_at(condition, ("name",))
        if name in names:
            yield (
                (*place, at, "name"),
                "must not be the name of another condition, nor `no-opt-out`, which is ours",
            )
        names.append(name)
