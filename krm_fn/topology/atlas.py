"""All Clusters of a list with their facts, and the Clusters of each object.

A fact of the Cluster itself goes before one of its infrastructure cluster, and that before one of its control plane.
What names only suggest, or an object claims from another namespace, holds no facts. Of a Cluster that is not in the
list the facts are those of the objects that belong to it. Variables and patches of a ClusterClass are not worked
out: of the templates of a class with patches only the kind of the infrastructure and the mirrors are known.
"""

from __future__ import annotations

from collections.abc import Iterable

from krm_fn.resourcelist import Object
from krm_fn.results import ObjectRef
from krm_fn.topology.declared import NOTHING, Declared, merge
from krm_fn.topology.graph import Graph, Tie
from krm_fn.topology.hints import Hints, Whole, hints
from krm_fn.topology.kinds import CLUSTER, CLUSTER_CLASS, INFRASTRUCTURE, INVENTORY, OF_CLASSES
from krm_fn.topology.model import ClusterFacts, Membership, Role
from krm_fn.topology.references import Key, WorkerClass, key_of

_INFRASTRUCTURE, _CONTROL_PLANE = "infrastructure", "control_plane"


class Topology:
    """The Clusters of a list and what belongs to them.

    Args:
        objects: those of ``kinds()``, in the order of the list; others do no harm. They are read once and not kept.
    """

    def __init__(self, objects: Iterable[Object]) -> None:
        self._graph = Graph(objects)
        sources = self._sources()
        unlisted = {key: Hints(key, ObjectRef()) for key in sources if key not in self._graph.clusters}
        self._facts = {
            key: self._facts_of(cluster, sources.get(key, []))
            for key, cluster in {**self._graph.clusters, **unlisted}.items()
        }

    @property
    def clusters(self) -> tuple[ClusterFacts, ...]:
        """All Clusters, in the order of the list."""
        return tuple(self._facts[key] for key in self._graph.clusters)

    def of(self, obj: Object) -> tuple[Membership, ...]:
        """The Clusters that ``obj``, of any kind, belongs to: none if it names none, several if they share it.

        One that is not in the list is known by its name, and by what the objects of the list say that belong to it.
        """
        return tuple(self._membership(tie) for tie in self._graph.ties(hints(obj)))

    def classes_of(self, obj: Object) -> tuple[Key, ...]:
        """The ClusterClasses of which ``obj`` is a template; none if anything else uses it as well."""
        sources = [use.source for use in self._graph.uses_of(key_of(obj))]
        return tuple(dict.fromkeys(sources)) if all(key[:2] == CLUSTER_CLASS for key in sources) else ()

    def class_of(self, cluster: Object) -> Key | None:
        """The ClusterClass that a Cluster is made of, whether or not it is in the list."""
        node = self._graph.clusters.get(key_of(cluster))
        return node.whole.class_key if node else None

    def infrastructure_of(self, cluster_class: Object) -> str:
        """The kind of the infrastructure cluster that a ClusterClass makes; "" if it does not say."""
        named = hints(cluster_class).whole.infrastructure
        return named[1].removesuffix("Template") if named else ""

    def nodes_of(self, cluster: Object) -> dict[WorkerClass, Membership]:
        """The nodes that ``spec.topology`` of a Cluster makes: ``("", "")`` is its control plane.

        Groups of workers have the section that they stand in (``machineDeployments``), and their name there.
        """
        node = self._graph.clusters.get(key_of(cluster))
        if node is None:
            return {}
        facts, how = self._facts[node.key], "it is the Cluster"
        found = {("", ""): Membership(facts, Role.CONTROL_PLANE, how=how)}
        for (section, worker_class), names in node.whole.workers.items():
            for name in names:
                found[section, name] = Membership(facts, Role.WORKER, name, how, worker_class=worker_class)
        return found

    def _membership(self, tie: Tie) -> Membership:
        cluster = self._facts.get(tie.cluster) or ClusterFacts(namespace=tie.cluster[2], name=tie.cluster[3])
        return Membership(cluster, tie.role, tie.group, tie.how, tie.sure, tie.worker_class, tie.claimed_from)

    def _sources(self) -> dict[Key, list[Hints]]:
        """Cluster -> the objects of it that hold facts, in the order of the list."""
        found: dict[Key, list[Hints]] = {}
        for node in self._graph.nodes.values():
            ties = self._graph.ties(node) if node.facts != NOTHING else ()
            for key in dict.fromkeys(tie.cluster for tie in ties if tie.sure and not tie.claimed_from):
                found.setdefault(key, []).append(node)
        return found

    def _facts_of(self, cluster: Hints, sources: list[Hints]) -> ClusterFacts:
        wholes = self._wholes(cluster)
        ranked = sorted(sources, key=lambda node: _rank(node, wholes))
        known = merge(_usable(node, wholes) for node in ranked)
        return ClusterFacts(
            namespace=cluster.key[2],
            name=cluster.key[3],
            labels=cluster.whole.labels,
            pod_cidrs=known.pod_cidrs,
            service_cidrs=known.service_cidrs,
            service_domain=known.service_domain,
            endpoint=known.endpoint,
            infrastructure=_infrastructure(wholes, ranked),
            region=known.region,
            networks=known.networks,
            mirrors=known.mirrors,
            ref=cluster.ref,
        )

    def _wholes(self, cluster: Hints) -> tuple[Whole, Whole]:
        """What the Cluster says of its parts, and what its class says, if that is in the list."""
        its_class = self._graph.nodes.get(cluster.whole.class_key) if cluster.whole.class_key else None
        return cluster.whole, its_class.whole if its_class else Whole()


