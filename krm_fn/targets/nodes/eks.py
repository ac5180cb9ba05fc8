"""EKS: systemd drop-ins give the services of its workers the proxy, and commands before nodeadm get it by exports."""

from __future__ import annotations

from krm_fn.targets.nodes.node_services import NodeServices

TARGET = NodeServices("eks")
