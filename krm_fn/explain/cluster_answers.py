"""What each Cluster gets: its proxies, what changes, which nodes are replaced, and what gets nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from krm_fn.config import Mode
from krm_fn.explain.cluster_names import cluster_name
from krm_fn.explain.grants import READERS, Grant
from krm_fn.krm.masking import redact
from krm_fn.krm.results import ObjectRef, Result
from krm_fn.pipeline.outcome import Comparison
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
        left: what of it gets no proxy, and why.
    """

    name: str
    proxies: dict[str, str] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)


def answer_clusters(
    comparison: Comparison,
    grants: Sequence[Grant],
    belonging: Mapping[ObjectRef, set[str]],
) -> list[ClusterAnswer]:
    """Return what each Cluster gets; first those of which something gets nothing.

    Args:
        comparison: what the run found out.
        grants: who gets which proxy.
        belonging: object -> the names of its Clusters.
    """
    answers: dict[str, ClusterAnswer] = {}
    for grant in grants:
        for name in grant.clusters:
            answer = answers.setdefault(name, ClusterAnswer(name))
            _add_proxy(answer.proxies, grant)
    reasons = _why_nothing(comparison, grants)
    for name in reasons:
        answers.setdefault(name, ClusterAnswer(name))
    for result in (*comparison.results, *comparison.silenced):
        if result.code in _NOTHING:
            why = f"{result.ref}: {redact(result.message)}"
            for name in answers.keys() & clusters_about(result, belonging):
                left = answers[name].left
                if why not in left:
                    left.append(why)
    for name, why in reasons.items():
        answer = answers[name]
        if why and not answer.proxies and not answer.left:
            answer.left.append(why)
    return sorted(answers.values(), key=lambda answer: not answer.left)


def clusters_about(result: Result, belonging: Mapping[ObjectRef, set[str]]) -> set[str]:
    """Return the names of the Clusters of its object, and of those of which it is true as well."""
    names = {redact(name.removeprefix("Cluster/")) for name in result.clusters}
    names |= belonging.get(result.ref, set())
    return names


def _add_proxy(proxies: dict[str, str], grant: Grant) -> None:
    """Add the proxy of each part; groups of workers are one part where all of them get the same."""
    http_proxy, https_proxy = grant.urls
    url = http_proxy or https_proxy or "no proxy"
    for part in grant.parts or (READERS[grant.audience],):
        if proxies.setdefault(_kind(part), url) != url:
            proxies[part] = url


def _kind(part: str) -> str:
    return "workers" if part.startswith("worker") else part


def _why_nothing(comparison: Comparison, grants: Iterable[Grant]) -> dict[str, str]:
    """Return each Cluster of the list -> why it would get no proxy; "" where its nodes have it by something else."""
    overview = comparison.overview
    served: set[ObjectRef] = set()
    for nodes in overview.other_nodes:
        if nodes.system:
            served.update(membership.cluster.ref for membership in nodes.memberships)
    classes = set()
    for grant in grants:
        context = grant.record.place.class_context
        if context:
            classes.add(context.of_class)
    for record in comparison.compared:
        context = record.place.class_context
        if context and context.of_class in classes:
            served.update(membership.cluster.ref for membership in record.place.memberships)
    reasons = {}
    for obj, memberships in overview.clusters:
        why = "no object of the input that a target writes into makes its nodes"
        if obj.ref in served or overview.config is None or overview.config.mode is Mode.REMOVE:
            why = ""
        elif not is_selected(obj, overview.config):
            why = "`spec.selector` leaves the Cluster out"
        elif not any(declared_urls(overview.config, memberships, target="") or ()):
            why = "no proxy is declared for it, in `spec` or in an override that fits"
        name = cluster_name(obj.ref.namespace, obj.ref.name)
        reasons[name] = why
    return reasons
