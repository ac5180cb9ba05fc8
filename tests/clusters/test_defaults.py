"""What holds for a Cluster although no manifest says it: defaults of kubeadm and of infrastructure providers."""

from __future__ import annotations

from typing import Any

import pytest

from krm_fn.clusters import Cluster, Fact
from manifests import cluster, clusters_of, control_plane, named, reference

KUBEADM = "10.96.0.0/12"
AWS_VPC = "10.0.0.0/16"


def facts(*items: dict[str, Any]) -> Cluster:
    return clusters_of(*items)[0]


def texts(known: tuple[Fact, ...]) -> list[str]:
    return [fact.value for fact in known]


def infrastructure(kind: str, **spec: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """A Cluster and its infrastructure."""
    return cluster(infrastructureRef=reference(kind, "infra")), named(kind, "infra", spec=spec)


def cluster_class(
    kind: str = "KubeadmControlPlaneTemplate", *patches: str, infrastructure: str = ""
) -> list[dict[str, Any]]:
    """A Cluster with topology, its class, and the paths that the patches of the class write."""
    spec: dict[str, Any] = {"controlPlane": {"ref": reference(kind, "cp")}}
    if infrastructure:
        spec["infrastructure"] = {"ref": reference(infrastructure, "infra")}
    if patches:
        written = [{"op": "add", "path": path, "value": "x"} for path in patches]
        spec["patches"] = [{"name": "p", "definitions": [{"jsonPatches": written}]}]
    return [cluster(topology={"class": "quick", "version": "v1.31.0"}), named("ClusterClass", "quick", spec=spec)]


NETWORKING = "/spec/template/spec/kubeadmConfigSpec/clusterConfiguration/networking/serviceSubnet"


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        pytest.param(cluster_class(), [KUBEADM], id="a class that makes a control plane of kubeadm"),
        pytest.param(cluster_class("KubeadmControlPlaneTemplate", NETWORKING), [], id="a class whose patches say it"),
        pytest.param(
            [cluster(controlPlaneRef=reference("RKE2ControlPlane", "cp")), control_plane("other")],
            [],
            id="a Cluster that names another control plane",
        ),
    ],
)
def test_the_service_cidr_of_kubeadm(items: list[dict[str, Any]], expected: list[str]) -> None:
    found = facts(*items).assumed.service_cidrs
    assert texts(found) == expected
    assert all(fact.default_of == "kubeadm" for fact in found)


INTERNAL: dict[str, Any] = {"networkSpec": {"apiServerLB": {"type": "Internal"}}}


@pytest.mark.parametrize(
    ("kind", "pods", "services"),
    [
        pytest.param("KubeadmControlPlane", [], [KUBEADM], id="kubeadm"),
        *(
            pytest.param(kind, ["10.42.0.0/16"], ["10.43.0.0/16"], id=kind)
            for kind in ("RKE2ControlPlane", "KThreesControlPlane")
        ),
        *(
            pytest.param(kind, ["10.244.0.0/16"], [KUBEADM], id=kind)
            for kind in ("K0sControlPlane", "TalosControlPlane")
        ),
        pytest.param("CK8sControlPlane", ["10.1.0.0/16"], ["10.152.183.0/24"], id="Canonical Kubernetes"),
    ],
)
def test_the_networks_of_systems_of_nodes(kind: str, pods: list[str], services: list[str]) -> None:
    api = "controlplane.cluster.x-k8s.io/v1beta1"
    ref = {"apiVersion": api, "kind": kind, "name": "cp"}
    assumed = facts(cluster(controlPlaneRef=ref), named(kind, "cp", api=api, spec={})).assumed
    assert texts(assumed.pod_cidrs) == pods
    assert texts(assumed.service_cidrs) == services


