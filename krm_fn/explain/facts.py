"""Facts about Clusters that no manifest says: in words for people, and as lines for a ProxyConfig."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from krm_fn.explain.names import distinct, some
from krm_fn.krm.masking import shown_line
from krm_fn.krm.results import Result

_FACTS = {
    "podCIDRs": ("[192.168.0.0/16]", "network of the pods"),
    "serviceCIDRs": ("[10.96.0.0/12]", "network of the services"),
    "endpoint": ("api.corp.example", "address of the control plane"),
    "infrastructure": ("AWS", "infrastructure"),
    "networks": ("[10.20.0.0/24]", "network of the nodes"),
}
"""Field of `spec.clusterDefaults` -> an example of a value, and what it is."""


def lines_of_facts(results: Iterable[Result]) -> list[str]:
    """Return the lines below `spec` that say what is missing, each with its Clusters in a comment.

    Args:
        results: those that say which facts are unknown.
    """
    clusters: defaultdict[str, list[str]] = defaultdict(list)
    for result in results:
        names = [shown_line(name.removeprefix("Cluster/")) for name in result.clusters]
        for fact in result.fact:
            clusters[fact] += names or ["objects of no known Cluster"]
    lines = ["clusterDefaults:"]
    for fact, (example, words) in _FACTS.items():
        if fact in clusters:
            whose = some(distinct(clusters[fact]))
            lines.append(f"  {fact}: {example}   # {words}: {whose}")
    return lines
