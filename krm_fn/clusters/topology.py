"""All Clusters of a list with their facts, and the Clusters of each object.

A fact of the Cluster itself goes before one of its infrastructure cluster, and that before one of its control plane.
What names only suggest, or an object claims from another namespace, holds no facts. Of a Cluster that is not in the
list the facts are those of the objects that belong to it. Variables and patches of a ClusterClass are not worked
out, but for the endpoint: of the templates of a class with patches only the kind of the infrastructure and the mirrors
are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from krm_fn.clusters.declared import declared, distinct, merge
from krm_fn.clusters.graph import Graph, Tie
from krm_fn.clusters.hints import Hints, Whole, hints, role_of
from krm_fn.clusters.kinds import (
    CLUSTER,
    CLUSTER_CLASS,
    CLUSTERS_ALONE,
    INFRASTRUCTURE,
    POOLS,
    SECRET,
)
from krm_fn.clusters.model import Cluster, Key, Membership
from krm_fn.clusters.namespaces import may_be_same
from krm_fn.clusters.reading import host
from krm_fn.clusters.references import WorkerClass, key_of
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import ObjectRef
from krm_fn.noproxy import ClusterNetwork, Fact
from krm_fn.patch import lookup
from krm_fn.products import konvoy, tkg
from krm_fn.products.cluster_api import CONTROL_PLANE, Role
from krm_fn.products.distributions import OF_KIND, PRODUCTS, Product
from krm_fn.products.node_kinds import NODE_KINDS, NodeSystem

_INFRASTRUCTURE, _CONTROL_PLANE = "infrastructure", "control_plane"


class Topology:
    """The Clusters of a list and what belongs to them.

    Args:
        objects: those of ``kinds()``, in the order of the list; others do no harm. They are read once and not kept.
    """

    def __init__(self, objects: Iterable[Object]) -> None:
        self._graph = Graph(objects)
        self._said: dict[Key, tuple[object, ...]] = {}
        sources = self._sources()
        unlisted = {
            key: Hints(key, ObjectRef()) for key in sources if key not in self._graph.clusters
        }
        self._clusters = {
            key: self._cluster(cluster, sources.get(key, []))
            for key, cluster in {**self._graph.clusters, **unlisted}.items()
        }

    @property
    def clusters(self) -> tuple[Cluster, ...]:
        """All Clusters, in the order of the list."""
        return tuple(self._clusters[key] for key in self._graph.clusters)

    def of(self, obj: Object) -> tuple[Membership, ...]:
        """Return the Clusters that ``obj`` belongs to: none if it names none, several if they share it.

        One that is not in the list is known by its name, and by what the objects of the list say that belong to it.
        """
        ties = self._graph.ties(self._graph.node(obj))
        return tuple(map(self._membership, self._distinct(ties) if len(ties) > 1 else ties))

    def alone(self, obj: Object) -> Cluster | None:
        """Return what is known of the Cluster that an object makes, where no Cluster is known.

        That is a control plane, or a cluster outside of Cluster API.

        None for any other object. Only the object itself is meant, so a name of a Cluster is not needed.
        """
        is_control_plane = obj.group_kind in NODE_KINDS and role_of(obj) is Role.CONTROL_PLANE
        is_whole = obj.group_kind in CLUSTERS_ALONE
        if not is_control_plane and not is_whole:
            return None
        if not is_whole:
            return Cluster(network=declared(obj))
        from krm_fn.clusters.defaults import network_alone  # noqa: PLC0415 -- few lists have one

        return Cluster(network=declared(obj), assumed=network_alone(obj))

    def classes_of(self, obj: Object) -> tuple[Key, ...]:
        """Return the ClusterClasses of which ``obj`` is a template; () if any other object uses it as well."""
        sources = [use.source for use in self._graph.uses_of(key_of(obj))]
        if any(key[:2] != CLUSTER_CLASS for key in sources):
            return ()
        return tuple(dict.fromkeys(sources))

    def is_whole(self, obj: Object) -> bool:
        """Return whether another object refers to ``obj``, and none of its name is in another file: it is no patch."""
        return self._graph.is_whole(key_of(obj))

    def class_of(self, cluster: Object) -> Key | None:
        """Return the ClusterClass of a Cluster, whether or not it is in the list."""
        node = self._graph.cluster(key_of(cluster))
        return node.whole.class_key if node else None

    def cluster_of_class(self, cluster_class: Object) -> Cluster:
        """Return what is known about every Cluster of a ClusterClass.

        Its infrastructure, and the networks of that.
        """
        node = self._graph.nodes.get(key_of(cluster_class)) or hints(cluster_class)
        named = node.whole.infrastructure
        if named is None:
            return Cluster()
        infrastructure = _infrastructure_of_class(node, named)
        template = self._graph.nodes.get(named)
        if template is None:
            return Cluster(network=ClusterNetwork(infrastructure=infrastructure))
        wholes = (Whole(), node.whole)
        networks = _usable(template, wholes).networks
        assumed = tuple(_unpatched(template.assumed.networks, wholes))
        return Cluster(
            network=ClusterNetwork(infrastructure=infrastructure, networks=networks),
            assumed=ClusterNetwork(networks=assumed),
        )

    def counted(self, cluster: Object) -> Key | None:
        """Return the Cluster of the list as which a Cluster counts: itself, or the one that it is a patch of."""
        node = self._graph.cluster(key_of(cluster))
        return node.key if node else None

    def nodes_of(self, cluster: Object) -> dict[WorkerClass, Membership]:
        """Return the nodes of ``spec.topology`` of a Cluster.

        The key of its control plane is ``("", "")``.

        Groups of workers have the section that they are in (``machineDeployments``), and their name there.
        """
        node = self._graph.cluster(key_of(cluster))
        if node is None:
            return {}
        its_cluster, how = self._clusters[node.key], "it is the Cluster"
        found = {("", ""): Membership(its_cluster, Role.CONTROL_PLANE, how=how)}
        for (section, worker_class), names in node.whole.workers.items():
            for name in names:
                found[section, name] = Membership(
                    its_cluster, Role.WORKER, name, how, worker_class=worker_class
                )
        return found

    def _distinct(self, ties: Iterable[Tie]) -> Iterable[Tie]:
        """Return the ties without those to a Cluster that says the same as one of its name in another file."""
        first: dict[tuple[object, ...], Tie] = {}
        for tie in ties:
            place = (*tie.cluster[2:4], tie.role, tie.group, tie.worker_class)
            first.setdefault((place, self._says(tie.cluster)), tie)
        return first.values()

    def _says(self, key: Key) -> tuple[object, ...]:
        """Return all that a Cluster says, without where it says it."""
        cluster = self._clusters.get(key)
        if cluster is None:
            return ()
        if key not in self._said:
            known = (cluster.network, cluster.assumed)
            said = [(name, fact.value) for network in known for name, fact in network.facts()]
            said += [("provider_files", fact.value) for fact in cluster.provider_files]
            self._said[key] = (tuple(said), frozenset(cluster.labels.items()))
        return self._said[key]

    def _membership(self, tie: Tie) -> Membership:
        cluster = self._clusters.get(tie.cluster) or Cluster(
            namespace=tie.cluster[2], name=tie.cluster[3]
        )
        return Membership(
            cluster,
            tie.role,
            tie.group,
            tie.how,
            tie.sure,
            tie.worker_class,
            tie.claimed_from,
            tie.is_guest,
            tie.is_only,
        )

    def _sources(self) -> dict[Key, list[Hints]]:
        """Return, for each Cluster, the objects with facts about it, in the order of the list."""
        found: dict[Key, list[Hints]] = {}
        for key, node in self._graph.nodes.items():
            is_patch = key[:2] == CLUSTER and key not in self._graph.clusters
            ties = self._graph.ties(node) if _holds_facts(node) and not is_patch else ()
            keys = [
                tie.cluster
                for tie in ties
                if tie.sure and not tie.claimed_from and _may_say(node, tie)
            ]
            for cluster in dict.fromkeys(keys):
                found.setdefault(cluster, []).append(node)
        return found

    def _cluster(self, cluster: Hints, sources: list[Hints]) -> Cluster:
        its_class = (
            self._graph.nodes.get(cluster.whole.class_key) if cluster.whole.class_key else None
        )
        wholes = (cluster.whole, its_class.whole if its_class else Whole())
        # Not in the order of the list: files and kustomize put the same objects in another one.
        ranked = sorted(sources, key=lambda node: (_rank(node, wholes), node.key))
        network = merge(_usable(node, wholes) for node in ranked)
        endpoint = network.endpoint or _endpoint_of_class(cluster, its_class)
        files = (
            fact for node in ranked if _is_usable(node, wholes) for fact in node.provider_files
        )
        return Cluster(
            namespace=cluster.key[2],
            name=cluster.key[3],
            labels=cluster.whole.labels,
            ref=cluster.ref,
            network=network._replace(
                endpoint=endpoint, infrastructure=_infrastructure(cluster, its_class, ranked)
            ),
            assumed=_assumed(cluster, ranked, wholes) if cluster.ref.kind else ClusterNetwork(),
            provider_files=distinct(files),
        )


def _endpoint_of_class(cluster: Hints, its_class: Hints | None) -> Fact | None:
    """Return the endpoint that a variable of a Cluster says, or the default of that in its class."""
    places = (*(its_class.whole.endpoints if its_class else ()), *cluster.whole.endpoints)
    for name, *below in places:
        for node in (cluster, its_class):
            if node is None or name not in node.whole.variables:
                continue
            path, value = node.whole.variables[name]
            if found := host(lookup(value, tuple(below))):
                return Fact(found, node.ref, (*path, *below))
    return None


def _may_say(node: Hints, tie: Tie) -> bool:
    """Return whether an object is in the namespace of a Cluster, or a template of the class that the Cluster chose."""
    return tie.is_guest or may_be_same(tie.cluster[2], node.key[2])


def _holds_facts(node: Hints) -> bool:
    nothing = ClusterNetwork()
    is_known = node.network != nothing or node.assumed != nothing or node.provider_files
    return bool(is_known) or node.role is Role.CONTROL_PLANE


def _assumed(cluster: Hints, sources: list[Hints], wholes: tuple[Whole, Whole]) -> ClusterNetwork:
    """Return the defaults that apply to a Cluster.

    Those of its infrastructure, and of what sets up its control plane.
    """
    from krm_fn.clusters import defaults  # noqa: PLC0415 -- many lists have no Clusters

    found = [
        defaults.for_cluster(node.assumed, cluster.key[3])
        for node in sources
        if _is_part(node, wholes)
    ]
    system = _system_of(sources, wholes)
    of_nodes = defaults.network_of(system, cluster.ref) if system else ClusterNetwork()
    if any(node.sets_services for node in (cluster, *sources)):
        of_nodes = of_nodes._replace(service_cidrs=())
    return of_nodes._replace(
        networks=distinct(_unpatched((fact for each in found for fact in each.networks), wholes)),
        hosts=distinct(_unpatched((fact for each in found for fact in each.hosts), wholes)),
    )


def _system_of(sources: list[Hints], wholes: tuple[Whole, Whole]) -> NodeSystem | Product | None:
    """Return what sets up the control plane of a Cluster, if no patch of its class may give it other networks."""
    named = next((whole.control_plane for whole in wholes if whole.control_plane), None)
    tied = [node.key for node in sources if _sort(node) == _CONTROL_PLANE]
    for key in [named] if named else tied:
        rows = OF_KIND.get(key[:2])
        if rows and rows[0].role is Role.CONTROL_PLANE:
            return PRODUCTS[rows[0].target]
        node_kind = NODE_KINDS.get(key[:2])
        if node_kind is None or not node_kind.is_control_plane:
            continue
        if not _patches_networks(node_kind.system, wholes[1]):
            return node_kind.system
    return None


def _patches_networks(system: NodeSystem, of_class: Whole) -> bool:
    """Return whether patches of a class may write the networks of pods and Services into its control plane."""
    if not system.network.service_cidrs:
        return False
    template = NODE_KINDS[CONTROL_PLANE, f"{system.control_plane}Template"]
    networks = (*template.path, *system.network.service_cidrs.split(".")[:-1])
    return any(_overlap(path, networks) for path in of_class.rewritten)


def _unpatched(facts: Iterable[Fact], wholes: tuple[Whole, Whole]) -> Iterator[Fact]:
    """Yield the facts without defaults of a template that a patch of its class may change."""
    for fact in facts:
        is_of_template = fact.path[:3] == ("spec", "template", "spec")
        if not is_of_template or not any(
            _overlap(path, fact.path[:4]) for path in wholes[1].rewritten
        ):
            yield fact


def _overlap(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Return whether one path leads into, or to, what is at the other path."""
    length = min(len(one), len(other))
    return one[:length] == other[:length]


