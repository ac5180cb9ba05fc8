"""Compose one list from the entries of the user and the facts of Clusters, each entry with its reasons.

The order of a style is kept. Of equal entries the first keeps its place and gets all reasons. A literal address stays
although a CIDR covers it: half of all clients do not read CIDRs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from fnmatch import translate
from functools import lru_cache
from operator import attrgetter

from krm_fn.clusters.cluster import ClusterNetwork
from krm_fn.light_typing import Texts
from krm_fn.noproxy import entries
from krm_fn.noproxy.entries import Entry, NoProxy, Origin, united
from krm_fn.noproxy.policy import GROUPS, REPEATING, TWIN, USER, Audience, Policy, Style


def compose(
    user: Sequence[Entry], networks: Sequence[ClusterNetwork], policy: Policy, audience: Audience
) -> NoProxy:
    """Return the list for one audience: the user's entries, completed in the policy's style.

    Args:
        user: the entries as written, in order.
        networks: the Clusters that the object belongs to; several give the union, and an empty sequence gives the
            entries that every cluster needs.
        policy: ``extra`` is appended and ``exclude`` removed in every style.
        audience: pods get no entry that makes a client of theirs fail; a product that completes the list gets it as in
            ``Verbatim``, and the configuration that TKG stores of a cluster is in the style ``TKG``.
    """
    if audience is Audience.PRODUCT:
        policy = policy._replace(style=Style.VERBATIM)
    elif audience is Audience.TKG and policy.style is not Style.VERBATIM:
        policy = policy._replace(style=Style.TKG)
    is_merged = policy.style not in REPEATING
    texts = [entry.text for entry in user]
    is_off = is_merged and texts == ["*"]
    forms = derived_forms = _as_written
    if policy.style is Style.PORTABLE:
        # A derived host is exact: it gets no dotted form, which would mean its subdomains.
        forms = entries.expand
        derived_forms = entries.plain
    composed = []
    for group in GROUPS[policy.style]:
        if group.name == USER:
            composed += _in_forms(user, forms)
        elif not is_off and policy.derives(group.name):
            derived = group.entries(networks, audience)
            composed += united(_in_forms(derived, derived_forms))
    composed += _in_forms(policy.extra, forms)
    if is_merged:
        composed = united(composed)
    kept = _kept(composed, policy, audience)
    if policy.style is Style.SORTED:
        kept.sort(key=attrgetter("text"))
    return tuple(kept)


def _in_forms(written: Iterable[Entry], forms: Callable[[str], Texts]) -> list[Entry]:
    """Return the forms of each entry, with the reason for each."""
    listed = []
    for entry in written:
        listed += [_rewritten(entry, text) for text in forms(entry.text)]
    return listed


def _as_written(text: str) -> Texts:
    return (text,)


def _rewritten(entry: Entry, text: str) -> Entry:
    """Return the entry ``text``, which is another form of ``entry`` or comes beside it, with the reason."""
    if text == entry.text:
        return entry
    if text == f".{entry.text}":
        return entry.by_rule(text, TWIN)
    if entries.address(text) and entries.network(entry.text):
        return entry.by_rule(
            text, f"the address itself beside {entry.text} (for clients that read no CIDRs)"
        )
    why = f'written "{entry.text}"'
    return entry._replace(text=text, why=(*entry.why, why))


def _kept(composed: Iterable[Entry], policy: Policy, audience: Audience) -> list[Entry]:
    """Return the entries that neither break clients nor are excluded by the policy."""
    is_portable = policy.style is Style.PORTABLE and audience is Audience.POD
    excluded = _exclusions(policy.exclude)
    kept = []
    for entry in composed:
        if is_portable and entries.breaks_clients(entry.text):
            continue
        if not excluded.match(entry.text):
            kept.append(entry)
    if policy.rooted is not None:
        return kept
    # Nobody asked for rooted names: they go with the domain that `exclude` removed.
    texts = {entry.text for entry in kept}
    return [entry for entry in kept if not _is_last_of_domain(entry, texts)]


def _is_last_of_domain(entry: Entry, texts: set[str]) -> bool:
    """Return whether a derived rooted name is the only entry of its domain that ``exclude`` has left."""
    if Origin.RULE not in entry.origins:
        return False
    domain = entry.text.removeprefix(".svc.").removesuffix(".")
    if entry.text != f".svc.{domain}.":
        return False
    return texts.isdisjoint((domain, f".{domain}", f".svc.{domain}"))


@lru_cache(maxsize=256)
def _exclusions(patterns: Texts) -> re.Pattern[str]:
    """Return a pattern of entries: of a glob if it has ``*`` or ``?``, else of an entry, as written or normalised."""
    parts = []
    for pattern in patterns:
        if "*" in pattern or "?" in pattern:
            # Brackets mean themselves: they are a part of IPv6 addresses.
            glob = pattern.lower().replace("[", "[[]")
            parts.append(translate(glob))
        else:
            exact = (pattern, *entries.plain(pattern))
            parts += [rf"{re.escape(entry)}\Z" for entry in exact]
    return re.compile("|".join(parts) or "(?!)")
