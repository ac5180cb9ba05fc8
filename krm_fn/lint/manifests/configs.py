"""The lists and URLs of a ProxyConfig: what is wrong with them, and what they should be.

What the composition of the list corrects by itself is no problem of the list. An entry is corrected
where it is, a list stays a list and a text a text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from krm_fn import config
from krm_fn.config import Mode, ProxyConfig
from krm_fn.config.located import LocatedConfig
from krm_fn.errors import ConfigError
from krm_fn.krm.results import Result, Severity
from krm_fn.light_typing import Any
from krm_fn.lint.levels import Rules, levelled
from krm_fn.lint.objects import ONE_CAUSE
from krm_fn.lint.values import Problem, lint_list, lint_pair, lint_proxy
from krm_fn.noproxy import Audience, Style, parse
from krm_fn.patch import Pointer, lookup

_REPORTED_BY_CONFIG = frozenset({"NP005", "NP006", "NP010", "NP015", "NP018", "NP037", "NP042"})
"""Rules about what the check of a ProxyConfig tells, too, in words of its own."""

_COMPOSED = frozenset({"NP002", "NP003", "NP004", "NP023", "NP024"})
"""Rules about what a list gets while it is composed."""

_COMPLETED = frozenset({"NP011"})
"""The same for the default style alone."""


@dataclass(frozen=True)
class _ConfigText:
    """A URL or a list of a ProxyConfig, and the list beside it."""

    path: Pointer
    value: Any
    beside: str = ""

    @property
    def entries(self) -> tuple[str, ...]:
        texts = self.value if isinstance(self.value, list) else [self.value]
        return parse([text for text in texts if isinstance(text, str)])


def chosen(given: Sequence[LocatedConfig]) -> tuple[ProxyConfig, list[Result]]:
    """Return the ProxyConfig whose rules, defaults and options count.

    The default and a warning if several disagree.

    One that is wrong counts for nothing: ``judge`` tells what is wrong with it.
    """
    loaded = [(one, wanted) for one in given if (wanted := _loaded(one)[0])]
    kinds = set()
    for _, wanted in loaded:
        defaults = [(name, fact.value) for name, fact in wanted.cluster_defaults.facts()]
        kinds.add(repr((wanted.lint, defaults, wanted.targets, wanted.policy)))
    if len(kinds) < 2:
        return (loaded[0][1] if loaded else ProxyConfig()), []
    message = (
        f"this and {len(loaded) - 1} other ProxyConfigs differ in `lint`, `clusterDefaults`, `noProxyPolicy` or "
        "`targets`, so objects are checked with none of them: name one with `--config`"
    )
    return ProxyConfig(), [
        Result(Severity.WARNING, message, loaded[0][0].ref, code="ConfigsDiffer")
    ]


def judge(given: LocatedConfig, rules: Rules, audience: Audience) -> Iterator[Result]:
    """Yield all problems of a FunctionConfig."""
    wanted, wrong = _loaded(given)
    annotation = config.ineffective_annotation(given.data)
    if annotation is not None:
        yield from levelled([annotation.about(given.ref)], rules)
    yield from (Result(Severity.ERROR, text, given.ref, code=ConfigError.code) for text in wrong)
    silent = _REPORTED_BY_CONFIG if wrong else frozenset()
    for text in _texts(given.data):
        for found in _problems(text, given, audience):
            severity = rules.severity(found)
            if severity is not None and found.rule not in silent:
                path = text.path if text.path[0] == "spec" else ()
                fact = (str(text.value),) if found.rule in ONE_CAUSE else ()
                yield Result(severity, found.message, given.ref, path, code=found.rule, fact=fact)
    if wanted is not None:
        yield from _pairs(wanted, given, rules)


def _pairs(wanted: ProxyConfig, given: LocatedConfig, rules: Rules) -> Iterator[Result]:
    """Yield NP035 where ``spec``, or an override with the URLs of ``spec``, sets a proxy for `http://` only.

    Nothing is said where the missing URL may come from elsewhere: from an object of ``spec.from``, or from another
    override.
    """
    root = _root(given.data)
    if wanted.mode is Mode.REMOVE or lookup(given.data, (root, "from")):
        return
    pairs: list[tuple[Pointer, str, str]] = [((), wanted.http_proxy, wanted.https_proxy)]
    another_sets_https = any(one.https_proxy for one in wanted.overrides)
    for at, override in enumerate(wanted.overrides):
        http_proxy, https_proxy = override.http_proxy, override.https_proxy
        if https_proxy is None:
            if http_proxy is None or wanted.http_proxy or another_sets_https:
                continue  # it changes no URL, `spec` is reported, or the URL may come from the other one
            https_proxy = wanted.https_proxy
        if http_proxy is None:
            http_proxy = wanted.http_proxy
        pairs.append((("overrides", str(at)), http_proxy, https_proxy))
    for path, http_proxy, https_proxy in pairs:
        for found in lint_pair(http_proxy, https_proxy):
            severity = rules.severity(found)
            if severity is not None:
                place = (root, *path) if root == "spec" else ()
                yield Result(severity, found.message, given.ref, place, code=found.rule)


def _loaded(given: LocatedConfig) -> tuple[ProxyConfig | None, list[str]]:
    try:
        return config.load(given.data, repeated=given.repeated), []
    except ConfigError as error:
        return None, error.problems


def _texts(data: Any) -> Iterator[_ConfigText]:
    """Yield the lists and URLs of ``spec`` and its overrides, or of a ConfigMap's ``data``."""
    root = _root(data)
    overrides = lookup(data, (root, "overrides"))
    places: list[Pointer] = [(root,)]
    if isinstance(overrides, list):
        places += [(root, "overrides", str(at)) for at in range(len(overrides))]
    for place in places:
        lists = [
            _ConfigText((*place, name), value)
            for name, value in _members(data, place, ("noProxy", "NO_PROXY"))
        ]
        beside = ",".join(entry for one in lists for entry in one.entries)
        yield from lists
        for name, value in _members(
            data, place, ("httpProxy", "httpsProxy", "HTTP_PROXY", "HTTPS_PROXY")
        ):
            if isinstance(value, str):
                yield _ConfigText((*place, name), value, beside)


def _root(data: Any) -> str:
    return "spec" if lookup(data, ("kind",)) == config.KIND else "data"


def _members(data: Any, place: Pointer, names: Sequence[str]) -> Iterator[tuple[str, Any]]:
    found = ((name, lookup(data, (*place, name))) for name in names)
    return ((name, value) for name, value in found if value and isinstance(value, (str, list)))


def _is_list(text: _ConfigText) -> bool:
    return text.path[-1] in ("noProxy", "NO_PROXY")


def _problems(text: _ConfigText, given: LocatedConfig, audience: Audience) -> list[Problem]:
    if not _is_list(text):
        return lint_proxy(text.value, no_proxy=text.beside, in_manifest=True)
    silent = _COMPOSED | _COMPLETED if _is_completed(given) else _COMPOSED
    return [
        one
        for one in lint_list(",".join(text.entries), audience=audience)
        if one.rule not in silent
    ]


def _is_completed(given: LocatedConfig) -> bool:
    """Return whether NO_PROXY is composed with the dotted form of a domain."""
    return bool(
        lookup(given.data, ("spec", "noProxyPolicy", "style"), Style.PORTABLE.value)
        == Style.PORTABLE.value
    )
