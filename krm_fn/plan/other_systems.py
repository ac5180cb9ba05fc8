"""Nodes that no target writes here: of other systems, of a class or by a template that is not in the list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from krm_fn.clusters import Cluster, Key, ObjectIndex, Topology, class_of, key_of, uses
from krm_fn.krm.resourcelist import Object
from krm_fn.light_typing import NamedTuple
from krm_fn.patch import Pointer
from krm_fn.products.cluster_api import CLUSTER
from krm_fn.products.node_kinds import NODE_KINDS
from krm_fn.products.systems import System, order_of, system_of

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
    found: list[Foreign] = []
    for obj in objects:
        named = [(*obj.group_kind, obj.base_name, True)]
        named += [(use.target.group, use.target.kind, use.target.name, False) for use in uses(obj)]
        for group, kind, name, is_own in named:
            system = system_of(group, kind)
            if system is None:
                continue
            clusters: list[Cluster | None] = [one.cluster for one in topology.of(obj)]
            for cluster in clusters or [None]:
                found.append(Foreign(system, kind, name, obj, cluster, is_own))  # noqa: PERF401
    return sorted(found, key=lambda one: order_of(one.system))


def elsewhere(objects: Iterable[Object]) -> Iterator[tuple[Object, Key]]:
    """Yield each Cluster and group of workers with each configuration that it names and that is not in the list."""
    read = list(objects)
    listed = ObjectIndex((key_of(obj), None) for obj in read)
    for obj in read:
        if obj.ref.kind not in _OWNS_TEMPLATES:
            continue
        for use in uses(obj):
            system = system_of(*use.target.group_kind)
            is_written = system is not None and bool(system.target) and not system.waits
            if use.target.group_kind in NODE_KINDS or is_written:  # noqa: SIM102
                if not listed.candidates(use.target):
                    yield obj, use.target


def without_class(
    objects: Iterable[Object], topology: Topology
) -> Iterator[tuple[Object, str, Pointer]]:
    """Yield each Cluster whose ClusterClass is not in the list, with the name of the class and the field."""
    read = list(objects)
    classes = {key_of(obj) for obj in read if obj.ref.kind == "ClusterClass"}
    for obj in read:
        key = topology.class_of(obj) if obj.group_kind == CLUSTER else None
        if key is not None and key not in classes:
            yield obj, key.name, class_of(obj.data, obj.ref.namespace)[1]
