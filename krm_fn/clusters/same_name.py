"""Clusters of a list that count as another one of the same name and say different things about their network.

Of two objects with one key the first counts only (``clusters.graph``), and a Cluster that is a patch counts as the one
that it changes; so what belongs to them gets the network of the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from krm_fn.clusters.declared import declared
from krm_fn.clusters.kinds import CLUSTER
from krm_fn.clusters.model import Key
from krm_fn.clusters.references import key_of
from krm_fn.clusters.topology import Topology
from krm_fn.krm.resourcelist import Object
from krm_fn.noproxy import ClusterNetwork
from krm_fn.noproxy.entries import is_template


def same_name(objects: Iterable[Object], topology: Topology) -> Iterator[tuple[Object, Object]]:
    """Yield each Cluster that counts as another one which declares another network, and that other one.

    What a patch of kustomize leaves out does not differ. A name that a later step fills in says nothing about which
    Cluster it will be.
    """
    first: dict[Key, Object] = {}
    clusters = [obj for obj in objects if obj.group_kind == CLUSTER]
    for obj in clusters:
        first.setdefault(key_of(obj), obj)
    for obj in clusters:
        counted = topology.counted(obj)
        other = first[counted] if counted else obj
        if other is obj or is_template(obj.ref.name):
            continue
        if _differ(declared(obj), declared(other)):
            yield obj, other


def _differ(one: ClusterNetwork, other: ClusterNetwork) -> bool:
    """Return whether two networks have different values in a field that both have."""
    values, others = _values(one), _values(other)
    return any(values[name] != others[name] for name in values.keys() & others.keys())


def _values(network: ClusterNetwork) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for name, fact in network.facts():
        found.setdefault(name, set()).add(fact.value)
    return found
