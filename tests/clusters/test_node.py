"""Objects whose name, or whose chart, says of which Cluster they are, and that say nothing else about it."""

from __future__ import annotations

from typing import Any

import pytest

from krm_fn.clusters import Topology
from krm_fn.krm.resourcelist import objects
from manifests import cluster, named

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
        pytest.param("Pod", "prod-pinniped-addon", {}, id="another kind"),
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
        *("prod-vsphere-cpi-addon", "prod-vsphere-cpi-package", "prod-vsphere-cpi-data-values"),
        *("prod-kapp-controller-package", "prod-kapp-controller-data-values", "prod-vsphere-csi-addon"),
        *("prod-kapp-controller-addon", "prod-pinniped-addon", "prod-pinniped-package"),
        *("prod-aws-ebs-csi-driver-addon", "prod-azuredisk-csi-driver-addon", "prod-azurefile-csi-driver-addon"),
        "prod-config-values",
    ],
)
def test_secrets_of_tkg_begin_with_the_name_of_their_cluster(name: str) -> None:
    assert clusters_of("Secret", name) == ["prod"]


@pytest.mark.parametrize("name", ["test", "test-vsphere-cpi-package"], ids=["its Cluster", "its package"])
@pytest.mark.parametrize(("group", "kind"), CONFIGS)
def test_configurations_of_tkg_have_the_name_of_their_cluster_or_package(group: str, kind: str, name: str) -> None:
    assert clusters_of(kind, name, group=group) == ["test"]


def release(chart: str, name: str = "somebody", **spec: Any) -> Any:
    return named("HelmRelease", name, namespace="flux", spec={"chart": {"spec": {"chart": chart}}, **spec})


def app(name: str, namespace: str = "giantswarm", labels: Any = None, **spec: Any) -> Any:
    metadata = {"name": "somebody", "namespace": namespace, "labels": labels or {}}
    return {
        "apiVersion": "application.giantswarm.io/v1alpha1",
        "kind": "App",
        "metadata": metadata,
        "spec": {"name": name, **spec},
    }


def kubeconfig(name: str, *, key: str = "secret", **rest: Any) -> Any:
    return {"kubeConfig": {key: {"name": name}, **rest}}


def values_of(name: str) -> Any:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(release("cluster-autoscaler", "prod"), id="a chart that only is called like those of clusters"),
        pytest.param(app("nginx", **kubeconfig("prod-kubeconfig", inCluster=True)), id="an app of the installation"),
    ],
)
def test_what_brings_a_chart_and_names_no_cluster_of_the_list(data: Any) -> None:
    assert [membership.cluster.name for membership in Topology(TWO).of(*objects(data))] == []


NAME = "its name"
KUBECONFIG = "its `spec.kubeConfig`"


@pytest.mark.parametrize(
    ("data", "how"),
    [
        pytest.param(
            release("nginx", "test", **kubeconfig("prod-kubeconfig", key="secretRef")), KUBECONFIG, id="a release"
        ),
        pytest.param(
            app("nginx", labels={"giantswarm.io/cluster": "test"}, **kubeconfig("prod-kubeconfig")),
            KUBECONFIG,
            id="a kubeconfig goes before a label",
        ),
        pytest.param(values_of("prod-userconfig"), NAME, id="what users set for a cluster"),
    ],
)
def test_what_brings_a_chart_says_for_which_cluster(data: Any, how: str) -> None:
    found = Topology(TWO).of(*objects(data))

    assert [(one.cluster.name, one.how, one.is_certain) for one in found] == [("prod", how, True)]
