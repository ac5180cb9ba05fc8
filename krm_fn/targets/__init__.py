"""The table of targets.

Each module describes one target, for users in its docstring, and holds it as ``TARGET``.
"""

from __future__ import annotations

from krm_fn.carriers.reading import Reading
from krm_fn.targets import (
    caren_cluster_config,
    cert_manager,
    chart_operator,
    cluster_class,
    containerd_drop_in,
    giantswarm_apps,
    giantswarm_chart_values,
    giantswarm_cluster_values,
    giantswarm_installation_values,
    giantswarm_systemd_proxy,
    image_builder_overrides,
    kubeadm_commands,
    kubelet_drop_in,
    kyverno_policies,
    node_trust_store,
    other_writers,
    proxy_data,
    registry_mirror,
    tkg_cloud_csi,
    tkg_cluster_class,
    tkg_cluster_config,
    tkg_kapp_controller,
    tkg_pinniped,
    tkg_vsphere_cpi,
    tkg_vsphere_csi,
    workload_trust_store,
    workloads,
)
from krm_fn.targets._around import TargetContext
from krm_fn.targets.base import Context, Target

__all__ = ["TARGETS", "Context", "Reading", "Target", "TargetContext"]

TARGETS: dict[str, Target] = {
    module.TARGET.id: module.TARGET
    for module in (
        node_trust_store,
        containerd_drop_in,
        kubelet_drop_in,
        kubeadm_commands,
        other_writers,
        giantswarm_systemd_proxy,
        registry_mirror,
        workload_trust_store,
        cert_manager,
        chart_operator,
        workloads,
        proxy_data,
        kyverno_policies,
        cluster_class,
        giantswarm_cluster_values,
        giantswarm_apps,
        giantswarm_installation_values,
        giantswarm_chart_values,
        tkg_vsphere_cpi,
        tkg_vsphere_csi,
        tkg_kapp_controller,
        tkg_pinniped,
        tkg_cloud_csi,
        tkg_cluster_config,
        tkg_cluster_class,
        caren_cluster_config,
        image_builder_overrides,
    )
}
"""The key under ``spec.targets`` -> the target, in the order in which they edit one object."""
