"""Say of each Cluster which proxies it gets, and which of its nodes get none, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from krm_fn.clusters import Membership
from krm_fn.explain.cluster_names import NamesOfClusters, cluster_name
from krm_fn.explain.grants import Grant
from krm_fn.krm.masking import redact
from krm_fn.krm.results import Result
from krm_fn.pipeline.outcome import Outcome
from krm_fn.plan.items import is_selected
from krm_fn.settings import declared_urls

# The codes of results about nodes that are left without a proxy.
_NOTHING = ("NodesWithoutProxy", "ClassPatchErases")


@dataclass
class ClusterAnswer:
    """The proxies of one Cluster.

    Attributes:
        name: ``namespace/name``.
        proxies: its parts -> their proxy.
        left: a line for each part that gets no proxy, with the reason.
    """

    name: str
    proxies: dict[str, str] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)


def answer_clusters(
    outcome: Outcome,
    grants: Sequence[Grant],
    belonging: NamesOfClusters,
) -> list[ClusterAnswer]:
    """Return an answer for each Cluster; first those of which a part gets no proxy.

    Args:
        outcome: that of a run.
        grants: who gets which proxy.
        belonging: object -> the names of its Clusters.
    """
    answers: dict[str, ClusterAnswer] = {}
    for grant in grants:
        for name in grant.clusters:
            proxies = answers.setdefault(name, ClusterAnswer(name)).proxies
            http_proxy, https_proxy = grant.urls
            url = http_proxy or https_proxy or "no proxy"
            for part in grant.parts or (grant.readers,):
                # groups of workers that get the same proxy are one part
                kind = "workers" if part.startswith("worker") else part
                if proxies.setdefault(kind, url) != url:
                    proxies[part] = url
    reasons = _why_nothing(outcome)
    for name in reasons:
        answers.setdefault(name, ClusterAnswer(name))
    for result in (*outcome.found, *outcome.hidden):
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


def clusters_about(result: Result, belonging: NamesOfClusters) -> set[str]:
    """Return the names of the Clusters of the object of a result, and of those that the result names."""
    names = {redact(name.removeprefix("Cluster/")) for name in result.clusters}
    names |= belonging.get(result.ref, set())
    return names


def _why_nothing(outcome: Outcome) -> dict[str, str]:
    """Return each Cluster of the list -> why it would get no proxy; "" if another system gives it to its nodes."""
    overview = outcome.overview
    served: list[Membership] = []
    for nodes in overview.other_nodes:
        if nodes.system:
            served += nodes.memberships
    for target_record in outcome.targets:
        if target_record.has_list_by_class:
            served += target_record.memberships
    clusters = {membership.cluster.ref for membership in served}
    reasons = {}
    for obj, memberships in overview.clusters:
        why = "no object of the input that a target writes into makes its nodes"
        if obj.ref in clusters or overview.config.is_removal:
            why = ""
        elif not is_selected(obj, overview.config):
            why = "`spec.selector` leaves the Cluster out"
        elif not any(declared_urls(overview.config, memberships, target_id="") or ()):
            why = "no proxy is declared for it, in `spec` or in an override that fits"
        reasons[cluster_name(obj.ref.namespace, obj.ref.name)] = why
    return reasons
