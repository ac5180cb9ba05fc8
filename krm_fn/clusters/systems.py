"""Systems, operators and charts: by which kinds they are known, and where each keeps a proxy.

Sources: the API types of each project: ``kubernetes-sigs/cluster-api-provider-azure`` (``httpProxyConfig``),
``canonical`` (``httpProxy`` of CK8s and MicroK8s), OpenShift's assisted installer and Hive, ACM, etcdadm, kOps,
Karpenter, CDI; those of GKE, OKE, ROSA and Scaleway, which have no field; the ``values.yaml`` of each chart. What a
target writes is in ``products``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from krm_fn.clusters.charts import (
    APPLICATION,
    HELM_RELEASE,
    NO_SOURCES,
    ChartSources,
    charts_of,
)
from krm_fn.clusters.kinds import CLUSTER, OWNS_WORKERS, is_cluster_api
from krm_fn.clusters.model import Cluster, Key
from krm_fn.clusters.namespaces import ByKey
from krm_fn.clusters.references import class_of, key_of, uses
from krm_fn.clusters.topology import Topology
from krm_fn.krm.resourcelist import Object
from krm_fn.light_typing import NamedTuple
from krm_fn.patch import Pointer
from krm_fn.products import distributions, proxy_keys
from krm_fn.products.node_kinds import KUBEADM, NODE_KINDS


class System(NamedTuple):
    """A system as people call it, and where a proxy is set in it.

    Attributes:
        name: the system.
        place: the field, in words for a message; "" where its manifests have none.
        instead: what to do where there is no field.
        urls: lead to URLs that no name of a variable shows.
        has_credentials: a URL with user and password can stand there.
        is_needed: without a proxy there something lacks it; False where only another one is worth a word.
        target: the target that writes the place; "" if none does.
        waits: its target writes nothing there unless it has ``enabled: true``.
    """

    name: str
    place: str
    instead: str = ""
    urls: tuple[Pointer, ...] = ()
    has_credentials: bool = True
    is_needed: bool = True
    target: str = ""
    waits: bool = False

    @property
    def targets(self) -> tuple[str, ...]:
        """Whose settings say whether its nodes are to have a proxy: those of kubeadm where no target writes it."""
        return (self.target,) if self.target else KUBEADM.targets


_EKS = System("EKS", "the launch template of its nodes")
_GKE = System(
    "GKE", "", "let its nodes reach registries without one, and give the proxy to the workloads"
)
_OKE = System("OKE", "`user_data` in `spec.nodeMetadata` of its OCIManagedMachinePool")
_ROSA = System("ROSA", "", "set it at the cluster itself, with `rosa create cluster --http-proxy`")
_SCALEWAY = System(
    "Kapsule",
    "",
    "let its nodes reach registries without one, and give the proxy to the workloads",
)
_ETCDADM = System("etcdadm", "`spec.etcdadmConfigSpec.proxy`")
_MICROK8S = System("MicroK8s", "`initConfiguration.httpProxy`, `httpsProxy` and `noProxy`")
_CANONICAL = System("Canonical Kubernetes", "`httpProxy`, `httpsProxy` and `noProxy` of its `spec`")
_OPENSHIFT = System("OpenShift", "`spec.proxy`")

OF_CLUSTER_API = {
    "MicroK8sConfig": _MICROK8S,
    "CK8sConfig": _CANONICAL,
    "OpenshiftAssistedConfig": _OPENSHIFT,
    "GCPManagedControlPlane": _GKE,
    "GKEConfig": _GKE,
    "OCIManagedControlPlane": _OKE,
    "ROSAControlPlane": _ROSA,
    "ScalewayManagedControlPlane": _SCALEWAY,
    "EtcdadmCluster": _ETCDADM,
    "EtcdadmConfig": _ETCDADM,
    "AWSManagedMachinePool": _EKS,
}
"""Kind of a control plane, or of a bootstrap configuration, in the groups of Cluster API, without ``Template``.

