"""What each style adds to a list: by which name it is switched off, and why it is there."""

from __future__ import annotations

import pytest

from function_configs import ALL_DERIVED
from krm_fn.clusters import ClusterNetwork, Fact
from krm_fn.krm.results import ObjectRef
from krm_fn.noproxy import Audience, Entry, Policy, Style, composition
from krm_fn.noproxy.policy import INFRASTRUCTURE_ENDPOINT

ON_AWS = ClusterNetwork(
    pod_cidrs=(Fact("192.168.0.0/16"), Fact("fd01::/48")),
    service_cidrs=(Fact("10.96.0.0/12"),),
    service_domain=(Fact("prod.local"),),
    endpoint=(Fact("api.example"),),
    hosts=(Fact("etcd.example"),),
    mirrors=(Fact("mirror.example"),),
    networks=(Fact("10.0.0.0/16"),),
    infrastructure=(Fact("AWSCluster"),),
    infrastructure_hosts=(Fact("aws.example"),),
    region=(Fact("eu-west-1"),),
)
ON_AZURE = ClusterNetwork(infrastructure=(Fact("AzureCluster"),))
ALL = ALL_DERIVED | {INFRASTRUCTURE_ENDPOINT}


def listed(style: Style, *without: str) -> tuple[Entry, ...]:
    """The list of an object that two Clusters share."""
    has_endpoint = INFRASTRUCTURE_ENDPOINT not in without
    policy = Policy(style=style, without=frozenset(without), infrastructure_endpoint=has_endpoint)
    return composition.compose((Entry("user.example"),), (ON_AWS, ON_AZURE), policy, Audience.NODE)


CIDRS = {"podCIDRs": "192.168.0.0/16,fd01::/48", "serviceCIDRs": "10.96.0.0/12"}
SWITCHED = {
    Style.PORTABLE: {
        **CIDRS,
        "loopback": "localhost,127.0.0.1,::1",
        "clusterDomain": "svc,.svc,prod.local,.prod.local,cluster.local,.cluster.local,"
        ".svc.prod.local.,.svc.cluster.local.,kubernetes,kubernetes.default",
        "serviceAddresses": "10.96.0.1",
        "endpoint": "api.example,etcd.example",
        "metadata": "169.254.169.254,fd00:ec2::254",
        "provider": "eu-west-1.compute.internal,.eu-west-1.compute.internal,168.63.129.16",
        "networks": "10.0.0.0/16",
        "mirrors": "mirror.example",
        "infrastructureEndpoint": "aws.example",
    },
    Style.GIANT_SWARM: {
        **CIDRS,
        "loopback": "127.0.0.1,localhost",
        "clusterDomain": "prod.local,svc",
        "endpoint": "api.example",
    },
    Style.TKG: {
        **CIDRS,
        "loopback": "localhost,127.0.0.1,::1",
        "clusterDomain": ".svc.prod.local,.svc.cluster.local,.svc",
        "metadata": "169.254.0.0/16",
        "provider": "168.63.129.16",
        "networks": "10.0.0.0/16",
        "infrastructureEndpoint": "aws.example",
    },
    Style.SORTED: {
        **CIDRS,
        "loopback": "127.0.0.1,localhost",
        "clusterDomain": ".cluster.local,.prod.local,.svc",
        "endpoint": "api.example,etcd.example",
        "metadata": "169.254.169.254",
        "provider": ".eu-west-1.compute.internal",
        "networks": "10.0.0.0/16",
        "infrastructureEndpoint": "aws.example",
    },
    Style.VERBATIM: {},
}
"""Style -> name of a part -> what it adds."""


@pytest.mark.parametrize("name", sorted(ALL))
@pytest.mark.parametrize("style", Style)
def test_a_name_that_is_switched_off_takes_out_what_derives_from_it_and_nothing_else(style: Style, name: str) -> None:
    everything = [entry.text for entry in listed(style)]
    left = [entry.text for entry in listed(style, name)]
    gone = [text for text in everything if text not in left]
    assert ",".join(gone) == SWITCHED[style].get(name, "")
    assert left == [text for text in everything if text not in gone]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        pytest.param("AWSManagedControlPlane", "169.254.169.254,169.254.170.23,fd00:ec2::254,fd00:ec2::23", id="EKS"),
        pytest.param(
            "GCPCluster", "169.254.169.254,metadata,metadata.google.internal,metadata.google.internal.", id="GCP"
        ),
        pytest.param("IBMVPCCluster", "169.254.169.254,api.metadata.cloud.ibm.com", id="IBM VPC"),
        pytest.param("PacketCluster", "metadata.platformequinix.com", id="Equinix Metal has its own instead"),
        pytest.param("CloudStackCluster", "data-server,data-server.", id="CloudStack too"),
        pytest.param("VSphereCluster", "", id="vSphere has none"),
    ],
)
def test_the_metadata_service_of_a_cloud(kind: str, expected: str) -> None:
    policy = Policy(without=ALL_DERIVED - {"metadata"})
    network = ClusterNetwork(infrastructure=(Fact(kind),), service_cidrs=(Fact("fd64::/108"),))
    found = composition.compose((), (network,), policy, Audience.NODE)
    assert ",".join(entry.text for entry in found) == expected


@pytest.mark.parametrize("style", [style for style in Style if style is not Style.VERBATIM])
def test_a_domain_of_one_label_that_an_object_says_is_that_of_its_services(style: Style) -> None:
    policy = Policy(style=style, without=ALL_DERIVED - {"clusterDomain"})
    for config_field, covers in (("", False), ("spec.clusterDefaults.serviceDomain", style is not Style.TKG)):
        fact = Fact("com", ObjectRef(kind="Cluster"), config_field=config_field)
        network = ClusterNetwork(service_domain=(fact,))
        texts = {entry.text for entry in composition.compose((), (network,), policy, Audience.NODE)}
        assert texts.isdisjoint({"com", ".com"}) is not covers
        assert covers or not texts.isdisjoint({"svc.com", ".svc.com"})


@pytest.mark.parametrize(
    ("style", "domain", "expected"),
    [
        pytest.param(Style.PORTABLE, ".X.Prod.Local.", "x.prod.local", id="Portable writes the plain name"),
        pytest.param(Style.PORTABLE, ".${Cluster}.X.", "${Cluster}.X", id="a placeholder keeps its letters"),
    ],
)
def test_the_domain_of_a_cluster_in_its_plain_form(style: Style, domain: str, expected: str) -> None:
    policy = Policy(style=style, without=ALL_DERIVED - {"clusterDomain"})
    network = ClusterNetwork(service_domain=(Fact(domain),))
    found = [entry.text for entry in composition.compose((), (network,), policy, Audience.NODE)]
    assert expected in found
