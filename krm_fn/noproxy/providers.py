"""What a cloud's nodes and pods must reach directly: the metadata service, and the names of the machines.

One table, handwritten, by the kind of the infrastructure cluster; each line names its source.
Broad domains that some peers add (``.elb.amazonaws.com``, ``.cloudapp.azure.com``) are not here: they hold other
people's hosts too.
"""

from __future__ import annotations

from collections.abc import Iterator

from krm_fn import placeholders
from krm_fn.light_typing import NamedTuple, Texts

METADATA_ADDRESS = "169.254.169.254"


class Provider(NamedTuple):
    """The entries of one infrastructure: ``metadata`` for everyone, ``metadata_v6`` where nodes speak IPv6.

    ``names_machines``: machines have names in a domain of the region.
    """

    name: str
    metadata: Texts = (METADATA_ADDRESS,)
    metadata_v6: Texts = ()
    services: Texts = ()
    names_machines: bool = False


_NONE = Provider("", metadata=())

# AWS CLI user guide, "Using a proxy"; the IPv6 address is that of the instance metadata service.
_AWS = Provider("AWS", metadata_v6=("fd00:ec2::254",), names_machines=True)
# EKS user guide, "Set up the Amazon EKS Pod Identity Agent": its agent listens on a link-local address of its own.
_EKS = Provider(
    "EKS",
    metadata=(METADATA_ADDRESS, "169.254.170.23"),
    metadata_v6=("fd00:ec2::254", "fd00:ec2::23"),
    names_machines=True,
)
# learn.microsoft.com "Azure Instance Metadata Service": it must not be reached through a proxy; the wire server too.
_AZURE = Provider("Azure", services=("168.63.129.16",))
# OpenShift cluster-network-operator pkg/util/proxyconfig/no_proxy.go; gcp-metadata requests the rooted name.
_GCP = Provider(
    "GCP",
    metadata=(
        METADATA_ADDRESS,
        "metadata",
        "metadata.google.internal",
        "metadata.google.internal.",
    ),
)
# docs.openstack.org/nova "Metadata service". Its IPv6 address needs a zone, which no entry can carry.
_OPENSTACK = Provider("OpenStack")
# docs.oracle.com, Oracle Cloud Native Environment, proxies.
_ORACLE = Provider("Oracle Cloud")
# docs.digitalocean.com "How to Access Information about a Droplet using the Metadata API".
_DIGITAL_OCEAN = Provider("DigitalOcean")
# hetznercloud/hcloud-go `hcloud/metadata`: its endpoint is http://169.254.169.254/hetzner/v1/metadata.
_HETZNER = Provider("Hetzner")
# techdocs.akamai.com "Use the Metadata service API": an IPv4 and an IPv6 address.
_LINODE = Provider("Linode", metadata_v6=("fd00:a9fe:a9fe::1",))
# cloud.ibm.com/apidocs/vpc-identity "Endpoint URLs": the address, or the name, which `https` demands.
_IBM_VPC = Provider("IBM Cloud VPC", metadata=(METADATA_ADDRESS, "api.metadata.cloud.ibm.com"))
# packethost/packngo `metadata`: BaseURL is https://metadata.platformequinix.com; there is no link-local address.
_EQUINIX = Provider("Equinix Metal", metadata=("metadata.platformequinix.com",))
# canonical/cloud-init, datasource CloudStack: http://data-server./latest/meta-data, a name of the virtual router.
_CLOUDSTACK = Provider("CloudStack", metadata=("data-server", "data-server."))

PROVIDERS = {
    "AWSCluster": _AWS,
    "AWSManagedCluster": _EKS,
    "AWSManagedControlPlane": _EKS,
    "ROSACluster": _AWS,
    "AzureCluster": _AZURE,
    "AzureManagedCluster": _AZURE,
    "AzureManagedControlPlane": _AZURE,
    "AzureASOManagedCluster": _AZURE,
    "GCPCluster": _GCP,
    "GCPManagedCluster": _GCP,
    "OpenStackCluster": _OPENSTACK,
    "OCICluster": _ORACLE,
    "OCIManagedCluster": _ORACLE,
    "DOCluster": _DIGITAL_OCEAN,
    "HetznerCluster": _HETZNER,
    "LinodeCluster": _LINODE,
    "IBMVPCCluster": _IBM_VPC,
    "PacketCluster": _EQUINIX,
    "CloudStackCluster": _CLOUDSTACK,
}
"""vSphere, Cloud Director and Nutanix are missing on purpose: their guests get metadata without a network."""


def find(infrastructure: str) -> Provider:
    """Return the provider of a kind ("AWSCluster", also "AWSClusterTemplate"); one without entries if none is known."""
    return PROVIDERS.get(infrastructure.removesuffix("Template"), _NONE)


def machine_domains(infrastructure: str, region: str) -> Iterator[str]:
    """Yield the domain of the machines' private names: on AWS ``ec2.internal``, or ``<region>.compute.internal``.

    Both where the region is a placeholder, which may become any.
    Source: AWS EC2 user guide, "Hostname types"; cluster-network-operator adds the same.
    """
    if not region or not find(infrastructure).names_machines:
        return
    if region == "us-east-1" or placeholders.is_in(region):
        yield "ec2.internal"
    if region != "us-east-1":
        yield f"{region}.compute.internal"
