"""The kinds this package reads, and where each keeps its facts.

Tables only. A pattern is a path in which ``*`` stands for every member; of several patterns for
one fact, the API versions of a kind use one each.

Sources: Cluster API ``api/core`` (v1alpha3 to v1beta2); the providers' ``api/*/…cluster_types.go``: AWS
``NetworkSpec``, Azure ``NetworkSpec``, GCP ``NetworkSpec``, OpenStack ``SubnetSpec``, OCI ``VCN``, Hetzner
``HCloudNetworkSpec``; Konvoy's document for its inventories.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from krm_fn.clusters.reading import pattern
from krm_fn.light_typing import NamedTuple
from krm_fn.patch import Pointer
from krm_fn.products import cluster_api, distributions, konvoy
from krm_fn.products.cluster_api import Role
from krm_fn.products.node_kinds import NODE_KINDS, SYSTEMS, NodeSystem

CORE, CLUSTER = cluster_api.CORE, cluster_api.CLUSTER
CLUSTER_CLASS = (CORE, "ClusterClass")
SECRET = ("", "Secret")
HOSTS = pattern("spec.hosts.*.address")
"""Where an inventory has the addresses of its machines."""

OWNS_WORKERS = frozenset({"MachineDeployment", "MachinePool"})
"""The kinds whose name is the name of a worker group."""

ROLES = {
    **{one.kind: one.role for one in NODE_KINDS.values() if one.role},
    **{one.kind: one.role for one in distributions.ROWS if one.role},
    "MachineDeployment": Role.WORKER,
    "MachineSet": Role.WORKER,
    "MachinePool": Role.WORKER,
}
"""The kinds that make one sort of nodes only."""


class Fields(NamedTuple):
    """Where one kind keeps its facts, as patterns from where ``declared.py`` says; names as in ``ClusterNetwork``."""

    pod_cidrs: tuple[Pointer, ...] = ()
    service_cidrs: tuple[Pointer, ...] = ()
    service_domain: tuple[Pointer, ...] = ()
    endpoint: tuple[Pointer, ...] = ()
    region: tuple[Pointer, ...] = ()
    networks: tuple[Pointer, ...] = ()
    pools: tuple[Pointer, ...] = ()
    hosts: tuple[Pointer, ...] = ()
    infrastructure_hosts: tuple[Pointer, ...] = ()


CLUSTER_FIELDS = Fields(
    pod_cidrs=(pattern("clusterNetwork.pods.cidrBlocks.*"),),
    service_cidrs=(pattern("clusterNetwork.services.cidrBlocks.*"),),
    service_domain=(pattern("clusterNetwork.serviceDomain"),),
    endpoint=(pattern("controlPlaneEndpoint.host"),),
)


def _of_nodes(system: NodeSystem) -> Fields:
    paths = {name: path for name, path in system.network._asdict().items() if path}
    return Fields(**{name: (pattern(path),) for name, path in paths.items()})


OF_NODES = {system.name: _of_nodes(system) for system in SYSTEMS}
"""Name of a system of nodes -> the fields of its configuration."""


class ClusterAlone(NamedTuple):
    """A whole cluster outside of Cluster API.

    Attributes:
        fields: those of the object.
        name: whose defaults the next two are.
        pod_cidr: the network of the pods where the object names none; "" for none that is known.
        service_cidr: the same for Services.
        beside: leads to what must be there so that the defaults hold.
        clouds: leads to the mapping, or to the texts, that say on which infrastructure it is.
        kind_of_cloud: what is said there -> the kind of such an infrastructure in Cluster API; "" for anything.
    """

    fields: Fields
    name: str
    pod_cidr: str = ""
    service_cidr: str = ""
    beside: Pointer = ()
    clouds: Pointer = ()
    kind_of_cloud: Mapping[str, str] = MappingProxyType({})


_RANCHER_CONFIG = "spec.rkeConfig.machineGlobalConfig"

CLUSTERS_ALONE = {
    ("containerservice.azure.com", "ManagedCluster"): ClusterAlone(
        Fields(
            pod_cidrs=tuple(
                map(pattern, ("spec.networkProfile.podCidrs.*", "spec.networkProfile.podCidr"))
            ),
            service_cidrs=tuple(
                map(
                    pattern,
                    ("spec.networkProfile.serviceCidrs.*", "spec.networkProfile.serviceCidr"),
                )
            ),
        ),
        "AKS",
        service_cidr="10.0.0.0/16",
        clouds=pattern("kind"),
        kind_of_cloud={"": "AzureManagedCluster"},
    ),
    ("kubeone.k8c.io", "KubeOneCluster"): ClusterAlone(
        Fields(
            pod_cidrs=(pattern("clusterNetwork.podSubnet"),),
            service_cidrs=(pattern("clusterNetwork.serviceSubnet"),),
            service_domain=(pattern("clusterNetwork.serviceDomainName"),),
            endpoint=(
                pattern("apiEndpoint.host"),
                pattern("controlPlane.hosts.*.publicAddress"),
                pattern("controlPlane.hosts.*.privateAddress"),
            ),
        ),
        "KubeOne",
        pod_cidr="10.244.0.0/16",
        service_cidr="10.96.0.0/12",
        clouds=pattern("cloudProvider"),
        kind_of_cloud={
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
        },
    ),
    ("provisioning.cattle.io", "Cluster"): ClusterAlone(
        Fields(
            pod_cidrs=(pattern(f"{_RANCHER_CONFIG}.cluster-cidr"),),
            service_cidrs=(pattern(f"{_RANCHER_CONFIG}.service-cidr"),),
            service_domain=(pattern(f"{_RANCHER_CONFIG}.cluster-domain"),),
            endpoint=(pattern("spec.localClusterAuthEndpoint.fqdn"),),
        ),
        "RKE2 and K3s",
        pod_cidr="10.42.0.0/16",
        service_cidr="10.43.0.0/16",
        beside=pattern("spec.rkeConfig"),
        clouds=pattern("spec.rkeConfig.machinePools.*.machineConfigRef.kind"),
        kind_of_cloud={
            "Amazonec2Config": "AWSCluster",
            "AzureConfig": "AzureCluster",
            "DigitaloceanConfig": "DOCluster",
            "HarvesterConfig": "HarvesterCluster",
            "LinodeConfig": "LinodeCluster",
            "VmwarevsphereConfig": "VSphereCluster",
        },
    ),
}
"""Objects that are a whole cluster outside of Cluster API.

