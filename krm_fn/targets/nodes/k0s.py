"""k0s: systemd drop-ins give its services the proxy, and its download gets it by exports."""

from __future__ import annotations

from krm_fn.targets.nodes.node_services import NodeServices

TARGET = NodeServices("k0s")
