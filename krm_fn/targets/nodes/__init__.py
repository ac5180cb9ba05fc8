"""Nodes: their files, commands and systemd drop-ins, in objects and in ClusterClasses."""
