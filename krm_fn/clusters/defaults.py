"""What holds for a Cluster where no manifest says it: defaults of its nodes and of the infrastructure providers.

A provider takes such a value when it makes the Cluster, and often writes it into the object in the API server; the
manifest in a repository stays silent. Each fact has the name of the program whose default it is, and the field that
would say otherwise. Where an object names something that is there already (a VPC by its ID, a VNet of another resource
group), nothing is assumed: its addresses can be any.

Sources, each read in the code of the project:

* The services are those of what sets up the nodes (``products/node_kinds.py``, ``products/distributions.py``);
  Cluster API passes ``spec.clusterNetwork`` of a Cluster on to it and has no default of its own. A cluster outside of
  Cluster API has its own (``kinds.CLUSTERS_ALONE``).
* cluster-api-provider-aws ``pkg/cloud/services/network/vpc.go``: ``defaultVPCCidr``; ``api/v1beta2/network_types.go``:
  ``ipamPool`` takes its place. Elastic Load Balancing names a classic or application load balancer
  ``<name>-<id>.<region>.elb.amazonaws.com`` and a network load balancer ``<name>-<id>.elb.<region>.amazonaws.com``, in
  China with ``.cn`` at the end; ``controlPlaneLoadBalancer.loadBalancerType`` says which, ``classic`` by default.
  Amazon EKS: ``<id>.<shard>.<region>.eks.amazonaws.com``.
* cluster-api-provider-azure ``api/v1beta1/azurecluster_default.go``: ``DefaultVnetCIDR``,
  ``DefaultInternalLBIPAddress``, ``generatePublicIPName``; ``azure/defaults.go``: ``GeneratePrivateFQDN``,
  ``GeneratePrivateDNSZoneName``; ``azure/scope/cluster.go``: ``GenerateFQDN``, ``APIServerHost``.
* cluster-api-provider-gcp ``cloud/scope/cluster.go``: ``NetworkName``; Google Cloud's networks in auto mode, the one
  called ``default`` among them, take their subnets from 10.128.0.0/9 (VPC documentation, "Auto mode VPC networks").
* cluster-api-provider-hetzner ``HCloudNetworkSpec.cidrBlock``; cluster-api-provider-oci ``VcnDefaultCidr``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from krm_fn.clusters.kinds import CLUSTERS_ALONE, ClusterAlone
from krm_fn.clusters.reading import host, pattern, region, text
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import ObjectRef
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.noproxy import ClusterNetwork, Fact
from krm_fn.patch import Pointer, lookup
from krm_fn.products.distributions import Product
from krm_fn.products.node_kinds import NodeSystem

_CLUSTER = "<cluster>"
"""Stands for the name of the Cluster in a value until it is known of which Cluster the object is a part."""

_AZURE_DOMAINS = {
    "AzurePublicCloud": "cloudapp.azure.com",
    "AzureUSGovernmentCloud": "cloudapp.usgovcloudapi.net",
    "AzureChinaCloud": "cloudapp.chinacloudapi.cn",
}
"""The domain of public addresses in each cloud (go-autorest ``azure/environments.go``: ``ResourceManagerVMDNSSuffix``).
"""


class _Infrastructure(NamedTuple):
    """An object that makes the infrastructure of a Cluster: its ``spec``, or that of what is made of a template."""

    ref: ObjectRef
    start: Pointer
    spec: Mapping[str, Any]
    is_template: bool

    def get(self, path: str) -> Any:
        """Return the value at a path such as ``"networkSpec.vnet.id"`` below ``spec``.

        None if there is none.
        """
        return lookup(self.spec, pattern(path))

    def fact(self, value: str, path: str, default_of: str) -> Fact:
        """Return a default; ``path`` is the field that overrides it."""
        return Fact(value, self.ref, (*self.start, *pattern(path)), default_of)


def assumed(obj: Object) -> ClusterNetwork:
    """Return the defaults of the fields that an infrastructure cluster, control plane or template leaves out."""
    kind = obj.ref.kind
    find = _FINDERS.get(kind.removesuffix("Template"))
    if find is None:
        return ClusterNetwork()
    is_template = kind.endswith("Template")
    start = ("spec", "template", "spec") if is_template else ("spec",)
    spec = lookup(obj.data, start)
    return find(
        _Infrastructure(obj.ref, start, spec if isinstance(spec, Mapping) else {}, is_template)
    )


def network_of(system: NodeSystem | Product, cluster: ObjectRef) -> ClusterNetwork:
    """Return the networks of pods and Services of a Cluster that a system of nodes makes and that declares none."""
    path = "spec.clusterNetwork.{}.cidrBlocks"
    return _networks(
        system, cluster, pattern(path.format("pods")), pattern(path.format("services"))
    )


def network_alone(obj: Object) -> ClusterNetwork:
    """Return the same of an object that is a cluster outside of Cluster API."""
    alone = CLUSTERS_ALONE[obj.group_kind]
    if alone.beside and lookup(obj.data, alone.beside) is None:
        return ClusterNetwork()
    pods, services = (
        tuple(step for step in paths[0] if step != "*")
        for paths in (alone.fields.pod_cidrs, alone.fields.service_cidrs)
    )
    return _networks(alone, obj.ref, pods, services)


def _networks(
    system: NodeSystem | Product | ClusterAlone, ref: ObjectRef, pods: Pointer, services: Pointer
) -> ClusterNetwork:
    """Return the networks of a system; the paths lead to the fields that would name others."""

    def fact(cidr: str, path: Pointer) -> tuple[Fact, ...]:
        return (Fact(cidr, ref, path, system.name),) if cidr else ()

    return ClusterNetwork(
        pod_cidrs=fact(system.pod_cidr, pods),
        service_cidrs=fact(system.service_cidr, services),
    )


def for_cluster(found: ClusterNetwork, name: str) -> ClusterNetwork:
    """Return the facts with the name of the Cluster in the values that hold one."""
    return found._replace(
        hosts=tuple(
            fact._replace(value=fact.value.replace(_CLUSTER, name)) for fact in found.hosts
        ),
    )


def _aws(part: _Infrastructure) -> ClusterNetwork:
    hosts = tuple(_aws_load_balancer(part))
    return ClusterNetwork(networks=tuple(_aws_network(part)), hosts=hosts)


def _eks(part: _Infrastructure) -> ClusterNetwork:
    name = region(part.get("region"))
    value = f".{name}.eks.{_amazon(name)}"
    hosts = (part.fact(value, "controlPlaneEndpoint.host", "Amazon EKS"),) if name else ()
    return ClusterNetwork(networks=tuple(_aws_network(part)), hosts=hosts)


def _aws_network(part: _Infrastructure) -> Iterator[Fact]:
    for network in ("network", "networkSpec"):  # v1alpha4 and later, v1alpha3
        vpc = part.get(f"{network}.vpc")
        if isinstance(vpc, Mapping) and any(
            vpc.get(field) for field in ("id", "cidrBlock", "ipamPool")
        ):
            return
    yield part.fact("10.0.0.0/16", "network.vpc.cidrBlock", "Cluster API Provider AWS")


def _aws_load_balancer(part: _Infrastructure) -> Iterator[Fact]:
    name = region(part.get("region"))
    kind = text(part.get("controlPlaneLoadBalancer.loadBalancerType"))
    if not name or kind == "disabled":
        return
    domain = _amazon(name)
    value = f".elb.{name}.{domain}" if kind == "nlb" else f".{name}.elb.{domain}"
    yield part.fact(value, "controlPlaneEndpoint.host", "Elastic Load Balancing")


def _amazon(name: str) -> str:
    """Return the domain of the services of a region."""
    return "amazonaws.com.cn" if name.startswith("cn-") else "amazonaws.com"


def _azure(part: _Infrastructure) -> ClusterNetwork:
    balancer = "networkSpec.apiServerLB"
    is_internal = text(part.get(f"{balancer}.type")) == "Internal"
    hosts = _azure_private(part) if is_internal else _azure_public(part)
    return ClusterNetwork(networks=tuple(_azure_network(part)), hosts=tuple(hosts))


def _azure_network(part: _Infrastructure) -> Iterator[Fact]:
    """Yield the VNet that the provider creates, unless every subnet has a CIDR of its own."""
    vnet = part.get("networkSpec.vnet")
    vnet = vnet if isinstance(vnet, Mapping) else {}
    group = text(vnet.get("resourceGroup"))
    is_foreign = bool(group) and group != text(part.get("resourceGroup"))
    if vnet.get("id") or vnet.get("cidrBlocks") or vnet.get("cidrBlock") or is_foreign:
        return
    subnets = part.get("networkSpec.subnets")
    subnets = subnets if isinstance(subnets, list) else []
    if subnets and all(
        lookup(one, ("cidrBlocks",)) or lookup(one, ("cidrBlock",)) for one in subnets
    ):
        return
    yield part.fact("10.0.0.0/8", "networkSpec.vnet.cidrBlocks", "Cluster API Provider Azure")


def _azure_private(part: _Infrastructure) -> Iterator[Fact]:
    program = "Cluster API Provider Azure"
    zone = host(part.get("networkSpec.privateDNSZoneName")) or f"{_CLUSTER}.capz.io"
    yield part.fact(f"apiserver.{zone}", "controlPlaneEndpoint.host", program)
    if not part.get("networkSpec.apiServerLB.frontendIPs"):
        yield part.fact("10.0.0.100", "networkSpec.apiServerLB.frontendIPs", program)


def _azure_public(part: _Infrastructure) -> Iterator[Fact]:
    """Yield the name of the public address, which holds a hash of the manifest.

    A template does not give all of it.
    """
    name = part.ref.name
    subscription, location = text(part.get("subscriptionID")), region(part.get("location"))
    group = text(part.get("resourceGroup")) or name
    first = part.get("networkSpec.apiServerLB.frontendIPs.0")
    address = text(lookup(first, ("publicIP", "name"))) or f"pip-{name}-apiserver"
    domain = _AZURE_DOMAINS.get(text(part.get("azureEnvironment")) or "AzurePublicCloud")
    parts = (subscription, group, address)
    is_known = all(parts) and not any("{" in each for each in (*parts, location))
    if part.is_template or not (location and domain and is_known):
        return
    value = f"{_CLUSTER}-{_fnv32a('/'.join(parts)):x}.{location}.{domain}".lower()
    yield part.fact(value, "controlPlaneEndpoint.host", "Cluster API Provider Azure")


def _fnv32a(value: str) -> int:
    """Return the 32-bit FNV-1a hash of Go's ``hash/fnv``."""
    found = 0x811C9DC5
    for byte in value.encode("utf-8", "surrogatepass"):
        found = (found ^ byte) * 0x01000193 & 0xFFFFFFFF
    return found


