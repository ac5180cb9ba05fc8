"""Nutanix (CAREN): the variable of a Cluster, and what it holds besides a proxy."""

CLUSTER_CONFIG = "clusterConfig"
"""The topology variable."""
MIRROR = ("value", "globalImageRegistryMirror", "url")
"""Where an entry of that variable names a registry mirror."""
