"""Cluster API: the types of its Secrets.

Source: ``kubernetes-sigs/cluster-api`` ``api/addons`` (``ClusterResourceSetSecretType``).
"""

from __future__ import annotations

RESOURCE_SET = "addons.cluster.x-k8s.io/resource-set"
"""The ``type`` of a Secret whose objects a ClusterResourceSet applies; TKG stores the configuration of a cluster so."""
