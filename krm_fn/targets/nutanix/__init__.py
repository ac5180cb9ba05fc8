"""Nutanix (CAREN): the variable ``clusterConfig`` of a Cluster."""
