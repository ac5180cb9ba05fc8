"""Who gets another proxy by another ProxyConfig: the answers of two plans for the same objects, compared."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from krm_fn.explain.answers import Answer, ClusterPart
from krm_fn.noproxy import Audience


@dataclass(frozen=True)
class ProxyChange:
    """Places whose proxy changes in the same way.

    Attributes:
        clusters: the names of their Clusters, as far as they are known.
        parts: which nodes of them, or which rules; empty where all are meant.
        audiences: who reads the list.
        before: the proxies for ``http://`` and ``https://`` without credentials; None where there was none to write.
        after: the same by the other ProxyConfig.
        has_other_password: for each of the two proxies, whether only what is not shown differs.
        added: entries that are new in NO_PROXY.
        removed: entries that are no longer in it; without both the list may have another order.
        places: how many objects and targets there are.
    """

    clusters: tuple[str, ...]
    parts: tuple[ClusterPart, ...]
    audiences: tuple[Audience, ...]
    before: tuple[str, str] | None
    after: tuple[str, str] | None
    has_other_password: tuple[bool, bool]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    places: int


@dataclass(frozen=True)
class Difference:
    """What changes between two ProxyConfigs; ``unchanged`` counts the places that get the same."""

    changes: tuple[ProxyChange, ...]
    unchanged: int


@dataclass
class _Members:
    """The places of one change, while it is put together."""

    first: tuple[Answer | None, Answer | None]
    clusters: dict[str, None] = field(default_factory=dict)
    parts: dict[ClusterPart, None] = field(default_factory=dict)
    audiences: dict[Audience, None] = field(default_factory=dict)
    number: int = 0


def difference(old: Iterable[Answer], new: Iterable[Answer]) -> Difference:
    """Return what changes from the answers of one ProxyConfig to those of another one."""
    before = {answer.identity: answer for answer in old}
    after = {answer.identity: answer for answer in new}
    unchanged = 0
    groups: dict[object, _Members] = {}
    for identity in dict.fromkeys([*after, *before]):
        pair = (before.get(identity), after.get(identity))
        if _values(pair[0]) == _values(pair[1]):
            unchanged += 1
            continue
        key = (_urls(pair[0]), _urls(pair[1]), *_entries(pair))
        members = groups.setdefault(key, _Members(pair))
        members.number += 1
        for answer in pair:
            if answer is not None:
                members.clusters |= dict.fromkeys(answer.clusters)
                members.parts |= dict.fromkeys(answer.parts)
                members.audiences[answer.audience] = None
    return Difference(tuple(map(_change, groups.values())), unchanged)


def _values(answer: Answer | None) -> tuple[str, ...]:
    """Return the values of the three variables; none where no proxy is written."""
    if answer is None:
        return ()
    settings = answer.resolved.settings
    return (settings.http_proxy, settings.https_proxy, settings.no_proxy)


def _urls(answer: Answer | None) -> tuple[str, str] | None:
    return answer.resolved.urls if answer else None


def _entries(pair: tuple[Answer | None, Answer | None]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the entries that are added and those that are removed; none where there is only one list."""
    old, new = pair
    if old is None or new is None:
        return (), ()
    before = [entry.text for entry in old.resolved.entries]
    after = [entry.text for entry in new.resolved.entries]
    added = tuple(text for text in after if text not in before)
    removed = tuple(text for text in before if text not in after)
    return added, removed


def _change(members: _Members) -> ProxyChange:
    old, new = members.first
    has_other_password = (False, False)
    if old and new:
        has_other_password = (_has_other_password(old, new, 0), _has_other_password(old, new, 1))
    return ProxyChange(
        tuple(members.clusters),
        tuple(members.parts),
        tuple(members.audiences),
        old.shown_urls if old else None,
        new.shown_urls if new else None,
        has_other_password,
        *_entries(members.first),
        members.number,
    )


def _has_other_password(old: Answer, new: Answer, at: int) -> bool:
    """Return whether proxy ``at`` is another one, which looks the same without its credential."""
    is_other = old.resolved.urls[at] != new.resolved.urls[at]
    return is_other and old.shown_urls[at] == new.shown_urls[at]
