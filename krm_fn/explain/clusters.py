"""The Clusters as a table: proxy, what changes, which nodes roll, and what is wrong; equal ones are one row."""

from __future__ import annotations

from dataclasses import dataclass, field

from krm_fn.explain import Explanation
from krm_fn.explain.nodes import NodeChange
from krm_fn.explain.overview import OverviewLine
from krm_fn.explain.without import Without
from krm_fn.krm.results import Severity

_NO_CLUSTER = ""


@dataclass(frozen=True)
class ClusterRow:
    """Clusters about which the table says the same.

    Attributes:
        clusters: their names; empty for objects without a known Cluster.
        lines: the proxies of their parts; empty where they get nothing.
        changed: how many objects of each of them a run changes.
        objects: how many objects of each of them get a proxy.
        targets: what is written there.
        rolled: which of their nodes new machines replace.
        kept: which of their nodes keep what they have.
        problems: the severities and codes of findings about them.
        without: what of them gets nothing, and why.
    """

    clusters: tuple[str, ...]
    lines: tuple[OverviewLine, ...]
    changed: int
    objects: int
    targets: tuple[str, ...]
    rolled: tuple[str, ...]
    kept: tuple[str, ...]
    problems: tuple[tuple[Severity, str], ...]
    without: tuple[Without, ...]

    @property
    def has_error(self) -> bool:
        """Whether an error is among what is wrong."""
        return any(severity is Severity.ERROR for severity, _ in self.problems)


@dataclass
class _Facts:
    """What is known of one Cluster, while the rows are put together."""

    objects: dict[tuple[str, str], bool] = field(default_factory=dict)
    targets: dict[str, None] = field(default_factory=dict)
    rolled: dict[str, None] = field(default_factory=dict)
    kept: dict[str, None] = field(default_factory=dict)
    problems: dict[tuple[Severity, str], None] = field(default_factory=dict)
    without: list[Without] = field(default_factory=list)


def cluster_rows(explanation: Explanation) -> list[ClusterRow]:
    """Return the rows: first what gets nothing, then Clusters of which a part gets nothing, then those with errors."""
    facts = _facts(explanation)
    rows: dict[object, ClusterRow] = {}
    settled = set()
    for number, group in enumerate(explanation.overview):
        for cluster in group.clusters or (_NO_CLUSTER,):
            settled.add(cluster)
            _add(rows, number, cluster, group.lines, facts.get(cluster, _Facts()))
    for cluster, found in facts.items():
        if found.without and cluster not in settled:
            _add(rows, None, cluster, (), found)
    for one in explanation.without:
        if not one.cluster:
            _add(rows, None, _NO_CLUSTER, (), _Facts(without=[one]))
    return sorted(rows.values(), key=_rank)


def _facts(explanation: Explanation) -> dict[str, _Facts]:
    """Return Cluster -> what is known of it; objects without a Cluster are those of the name ""."""
    facts: dict[str, _Facts] = {}
    for answer in explanation.answers:
        place = answer.place
        for cluster in answer.clusters or (_NO_CLUSTER,):
            found = facts.setdefault(cluster, _Facts())
            key = (place.file, place.object)
            found.objects[key] = found.objects.get(key, False) or answer.is_changed
            found.targets[place.target] = None
    for change in explanation.nodes:
        for cluster in change.clusters or (_NO_CLUSTER,):
            found = facts.setdefault(cluster, _Facts())
            (found.rolled if change.is_rolled else found.kept).update(_kinds(change))
    for result in explanation.findings:
        for cluster in explanation.concerned.of_object(result) or ():
            if cluster in facts:
                facts[cluster].problems[result.severity, result.code] = None
    for one in explanation.without:
        if one.cluster:
            facts.setdefault(one.cluster, _Facts()).without.append(one)
    return facts


def _kinds(change: NodeChange) -> dict[str, None]:
    """Return which nodes they are, groups of workers as one, in order."""
    kinds = [f"{part.kind}s" if part.kind == "worker" else part.kind for part in change.parts]
    return dict.fromkeys(kinds or ["nodes"])


def _add(
    rows: dict[object, ClusterRow],
    number: int | None,
    cluster: str,
    lines: tuple[OverviewLine, ...],
    facts: _Facts,
) -> None:
    reasons = tuple(one.code or one.why for one in facts.without)
    changed = sum(facts.objects.values())
    key = (
        number,
        changed,
        len(facts.objects),
        *(tuple(known) for known in (facts.targets, facts.rolled, facts.kept, facts.problems)),
        reasons,
    )
    names = (cluster,) if cluster else ()
    known = rows.get(key)
    if known is not None:
        names = (*known.clusters, *names)
    rows[key] = ClusterRow(
        names,
        lines,
        changed,
        len(facts.objects),
        tuple(facts.targets),
        tuple(facts.rolled),
        tuple(facts.kept),
        tuple(facts.problems),
        (*(known.without if known else ()), *facts.without),
    )


def _rank(row: ClusterRow) -> int:
    if row.without:
        return 0 if not row.lines else 1
    return 2 if row.has_error else 3
