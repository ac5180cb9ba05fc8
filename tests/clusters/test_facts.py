"""What is read about a Cluster, from which object, and what is not."""

from __future__ import annotations

from typing import Any

import pytest

from krm_fn.clusters import Cluster, Fact
from krm_fn.patch import field_path
from manifests import cluster, clusters_of, control_plane, named, reference

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
    return clusters_of(*items)[0]


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
            [cluster(controlPlaneRef=reference("KubeadmControlPlane", "another")), KUBEADM],
            {},
            id="a control plane in whose place the Cluster names another says nothing",
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


def test_every_endpoint_of_a_control_plane_counts_by_the_contract_of_any_infrastructure() -> None:
    infra = named("AnyCluster", "infra", spec={"controlPlaneEndpoint": {"host": "public.example"}})
    plane = control_plane(clusterConfiguration={"controlPlaneEndpoint": "private.example:6443"})
    references = {"controlPlaneRef": CONTROL_PLANE_REF, "infrastructureRef": reference("AnyCluster", "infra")}
    for group in ("infrastructure.cluster.x-k8s.io", "infrastructure.cluster.konvoy.d2iq.io"):
        version = f"{group}/v1alpha1"
        references["infrastructureRef"] = {**references["infrastructureRef"], "apiVersion": version}
        found = facts(cluster(**references), {**infra, "apiVersion": version}, plane)
        assert (value(found, "endpoint"), value(found, "hosts")) == ("public.example", ("private.example",))


def test_infrastructure() -> None:
    spec = {
        "managedSubnets": [{"cidr": "10.6.0.0/24"}],
        "identityRef": {"name": "cloud", "region": "RegionOne"},
        "controlPlaneEndpoint": {"host": "10.9.9.9", "port": 6443},
    }
    kind = "OpenStackCluster"
    found = facts(cluster(infrastructureRef=reference(kind, "infra")), named(kind, "infra", spec=spec))
    assert found.network.infrastructure_kind == kind
    assert values(found) == {"endpoint": "10.9.9.9", "region": "RegionOne", "networks": ("10.6.0.0/24",)}


TEMPLATE = reference("AWSClusterTemplate", "t")
CLASS = named("ClusterClass", "small", spec={"infrastructure": {"ref": TEMPLATE}})
LABELLED = {**INFRASTRUCTURE, "metadata": {"name": "x", "labels": {"cluster.x-k8s.io/cluster-name": "prod"}}}


def test_what_says_the_kind_of_the_infrastructure() -> None:
    (fact,) = facts(cluster(topology={"class": "small"}), CLASS, LABELLED).network.infrastructure
    assert (fact.value, fact.ref.kind, fact.ref.name, field_path(fact.path)) == (
        "AWSCluster",
        "ClusterClass",
        "small",
        "spec.infrastructure",
    )


@pytest.mark.parametrize(
    ("written", "host"),
    [
        pytest.param("[fd00::1]:6443", "fd00::1", id="brackets and port fall away"),
        pytest.param("0.0.0.0", None, id="an address that stands for none"),  # noqa: S104 -- nothing is bound
        pytest.param("${ENDPOINT}:6443", "${ENDPOINT}", id="a placeholder"),
        pytest.param("${ENDPOINT}:${PORT:=6443}", "${ENDPOINT}", id="a placeholder for the port"),
        pytest.param("${PREFIX}::1", "${PREFIX}::1", id="a part of an address is no port"),
        pytest.param("svc:${PASSWORD}@host", None, id="what may be a credential"),
    ],
)
def test_endpoints(written: str, host: str | None) -> None:
    assert value(facts(cluster(controlPlaneEndpoint={"host": written})), "endpoint") == host
    assert value(facts(BARE, control_plane(clusterConfiguration={"controlPlaneEndpoint": written})), "endpoint") == host
    of_caren = {"name": "clusterConfig", "value": {"nutanix": {"controlPlaneEndpoint": {"host": written}}}}
    assert value(facts(cluster(topology={"variables": [of_caren]})), "endpoint") == host


