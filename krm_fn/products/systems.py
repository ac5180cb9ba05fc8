"""Systems, operators and charts that no target writes, or not by themselves: by which kinds they are known.

Sources: the API types of each project, and the ``values.yaml`` of each chart. What targets write: ``distributions``.
"""

from __future__ import annotations

from functools import cache

from krm_fn.light_typing import NamedTuple, Texts
from krm_fn.products import distributions
from krm_fn.products.cluster_api import is_cluster_api
from krm_fn.products.node_kinds import KUBEADM, NODE_KINDS
from krm_fn.products.releases import APPLICATION, HELM_RELEASE


class System(NamedTuple):
    """A system as people call it, and where a proxy is set in it.

    Attributes:
        name: the system.
        place: the field, in words for a message; "" where its manifests have none.
        instead: what to do where there is no field.
        urls: lead to URLs that no name of a variable shows.
        is_needed: without a proxy there something lacks it; False where only another one is worth a word.
        target: the target that writes the place; "" if none does.
        waits: its target writes nothing there unless it has ``enabled: true``.
        has_nodes: it says what nodes run.
    """

    name: str
    place: str
    instead: str = ""
    urls: tuple[Texts, ...] = ()
    is_needed: bool = True
    target: str = ""
    waits: bool = False
    has_nodes: bool = True

    @property
    def targets(self) -> Texts:
        """Whose settings say whether its nodes are to have a proxy: those of kubeadm where no target writes it."""
        return (self.target,) if self.target else KUBEADM.targets


_WORKLOADS_ONLY = "let its nodes reach registries without one, and give the proxy to the workloads"
_ETCDADM = System("etcdadm", "`spec.etcdadmConfigSpec.proxy`")
_GKE = System("GKE", "", _WORKLOADS_ONLY)
_KARPENTER = (
    "`spec.userData`: as a NodeConfig (`spec.instance.environment.default`), "
    "or as `settings.network` of Bottlerocket"
)
_MICROK8S = System("MicroK8s", "`initConfiguration.httpProxy`, `httpsProxy` and `noProxy`")
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
"""Kind in the groups of Cluster API, without ``Template``."""
_ACM = "Advanced Cluster Management"
OTHERS = {
    ("karpenter.k8s.aws", "EC2NodeClass"): System("Karpenter", _KARPENTER),
    ("cdi.kubevirt.io", "CDI"): System(
        "the imports of CDI", "`spec.config.importProxy`", has_nodes=False
    ),
    ("addon.open-cluster-management.io", "AddOnDeploymentConfig"): System(
        _ACM, "`spec.proxyConfig`", is_needed=False, has_nodes=False
    ),
    ("config.open-cluster-management.io", "KlusterletConfig"): System(
        _ACM,
        "`spec.hubKubeAPIServerConfig.proxyURL`",
        urls=(("spec", "hubKubeAPIServerConfig", "proxyURL"),),
        is_needed=False,
        has_nodes=False,
    ),
    ("helm.cattle.io", "HelmChart"): System(
        "charts of K3s and RKE2",
        "`spec.set` or `spec.valuesContent`",
        urls=(("spec", "set", "proxy"),),
        is_needed=False,
        has_nodes=False,
    ),
}
"""Kinds of other groups that are no workloads of Kubernetes itself."""


@cache
def known_system(group: str, kind: str) -> System | None:
    """Return where an object of a kind that is none of ``NODE_KINDS``, and no chart, keeps a proxy."""
    rows = distributions.OF_KIND.get((group, kind), ())
    if not rows:
        of_cluster_api = is_cluster_api(group) and OF_CLUSTER_API.get(kind.removesuffix("Template"))
        return of_cluster_api or OTHERS.get((group, kind))
    urls: list[Texts] = []
    for row in rows:
        urls += [(*row.path, *key.split(".")) for key in dict.fromkeys(row.keys[:2]) if key]
    product = distributions.PRODUCTS[rows[0].target]
    return System(
        product.name,
        " or ".join(f"`{row.field}`" for row in rows),
        urls=tuple(urls),
        target=rows[0].target,
        waits=any(row.is_immutable for row in rows),
        has_nodes=product.has_nodes,
    )


def system_kinds() -> frozenset[str]:
    """Return the kinds that show which system creates the nodes, and that are no ``NODE_KINDS``."""
    kinds = {*OF_CLUSTER_API, *(f"{kind}Template" for kind in OF_CLUSTER_API)}
    for group, kind in (*distributions.OF_KIND, *OTHERS):
        if system_of(group, kind):
            kinds.add(kind)
    return frozenset(kinds)


def field_kinds() -> frozenset[str]:
    """Return the kinds of objects that may lack a proxy: nodes of other systems, charts, and those with a field."""
    kinds = {kind for _, kind in (*OTHERS, *distributions.OF_KIND, HELM_RELEASE, APPLICATION)}
    return system_kinds() | kinds


def system_of(group: str, kind: str) -> System | None:
    """Return the system of nodes of a kind that is none of ``NODE_KINDS``."""
    system = known_system(group, kind)
    return system if system and system.has_nodes else None


def targets_of(group: str, kind: str) -> Texts:
    """Return the IDs of the targets that write the proxy of nodes into objects of a kind; empty if none does."""
    if (group, kind) in NODE_KINDS:
        return NODE_KINDS[group, kind].system.targets
    system = system_of(group, kind)
    return system.targets if system and system.target else ()