def _rank(node: Hints, wholes: tuple[Whole, Whole]) -> int:
    """The Cluster, the infrastructure it names, that of its class, any other, the control plane, the rest."""
    if node.key[:2] == CLUSTER:
        return 0
    named = [whole.infrastructure for whole in wholes]
    if node.key in named:
        return 1 + named.index(node.key)
    return {_INFRASTRUCTURE: 3, _CONTROL_PLANE: 4}.get(_sort(node), 5)


def _usable(node: Hints, wholes: tuple[Whole, Whole]) -> Declared:
    """The facts of an object that hold for the Cluster: not those of a part in whose place it names another."""
    if node.key[:2] in (CLUSTER, INVENTORY):
        return node.facts
    of_class = (wholes[1].infrastructure, wholes[1].control_plane)
    named = (wholes[0].infrastructure, wholes[0].control_plane, *of_class)
    sort = _sort(node)
    rival = any(getattr(whole, sort) for whole in wholes) if sort else True
    whole_truth = node.key in named or not rival
    if whole_truth and not (wholes[1].patched and node.key in of_class):
        return node.facts
    return Declared(mirrors=node.facts.mirrors)


def _sort(node: Hints) -> str:
    """Which part of a Cluster an object can be, as ``Whole`` calls it; "" for workers."""
    if node.key[1].removesuffix("Template") in INFRASTRUCTURE:
        return _INFRASTRUCTURE
    return _CONTROL_PLANE if node.role is Role.CONTROL_PLANE else ""


def _infrastructure(wholes: tuple[Whole, Whole], sources: list[Hints]) -> str:
    named = [whole.infrastructure for whole in wholes if whole.infrastructure]
    tied = [node.key for node in sources if _sort(node) == _INFRASTRUCTURE]
    found = (key[1].removesuffix("Template") for key in (*named, *tied))
    return next(found, "") or _of_class_name(wholes[0].class_key)


def _of_class_name(class_key: Key | None) -> str:
    """What a class makes whose name says so, for it need not be in the list."""
    name = class_key[3] if class_key else ""
    return next((kind for prefix, kind in OF_CLASSES.items() if name == prefix or name.startswith(f"{prefix}-")), "")
