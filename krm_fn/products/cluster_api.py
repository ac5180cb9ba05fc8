"""Cluster API: its groups, the kind of a Cluster, the roles of nodes, the types of its Secrets, our patches and names.

Source: ``kubernetes-sigs/cluster-api`` ``api/addons`` (``ClusterResourceSetSecretType``).
"""

from __future__ import annotations

from enum import Enum

# The API group of Clusters, machines and classes; those of the providers end with it.
CORE = "cluster.x-k8s.io"
# The groups of what sets up single machines, and of what makes a whole control plane.
BOOTSTRAP, CONTROL_PLANE = f"bootstrap.{CORE}", f"controlplane.{CORE}"
# API group and kind.
CLUSTER = (CORE, "Cluster")
# The ``type`` of a Secret whose objects a ClusterResourceSet applies; TKG stores the configuration of a cluster so.
RESOURCE_SET = "addons.cluster.x-k8s.io/resource-set"

# The names of the patches that a run writes into a ClusterClass, in their order; all others have another author.
OUR_PATCHES = (
    "inject-proxy-empty-lists",
    "inject-proxy-files",
    "inject-proxy-lists",
    "inject-proxy-nodes",
)

# What the variable of a ClusterClass says in the place of a Cluster's networks, of the first address of each service
# CIDR, and of its domain in lower case, the default where it says none.
#
# Source: Cluster API, "Writing a ClusterClass": ``builtin.cluster.network.pods`` and ``.services`` are the lists of
# ``spec.clusterNetwork``, and ``.serviceDomain`` is a text; each may be missing.
PODS = "builtin.cluster.network.pods"
SERVICES = "builtin.cluster.network.services"
SERVICE_ADDRESSES = "builtin.cluster.network.services.first"
DOMAIN = "builtin.cluster.network.domain"


def is_cluster_api(group: str) -> bool:
    """Return whether a group is one of Cluster API or its providers."""
    return group == CORE or group.endswith(f".{CORE}")


class Role(Enum):
    """Which nodes of a Cluster an object makes; the values are those of ``spec.overrides[].match.roles``."""

    CONTROL_PLANE = "ControlPlane"
    WORKER = "Worker"


# The kinds of objects from which cluster-api-operator installs the providers of Cluster API.
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
