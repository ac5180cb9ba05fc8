"""Clouds: the hosts that their nodes and pods must reach without a proxy, by the kind of the infrastructure cluster.

Broad domains that some peers add (``.elb.amazonaws.com``, ``.cloudapp.azure.com``) are not here: they hold other
people's hosts too.
"""

from __future__ import annotations

from krm_fn.light_typing import NamedTuple, Texts

# The address that most clouds give their metadata service.
_METADATA = "169.254.169.254"


class Cloud(NamedTuple):
    """One cloud.

    Attributes:
        name: the name for people.
        metadata: addresses and names of the metadata service, for every client.
        metadata_v6: its further addresses where nodes speak IPv6.
        names_machines: machines have names in a domain of the region.
    """

    name: str
    metadata: Texts = (_METADATA,)
    metadata_v6: Texts = ()
    names_machines: bool = False


NO_CLOUD = Cloud("", metadata=())

# AWS CLI user guide, "Using a proxy"; the IPv6 address is that of the instance metadata service.
_AWS = Cloud("AWS", metadata_v6=("fd00:ec2::254",), names_machines=True)
# EKS user guide, "Set up the Amazon EKS Pod Identity Agent": its agent listens on a link-local address of its own.
_EKS = Cloud(
    "EKS",
    metadata=(_METADATA, "169.254.170.23"),
    metadata_v6=("fd00:ec2::254", "fd00:ec2::23"),
    names_machines=True,
)
# learn.microsoft.com "Azure Instance Metadata Service": it must not be reached through a proxy.
AZURE = Cloud("Azure")
# learn.microsoft.com "What is IP address 168.63.129.16?": health probes, DHCP and the agent of each machine.
AZURE_WIRE_SERVER = "168.63.129.16"
# OpenShift cluster-network-operator pkg/util/proxyconfig/no_proxy.go; gcp-metadata requests the rooted name.
_GCP = Cloud(
    "GCP",
    metadata=(
        _METADATA,
        "metadata",
        "metadata.google.internal",
        "metadata.google.internal.",
    ),
)
# docs.oracle.com, Oracle Cloud Native Environment, proxies.
_ORACLE = Cloud("Oracle Cloud")

# Kind of an infrastructure cluster -> its cloud.
#
# vSphere, Cloud Director and Nutanix are missing on purpose: their guests get metadata without a network.
CLOUDS = {
    "AWSCluster": _AWS,
    "AWSManagedCluster": _EKS,
    "AWSManagedControlPlane": _EKS,
    "ROSACluster": _AWS,
    "AzureCluster": AZURE,
    "AzureManagedCluster": AZURE,
    "AzureManagedControlPlane": AZURE,
    "AzureASOManagedCluster": AZURE,
    "GCPCluster": _GCP,
    "GCPManagedCluster": _GCP,
    # docs.openstack.org/nova "Metadata service". Its IPv6 address needs a zone, which no entry can carry.
    "OpenStackCluster": Cloud("OpenStack"),
    "OCICluster": _ORACLE,
    "OCIManagedCluster": _ORACLE,
    # docs.digitalocean.com "How to Access Information about a Droplet using the Metadata API".
    "DOCluster": Cloud("DigitalOcean"),
    # hetznercloud/hcloud-go `hcloud/metadata`: its endpoint is http://169.254.169.254/hetzner/v1/metadata.
    "HetznerCluster": Cloud("Hetzner"),
    # techdocs.akamai.com "Use the Metadata service API": an IPv4 and an IPv6 address.
    "LinodeCluster": Cloud("Linode", metadata_v6=("fd00:a9fe:a9fe::1",)),
    # cloud.ibm.com/apidocs/vpc-identity "Endpoint URLs": the address, or the name, which `https` demands.
    "IBMVPCCluster": Cloud("IBM Cloud VPC", metadata=(_METADATA, "api.metadata.cloud.ibm.com")),
    # packethost/packngo `metadata`: BaseURL is https://metadata.platformequinix.com; there is no link-local address.
    "PacketCluster": Cloud("Equinix Metal", metadata=("metadata.platformequinix.com",)),
    # canonical/cloud-init, datasource CloudStack: http://data-server./latest/meta-data, a name of the virtual router.
    "CloudStackCluster": Cloud("CloudStack", metadata=("data-server", "data-server.")),
}
