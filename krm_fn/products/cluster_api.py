"""Cluster API: its groups, the kind of a Cluster, the roles of nodes, the types of its Secrets, our patches and names.

Source: ``kubernetes-sigs/cluster-api`` ``api/addons`` (``ClusterResourceSetSecretType``).
"""

from __future__ import annotations

from enum import Enum

CORE = "cluster.x-k8s.io"
"""The API group of Clusters, machines and classes; those of the providers end with it."""
BOOTSTRAP, CONTROL_PLANE = f"bootstrap.{CORE}", f"controlplane.{CORE}"
"""The groups of what sets up single machines, and of what makes a whole control plane."""
CLUSTER = (CORE, "Cluster")
"""API group and kind."""
RESOURCE_SET = "addons.cluster.x-k8s.io/resource-set"
"""The ``type`` of a Secret whose objects a ClusterResourceSet applies; TKG stores the configuration of a cluster so."""

OUR_PATCHES = (
    "inject-proxy-empty-lists",
    "inject-proxy-files",
    "inject-proxy-lists",
    "inject-proxy-nodes",
)
"""The names of the patches that a run writes into a ClusterClass, in their order; all others have another author."""

PODS = "builtin.cluster.network.pods"
SERVICES = "builtin.cluster.network.services"
SERVICE_ADDRESSES = "builtin.cluster.network.services.first"
DOMAIN = "builtin.cluster.network.domain"
"""What the variable of a ClusterClass says in the place of a Cluster's networks, of the first address of each service
CIDR, and of its domain in lower case, the default where it says none.

Source: Cluster API, "Writing a ClusterClass": ``builtin.cluster.network.pods`` and ``.services`` are the lists of
``spec.clusterNetwork``, and ``.serviceDomain`` is a text; each may be missing.
"""


def is_cluster_api(group: str) -> bool:
    """Return whether a group is one of Cluster API or its providers."""
    return group == CORE or group.endswith(f".{CORE}")


class Role(Enum):
    """Which nodes of a Cluster an object makes; the values are those of ``spec.overrides[].match.roles``."""

    CONTROL_PLANE = "ControlPlane"
    WORKER = "Worker"


PROVIDERS = {
    ("operator.cluster.x-k8s.io", f"{name}Provider")
    for name in (
        "Addon",
        "Bootstrap",
        "ControlPlane",
        "Core",
        "Infrastructure",
        "IPAM",
        "RuntimeExtension",
    )
}
"""The kinds of objects from which cluster-api-operator installs the providers of Cluster API."""
