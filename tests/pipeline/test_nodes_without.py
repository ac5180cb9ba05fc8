"""Nodes that get no proxy are one warning for each Cluster, and none where nobody wants a proxy there."""

from __future__ import annotations

from typing import Any

import pytest

from lint_objects import PROXY, REMOVE, manifest, warned

API = "cluster.x-k8s.io/v1beta1"


def without(spec: dict[str, Any], *items: dict[str, Any]) -> list[str]:
    found = [result for result in warned(spec, *items) if result.code == "NodesWithoutProxy"]
    return [f"{result.ref.kind}/{result.ref.name}" for result in found]


def made_by(group: str, kind: str) -> dict[str, Any]:
    """A Cluster with a control plane of that kind."""
    reference = {"apiVersion": f"{group}.cluster.x-k8s.io/v1beta1", "kind": kind, "name": "prod-cp"}
    return manifest(API, "Cluster", spec={"controlPlaneRef": reference})


def control_plane(kind: str, **spec: Any) -> dict[str, Any]:
    return manifest("controlplane.cluster.x-k8s.io/v1beta1", kind, "prod-cp", spec=spec)


def workers(kind: str) -> dict[str, Any]:
    reference = {"apiVersion": "bootstrap.cluster.x-k8s.io/v1beta1", "kind": kind, "name": "w"}
    template = {"spec": {"bootstrap": {"configRef": reference}, "clusterName": "prod"}}
    return manifest(API, "MachineDeployment", "md", spec={"clusterName": "prod", "template": template})


def topology(name: str = "shared") -> dict[str, Any]:
    return manifest(API, "Cluster", spec={"topology": {"class": name}})


OKE = made_by("controlplane", "OCIManagedControlPlane")
AKS = made_by("infrastructure", "AzureManagedControlPlane")
RKE2 = made_by("controlplane", "RKE2ControlPlane")
KUBEADM = made_by("controlplane", "KubeadmControlPlane")
EDGE = {"name": "edge", "namespace": "e"}
EKS_ANYWHERE = manifest("anywhere.eks.amazonaws.com/v1alpha1", "Cluster") | {"metadata": EDGE}
OKE_KIND = "OCIManagedControlPlane"


@pytest.mark.parametrize(
    ("group", "kind"),
    [
        pytest.param("infrastructure", "GCPManagedControlPlane", id="GKE"),
        pytest.param("controlplane", OKE_KIND, id="OKE"),
        pytest.param("controlplane", "ROSAControlPlane", id="ROSA"),
        pytest.param("infrastructure", "ScalewayManagedControlPlane", id="Kapsule"),
        pytest.param("controlplane", "MicroK8sControlPlane", id="MicroK8s"),
        pytest.param("controlplane", "EtcdadmCluster", id="etcdadm"),
        pytest.param("infrastructure", "AWSManagedMachinePool", id="machine pools of EKS"),
    ],
)
def test_systems_that_no_target_writes_are_named(group: str, kind: str) -> None:
    item = manifest(f"{group}.cluster.x-k8s.io/v1beta1", kind, "prod-cp")
    assert without(PROXY, item) == [f"{kind}/prod-cp"]


def with_files(url: str) -> dict[str, Any]:
    files = [{"path": "/etc/environment", "content": f"HTTP_PROXY={url}\nHTTPS_PROXY={url}\n"}]
    return control_plane(OKE_KIND, files=files)


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        pytest.param([AKS], ["Cluster/prod"], id="what is written only if asked for"),
        pytest.param([manifest(API, "Cluster"), workers("GKEConfigTemplate")], ["Cluster/prod"], id="its workers"),
        pytest.param([workers("GKEConfigTemplate")], ["MachineDeployment/md"], id="a Cluster that is not in the list"),
        pytest.param([AKS, EKS_ANYWHERE], ["Cluster/edge", "Cluster/prod"], id="a Cluster of another namespace"),
        pytest.param([OKE, with_files("http://proxy:3128")], [], id="its files hold the proxy"),
        pytest.param([OKE, with_files("http://old:1")], [], id="its files hold another one, which is said"),
        pytest.param([topology()], ["Cluster/prod"], id="a class that is not in the list"),
    ],
)
def test_nodes_without_a_proxy_are_one_warning(items: list[dict[str, Any]], expected: list[str]) -> None:
    assert without(PROXY, *items) == expected
    assert without(REMOVE, *items) == []


def declared_for(*targets: str) -> dict[str, Any]:
    return {"overrides": [{"match": {"targets": list(targets)}, **PROXY}]}


@pytest.mark.parametrize(
    ("cluster", "spec", "is_wanted"),
    [
        pytest.param(OKE, {**PROXY, "selector": {"exclude": [{"kinds": ["Cluster"]}]}}, False, id="it is left out"),
        pytest.param(RKE2, declared_for("nodes.containerd"), False, id="RKE2, declared for kubeadm alone"),
        pytest.param(KUBEADM, declared_for("nodes.commands"), True, id="kubeadm, for a later target alone"),
        pytest.param(topology(), {**PROXY, "only": ["workloads"]}, False, id="a class, no system is asked for"),
    ],
)
def test_targets_say_whether_nodes_want_a_proxy(cluster: dict[str, Any], spec: dict[str, Any], is_wanted: bool) -> None:
    assert bool(without(spec, cluster)) is is_wanted
