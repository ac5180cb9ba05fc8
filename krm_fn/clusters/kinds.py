"""The kinds that say something of a Cluster, and where in them: tables only.

A path in which ``*`` stands for every member leads to a fact; of several, with blanks between them, the API versions of
a kind use one each. Every infrastructure of Cluster API has ``spec.controlPlaneEndpoint``, and its template the same
below ``spec.template``.

Sources: Cluster API ``api/core`` (v1alpha3 to v1beta2) and "Provider contracts"; the providers' ``…cluster_types.go``;
``Azure/azure-service-operator``, ``kubermatic/kubeone``, ``openshift/assisted-service``, ``rancher/rancher``.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from krm_fn.clusters.reading import pattern
from krm_fn.light_typing import NamedTuple
from krm_fn.patch import Pointer
from krm_fn.products import cluster_api, distributions, konvoy, tkg
from krm_fn.products.cluster_api import Role
from krm_fn.products.node_kinds import NODE_KINDS, NodeConfigKind

CORE = cluster_api.CORE
CLUSTER = cluster_api.CLUSTER
CLUSTER_CLASS = (CORE, "ClusterClass")
OWNS_WORKERS = frozenset({"MachineDeployment", "MachinePool"})
"""The kinds whose name is the name of a worker group."""
ROLES = {
    **{row.kind: row.role for row in NODE_KINDS.values() if row.role},
    **{row.kind: row.role for row in distributions.ROWS if row.role},
    "MachineDeployment": Role.WORKER,
    "MachineSet": Role.WORKER,
    "MachinePool": Role.WORKER,
}
"""The kinds that make one sort of nodes only."""


class FactPaths(NamedTuple):
    """Where a kind says the facts of a ``ClusterNetwork``, below ``start``.

    ``machines`` are addresses, ``pools`` pools of addresses, ``mirrors`` files of nodes, which may name mirrors, and
    ``infrastructure`` what names a cloud outside of Cluster API.
    """

    pod_cidrs: str = ""
    service_cidrs: str = ""
    service_domain: str = ""
    endpoint: str = ""
    region: str = ""
    networks: str = ""
    machines: str = ""
    pools: str = ""
    hosts: str = ""
    mirrors: str = ""
    infrastructure: str = ""
    infrastructure_hosts: str = ""
    start: Pointer = ("spec",)


class WholeCluster(NamedTuple):
    """A cluster outside of Cluster API, with its default networks.

    Attributes:
        paths: where it says its facts.
        name: whose defaults ``pod_cidr`` and ``service_cidr`` are.
        pod_cidr: "" for none that is known.
        service_cidr: the same for Services.
        needs: the field without which the defaults do not hold.
    """

    paths: FactPaths
    name: str
    pod_cidr: str = ""
    service_cidr: str = ""
    needs: Pointer = ()


_AKS = "spec.networkProfile"
_RANCHER = "spec.rkeConfig.machineGlobalConfig"
AGENT_CLUSTER_INSTALL = ("extensions.hive.openshift.io", "AgentClusterInstall")
INFRA_ENV = ("agent-install.openshift.io", "InfraEnv")
"""What makes a cluster of OpenShift, and the image that its machines start from."""
WHOLE_CLUSTERS = {
    ("containerservice.azure.com", "ManagedCluster"): WholeCluster(
        FactPaths(
            pod_cidrs=f"{_AKS}.podCidrs.* {_AKS}.podCidr",
            service_cidrs=f"{_AKS}.serviceCidrs.* {_AKS}.serviceCidr",
            infrastructure="kind",
            start=(),
        ),
        "AKS",
        service_cidr="10.0.0.0/16",
    ),
    AGENT_CLUSTER_INSTALL: WholeCluster(
        FactPaths(
            pod_cidrs="networking.clusterNetwork.*.cidr",
            service_cidrs="networking.serviceNetwork.*",
            networks="networking.machineNetwork.*.cidr",
            endpoint="apiVIPs.* apiVIP",
        ),
        "OpenShift",
        pod_cidr="10.128.0.0/14",
        service_cidr="172.30.0.0/16",
    ),
    ("karpenter.k8s.aws", "EC2NodeClass"): WholeCluster(
        FactPaths(infrastructure="kind", start=()), "Karpenter"
    ),
    ("kubeone.k8c.io", "KubeOneCluster"): WholeCluster(
        FactPaths(
            pod_cidrs="clusterNetwork.podSubnet",
            service_cidrs="clusterNetwork.serviceSubnet",
            service_domain="clusterNetwork.serviceDomainName",
            endpoint="apiEndpoint.host controlPlane.hosts.*.publicAddress controlPlane.hosts.*.privateAddress",
            infrastructure="cloudProvider",
            start=(),
        ),
        "KubeOne",
        pod_cidr="10.244.0.0/16",
        service_cidr="10.96.0.0/12",
    ),
    ("provisioning.cattle.io", "Cluster"): WholeCluster(
        FactPaths(
            pod_cidrs=f"{_RANCHER}.cluster-cidr",
            service_cidrs=f"{_RANCHER}.service-cidr",
            service_domain=f"{_RANCHER}.cluster-domain",
            endpoint="spec.localClusterAuthEndpoint.fqdn",
            infrastructure="spec.rkeConfig.machinePools.*.machineConfigRef.kind",
            start=(),
        ),
        "RKE2 and K3s",
        pod_cidr="10.42.0.0/16",
        service_cidr="10.43.0.0/16",
        needs=pattern("spec.rkeConfig"),
    ),
}
CLOUD_NAMES = {
    "AWS": "AWSCluster",
    "EKS": "AWSManagedControlPlane",
    "Azure": "AzureCluster",
    "GCP": "GCPCluster",
    "OpenStack": "OpenStackCluster",
    "Oracle": "OCICluster",
    "DigitalOcean": "DOCluster",
    "Hetzner": "HetznerCluster",
    "Linode": "LinodeCluster",
    "IBMVPC": "IBMVPCCluster",
    "Equinix": "PacketCluster",
    "CloudStack": "CloudStackCluster",
    "vSphere": "VSphereCluster",
    "Nutanix": "NutanixCluster",
}
"""A short name for ``spec.clusterDefaults.infrastructure`` -> the kind that it means."""
CLOUDS = {
    "Amazonec2Config": "AWSCluster",
    "AzureConfig": "AzureCluster",
    "DigitaloceanConfig": "DOCluster",
    "EC2NodeClass": "AWSManagedControlPlane",
    "HarvesterConfig": "HarvesterCluster",
    "LinodeConfig": "LinodeCluster",
    "ManagedCluster": "AzureManagedCluster",
    "VmwarevsphereConfig": "VSphereCluster",
    "aws": "AWSCluster",
    "azure": "AzureCluster",
    "digitalocean": "DOCluster",
    "equinixmetal": "PacketCluster",
    "gce": "GCPCluster",
    "hetzner": "HetznerCluster",
    "nutanix": "NutanixCluster",
    "openstack": "OpenStackCluster",
    "vmwareCloudDirector": "VCDCluster",
    "vsphere": "VSphereCluster",
}
"""The cloud of a cluster outside of Cluster API, as that says it -> the kind of such an infrastructure."""

_ENDPOINT = "controlPlaneEndpoint.host"
_BY_CONTRACT = FactPaths(endpoint=_ENDPOINT, region="region")
"""What every infrastructure cluster of Cluster API says, or most of them do."""
_AWS = FactPaths(
    endpoint=_ENDPOINT,
    region="region",
    networks=(
        "network.vpc.cidrBlock network.vpc.secondaryCidrBlocks.*.ipv4CidrBlock network.vpc.ipv6.cidrBlock "
        "network.subnets.*.cidrBlock network.subnets.*.ipv6CidrBlock "
        # v1alpha3
        "networkSpec.vpc.cidrBlock networkSpec.vpc.ipv6.cidrBlock networkSpec.subnets.*.cidrBlock"
    ),
)
_GCP = FactPaths(
    endpoint=_ENDPOINT,
    region="region",
    networks="network.subnets.*.cidrBlock network.subnets.*.secondaryCidrBlocks.*",
)
_OPENSTACK_ADDRESSES = "apiServerFloatingIP apiServer.floatingIP apiServerFixedIP apiServer.fixedIP"
INFRASTRUCTURE = {
    "GCPManagedControlPlane": _BY_CONTRACT,
    "AWSCluster": _AWS,
    "AWSManagedControlPlane": _AWS,
    "AzureCluster": FactPaths(
        endpoint=f"{_ENDPOINT} networkSpec.apiServerLB.frontendIPs.*.publicIP.dnsName",
        region="location",
        networks=(
            "networkSpec.vnet.cidrBlocks.* networkSpec.vnet.cidrBlock "
            "networkSpec.subnets.*.cidrBlocks.* networkSpec.subnets.*.cidrBlock"
        ),
        hosts="networkSpec.apiServerLB.frontendIPs.*.privateIP",
    ),
    "AzureManagedControlPlane": FactPaths(
        endpoint=_ENDPOINT,
        region="location",
        networks="virtualNetwork.cidrBlock virtualNetwork.subnet.cidrBlock",
    ),
    "GCPCluster": _GCP,
    "GCPManagedCluster": _GCP,
    "HetznerCluster": FactPaths(endpoint=_ENDPOINT, networks="hcloudNetwork.cidrBlock"),
    "NutanixCluster": FactPaths(endpoint=_ENDPOINT, infrastructure_hosts="prismCentral.address"),
    "OCICluster": FactPaths(
        endpoint=_ENDPOINT,
        region="region",
        networks="networkSpec.vcn.cidr networkSpec.vcn.subnets.*.cidr",
    ),
    "OpenStackCluster": FactPaths(
        endpoint=f"{_ENDPOINT} {_OPENSTACK_ADDRESSES}",
        region="identityRef.region",
        networks="managedSubnets.*.cidr nodeCidr",
        hosts=_OPENSTACK_ADDRESSES,
    ),
    "ProxmoxCluster": FactPaths(endpoint=_ENDPOINT, pools="ipv4Config ipv6Config"),
    "VCDCluster": FactPaths(endpoint=_ENDPOINT, infrastructure_hosts="site"),
    "VSphereCluster": FactPaths(endpoint=_ENDPOINT, infrastructure_hosts="server"),
}
"""Kind of an infrastructure cluster, or of a managed control plane, -> where it says more than the contract asks."""

METAL3_POOL = ("ipam.metal3.io", "IPPool")
POOLS = frozenset(
    {
        ("ipam.cluster.x-k8s.io", "InClusterIPPool"),
        ("ipam.cluster.x-k8s.io", "GlobalInClusterIPPool"),
        METAL3_POOL,
    }
)
"""The kinds that hand out addresses to machines."""
USES_POOLS = {"VSphereMachineTemplate": "spec.template.spec.network.devices.*.addressesFromPools.*"}
"""Kind of a machine template -> where it names the pools that its machines take addresses from."""

CLUSTER_PATHS = FactPaths(
    pod_cidrs="spec.clusterNetwork.pods.cidrBlocks.*",
    service_cidrs="spec.clusterNetwork.services.cidrBlocks.*",
    service_domain="spec.clusterNetwork.serviceDomain",
    endpoint=f"spec.{_ENDPOINT} spec.topology.variables.*.value.nutanix.{_ENDPOINT}",  # that of CAREN
    start=(),
)
_PATHS = {
    CLUSTER: CLUSTER_PATHS,
    konvoy.INVENTORY: FactPaths(machines="spec.hosts.*.address", start=()),
    **dict.fromkeys(POOLS, FactPaths(pools="spec", start=())),
    **{kind: cluster.paths for kind, cluster in WHOLE_CLUSTERS.items()},
}


@cache
def paths_of(group: str, kind: str) -> FactPaths | None:
    """Return where objects of a kind say facts about their Cluster; None for a kind that says none."""
    if (group, kind) in _PATHS:
        return _PATHS[group, kind]
    if (group, kind) in NODE_KINDS:
        return _paths_of_nodes(NODE_KINDS[group, kind])
    base = kind.removesuffix("Template")
    # Cluster API's contract: `spec.controlPlaneEndpoint` of whatever `infrastructureRef` names, in any group.
    if not (base in INFRASTRUCTURE or base.endswith("Cluster")):
        return None
    start = ("spec",) if kind == base else ("spec", "template", "spec")
    return INFRASTRUCTURE.get(base, _BY_CONTRACT)._replace(start=start)


def is_infrastructure(group: str, kind: str) -> bool:
    """Return whether a kind is the infrastructure of Clusters, as Cluster API's contract names it, or its template."""
    base = kind.removesuffix("Template")
    is_by_contract = group.startswith("infrastructure.") and base.endswith("Cluster")
    return base in INFRASTRUCTURE or is_by_contract


