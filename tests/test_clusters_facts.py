"""What is read about a Cluster, from which object, and what is not."""

from __future__ import annotations

from typing import Any

import pytest

from cluster_objects import (
    cluster,
    config_template,
    control_plane,
    machine_deployment,
    named,
    obj,
    reference,
)
from krm_fn.clusters import Cluster, Fact, Topology
from krm_fn.patch import field_path

NETWORK = {
    "pods": {"cidrBlocks": ["192.168.0.0/16"]},
    "services": {"cidrBlocks": ["10.96.0.0/12", "fd00:10:96::/112"]},
    "serviceDomain": "prod.local",
}
CONTROL_PLANE_REF = reference("KubeadmControlPlane", "cp")
INFRASTRUCTURE_REF = reference("AWSCluster", "infra")
FULL = cluster(
    clusterNetwork=NETWORK,
    controlPlaneEndpoint={"host": "178.170.32.59", "port": 6443},
    controlPlaneRef=CONTROL_PLANE_REF,
    infrastructureRef=INFRASTRUCTURE_REF,
)
BARE = cluster(controlPlaneRef=CONTROL_PLANE_REF, infrastructureRef=INFRASTRUCTURE_REF)
INFRASTRUCTURE = named(
    "AWSCluster",
    "infra",
    spec={
        "region": "eu-west-1",
        "controlPlaneEndpoint": {"host": "infra.example.com", "port": 6443},
        "network": {"vpc": {"cidrBlock": "10.0.0.0/16"}},
    },
)
KUBEADM = control_plane(
    clusterConfiguration={
        "controlPlaneEndpoint": "kubeadm.example.com:6443",
        "networking": {"podSubnet": "10.1.0.0/16", "serviceSubnet": "10.2.0.0/16", "dnsDomain": "kubeadm.local"},
    }
)
NAMES = ("pod_cidrs", "service_cidrs", "service_domain", "endpoint", "region", "networks")


def facts(*items: dict[str, Any]) -> Cluster:
    return Topology(map(obj, items)).clusters[0]


def value(found: Cluster, name: str) -> Any:
    """The bare values of a fact: a tuple, a text, or None."""
    fact = getattr(found.network, name)
    if name in ("service_domain", "endpoint", "infrastructure", "region"):
        fact = fact[0] if fact else None
    if isinstance(fact, Fact):
        return fact.value
    return tuple(each.value for each in fact) if isinstance(fact, tuple) else None


def values(found: Cluster) -> dict[str, Any]:
    return {name: known for name in NAMES if (known := value(found, name))}


def test_an_empty_cluster_has_none() -> None:
    assert facts({"apiVersion": "cluster.x-k8s.io/v1beta1", "kind": "Cluster"}) == Cluster(
        ref=obj(named("Cluster", "")).ref
    )


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        pytest.param(
            [FULL, KUBEADM, INFRASTRUCTURE],
            {
                "pod_cidrs": ("192.168.0.0/16",),
                "service_cidrs": ("10.96.0.0/12", "fd00:10:96::/112"),
                "service_domain": "prod.local",
                "endpoint": "178.170.32.59",
                "region": "eu-west-1",
                "networks": ("10.0.0.0/16",),
            },
            id="the Cluster goes before all others",
        ),
        pytest.param(
            [BARE, KUBEADM, INFRASTRUCTURE],
            {
                "pod_cidrs": ("10.1.0.0/16",),
                "service_cidrs": ("10.2.0.0/16",),
                "service_domain": "kubeadm.local",
                "endpoint": "infra.example.com",
                "region": "eu-west-1",
                "networks": ("10.0.0.0/16",),
            },
            id="then the infrastructure cluster, then what the configuration of kubeadm says",
        ),
        pytest.param(
            [cluster(controlPlaneRef=reference("KubeadmControlPlane", "another")), KUBEADM],
            {},
            id="a control plane in whose place the Cluster names another says nothing",
        ),
        pytest.param(
            [
                cluster(),
                machine_deployment(),
                config_template(spec={"template": {"spec": KUBEADM["spec"]["kubeadmConfigSpec"]}}),
            ],
            {},
            id="what the configuration of a worker's kubeadm says is not the truth about the Cluster",
        ),
        pytest.param(
            [cluster(), cluster("other"), {**KUBEADM, "metadata": {"name": "prod-control-plane"}}],
            {},
            id="what only the name ties says nothing",
        ),
    ],
)
def test_which_object_is_believed(items: list[dict[str, Any]], expected: dict[str, Any]) -> None:
    assert values(facts(*items)) == expected


