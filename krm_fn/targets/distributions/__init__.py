"""Kubernetes distributions whose proxy is in three members of one mapping: OpenShift, AKS, EKS Anywhere and others."""
