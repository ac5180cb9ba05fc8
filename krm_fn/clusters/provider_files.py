"""Files that an infrastructure provider writes on each node by itself, because a field of its object asks for it.

Source: cluster-api-provider-cloud-director ``controllers/cluster_scripts/cloud_init.tmpl`` writes a drop-in of
containerd where ``spec.proxyConfigSpec`` of the VCDCluster names a proxy (``api/*/vcdcluster_types.go``).
"""

from __future__ import annotations

from krm_fn.clusters.model import Fact
from krm_fn.krm.resourcelist import Object
from krm_fn.patch import Pointer, lookup

_CONTAINERD = "/etc/systemd/system/containerd.service.d/http-proxy.conf"
_PROXY = "proxyConfigSpec"


def provider_files(obj: Object, kind: str, spec: Pointer) -> tuple[Fact, ...]:
    """Return the paths of the files that the provider of ``obj`` writes, each with the field that makes it do so.

    Args:
        obj: the infrastructure object of a Cluster, or the template of one.
        kind: its kind, without ``Template``.
        spec: where the specification of the infrastructure stands in it.
    """
    if kind != "VCDCluster":
        return ()
    names_proxy = any(
        lookup(obj.data, (*spec, _PROXY, name)) for name in ("httpProxy", "httpsProxy")
    )
    return (Fact(_CONTAINERD, obj.ref, (*spec, _PROXY)),) if names_proxy else ()