Sources: the API types of ``Azure/azure-service-operator``, ``kubermatic/kubeone`` (``defaults.go``) and
``rancher/rancher``; the server configuration of RKE2; learn.microsoft.com "Configure kubenet networking in AKS".
"""


def _infrastructure(
    region: str = "",
    *networks: str,
    pools: str = "",
    hosts: str = "",
    api: str = "",
    endpoint: str = "",
) -> Fields:
    """Return the fields of one kind; each text holds patterns with blanks between them."""
    return Fields(
        endpoint=tuple(map(pattern, f"controlPlaneEndpoint.host {endpoint}".split())),
        region=(pattern(region),) if region else (),
        networks=tuple(map(pattern, networks)),
        pools=tuple(map(pattern, pools.split())),
        hosts=tuple(map(pattern, hosts.split())),
        infrastructure_hosts=tuple(map(pattern, api.split())),
    )


_AWS = _infrastructure(
    "region",
    *(
        f"{network}.{field}"
        for network in ("network", "networkSpec")  # v1alpha4 and later, v1alpha3
        for field in (
            "vpc.cidrBlock",
            "vpc.secondaryCidrBlocks.*.ipv4CidrBlock",
            "vpc.ipv6.cidrBlock",
            "subnets.*.cidrBlock",
            "subnets.*.ipv6CidrBlock",
        )
    ),
)
_AZURE = _infrastructure(
    "location",
    "networkSpec.vnet.cidrBlocks.*",
    "networkSpec.vnet.cidrBlock",  # v1alpha3
    "networkSpec.subnets.*.cidrBlocks.*",
    "networkSpec.subnets.*.cidrBlock",  # v1alpha3
    endpoint="networkSpec.apiServerLB.frontendIPs.*.publicIP.dnsName",
    hosts="networkSpec.apiServerLB.frontendIPs.*.privateIP",
)
# A floating address is the endpoint where there is one, else the fixed one (``openstackcluster_types.go``: v1beta1
# ``apiServerFixedIP``, v1beta2 ``apiServer.fixedIP``).
_OPENSTACK_ADDRESSES = "apiServerFloatingIP apiServer.floatingIP apiServerFixedIP apiServer.fixedIP"
_GCP = _infrastructure(
    "region", "network.subnets.*.cidrBlock", "network.subnets.*.secondaryCidrBlocks.*"
)
_ENDPOINT_ONLY = (
    "AWSManagedCluster AzureManagedCluster ByoCluster CloudStackCluster DevCluster DockerCluster "
    "GCPManagedControlPlane HarvesterCluster KubevirtCluster MaasCluster Metal3Cluster PacketCluster "
    "PreprovisionedCluster TinkerbellCluster"
)

INFRASTRUCTURE: dict[str, Fields] = {
    "AWSCluster": _AWS,
    "AWSManagedControlPlane": _AWS,
    "AzureCluster": _AZURE,
    "AzureManagedControlPlane": _infrastructure(
        "location", "virtualNetwork.cidrBlock", "virtualNetwork.subnet.cidrBlock"
    ),
    "DOCluster": _infrastructure("region"),
    "GCPCluster": _GCP,
    "GCPManagedCluster": _GCP,
    "HetznerCluster": _infrastructure("", "hcloudNetwork.cidrBlock"),
    "IBMVPCCluster": _infrastructure("region"),
    "LinodeCluster": _infrastructure("region"),
    "OCICluster": _infrastructure(
        "region", "networkSpec.vcn.cidr", "networkSpec.vcn.subnets.*.cidr"
    ),
    "NutanixCluster": _infrastructure(api="prismCentral.address"),
    "OpenStackCluster": _infrastructure(
        "identityRef.region",
        "managedSubnets.*.cidr",
        "nodeCidr",
        endpoint=_OPENSTACK_ADDRESSES,
        hosts=_OPENSTACK_ADDRESSES,
    ),
    "ProxmoxCluster": _infrastructure(pools="ipv4Config ipv6Config"),
    "VCDCluster": _infrastructure(api="site"),
    "VSphereCluster": _infrastructure(api="server"),
    **dict.fromkeys(_ENDPOINT_ONLY.split(), _infrastructure()),
}
"""Kind of an infrastructure cluster, or of a managed control plane, -> its fields below ``spec``.

