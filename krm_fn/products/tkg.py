"""Tanzu Kubernetes Grid: kinds, labels, names of objects, variables of its configuration file.

Sources: ``vmware-tanzu/tanzu-framework`` release-0.29: ``addons/pkg/util``
(``GeneratePackageSecretName``, ``GenerateDataValueSecretName``), ``addons/controllers``,
``apis/addonconfigs``, ``apis/run``, ``providers/ytt/02_addons``, ``providers/yttcb``,
``providers/infrastructure-*/*/cconly/base.yaml``.
"""

from __future__ import annotations

from krm_fn.light_typing import GroupKind, NamedTuple, Texts

_RUN = "run.tanzu.vmware.com"
_CSI = "csi.tanzu.vmware.com"

TANZU_KUBERNETES_CLUSTER = (_RUN, "TanzuKubernetesCluster")
# Where TKG says from which objects the add-ons of a Cluster take their values.
CLUSTER_BOOTSTRAP = (_RUN, "ClusterBootstrap")


class AddOn(NamedTuple):
    """An add-on that takes a proxy.

    Attributes:
        target: the ID of its target.
        name: the one in label and annotation of its Secret, and in the names of its objects.
        label: its name in messages.
        mark: a document with this member holds its data values; ``spec`` of its configuration resource has it, too.
        kind: its configuration resource, if it has one.
        inside: the way from the mark to the members of the proxy there.
    """

    target: str
    name: str
    label: str
    mark: str
    kind: GroupKind | None = None
    inside: Texts = ()


ADD_ONS = (
    AddOn(
        "tkg.vsphereCPI",
        "vsphere-cpi",
        "vSphere CPI",
        "vsphereCPI",
        ("cpi.tanzu.vmware.com", "VSphereCPIConfig"),
        ("proxy",),
    ),
    AddOn(
        "tkg.vsphereCSI",
        "vsphere-csi",
        "vSphere CSI",
        "vsphereCSI",
        (_CSI, "VSphereCSIConfig"),
        ("config",),
    ),
    AddOn(
        "tkg.kappController",
        "kapp-controller",
        "kapp-controller",
        "kappController",
        (_RUN, "KappControllerConfig"),
        ("config",),
    ),
    AddOn("tkg.pinniped", "pinniped", "Pinniped", "pinniped"),
    AddOn(
        "tkg.cloudCSI",
        "aws-ebs-csi-driver",
        "the AWS EBS driver",
        "awsEBSCSIDriver",
        (_CSI, "AwsEbsCSIConfig"),
    ),
    AddOn(
        "tkg.cloudCSI",
        "azuredisk-csi-driver",
        "the Azure Disk driver",
        "azureDiskCSIDriver",
        (_CSI, "AzureDiskCSIConfig"),
    ),
    AddOn(
        "tkg.cloudCSI",
        "azurefile-csi-driver",
        "the Azure File driver",
        "azureFileCSIDriver",
        (_CSI, "AzureFileCSIConfig"),
    ),
)
PACKAGE_SUFFIXES = tuple(f"-{add_on.name}-package" for add_on in ADD_ONS)
# Cluster name and one of these: a Secret with data values of an add-on.
ADD_ON_SUFFIXES = tuple(
    f"-{add_on.name}-{kind}" for add_on in ADD_ONS for kind in ("addon", "package", "data-values")
)
# Cluster name and this: the Secret with the configuration file of a cluster.
CONFIG_VALUES_SUFFIX = "-config-values"

ADD_ON_SECRET_TYPES = ("tkg.tanzu.vmware.com/addon", "clusterbootstrap-secret")
ADD_ON_NAME_LABEL = "tkg.tanzu.vmware.com/addon-name"
ADD_ON_TYPE_ANNOTATION = "tkg.tanzu.vmware.com/addon-type"
CLUSTER_NAME_LABEL = "tkg.tanzu.vmware.com/cluster-name"
CLUSTER_NAMESPACE_LABEL = "tkg.tanzu.vmware.com/cluster-namespace"
# An object with it is copied for many Clusters, so its name is that of none.
TEMPLATE_ANNOTATION = "tkg.tanzu.vmware.com/template-config"

# How the names of TKG's own ClusterClasses begin, and the infrastructure of their Clusters.
CLUSTER_CLASSES = {
    "tkg-aws-default": "AWSCluster",
    "tkg-azure-default": "AzureCluster",
    "tkg-vsphere-default": "VSphereCluster",
}

# The variable of their Clusters that holds the host of the control plane endpoint.
API_SERVER_ENDPOINT = "apiServerEndpoint"

# The annotations of a Cluster that its add-ons read.
PROXY_ANNOTATIONS = (
    "tkg.tanzu.vmware.com/tkg-http-proxy",
    "tkg.tanzu.vmware.com/tkg-https-proxy",
    "tkg.tanzu.vmware.com/tkg-no-proxy",
)

PROXY = ("TKG_HTTP_PROXY", "TKG_HTTPS_PROXY", "TKG_NO_PROXY")
PROXY_SWITCH = "TKG_HTTP_PROXY_ENABLED"
PROXY_CERTIFICATE = "TKG_PROXY_CA_CERT"
