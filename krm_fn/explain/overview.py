"""Who gets which proxy, at one look: Clusters, their parts, and the proxy of each.

Clusters with equal answers are one group, so that 200 Clusters with one proxy are one line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from krm_fn.explain.answers import RULE, Answer, ClusterPart
from krm_fn.noproxy import Audience
from krm_fn.targets import TARGETS

_Urls = tuple[str, str]
_Found = tuple[str, _Urls, list[Answer]]
"""The name of a part of one Cluster, a proxy, and the places where that part gets it."""
_PARTS_OF = {
    Audience.NODE: "nodes",
    Audience.POD: "workloads",
    Audience.GO: "workloads",
    Audience.PRODUCT: "products",
    Audience.TKG: "products",
}
_ORDER = ("control plane", "workers", "worker", "nodes", "products", "workloads")


@dataclass(frozen=True)
class OverviewLine:
    """Parts of Clusters that get one proxy: its URLs for ``http://`` and ``https://`` without credentials."""

    parts: tuple[str, ...]
    http_proxy: str
    https_proxy: str
    places: int


@dataclass(frozen=True)
class ClusterGroup:
    """Clusters whose parts get the same proxies; ``clusters`` is empty for objects of no known Cluster."""

    clusters: tuple[str, ...]
    lines: tuple[OverviewLine, ...]


def overview(answers: Iterable[Answer]) -> list[ClusterGroup]:
    """Return the groups, in the order in which their first Cluster is met."""
    of_clusters: dict[str, dict[ClusterPart, dict[_Urls, list[Answer]]]] = {}
    for answer in answers:
        for cluster in answer.clusters or ("",):
            parts = of_clusters.setdefault(cluster, {})
            for part in _parts(answer):
                parts.setdefault(part, {}).setdefault(answer.resolved.urls, []).append(answer)
    groups: dict[object, dict[str, list[_Found]]] = {}
    for cluster, by_part in of_clusters.items():
        found = sorted(_settled(by_part), key=lambda one: _rank(one[0]))
        signature = tuple((part, urls) for part, urls, _ in found)
        groups.setdefault((bool(cluster), signature), {})[cluster] = found
    return [_group(members) for members in groups.values()]


def _parts(answer: Answer) -> tuple[ClusterPart, ...]:
    if answer.parts:
        return answer.parts
    if answer.is_of_class:
        return (ClusterPart("nodes of a ClusterClass"),)
    sets_up_nodes = TARGETS[answer.place.target].node_update is not None
    return (ClusterPart("nodes" if sets_up_nodes else _PARTS_OF[answer.audience]),)


def _settled(
    by_part: Mapping[ClusterPart, Mapping[_Urls, list[Answer]]],
) -> Iterator[_Found]:
    """Yield the parts by their names: groups of workers as one, where all of them get the same proxy."""
    workers = {part: urls for part, urls in by_part.items() if part.kind == "worker"}
    proxies = {url for urls in workers.values() for url in urls}
    if len(proxies) == 1:
        (urls,) = proxies
        yield "workers", urls, [one for of_part in workers.values() for one in of_part[urls]]
        workers = {}
    for part, found in by_part.items():
        if part.kind == "worker" and part not in workers:
            continue
        name = f"rule {part.name}" if part.kind == RULE else str(part)
        for urls, answers in found.items():
            yield name, urls, answers


def _rank(part: str) -> tuple[int, str]:
    for rank, name in enumerate(_ORDER):
        if part.startswith(name):
            return rank, part
    return len(_ORDER), part


def _group(members: Mapping[str, list[_Found]]) -> ClusterGroup:
    lines: dict[_Urls, tuple[list[str], set[tuple[str, ...]], _Urls]] = {}
    for found in members.values():
        for part, urls, answers in found:
            parts, identities, _ = lines.setdefault(urls, ([], set(), answers[0].shown_urls))
            if part not in parts:
                parts.append(part)
            identities.update(one.identity for one in answers)
    return ClusterGroup(
        tuple(filter(None, members)),
        tuple(
            OverviewLine(tuple(parts), *shown, len(identities))
            for parts, identities, shown in lines.values()
        ),
    )
