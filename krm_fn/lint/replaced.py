"""The entries of an old NO_PROXY that the list of the ProxyConfig does not cover: they go when it is replaced.

It compares what the places of one object held before an edit and hold after it, whoever wrote them, and knows no kind.
The ProxyConfig stays the one source: with a union of both lists no entry could ever go.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from krm_fn.carriers.reading import Reading
from krm_fn.krm.results import Finding, Severity
from krm_fn.light_typing import NamedTuple
from krm_fn.lint.objects import Listing, lint_settings
from krm_fn.lint.values.whole import Listed
from krm_fn.noproxy import Audience, entries
from krm_fn.noproxy.entries import EntryKind

_MESSAGE = (
    "the list of this ProxyConfig replaces `NO_PROXY`, and does not cover {what}: copy what is still needed into "
    "`spec.noProxy`, or into `noProxy` of an override for this object"
)
_ONLY_OTHERS = (
    "the list of this ProxyConfig replaces `NO_PROXY`, {what}: if something there is still needed, write it as a "
    "host, a suffix, an address or a CIDR into `spec.noProxy`"
)
_NEEDLESS = "NP028"
"""The rule that calls an entry useless, as an information."""
_BROAD = "NP025"
"""The rule of what reaches far, but may be what its author needs: a person decides."""
_SHOWN = frozenset(
    {
        EntryKind.NAME,
        EntryKind.DOMAIN,
        EntryKind.GLOB,
        EntryKind.EVERYTHING,
        EntryKind.ADDRESS,
        EntryKind.CIDR,
        EntryKind.ADDRESS_GLOB,
        EntryKind.RANGE,
    }
)
_TOKEN = r"(?=[a-z]*[0-9])[a-z0-9_]{20,}"  # noqa: S105 -- the form of one
"""The last label of what is rather a token, or an encoded text, than a name."""


class _Lost(NamedTuple):
    """Entries that nothing covers: those to copy, the number of the others, and whether some are in a hidden list."""

    shown: tuple[str, ...] = ()
    others: int = 0
    has_hidden: bool = False


def replaced(
    before: Iterable[Reading],
    after: Iterable[Reading],
    variables: Mapping[str, str],
    audience: Audience,
) -> Iterator[Finding]:
    """Yield a warning for each set of entries that places of an object lose.

    Args:
        before: what the places held before the edit.
        after: what they hold now.
        variables: what the object gets; its list counts for a place that is no more.
        audience: who reads the list: an entry that the linter finds useless or harmful there is not to be copied.
    """
    old, new = _lists(before), _lists(after)
    ours = variables.get("NO_PROXY", "")
    everywhere = (ours, *(text for held in new.values() for text, _ in held))
    said: set[_Lost] = set()
    for place, held in old.items():
        now = new.get(place, [])
        texts = tuple(text for text, _ in now) or everywhere
        lost = _lost(tuple(text for text, _ in held), texts) if any(texts) else _Lost()
        if lost == _Lost():
            continue
        lost = _without_useless(lost, variables, audience)
        if lost not in said:
            said.add(lost)
            # A reader looks for it in the file as it is before the run.
            path = held[0][1].path
            yield Finding(Severity.WARNING, _message(lost), path, code="NoProxyReplaced")


def hidden_lists(readings: Iterable[Reading]) -> frozenset[str]:
    """Return the lists that must not be shown, because a part of them may be a credential."""
    texts = {text.strip() for held in _lists(readings).values() for text, _ in held}
    return frozenset(text for text in texts if entries.may_hold_a_credential(text))


def _lists(readings: Iterable[Reading]) -> dict[str, list[tuple[str, Reading]]]:
    """Return the lists that each place sets; of one that is computed in part, what is known or written."""
    found: dict[str, list[tuple[str, Reading]]] = {}
    for one in readings:
        text = one.known or one.unresolved if one.value is None else one.value
        if one.variable.upper() == "NO_PROXY" and text:
            found.setdefault(one.place, []).append((text, one))
    return found


@lru_cache(maxsize=1024)
def _lost(old: tuple[str, ...], new: tuple[str, ...]) -> _Lost:
    """Return the entries of the lists ``old`` that those of ``new`` do not cover, each once."""
    if set(old) <= set(new):
        return _Lost()
    as_written = frozenset(token for text in new for token in entries.split(text))
    listed = Listed(entries.normalise(new), Audience.GO, None)
    shown: dict[str, None] = {}
    others: set[str] = set()
    has_hidden = False
    for text in old:
        tokens = entries.split(text)
        is_secret = entries.may_hold_a_credential(text)
        for token in tokens:
            if token in as_written or (not is_secret and _is_covered(token, listed)):
                continue
            if is_secret:
                has_hidden = True
            elif not _is_shown(token):
                others.add(token)
            else:
                host = entries.bare(token)
                is_url = "/" in token and entries.classify(host) is not EntryKind.CIDR
                shown[host if is_url else token] = None
    return _Lost(tuple(shown), len(others), has_hidden)


def _is_shown(token: str) -> bool:
    host = entries.bare(token)
    last = host.rstrip(".").rpartition(".")[2]
    return entries.classify(host) in _SHOWN and re.fullmatch(_TOKEN, last) is None


def _without_useless(lost: _Lost, variables: Mapping[str, str], audience: Audience) -> _Lost:
    """Return the same with those entries only counted of which the linter would warn in ``spec.noProxy``."""
    reader = Audience.POD if audience is Audience.POD else Audience.NODE
    kept = tuple(one for one in lost.shown if not _is_useless(one, variables, reader))
    return lost._replace(shown=kept, others=lost.others + len(lost.shown) - len(kept))


def _is_useless(token: str, variables: Mapping[str, str], reader: Audience) -> bool:
    """Return whether no form of an entry makes it right: what is only written badly has a right form."""
    forms = entries.expand(token)
    alone = {**variables, "NO_PROXY": ",".join(forms)}
    for one in lint_settings(alone, Listing(reader)):
        is_warning = one.finding.severity is not Severity.INFO or one.finding.code == _NEEDLESS
        if is_warning and one.finding.code != _BROAD and one.entry in forms:
            return True
    return False


def _is_covered(token: str, listed: Listed) -> bool:
    """Return whether a program that reads CIDRs and suffixes goes direct wherever the entry makes it go direct."""
    host = entries.bare(token).rstrip(".").removeprefix("*")
    parts = (
        (host,)
        if entries.classify(host) in (EntryKind.NAME, EntryKind.DOMAIN)
        else entries.canonical(host)
    )
    return all(listed.covers(part) for part in parts)


def _message(lost: _Lost) -> str:
    rest = []
    if lost.others:
        noun = "entries that are" if lost.others > 1 else "entry that is"
        rest.append(
            f"{lost.others} {noun} not shown (no host, suffix, address or CIDR, or useless or harmful in a list)"
        )
    if lost.has_hidden and (lost.shown or rest):
        rest.append("entries that are not shown, because the list may hold a credential")
    if lost.shown:
        return _MESSAGE.format(what=" and ".join((f"`{json.dumps(lost.shown)}`", *rest)))
    if rest:
        return _ONLY_OTHERS.format(what=f"which holds {' and '.join(rest)}")
    hidden = "whose entries are not shown, because the list may hold a credential"
    return _ONLY_OTHERS.format(what=hidden)
