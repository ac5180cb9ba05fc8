"""Names that products derive from the name of a Cluster.

The list may have no Cluster with that name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from krm_fn.clusters.reading import text, values
from krm_fn.krm.resourcelist import Object
from krm_fn.patch import Pointer, lookup
from krm_fn.products import giantswarm, konvoy, tkg
from krm_fn.products.node_kinds import NODE_KINDS

_SUFFIXES = (
    giantswarm.CLUSTER_VALUES_SUFFIX,
    giantswarm.SYSTEMD_PROXY_SUFFIX,
    konvoy.USER_OVERRIDES_SUFFIX,
    tkg.CONFIG_VALUES_SUFFIX,
    *tkg.ADD_ON_SUFFIXES,
)
"""What products put behind the name of a Cluster to name a Secret or a ConfigMap of it."""

_FILE_SECRET: Pointer = ("*", "contentFrom", "secret", "name")
_APP_VALUES: tuple[Pointer, ...] = (
    ("spec", "config", "configMap", "name"),
    ("spec", "config", "secret", "name"),
)
"""The fields that refer to such an object.

Sources: Cluster API ``api/bootstrap/kubeadm`` (``FileSource``), Giant Swarm's proxy document.
"""

_INVENTORY_NAME = r"(.+)-(?:control-plane|md-[0-9]+)"
"""How Konvoy's document names an inventory: after its Cluster, as it must be."""

_NAMESAKES = frozenset(
    {
        tkg.VSPHERE_CPI_CONFIG,
        tkg.VSPHERE_CSI_CONFIG,
        tkg.AWS_EBS_CSI_CONFIG,
        tkg.AZURE_DISK_CSI_CONFIG,
        tkg.AZURE_FILE_CSI_CONFIG,
        tkg.KAPP_CONTROLLER_CONFIG,
        tkg.TANZU_KUBERNETES_CLUSTER,
        tkg.CLUSTER_BOOTSTRAP,
    }
)
"""The kinds of TKG that have the name of their Cluster, or that of its package."""


def named_after(obj: Object) -> str:
    """Return the name of the Cluster that is part of the name of ``obj``.

    "" if no product names it so.
    """
    kind = obj.group_kind
    if kind in _NAMESAKES:
        if tkg.TEMPLATE_ANNOTATION in obj.annotations:
            return ""
        return _before(obj, tkg.PACKAGE_SUFFIXES) or obj.ref.name
    if kind == konvoy.INVENTORY:
        match = re.fullmatch(_INVENTORY_NAME, obj.ref.name)
        return match[1] if match else ""
    return _before(obj, _SUFFIXES) if kind in (("", "Secret"), ("", "ConfigMap")) else ""


def referred(obj: Object) -> str:
    """Return the Cluster whose Secret or ConfigMap ``obj`` names in the convention of a product.

    "" if several.

    That is the Secret ``<cluster>-systemd-proxy`` of a file, or ``<cluster>-cluster-values`` of an App.
    """
    found = {
        name.removesuffix(suffix) for name, suffix in _referred(obj) if name.endswith(suffix)
    } - {""}
    return found.pop() if len(found) == 1 else ""


def has_suffix(name: object, suffix: str) -> bool:
    """Return whether a name is the name of some Cluster and a suffix behind it."""
    return isinstance(name, str) and name.endswith(suffix) and name != suffix


def _referred(obj: Object) -> Iterator[tuple[str, str]]:
    """Yield the names that an object refers to, and the suffix that a Secret of a Cluster has there."""
    kind = obj.group_kind
    node_kind = NODE_KINDS.get(kind)
    if node_kind:
        for _, name in values(obj.data, (*node_kind.files, *_FILE_SECRET)):
            yield text(name), giantswarm.SYSTEMD_PROXY_SUFFIX
    elif kind == giantswarm.APP:
        for path in _APP_VALUES:
            yield text(lookup(obj.data, path)), giantswarm.CLUSTER_VALUES_SUFFIX


def _before(obj: Object, suffixes: tuple[str, ...]) -> str:
    """Return the name of an object without its suffix; "" where it has none of them."""
    name = obj.base_name
    return next((name.removesuffix(suffix) for suffix in suffixes if name.endswith(suffix)), "")
