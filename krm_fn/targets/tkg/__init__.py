"""Tanzu Kubernetes Grid: the configuration of clusters and the values of their add-ons."""
