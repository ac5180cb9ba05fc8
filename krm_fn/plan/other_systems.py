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


def foreign(objects: Iterable[Object], topology: Topology) -> Iterator[Foreign]:
    """Yield what is of a system other than ``NODE_KINDS``: the objects themselves, and those that refer to such.

    Args:
        objects: those of ``kinds()`` and of ``system_kinds()``.
        topology: the Clusters of the list.
    """
    for obj in objects:
        own = key_of(obj)._replace(name=obj.base_name)
        for key in (own, *(use.target for use in uses(obj))):
            system = system_of(*key.group_kind)
            if system is None:
                continue
            for membership in topology.of(obj) or [None]:
                cluster = membership and membership.cluster
                yield Foreign(system, key.kind, key.name, obj, cluster, key is own)


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
    if obj.group_kind == CLUSTER:
        class_key = topology.class_of(obj)
        if class_key is not None:
            yield class_key
    if obj.ref.kind not in _OWNS_TEMPLATES:
        return
    for use in uses(obj):
        if use.target.group_kind in NODE_KINDS:
            yield use.target
            continue
        system = system_of(*use.target.group_kind)
        if system is not None and system.target and not system.waits:
            yield use.target
