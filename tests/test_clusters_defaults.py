"""What holds for a Cluster although no manifest says it: defaults of kubeadm and of infrastructure providers."""

from __future__ import annotations

from typing import Any

import pytest

from cluster_objects import cluster, control_plane, named, obj, reference
from function_configs import PROXY, loaded
from krm_fn.clusters import Cluster, Fact, Membership, Role, Topology
from krm_fn.noproxy import Audience, Readers
from krm_fn.settings import resolve

KUBEADM = "10.96.0.0/12"
AWS_VPC = "10.0.0.0/16"


def facts(*items: dict[str, Any]) -> Cluster:
    return Topology(map(obj, items)).clusters[0]


def texts(found: tuple[Fact, ...]) -> list[str]:
    return [fact.value for fact in found]


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
        pytest.param(
            [cluster(controlPlaneRef=reference("KubeadmControlPlane", "cp"))],
            [KUBEADM],
            id="a Cluster that names a control plane of kubeadm, in the list or not",
        ),
        pytest.param([cluster(), control_plane()], [KUBEADM], id="a control plane of kubeadm that belongs to it"),
        pytest.param(cluster_class(), [KUBEADM], id="a class that makes a control plane of kubeadm"),
        pytest.param(
            cluster_class("KubeadmControlPlaneTemplate", NETWORKING), [], id="a class whose patches say it themselves"
        ),
        pytest.param(cluster_class("RKE2ControlPlaneTemplate"), [], id="a class that makes one of RKE2"),
        pytest.param(
            [cluster(controlPlaneRef=reference("RKE2ControlPlane", "cp")), control_plane("other")],
            [],
            id="a Cluster that names another control plane",
        ),
        pytest.param([cluster()], [], id="a Cluster whose control plane nobody knows"),
    ],
)
def test_the_service_cidr_of_kubeadm(items: list[dict[str, Any]], expected: list[str]) -> None:
    found = facts(*items).assumed.service_cidrs
    assert texts(found) == expected
    assert all(fact.default_of == "kubeadm" for fact in found)


def test_the_networks_of_canonical_kubernetes() -> None:
    plane = {"apiVersion": "controlplane.cluster.x-k8s.io/v1beta1", "kind": "CK8sControlPlane", "name": "cp"}
    network = facts(cluster(controlPlaneRef=plane)).assumed

    assert texts((*network.pod_cidrs, *network.service_cidrs)) == ["10.1.0.0/16", "10.152.183.0/24"]
    assert {fact.default_of for facts in network for fact in facts} == {"Canonical Kubernetes"}


def private(**balancer: Any) -> dict[str, Any]:
    return {"networkSpec": {"apiServerLB": {"type": "Internal", **balancer}}}


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
        pytest.param(
            "AWSCluster",
            {"region": "eu-west-1", "controlPlaneLoadBalancer": {"loadBalancerType": "nlb"}},
            [AWS_VPC],
            [".elb.eu-west-1.amazonaws.com"],
            id="a network load balancer of AWS has another name",
        ),
        pytest.param("AWSCluster", {"network": {"vpc": {"id": "vpc-1"}}}, [], [], id="a VPC that is there already"),
        pytest.param(
            "AWSManagedControlPlane",
            {"region": "eu-west-1"},
            [AWS_VPC],
            [".eu-west-1.eks.amazonaws.com"],
            id="EKS",
        ),
        pytest.param(
            "AzureCluster",
            private(),
            ["10.0.0.0/8"],
            ["apiserver.prod.capz.io", "10.0.0.100"],
            id="an internal load balancer of Azure",
        ),
        pytest.param(
            "AzureCluster",
            {"networkSpec": {"vnet": {"name": "v", "resourceGroup": "other"}}},
            [],
            [],
            id="a VNet of another resource group",
        ),
        pytest.param(
            "GCPCluster", {"network": {"name": "default"}}, ["10.128.0.0/9"], [], id="the default network of Google"
        ),
        pytest.param("HetznerCluster", {"hcloudNetwork": {"enabled": True}}, [AWS_VPC], [], id="a network of Hetzner"),
        pytest.param("HetznerCluster", {}, [], [], id="Hetzner without a network"),
        pytest.param("OCICluster", {"compartmentId": "c"}, [AWS_VPC], [], id="Oracle makes a VCN"),
        pytest.param("VSphereCluster", {"server": "v"}, [], [], id="nothing is known of vSphere"),
    ],
)
def test_what_the_silence_of_an_infrastructure_means(
    kind: str, spec: dict[str, Any], networks: list[str], hosts: list[str]
) -> None:
    found = facts(*infrastructure(kind, **spec)).assumed
    assert texts(found.networks) == networks
    assert texts(found.hosts) == hosts


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        pytest.param("/spec/template/spec/sshKeyName", [AWS_VPC], id="another field"),
        pytest.param("/spec/template/spec/network/vpc/cidrBlock", [], id="the very field"),
    ],
)
def test_a_patch_of_the_class_may_say_otherwise(path: str, expected: list[str]) -> None:
    items = cluster_class("KubeadmControlPlaneTemplate", path, infrastructure="AWSClusterTemplate")
    template = named("AWSClusterTemplate", "infra", spec={"template": {"spec": {}}})
    assert texts(facts(*items, template).assumed.networks) == expected


