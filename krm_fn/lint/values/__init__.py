"""Judge a list, a proxy URL or the place that holds them, by rules with ids.

Values in, problems out, in the order of the rules' table; nothing here knows an object. What is
wrong can be corrected by ``fix`` where the rule allows it, and then no such problem is left.
"""

from __future__ import annotations

from collections.abc import Iterable

from krm_fn.lint.values import single, whole
from krm_fn.lint.values import text as text_rules
from krm_fn.lint.values.files import lint_permissions, lint_writers
from krm_fn.lint.values.proxy import corrected_url, lint_pair, lint_proxy, lint_variables
from krm_fn.noproxy import entries, model
from krm_fn.noproxy.composition import compose, join
from krm_fn.noproxy.lint_rules import RULES, Problem, problem
from krm_fn.noproxy.model import Audience, Policy
from krm_fn.noproxy.network import ClusterNetwork

__all__ = [
    "RULES",
    "Problem",
    "corrected_url",
    "fix",
    "lint_for",
    "lint_list",
    "lint_pair",
    "lint_permissions",
    "lint_proxy",
    "lint_variables",
    "lint_writers",
]


def lint_list(
    text: str,
    *,
    audience: Audience,
    network: ClusterNetwork | None = None,
    has_proxy: bool = True,
    max_length: int = 0,
) -> list[Problem]:
    """Return the problems of ``text``, the value of NO_PROXY, by rule.

    Args:
        text: exactly as the client gets it, escaped for no layer.
        audience: who reads it.
        network: the cluster whose hosts it must hold, None if unknown.
        has_proxy: whether a proxy is set beside it; without one the list may be empty and lack what it likes.
        max_length: the longest list, in bytes; 0 for the limits of Linux and Cluster API.
    """
    if entries.may_hold_a_credential(text):
        message = (
            "the list must not hold user name and password: write hosts alone, without an `@` or `=`, and behind a `:` "
            "only a port"
        )
        return [problem("NP018", "", message)]
    raws = _raws(text)
    if not raws:
        message = "the list must not be empty beside a proxy: everything inside the cluster would go through it"
        return [problem("NP002", "", message)] if has_proxy else []
    own = whole.own_domains(network) if network else frozenset()
    found = [
        *text_rules.of_spacing(text),
        *(reported for raw in raws for reported in single.of_entry(raw, audience, own)),
    ]
    listed = whole.Listed(_tokens(raws), audience, network)
    found += whole.of_list(listed) if has_proxy else ()
    found += text_rules.of_length(text, audience, max_length)
    return sorted(found, key=lambda reported: reported.rule)


def lint_for(text: str, audience: Audience, networks: Iterable[ClusterNetwork]) -> list[Problem]:
    """Return what ``text``, beside a proxy, lacks for each cluster.

    The part of ``lint_list`` that depends on clusters.
    """
    listed = whole.Listed(_tokens(_raws(text)), audience, None)
    return [found for network in networks for found in whole.of_cluster(listed.beside(network))]


def _raws(text: str) -> list[str]:
    return [raw for part in text.split(",") if (raw := part.strip())]


def _tokens(raws: Iterable[str]) -> tuple[str, ...]:
    return tuple(entries.bare(token) for raw in raws for token in entries.split(raw))


def fix(
    text: str,
    *,
    audience: Audience = Audience.NODE,
    network: ClusterNetwork | None = None,
    has_proxy: bool = True,
    max_length: int = 0,
) -> str:
    """Return ``text`` with all allowed fixes; what a person has to decide stays.

    Arguments are those of ``lint_list``. A list that may hold a password stays as it is: which part is unknown.
    """
    if entries.may_hold_a_credential(text):
        return text
    if entries.normalise([text]) == ("*",):
        return "*"
    written = entries.split(text)
    listed = whole.Listed(written, audience, network)
    normalised = whole.Listed(entries.normalise([text]), audience, network)
    undue = whole.needless_twins(written, normalised)
    undue |= {name.rstrip(".") for name in written if whole.is_rooted_beside_its_name(name, listed)}
    undue = undue.difference(written)
    kept = [
        entry
        for entry in entries.normalise([text])
        if not (entry in undue or entries.holds_every_address(entry))
    ]
    if audience is Audience.POD:
        kept = [entry for entry in kept if not entries.breaks_clients(entry)]
    if not has_proxy:
        return ",".join(kept)
    if not kept:
        return join(compose((), (network,) if network else (), Policy(), audience))
    found = _completed(tuple(kept), audience, network)
    too_long = any(text_rules.of_length(",".join(found), audience, max_length))
    return ",".join(whole.without_covered(found) if too_long else found)


def _completed(
    found: tuple[str, ...], audience: Audience, network: ClusterNetwork | None
) -> tuple[str, ...]:
    """Return the list with its missing entries at the end, each name of the cluster in both forms."""
    lacks = [lack.entry for lack in whole.lacking(whole.Listed(found, audience, network))]
    domain = model.CLUSTER_DOMAIN
    if network and network.service_domain:
        domain = network.service_domain.value.strip(".").lower()
    with_twins: dict[str, None] = {}
    for entry in (*found, *lacks):
        with_twins[entry] = None
        if entry.removeprefix(".") in entries.CLUSTER_NAMES | {domain}:
            with_twins |= dict.fromkeys((entry.removeprefix("."), f".{entry.removeprefix('.')}"))
    return tuple(with_twins)
