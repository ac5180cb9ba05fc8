"""Tanzu Kubernetes Grid: its add-ons, the configuration of its clusters, and its ClusterClasses."""
