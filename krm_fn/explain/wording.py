"""The phrases that the forms of an explanation share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from krm_fn.explain.answers import RULE, ClusterPart, WrittenPlace
from krm_fn.explain.blocks import Block
from krm_fn.explain.difference import ProxyChange
from krm_fn.explain.nodes import NodeChange
from krm_fn.explain.without import Without
from krm_fn.krm.results import Result, by_importance
from krm_fn.noproxy import Audience

READERS = {
    Audience.NODE: "nodes",
    Audience.POD: "pods",
    Audience.GO: "Go programs in pods",
    Audience.TKG: "stored configuration of TKG",
    Audience.PRODUCT: "products",
}
COMPLETED = {
    Audience.TKG: "TKG adds to this list what a cluster needs itself.",
    Audience.PRODUCT: "These products add to this list what a cluster needs themselves.",
}
"""Why the list of some readers holds little."""
OF_CLASS = "nodes that Cluster API makes from a ClusterClass"
NO_CLUSTER = "objects without a known Cluster"
NOTHING = (
    "no object in the input gets a proxy: none is one that a target writes into, `spec.selector` leaves it out, or "
    "`--cluster` names another Cluster"
)
NO_PROXY_SET = "no proxy"
_FEW = 3
_MANY = {"control plane": "control planes", "worker": "groups of workers", RULE: "rules"}


def some(names: Sequence[str], *, every: bool = False) -> str:
    """Return names in one phrase: the first few and the number of the others, or every one."""
    if every or len(names) <= _FEW + 1:
        return ", ".join(names)
    return f"{', '.join(names[:_FEW])} and {len(names) - _FEW} more"


def proxies(http_proxy: str, https_proxy: str) -> str:
    """Return the proxies of a place in one phrase."""
    if http_proxy == https_proxy:
        return http_proxy or NO_PROXY_SET
    if not https_proxy:
        return f"{http_proxy} (http:// only)"
    if not http_proxy:
        return f"{https_proxy} (https:// only)"
    return f"{http_proxy} (http://), {https_proxy} (https://)"


def owner(block: Block, cluster: str) -> str:
    """Return for whom entries are that not all lists of a block hold."""
    if cluster or not block.is_of_class:
        return cluster or NO_CLUSTER
    return "the class, in which Cluster API puts the values of each Cluster"


def without(found: Iterable[Without], *, every: bool = False) -> Iterator[str]:
    """Yield a line for each reason why something gets nothing."""
    by_reason: dict[str, list[str]] = {}
    for one in found:
        by_reason.setdefault(one.why, []).append(one.title)
    for why, names in by_reason.items():
        yield f"{some(names, every=every)}: {why}"


def parts(found: Iterable[ClusterPart]) -> str:
    """Return parts of Clusters in one phrase; of many groups of workers only their number."""
    by_kind: dict[str, list[str]] = {}
    for part in dict.fromkeys(found):
        by_kind.setdefault(part.kind, []).append(str(part))
    phrases = []
    for kind, names in by_kind.items():
        if len(names) <= _FEW:
            phrases += names
        else:
            phrases.append(f"{len(names)} {_MANY[kind]}")
    return ", ".join(phrases)


def counted(number: int, name: str, plural: str = "") -> str:
    """Return a number of things by their name."""
    if number == 1:
        return f"1 {name}"
    return f"{number} {plural or name + 's'}"


def number_of_places(number: int) -> str:
    """Return how many places there are."""
    return counted(number, "place")


def heading(block: Block) -> str:
    """Return the title of a block: who reads the list, in which Clusters, which parts of them."""
    readers = OF_CLASS if block.is_of_class else READERS[block.audience]
    return _title(readers, block.clusters, block.parts, is_of_class=block.is_of_class)


def of_change(change: ProxyChange) -> str:
    """Return the title of a change: who reads the list, in which Clusters, which parts of them."""
    readers = " and ".join(READERS[one] for one in change.audiences)
    return _title(readers, change.clusters, change.parts)


def _title(
    readers: str,
    clusters: Sequence[str],
    found: Sequence[ClusterPart],
    *,
    is_of_class: bool = False,
) -> str:
    title = readers[:1].upper() + readers[1:]
    if clusters:
        title += f" of {some(clusters)}"
    elif not is_of_class:
        title += " without a known Cluster"
    return f"{title} ({parts(found)})" if found else title


def urls_before_and_after(change: ProxyChange) -> list[tuple[str, str, str]]:
    """Return variable, old and new value of the proxies that change."""
    before, after = change.before or ("", ""), change.after or ("", "")
    found = []
    for at, name in enumerate(("HTTP_PROXY", "HTTPS_PROXY")):
        old, new = before[at] or "(not set)", after[at] or "(not set)"
        if old != new:
            found.append((name, old, new))
        elif change.has_other_password[at]:
            found.append((name, old, f"{new} (another password)"))
    return found


def objects_of(places: Iterable[WrittenPlace]) -> list[tuple[str, str, tuple[str, ...]]]:
    """Return file, object and the targets that write it, each object once."""
    found: dict[tuple[str, str], list[str]] = {}
    for place in places:
        found.setdefault((place.file, place.object), []).append(place.target)
    return [(file, name, tuple(targets)) for (file, name), targets in found.items()]


@dataclass(frozen=True)
class NodeGroup:
    """Nodes of several Clusters to which the same happens for the same reason."""

    is_rolled: bool
    why: str
    changes: tuple[NodeChange, ...]

    @property
    def title(self) -> str:
        """Return which nodes of which Clusters they are."""
        clusters = list(dict.fromkeys(name for one in self.changes for name in one.clusters))
        nodes = parts([part for one in self.changes for part in one.parts]) or "nodes"
        return f"{some(clusters)}, {nodes}" if clusters else nodes


def grouped_nodes(changes: Iterable[NodeChange]) -> list[NodeGroup]:
    """Return the changes of nodes, what happens to many Clusters as one; those that are rolled come first."""
    found: dict[object, list[NodeChange]] = {}
    for change in sorted(changes, key=lambda one: not one.is_rolled):
        kinds = tuple(dict.fromkeys(part.kind for part in change.parts))
        found.setdefault((change.is_rolled, change.why, kinds), []).append(change)
    return [
        NodeGroup(members[0].is_rolled, members[0].why, tuple(members))
        for members in found.values()
    ]


def grouped_findings(findings: Iterable[Result]) -> list[list[Result]]:
    """Return the findings, the most important first; more than a few of one code are one group."""
    by_code: dict[object, list[Result]] = {}
    for one in by_importance(findings):
        by_code.setdefault((one.severity, one.code or one.message), []).append(one)
    groups: list[list[Result]] = []
    for members in by_code.values():
        if len(members) > _FEW:
            groups.append(members)
        else:
            groups += [[one] for one in members]
    return groups