``…Template`` kinds of a ClusterClass keep the same below ``spec.template.spec``.
"""

IPAM = "ipam.cluster.x-k8s.io"
METAL3_POOL = ("ipam.metal3.io", "IPPool")
POOLS = frozenset({(IPAM, "InClusterIPPool"), (IPAM, "GlobalInClusterIPPool"), METAL3_POOL})
"""The kinds that hand out addresses to machines; other projects have kinds of the name ``IPPool``, too."""

USES_POOLS = {"VSphereMachineTemplate": "spec.template.spec.network.devices.*.addressesFromPools.*"}
"""Kind of a machine template -> where it names the pools that its machines take addresses from."""

_NETWORK_FIELDS = {
    "AWSCluster": "spec.network.vpc.cidrBlock",
    "AWSManagedCluster": "spec.network.vpc.cidrBlock",
    "AzureCluster": "spec.networkSpec.vnet.cidrBlocks",
    "GCPCluster": "spec.network.subnets",
    "HetznerCluster": "spec.hcloudNetwork.cidrBlock",
    "OCICluster": "spec.networkSpec.vcn.cidr",
    "OpenStackCluster": "spec.managedSubnets",
    "ProxmoxCluster": "spec.ipv4Config",
}
"""Kind of an infrastructure cluster -> the field in which it can say in which network its machines are.

The cluster of the others only names a network, or says nothing about it: vSphere, Cloud Director, Nutanix.
"""


def network_field(infrastructure: str) -> str:
    """Return the field that can name the network of the machines, as messages show it.

    "" if there is none.
    """
    kind = infrastructure.removesuffix("Template")
    return f"`{_NETWORK_FIELDS[kind]}` of the {kind}" if kind in _NETWORK_FIELDS else ""


def is_cluster_api(group: str) -> bool:
    """Return whether a group is one of Cluster API or its providers."""
    return group == CORE or group.endswith(f".{CORE}")


def kinds(*, credentials: bool = False) -> frozenset[str]:
    """Return the kinds to read: those that tie objects to Clusters, or hold facts about one.

    Args:
        credentials: whether the addresses in the credentials of an infrastructure count; they are in Secrets.
    """
    core = {
        "Cluster",
        "ClusterClass",
        "ClusterBootstrap",
        "Machine",
        konvoy.INVENTORY[1],
        *ROLES,
        *(one.kind for one in NODE_KINDS.values()),
    }
    core |= {*USES_POOLS, *(kind for _, kind in POOLS)} | ({SECRET[1]} if credentials else set())
    return frozenset(core | INFRASTRUCTURE.keys() | {f"{kind}Template" for kind in INFRASTRUCTURE})
