"""Clusters of a list that have one identity and say different things about their network.

The graph counts the first of two objects with one identity only (``clusters.graph``), so what belongs to the other
gets the network of the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from krm_fn.clusters.declared import declared
from krm_fn.clusters.kinds import CLUSTER
from krm_fn.clusters.model import Key
from krm_fn.clusters.reading import is_template
from krm_fn.clusters.references import key_of
from krm_fn.krm.resourcelist import Object
from krm_fn.noproxy import ClusterNetwork


def same_name(objects: Iterable[Object]) -> Iterator[tuple[Object, Object]]:
    """Yield each Cluster whose namespace and name an earlier one has with another network, and that earlier one.

    A patch of kustomize has the name of its Cluster, too: what it leaves out does not differ. A name that a later step
    fills in says nothing about which Cluster it will be.
    """
    first: dict[Key, Object] = {}
    for obj in objects:
        if obj.group_kind != CLUSTER or is_template(obj.ref.name):
            continue
        other = first.setdefault(key_of(obj), obj)
        if other is not obj and _differ(declared(obj), declared(other)):
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
