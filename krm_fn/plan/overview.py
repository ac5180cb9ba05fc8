"""The facts that a plan finds besides its records: Clusters, nodes that no target may write, unreadable items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from krm_fn.clusters import Key, ObjectIndex, Topology, key_of, uses
from krm_fn.clusters.cluster import Memberships
from krm_fn.config import ProxyConfig
from krm_fn.errors import DocumentError
from krm_fn.krm.resourcelist import Object
from krm_fn.light_typing import NamedTuple
from krm_fn.places.provided import DataUses
from krm_fn.plan.items import is_selected
from krm_fn.plan.record import ObjectRecord
from krm_fn.products.cluster_api import CLUSTER
from krm_fn.products.node_kinds import NODE_KINDS
from krm_fn.products.systems import System, system_of

_NO_CONFIG = ProxyConfig()
_OWNS_TEMPLATES = frozenset({"Cluster", "MachineDeployment", "MachinePool"})


class OtherNodes(NamedTuple):
    """Nodes of another system, or whose class, control plane or template is not in the list.

    Attributes:
        obj: the object that makes them, or that names the one that does.
        key: the key of the object that makes them.
        memberships: the Clusters of ``obj``.
        system: the system that they run, if that is none of ``NODE_KINDS``; None for one of these.
        is_own: ``obj`` itself makes them.
        is_missing: the list lacks the object that makes them, and a target would write into it.
    """

    obj: Object
    key: Key
    memberships: Memberships
    system: System | None
    is_own: bool
    is_missing: bool


def other_nodes(objects: Iterable[Object], topology: Topology) -> Iterator[OtherNodes]:
    """Yield the nodes that objects of ``clusters.kinds()`` and of ``system_kinds()`` make or name."""
    read = list(objects)
    listed = ObjectIndex((key_of(obj), None) for obj in read)
    for obj in read:
        own = key_of(obj)._replace(name=obj.base_name)
        keys = [own, *(use.target for use in uses(obj))]
        class_key = topology.class_of(obj) if obj.group_kind == CLUSTER else None
        if class_key is not None:
            keys.append(class_key)
        for key in keys:
            system = system_of(*key.group_kind)
            is_awaited = key is class_key or (
                key is not own and obj.ref.kind in _OWNS_TEMPLATES and _is_written(key, system)
            )
            is_missing = is_awaited and not listed.candidates(key)
            if system or is_missing:
                memberships = topology.of(obj)
                yield OtherNodes(obj, key, memberships, system, key is own, is_missing)


def _is_written(key: Key, system: System | None) -> bool:
    """Return whether a target writes into objects of the kind of this one without being asked to."""
    if system is None:
        return key.group_kind in NODE_KINDS
    return bool(system.target) and not system.waits


class Overview:
    """The records of a list of objects, and the facts found besides them; ``plan_records`` fills it.

    Attributes:
        records: those of the objects that a target looks at or that name a proxy, in the order of the list. Targets
            have the order of their table in each; at the end are objects that the list lacks.
        config: the ProxyConfig of the plan.
        candidates: how many objects are of kinds that a target could write.
        selected: how many of them the selector includes.
        other_nodes: nodes of other systems, and those whose class or template is not in the list.
        not_generated: objects that an option asks for and that the selector does not include, except by ``exclude``,
            which is intended.
        unreadable: index of an item that cannot be read -> why.
        clusters: all Clusters that count as themselves, not as another one of the same name.
        uses: the ConfigMaps and Secrets of the list that others read as a proxy, and the sources of charts.
        kinds: index of an item that was read -> the kinds of its objects.
    """

    def __init__(self, config: ProxyConfig = _NO_CONFIG) -> None:
        self.config = config
        self.records: list[ObjectRecord] = []
        self.candidates = 0
        self.selected = 0
        self.other_nodes: list[OtherNodes] = []
        self.not_generated: list[Object] = []
        self.unreadable: dict[int, DocumentError] = {}
        self.clusters: list[tuple[Object, Memberships]] = []
        self.uses = DataUses()
        self.kinds: dict[int, set[str]] = {}

    def take(self, read: Sequence[Object], topology: Topology) -> None:
        """Note the systems and classes of Clusters, and of the objects that make their nodes."""
        for nodes in other_nodes(read, topology):
            if is_selected(nodes.obj, self.config):
                self.other_nodes.append(nodes)
        for obj in read:
            if obj.group_kind != CLUSTER or obj.is_local:
                continue
            memberships = topology.of(obj)
            if any(membership.cluster.ref == obj.ref for membership in memberships):
                self.clusters.append((obj, memberships))