def _rank(node: Hints, wholes: tuple[Whole, Whole]) -> int:
    """Return the rank of a source of facts.

    The order: the Cluster, the infrastructure it names, that of its class, any other, the control plane, the rest.
    """
    if node.key[:2] == CLUSTER:
        return 0
    named = [whole.infrastructure for whole in wholes]
    if node.key in named:
        return 1 + named.index(node.key)
    return {_INFRASTRUCTURE: 3, _CONTROL_PLANE: 4}.get(_sort(node), 5)


def _usable(node: Hints, wholes: tuple[Whole, Whole]) -> ClusterNetwork:
    """Return what an object says that holds for the Cluster; its mirrors are always used."""
    if _is_usable(node, wholes):
        return node.network
    return ClusterNetwork(mirrors=node.network.mirrors)


def _is_usable(node: Hints, wholes: tuple[Whole, Whole]) -> bool:
    """Return whether the facts of an object are valid for the Cluster: not if it names another object instead."""
    if node.key[:2] in (CLUSTER, konvoy.INVENTORY, SECRET) or node.key[:2] in POOLS:
        return True
    of_class = (wholes[1].infrastructure, wholes[1].control_plane)
    return _is_part(node, wholes) and not (wholes[1].patched and node.key in of_class)


def _is_part(node: Hints, wholes: tuple[Whole, Whole]) -> bool:
    """Return whether an object is the infrastructure or control plane of a Cluster that names no other one."""
    if any(node.key in (whole.infrastructure, whole.control_plane) for whole in wholes):
        return True
    sort = _sort(node)
    return bool(sort) and not any(getattr(whole, sort) for whole in wholes)


