"""Tanzu Kubernetes Grid: kinds, labels, names of objects, variables of its configuration file.

Sources: ``vmware-tanzu/tanzu-framework`` release-0.29: ``addons/pkg/util``
(``GeneratePackageSecretName``, ``GenerateDataValueSecretName``), ``addons/controllers``,
``apis/addonconfigs``, ``apis/run``, ``providers/ytt/02_addons``, ``providers/yttcb``,
``providers/infrastructure-*/*/cconly/base.yaml``.
"""

from __future__ import annotations

from krm_fn.products.proxy_keys import ProxyKeys

_RUN = "run.tanzu.vmware.com"
_CPI = "cpi.tanzu.vmware.com"
_CSI = "csi.tanzu.vmware.com"

TANZU_KUBERNETES_CLUSTER = (_RUN, "TanzuKubernetesCluster")
CLUSTER_BOOTSTRAP = (_RUN, "ClusterBootstrap")
"""Where TKG says from which objects the add-ons of a Cluster take their values."""
KAPP_CONTROLLER_CONFIG = (_RUN, "KappControllerConfig")
VSPHERE_CPI_CONFIG = (_CPI, "VSphereCPIConfig")
VSPHERE_CSI_CONFIG = (_CSI, "VSphereCSIConfig")
AWS_EBS_CSI_CONFIG = (_CSI, "AwsEbsCSIConfig")
AZURE_DISK_CSI_CONFIG = (_CSI, "AzureDiskCSIConfig")
AZURE_FILE_CSI_CONFIG = (_CSI, "AzureFileCSIConfig")

VSPHERE_CPI = "vsphere-cpi"
VSPHERE_CSI = "vsphere-csi"
KAPP_CONTROLLER = "kapp-controller"
PINNIPED = "pinniped"
AWS_EBS_CSI = "aws-ebs-csi-driver"
AZURE_DISK_CSI = "azuredisk-csi-driver"
AZURE_FILE_CSI = "azurefile-csi-driver"
ADD_ONS = (
    VSPHERE_CPI,
    VSPHERE_CSI,
    KAPP_CONTROLLER,
    PINNIPED,
    AWS_EBS_CSI,
    AZURE_DISK_CSI,
    AZURE_FILE_CSI,
)
PACKAGE_SUFFIXES = tuple(f"-{add_on}-package" for add_on in ADD_ONS)
ADD_ON_SUFFIXES = tuple(
    f"-{add_on}-{kind}" for add_on in ADD_ONS for kind in ("addon", "package", "data-values")
)
"""Cluster name and one of these: a Secret with data values of an add-on."""
CONFIG_VALUES_SUFFIX = "-config-values"
"""Cluster name and this: the Secret with the configuration file of a cluster."""

ADD_ON_SECRET_TYPES = ("tkg.tanzu.vmware.com/addon", "clusterbootstrap-secret")
ADD_ON_NAME_LABEL = "tkg.tanzu.vmware.com/addon-name"
ADD_ON_TYPE_ANNOTATION = "tkg.tanzu.vmware.com/addon-type"
CLUSTER_NAME_LABEL = "tkg.tanzu.vmware.com/cluster-name"
CLUSTER_NAMESPACE_LABEL = "tkg.tanzu.vmware.com/cluster-namespace"
TEMPLATE_ANNOTATION = "tkg.tanzu.vmware.com/template-config"
"""An object with it is copied for many Clusters, so its name is that of none."""

CLUSTER_CLASSES = {
    "tkg-aws-default": "AWSCluster",
    "tkg-azure-default": "AzureCluster",
    "tkg-vsphere-default": "VSphereCluster",
}
"""How the names of TKG's own ClusterClasses begin, and the infrastructure of their Clusters."""

API_SERVER_ENDPOINT = "apiServerEndpoint"
"""The variable of their Clusters that holds the host of the control plane endpoint."""

PROXY_ANNOTATIONS: ProxyKeys = (
    "tkg.tanzu.vmware.com/tkg-http-proxy",
    "tkg.tanzu.vmware.com/tkg-https-proxy",
    "tkg.tanzu.vmware.com/tkg-no-proxy",
)
"""The annotations of a Cluster that its add-ons read."""

PROXY: ProxyKeys = ("TKG_HTTP_PROXY", "TKG_HTTPS_PROXY", "TKG_NO_PROXY")
PROXY_SWITCH = "TKG_HTTP_PROXY_ENABLED"
PROXY_CERTIFICATE = "TKG_PROXY_CA_CERT"
