"""From what the user wrote and what is known to one list, each entry with its reasons.

The order of a style is kept, of equal entries the first keeps its place and gets all reasons, and a literal address
stays although a CIDR covers it: half of all clients do not read CIDRs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from fnmatch import translate
from functools import lru_cache
from operator import attrgetter

from krm_fn.clusters.network import ClusterNetwork
from krm_fn.light_typing import Texts
from krm_fn.noproxy import entries, styles
from krm_fn.noproxy.model import (
    CLUSTER_DOMAIN_NAMES,
    Audience,
    Entry,
    NoProxy,
    Origin,
    Policy,
    Style,
    united,
)
from krm_fn.noproxy.styles import Group, Recipe


def compose(
    user: Sequence[Entry], networks: Sequence[ClusterNetwork], policy: Policy, audience: Audience
) -> NoProxy:
    """Return the list for one audience: the user's entries, completed in the policy's style.

    Args:
        user: the entries as written, in order.
        networks: the clusters that the object belongs to; several give the union, none what every cluster needs.
        policy: ``extra`` is appended and ``exclude`` removed in every style.
        audience: pods get no entry that makes a client of theirs fail; a product that completes the list gets it as in
            ``Verbatim``, and what TKG stores of a cluster is in the style ``TKG``.
    """
    recipe = styles.RECIPES[_style(policy, audience)]
    texts = [entry.text for entry in user]
    is_off = recipe.merged and texts == ["*"]
    forms = entries.expand if recipe.normal else _as_written
    # A derived host is exact, so that no domain is added.
    forms_of_derived = entries.plain if recipe.normal else _as_written
    composed: list[Entry] = []
    for group in recipe.groups:
        if group.derived_from == styles.USER:
            composed += _in_forms(user, forms)
        elif not is_off and _is_wanted(group, recipe, policy):
            derived = group.entries(networks, audience)
            composed += united(_in_forms(derived, forms_of_derived))
    composed += _in_forms(policy.extra, forms)
    if recipe.merged:
        composed = united(composed)
    kept = _kept(composed, policy, audience)
    if recipe.ordered:
        kept.sort(key=attrgetter("text"))
    return tuple(kept)


def _kept(composed: Iterable[Entry], policy: Policy, audience: Audience) -> list[Entry]:
    """Return the entries that neither break clients nor are excluded by the policy."""
    is_portable = policy.style is Style.PORTABLE and audience is Audience.POD
    is_excluded = _exclusions(policy.exclude)
    kept: list[Entry] = []
    for entry in composed:
        if is_portable and entries.breaks_clients(entry.text):
            continue
        if not is_excluded(entry.text):
            kept.append(entry)
    if policy.rooted is not None:
        return kept
    texts = {entry.text for entry in kept}
    return [entry for entry in kept if not _is_alone(entry, texts)]


def _is_alone(entry: Entry, texts: set[str]) -> bool:
    """Return whether a derived rooted name is all that ``exclude`` has left of a domain."""
    domain = entry.text.removeprefix(".svc.").removesuffix(".")
    if Origin.RULE not in entry.origins or entry.text != f".svc.{domain}.":
        return False
    return texts.isdisjoint((domain, f".{domain}", f".svc.{domain}"))


def _style(policy: Policy, audience: Audience) -> Style:
    if audience is Audience.PRODUCT or policy.style is Style.VERBATIM:
        return Style.VERBATIM
    if audience is Audience.TKG:
        return Style.TKG
    return policy.style


def _is_wanted(group: Group, recipe: Recipe, policy: Policy) -> bool:
    if group.derived_from != styles.ROOTED:
        return policy.derives(group.derived_from)
    if policy.rooted is None:
        return recipe.rooted and policy.derives(CLUSTER_DOMAIN_NAMES)
    return policy.rooted


def _in_forms(given: Iterable[Entry], forms: Callable[[str], Texts]) -> list[Entry]:
    """Return the forms of each entry, with the reason for each."""
    written: list[Entry] = []
    for entry in given:
        written += [_rewritten(entry, text) for text in forms(entry.text)]
    return written


def _as_written(text: str) -> Texts:
    return (text,)


def _rewritten(entry: Entry, text: str) -> Entry:
    """Return ``text``, which is another form of ``entry`` or is added to it, with the reason."""
    if text == entry.text:
        return entry
    if text == f".{entry.text}":
        return entry.by_rule(text, styles.TWIN)
    if entries.address(text) and entries.network(entry.text):
        rule = f"the address itself beside {entry.text} (for clients that read no CIDRs)"
        return entry.by_rule(text, rule)
    return entry._replace(text=text, why=(*entry.why, f'written "{entry.text}"'))


@lru_cache(maxsize=256)
def _exclusions(patterns: Texts) -> Callable[[str], bool]:
    """Return a test for the patterns: a glob if it has ``*`` or ``?``, else an entry, as written or normalised."""
    tests: list[re.Pattern[str]] = []
    exact: set[str] = set()
    for pattern in patterns:
        if "*" in pattern or "?" in pattern:
            glob = pattern.lower().replace("[", "[[]")
            tests.append(re.compile(translate(glob)))
        else:
            exact |= {pattern, *entries.plain(pattern)}

    def is_excluded(entry: str) -> bool:
        return entry in exact or any(test.match(entry) for test in tests)

    return is_excluded
