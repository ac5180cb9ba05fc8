"""Who gets which proxy, why each entry of NO_PROXY is there, and which programs honour it.

It shows what a run would do and changes nothing; what it shows holds no credential.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from krm_fn.explain.answers import Answer, answers, changed_places, is_one_of
from krm_fn.explain.blocks import Block, blocks, readers_of, rows_of, shown
from krm_fn.explain.concerned import ConcernedClusters
from krm_fn.explain.difference import Difference, ProxyChange, difference
from krm_fn.explain.hosts import Row
from krm_fn.explain.nodes import NodeChange, node_changes
from krm_fn.explain.overview import ClusterGroup, overview
from krm_fn.explain.without import Without, without_proxy
from krm_fn.krm.results import Result, Severity
from krm_fn.light_typing import Any
from krm_fn.noproxy.clients import CLIENTS
from krm_fn.plan import Overview, PlannedEdit

__all__ = [
    "Block",
    "ClusterGroup",
    "Difference",
    "Explanation",
    "NodeChange",
    "compare",
    "explain",
    "to_data",
]


@dataclass(frozen=True)
class Explanation:
    """What a run with a ProxyConfig does, or what another ProxyConfig changes.

    Attributes:
        answers: what each place gets.
        concerned: tells which Clusters a finding is about.
        nodes: which nodes are rolled, and which are not.
        findings: errors and warnings of the run.
        difference: what changes from another ProxyConfig to this one; None where one alone is explained.
        clusters: the names of all Clusters that get something, also of those that are not asked for.
        without: what gets nothing.
        silenced: how many findings somebody silences in one place.
    """

    answers: tuple[Answer, ...]
    concerned: ConcernedClusters = field(repr=False)
    nodes: tuple[NodeChange, ...] = ()
    findings: tuple[Result, ...] = ()
    difference: Difference | None = None
    clusters: tuple[str, ...] = field(default=(), repr=False)
    without: tuple[Without, ...] = ()
    silenced: int = 0

    @property
    def overview(self) -> list[ClusterGroup]:
        """The Clusters and the proxies of their parts."""
        return overview(self.answers)

    @property
    def blocks(self) -> list[Block]:
        """The answers, equal ones as one block."""
        return blocks(self.answers)


def explain(
    places: Iterable[PlannedEdit],
    results: Sequence[Result],
    asked: Sequence[str] = (),
    of_nodes: Sequence[Result] | None = None,
    overview_of_plan: Overview | None = None,
) -> Explanation:
    """Return the explanation of a run.

    Args:
        places: its plan, of a list that is not changed yet.
        results: its results.
        asked: names of Clusters, with or without their namespace, that are explained; empty for all.
        of_nodes: its results as they are without `spec.lint.rules`, which silence what is said of nodes; None where
            they are the same.
        overview_of_plan: what the plan has seen besides its places.
    """
    planned = list(places)
    found = list(answers(planned, changed_places(results)))
    unsilenced = results if of_nodes is None else of_nodes
    nodes = node_changes(unsilenced, planned)
    written = {answer.place for answer in found}
    without = list(without_proxy(planned, overview_of_plan or Overview(), unsilenced, written))
    findings = [one for one in results if one.severity is not Severity.INFO]
    known = tuple(dict.fromkeys(name for answer in found for name in answer.clusters))
    concerned = ConcernedClusters(planned, overview_of_plan or Overview())
    if asked:
        found = [answer for answer in found if _is_about(answer.clusters, asked)]
        nodes = [change for change in nodes if _is_about(change.clusters, asked)]
        findings = list(_about(findings, concerned, asked))
        without = [one for one in without if is_one_of(one.cluster, asked)]
    return Explanation(
        tuple(found),
        concerned,
        tuple(nodes),
        tuple(findings),
        clusters=known,
        without=tuple(without),
    )


def compare(old: Explanation, new: Explanation) -> Explanation:
    """Return what changes from one explanation to another one of the same objects, with the nodes of the second."""
    return replace(new, difference=difference(old.answers, new.answers))


def _is_about(clusters: Iterable[str], asked: Sequence[str]) -> bool:
    return any(is_one_of(name, asked) for name in clusters)


def _about(
    findings: Iterable[Result], concerned: ConcernedClusters, asked: Sequence[str]
) -> Iterator[Result]:
    """Yield the findings about the Clusters that are asked for; one about the ProxyConfig is about all of them."""
    for one in findings:
        clusters = concerned.of(one)
        if clusters is None or _is_about(clusters, asked):
            yield one


def to_data(explanation: Explanation) -> dict[str, Any]:
    """Return an explanation as plain data, for ``--output json``; the keys are part of the interface."""
    data: dict[str, Any] = {}
    if explanation.difference is not None:
        data["changes"] = [_change_data(change) for change in explanation.difference.changes]
        data["unchanged"] = explanation.difference.unchanged
    else:
        data["consumers"] = [{"id": one.ID, "name": one.NAME} for one in CLIENTS.values()]
        data["without"] = [
            {"cluster": one.cluster, "object": one.object, "file": one.file, "why": one.why}
            for one in explanation.without
        ]
        data["overview"] = [_group_data(group) for group in explanation.overview]
        data["sections"] = _sections(explanation.answers)
    data["nodes"] = [_node_data(change) for change in explanation.nodes]
    data["findings"] = [result.to_data() for result in explanation.findings]
    return data


def _group_data(group: ClusterGroup) -> dict[str, Any]:
    return {
        "clusters": list(group.clusters),
        "proxies": [
            {
                "roles": list(line.parts),
                "httpProxy": line.http_proxy,
                "httpsProxy": line.https_proxy,
                "places": line.places,
            }
            for line in group.lines
        ],
    }


def _sections(found: Iterable[Answer]) -> list[dict[str, Any]]:
    """Return the answers; those that are equal and for the same parts of the same Clusters are one section."""
    grouped: dict[object, list[Answer]] = {}
    for answer in found:
        resolved = answer.resolved
        roles = tuple(dict.fromkeys(part.kind for part in answer.parts))
        key = (answer.clusters, roles, answer.audience, resolved.settings, resolved.entries)
        grouped.setdefault(key, []).append(answer)
    return [_section_data(members) for members in grouped.values()]


def _section_data(members: Sequence[Answer]) -> dict[str, Any]:
    first = members[0]
    http_proxy, https_proxy = first.shown_urls
    is_judged = not first.audience.completes_the_list and bool(http_proxy or https_proxy)
    places = dict.fromkeys(one.place for one in members)
    hosts = rows_of(first) if is_judged else ()
    return {
        "clusters": list(first.clusters),
        "roles": list(dict.fromkeys(str(part) for one in members for part in one.parts)),
        "consumer": first.audience.value,
        "httpProxy": http_proxy,
        "httpsProxy": https_proxy,
        "noProxy": [
            {"entry": entry.text, "why": list(entry.why)} for entry in shown(first.resolved.entries)
        ],
        "places": [
            {"object": place.object, "target": place.target, "file": place.file} for place in places
        ],
        "hosts": [_row_data(row, first) for row in hosts],
    }


def _row_data(row: Row, answer: Answer) -> dict[str, Any]:
    readers = readers_of(answer.audience)
    words = {True: "direct", False: "proxy", None: "breaks"}
    return {
        "host": row.host.name,
        "port": row.host.port,
        "what": row.host.what,
        "verdicts": {
            reader: words[verdict] for reader, verdict in zip(readers, row.verdicts, strict=True)
        },
    }


def _node_data(change: NodeChange) -> dict[str, Any]:
    return {
        "clusters": list(change.clusters),
        "roles": list(map(str, change.parts)),
        "object": change.object,
        "file": change.file,
        "rolled": change.is_rolled,
        "why": change.why,
    }


def _change_data(change: ProxyChange) -> dict[str, Any]:
    def urls(pair: tuple[str, str] | None) -> dict[str, str] | None:
        return None if pair is None else {"httpProxy": pair[0], "httpsProxy": pair[1]}

    return {
        "clusters": list(change.clusters),
        "roles": list(map(str, change.parts)),
        "before": urls(change.before),
        "after": urls(change.after),
        "otherPassword": any(change.has_other_password),
        "noProxy": {"added": list(change.added), "removed": list(change.removed)},
        "places": change.places,
    }
