"""What a list keeps of each object of Cluster API: its place among the others, and what it says of its Cluster.

Sources of the names by which it says to which Cluster it belongs: Cluster API ``common_types.go`` (labels),
``spec.clusterName``; ``giantswarm/k8smetadata``; the proxy documents of Giant Swarm, Konvoy and TKG, which name
Secrets, ConfigMaps and inventories after their Cluster.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from krm_fn.clusters.cluster import ClusterNetwork, Key
from krm_fn.clusters.facts import declared, sets_services
from krm_fn.clusters.kinds import (
    CLUSTER_CLASS,
    METAL3_POOL,
    OWNS_WORKERS,
    ROLES,
    WHOLE_CLUSTERS,
    is_infrastructure,
)
from krm_fn.clusters.references import Use, WorkerClass, class_of, key_of, owners, uses
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import ObjectRef
from krm_fn.light_typing import NamedTuple, Texts
from krm_fn.patch import Data, Pointer, find_values, lookup, pattern, pointer_of, stripped, text_at
from krm_fn.products import giantswarm, konvoy, tkg
from krm_fn.products.cluster_api import CLUSTER, CORE, OUR_PATCHES, Role, is_cluster_api
from krm_fn.products.node_kinds import NODE_KINDS
from krm_fn.products.release_kinds import HELM_RELEASE

_LABELS = (f"{CORE}/cluster-name", giantswarm.CLUSTER_LABEL, tkg.CLUSTER_NAME_LABEL)
# An annotation of Cluster API and a label of TKG that say in which namespace the Cluster is.
_NAMESPACE_NAMES = (f"{CORE}/cluster-namespace", tkg.CLUSTER_NAMESPACE_LABEL)
_CLUSTER_NAME_PATHS = (("spec", "clusterName"), ("spec", "template", "spec", "clusterName"))
_NAME_IN_VALUES = ("spec", "values", "global", "metadata", "name")
_DATA = (("", "Secret"), ("", "ConfigMap"))
# What products put behind the name of a Cluster to name a Secret or a ConfigMap of it.
_DATA_SUFFIXES = (
    giantswarm.CLUSTER_VALUES_SUFFIX,
    giantswarm.SYSTEMD_PROXY_SUFFIX,
    konvoy.USER_OVERRIDES_SUFFIX,
    tkg.CONFIG_VALUES_SUFFIX,
    *tkg.ADD_ON_SUFFIXES,
)
_APP_VALUES = (
    ("spec", "config", "configMap", "name"),
    ("spec", "config", "secret", "name"),
)
_INVENTORY = r"(.+)-(?:control-plane|md-[0-9]+)"
# How the API groups of TKG end, whose objects have the name of their Cluster, or that of its package.
_TANZU = ".tanzu.vmware.com"


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
            name = stripped(lookup(obj.data, path))
            yield Evidence(name, "its `spec.clusterName`", namespace)
    name, its_namespace = kubeconfig_of(obj)
    yield Evidence(name, "its `spec.kubeConfig`", its_namespace or namespace)
    if is_release_of_cluster(obj):
        name = stripped(lookup(obj.data, _NAME_IN_VALUES))
        yield Evidence(name, "`global.metadata.name` of its values", namespace)
    for label in _LABELS:
        name = stripped(obj.labels.get(label))
        yield Evidence(name, f"its label `{label}`", namespace)
    for owner in owners(obj):
        if owner.group_kind == CLUSTER:
            yield Evidence(owner.name, "an owner reference", owner.namespace)
    yield Evidence(
        _name_in_reference(obj), "the name of a Secret or ConfigMap that it refers to", namespace
    )
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


def user_values_of(name: str) -> str:
    """Return whose user values an object of that name holds, by the convention of Giant Swarm; "" for none."""
    return name_before(name, giantswarm.USER_VALUES_SUFFIXES)


def _cluster_namespace(obj: Object) -> str:
    for name in _NAMESPACE_NAMES:
        namespace = stripped(obj.annotations.get(name)) or stripped(obj.labels.get(name))
        if namespace:
            return namespace
    return ""


def _name_in_reference(obj: Object) -> str:
    """Return the Cluster after which a Secret or ConfigMap is named that a node or an App reads; "" if several."""
    node_kind = NODE_KINDS.get(obj.group_kind)
    if node_kind:
        suffix = giantswarm.SYSTEMD_PROXY_SUFFIX
        path = (*node_kind.files, "*", "contentFrom", "secret", "name")
        references = [name for _, name in find_values(obj.data, path)]
    elif obj.group_kind == giantswarm.APP:
        suffix = giantswarm.CLUSTER_VALUES_SUFFIX
        references = [lookup(obj.data, path) for path in _APP_VALUES]
    else:
        return ""
    names = {name_before(stripped(name), (suffix,)) for name in references}
    names.discard("")
    if len(names) != 1:
        return ""
    return names.pop()


def _name_in_own_name(obj: Object) -> str:
    """Return the name of the Cluster that a product made a part of the name of an object; "" for none."""
    if obj.group_kind in _DATA:
        return name_before(obj.base_name, _DATA_SUFFIXES)
    if obj.group_kind == konvoy.INVENTORY:
        match = re.fullmatch(_INVENTORY, obj.ref.name)
        return match[1] if match else ""
    if obj.group_kind[0].endswith(_TANZU) and tkg.TEMPLATE_ANNOTATION not in obj.annotations:
        return name_before(obj.base_name, tkg.PACKAGE_SUFFIXES) or obj.ref.name
    return ""


def name_before(name: str, suffixes: Texts) -> str:
    """Return the name of the Cluster in front of one of several suffixes; "" where a name ends in none of them."""
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
    name = text_at(secret, "name").strip()
    if not name.endswith(_KUBECONFIG) or is_of_management_cluster(obj):
        return "", ""
    return name.removesuffix(_KUBECONFIG), text_at(secret, "namespace").strip()


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


_CONTROL_PLANE_LABEL = f"{CORE}/control-plane"
_TOPOLOGY_LABELS = (f"topology.{CORE}/deployment-name", f"topology.{CORE}/pool-name")
_GROUP_LABELS = (
    f"{CORE}/deployment-name",
    f"{CORE}/pool-name",
    "giantswarm.io/machine-deployment",
    "giantswarm.io/machine-pool",
)


class RelatedObject(NamedTuple):
    """One object of a list; what it does not say is empty.

    Attributes:
        key: what references name it by.
        ref: its identity.
        role: that of the nodes that it sets up.
        group: the name of their worker group.
        evidence: the Clusters that it names.
        guess: the Cluster after which it is probably named.
        owners: its owners, but for Clusters.
        uses: the objects that it refers to.
        network: what it says about the network of its Cluster.
        assumed: what its provider takes where it says nothing.
        sets_services: it says something, readable or not, as the network of Services.
        labels: those of a Cluster.
        class_key: the ClusterClass of a Cluster.
        class_path: where it names the class.
        workers: the names of its worker groups, by class.
        rewritten: the paths in templates that the patches of a ClusterClass write; the root if it can be any.
    """

    key: Key
    ref: ObjectRef = ObjectRef()
    role: Role | None = None
    group: str = ""
    evidence: Sequence[Evidence] = ()
    guess: str = ""
    owners: Sequence[Key] = ()
    uses: Sequence[Use] = ()
    network: ClusterNetwork = ClusterNetwork()
    assumed: ClusterNetwork = ClusterNetwork()
    sets_services: bool = False
    labels: Mapping[str, str] = {}
    class_key: Key | None = None
    class_path: Pointer = ()
    workers: Mapping[WorkerClass, Texts] = {}
    rewritten: Sequence[Pointer] = ()

    @property
    def is_cluster(self) -> bool:
        """Whether it is a Cluster of Cluster API."""
        return self.key.group_kind == CLUSTER

    @property
    def is_infrastructure(self) -> bool:
        """Whether it is the infrastructure of a Cluster, or the template of one."""
        return is_infrastructure(*self.key.group_kind)

    @property
    def is_control_plane(self) -> bool:
        """Whether it makes control plane nodes, and is no infrastructure."""
        return self.role is Role.CONTROL_PLANE and not self.is_infrastructure

    @property
    def is_beside_its_cluster(self) -> bool:
        """Whether such objects are in the namespace of their Cluster."""
        return is_cluster_api(self.key.group) or self.key.group == konvoy.GROUP

    @property
    def infrastructure(self) -> Key | None:
        """What a Cluster or a ClusterClass names as the infrastructure."""
        return self._named("infrastructureRef", "infrastructure")

    @property
    def control_plane(self) -> Key | None:
        """What a Cluster or a ClusterClass names as the control plane."""
        return self._named("controlPlaneRef", "controlPlane")

    @property
    def is_complete(self) -> bool:
        """Whether a Cluster says of what it is made; else it is more often a patch of another one."""
        return bool(self.infrastructure or self.control_plane or self.class_key)

    def _named(self, field: str, part: str) -> Key | None:
        paths = (("spec", field), ("spec", part, "ref"), ("spec", part, "templateRef"))
        for use in self.uses:
            if use.path in paths:
                return use.target
        return None


RelatedObjects = dict[Key, RelatedObject]


def node_of(obj: Object) -> RelatedObject:
    """Return what an object says about itself and its Cluster."""
    key = key_of(obj)
    node = RelatedObject(
        key,
        obj.ref,
        evidence=[named for named in evidence(obj) if named.name],
        guess=guess(obj),
        owners=[owner for owner in owners(obj) if owner.group_kind != CLUSTER],
        uses=[*uses(obj)],
        network=declared(obj),
    )
    if node.is_infrastructure or key.group_kind in WHOLE_CLUSTERS:
        from krm_fn.clusters.defaults import assumed  # noqa: PLC0415 -- many lists have no Clusters

        node = node._replace(assumed=assumed(obj))
    if not is_cluster_api(key.group):
        return node
    group = _group(obj)
    node = node._replace(role=_role(obj, group), group=group, sets_services=sets_services(obj))
    if key.group_kind == CLUSTER_CLASS:
        return node._replace(rewritten=[*_rewritten(obj)])
    if not node.is_cluster:
        return node
    class_key, class_path = class_of(obj.data, key.namespace, key.file)
    return node._replace(
        labels={name: value for name, value in obj.labels.items() if isinstance(value, str)},
        class_key=class_key,
        class_path=class_path,
        workers=_workers(obj),
    )


def _role(obj: Object, group: str) -> Role | None:
    """Return the role of the nodes that an object of Cluster API sets up; None if it says none."""
    if obj.ref.kind in ROLES:
        return ROLES[obj.ref.kind]
    if _CONTROL_PLANE_LABEL in obj.labels:
        return Role.CONTROL_PLANE
    # Cluster API takes a Machine without that label for a worker.
    if group or obj.ref.kind == "Machine":
        return Role.WORKER
    return None


def _group(obj: Object) -> str:
    """Return the name of a worker group, first of all the one that the Cluster's topology has for it."""
    candidates = [obj.labels.get(name) for name in _TOPOLOGY_LABELS]
    if obj.ref.kind in OWNS_WORKERS:
        candidates.append(obj.ref.name)
    candidates += [obj.labels.get(name) for name in _GROUP_LABELS]
    candidates += [owner.name for owner in owners(obj) if owner.kind in OWNS_WORKERS]
    return next(filter(None, map(stripped, candidates)), "")


def _rewritten(obj: Object) -> Iterator[Pointer]:
    """Yield the paths that the patches of a ClusterClass, but for ours, write; an external patch may write any."""
    for _, patch in find_values(obj.data, ("spec", "patches", "*")):
        if lookup(patch, "name") in OUR_PATCHES:
            continue
        paths = list(find_values(patch, pattern("definitions.*.jsonPatches.*.path")))
        for _, path in paths or [((), "")]:
            yield pointer_of(stripped(path))


def _workers(obj: Object) -> dict[WorkerClass, Texts]:
    names: dict[WorkerClass, Texts] = {}
    for section in ("machineDeployments", "machinePools"):
        for _, worker in find_values(obj.data, ("spec", "topology", "workers", section, "*")):
            key = (section, stripped(lookup(worker, "class")))
            name = stripped(lookup(worker, "name"))
            if name:
                names[key] = (*names.get(key, ()), name)
    return names