POOL = {"addresses": ["10.20.0.10-10.20.0.99", "10.20.1.5"], "prefix": 24, "gateway": "10.20.0.1"}


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        pytest.param(
            infrastructure("ProxmoxCluster", ipv4Config=POOL, ipv6Config={"addresses": ["fd00:20::10"], "prefix": 64}),
            ["10.20.0.0/24", "10.20.1.0/24", "fd00:20::/64"],
            id="the pools of Proxmox",
        ),
        pytest.param(
            [cluster(), {**named("InClusterIPPool", "p", spec=POOL), "apiVersion": "ipam.cluster.x-k8s.io/v1alpha2"}],
            ["10.20.0.0/24", "10.20.1.0/24"],
            id="a pool of the in-cluster provider",
        ),
        pytest.param(
            [
                cluster(),
                cluster("other"),
                {
                    **named(
                        "IPPool", "p", spec={"clusterName": "prod", "pools": [{"start": "10.3.0.9"}], "prefix": 16}
                    ),
                    "apiVersion": "ipam.metal3.io/v1alpha1",
                },
            ],
            ["10.3.0.0/16"],
            id="a pool of Metal3, which names its Cluster",
        ),
        pytest.param(
            infrastructure("ProxmoxCluster", ipv4Config={"addresses": ["10.0.0.1"], "prefix": 0}),
            [],
            id="a pool of every address",
        ),
    ],
)
def test_the_networks_of_pools(items: list[dict[str, Any]], expected: list[str]) -> None:
    assert texts(facts(*items).network.networks) == expected


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
    prod, other = Topology(map(obj, items)).clusters
    assert texts(prod.network.networks) == ["10.20.0.0/24", "10.20.1.0/24"]
    assert other.network.networks == ()


@pytest.mark.parametrize(
    ("items", "endpoint", "hosts"),
    [
        pytest.param(
            infrastructure("OpenStackCluster", apiServerFixedIP="10.6.0.5", apiServerFloatingIP="203.0.113.7"),
            "203.0.113.7",
            ["203.0.113.7", "10.6.0.5"],
            id="OpenStack v1beta1",
        ),
        pytest.param(
            infrastructure("AzureCluster", **private(frontendIPs=[{"privateIP": "10.0.0.7"}])),
            None,
            ["10.0.0.7"],
            id="the address of an internal load balancer of Azure",
        ),
        pytest.param(
            [
                cluster(),
                control_plane(
                    clusterConfiguration={
                        "etcd": {
                            "external": {"endpoints": ["https://etcd-0.corp.example:2379", "https://[fd00::5]:2379"]}
                        }
                    }
                ),
            ],
            None,
            ["etcd-0.corp.example", "fd00::5"],
            id="external etcd",
        ),
    ],
)
def test_the_hosts_of_a_control_plane(items: list[dict[str, Any]], endpoint: str | None, hosts: list[str]) -> None:
    found = facts(*items)
    assert [fact.value for fact in found.network.endpoint] == ([endpoint] if endpoint else [])
    assert texts(found.network.hosts) == hosts


@pytest.mark.parametrize(
    ("kind", "spec", "expected"),
    [
        pytest.param("VSphereCluster", {"server": "vcenter.corp.example:443"}, ["vcenter.corp.example"], id="vCenter"),
        pytest.param("VCDCluster", {"site": "https://vcd.corp.example/x"}, ["vcd.corp.example"], id="Cloud Director"),
        pytest.param("VCDCluster", {"site": "https://user:pw@vcd.corp.example"}, [], id="never a credential"),
        pytest.param("NutanixCluster", {"prismCentral": {"address": "10.9.0.1"}}, ["10.9.0.1"], id="Prism Central"),
    ],
)
def test_the_api_of_the_infrastructure(kind: str, spec: dict[str, Any], expected: list[str]) -> None:
    assert texts(facts(*infrastructure(kind, **spec)).network.infrastructure_hosts) == expected


AWS = [*infrastructure("AWSCluster", region="eu-west-1"), control_plane()]


def test_each_default_has_its_reason() -> None:
    membership = Membership(facts(*AWS), Role.CONTROL_PLANE)
    found = resolve(loaded(httpProxy=PROXY), [membership], target="containerdDropIn", readers=Readers(Audience.NODE))
    why = {entry.text: entry.why for entry in found.entries}
    field = "`Cluster/prod` `spec.clusterNetwork.services.cidrBlocks`"
    assert why[KUBEADM] == (f"default of kubeadm, because {field} is not set",)
    assert why[AWS_VPC] == (
        "default of Cluster API Provider AWS, because `AWSCluster/infra` `spec.network.vpc.cidrBlock` is not set",
    )