Of one system the first that a Cluster has is named: what the user can write to comes before what a cloud manages.
"""

ALONE = {
    ("karpenter.k8s.aws", "EC2NodeClass"): System(
        "Karpenter",
        "`spec.userData`: as a NodeConfig (`spec.instance.environment.default`), or as `settings.network` of "
        "Bottlerocket",
    ),
}
"""Clusters and nodes that are none of Cluster API."""


def _of_distribution(rows: Sequence[distributions.DistributionRow]) -> System:
    product = distributions.PRODUCTS[rows[0].target]
    urls: list[Pointer] = []
    for row in rows:
        keys = row.keys[:2] if row.keys != proxy_keys.CAMEL else ()
        urls += [(*row.path, *key.split(".")) for key in dict.fromkeys(keys) if key]
    return System(
        product.name,
        " or ".join(f"`{row.field}`" for row in rows),
        urls=tuple(urls),
        has_credentials=all(row.takes_password for row in rows),
        is_needed=any(row.is_needed for row in rows),
        target=rows[0].target,
        waits=any(row.waits for row in rows),
    )


def _written(*, has_nodes: bool) -> dict[tuple[str, str], System]:
    found = {}
    for kind, rows in distributions.OF_KIND.items():
        of_nodes = distributions.PRODUCTS[rows[0].target].has_nodes and not rows[0].beside
        if of_nodes is has_nodes:
            found[kind] = _of_distribution(rows)
    return found


_WRITTEN = _written(has_nodes=True)
"""Clusters and nodes that a target writes."""

_ACM = "Advanced Cluster Management"
FIELDS = {
    **_written(has_nodes=False),
    ("cdi.kubevirt.io", "CDI"): System("the imports of CDI", "`spec.config.importProxy`"),
    ("addon.open-cluster-management.io", "AddOnDeploymentConfig"): System(
        _ACM, "`spec.proxyConfig`", is_needed=False
    ),
    ("config.open-cluster-management.io", "KlusterletConfig"): System(
        _ACM,
        "`spec.hubKubeAPIServerConfig.proxyURL`",
        urls=(("spec", "hubKubeAPIServerConfig", "proxyURL"),),
        is_needed=False,
    ),
    ("helm.cattle.io", "HelmChart"): System(
        "charts of K3s and RKE2",
        "`spec.set` or `spec.valuesContent`",
        urls=(("spec", "set", "proxy"),),
        is_needed=False,
    ),
}
"""Kinds with a field for a proxy that are no nodes, and no workloads of Kubernetes itself."""

_RANK = {
    system: rank
    for rank, system in enumerate([*_WRITTEN.values(), *OF_CLUSTER_API.values(), *ALONE.values()])
}


class Foreign(NamedTuple):
    """That nodes of a Cluster are of a system other than those of ``NODE_KINDS``.

    A target may write them all the same: ``system.target``. ``kind`` is the one that says so, ``name`` that of the
    object of it, and ``obj`` this object or the one that names it. ``cluster`` is None for an object of no known
    Cluster. ``is_own`` is True where ``obj`` is of that kind itself.
    """

    system: System
    kind: str
    name: str
    obj: Object
    cluster: Cluster | None = None
    is_own: bool = False


def system_kinds() -> frozenset[str]:
    """Return the kinds that show which system creates the nodes, and that are no ``NODE_KINDS``."""
    ours = {name for kind in OF_CLUSTER_API for name in (kind, f"{kind}Template")}
    return frozenset(ours | {kind for _, kind in (*ALONE, *_WRITTEN)})


def system_of(group: str, kind: str) -> System | None:
    """Return the system of a kind that is none of ``NODE_KINDS``."""
    written = _WRITTEN.get((group, kind))
    if written is not None or not is_cluster_api(group):
        return written or ALONE.get((group, kind))
    return OF_CLUSTER_API.get(kind.removesuffix("Template"))


def targets_of(group: str, kind: str) -> tuple[str, ...]:
    """Return the IDs of the targets that write the proxy of nodes into objects of a kind; empty if none does."""
    of_nodes = NODE_KINDS.get((group, kind))
    if of_nodes is not None:
        return of_nodes.system.targets
    row = _WRITTEN.get((group, kind))
    return row.targets if row is not None else ()


def field_kinds() -> frozenset[str]:
    """Return the kinds of objects that may lack a proxy: nodes of other systems, charts, and those with a field."""
    kinds = {kind for _, kind in (*FIELDS, HELM_RELEASE, APPLICATION)}
    return system_kinds() | kinds


def field_of(group: str, kind: str) -> System | None:
    """Return where an object of a kind that is no node and no chart keeps a proxy."""
    return FIELDS.get((group, kind))


def charts_in(obj: Object, sources: ChartSources = NO_SOURCES) -> Iterator[tuple[System, Pointer]]:
    """Yield where the known charts of a HelmRelease or an Application keep a proxy, and the path of their values."""
    if obj.group_kind not in (HELM_RELEASE, APPLICATION):
        return
    from krm_fn.products.charts import CHARTS  # noqa: PLC0415 -- few objects install charts

    for use in charts_of(obj.data, sources):
        if use.name not in CHARTS or use.is_of_bitnami:
            continue
        chart = CHARTS[use.name]
        names: list[str] = []
        urls: list[Pointer] = [tuple(path.split(".")) for path in chart.unwritten]
        for value in chart.values:
            names += [f"`{name}`" for name in value.names]
            urls += [path for variable, path in value.texts.items() if variable != "NO_PROXY"]
        system = System(
            f"the chart {use.name}",
            ", ".join(names),
            urls=tuple(urls),
            has_credentials=chart.takes_credentials,
            is_needed=chart.is_needed,
        )
        holder = "values" if obj.group_kind == HELM_RELEASE else "helm"
        yield system, (*use.path, holder)


def foreign(objects: Iterable[Object], topology: Topology) -> list[Foreign]:
    """Find what is of a system other than ``NODE_KINDS``: the objects themselves, and those that refer to such.

    Args:
        objects: those of ``kinds()`` and of ``system_kinds()``.
        topology: the Clusters of the list.
    """
    found = [one for obj in objects for one in _of_object(obj, topology)]
    return sorted(found, key=lambda one: _RANK[one.system])


def _of_object(obj: Object, topology: Topology) -> Iterator[Foreign]:
    named = [(*obj.group_kind, obj.base_name, True)]
    named += [(target[0], target[1], target[3], False) for target, _ in uses(obj)]
    for group, kind, name, is_own in named:
        system = system_of(group, kind)
        if system is None:
            continue
        clusters = [membership.cluster for membership in topology.of(obj)]
        if not clusters:
            yield Foreign(system, kind, name, obj, None, is_own)
        for cluster in clusters:
            yield Foreign(system, kind, name, obj, cluster, is_own)


def elsewhere(objects: Iterable[Object]) -> Iterator[tuple[Object, Key]]:
    """Yield each Cluster and group of workers with each configuration that it names and that is not in the list."""
    read = list(objects)
    listed = ByKey((key_of(one), None) for one in read)
    for obj in read:
        if obj.ref.kind != CLUSTER[1] and obj.ref.kind not in OWNS_WORKERS:
            continue
        for target, _ in uses(obj):
            row = _WRITTEN.get(target[:2])
            is_written = target[:2] in NODE_KINDS or (row is not None and not row.waits)
            if is_written and not listed.candidates(target):
                yield obj, target


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
