"""Cluster API: the kind of a Cluster, and the types of its Secrets.

Source: ``kubernetes-sigs/cluster-api`` ``api/addons`` (``ClusterResourceSetSecretType``).
"""

from __future__ import annotations

CORE = "cluster.x-k8s.io"
"""The API group of Clusters, machines and classes; those of the providers end with it."""
CLUSTER = (CORE, "Cluster")
"""API group and kind."""
RESOURCE_SET = "addons.cluster.x-k8s.io/resource-set"
"""The ``type`` of a Secret whose objects a ClusterResourceSet applies; TKG stores the configuration of a cluster so."""
