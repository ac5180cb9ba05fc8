"""How products name what belongs to a Cluster: after it.

Whether there is a Cluster of that name is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from krm_fn.clusters.kinds import CLUSTER_BOOTSTRAP, INVENTORY, KUBEADM_SPECS, is_cluster_api
from krm_fn.clusters.reading import text, values
from krm_fn.krm.resourcelist import Object
from krm_fn.patch import Pointer, lookup

_ADD_ONS = (
    "vsphere-cpi",
    "vsphere-csi",
    "kapp-controller",
    "pinniped",
    "aws-ebs-csi-driver",
    "azuredisk-csi-driver",
    "azurefile-csi-driver",
)
_PACKAGES = tuple(f"-{addon}-package" for addon in _ADD_ONS)
_SUFFIXES = (
    "-cluster-values",
    "-systemd-proxy",
    "-user-overrides",
    "-config-values",
    *(f"-{addon}-{kind}" for addon in _ADD_ONS for kind in ("addon", "package", "data-values")),
)
"""What products put behind the name of a Cluster to name a Secret or a ConfigMap of it.

Sources: ``giantswarm/cluster-apps-operator``, Konvoy's ``<cluster>-user-overrides``, ``vmware-tanzu/tanzu-framework``:
``addons/pkg/util`` (``GeneratePackageSecretName``, ``GenerateDataValueSecretName``).
"""

_FILE_SECRET: Pointer = ("files", "*", "contentFrom", "secret", "name")
_APP = ("application.giantswarm.io", "App")
_APP_VALUES: tuple[Pointer, ...] = (
    ("spec", "config", "configMap", "name"),
    ("spec", "config", "secret", "name"),
)
"""The fields that refer to such an object.

Sources: Cluster API ``api/bootstrap/kubeadm`` (``FileSource``), Giant Swarm's proxy document.
"""

_INVENTORY_NAME = re.compile(r"(.+)-(?:control-plane|md-[0-9]+)")
"""How Konvoy's document names an inventory: after its Cluster, as it must be."""

_NAMESAKES = frozenset(
    {
        ("cpi.tanzu.vmware.com", "VSphereCPIConfig"),
        ("csi.tanzu.vmware.com", "VSphereCSIConfig"),
        ("csi.tanzu.vmware.com", "AwsEbsCSIConfig"),
        ("csi.tanzu.vmware.com", "AzureDiskCSIConfig"),
        ("csi.tanzu.vmware.com", "AzureFileCSIConfig"),
        ("run.tanzu.vmware.com", "KappControllerConfig"),
        ("run.tanzu.vmware.com", "TanzuKubernetesCluster"),
        CLUSTER_BOOTSTRAP,
    }
)
_TEMPLATE = "tkg.tanzu.vmware.com/template-config"
"""The kinds of TKG that have the name of their Cluster, or that of its package, unless this annotation says that they
are copied for many.

Source: ``vmware-tanzu/tanzu-framework`` release-0.29, ``addons/controllers``.
"""


def named_after(obj: Object) -> str:
    """The name of the Cluster that the name of ``obj`` is made of; "" for an object that no product names so."""
    if obj.group_kind in _NAMESAKES:
        return "" if _TEMPLATE in obj.annotations else _before(obj, _PACKAGES) or obj.ref.name
    if obj.group_kind == INVENTORY:
        match = _INVENTORY_NAME.fullmatch(obj.ref.name)
        return match[1] if match else ""
    return _before(obj, _SUFFIXES) if obj.group_kind in (("", "Secret"), ("", "ConfigMap")) else ""


def referred(obj: Object) -> str:
    """The Cluster whose Secret or ConfigMap ``obj`` refers to by the name that a product gave it; "" if several.

    That is the Secret ``<cluster>-systemd-proxy`` of a file, or ``<cluster>-cluster-values`` of an App.
    """
    found = {
        name.removesuffix(suffix) for name, suffix in _referred(obj) if name.endswith(suffix)
    } - {""}
    return found.pop() if len(found) == 1 else ""


def _referred(obj: Object) -> Iterator[tuple[str, str]]:
    """The names that an object refers to, and how the name of a Secret of a Cluster ends there."""
    group, kind = obj.group_kind
    if kind in KUBEADM_SPECS and is_cluster_api(group):
        for _, name in values(obj.data, (*KUBEADM_SPECS[kind], *_FILE_SECRET)):
            yield text(name), "-systemd-proxy"
    elif (group, kind) == _APP:
        for path in _APP_VALUES:
            yield text(lookup(obj.data, path)), "-cluster-values"


def _before(obj: Object, suffixes: tuple[str, ...]) -> str:
    """The name of an object without the suffix that it has; "" where it has none of them."""
    name = obj.base_name
    return next((name.removesuffix(suffix) for suffix in suffixes if name.endswith(suffix)), "")
