"""Overrides that fit nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from krm_fn.config import OverrideSubject, ProxyConfig
from krm_fn.krm.results import Result


def unused_overrides(config: ProxyConfig, subjects: Iterable[OverrideSubject]) -> Iterator[Result]:
    """Yield a finding for each override that fits none of the places.

    It may be meant: a table of regions serves many lists. It is a warning where it names Clusters, there are Clusters,
    and none of all overrides fits.
    """
    distinct = set(subjects)
    if not distinct:
        return
    unused = [
        (at, override.match)
        for at, override in enumerate(config.overrides)
        if not any(map(override.match.fits, distinct))
    ]
    has_clusters = any(subject.cluster is not None for subject in distinct)
    is_none_used = has_clusters and len(unused) == len(config.overrides)
    for at, match in unused:
        names_clusters = match.clusters or match.namespaces or match.labels
        is_mistake = is_none_used and bool(names_clusters)
        advice = ": correct it, or remove the entry" if is_mistake else ""
        yield Result.of(
            "SettingUnused",
            f"`spec.overrides[{at}].match` fits nothing in this list{advice}",
            is_info=not is_mistake,
        )
