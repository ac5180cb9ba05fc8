"""Nodes that no target may write here: of other systems, of a class or by a template that is not in the list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from krm_fn.clusters import Key, ObjectIndex, Topology, key_of, uses
from krm_fn.clusters.model import Memberships
from krm_fn.krm.resourcelist import Object
from krm_fn.light_typing import NamedTuple
from krm_fn.products.cluster_api import CLUSTER
from krm_fn.products.node_kinds import NODE_KINDS
from krm_fn.products.systems import System, system_of

_OWNS_TEMPLATES = frozenset({"Cluster", "MachineDeployment", "MachinePool"})


class OtherNodes(NamedTuple):
    """Nodes of another system, or whose class, control plane or template is not in the list.

    Attributes:
        obj: the object that makes them, or that names what does.
        key: what makes them.
        memberships: the Clusters of ``obj``.
        system: what they run, if that is none of ``NODE_KINDS``; None for one of these.
        is_own: ``obj`` itself makes them.
        is_missing: the list lacks what makes them, and a target would write into it.
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