def _sort(node: Hints) -> str:
    """Return which part of a Cluster an object can be, as ``Whole`` names it; "" for workers."""
    if node.key[1].removesuffix("Template") in INFRASTRUCTURE:
        return _INFRASTRUCTURE
    return _CONTROL_PLANE if node.role is Role.CONTROL_PLANE else ""


def _infrastructure(cluster: Hints, its_class: Hints | None, sources: list[Hints]) -> Fact | None:
    """Return the kind of the infrastructure cluster.

    As the Cluster, its class or an object that belongs to it says.
    """
    if cluster.whole.infrastructure:
        kind = cluster.whole.infrastructure[1].removesuffix("Template")
        return Fact(kind, cluster.ref, ("spec", "infrastructureRef"))
    if its_class and its_class.whole.infrastructure:
        return _infrastructure_of_class(its_class, its_class.whole.infrastructure)
    for node in sources:
        if _sort(node) == _INFRASTRUCTURE:
            return Fact(node.key[1].removesuffix("Template"), node.ref, ("kind",))
    return _infrastructure_by_name(cluster)


def _infrastructure_of_class(its_class: Hints, named: Key) -> Fact:
    return Fact(named[1].removesuffix("Template"), its_class.ref, ("spec", "infrastructure"))


def _infrastructure_by_name(cluster: Hints) -> Fact | None:
    """Return what a class makes whose name says so, for it need not be in the list."""
    name = cluster.whole.class_key[3] if cluster.whole.class_key else ""
    for prefix, kind in tkg.CLUSTER_CLASSES.items():
        if name == prefix or name.startswith(f"{prefix}-"):
            return Fact(kind, cluster.ref, cluster.whole.class_path)
    return None