@pytest.mark.parametrize(
    ("written", "cidrs"),
    [
        pytest.param(["10.96.0.1/12"], ("10.96.0.1/12",), id="host bits stay as written"),
        pytest.param('${POD_CIDR:=["192.168.0.0/16"]}', (), id="a placeholder in place of the list"),
        pytest.param(["${X:=nonsense}", "${Y:=0.0.0.0/7}"], (), id="defaults that are none"),
        pytest.param(["10.0.0.0/7", "fc00::/7"], (), id="what is wider than any private network"),
    ],
)
def test_cidrs(written: Any, cidrs: tuple[str, ...]) -> None:
    assert value(facts(cluster(clusterNetwork={"pods": {"cidrBlocks": written}})), "pod_cidrs") == cidrs


def test_the_order_of_the_list_is_not_that_of_the_facts() -> None:
    """Files and kustomize put the same objects in another order, and nodes are rolled where `NO_PROXY` changes."""
    inventories = [
        named(
            "PreprovisionedInventory",
            f"c-md-{number}",
            api="infrastructure.cluster.konvoy.d2iq.io/v1alpha1",
            spec={"hosts": [{"address": f"10.0.0.{number}"}]},
        )
        for number in range(3)
    ]
    its = named("Cluster", "c", spec={})
    assert value(facts(its, *inventories), "networks") == value(facts(its, *reversed(inventories)), "networks")
    assert value(facts(its, *inventories), "networks") == ("10.0.0.0", "10.0.0.1", "10.0.0.2")


def variable_of_class(name: str, value: Any) -> dict[str, Any]:
    return cluster(topology={"class": "bare", "variables": [{"name": name, "value": value}]})


@pytest.mark.parametrize(
    ("name", "given", "path"),
    [
        pytest.param("controlPlaneIpAddr", "10.0.0.9", "value", id="vSphere"),
        pytest.param("apiServerEndpoint", "10.0.0.9", "value", id="TKG"),
        pytest.param("controlPlaneEndpoint", {"host": "10.0.0.9", "port": 6443}, "value.host", id="Metal3"),
        pytest.param("controlPlaneEndpoint", {"IP": "10.0.0.9", "port": 6443}, "value.IP", id="Nutanix"),
    ],
)
def test_the_endpoint_in_a_variable_of_a_well_known_class(name: str, given: Any, path: str) -> None:
    (fact,) = facts(variable_of_class(name, given)).network.endpoint
    assert (fact.value, field_path(fact.path)) == ("10.0.0.9", f"spec.topology.variables[0].{path}")


@pytest.mark.parametrize(
    ("name", "given"),
    [("controlPlaneEndpoint", "10.0.0.9"), ("controlPlaneEndpoint", {"port": 1}), ("other", {"host": "10.0.0.9"})],
)
def test_a_variable_that_holds_no_endpoint(name: str, given: Any) -> None:
    assert not facts(variable_of_class(name, given)).network.endpoint


def acme(kind: str, **metadata: Any) -> dict[str, Any]:
    spec = {"controlPlaneEndpoint": {"host": "pub.acme.example"}}
    return named(kind, "infra", api="infra.acme.example/v1", spec=spec, **metadata)


def test_the_endpoint_of_an_infrastructure_in_any_group() -> None:
    reference_to_acme = {"apiVersion": "infra.acme.example/v1", "kind": "AcmeCluster", "name": "infra"}
    named_by_cluster = cluster(controlPlaneRef=CONTROL_PLANE_REF, infrastructureRef=reference_to_acme)
    assert value(facts(named_by_cluster, acme("AcmeCluster"), KUBEADM), "endpoint") == "pub.acme.example"


def test_what_no_cluster_names_as_its_infrastructure_has_no_endpoint_of_it() -> None:
    database = acme("PostgresCluster", labels={"cluster.x-k8s.io/cluster-name": "prod"})
    assert not facts(BARE, database).network.endpoint
