"""What each place gets: one answer for each object and target that a run writes, or finds as it would write it."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from krm_fn.clusters import Cluster, Membership, Role
from krm_fn.krm.masking import redact
from krm_fn.krm.results import Result, Severity
from krm_fn.noproxy import Audience, Entry
from krm_fn.plan import PlannedEdit
from krm_fn.settings import ProxySettings, Resolved
from krm_fn.targets import Writes

PART_OF_ROLE = {Role.CONTROL_PLANE: "control plane", Role.WORKER: "worker"}
RULE = "rule"
_OF_PODS = (Audience.POD, Audience.GO)
HASH = re.compile(r"-[0-9a-f]{10}$")
"""What ``spec.rollout.hashNames`` puts behind a name."""
_CLASS = "clusterClass"
Identity = tuple[str, ...]


@dataclass(frozen=True)
class WrittenPlace:
    """Where a proxy is written: an object, its target, and the name of its file, "" for standard input."""

    object: str
    target: str
    file: str = ""


@dataclass(frozen=True)
class ClusterPart:
    """A part of a Cluster: its control plane, its workers, a group of them, or a rule of a policy.

    ``kind`` is "control plane", "worker" or "rule"; ``name`` is that of the group or the rule, "" for all.
    """

    kind: str
    name: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.name}".strip()


@dataclass(frozen=True)
class Answer:
    """The proxy that one place gets.

    Attributes:
        place: where it is written.
        identity: the same for the same place in another run, also where the object has another hash in its name.
        clusters: names of the Clusters that the object belongs to; empty where none is known.
        parts: which nodes, or which rules of a policy, it is for; empty where all are meant.
        audience: who reads NO_PROXY there.
        resolved: the proxy, and how it came about.
        is_changed: whether the run changes the object; otherwise it holds this proxy already, or cannot get it.
    """

    place: WrittenPlace
    identity: Identity
    clusters: tuple[str, ...]
    parts: tuple[ClusterPart, ...]
    audience: Audience
    resolved: Resolved = field(repr=False)
    is_changed: bool = False

    @property
    def is_of_class(self) -> bool:
        """Whether it is about the nodes that Cluster API makes of a ClusterClass."""
        return self.place.target == _CLASS

    @property
    def shown_urls(self) -> tuple[str, str]:
        """The proxies for ``http://`` and ``https://`` without a credential."""
        first, second = self.resolved.urls
        return redact(first), redact(second)


def changed_places(results: Iterable[Result]) -> set[Identity]:
    """Return the identities of the places that a run changes, each behind the name of its file.

    The results name an object as it is afterwards, maybe with a hash behind its name.
    """
    found: set[Identity] = set()
    for one in results:
        if one.severity is Severity.INFO and one.target and not one.code:
            group = one.ref.api_version.rpartition("/")[0]
            for name in (one.ref.name, HASH.sub("", one.ref.name)):
                place = (group, one.ref.kind, one.ref.namespace, name, one.target)
                found.add((one.ref.file_path, *place))
    return found


def answers(
    places: Iterable[PlannedEdit], changed: Container[Identity] = frozenset()
) -> Iterator[Answer]:
    """Yield the answers of all places that a run would write to, in their order.

    Args:
        places: the plan of the run.
        changed: the places that it changes.
    """
    for place in places:
        is_written = (
            place.target.writes is not Writes.NOTHING and place.audience is not Audience.NOBODY
        )
        if is_written and place.resolved.declared and place.is_touched:
            yield from _answers(place, changed)


def written_place(place: PlannedEdit) -> WrittenPlace:
    """Return where a place of a plan is."""
    return WrittenPlace(
        redact(str(place.obj.ref)), place.target_id, redact(place.obj.ref.file_path)
    )


def _answers(place: PlannedEdit, changed: Container[Identity]) -> Iterator[Answer]:
    """Yield the answer of a place, and one for each group of workers or rule that gets another proxy there."""
    parts = dict.fromkeys(
        ClusterPart(PART_OF_ROLE[one.role], redact(one.group))
        for one in place.memberships
        if one.role is not None
    )
    identity = (
        *place.obj.group_kind,
        place.obj.ref.namespace,
        place.obj.base_name,
        place.target_id,
    )
    first = Answer(
        written_place(place),
        identity,
        tuple(dict.fromkeys(cluster_name(one.cluster) for one in _known(place))),
        tuple(parts),
        place.audience,
        place.resolved,
        (place.obj.ref.file_path, *identity) in changed,
    )
    yield first
    for part, settings in _exceptions(place):
        if settings.variables() != place.resolved.settings.variables():
            entries = tuple(Entry(text) for text in settings.no_proxy.split(",") if text)
            resolved = place.resolved._replace(settings=settings, entries=entries)
            of_part = (*identity, str(part))
            yield replace(first, identity=of_part, parts=(part,), resolved=resolved)


def _known(place: PlannedEdit) -> Iterator[Membership]:
    """Yield the Clusters of a place; a workload that names none gets the networks of the only one all the same."""
    for one in place.memberships:
        if not (one.is_only and place.audience in _OF_PODS):
            yield one


def _exceptions(place: PlannedEdit) -> Iterator[tuple[ClusterPart, ProxySettings]]:
    groups = place.class_context.groups if place.class_context else {}
    for (_, name), settings in groups.items():
        if settings.is_declared:
            yield ClusterPart(PART_OF_ROLE[Role.WORKER], redact(name)), settings
    if place.settings_of_rule:
        for rule in place.target.names_of_rules(place.obj.data):
            yield ClusterPart(RULE, redact(rule)), place.settings_of_rule(rule)


def cluster_name(cluster: Cluster) -> str:
    """Return ``namespace/name``, or the name alone; neither shows a credential that somebody wrote there."""
    return str(redact("/".join(part for part in (cluster.namespace, cluster.name) if part)))


def is_one_of(name: str, asked: Sequence[str]) -> bool:
    """Return whether a Cluster, ``namespace/name``, is one that somebody asks for by its name, with or without it."""
    return name in asked or name.rpartition("/")[2] in asked


def memberships_by_identity(
    places: Iterable[PlannedEdit],
) -> dict[Identity, tuple[Membership, ...]]:
    """Return the memberships of each object of a plan, by its group, kind, namespace and name without a hash."""
    return {
        (*place.obj.group_kind, place.obj.ref.namespace, place.obj.base_name): place.memberships
        for place in places
    }
