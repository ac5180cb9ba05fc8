"""What each Cluster gets: its proxies, what changes, which nodes are replaced, and what gets nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from krm_fn.explain.grants import READERS, Grant
from krm_fn.explain.names import Names, cluster_name, distinct
from krm_fn.explain.nodes import NodeChange
from krm_fn.krm.codes import Severity
from krm_fn.krm.masking import redact
from krm_fn.krm.results import ObjectRef, Result
from krm_fn.light_typing import TypeVar
from krm_fn.pipeline import Comparison
from krm_fn.plan.selection import is_selected
from krm_fn.settings import declared_urls

_NOTHING = ("NodesWithoutProxy", "ClassPatchErases")
"""The codes of what leaves nodes without a proxy."""


@dataclass
class ClusterAnswer:
    """What one Cluster gets.

    Attributes:
        name: ``namespace/name``.
        proxies: its parts -> their proxy.
        replaced: which of its nodes are replaced.
        kept: which of its nodes keep what they have.
        left: what of it gets no proxy, and why.
        codes: the codes of the errors and warnings about it.
    """

    name: str
    proxies: dict[str, str]
    replaced: Names
    kept: Names
    left: Names
    codes: Names


_T = TypeVar("_T")


def clusters_of(
    comparison: Comparison,
    grants: Sequence[Grant],
    nodes: Iterable[NodeChange],
    belonging: Mapping[ObjectRef, set[str]],
) -> list[ClusterAnswer]:
    """Return what each Cluster gets; first those of which something gets nothing.

    Args:
        comparison: what the run found out.
        grants: who gets which proxy.
        nodes: which nodes are replaced.
        belonging: object -> the names of its Clusters.
    """
    by_grant = _by_cluster((grant.clusters, grant) for grant in grants)
    by_change = _by_cluster((change.clusters, change) for change in nodes)
    by_result = _by_cluster(
        (clusters_about(result, belonging), result) for result in comparison.results
    )
    by_silenced = _by_cluster(
        (clusters_about(result, belonging), result) for result in comparison.silenced
    )
    reasons = _why_nothing(comparison, grants)
    answers = []
    for name in dict.fromkeys([*by_grant, *reasons]):
        proxies = _proxies(by_grant[name])
        left = [
            f"{result.ref}: {redact(result.message)}"
            for result in [*by_result[name], *by_silenced[name]]
            if result.code in _NOTHING
        ]
        if not (proxies or left):
            left = [why for why in [reasons.get(name)] if why]
        codes = [result.code for result in by_result[name] if result.severity is not Severity.INFO]
        answers.append(
            ClusterAnswer(
                name=name,
                proxies=proxies,
                replaced=_parts(by_change[name], are_replaced=True),
                kept=_parts(by_change[name], are_replaced=False),
                left=distinct(left),
                codes=distinct(codes),
            )
        )
    return sorted(answers, key=lambda answer: not answer.left)


def _by_cluster(members: Iterable[tuple[Iterable[str], _T]]) -> defaultdict[str, list[_T]]:
    """Return what is about each Cluster, by its name."""
    by_name: defaultdict[str, list[_T]] = defaultdict(list)
    for names, member in members:
        for name in names:
            by_name[name].append(member)
    return by_name


def clusters_about(result: Result, belonging: Mapping[ObjectRef, set[str]]) -> set[str]:
    """Return the names of the Clusters of its object, and of those of which it is true as well."""
    others = {redact(name.removeprefix("Cluster/")) for name in result.clusters}
    return others | belonging.get(result.ref, set())


def _proxies(grants: Iterable[Grant]) -> dict[str, str]:
    """Return the proxy of each part; groups of workers are one part where all of them get the same."""
    proxies: dict[str, str] = {}
    for grant in grants:
        url = grant.urls[0] or grant.urls[1] or "no proxy"
        for part in grant.parts or (READERS[grant.audience],):
            if proxies.setdefault(_kind(part), url) != url:
                proxies[part] = url
    return proxies


def _parts(changes: Iterable[NodeChange], *, are_replaced: bool) -> Names:
    """Return which nodes are replaced, or keep what they have; groups of workers are one part."""
    parts: list[str] = []
    for change in changes:
        if change.is_replaced is are_replaced:
            parts += map(_kind, change.parts or ("nodes",))
    return distinct(parts)


def _kind(part: str) -> str:
    return "workers" if part.startswith("worker") else part


def _why_nothing(comparison: Comparison, grants: Iterable[Grant]) -> dict[str, str]:
    """Return each Cluster of the list -> why it would get no proxy; "" where its nodes have it by something else."""
    overview = comparison.overview
    served = {foreign.cluster.ref for foreign in overview.foreign if foreign.cluster}
    contexts = [grant.record.place.class_context for grant in grants]
    classes = {context.of_class for context in contexts if context}
    for record in comparison.compared:
        context = record.place.class_context
        if context and context.of_class in classes:
            served.update(membership.cluster.ref for membership in record.place.memberships)
    reasons = {}
    for obj, memberships in overview.clusters:
        why = "no object of the input that a target writes into makes its nodes"
        if obj.ref in served or overview.config is None:
            why = ""
        elif not is_selected(obj, overview.config):
            why = "`spec.selector` leaves the Cluster out"
        elif not any(declared_urls(overview.config, memberships, target="") or ()):
            why = "no proxy is declared for it, in `spec` or in an override that fits"
        reasons[cluster_name(obj.ref.namespace, obj.ref.name)] = why
    return reasons
