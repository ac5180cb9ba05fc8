"""RKE2: its services read the proxy from an environment file, and its installer gets it by exports."""

from __future__ import annotations

from krm_fn.targets.nodes.node_services import NodeServices

TARGET = NodeServices("rke2")
