"""For which Cluster a HelmRelease of Flux or an App of Giant Swarm installs something.

Sources: ``HelmRelease`` (``spec.kubeConfig.secretRef``), ``App`` (``spec.kubeConfig.secret``); Cluster API
calls a kubeconfig ``<cluster>-kubeconfig``.
"""

from __future__ import annotations

from krm_fn.krm.resourcelist import Object
from krm_fn.patch import Data, lookup, text_at
from krm_fn.products import giantswarm
from krm_fn.products.release_kinds import HELM_RELEASE

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
