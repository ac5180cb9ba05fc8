"""Nodes that no target writes here: of other systems, of a class or by a template that is not in the list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from krm_fn.clusters import Cluster, Key, ObjectIndex, Topology, key_of, uses
from krm_fn.krm.resourcelist import Object
from krm_fn.light_typing import NamedTuple
from krm_fn.products.cluster_api import CLUSTER
from krm_fn.products.node_kinds import NODE_KINDS
from krm_fn.products.systems import System, system_of

_OWNS_TEMPLATES = frozenset({"Cluster", "MachineDeployment", "MachinePool"})


class Foreign(NamedTuple):
    """That nodes of a Cluster are of a system other than those of ``NODE_KINDS``.

    ``obj`` is of the kind that says so, ``is_own``, or names an object of it, ``name``. ``cluster`` is None for none
    that is known.
    """

    system: System
    kind: str
    name: str
    obj: Object
    cluster: Cluster | None = None
    is_own: bool = False


def foreign(objects: Iterable[Object], topology: Topology) -> list[Foreign]:
    """Return what is of a system other than ``NODE_KINDS``: the objects themselves, and those that refer to such.

    Args:
        objects: those of ``kinds()`` and of ``system_kinds()``.
        topology: the Clusters of the list.
    """
    systems: list[Foreign] = []
    for obj in objects:
        named = [(*obj.group_kind, obj.base_name, True)]
        named += [(use.target.group, use.target.kind, use.target.name, False) for use in uses(obj)]
        for group, kind, name, is_own in named:
            system = system_of(group, kind)
            if system is None:
                continue
            memberships = topology.of(obj) or [None]
            systems += [
                Foreign(system, kind, name, obj, membership and membership.cluster, is_own)
                for membership in memberships
            ]
    return systems


def missing(objects: Iterable[Object], topology: Topology) -> Iterator[tuple[Object, Key]]:
    """Yield each Cluster and group of workers with each class and configuration of nodes that the list lacks."""
    read = list(objects)
    listed = ObjectIndex((key_of(obj), None) for obj in read)
    for obj in read:
        for key in _named(obj, topology):
            if not listed.candidates(key):
                yield obj, key


def _named(obj: Object, topology: Topology) -> Iterator[Key]:
    """Yield what a Cluster or a group of workers names, and what a target writes the proxy of its nodes into."""
    class_key = topology.class_of(obj) if obj.group_kind == CLUSTER else None
    if class_key is not None:
        yield class_key
    for use in uses(obj) if obj.ref.kind in _OWNS_TEMPLATES else ():
        system = system_of(*use.target.group_kind)
        is_written = system is not None and bool(system.target) and not system.waits
        if use.target.group_kind in NODE_KINDS or is_written:
            yield use.target
