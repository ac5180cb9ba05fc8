"""What is known about the network of each Cluster becomes entries with reasons; what is not is named."""

from __future__ import annotations

from typing import Any

import pytest

from function_configs import PROXY, loaded
from krm_fn.clusters import Cluster, ClusterNetwork, Fact, Membership, Role
from krm_fn.krm.results import ObjectRef
from krm_fn.noproxy import Audience, Readers
from krm_fn.settings import Resolved, resolve

NETWORK = ("spec", "clusterNetwork")


def reference(name: str) -> ObjectRef:
    return ObjectRef("cluster.x-k8s.io/v1beta1", "Cluster", name, "org-acme")


def cluster(name: str = "prod-1", number: int = 0, **facts: Any) -> Cluster:
    """A Cluster that says everything except what ``facts`` says in its place."""
    ref = reference(name)
    infrastructure = ObjectRef("infrastructure.cluster.x-k8s.io/v1beta2", "AWSCluster", name, "org-acme")
    everything = ClusterNetwork(
        pod_cidrs=(Fact(f"10.{number}.0.0/16", ref, (*NETWORK, "pods", "cidrBlocks", "0")),),
        service_cidrs=(Fact("172.20.0.0/16", ref, (*NETWORK, "services", "cidrBlocks", "0")),),
        service_domain=(Fact("prod.local", ref, (*NETWORK, "serviceDomain")),),
        endpoint=(Fact(f"{name}.example.com", infrastructure, ("spec", "controlPlaneEndpoint", "host")),),
        infrastructure=(Fact("AWSCluster", ref, ("spec", "infrastructureRef")),),
        region=(Fact("eu-west-1", infrastructure, ("spec", "region")),),
        networks=(Fact("10.200.0.0/16", infrastructure, ("spec", "network", "vpc", "cidrBlock")),),
        mirrors=(Fact("mirror.example.com", ref, ("spec", "x")),),
    )
    return Cluster("org-acme", name, ref=ref, network=everything._replace(**facts))


def resolved(*clusters: Cluster, audience: Audience = Audience.POD, **spec: Any) -> Resolved:
    memberships = [Membership(facts, Role.WORKER) for facts in clusters]
    return resolve(loaded(httpProxy=PROXY, **spec), memberships, target="nodes.kubelet", readers=Readers(audience))


SAID = ClusterNetwork(networks=(Fact("vpc"),), hosts=(Fact("etcd"),), infrastructure_hosts=(Fact("vcenter"),))
ASSUMED = ClusterNetwork(pod_cidrs=(Fact("pods"),), networks=(Fact("default-vpc"),), hosts=(Fact("balancer"),))


@pytest.mark.parametrize(
    ("spec", "endpoint", "known"),
    [
        pytest.param({}, "api", "pods vpc default-vpc etcd", id="what a provider takes is added"),
        pytest.param({}, "", "pods vpc default-vpc balancer etcd", id="a host takes the place of the endpoint"),
        pytest.param({"noProxyPolicy": {"without": ["defaults"]}}, "", "vpc etcd", id="no defaults are wanted"),
        *(
            pytest.param({"noProxyPolicy": {"style": style}}, "", "vpc etcd", id=style)
            for style in ("GiantSwarm", "Verbatim")
        ),
        pytest.param(
            {"noProxyPolicy": {"infrastructureEndpoint": True}},
            "api",
            "pods vpc default-vpc etcd vcenter",
            id="vCenter",
        ),
    ],
)
def test_what_a_provider_takes_completes_what_a_cluster_says(spec: dict[str, Any], endpoint: str, known: str) -> None:
    network = SAID._replace(endpoint=(Fact(endpoint),) if endpoint else ())
    (found,) = resolved(Cluster("org-acme", "prod-1", network=network, assumed=ASSUMED), **spec).networks
    facts = (*found.pod_cidrs, *found.networks, *found.hosts, *found.infrastructure_hosts)
    assert " ".join(fact.value for fact in facts) == known


ALL_OF_IT = ("`podCIDRs`", "`serviceCIDRs`", "`endpoint`", "`infrastructure`")


@pytest.mark.parametrize(
    ("spec", "reported"),
    [
        pytest.param({}, ALL_OF_IT, id="nothing is known"),
        pytest.param({"noProxyPolicy": {"style": "GiantSwarm"}}, ALL_OF_IT[:3], id="nor for Giant Swarm's"),
        pytest.param(
            {"noProxyPolicy": {"without": ["endpoint", "podCIDRs", "metadata"]}},
            ("`serviceCIDRs`", "`infrastructure`"),
            id="what is not wanted is not missing",
        ),
    ],
)
def test_what_is_missing_where_there_is_no_cluster(spec: dict[str, Any], reported: tuple[str, ...]) -> None:
    assert tuple(map(str, resolved(**spec).missing)) == reported


