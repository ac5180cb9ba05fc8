"""By what names an object says to which Cluster it belongs.

Sources: Cluster API ``common_types.go`` (labels), ``spec.clusterName``; ``giantswarm/k8smetadata``; the proxy documents
of Giant Swarm, Konvoy and TKG, which name Secrets, ConfigMaps and inventories after their Cluster.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from krm_fn.clusters.kinds import CLUSTER, CORE, METAL3_POOL
from krm_fn.clusters.reading import text, values
from krm_fn.clusters.references import owners
from krm_fn.krm.resourcelist import Object
from krm_fn.light_typing import NamedTuple, Texts
from krm_fn.patch import Data, lookup, text_at
from krm_fn.products import giantswarm, konvoy, tkg
from krm_fn.products.cluster_api import is_cluster_api
from krm_fn.products.node_kinds import NODE_KINDS
from krm_fn.products.release_kinds import HELM_RELEASE

_LABELS = (f"{CORE}/cluster-name", giantswarm.CLUSTER_LABEL, tkg.CLUSTER_NAME_LABEL)
_NAMESPACE_NAMES = (f"{CORE}/cluster-namespace", tkg.CLUSTER_NAMESPACE_LABEL)
"""An annotation of Cluster API and a label of TKG that say in which namespace the Cluster is."""
_CLUSTER_NAME_PATHS = (("spec", "clusterName"), ("spec", "template", "spec", "clusterName"))
_NAME_IN_VALUES = ("spec", "values", "global", "metadata", "name")
_DATA = (("", "Secret"), ("", "ConfigMap"))
_DATA_SUFFIXES = (
    giantswarm.CLUSTER_VALUES_SUFFIX,
    giantswarm.SYSTEMD_PROXY_SUFFIX,
    konvoy.USER_OVERRIDES_SUFFIX,
    tkg.CONFIG_VALUES_SUFFIX,
    *tkg.ADD_ON_SUFFIXES,
)
"""What products put behind the name of a Cluster to name a Secret or a ConfigMap of it."""
_APP_VALUES = (
    ("spec", "config", "configMap", "name"),
    ("spec", "config", "secret", "name"),
)
_INVENTORY = r"(.+)-(?:control-plane|md-[0-9]+)"
_TANZU = ".tanzu.vmware.com"
"""How the API groups of TKG end, whose objects have the name of their Cluster, or that of its package."""


class Evidence(NamedTuple):
    """The name of a Cluster that an object says, ``how`` it does, and its namespace, "" for that of the object."""

    name: str
    how: str
    namespace: str = ""


def evidence(obj: Object) -> Iterator[Evidence]:
    """Yield the names of Clusters that an object says, the surest first."""
    namespace = _cluster_namespace(obj)
    if is_cluster_api(obj.group_kind[0]) or obj.group_kind == METAL3_POOL:
        for path in _CLUSTER_NAME_PATHS:
            name = text(lookup(obj.data, path))
            yield Evidence(name, "its `spec.clusterName`", namespace)
    name, its_namespace = kubeconfig_of(obj)
    yield Evidence(name, "its `spec.kubeConfig`", its_namespace or namespace)
    if is_release_of_cluster(obj):
        name = text(lookup(obj.data, _NAME_IN_VALUES))
        yield Evidence(name, "`global.metadata.name` of its values", namespace)
    for label in _LABELS:
        name = text(obj.labels.get(label))
        yield Evidence(name, f"its label `{label}`", namespace)
    for owner in owners(obj):
        if owner.group_kind == CLUSTER:
            yield Evidence(owner.name, "an owner reference", owner.namespace)
    referred = "the name of a Secret or ConfigMap that it refers to"
    yield Evidence(_name_in_reference(obj), referred, namespace)
    yield Evidence(_name_in_own_name(obj), "its name", namespace)


def guess(obj: Object) -> str:
    """Return the Cluster after which the object is probably named, by conventions of Giant Swarm, or ""."""
    if obj.group_kind in _DATA:
        return user_values_of(obj.ref.name)
    if is_release_of_cluster(obj):
        return text_at(obj.data, ("spec", "releaseName")) or obj.ref.name
    if obj.group_kind != giantswarm.APP or is_of_management_cluster(obj):
        return ""
    return obj.ref.namespace


def has_suffix(name: object, suffix: str) -> bool:
    """Return whether a name is the name of some Cluster and a suffix behind it."""
    return isinstance(name, str) and name.endswith(suffix) and name != suffix


def user_values_of(name: str) -> str:
    """Return whose user values an object of that name holds, by the convention of Giant Swarm; "" for none."""
    return _before(name, giantswarm.USER_VALUES_SUFFIXES)


def _cluster_namespace(obj: Object) -> str:
    for name in _NAMESPACE_NAMES:
        namespace = text(obj.annotations.get(name)) or text(obj.labels.get(name))
        if namespace:
            return namespace
    return ""


def _name_in_reference(obj: Object) -> str:
    """Return the Cluster after which a Secret or ConfigMap is named that a node or an App reads; "" if several."""
    node_kind = NODE_KINDS.get(obj.group_kind)
    if node_kind:
        suffix = giantswarm.SYSTEMD_PROXY_SUFFIX
        path = (*node_kind.files, "*", "contentFrom", "secret", "name")
        references = [name for _, name in values(obj.data, path)]
    elif obj.group_kind == giantswarm.APP:
        suffix = giantswarm.CLUSTER_VALUES_SUFFIX
        references = [lookup(obj.data, path) for path in _APP_VALUES]
    else:
        return ""
    names = {_before(text(name), (suffix,)) for name in references}
    names.discard("")
    return names.pop() if len(names) == 1 else ""


def _name_in_own_name(obj: Object) -> str:
    """Return the name of the Cluster that a product made a part of the name of an object; "" for none."""
    if obj.group_kind in _DATA:
        return _before(obj.base_name, _DATA_SUFFIXES)
    if obj.group_kind == konvoy.INVENTORY:
        match = re.fullmatch(_INVENTORY, obj.ref.name)
        return match[1] if match else ""
    if obj.group_kind[0].endswith(_TANZU) and tkg.TEMPLATE_ANNOTATION not in obj.annotations:
        return _before(obj.base_name, tkg.PACKAGE_SUFFIXES) or obj.ref.name
    return ""


def _before(name: str, suffixes: Texts) -> str:
    """Return a name without its suffix; "" where it has none of them."""
    for suffix in suffixes:
        if name.endswith(suffix):
            return name.removesuffix(suffix)
    return ""


_KUBECONFIGS = {
    giantswarm.APP: ("spec", "kubeConfig", "secret"),
    HELM_RELEASE: ("spec", "kubeConfig", "secretRef"),
}
_KUBECONFIG = "-kubeconfig"
_OPERATOR_VERSION = ("metadata", "labels", giantswarm.OPERATOR_VERSION_LABEL)
_CHART_NAMES = (("spec", "chart", "spec", "chart"), ("spec", "chartRef", "name"))


def chart_of(release: Data) -> str:
    """Return the name of the chart of a HelmRelease, the last step of its path; "" where it names none."""
    names = [text_at(release, path) for path in _CHART_NAMES]
    return (names[0] or names[1]).rstrip("/").rpartition("/")[2]


def kubeconfig_of(obj: Object) -> tuple[str, str]:
    """Return the Cluster, and its namespace, whose kubeconfig an App or a HelmRelease uses; "" for none."""
    secret = lookup(obj.data, _KUBECONFIGS.get(obj.group_kind, ("",)))
    name = text_at(secret, ("name",)).strip()
    if not name.endswith(_KUBECONFIG) or is_of_management_cluster(obj):
        return "", ""
    return name.removesuffix(_KUBECONFIG), text_at(secret, ("namespace",)).strip()


def is_release_of_cluster(obj: Object) -> bool:
    """Return whether a HelmRelease installs a chart that makes a whole cluster of Giant Swarm."""
    return obj.group_kind == HELM_RELEASE and chart_of(obj.data) in giantswarm.CLUSTER_CHARTS


def is_of_management_cluster(obj: Object) -> bool:
    """Return whether an App is one of the management cluster."""
    if obj.group_kind != giantswarm.APP:
        return False
    is_inside = lookup(obj.data, ("spec", "kubeConfig", "inCluster")) is True
    version = lookup(obj.data, _OPERATOR_VERSION)
    return is_inside or version == giantswarm.MANAGEMENT_CLUSTER_VERSION
