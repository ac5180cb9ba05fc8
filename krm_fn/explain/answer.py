"""One answer as data: who gets which proxy, why, what changes, and what is left.

Everything in it is plain and without a credential; ``dataclasses.asdict`` is what `--output json` prints.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from krm_fn.explain.clusters import ClusterAnswer, clusters_about, clusters_of
from krm_fn.explain.covered import Covered, covered
from krm_fn.explain.grants import Proxy, grants_of, proxies_of
from krm_fn.explain.nodes import NodeChange, cluster_name, node_changes
from krm_fn.krm.codes import Severity
from krm_fn.krm.results import ObjectRef, Result, by_importance
from krm_fn.light_typing import Any
from krm_fn.lint.compared import Compared
from krm_fn.pipeline import Comparison
from krm_fn.plan import ObjectSource


@dataclass(frozen=True)
class Explanation:
    """The whole answer; ``summary`` is one sentence."""

    summary: str
    clusters: tuple[ClusterAnswer, ...]
    covered: tuple[Covered, ...]
    nodes: tuple[NodeChange, ...]
    findings: tuple[dict[str, Any], ...]
    proxies: tuple[Proxy, ...]
    results: tuple[Result, ...] = field(repr=False, default=())
    silenced: int = 0


def explain(comparison: Comparison, source: ObjectSource, only: Sequence[str] = ()) -> Explanation:
    """Return the explanation of a run.

    Args:
        comparison: what the run found out.
        source: the objects of the list.
        only: the names of the Clusters that are explained; empty for all.
    """
    belonging = _belonging(comparison.compared)
    if only:
        comparison = _about(comparison, belonging, only)
    grants = [grant for record in comparison.compared for grant in grants_of(record)]
    nodes = node_changes([*comparison.results, *comparison.silenced], comparison.compared)
    clusters = clusters_of(comparison, grants, nodes, belonging)
    if only:
        clusters = [cluster for cluster in clusters if is_one_of(cluster.name, only)]
    rows = covered(comparison.compared, source)
    results = by_importance(
        result for result in comparison.results if result.severity is not Severity.INFO
    )
    return Explanation(
        summary=_summary(clusters, nodes, rows),
        clusters=tuple(clusters),
        covered=tuple(rows),
        nodes=tuple(nodes),
        findings=tuple(result.to_data() for result in results),
        proxies=tuple(proxies_of(grants)),
        results=tuple(results),
        silenced=len(comparison.silenced),
    )


def is_one_of(name: str, only: Sequence[str]) -> bool:
    """Return whether a Cluster, ``namespace/name``, is one that somebody names, with or without its namespace."""
    return name in only or name.rpartition("/")[2] in only


def _about(
    comparison: Comparison, belonging: Mapping[ObjectRef, set[str]], only: Sequence[str]
) -> Comparison:
    """Return what is about some Clusters, and about none."""

    def is_about(names: set[str]) -> bool:
        return not names or any(is_one_of(name, only) for name in names)

    compared, results = comparison.compared, comparison.results
    return comparison._replace(
        compared=[record for record in compared if is_about(belonging.get(record.obj.ref, set()))],
        results=[result for result in results if is_about(clusters_about(result, belonging))],
    )


def _belonging(compared: Iterable[Compared]) -> dict[ObjectRef, set[str]]:
    """Return the names of the Clusters of each object that was looked at."""
    belonging: dict[ObjectRef, set[str]] = {}
    for record in compared:
        for membership in record.place.memberships:
            for ref in (record.obj.ref, membership.cluster.ref):
                belonging.setdefault(ref, set()).add(cluster_name(membership))
    return belonging


def _summary(
    clusters: Sequence[ClusterAnswer], nodes: Sequence[NodeChange], rows: Sequence[Covered]
) -> str:
    """Return one sentence: how many Clusters get which proxy, what is replaced, and what is left."""
    phrases = []
    served = [cluster for cluster in clusters if cluster.proxies]
    urls = list(dict.fromkeys(url for cluster in served for url in cluster.proxies.values()))
    if clusters:
        which = f"the proxy {urls[0]}" if len(urls) == 1 else f"one of {len(urls)} proxies"
        get = "gets" if len(served) == 1 else "get"
        number = f"{len(served)} of {_counted(len(clusters), 'cluster')}"
        phrases.append(f"{number} {get} {which}" if urls else "no cluster gets a proxy")
    changed = sum(row.changed for row in rows)
    phrases.append(f"a run changes {_counted(changed, 'object') if changed else 'nothing'}")
    replaced = {name for change in nodes if change.is_replaced for name in change.clusters}
    if replaced:
        phrases.append(f"merging replaces nodes of {_counted(len(replaced), 'cluster')}")
    for row in rows:
        if row.left and row.system in ("workloads", "charts"):
            phrases.append(f"{row.left} of {row.found} {row.system} stay without")  # noqa: PERF401
    sentence = "; ".join(phrases)
    return f"{sentence[:1].upper()}{sentence[1:]}."


def _counted(number: int, name: str) -> str:
    return f"{number} {name}" if number == 1 else f"{number} {name}s"
