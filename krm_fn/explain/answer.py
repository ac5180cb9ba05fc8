"""Collect one answer as data: who gets which proxy, why, the changes of a run, and all that is left.

Everything in it is plain and without a credential; `--output json` prints its ``dataclasses.asdict``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from krm_fn.errors import UsageError
from krm_fn.explain.cluster_answers import ClusterAnswer, answer_clusters, clusters_about
from krm_fn.explain.cluster_names import NamesOfClusters, cluster_names
from krm_fn.explain.grants import Proxy, join_proxies, read_grants
from krm_fn.explain.node_changes import NodeChange, node_changes
from krm_fn.explain.object_answers import answer_about
from krm_fn.krm.masking import redact
from krm_fn.krm.resourcelist import Object, ObjectSource
from krm_fn.krm.results import ObjectRef, Result, by_importance, count, severe, some
from krm_fn.near_names import did_you_mean
from krm_fn.pipeline.covered import Covered, covered
from krm_fn.pipeline.outcome import Outcome
from krm_fn.products.cluster_api import CLUSTER


@dataclass(frozen=True)
class Explanation:
    """The whole answer; ``summary`` is one sentence, ``objects`` has lines about single objects."""

    summary: str
    objects: dict[str, list[str]]
    clusters: list[ClusterAnswer]
    covered: list[Covered]
    nodes: list[NodeChange]
    findings: list[Result]
    proxies: list[Proxy]
    silenced: int


def explain(
    outcome: Outcome,
    source: ObjectSource,
    only: Sequence[str],
    objects: Sequence[Object],
    *,
    named: bool,
) -> Explanation:
    """Return the explanation of a run, or of some Clusters and objects.

    Args:
        outcome: that of that run.
        source: the objects of the list.
        only: the names of the Clusters that are explained; empty for all, if there are no ``objects``.
        objects: those that are explained; of a Cluster all that belongs to it.
        named: whether the table of covered objects has their names.

    Raises:
        UsageError: there is no Cluster of such a name.
    """
    belonging = _belonging(outcome)
    grants = [grant for target_record in outcome.targets for grant in read_grants(target_record)]
    nodes = node_changes([*outcome.found, *outcome.hidden], outcome.targets)
    clusters = answer_clusters(outcome, grants, belonging)
    chosen = _chosen(only, [cluster.name for cluster in clusters])
    answers = {}
    for obj in objects:
        answers[redact(str(obj.ref))] = redact([*answer_about(obj, outcome)])
        if obj.group_kind == CLUSTER:
            chosen |= belonging[obj.ref]
    is_whole = not (chosen or answers)

    def is_about(name: str, names: Collection[str]) -> bool:
        """Return whether an object is explained, or a Cluster of some names."""
        return is_whole or name in answers or not chosen.isdisjoint(names)

    findings = [
        result
        for result in by_importance(severe(outcome.found))
        if is_about(redact(str(result.ref)), clusters_about(result, belonging))
    ]
    clusters = [cluster for cluster in clusters if is_about("", [cluster.name])]
    nodes = [change for change in nodes if is_about(change.object, change.clusters)]
    grants = [grant for grant in grants if is_about(grant.object, grant.clusters)]
    rows = []
    summary = f"Only {some([*answers] or [*chosen])} is explained."
    if is_whole:
        rows = covered(outcome, source, named=named)
        summary = _summary(clusters, nodes, rows)
    return Explanation(
        summary=summary,
        objects=answers,
        clusters=clusters,
        covered=rows,
        nodes=nodes,
        findings=findings,
        proxies=join_proxies(grants),
        silenced=len(outcome.hidden),
    )


def _chosen(only: Iterable[str], known: Sequence[str]) -> set[str]:
    """Return the full names of some Clusters, which can be named without their namespace, too."""
    chosen: set[str] = set()
    for name in only:
        named = [full_name for full_name in known if f"/{full_name}".endswith(f"/{name}")]
        if not named:
            advice = did_you_mean(name, known) or f"; known are: {some(known) or 'none'}"
            raise UsageError(f'there is no Cluster "{name}"{advice}')
        chosen.update(named)
    return chosen


def _belonging(outcome: Outcome) -> NamesOfClusters:
    """Return the names of the Clusters of each object that was looked at."""
    belonging: defaultdict[ObjectRef, set[str]] = defaultdict(set)
    for record in outcome.overview.records:
        belonging[record.obj.ref].update(cluster_names(record.memberships))
        for membership in record.memberships:
            belonging[membership.cluster.ref].update(cluster_names([membership]))
    return belonging


def _summary(
    clusters: Iterable[ClusterAnswer], nodes: Iterable[NodeChange], rows: Sequence[Covered]
) -> str:
    """Return one sentence: how many objects have the proxy, change, and are left, and whose nodes are replaced."""
    found = sum(row.found for row in rows)
    if not found:
        return "No object could carry a proxy."
    same = sum(row.have for row in rows)
    changed = sum(row.changed for row in rows)
    of_all = f"of {found} objects that can hold a proxy"
    phrases = [f"a run changes {changed or 'none'} {of_all}"]
    if same:
        phrases = [f"{same} {of_all} have it", f"a run changes {changed or 'nothing'}"]
    systems = [f"{row.system} {row.left}" for row in rows if row.left]
    if systems:
        left = found - same - changed
        verb = "is" if left == 1 else "are"
        phrases.append(f"{left} {verb} left: {', '.join(systems)}")
    without = [cluster for cluster in clusters if cluster.left]
    if without:
        phrases.append(f"nodes of {count(len(without), 'cluster')} get no proxy")
    replaced: set[str] = set()
    kept: set[str] = set()
    for change in nodes:
        (replaced if change.is_replaced else kept).update(change.clusters)
    if replaced:
        phrases.append(f"merging replaces nodes of {count(len(replaced), 'cluster')}")
    if kept:
        phrases.append(f"some nodes of {count(len(kept), 'cluster')} keep what they have")
    sentence = "; ".join(phrases)
    return f"{sentence[:1].upper()}{sentence[1:]}."
