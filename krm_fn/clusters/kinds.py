"""The kinds that say something of a Cluster, and where in them: tables only.

A path in which ``*`` stands for every member leads to a fact; of several, with blanks between them, the API versions of
a kind use one each. Every infrastructure of Cluster API has ``spec.controlPlaneEndpoint``, and its template the same
below ``spec.template``.

Sources: Cluster API ``api/core`` (v1alpha3 to v1beta2) and "Provider contracts"; the providers' ``…cluster_types.go``;
``Azure/azure-service-operator``, ``kubermatic/kubeone``, ``openshift/assisted-service``, ``rancher/rancher``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from krm_fn.light_typing import GroupKind, NamedTuple
from krm_fn.patch import Pointer, pattern
from krm_fn.products import distributions, konvoy, tkg
from krm_fn.products.cluster_api import CLUSTER, CORE, Role
from krm_fn.products.node_kinds import NODE_KINDS

CLUSTER_CLASS = (CORE, "ClusterClass")
# The kinds whose name is the name of a worker group.
OWNS_WORKERS = {"MachineDeployment", "MachinePool"}
# The kinds that make one sort of nodes only.
ROLES = {
    **{row.kind: row.role for row in NODE_KINDS.values() if row.role},
    **{row.kind: row.role for row in distributions.ROWS if row.role},
    "MachineDeployment": Role.WORKER,
    "MachineSet": Role.WORKER,
    "MachinePool": Role.WORKER,
}


# Fact of a ``ClusterNetwork`` -> the path to it, or several paths with blanks between them.
#
# Further facts are ``machines``, which are addresses, ``pools``, which are pools of addresses, ``mirrors`` for files of
# nodes, which may name mirrors, and ``infrastructure`` for what names a cloud outside of Cluster API.
Paths = Mapping[str, str]


class WholeCluster(NamedTuple):
    """A cluster outside of Cluster API, with its default networks.

    Attributes:
        paths: where it says its facts.
        name: whose defaults ``pod_cidr`` and ``service_cidr`` are.
        pod_cidr: "" for none that is known.
        service_cidr: the same for Services.
        needs: the field without which the defaults do not hold.
    """

    paths: Paths
    name: str
    pod_cidr: str = ""
    service_cidr: str = ""
    needs: Pointer = ()


_AKS = "spec.networkProfile"
_RANCHER = "spec.rkeConfig.machineGlobalConfig"
# What makes a cluster of OpenShift, and the image that its machines start from.
AGENT_CLUSTER_INSTALL = ("extensions.hive.openshift.io", "AgentClusterInstall")
INFRA_ENV = ("agent-install.openshift.io", "InfraEnv")
WHOLE_CLUSTERS = {
    ("containerservice.azure.com", "ManagedCluster"): WholeCluster(
        {
            "pod_cidrs": f"{_AKS}.podCidrs.* {_AKS}.podCidr",
            "service_cidrs": f"{_AKS}.serviceCidrs.* {_AKS}.serviceCidr",
            "infrastructure": "kind",
        },
        "AKS",
        service_cidr="10.0.0.0/16",
    ),
    AGENT_CLUSTER_INSTALL: WholeCluster(
        {
            "pod_cidrs": "spec.networking.clusterNetwork.*.cidr",
            "service_cidrs": "spec.networking.serviceNetwork.*",
            "networks": "spec.networking.machineNetwork.*.cidr",
            "endpoint": "spec.apiVIPs.* spec.apiVIP",
        },
        "OpenShift",
        pod_cidr="10.128.0.0/14",
        service_cidr="172.30.0.0/16",
    ),
    ("karpenter.k8s.aws", "EC2NodeClass"): WholeCluster({"infrastructure": "kind"}, "Karpenter"),
    ("kubeone.k8c.io", "KubeOneCluster"): WholeCluster(
        {
            "pod_cidrs": "clusterNetwork.podSubnet",
            "service_cidrs": "clusterNetwork.serviceSubnet",
            "service_domain": "clusterNetwork.serviceDomainName",
            "endpoint": "apiEndpoint.host controlPlane.hosts.*.publicAddress controlPlane.hosts.*.privateAddress",
            "infrastructure": "cloudProvider",
        },
        "KubeOne",
        pod_cidr="10.244.0.0/16",
        service_cidr="10.96.0.0/12",
    ),
    ("provisioning.cattle.io", "Cluster"): WholeCluster(
        {
            "pod_cidrs": f"{_RANCHER}.cluster-cidr",
            "service_cidrs": f"{_RANCHER}.service-cidr",
            "service_domain": f"{_RANCHER}.cluster-domain",
            "endpoint": "spec.localClusterAuthEndpoint.fqdn",
            "infrastructure": "spec.rkeConfig.machinePools.*.machineConfigRef.kind",
        },
        "RKE2 and K3s",
        pod_cidr="10.42.0.0/16",
        service_cidr="10.43.0.0/16",
        needs=pattern("spec.rkeConfig"),
    ),
}
# A short name for ``spec.clusterDefaults.infrastructure`` -> the kind that it means.
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
# The cloud of a cluster outside of Cluster API, as that says it -> the kind of such an infrastructure.
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

_ENDPOINT = "controlPlaneEndpoint.host"
# What every infrastructure cluster of Cluster API says, or most of them do.
_BY_CONTRACT = {"endpoint": _ENDPOINT, "region": "region"}
_AWS = {
    "networks": (
        "network.vpc.cidrBlock network.vpc.secondaryCidrBlocks.*.ipv4CidrBlock network.vpc.ipv6.cidrBlock "
        "network.subnets.*.cidrBlock network.subnets.*.ipv6CidrBlock "
        # v1alpha3
        "networkSpec.vpc.cidrBlock networkSpec.vpc.ipv6.cidrBlock networkSpec.subnets.*.cidrBlock"
    ),
}
_GCP = {
    "networks": "network.subnets.*.cidrBlock network.subnets.*.secondaryCidrBlocks.*",
}
_OPENSTACK_ADDRESSES = "apiServerFloatingIP apiServer.floatingIP apiServerFixedIP apiServer.fixedIP"
# Kind of an infrastructure cluster, or of a managed control plane, -> where it says more than the contract asks, below
# ``spec``.
INFRASTRUCTURE = {
    "GCPManagedControlPlane": {},
    "AWSCluster": _AWS,
    "AWSManagedControlPlane": _AWS,
    "AzureCluster": {
        "endpoint": f"{_ENDPOINT} networkSpec.apiServerLB.frontendIPs.*.publicIP.dnsName",
        "region": "location",
        "networks": (
            "networkSpec.vnet.cidrBlocks.* networkSpec.vnet.cidrBlock "
            "networkSpec.subnets.*.cidrBlocks.* networkSpec.subnets.*.cidrBlock"
        ),
        "hosts": "networkSpec.apiServerLB.frontendIPs.*.privateIP",
    },
    "AzureManagedControlPlane": {
        "region": "location",
        "networks": "virtualNetwork.cidrBlock virtualNetwork.subnet.cidrBlock",
    },
    "GCPCluster": _GCP,
    "GCPManagedCluster": _GCP,
    "HetznerCluster": {"networks": "hcloudNetwork.cidrBlock"},
    "NutanixCluster": {"infrastructure_hosts": "prismCentral.address"},
    "OCICluster": {
        "networks": "networkSpec.vcn.cidr networkSpec.vcn.subnets.*.cidr",
    },
    "OpenStackCluster": {
        "endpoint": f"{_ENDPOINT} {_OPENSTACK_ADDRESSES}",
        "region": "identityRef.region",
        "networks": "managedSubnets.*.cidr nodeCidr",
        "hosts": _OPENSTACK_ADDRESSES,
    },
    "ProxmoxCluster": {"pools": "ipv4Config ipv6Config"},
    "VCDCluster": {"infrastructure_hosts": "site"},
    "VSphereCluster": {"infrastructure_hosts": "server"},
}

METAL3_POOL = ("ipam.metal3.io", "IPPool")
# The kinds that hand out addresses to machines.
POOLS = {
    ("ipam.cluster.x-k8s.io", "InClusterIPPool"),
    ("ipam.cluster.x-k8s.io", "GlobalInClusterIPPool"),
    METAL3_POOL,
}
# Kind of a machine template -> where it names the pools that its machines take addresses from.
USES_POOLS = {"VSphereMachineTemplate": "spec.template.spec.network.devices.*.addressesFromPools.*"}

_OF_CLUSTER = {
    "pod_cidrs": "spec.clusterNetwork.pods.cidrBlocks.*",
    "service_cidrs": "spec.clusterNetwork.services.cidrBlocks.*",
    "service_domain": "spec.clusterNetwork.serviceDomain",
    "endpoint": f"spec.{_ENDPOINT} spec.topology.variables.*.value.nutanix.{_ENDPOINT}",  # that of CAREN
}
_PATHS: Mapping[GroupKind, Paths] = {
    CLUSTER: _OF_CLUSTER,
    konvoy.INVENTORY: {"machines": "spec.hosts.*.address"},
    **{kind: {"pools": "spec"} for kind in POOLS},
    **{kind: cluster.paths for kind, cluster in WHOLE_CLUSTERS.items()},
}


@cache
def paths_of(group: str, kind: str) -> Mapping[str, Sequence[Pointer]]:
    """Return each fact about their Cluster that objects of a kind say, with the patterns of its fields."""
    if (group, kind) in _PATHS:
        return _below((), _PATHS[group, kind])
    if (group, kind) in NODE_KINDS:
        node_kind = NODE_KINDS[group, kind]
        return _below(node_kind.path, {**node_kind.system.network, "mirrors": "files.*"})
    base = kind.removesuffix("Template")
    # Cluster API's contract: `spec.controlPlaneEndpoint` of whatever `infrastructureRef` names, in any group.
    if not (base in INFRASTRUCTURE or base.endswith("Cluster")):
        return {}
    start = ("spec",) if kind == base else ("spec", "template", "spec")
    return _below(start, {**_BY_CONTRACT, **INFRASTRUCTURE.get(base, {})})


def _below(start: Pointer, paths: Paths) -> dict[str, Sequence[Pointer]]:
    """Return the patterns of the paths, which are below another one."""
    return {
        fact: [start + pattern(path) for path in several.split()] for fact, several in paths.items()
    }


def is_infrastructure(group: str, kind: str) -> bool:
    """Return whether a kind is the infrastructure of Clusters, as Cluster API's contract names it, or its template."""
    base = kind.removesuffix("Template")
    is_by_contract = group.startswith("infrastructure.") and base.endswith("Cluster")
    return base in INFRASTRUCTURE or is_by_contract


def network_path(infrastructure: str) -> str:
    """Return the field below ``spec`` in which an infrastructure can name the network of its machines; "" for none."""
    paths = INFRASTRUCTURE.get(infrastructure, {})
    return paths.get("networks", paths.get("pools", "")).partition(" ")[0].partition(".*")[0]


def kinds(occurring: Iterable[str] = ()) -> frozenset[str]:
    """Return the kinds to read: those that tie objects to Clusters, or hold facts about one.

    ``occurring`` are those of a list, of which more may be the infrastructure of a Cluster.
    """
    infrastructure = {*INFRASTRUCTURE, *(f"{kind}Template" for kind in INFRASTRUCTURE)}
    infrastructure |= {kind for kind in occurring if kind.endswith(("Cluster", "ClusterTemplate"))}
    of_tables = {kind for _, kind in (*POOLS, *NODE_KINDS, konvoy.INVENTORY, tkg.CLUSTER_BOOTSTRAP)}
    of_core = {"Cluster", "ClusterClass", "Machine", *ROLES, *USES_POOLS, AGENT_CLUSTER_INSTALL[1]}
    return frozenset(of_core | of_tables | infrastructure)
