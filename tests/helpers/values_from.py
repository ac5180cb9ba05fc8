"""Objects that a ProxyConfig takes values from, and the ProxyConfig that comes of them."""

from __future__ import annotations

import json
from typing import Any

from krm_fn import config
from krm_fn.config import ProxyConfig
from krm_fn.krm.manifests import Manifests
from krm_fn.plan.sources import Objects

PASSWORD = "s3cr3t"
LOCAL = {"config.kubernetes.io/local-config": "true"}
PEM = "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUX5\n-----END CERTIFICATE-----\n"
TKG = """\
CLUSTER_NAME: cluster
INFRASTRUCTURE_PROVIDER: vsphere
VSPHERE_CONTROL_PLANE_ENDPOINT: 10.180.122.23
CLUSTER_CIDR: 100.96.0.0/11
SERVICE_CIDR: 100.64.0.0/13
TKG_HTTP_PROXY: http://asdf
TKG_HTTPS_PROXY: https://asdf2
TKG_NO_PROXY: .corp.example,10.0.0.0/8
"""
FROM = [{"kind": "Secret", "name": "values"}]


def secret(text: str, name: str = "values", namespace: str = "default", **more: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": namespace, "annotations": LOCAL}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": {"value": text}, **more}


def load(function_config: dict[str, Any], *items: dict[str, Any]) -> ProxyConfig:
    objects = Manifests({"a.yaml": "\n---\n".join(json.dumps(item) for item in items).encode()})
    loaded = config.load(function_config, Objects(objects))
    assert loaded is not None
    return loaded


def entries(loaded: ProxyConfig) -> list[str]:
    return [entry.text for entry in loaded.declaration.no_proxy]
