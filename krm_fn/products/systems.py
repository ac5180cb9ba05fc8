"""Systems of nodes that no target writes, or not by themselves, and fields whose names do not show a proxy.

Sources: the API types of each project, and the ``values.yaml`` of each chart. With a target: ``distributions``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from krm_fn.light_typing import GroupKind, NamedTuple, Texts
from krm_fn.products import distributions
from krm_fn.products.cluster_api import is_cluster_api
from krm_fn.products.node_kinds import KUBEADM, NODE_KINDS
from krm_fn.products.release_kinds import APPLICATION, HELM_RELEASE


class System(NamedTuple):
    """A system of nodes as people call it, and where a proxy is set in it.

    Attributes:
        name: the system.
        place: the field, in words for a message; "" where its manifests have none.
        instead: the advice if there is no field.
        target: the target that writes the place; "" if none does.
        waits: its target writes nothing there unless it has ``enabled: true``.
    """

    name: str
    place: str = ""
    instead: str = ""
    target: str = ""
    waits: bool = False

    @property
    def targets(self) -> Texts:
        """Whose settings say whether its nodes are to have a proxy: those of kubeadm where no target writes it."""
        if self.target:
            return (self.target,)
        return KUBEADM.targets


_WORKLOADS_ONLY = "let its nodes reach registries without one, and give the proxy to the workloads"
_ETCDADM = System("etcdadm", "`spec.etcdadmConfigSpec.proxy`")
_GKE = System("GKE", "", _WORKLOADS_ONLY)
_MICROK8S = System("MicroK8s", "`initConfiguration.httpProxy`, `httpsProxy` and `noProxy`")
# Kind in the groups of Cluster API, without ``Template``.
OF_CLUSTER_API = {
    "MicroK8sConfig": _MICROK8S,
    "MicroK8sControlPlane": _MICROK8S,
    "CK8sConfig": System(
        "Canonical Kubernetes", "`httpProxy`, `httpsProxy` and `noProxy` of its `spec`"
    ),
    "OpenshiftAssistedConfig": System("OpenShift", "`spec.proxy`"),
    "GCPManagedControlPlane": _GKE,
    "GKEConfig": _GKE,
    "OCIManagedControlPlane": System(
        "OKE", "`user_data` in `spec.nodeMetadata` of its OCIManagedMachinePool"
    ),
    "ROSAControlPlane": System(
        "ROSA", "", "set it at the cluster itself, with `rosa create cluster --http-proxy`"
    ),
    "ScalewayManagedControlPlane": System("Kapsule", "", _WORKLOADS_ONLY),
    "EtcdadmCluster": _ETCDADM,
    "EtcdadmConfig": _ETCDADM,
    "AWSManagedMachinePool": System("EKS", "the launch template of its nodes"),
}
_KARPENTER = System(
    "Karpenter",
    "`spec.userData`: as a NodeConfig (`spec.instance.environment.default`), "
    "or as `settings.network` of Bottlerocket",
)
# Fields with the URL of a proxy under a name that does not show it, which no target writes.
_URLS: dict[GroupKind, tuple[Texts, ...]] = {
    ("config.open-cluster-management.io", "KlusterletConfig"): (
        ("spec", "hubKubeAPIServerConfig", "proxyURL"),
    ),
    ("helm.cattle.io", "HelmChart"): (("spec", "set", "proxy"),),
}


@cache
def url_fields(group: str, kind: str) -> Sequence[Texts]:
    """Return the fields of a kind in which a URL is that of a proxy, whatever their names are."""
    fields = [*_URLS.get((group, kind), ())]
    for row in distributions.OF_KIND.get((group, kind), ()):
        # All but the list.
        fields += [(*row.path, *key.split(".")) for key in dict.fromkeys(row.keys[:2]) if key]
    return fields


@cache
def system_of(group: str, kind: str) -> System | None:
    """Return the system of nodes of a kind outside of ``NODE_KINDS``; None if the kind makes no nodes."""
    if (group, kind) == ("karpenter.k8s.aws", "EC2NodeClass"):
        return _KARPENTER
    rows = distributions.OF_KIND.get((group, kind), ())
    if not rows:
        if not is_cluster_api(group):
            return None
        return OF_CLUSTER_API.get(kind.removesuffix("Template"))
    target = rows[0].target
    product = distributions.PRODUCTS[target]
    if not product.has_nodes:
        return None
    return System(product.name, target=target, waits=any(row.is_immutable for row in rows))


def system_kinds() -> frozenset[str]:
    """Return the kinds that show which system creates the nodes, and that are no ``NODE_KINDS``."""
    kinds = {"EC2NodeClass", *OF_CLUSTER_API, *(f"{kind}Template" for kind in OF_CLUSTER_API)}
    return frozenset(
        kinds.union(kind for group, kind in distributions.OF_KIND if system_of(group, kind))
    )


def field_kinds() -> frozenset[str]:
    """Return the kinds of objects whose proxy no name shows, or may be missing: with URLs, charts, and nodes."""
    kinds = {kind for _, kind in (*_URLS, *distributions.OF_KIND, HELM_RELEASE, APPLICATION)}
    return system_kinds() | kinds


def targets_of(group: str, kind: str) -> Texts:
    """Return the IDs of the targets that write the proxy of nodes into objects of a kind; empty if none does."""
    if (group, kind) in NODE_KINDS:
        return NODE_KINDS[group, kind].system.targets
    system = system_of(group, kind)
    if system and system.target:
        return system.targets
    return ()
