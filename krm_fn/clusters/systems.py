"""Systems whose nodes no target writes: by which kinds they are known, and where each keeps a proxy.

Sources: the API types of each project: ``rancher/cluster-api-provider-rke2`` (``files``, ``preRKE2Commands``),
``k3s-io/cluster-api-k3s`` (``preK3sCommands``), ``kubernetes-sigs/cluster-api-provider-aws`` (``EKSConfig``,
``NodeadmConfig``), ``kubernetes-sigs/cluster-api-provider-azure`` (``httpProxyConfig``), ``siderolabs``
(``machine.env`` of Talos), ``k0sproject/k0smotron``, ``canonical`` (``httpProxy`` of CK8s and MicroK8s), OpenShift's
assisted installer, EKS Anywhere, Rancher, KubeOne and kOps.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from krm_fn.clusters.kinds import CLUSTER, is_cluster_api
from krm_fn.clusters.model import Cluster
from krm_fn.clusters.references import class_of, key_of, uses
from krm_fn.clusters.topology import Topology
from krm_fn.krm.resourcelist import Object
from krm_fn.patch import Pointer


class System(NamedTuple):
    """A system as people call it, and where a proxy is set in it."""

    name: str
    place: str


_RKE2 = System("RKE2", "`files` (`/etc/default/rke2-server` or `rke2-agent`) and `preRKE2Commands`")
_K3S = System("K3s", "`files` and `preK3sCommands`")
_EKS_NODEADM = System("EKS", "`files` and `preNodeadmCommands` of the NodeadmConfigTemplate")
_EKS_CONFIG = System("EKS", "`files` and `preBootstrapCommands` of the EKSConfigTemplate")
_EKS = System("EKS", "the bootstrap configuration of its nodes")
_AKS = System("AKS", "`spec.httpProxyConfig` (without user and password)")
_AKS_ASO = System("AKS", "`spec.httpProxyConfig` of the ManagedCluster in its `resources`")
_TALOS = System("Talos", "`machine.env` of the machine configuration")
_K0S = System(
    "k0s",
    "`files` (drop-ins of `k0scontroller` and `k0sworker`) and the commands before k0s starts",
)
_MICROK8S = System("MicroK8s", "`initConfiguration.httpProxy`, `httpsProxy` and `noProxy`")
_CANONICAL = System("Canonical Kubernetes", "`httpProxy`, `httpsProxy` and `noProxy` of its `spec`")
_OPENSHIFT = System("OpenShift", "`spec.config.proxy`")

_BY_KIND = {
    "RKE2Config": _RKE2,
    "RKE2ControlPlane": _RKE2,
    "KThreesConfig": _K3S,
    "KThreesControlPlane": _K3S,
    "NodeadmConfig": _EKS_NODEADM,
    "EKSConfig": _EKS_CONFIG,
    "AWSManagedControlPlane": _EKS,
    "AzureManagedControlPlane": _AKS,
    "AzureASOManagedControlPlane": _AKS_ASO,
    "TalosConfig": _TALOS,
    "TalosControlPlane": _TALOS,
    "K0sWorkerConfig": _K0S,
    "K0sControllerConfig": _K0S,
    "K0sControlPlane": _K0S,
    "MicroK8sConfig": _MICROK8S,
    "MicroK8sControlPlane": _MICROK8S,
    "CK8sConfig": _CANONICAL,
    "CK8sControlPlane": _CANONICAL,
    "OpenshiftAssistedConfig": _OPENSHIFT,
    "OpenshiftAssistedControlPlane": _OPENSHIFT,
}
"""Kind of a control plane, or of a bootstrap configuration, in the groups of Cluster API, without ``Template``.

Of one system the first that a Cluster has is named: what the user can write to comes before what a cloud manages.
"""

_BY_GROUP_KIND = {
    ("anywhere.eks.amazonaws.com", "Cluster"): System("EKS Anywhere", "`spec.proxyConfiguration`"),
    ("provisioning.cattle.io", "Cluster"): System("Rancher", "`spec.agentEnvVars`"),
    ("config.openshift.io", "Proxy"): System("OpenShift", "its own `spec`"),
    ("hypershift.openshift.io", "HostedCluster"): System("OpenShift", "`spec.configuration.proxy`"),
    ("kubeone.k8c.io", "KubeOneCluster"): System("KubeOne", "`proxy`"),
    ("kops.k8s.io", "Cluster"): System("kOps", "`spec.egressProxy`"),
}
"""Clusters that are none of Cluster API."""

_RANK = {system: rank for rank, system in enumerate([*_BY_KIND.values(), *_BY_GROUP_KIND.values()])}


class Foreign(NamedTuple):
    """That nodes of a Cluster are of a system which no target writes.

    ``kind`` is the one that says so, and ``obj`` the object of it or the one that names it. ``cluster`` is None for an
    object of no known Cluster. ``is_own`` is True where ``obj`` is of that kind itself.
    """

    system: System
    kind: str
    obj: Object
    cluster: Cluster | None = None
    is_own: bool = False


def system_kinds() -> frozenset[str]:
    """Return the kinds that no target writes and that show which system creates the nodes."""
    ours = {name for kind in _BY_KIND for name in (kind, f"{kind}Template")}
    return frozenset(ours | {kind for _, kind in _BY_GROUP_KIND})


def system_of(group: str, kind: str) -> System | None:
    """Return the system of a kind that no target writes."""
    if is_cluster_api(group):
        return _BY_KIND.get(kind.removesuffix("Template"))
    return _BY_GROUP_KIND.get((group, kind))


def foreign(objects: Iterable[Object], topology: Topology) -> list[Foreign]:
    """Find what is of a system that no target writes: the objects themselves, and those that refer to such.

    Args:
        objects: those of ``kinds()`` and of ``system_kinds()``.
        topology: the Clusters of the list.
    """
    found = [one for obj in objects for one in _of_object(obj, topology)]
    return sorted(found, key=lambda one: _RANK[one.system])


def _of_object(obj: Object, topology: Topology) -> Iterator[Foreign]:
    named = [(*obj.group_kind, True)]
    named += [(target[0], target[1], False) for target, _ in uses(obj)]
    for group, kind, is_own in named:
        system = system_of(group, kind)
        if system is None:
            continue
        clusters = [membership.cluster for membership in topology.of(obj)]
        if not clusters:
            yield Foreign(system, kind, obj, None, is_own)
        for cluster in clusters:
            yield Foreign(system, kind, obj, cluster, is_own)


def without_class(
    objects: Iterable[Object], topology: Topology
) -> Iterator[tuple[Object, str, Pointer]]:
    """Yield each Cluster whose ClusterClass is not in the list, with the name of the class and the field."""
    read = list(objects)
    classes = {key_of(one) for one in read if one.ref.kind == "ClusterClass"}
    for obj in read:
        if obj.group_kind != CLUSTER:
            continue
        key = topology.class_of(obj)
        if key is not None and key not in classes:
            yield obj, key[3], class_of(obj.data, obj.ref.namespace)[1]
