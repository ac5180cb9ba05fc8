"""Nutanix (CAREN): the variable of a Cluster, and what it holds besides a proxy."""

# The topology variable.
CLUSTER_CONFIG = "clusterConfig"
# Where an entry of that variable names a registry mirror.
MIRROR = ("value", "globalImageRegistryMirror", "url")
