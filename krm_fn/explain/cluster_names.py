"""Name Clusters and their parts, in the words of all parts of an explanation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from krm_fn.clusters import Role
from krm_fn.clusters.cluster import Memberships
from krm_fn.krm.masking import redact
from krm_fn.krm.results import ObjectRef
from krm_fn.light_typing import Texts

# Object -> the names of its Clusters.
NamesOfClusters = Mapping[ObjectRef, set[str]]
_ROLES = {Role.CONTROL_PLANE: "control plane", Role.WORKER: "worker"}


def distinct(names: Iterable[str]) -> Texts:
    """Return each name once, in the order in which they were found."""
    return tuple(dict.fromkeys(names))


def cluster_name(namespace: str, name: str) -> str:
    """Return ``namespace/name`` of a Cluster, without a credential that somebody wrote there."""
    full_name = f"{namespace}/{name}" if namespace else name
    return str(redact(full_name))


def cluster_names(memberships: Memberships) -> Texts:
    """Return the names of the Clusters of an object."""
    clusters = [membership.cluster for membership in memberships]
    return distinct(cluster_name(cluster.namespace, cluster.name) for cluster in clusters)


def parts_of(memberships: Memberships) -> Texts:
    """Return the parts of its Clusters that an object is for: "control plane", "worker md-0"; () for all nodes."""
    parts = []
    for membership in memberships:
        if membership.role is not None:
            group = redact(membership.group)
            part = f"{_ROLES[membership.role]} {group}"
            parts.append(part.strip())
    return distinct(parts)