AWS = {"region": "us-east-1", "network": {"vpc": {"cidrBlock": "10.0.0.0/16", "ipv6": {"cidrBlock": "fd00::/56"}}}}


@pytest.mark.parametrize(
    ("kind", "spec", "region", "networks"),
    [
        pytest.param("AWSCluster", AWS, "us-east-1", ("10.0.0.0/16", "fd00::/56"), id="AWS"),
        pytest.param(
            "AWSCluster",
            {"networkSpec": {"vpc": {"cidrBlock": "10.0.0.0/16"}}},
            None,
            ("10.0.0.0/16",),
            id="AWS in v1alpha3",
        ),
        pytest.param("AWSManagedControlPlane", AWS, "us-east-1", ("10.0.0.0/16", "fd00::/56"), id="EKS"),
        pytest.param(
            "AzureCluster",
            {
                "location": "westeurope",
                "networkSpec": {
                    "vnet": {"cidrBlocks": ["10.4.0.0/16"]},
                    "subnets": [{"cidrBlocks": ["10.4.1.0/24"]}, {"cidrBlocks": ["10.5.0.0/24"]}],
                },
            },
            "westeurope",
            ("10.4.0.0/16", "10.5.0.0/24"),
            id="Azure: a subnet inside the VNet adds nothing",
        ),
        pytest.param(
            "AzureManagedControlPlane",
            {
                "location": "westus2",
                "virtualNetwork": {"cidrBlock": "10.0.0.0/8", "subnet": {"cidrBlock": "10.1.0.0/16"}},
            },
            "westus2",
            ("10.0.0.0/8",),
            id="AKS",
        ),
        pytest.param(
            "OpenStackCluster",
            {"managedSubnets": [{"cidr": "10.6.0.0/24"}], "identityRef": {"name": "cloud", "region": "RegionOne"}},
            "RegionOne",
            ("10.6.0.0/24",),
            id="OpenStack",
        ),
        pytest.param(
            "OCICluster",
            {
                "region": "us-ashburn-1",
                "networkSpec": {"vcn": {"cidr": "10.0.0.0/16", "subnets": [{"cidr": "10.0.1.0/24"}]}},
            },
            "us-ashburn-1",
            ("10.0.0.0/16",),
            id="Oracle Cloud",
        ),
        pytest.param(
            "HetznerCluster", {"hcloudNetwork": {"cidrBlock": "10.0.0.0/16"}}, None, ("10.0.0.0/16",), id="Hetzner"
        ),
        pytest.param("VSphereCluster", {"server": "vcenter.example.com"}, None, (), id="vSphere has neither"),
        pytest.param("UnheardOfCluster", {"region": "mars-1"}, "mars-1", (), id="any kind of the contract"),
    ],
)
def test_infrastructure(kind: str, spec: dict[str, Any], region: str | None, networks: tuple[str, ...]) -> None:
    endpoint = {"controlPlaneEndpoint": {"host": "10.9.9.9", "port": 6443}}
    found = facts(cluster(infrastructureRef=reference(kind, "infra")), named(kind, "infra", spec={**spec, **endpoint}))
    assert (found.network.infrastructure_kind, value(found, "region"), value(found, "networks")) == (
        kind,
        region,
        networks,
    )
    assert value(found, "endpoint") == "10.9.9.9"


TEMPLATE = reference("AWSClusterTemplate", "t")
CLASS = named("ClusterClass", "small", spec={"infrastructure": {"ref": TEMPLATE}})
LABELLED = {**INFRASTRUCTURE, "metadata": {"name": "x", "labels": {"cluster.x-k8s.io/cluster-name": "prod"}}}


@pytest.mark.parametrize(
    ("items", "source"),
    [
        pytest.param(
            [cluster(infrastructureRef=reference("AWSCluster", "away")), LABELLED],
            ("Cluster", "prod", "spec.infrastructureRef"),
            id="its own reference",
        ),
        pytest.param(
            [cluster(topology={"class": "small"}), CLASS, LABELLED],
            ("ClusterClass", "small", "spec.infrastructure"),
            id="the reference of its class",
        ),
        pytest.param([cluster(), LABELLED], ("AWSCluster", "x", "kind"), id="an object with its label"),
        pytest.param(
            [cluster(topology={"class": "tkg-aws-default-v1"})],
            ("Cluster", "prod", "spec.topology.class"),
            id="the name of a class of TKG",
        ),
    ],
)
def test_what_says_the_kind_of_the_infrastructure(items: list[dict[str, Any]], source: tuple[str, str, str]) -> None:
    (found,) = facts(*items).network.infrastructure
    assert (found.value, found.ref.kind, found.ref.name, field_path(found.path)) == ("AWSCluster", *source)


