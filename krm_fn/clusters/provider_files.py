"""Files that an infrastructure provider writes on each node by itself, because a field of its object asks for it.

Source: cluster-api-provider-cloud-director ``controllers/cluster_scripts/cloud_init.tmpl`` writes a drop-in of
containerd where ``spec.proxyConfigSpec`` of the VCDCluster names a proxy (``api/*/vcdcluster_types.go``).
"""

from __future__ import annotations

from krm_fn.krm.resourcelist import Object
from krm_fn.noproxy import Fact
from krm_fn.patch import lookup

_CONTAINERD = "/etc/systemd/system/containerd.service.d/http-proxy.conf"
_PROXY = "proxyConfigSpec"
_SPECS = {
    "VCDCluster": ("spec",),
    "VCDClusterTemplate": ("spec", "template", "spec"),
}
"""Kind -> where it has the specification of the infrastructure."""


def provider_files(obj: Object) -> tuple[Fact, ...]:
    """Return the paths of the files that the provider of ``obj`` writes, each with the field that makes it do so.

    They are empty unless ``obj`` is an infrastructure cluster, or the template of one, that asks for such a file.
    """
    spec = _SPECS.get(obj.ref.kind)
    if spec is None:
        return ()
    for name in ("httpProxy", "httpsProxy"):
        if lookup(obj.data, (*spec, _PROXY, name)):
            return (Fact(_CONTAINERD, obj.ref, (*spec, _PROXY)),)
    return ()
