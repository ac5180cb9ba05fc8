"""Clusters of the input that get nothing, and why."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from krm_fn.explain.answers import cluster_name
from krm_fn.plan import Overview, PlannedEdit

_NOT_SELECTED = "`spec.selector` leaves the Cluster out"
_NO_CLASS = 'its ClusterClass "{name}" is not in the input'
_SYSTEM = "its nodes run {system}, and no target writes their configuration"
_NO_PROXY = "no proxy is declared for it, in `spec` or in an override that fits"
_NO_NODES = "no object of the input that a target writes into makes its nodes"


class ClusterWithout(NamedTuple):
    """A Cluster that gets no proxy, and the reason as a sentence without a full stop."""

    cluster: str
    why: str


def without_proxy(
    planned: Iterable[PlannedEdit], overview: Overview, served: Iterable[str]
) -> Iterator[ClusterWithout]:
    """Yield each Cluster of the input that is none of ``served``, the names of those that get something."""
    of_clusters = {obj.ref for obj in overview.clusters}
    undeclared: dict[str, bool] = {}
    for place in planned:
        if place.obj.ref in of_clusters:
            continue
        for membership in place.memberships:
            name = cluster_name(membership.cluster)
            undeclared[name] = undeclared.get(name, True) and not any(place.resolved.urls)
    classes = {obj.ref: name for obj, name, _ in overview.without_class}
    systems = {cluster_name(one.cluster): one.system for one in overview.foreign if one.cluster}
    known = set(served)
    for obj in overview.clusters:
        name = "/".join(part for part in (obj.ref.namespace, obj.ref.name) if part)
        if name in known:
            continue
        known.add(name)
        if obj.ref in overview.left_out:
            why = _NOT_SELECTED
        elif undeclared.get(name):
            why = _NO_PROXY
        elif obj.ref in classes:
            why = _NO_CLASS.format(name=classes[obj.ref])
        elif name in systems:
            why = _SYSTEM.format(system=systems[name].name)
        else:
            why = _NO_NODES
        yield ClusterWithout(name, why)