def _paths_of_nodes(node_kind: NodeConfigKind) -> FactPaths:
    network = node_kind.system.network
    return FactPaths(
        pod_cidrs=network.pod_cidrs,
        service_cidrs=network.service_cidrs,
        service_domain=network.service_domain,
        endpoint=network.endpoint,
        hosts=network.hosts,
        mirrors="files.*",
        start=node_kind.path,
    )


def network_path(infrastructure: str) -> str:
    """Return the field below ``spec`` in which an infrastructure can name the network of its machines; "" for none."""
    paths = INFRASTRUCTURE.get(infrastructure, _BY_CONTRACT)
    return (paths.networks or paths.pools).partition(" ")[0].partition(".*")[0]


def kinds(occurring: Iterable[str] = ()) -> frozenset[str]:
    """Return the kinds to read: those that tie objects to Clusters, or hold facts about one.

    ``occurring`` are those of a list, of which more may be the infrastructure of a Cluster.
    """
    infrastructure = {*INFRASTRUCTURE, *(f"{kind}Template" for kind in INFRASTRUCTURE)}
    infrastructure |= {kind for kind in occurring if kind.endswith(("Cluster", "ClusterTemplate"))}
    of_tables = {kind for _, kind in (*POOLS, *NODE_KINDS, konvoy.INVENTORY, tkg.CLUSTER_BOOTSTRAP)}
    of_core = {"Cluster", "ClusterClass", "Machine", *ROLES, *USES_POOLS, AGENT_CLUSTER_INSTALL[1]}
    return frozenset(of_core | of_tables | infrastructure)
