"""The defaults of infrastructure providers for a manifest that says nothing, with the field that would say otherwise.

For things that are there already (a VPC by its ID), nothing is assumed. Sources, in the code of each project:
cluster-api-provider-aws ``vpc.go`` (``defaultVPCCidr``), the names of Elastic Load Balancing and Amazon EKS;
cluster-api-provider-azure ``azurecluster_default.go``, ``azure/defaults.go``; cluster-api-provider-gcp
``scope/cluster.go`` and Google's "Auto mode VPC networks"; ``HCloudNetworkSpec``; cluster-api-provider-oci
``VcnDefaultCidr``. Services and pods: ``products/node_kinds.py``, ``products/distributions.py``.
"""

from __future__ import annotations

from collections.abc import Iterator

from krm_fn.clusters.cluster import ClusterNetwork, Fact, Facts
from krm_fn.clusters.facts import host, word
from krm_fn.clusters.kinds import WHOLE_CLUSTERS, WholeCluster, network_path, paths_of
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import ObjectRef
from krm_fn.light_typing import Any, GroupKind, NamedTuple
from krm_fn.patch import Pointer, field_of, lookup, pattern, stripped
from krm_fn.products.cluster_api import CLUSTER
from krm_fn.products.distributions import Product
from krm_fn.products.node_kinds import NodeSystem

# Stands for the name of the Cluster in a value until it is known of which Cluster the object is a part.
_CLUSTER = "<cluster>"


class _DefaultNetwork(NamedTuple):
    """A network that a provider makes unless one of the fields of ``instead`` is set."""

    cidr: str
    program: str
    instead: str


_AWS = _DefaultNetwork(
    "10.0.0.0/16",
    "Cluster API Provider AWS",
    "network.vpc.id network.vpc.cidrBlock network.vpc.ipamPool "
    "networkSpec.vpc.id networkSpec.vpc.cidrBlock networkSpec.vpc.ipamPool",
)
# Kind of an infrastructure cluster -> the network that its provider makes for it.
_NETWORKS = {
    "AWSCluster": _AWS,
    "AWSManagedControlPlane": _AWS,
    "AzureCluster": _DefaultNetwork(
        "10.0.0.0/8",
        "Cluster API Provider Azure",
        "networkSpec.vnet.id networkSpec.vnet.resourceGroup networkSpec.vnet.cidrBlocks networkSpec.vnet.cidrBlock "
        "networkSpec.subnets.0.cidrBlocks networkSpec.subnets.0.cidrBlock",
    ),
    "GCPCluster": _DefaultNetwork(
        "10.128.0.0/9",
        "Google Cloud",
        "network.name network.autoCreateSubnetworks network.hostProject network.subnets",
    ),
    "HetznerCluster": _DefaultNetwork(
        "10.0.0.0/16", "Cluster API Provider Hetzner", "hcloudNetwork.cidrBlock"
    ),
    "OCICluster": _DefaultNetwork(
        "10.0.0.0/16",
        "Cluster API Provider OCI",
        "networkSpec.vcn.id networkSpec.vcn.cidr networkSpec.vcn.cidrs networkSpec.skipNetworkManagement",
    ),
}


# What says nothing in a field; Google's network in auto mode is called "default".
_SILENT: tuple[Any, ...] = (None, "", [], {}, "default")


class _Infrastructure(NamedTuple):
    """The specification of an infrastructure cluster, or of what is made of a template, and where it is."""

    kind: str
    ref: ObjectRef
    start: Pointer
    spec: Any

    def get(self, path: str) -> Any:
        return lookup(self.spec, pattern(path))

    def fact(self, value: str, path: str, program: str) -> Fact:
        return Fact(value, self.ref, self.start + pattern(path), program)


def assumed(obj: Object) -> ClusterNetwork:
    """Return the defaults of an infrastructure, of its template, or of a cluster outside of Cluster API."""
    if obj.group_kind in WHOLE_CLUSTERS:
        cluster = WHOLE_CLUSTERS[obj.group_kind]
        if cluster.needs and lookup(obj.data, cluster.needs) is None:
            return ClusterNetwork()
        return network_of_system(cluster, obj.ref, obj.group_kind)
    kind = obj.ref.kind.removesuffix("Template")
    start = ("spec",) if kind == obj.ref.kind else ("spec", "template", "spec")
    part = _Infrastructure(kind, obj.ref, start, lookup(obj.data, start))
    default = _NETWORKS.get(kind)
    if default is None:
        return ClusterNetwork()
    networks: Facts = ()
    is_made = kind != "HetznerCluster" or part.get("hcloudNetwork.enabled") is True
    if is_made and all(part.get(path) in _SILENT for path in default.instead.split()):
        networks = (part.fact(default.cidr, network_path(kind), default.program),)
    return ClusterNetwork(networks=networks, hosts=tuple(_hosts(part)))


def _hosts(part: _Infrastructure) -> Iterator[Fact]:
    """Yield the names under which the provider publishes the API server."""
    endpoint = "controlPlaneEndpoint.host"
    region = word(part.get("region"))
    domain = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
    balancer = stripped(part.get("controlPlaneLoadBalancer.loadBalancerType"))
    if part.kind == "AWSManagedControlPlane" and region:
        yield part.fact(f".{region}.eks.{domain}", endpoint, "Amazon EKS")
    elif part.kind == "AWSCluster" and region and balancer != "disabled":
        name = f".elb.{region}.{domain}" if balancer == "nlb" else f".{region}.elb.{domain}"
        yield part.fact(name, endpoint, "Elastic Load Balancing")
    elif part.kind == "AzureCluster" and part.get("networkSpec.apiServerLB.type") == "Internal":
        program = "Cluster API Provider Azure"
        zone = host(part.get("networkSpec.privateDNSZoneName")) or f"{_CLUSTER}.capz.io"
        addresses = "networkSpec.apiServerLB.frontendIPs"
        yield part.fact(f"apiserver.{zone}", endpoint, program)
        if not part.get(addresses):
            yield part.fact("10.0.0.100", addresses, program)


def hosts_of_cluster(network: ClusterNetwork, name: str) -> Facts:
    """Return the hosts among the defaults, with the name of the Cluster in them."""
    return tuple(fact._replace(value=fact.value.replace(_CLUSTER, name)) for fact in network.hosts)


def network_of_system(
    system: NodeSystem | Product | WholeCluster, ref: ObjectRef, group_kind: GroupKind = CLUSTER
) -> ClusterNetwork:
    """Return the default networks of a system, each with the first field of an object that would say another one."""
    paths = paths_of(*group_kind)
    facts = {}
    for name, cidr in (("pod_cidrs", system.pod_cidr), ("service_cidrs", system.service_cidr)):
        if cidr:
            facts[name] = (Fact(cidr, ref, field_of(paths[name][0]), system.name),)
    return ClusterNetwork(**facts)