KONVOY = "infrastructure.cluster.konvoy.d2iq.io/v1alpha1"
HOSTS = [{"address": "10.16.1.11"}, {"address": "node-2.corp.example"}]


def inventory(name: str, hosts: Any = HOSTS, **rest: Any) -> dict[str, Any]:
    whole = named("PreprovisionedInventory", name, spec={"hosts": hosts, "sshConfig": {"port": 22}}, **rest)
    return {**whole, "apiVersion": KONVOY}


@pytest.mark.parametrize(
    ("item", "networks"),
    [
        pytest.param(inventory("other-md-0"), (), id="named after another Cluster"),
        pytest.param(inventory("prod-md-0", hosts="10.0.0.1"), (), id="with hosts that are no list"),
        pytest.param(inventory("prod-md-0", hosts=[{"address": "$WORKER_1_ADDRESS"}, 7]), (), id="yet to be filled in"),
        pytest.param(inventory("gpu"), (), id="with a name that says nothing"),
        pytest.param(inventory("prod-control-plane"), ("10.16.1.11", "node-2.corp.example"), id="of the control plane"),
        pytest.param(inventory("prod-md-12"), ("10.16.1.11", "node-2.corp.example"), id="of workers"),
        pytest.param(
            inventory("gpu", labels={"cluster.x-k8s.io/cluster-name": "prod"}),
            ("10.16.1.11", "node-2.corp.example"),
            id="with the label of DKP",
        ),
    ],
)
def test_an_inventory_of_konvoy_names_machines_of_its_cluster(item: dict[str, Any], networks: tuple[str, ...]) -> None:
    clusters = [named("Cluster", name, namespace="default") for name in ("prod", "lab")]
    found = Topology(map(obj, [*clusters, item])).clusters
    assert value(found[0], "networks") == networks


def test_a_managed_control_plane_holds_facts_of_the_infrastructure() -> None:
    eks = cluster(
        controlPlaneRef=reference("AWSManagedControlPlane", "cp"), infrastructureRef=reference("AWSManagedCluster", "x")
    )
    found = facts(eks, named("AWSManagedCluster", "x", spec={}), named("AWSManagedControlPlane", "cp", spec=AWS))
    assert (found.network.infrastructure_kind, value(found, "region")) == ("AWSManagedCluster", "us-east-1")


@pytest.mark.parametrize(
    ("patches", "region"),
    [
        pytest.param([], "eu-west-1", id="as the template says"),
        pytest.param([{"name": "region"}], None, id="a class with patches may change what its template says"),
    ],
)
def test_the_template_of_a_class(patches: list[Any], region: str | None) -> None:
    template = named("AWSClusterTemplate", "t", spec={"template": {"spec": INFRASTRUCTURE["spec"]}})
    ref = reference("AWSClusterTemplate", "t")
    small = named("ClusterClass", "small", spec={"infrastructure": {"ref": ref}, "patches": patches})
    found = facts(cluster(topology={"class": "small"}), small, template)
    assert (found.network.infrastructure_kind, value(found, "region")) == ("AWSCluster", region)


@pytest.mark.parametrize(
    ("written", "host"),
    [
        pytest.param("178.170.32.59", "178.170.32.59", id="an address"),
        pytest.param("178.170.32.59:6443", "178.170.32.59", id="a port falls away"),
        pytest.param("[fd00::1]:6443", "fd00::1", id="brackets and port fall away"),
        pytest.param("api.example.com.:6443", "api.example.com", id="a final dot falls away"),
        pytest.param("", None, id="empty"),
        pytest.param("0.0.0.0", None, id="an address that stands for none"),  # noqa: S104 -- nothing is bound
        pytest.param("a,b", None, id="a host that would be two entries"),
        pytest.param("https://api.example.com", None, id="a URL"),
        pytest.param("${ENDPOINT}:6443", "${ENDPOINT}", id="a placeholder"),
        pytest.param('${ENDPOINT:="10.0.0.9"}', "${ENDPOINT:=10.0.0.9}", id="a default without the quotes of YAML"),
        pytest.param("${ENDPOINT:=0.0.0.0}", None, id="a default that means every address"),
        pytest.param("svc:${PASSWORD}@host", None, id="what may be a credential"),
        pytest.param("${ENDPOINT:=svc:hush@host}", None, id="a default that may hold a credential"),
        pytest.param("{{ .endpoint }}", None, id="a template of Helm or cloud-init"),
        pytest.param("a:b", None, id="a port that is no number"),
    ],
)
def test_endpoints(written: str, host: str | None) -> None:
    assert value(facts(cluster(controlPlaneEndpoint={"host": written})), "endpoint") == host
    assert value(facts(BARE, control_plane(clusterConfiguration={"controlPlaneEndpoint": written})), "endpoint") == host


