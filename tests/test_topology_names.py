"""Objects that a product has named after their Cluster, and that say nothing else about it."""

from __future__ import annotations

from typing import Any

import pytest
from topology_objects import cluster

from krm_fn.resourcelist import objects
from krm_fn.topology import Topology

TWO = [*objects(cluster("prod")), *objects(cluster("test"))]
CONFIGS = [
    ("cpi.tanzu.vmware.com", "VSphereCPIConfig"),
    ("csi.tanzu.vmware.com", "VSphereCSIConfig"),
    ("csi.tanzu.vmware.com", "AwsEbsCSIConfig"),
    ("csi.tanzu.vmware.com", "AzureDiskCSIConfig"),
    ("csi.tanzu.vmware.com", "AzureFileCSIConfig"),
    ("run.tanzu.vmware.com", "KappControllerConfig"),
]


def clusters_of(kind: str, name: str, *, group: str = "", **metadata: Any) -> list[str]:
    version = f"{group}/v1alpha1" if group else "v1"
    (obj,) = objects({"apiVersion": version, "kind": kind, "metadata": {"name": name, **metadata}})
    return [found.cluster.name for found in Topology(TWO).of(obj)]


@pytest.mark.parametrize(
    ("kind", "name", "metadata"),
    [
        pytest.param("Secret", "prod", {}, id="a Secret with the name of a Cluster"),
        pytest.param("Secret", "gone-pinniped-addon", {}, id="a Secret of a Cluster that is not in the list"),
        pytest.param("Secret", "prod-database", {}, id="a Secret of somebody else"),
        pytest.param("Pod", "prod-pinniped-addon", {}, id="another kind"),
        pytest.param("VSphereCPIConfig", "prod", {"group": "example.com"}, id="a configuration of another group"),
        pytest.param(
            "VSphereCPIConfig",
            "prod",
            {"group": "cpi.tanzu.vmware.com", "annotations": {"tkg.tanzu.vmware.com/template-config": "true"}},
            id="a configuration that is copied for many Clusters",
        ),
    ],
)
def test_a_name_that_says_nothing(kind: str, name: str, metadata: Any) -> None:
    assert clusters_of(kind, name, **metadata) == []


@pytest.mark.parametrize(
    "name",
    [
        "prod-vsphere-cpi-addon",
        "prod-vsphere-csi-addon",
        "prod-kapp-controller-addon",
        "prod-pinniped-addon",
        "prod-pinniped-package",
        "prod-aws-ebs-csi-driver-addon",
        "prod-azuredisk-csi-driver-addon",
        "prod-azurefile-csi-driver-addon",
        "prod-config-values",
    ],
)
def test_secrets_of_tkg_begin_with_the_name_of_their_cluster(name: str) -> None:
    assert clusters_of("Secret", name) == ["prod"]


@pytest.mark.parametrize(("group", "kind"), CONFIGS)
def test_configurations_of_tkg_have_the_name_of_their_cluster(group: str, kind: str) -> None:
    assert clusters_of(kind, "test", group=group) == ["test"]
