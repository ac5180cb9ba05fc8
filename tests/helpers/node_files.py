"""Files of a small folder: a ProxyConfig, nodes, and nodes with a mistake."""

from __future__ import annotations

from function_configs import DECLARED

CONFIG = DECLARED + "  noProxy: [.corp.example]\n"
NODES = """\
apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
kind: KubeadmConfig
metadata: {name: md-0, namespace: org}
spec: {}
"""
BAD = NODES.replace("{}", '{preKubeadmCommands: ["export HTTP_PROXY=proxy.corp.example"]}')
"""An object that `run` changes, and in which `lint` finds a mistake."""