def _gcp(part: _Infrastructure) -> ClusterNetwork:
    name = text(part.get("network.name")) or "default"
    is_custom = part.get("network.autoCreateSubnetworks") is False or part.get(
        "network.hostProject"
    )
    if name != "default" or is_custom or part.get("network.subnets"):
        return ClusterNetwork()
    return ClusterNetwork(networks=(part.fact("10.128.0.0/9", "network.subnets", "Google Cloud"),))


def _hetzner(part: _Infrastructure) -> ClusterNetwork:
    if part.get("hcloudNetwork.enabled") is not True or part.get("hcloudNetwork.cidrBlock"):
        return ClusterNetwork()
    path = "hcloudNetwork.cidrBlock"
    return ClusterNetwork(
        networks=(part.fact("10.0.0.0/16", path, "Cluster API Provider Hetzner"),)
    )


def _oci(part: _Infrastructure) -> ClusterNetwork:
    vcn = part.get("networkSpec.vcn")
    is_said = isinstance(vcn, Mapping) and any(vcn.get(field) for field in ("id", "cidr", "cidrs"))
    if is_said or part.get("networkSpec.skipNetworkManagement"):
        return ClusterNetwork()
    return ClusterNetwork(
        networks=(part.fact("10.0.0.0/16", "networkSpec.vcn.cidr", "Cluster API Provider OCI"),)
    )


_FINDERS: dict[str, Callable[[_Infrastructure], ClusterNetwork]] = {
    "AWSCluster": _aws,
    "AWSManagedControlPlane": _eks,
    "AzureCluster": _azure,
    "GCPCluster": _gcp,
    "HetznerCluster": _hetzner,
    "OCICluster": _oci,
}
"""Kind of an infrastructure cluster, or of a managed control plane, -> what its silence means."""
