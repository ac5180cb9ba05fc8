"""The Clusters of a list with their facts, and the Clusters of each object.

A fact of the Cluster itself goes before one of its infrastructure, and that before one of its control plane. What only
names suggest, or an object claims from another namespace, holds no facts. Patches of a ClusterClass are not worked out:
a fact of a template that they may change does not count.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter

from krm_fn import placeholders
from krm_fn.clusters.cluster import (
    Cluster,
    ClusterNetwork,
    Fact,
    Facts,
    Key,
    Membership,
    Memberships,
)
from krm_fn.clusters.facts import merged
from krm_fn.clusters.kinds import CLUSTER_CLASS, POOLS, WHOLE_CLUSTERS, paths_of
from krm_fn.clusters.members import ClusterMembers
from krm_fn.clusters.node import RelatedObject, RelatedObjects, node_of
from krm_fn.clusters.references import (
    Folders,
    WorkerClass,
    cluster_deployment_of,
    key_of,
    may_be_same,
)
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import ObjectRef
from krm_fn.patch import Pointer
from krm_fn.products import konvoy, tkg
from krm_fn.products.cluster_api import CONTROL_PLANE, Role
from krm_fn.products.distributions import OF_KIND, PRODUCTS, Product
from krm_fn.products.node_kinds import NODE_KINDS, NodeSystem

_NOTHING = ClusterNetwork()
_OF_CLASS = ("spec", "infrastructure")
# The kinds that say addresses of machines, which hold for their Cluster whoever names them.
_ADDRESSES = (konvoy.INVENTORY, *POOLS)
_NO_OBJECT = RelatedObject(Key("", "", "", ""))


class Topology:
    """The Clusters of a list and what belongs to them.

    Args:
        objects: those of ``kinds()``; others do no harm. They are read once and not kept.
    """

    def __init__(self, objects: Iterable[Object]) -> None:
        self._members = ClusterMembers(map(node_of, objects))
        sources = self._sources()
        nodes = {key: RelatedObject(key) for key in sources}
        nodes.update(self._members.clusters)
        self._clusters: dict[Key, Cluster] = {}
        self._memberships: dict[Key, Memberships] = {}
        for key, node in nodes.items():
            self._clusters[key] = self._cluster(node, sources.get(key, {}))

    def folders(self) -> Folders:
        """Return what tells the folders of the Clusters apart; nothing is in them yet."""
        return Folders(self._members.clusters)

    def of(self, obj: Object) -> Memberships:
        """Return the Clusters that an object belongs to; of those in several files that say the same, the first."""
        node = self._node(obj)
        memberships = self._memberships.get(node.key)
        if memberships is None:
            memberships = self._first_of_equal(self._members.of(node), node.key.file)
            if node.key in self._members.nodes:
                self._memberships[node.key] = memberships
        return memberships

    def _first_of_equal(self, memberships: Memberships, file: str) -> Memberships:
        """Return memberships with their Clusters as an object in a file sees them, each once."""
        first: dict[tuple[object, ...], Membership] = {}
        for membership in memberships:
            key = membership.key
            cluster = self._clusters.get(key) or Cluster(key.namespace, key.name)
            if membership.is_only and cluster.ref.file_path != file:
                cluster = _without_placeholders(cluster)
            said = (
                cluster.namespace,
                cluster.name,
                membership.role,
                membership.group,
                membership.worker_class,
                cluster.network.values,
                cluster.assumed.values,
                frozenset(cluster.labels.items()),
            )
            first.setdefault(said, membership._replace(cluster=cluster))
        return tuple(first.values())

    def standalone_cluster(self, obj: Object) -> Cluster | None:
        """Return what is known of the Cluster that an object makes, where no Cluster is known.

        That is a control plane, or a cluster outside of Cluster API, also one whose machines an InfraEnv starts; None
        for any other object.
        """
        node = self._node(obj)
        deployment = cluster_deployment_of(obj)
        if deployment and may_be_same(deployment.namespace, obj.ref.namespace):
            for use in self._members.uses_of(deployment):
                node = self._members.nodes[use.source]
        kind = node.key.group_kind
        if kind in NODE_KINDS:
            is_standalone = node.role is Role.CONTROL_PLANE
        else:
            is_standalone = kind in WHOLE_CLUSTERS
        if not is_standalone:
            return None
        return Cluster(network=node.network, assumed=node.assumed)

    def classes_of(self, obj: Object) -> tuple[Key, ...]:
        """Return the ClusterClasses of which an object is a template; () if any other object uses it as well."""
        sources: dict[Key, None] = {}
        for use in self._members.uses_of(key_of(obj)):
            if use.source.group_kind != CLUSTER_CLASS:
                return ()
            sources[use.source] = None
        return tuple(sources)

    def is_whole(self, obj: Object) -> bool:
        """Return whether an object is no patch: another object refers to it, and can mean no other one."""
        return key_of(obj) in self._members.whole

    def class_of(self, obj: Object) -> Key | None:
        """Return the ClusterClass of a Cluster, whether or not it is in the list."""
        node = self._members.cluster(key_of(obj))
        if node is None or node.class_key is None:
            return None
        return self._members.resolve(node.class_key)

    def cluster_of_class(self, cluster_class: Object) -> Cluster:
        """Return what is known about every Cluster of a ClusterClass: its infrastructure, and the networks of that."""
        its_class = self._node(cluster_class)
        named = its_class.infrastructure
        if named is None:
            return Cluster()
        template = self._members.nodes.get(named, _NO_OBJECT)
        said = _unpatched(template.network, its_class)
        assumed = _unpatched(template.assumed, its_class)
        return Cluster(
            network=ClusterNetwork(
                infrastructure=_kind_of(named, its_class.ref, _OF_CLASS),
                networks=said.networks,
            ),
            assumed=ClusterNetwork(networks=assumed.networks),
        )

    def nodes_of(self, obj: Object) -> dict[WorkerClass, Membership]:
        """Return the nodes of ``spec.topology`` of a Cluster: its control plane at ``("", "")``, and its workers.

        Groups of workers have the section that they are in (``machineDeployments``), and their name there.
        """
        node = self._members.cluster(key_of(obj))
        if node is None:
            return {}
        its_own = Membership(
            self._clusters[node.key],
            Role.CONTROL_PLANE,
            how="it is the Cluster",
        )
        nodes = {("", ""): its_own}
        for (section, worker_class), names in node.workers.items():
            for name in names:
                nodes[section, name] = its_own._replace(
                    role=Role.WORKER,
                    group=name,
                    worker_class=worker_class,
                )
        return nodes

    def _node(self, obj: Object) -> RelatedObject:
        """Return what is kept of an object, which need not be in the list."""
        key = key_of(obj)
        node = self._members.nodes.get(key)
        if node and node.key == key:
            return node
        return node_of(obj)

    def _sources(self) -> dict[Key, RelatedObjects]:
        """Return, for each Cluster, the objects with facts about it, in an order that is not that of the list."""
        sources: dict[Key, RelatedObjects] = {}
        for node in sorted(self._members.nodes.values(), key=attrgetter("key")):
            has_facts = node.network != _NOTHING or node.assumed != _NOTHING
            if not has_facts and node.role is not Role.CONTROL_PLANE:
                continue
            for membership in self._members.of(node):
                cluster = membership.key
                is_near = membership.is_guest or may_be_same(cluster.namespace, node.key.namespace)
                if is_near and membership.is_certain and not membership.claimed_from:
                    sources.setdefault(cluster, {})[node.key] = node
        return sources

    def _cluster(self, related_cluster: RelatedObject, sources: RelatedObjects) -> Cluster:
        """Return a Cluster with what its sources say."""
        its_class = _NO_OBJECT
        if related_cluster.class_key:
            its_class = self._members.nodes.get(related_cluster.class_key, _NO_OBJECT)
        parts = self._parts(related_cluster, its_class, sources)
        networks = [_unpatched(node.network, its_class) for node in parts]
        for node in sources.values():
            if node in parts:
                continue
            if node.key.group_kind in _ADDRESSES:
                networks.append(node.network)
            else:
                # Any node may pull from a mirror; nothing else holds of workers, and of parts that no Cluster names.
                networks.append(ClusterNetwork(mirrors=node.network.mirrors))
        infrastructure = _infrastructure(related_cluster, its_class, sources.values())
        network = merged(networks)._replace(infrastructure=infrastructure)
        known = Cluster(
            namespace=related_cluster.key.namespace,
            name=related_cluster.key.name,
            labels=related_cluster.labels,
            ref=related_cluster.ref,
            network=network,
        )
        if not known.is_listed:
            return known
        return known._replace(assumed=self._assumed(related_cluster, its_class, parts))

    def _parts(
        self,
        related_cluster: RelatedObject,
        its_class: RelatedObject,
        sources: RelatedObjects,
    ) -> list[RelatedObject]:
        """Return the Cluster, its infrastructure and its control plane: those that it or its class names, else all."""
        keys = [key for key, node in sources.items() if node.is_cluster]
        infrastructure = [key for key, node in sources.items() if node.is_infrastructure]
        control_planes = [key for key, node in sources.items() if node.is_control_plane]
        for references, candidates in (
            ((related_cluster.infrastructure, its_class.infrastructure), infrastructure),
            ((related_cluster.control_plane, its_class.control_plane), control_planes),
        ):
            named = [self._members.resolve(key) for key in references if key]
            keys += named or candidates
        return [sources[key] for key in dict.fromkeys(keys) if key in sources]

    def _assumed(
        self, related_cluster: RelatedObject, its_class: RelatedObject, parts: list[RelatedObject]
    ) -> ClusterNetwork:
        """Return the defaults of the infrastructure, and of what sets up the control plane."""
        from krm_fn.clusters import defaults  # noqa: PLC0415 -- many lists have no Clusters

        assumed = merged(_unpatched(node.assumed, its_class) for node in parts)
        assumed = assumed._replace(
            hosts=defaults.hosts_of_cluster(assumed, related_cluster.key.name)
        )
        system = self._system(related_cluster, its_class, parts)
        if system is None:
            return assumed
        of_system = defaults.network_of_system(system, related_cluster.ref)
        if any(node.sets_services for node in (related_cluster, *parts)):
            of_system = of_system._replace(service_cidrs=())
        return assumed.completed_by(of_system)

    def _system(
        self, related_cluster: RelatedObject, its_class: RelatedObject, parts: list[RelatedObject]
    ) -> NodeSystem | Product | None:
        """Return what sets up the control plane, unless a patch of the class may give it other networks."""
        named = related_cluster.control_plane or its_class.control_plane
        keys = [node.key for node in parts if node.is_control_plane]
        if named:
            keys = [self._members.resolve(named)]
        for key in keys:
            for row in OF_KIND.get(key.group_kind, ()):
                if row.role is Role.CONTROL_PLANE:
                    return PRODUCTS[row.target]
            node_kind = NODE_KINDS.get(key.group_kind)
            if node_kind and node_kind.is_control_plane:
                system = node_kind.system
                paths = paths_of(CONTROL_PLANE, f"{system.control_plane}Template")
                for path in paths.get("service_cidrs", ()):
                    if _is_rewritten(path, its_class):
                        return None
                return system
        return None


def _infrastructure(
    related_cluster: RelatedObject, its_class: RelatedObject, sources: Iterable[RelatedObject]
) -> Facts:
    """Return the kind of the infrastructure, as the Cluster, its class or an object that belongs to it says."""
    if related_cluster.infrastructure:
        return _kind_of(
            related_cluster.infrastructure, related_cluster.ref, ("spec", "infrastructureRef")
        )
    if its_class.infrastructure:
        return _kind_of(its_class.infrastructure, its_class.ref, _OF_CLASS)
    for node in sources:
        if node.is_infrastructure:
            return _kind_of(node.key, node.ref, ("kind",))
    if related_cluster.class_key:
        name = f"{related_cluster.class_key.name}-"
        for prefix, kind in tkg.CLUSTER_CLASSES.items():
            if name.startswith(f"{prefix}-"):
                return (Fact(kind, related_cluster.ref, related_cluster.class_path),)
    return ()


def _kind_of(infrastructure: Key, ref: ObjectRef, path: Pointer) -> Facts:
    """Return the kind of an infrastructure, and the object and the path that name it."""
    return (Fact(infrastructure.kind.removesuffix("Template"), ref, path),)


def _without_placeholders(cluster: Cluster) -> Cluster:
    """Return a Cluster without facts that are filled in later: who fills in one file may not know another one."""

    def is_known(fact: Fact) -> bool:
        return not placeholders.is_in(fact.value)

    return cluster._replace(
        network=cluster.network.only(is_known), assumed=cluster.assumed.only(is_known)
    )


def _unpatched(network: ClusterNetwork, its_class: RelatedObject) -> ClusterNetwork:
    """Return a network without facts, but for mirrors, of a template that a patch of its class may change."""
    if not its_class.rewritten:
        return network
    stable = network.only(lambda fact: not _is_rewritten(fact.path, its_class))
    return stable._replace(mirrors=network.mirrors)


def _is_rewritten(path: Pointer, its_class: RelatedObject) -> bool:
    """Return whether a patch of a class may write what is at a path of a template, or beside it."""
    if path[:3] != ("spec", "template", "spec"):
        return False
    around = path[: max(len(path) - 1, 4)]
    for steps in its_class.rewritten:
        shared = min(len(steps), len(around))
        if steps[:shared] == around[:shared]:
            return True
    return False
