"""Overrides that fit nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from krm_fn.config import ClusterMatcher, OverrideSubject, ProxyConfig
from krm_fn.krm.results import Result


def unused_overrides(config: ProxyConfig, subjects: Iterable[OverrideSubject]) -> Iterator[Result]:
    """Yield a finding for each override that fits none of the places.

    It may be meant: a table of regions serves many lists. It is a warning where the override is about a Cluster of the
    list, or none of all overrides fits although there are Clusters.
    """
    distinct = set(subjects) if config.overrides else set()
    if not distinct:
        return
    fitting = [any(map(override.match.fits, distinct)) for override in config.overrides]
    for at, override in enumerate(config.overrides):
        if fitting[at]:
            continue
        is_mistake = _is_about(override.match, distinct, is_alone=not any(fitting))
        advice = ": correct it, or remove the entry" if is_mistake else ""
        yield Result.of(
            "SettingUnused",
            f"`spec.overrides[{at}].match` fits nothing in this list{advice}",
            is_info=not is_mistake,
        )


def _is_about(
    match: ClusterMatcher, subjects: Iterable[OverrideSubject], *, is_alone: bool
) -> bool:
    """Return whether a match is about a Cluster of the list, or about nodes where there are any."""
    of_cluster = match._replace(roles=(), worker_groups=(), targets=(), objects=())
    if of_cluster == ClusterMatcher():
        is_about_nodes = bool(match.roles or match.worker_groups)
        return is_about_nodes and any(subject.role or subject.groups for subject in subjects)
    known = [subject for subject in subjects if subject.cluster is not None]
    return any(map(of_cluster.fits, known)) or (is_alone and bool(known))