def test_what_is_missing_in_a_cluster() -> None:
    clusters = [cluster("a", endpoint=(), pod_cidrs=()), cluster("b"), cluster("c", pod_cidrs=())]
    assert [str(fact) for fact in resolved(*clusters).missing] == [
        "`podCIDRs` of `Cluster/org-acme/a`",
        "`podCIDRs` of `Cluster/org-acme/c`",
        "`endpoint` of `Cluster/org-acme/a`",
    ]


API = Fact("10.200.0.5", reference("prod-1"), ("spec", "controlPlaneEndpoint", "host"))
NODES = ("`networks` of `Cluster/org-acme/prod-1`",)
NOT_EXPORTED = {"nodes": {"commands": {"exports": False}}}


@pytest.mark.parametrize(
    ("target", "role", "spec", "endpoint", "reported"),
    [
        pytest.param("nodes.commands", Role.CONTROL_PLANE, {}, API, NODES, id="kubeadm of a control plane"),
        pytest.param("nodes.commands", Role.WORKER, {}, API, (), id="kubeadm of a worker calls no nodes"),
        pytest.param("nodes.commands", Role.CONTROL_PLANE, {"targets": NOT_EXPORTED}, API, (), id="nothing exports"),
        pytest.param("nodes.commands", Role.CONTROL_PLANE, {"noProxy": "a,10.200.0.0/16"}, API, (), id="a user's CIDR"),
        pytest.param(
            "nodes.commands", Role.CONTROL_PLANE, {"noProxy": "10.1.0.0/16"}, Fact("a.example"), NODES, id="a name"
        ),
    ],
)
def test_the_network_of_the_nodes_is_missing_where_something_calls_them_by_address(
    target: str, role: Role, spec: dict[str, Any], endpoint: Fact | None, reported: tuple[str, ...]
) -> None:
    known = cluster(networks=(), endpoint=(endpoint,) if endpoint else ())
    config = loaded(httpProxy=PROXY, **spec)
    found = resolve(config, [Membership(known, role)], target=target, readers=Readers(Audience.NODE))
    assert tuple(map(str, found.missing)) == reported
    of_nodes = [one.field for one in found.missing if one.is_about_nodes]
    assert of_nodes == ["`spec.network.vpc.cidrBlock` of the AWSCluster" for _ in reported[-1:]]


TKG = {"style": "TKG"}


@pytest.mark.parametrize(
    ("policy", "names", "added"),
    [
        pytest.param(TKG, ("a", "b"), "a,b,.svc.cluster.local.", id="names of its parts, and rooted names"),
        pytest.param({**TKG, "rooted": False}, (), "", id="rooted names are switched off"),
        pytest.param({}, (), "", id="Portable has them anyway"),
        pytest.param({"style": "Verbatim"}, ("a",), "", id="a verbatim list"),
    ],
)
def test_a_list_has_what_its_readers_need_in_it(policy: dict[str, Any], names: tuple[str, ...], added: str) -> None:
    config = loaded(httpProxy=PROXY, noProxyPolicy=policy)

    def entries(readers: Readers) -> dict[str, tuple[str, ...]]:
        found = resolve(config, [], target="workloads", readers=readers).entries
        return {entry.text: entry.why for entry in found}

    plain, found = entries(Readers(Audience.POD)), entries(Readers(Audience.POD, names, writes_rooted_names=True))
    more = [text for text in found if text not in plain]
    assert (sorted(more), plain.items() <= found.items()) == (sorted(filter(None, added.split(","))), True)
    assert {found[name] for name in names if name in found} <= {
        ("rule: the parts of this program call each other by this name",)
    }


MIRROR = {"registryMirror": {"url": "https://mirror.example:5000"}}


@pytest.mark.parametrize(
    ("spec", "reasons"),
    [
        pytest.param({}, ["`spec.registryMirror.url`"], id="as an entry of the user"),
        pytest.param({"noProxyPolicy": {"without": ["mirrors"]}}, [], id="it is switched off"),
        pytest.param({"noProxyPolicy": {"style": "Verbatim"}}, [], id="a verbatim list"),
    ],
)
def test_the_host_of_the_registry_mirror_is_in_the_list(spec: dict[str, Any], reasons: list[str]) -> None:
    config = loaded(httpProxy=PROXY, **MIRROR, **spec)
    for audience in (Audience.NODE, Audience.PRODUCT):
        found = resolve(config, [], target="x", readers=Readers(audience))
        assert [why for entry in found.entries if entry.text == "mirror.example" for why in entry.why] == reasons
        assert found.settings.mirror == config.mirror


@pytest.mark.parametrize(
    ("audience", "reads_objects", "completed"),
    [
        (Audience.TKG, False, True),
        (Audience.TKG, True, False),
        (Audience.NODE, True, True),
        (Audience.PRODUCT, False, False),
    ],
)
def test_a_list_that_was_read_is_not_completed(audience: Audience, reads_objects: bool, completed: bool) -> None:
    config = loaded(httpProxy=PROXY, noProxy="a")._replace(reads_objects=reads_objects)
    found = resolve(config, [], target="x", readers=Readers(audience))
    assert ("localhost" in found.settings.no_proxy.split(",")) is completed
