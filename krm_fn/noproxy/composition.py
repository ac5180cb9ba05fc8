"""From what the user wrote and what is known to one list, each entry with its reasons.

The order of a style is kept, of equal entries the first keeps its place and gets all reasons,
and a literal address stays although a CIDR covers it: half of all clients do not read CIDRs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import translate
from functools import lru_cache

from krm_fn.noproxy import entries, styles
from krm_fn.noproxy.entries import EntryKind
from krm_fn.noproxy.model import (
    CLUSTER_DOMAIN_NAMES,
    Audience,
    Entry,
    Policy,
    Style,
    united,
)
from krm_fn.noproxy.network import ClusterNetwork
from krm_fn.noproxy.styles import Piece, Recipe


def compose(
    user: Sequence[Entry], networks: Sequence[ClusterNetwork], policy: Policy, audience: Audience
) -> tuple[Entry, ...]:
    """Return the list for one audience.

    The user's entries, completed in the policy's style, each with its reasons.

    Args:
        user: the entries as written, in order; in the styles ``Portable`` and ``Verbatim`` theirs comes first.
        networks: the clusters that the object belongs to; several give the union, none what every cluster needs.
        policy: ``extra`` is appended and ``exclude`` removed in every style, ``Verbatim`` too.
        audience: pods get no entry that makes a client of theirs fail (style ``Portable``); a product that completes
            the list gets it as in ``Verbatim``, and what TKG stores of a cluster is in the style ``TKG``.
    """
    style = _style(policy, audience)
    recipe = styles.RECIPES[style]
    pieces = [
        piece for piece in _pieces(recipe, user, networks, audience) if _is_wanted(piece, policy)
    ]
    has_rooted_names = style in (Style.PORTABLE, Style.VERBATIM) or _is_everything(recipe, user)
    if policy.rooted and not has_rooted_names:
        pieces += styles.rooted_names(networks)
    pieces += _finished(recipe, (Piece("", entry) for entry in policy.extra))
    found = _merged(pieces) if recipe.merged else _merged_derived(pieces)
    if policy.style is Style.PORTABLE and audience is Audience.POD:
        found = [entry for entry in found if not entries.breaks_clients(entry.text)]
    exclusions = _exclusions(policy.exclude)
    found = [entry for entry in found if not any(is_out(entry.text) for is_out in exclusions)]
    if policy.rooted is None and style is Style.PORTABLE:
        found = _without_rooted_names_alone(found, networks)
    if recipe.ordered:
        found = sorted(found, key=lambda entry: entry.text)
    return tuple(found)


def _style(policy: Policy, audience: Audience) -> Style:
    if audience is Audience.PRODUCT or policy.style is Style.VERBATIM:
        return Style.VERBATIM
    return Style.TKG if audience is Audience.TKG else policy.style


def join(list_of_entries: Iterable[Entry]) -> str:
    """Return the value of the variable.

    With commas alone between entries, because apt and wget read no blanks.
    """
    return ",".join(entry.text for entry in list_of_entries)


def _pieces(
    recipe: Recipe, user: Sequence[Entry], networks: Sequence[ClusterNetwork], audience: Audience
) -> Iterator[Piece]:
    """Yield the pieces of the style, in its forms.

    The user's ``*`` alone disables the proxy and stays.
    """
    if _is_everything(recipe, user):
        return iter([Piece("", user[0])])
    return _finished(recipe, recipe.pieces(user, networks, audience))


def _is_everything(recipe: Recipe, user: Sequence[Entry]) -> bool:
    return recipe.merged and [entry.text for entry in user] == ["*"]


def _without_rooted_names_alone(
    found: list[Entry], networks: Sequence[ClusterNetwork]
) -> list[Entry]:
    """Return ``found`` without the rooted names of a domain that ``exclude`` has removed from the list."""
    texts = {entry.text for entry in found}
    alone = set()
    for domain in styles.domains(networks):
        names = (domain.text, f".{domain.text}", f"svc.{domain.text}", f".svc.{domain.text}")
        if texts.isdisjoint(names):
            alone.add(f".svc.{domain.text}.")
    return [entry for entry in found if entry.text not in alone]


def _is_wanted(piece: Piece, policy: Policy) -> bool:
    if piece.derived_from == styles.ROOTED:
        return CLUSTER_DOMAIN_NAMES in policy.derive if policy.rooted is None else policy.rooted
    return not piece.derived_from or piece.derived_from in policy.derive


def _finished(recipe: Recipe, pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yield each piece as the entries to write.

    Only names of the user are completed, derived hosts are exact.
    """
    if not recipe.normal:
        yield from pieces
        return
    for derived_from, entry in pieces:
        texts = _plain(entry.text) if derived_from else entries.expand(entry.text)
        for text in texts:
            yield Piece(derived_from, entry if text == entry.text else _rewritten(entry, text))


@lru_cache(maxsize=16384)
def _plain(text: str) -> tuple[str, ...]:
    parts = (
        part for token in entries.split(text) for part in entries.canonical(entries.bare(token))
    )
    return tuple(dict.fromkeys(parts))


def _rewritten(entry: Entry, text: str) -> Entry:
    """Return ``text``, which is another form of ``entry`` or is added to it, with the reason."""
    if text == f".{entry.text}":
        return entry.by_rule(text, styles.TWIN)
    if entries.classify(text) is EntryKind.ADDRESS and entries.network(entry.text):
        return entry.by_rule(
            text, f"the address itself beside {entry.text} (for clients that read no CIDRs)"
        )
    return entry._replace(text=text, why=(*entry.why, f'written "{entry.text}"'))


def _merged(pieces: Iterable[Piece]) -> list[Entry]:
    return united(piece.entry for piece in pieces)


def _merged_derived(pieces: Iterable[Piece]) -> list[Entry]:
    """Return derived entries of several clusters once.

    Repetitions of the user stay, as in the imitated program.
    """
    groups: dict[tuple[str, str], list[Piece]] = {}
    for at, piece in enumerate(pieces):
        key = (piece.derived_from, piece.entry.text) if piece.derived_from else ("", str(at))
        groups.setdefault(key, []).append(piece)
    return [entry for group in groups.values() for entry in _merged(group)]


@lru_cache(maxsize=256)
def _exclusions(patterns: tuple[str, ...]) -> tuple[Callable[[str], object], ...]:
    """Return a test for each pattern.

    A glob if it has ``*`` or ``?``, else the exact entry, as written or normalised.
    """
    globs = [
        re.compile(translate(text.lower().replace("[", "[[]"))).match
        for text in patterns
        if _is_glob(text)
    ]
    exact = {form for text in patterns if not _is_glob(text) for form in (text, *_plain(text))}
    return (*globs, exact.__contains__)


def _is_glob(text: str) -> bool:
    return "*" in text or "?" in text
