"""Systems, operators and charts that no target writes, or not by themselves: by which kinds they are known.

Sources: the API types of each project, and the ``values.yaml`` of each chart. What a target writes is in ``products``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from krm_fn.clusters.charts import APPLICATION, HELM_RELEASE, NO_SOURCES, ChartSources, charts_of
from krm_fn.clusters.kinds import CLUSTER, OWNS_WORKERS, is_cluster_api
from krm_fn.clusters.model import Cluster, Key
from krm_fn.clusters.namespaces import ObjectIndex
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
        is_needed: without a proxy there something lacks it; False where only another one is worth a word.
        target: the target that writes the place; "" if none does.
        waits: its target writes nothing there unless it has ``enabled: true``.
    """

    name: str
    place: str
    instead: str = ""
    urls: tuple[Pointer, ...] = ()
    is_needed: bool = True
    target: str = ""
    waits: bool = False

    @property
    def targets(self) -> tuple[str, ...]:
        """Whose settings say whether its nodes are to have a proxy: those of kubeadm where no target writes it."""
        return (self.target,) if self.target else KUBEADM.targets


_WORKLOADS_ONLY = "let its nodes reach registries without one, and give the proxy to the workloads"
_ETCDADM = System("etcdadm", "`spec.etcdadmConfigSpec.proxy`")
_GKE = System("GKE", "", _WORKLOADS_ONLY)
_KARPENTER = "`spec.userData`: as a NodeConfig (`spec.instance.environment.default`), or as `settings.network` of Bottlerocket"  # noqa: E501
_MICROK8S = System("MicroK8s", "`initConfiguration.httpProxy`, `httpsProxy` and `noProxy`")
_OF_CLUSTER_API = {
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
"""Kind in the groups of Cluster API, without ``Template``; of one Cluster, what the user can write to comes first."""
_ALONE = {("karpenter.k8s.aws", "EC2NodeClass"): System("Karpenter", _KARPENTER)}
_ACM = "Advanced Cluster Management"
_FIELDS = {
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


class Foreign(NamedTuple):
    """That nodes of a Cluster are of a system other than those of ``NODE_KINDS``.

    ``obj`` is of the kind that says so, ``is_own``, or names an object of it, ``name``. ``cluster`` is None for none
    that is known.
    """

    system: System
    kind: str
    name: str
    obj: Object
    cluster: Cluster | None = None
    is_own: bool = False


@cache
def _distribution(group: str, kind: str) -> System | None:
    """Return the system of a kind that a target of ``products/distributions.py`` writes."""
    rows = distributions.OF_KIND.get((group, kind), ())
    if not rows:
        return None
    urls: list[Pointer] = []
    for row in rows:
        keys = row.keys[:2] if row.keys != proxy_keys.CAMEL else ()
        urls += [(*row.path, *key.split(".")) for key in dict.fromkeys(keys) if key]
    return System(
        distributions.PRODUCTS[rows[0].target].name,
        " or ".join(f"`{row.field}`" for row in rows),
        urls=tuple(urls),
        target=rows[0].target,
        waits=any(row.is_immutable for row in rows),
    )


def _has_nodes(group: str, kind: str) -> bool:
    """Return whether a kind of ``products/distributions.py`` says which system nodes run."""
    rows = distributions.OF_KIND.get((group, kind), ())
    return bool(rows) and distributions.PRODUCTS[rows[0].target].has_nodes


def system_kinds() -> frozenset[str]:
    """Return the kinds that show which system creates the nodes, and that are no ``NODE_KINDS``."""
    kinds = {kind for group, kind in distributions.OF_KIND if _has_nodes(group, kind)}
    kinds |= {*_OF_CLUSTER_API, *(f"{kind}Template" for kind in _OF_CLUSTER_API)}
    return frozenset(kinds | {kind for _, kind in _ALONE})


def field_kinds() -> frozenset[str]:
    """Return the kinds of objects that may lack a proxy: nodes of other systems, charts, and those with a field."""
    kinds = {kind for _, kind in (*_FIELDS, *distributions.OF_KIND, HELM_RELEASE, APPLICATION)}
    return system_kinds() | kinds


def system_of(group: str, kind: str) -> System | None:
    """Return the system of a kind that is none of ``NODE_KINDS``."""
    if _has_nodes(group, kind):
        return _distribution(group, kind)
    if is_cluster_api(group):
        return _OF_CLUSTER_API.get(kind.removesuffix("Template"))
    return _ALONE.get((group, kind))


def field_of(group: str, kind: str) -> System | None:
    """Return where an object of a kind that is no node and no chart keeps a proxy."""
    if _has_nodes(group, kind):
        return None
    return _FIELDS.get((group, kind)) or _distribution(group, kind)


def targets_of(group: str, kind: str) -> tuple[str, ...]:
    """Return the IDs of the targets that write the proxy of nodes into objects of a kind; empty if none does."""
    if (group, kind) in NODE_KINDS:
        return NODE_KINDS[group, kind].system.targets
    system = system_of(group, kind)
    return system.targets if system and system.target else ()


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
        )
        holder = "values" if obj.group_kind == HELM_RELEASE else "helm"
        yield system, (*use.path, holder)


def foreign(objects: Iterable[Object], topology: Topology) -> list[Foreign]:
    """Return what is of a system other than ``NODE_KINDS``: the objects themselves, and those that refer to such.

    Args:
        objects: those of ``kinds()`` and of ``system_kinds()``.
        topology: the Clusters of the list.
    """
    found: list[Foreign] = []
    for obj in objects:
        named = [(*obj.group_kind, obj.base_name, True)]
        named += [(use.target.group, use.target.kind, use.target.name, False) for use in uses(obj)]
        for group, kind, name, is_own in named:
            system = system_of(group, kind)
            if system is None:
                continue
            clusters: list[Cluster | None] = [one.cluster for one in topology.of(obj)]
            for cluster in clusters or [None]:
                found.append(Foreign(system, kind, name, obj, cluster, is_own))  # noqa: PERF401
    order = [*_OF_CLUSTER_API.values(), *_ALONE.values()]
    return sorted(found, key=lambda one: -1 if one.system.target else order.index(one.system))


def elsewhere(objects: Iterable[Object]) -> Iterator[tuple[Object, Key]]:
    """Yield each Cluster and group of workers with each configuration that it names and that is not in the list."""
    read = list(objects)
    listed = ObjectIndex((key_of(obj), None) for obj in read)
    for obj in read:
        if obj.ref.kind != CLUSTER[1] and obj.ref.kind not in OWNS_WORKERS:
            continue
        for use in uses(obj):
            system = system_of(*use.target.group_kind)
            is_written = system is not None and bool(system.target) and not system.waits
            if use.target.group_kind in NODE_KINDS or is_written:  # noqa: SIM102
                if not listed.candidates(use.target):
                    yield obj, use.target


def without_class(
    objects: Iterable[Object], topology: Topology
) -> Iterator[tuple[Object, str, Pointer]]:
    """Yield each Cluster whose ClusterClass is not in the list, with the name of the class and the field."""
    read = list(objects)
    classes = {key_of(obj) for obj in read if obj.ref.kind == "ClusterClass"}
    for obj in read:
        key = topology.class_of(obj) if obj.group_kind == CLUSTER else None
        if key is not None and key not in classes:
            yield obj, key.name, class_of(obj.data, obj.ref.namespace)[1]