@pytest.mark.parametrize(
    ("kind", "spec", "networks", "hosts"),
    [
        pytest.param(
            "AWSCluster",
            {"region": "eu-west-1"},
            [AWS_VPC],
            [".eu-west-1.elb.amazonaws.com"],
            id="AWS makes a VPC and a classic load balancer",
        ),
        pytest.param("AWSCluster", {"network": {"vpc": {"id": "vpc-1"}}}, [], [], id="a VPC that is there already"),
        pytest.param("HetznerCluster", {}, [], [], id="Hetzner without a network"),
        pytest.param("HetznerCluster", {"hcloudNetwork": {"enabled": True}}, [AWS_VPC], [], id="Hetzner, a network"),
        pytest.param("OCICluster", {}, [AWS_VPC], [], id="Oracle makes a VCN"),
        pytest.param("OCICluster", {"networkSpec": {"vcn": {"id": "ocid1"}}}, [], [], id="a VCN that is there already"),
        pytest.param("GCPCluster", {}, ["10.128.0.0/9"], [], id="Google's network in auto mode"),
        pytest.param("GCPCluster", {"network": {"name": "default"}}, ["10.128.0.0/9"], [], id="its name"),
        pytest.param("GCPCluster", {"network": {"name": "prod"}}, [], [], id="another network of Google"),
        pytest.param("AzureCluster", {}, ["10.0.0.0/8"], [], id="Azure makes a VNet"),
        pytest.param("AzureCluster", {"networkSpec": {"vnet": {"resourceGroup": "net"}}}, [], [], id="another's VNet"),
        pytest.param("AzureCluster", INTERNAL, ["10.0.0.0/8"], ["apiserver.prod.capz.io", "10.0.0.100"], id="internal"),
        pytest.param(
            "AzureCluster",
            {"networkSpec": {**INTERNAL["networkSpec"], "privateDNSZoneName": "corp.example"}},
            ["10.0.0.0/8"],
            ["apiserver.corp.example", "10.0.0.100"],
            id="an internal endpoint in a zone of its own",
        ),
        pytest.param(
            "AWSCluster",
            {"region": "cn-north-1", "controlPlaneLoadBalancer": {"loadBalancerType": "nlb"}},
            [AWS_VPC],
            [".elb.cn-north-1.amazonaws.com.cn"],
            id="a network load balancer in China",
        ),
        pytest.param(
            "AWSManagedControlPlane", {"region": "eu-west-1"}, [AWS_VPC], [".eu-west-1.eks.amazonaws.com"], id="EKS"
        ),
    ],
)
def test_what_an_infrastructure_assumes(kind: str, spec: dict[str, Any], networks: list[str], hosts: list[str]) -> None:
    found = facts(*infrastructure(kind, **spec)).assumed
    assert texts(found.networks) == networks
    assert texts(found.hosts) == hosts


def test_a_patch_of_the_class_may_say_otherwise() -> None:
    path = "/spec/template/spec/network/vpc/cidrBlock"
    items = cluster_class("KubeadmControlPlaneTemplate", path, infrastructure="AWSClusterTemplate")
    template = named("AWSClusterTemplate", "infra", spec={"template": {"spec": {}}})
    assert facts(*items, template).assumed.networks == ()


POOL = {"addresses": ["10.20.0.10-10.20.0.99", "10.20.1.5"], "prefix": 24, "gateway": "10.20.0.1"}


def test_the_networks_of_pools() -> None:
    ipv6 = {"addresses": ["fd00:20::10"], "prefix": 64}
    proxmox = facts(*infrastructure("ProxmoxCluster", ipv4Config=POOL, ipv6Config=ipv6))
    assert texts(proxmox.network.networks) == ["10.20.0.0/24", "10.20.1.0/24", "fd00:20::/64"]


def test_a_pool_belongs_to_the_cluster_whose_machines_use_it() -> None:
    device = {"addressesFromPools": [{"apiGroup": "ipam.cluster.x-k8s.io", "kind": "InClusterIPPool", "name": "p"}]}
    items = [
        cluster(controlPlaneRef=reference("KubeadmControlPlane", "cp")),
        cluster("other"),
        named(
            "KubeadmControlPlane",
            "cp",
            spec={"machineTemplate": {"infrastructureRef": reference("VSphereMachineTemplate", "m")}},
        ),
        named("VSphereMachineTemplate", "m", spec={"template": {"spec": {"network": {"devices": [device]}}}}),
        {**named("InClusterIPPool", "p", spec=POOL), "apiVersion": "ipam.cluster.x-k8s.io/v1alpha2"},
    ]
    prod, other = clusters_of(*items)
    assert texts(prod.network.networks) == ["10.20.0.0/24", "10.20.1.0/24"]
    assert other.network.networks == ()


def test_the_hosts_of_a_control_plane() -> None:
    items = [
        cluster(),
        control_plane(
            clusterConfiguration={
                "etcd": {"external": {"endpoints": ["https://etcd-0.corp.example:2379", "https://[fd00::5]:2379"]}}
            }
        ),
    ]
    cluster_facts = facts(*items)
    assert cluster_facts.network.endpoint == ()
    assert texts(cluster_facts.network.hosts) == ["etcd-0.corp.example", "fd00::5"]