@pytest.mark.parametrize(
    ("written", "cidrs"),
    [
        pytest.param(["10.96.0.1/12"], ("10.96.0.1/12",), id="host bits stay as written"),
        pytest.param([" 10.0.0.0/8 "], ("10.0.0.0/8",), id="blanks fall away"),
        pytest.param(["10.0.0.0/8", "10.0.0.1", "nonsense/8", 7], ("10.0.0.0/8",), id="what is none goes"),
        pytest.param('${POD_CIDR:=["192.168.0.0/16"]}', (), id="a placeholder in place of the list"),
        pytest.param(["${POD_CIDR}", "10.0.0.0/8"], ("${POD_CIDR}", "10.0.0.0/8"), id="a placeholder in the list"),
        pytest.param(['${X:="10.96.0.0/12"}'], ("${X:=10.96.0.0/12}",), id="a default without the quotes of YAML"),
        pytest.param(["${X:=nonsense}", "${Y:=0.0.0.0/0}"], (), id="defaults that are none"),
        pytest.param(["0.0.0.0/0", "::/0"], (), id="everything is no network"),
    ],
)
def test_cidrs(written: Any, cidrs: tuple[str, ...]) -> None:
    assert value(facts(cluster(clusterNetwork={"pods": {"cidrBlocks": written}})), "pod_cidrs") == cidrs


def test_kubeadm_separates_two_families_by_a_comma() -> None:
    networking = {"podSubnet": "10.1.0.0/16, fd00:1::/56", "serviceSubnet": "10.2.0.0/16,fd00:2::/112,"}
    found = facts(BARE, control_plane(clusterConfiguration={"networking": networking}))
    assert value(found, "pod_cidrs") == ("10.1.0.0/16", "fd00:1::/56")
    assert value(found, "service_cidrs") == ("10.2.0.0/16", "fd00:2::/112")


@pytest.mark.parametrize("name", ["controlPlaneIpAddr", "apiServerEndpoint"])
@pytest.mark.parametrize(
    ("endpoint", "given", "expected"),
    [
        pytest.param("", "10.0.0.9", "10.0.0.9", id="a variable of the classes of vSphere and TKG"),
        pytest.param("10.0.0.1", "10.0.0.9", "10.0.0.1", id="what the Cluster says itself goes before"),
        pytest.param("", "svc:hunter2@host", None, id="never a credential"),
        pytest.param("", ["a"], None, id="a value of another type"),
    ],
)
def test_the_endpoint_that_a_known_variable_says(name: str, endpoint: str, given: Any, expected: str | None) -> None:
    spec: dict[str, Any] = {"topology": {"class": "x", "variables": [{"name": name, "value": given}]}}
    if endpoint:
        spec["controlPlaneEndpoint"] = {"host": endpoint}
    assert value(facts(cluster(**spec)), "endpoint") == expected


def test_dots_around_the_domain_fall_away() -> None:
    assert value(facts(cluster(clusterNetwork={"serviceDomain": ".prod.local."})), "service_domain") == "prod.local"


def test_labels_that_are_no_texts_are_left_out() -> None:
    found = facts(named("Cluster", "prod", labels={"stage": "production", "number": 7, "none": None}, spec={}))
    assert found.labels == {"stage": "production"}


def test_the_order_of_the_list_is_not_that_of_the_facts() -> None:
    """Files and kustomize put the same objects in another order, and nodes are rolled where `NO_PROXY` changes."""
    inventories = [
        {
            "apiVersion": "infrastructure.cluster.konvoy.d2iq.io/v1alpha1",
            "kind": "PreprovisionedInventory",
            "metadata": {"name": f"c-md-{number}"},
            "spec": {"hosts": [{"address": f"10.0.0.{number}"}]},
        }
        for number in range(3)
    ]
    its = named("Cluster", "c", spec={})
    assert value(facts(its, *inventories), "networks") == value(facts(its, *reversed(inventories)), "networks")
    assert value(facts(its, *inventories), "networks") == ("10.0.0.0", "10.0.0.1", "10.0.0.2")
