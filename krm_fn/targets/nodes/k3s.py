"""K3s: its installer gets the proxy by exports, and copies it into the environment file of its service."""

from __future__ import annotations

from krm_fn.targets.nodes.node_services import NodeServices

TARGET = NodeServices("k3s")
