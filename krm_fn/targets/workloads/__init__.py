"""Workloads: the environment of containers, and the ConfigMaps and Secrets from which they read a proxy."""
