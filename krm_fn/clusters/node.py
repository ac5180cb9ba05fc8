"""What a list keeps of each object of Cluster API: its place among the others, and what it says of its Cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from krm_fn.clusters.cluster import ClusterNetwork, Key
from krm_fn.clusters.evidence import Evidence, evidence, guess
from krm_fn.clusters.facts import declared, sets_services
from krm_fn.clusters.kinds import (
    CLUSTER,
    CLUSTER_CLASS,
    CORE,
    OWNS_WORKERS,
    ROLES,
    WHOLE_CLUSTERS,
    is_infrastructure,
)
from krm_fn.clusters.reading import pattern, text, values
from krm_fn.clusters.references import Use, WorkerClass, class_of, key_of, owners, uses
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import ObjectRef
from krm_fn.light_typing import NamedTuple, Texts
from krm_fn.patch import Pointer, lookup, pointer_of
from krm_fn.products import konvoy
from krm_fn.products.cluster_api import OUR_PATCHES, Role, is_cluster_api

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
    evidence: tuple[Evidence, ...] = ()
    guess: str = ""
    owners: tuple[Key, ...] = ()
    uses: tuple[Use, ...] = ()
    network: ClusterNetwork = ClusterNetwork()
    assumed: ClusterNetwork = ClusterNetwork()
    sets_services: bool = False
    labels: Mapping[str, str] = MappingProxyType({})
    class_key: Key | None = None
    class_path: Pointer = ()
    workers: Mapping[WorkerClass, Texts] = MappingProxyType({})
    rewritten: tuple[Pointer, ...] = ()

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


def node_of(obj: Object) -> RelatedObject:
    """Return what an object says about itself and its Cluster."""
    key = key_of(obj)
    node = RelatedObject(
        key,
        obj.ref,
        evidence=tuple(named for named in evidence(obj) if named.name),
        guess=guess(obj),
        owners=tuple(owner for owner in owners(obj) if owner.group_kind != CLUSTER),
        uses=tuple(uses(obj)),
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
        return node._replace(rewritten=tuple(_rewritten(obj)))
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
    return Role.WORKER if group or obj.ref.kind == "Machine" else None


def _group(obj: Object) -> str:
    """Return the name of a worker group, first of all the one that the Cluster's topology has for it."""
    candidates = [obj.labels.get(name) for name in _TOPOLOGY_LABELS]
    if obj.ref.kind in OWNS_WORKERS:
        candidates.append(obj.ref.name)
    candidates += [obj.labels.get(name) for name in _GROUP_LABELS]
    candidates += [owner.name for owner in owners(obj) if owner.kind in OWNS_WORKERS]
    for candidate in candidates:
        name = text(candidate)
        if name:
            return name
    return ""


def _rewritten(obj: Object) -> Iterator[Pointer]:
    """Yield the paths that the patches of a ClusterClass, but for ours, write; an external patch may write any."""
    for _, patch in values(obj.data, ("spec", "patches", "*")):
        if lookup(patch, ("name",)) in OUR_PATCHES:
            continue
        paths = list(values(patch, pattern("definitions.*.jsonPatches.*.path")))
        for _, path in paths or [((), "")]:
            yield pointer_of(text(path))


def _workers(obj: Object) -> dict[WorkerClass, Texts]:
    names: dict[WorkerClass, Texts] = {}
    for section in ("machineDeployments", "machinePools"):
        for _, worker in values(obj.data, ("spec", "topology", "workers", section, "*")):
            key = (section, text(lookup(worker, ("class",))))
            name = text(lookup(worker, ("name",)))
            if name:
                names[key] = (*names.get(key, ()), name)
    return names
