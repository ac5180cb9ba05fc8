"""Who belongs to which Cluster.

The law of this room: what is asked is looked up by key; no answer costs a walk over all objects. The first of these
that names a Cluster of the list decides: what uses the object, ``spec.clusterName``, the kubeconfig of a chart, a
label, an owner, the name that a product gave it. Where none of them says anything it is the only Cluster of the list,
or at last the name. An object that names only Clusters which are not in the list belongs to none.

Sources: the ties that Cluster API's controllers make (``docs/book``, "Provider contracts"); the convention of names is
that of ``clusterctl generate cluster``: ``<cluster>-control-plane``, ``<cluster>-md-0``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from krm_fn.patch import field_path
from krm_fn.resourcelist import Object
from krm_fn.topology.hints import Hints, hints
from krm_fn.topology.kinds import CLUSTER, CLUSTER_CLASS
from krm_fn.topology.model import Role
from krm_fn.topology.reading import is_template
from krm_fn.topology.references import Key, Use, uses

_DEEPEST = 16
"""Steps from an object to its Cluster: a KubeadmConfig, Machine, MachineSet, MachineDeployment takes four."""


@dataclass(frozen=True)
class Tie:
    """A ``Membership`` that holds the key of its Cluster."""

    cluster: Key
    role: Role | None = None
    group: str = ""
    how: str = ""
    sure: bool = True
    worker_class: str = ""


Ties = list[Tie] | None
"""None: nothing is said. Empty: a Cluster is named that is not in the list."""


class Graph:
    """The objects of a list, by what they say about each other; of two with one identity the first counts."""

    def __init__(self, objects: Iterable[Object]) -> None:
        self.nodes: dict[Key, Hints] = {}
        self.clusters: dict[Key, Hints] = {}
        self.uses: dict[Key, list[Use]] = {}
        self._by_class: dict[Key, list[Hints]] = {}
        self._by_name: dict[str, list[Key]] = {}
        for obj in objects:
            self._take(obj)

    def ties(self, node: Hints) -> tuple[Tie, ...]:
        """The Clusters of an object, in the order of the list; one role and group of a Cluster stands once."""
        first: dict[tuple[object, ...], Tie] = {}
        for tie in sorted(self._search(node, set(), 0) or (), key=lambda tie: not tie.sure):
            first.setdefault((tie.cluster, tie.role, tie.group, tie.worker_class), tie)
        return tuple(first.values())

    def _take(self, obj: Object) -> None:
        node = hints(obj)
        if node.key in self.nodes:
            return
        self.nodes[node.key] = node
        for target, use in uses(obj):
            self.uses.setdefault(target, []).append(use)
        if node.key[:2] == CLUSTER:
            self.clusters[node.key] = node
            self._by_name.setdefault(node.key[3], []).append(node.key)
            if node.whole.class_key:
                self._by_class.setdefault(node.whole.class_key, []).append(node)

    def _search(self, node: Hints, seen: set[Key], depth: int) -> Ties:
        """``seen`` are the objects this search has asked: owners may own each other."""
        if node.key in seen or depth > _DEEPEST:
            return None
        seen.add(node.key)
        if node.key[:2] == CLUSTER:
            return [Tie(node.key, how="it is the Cluster")] if node.key in self.clusters else []
        if node.key[:2] == CLUSTER_CLASS:
            return self._of_class(node.key)
        names_one = False
        for ties in self._said(node, seen, depth + 1):
            if ties:
                return ties
            names_one = names_one or ties is not None
        return [] if names_one else self._only(node) or self._after(node) or self._alike(node)

    def _said(self, node: Hints, seen: set[Key], depth: int) -> Iterator[Ties]:
        yield _together(self._through(use, seen, depth) for use in self.uses.get(node.key, ()))
        yield self._stated(node)
        yield self._called(node, node.aim.name, node.aim.how, node.aim.namespace)
        yield self._labelled(node)
        yield _together(self._owned(node, owner, seen, depth) for owner in node.owners)
        yield self._called(node, node.convention, "its name")

    def _through(self, use: Use, seen: set[Key], depth: int) -> Ties:
        """The Clusters of what uses the object."""
        if use.source in self.clusters:
            return [Tie(use.source, use.role, how=f"`{field_path(use.path)}` of the Cluster")]
        how = f'`{field_path(use.path)}` of {use.source[1]} "{use.source[3]}"'
        if use.source[:2] == CLUSTER_CLASS:
            return self._of_class(use.source, use, how)
        ties = self._search(self.nodes[use.source], seen, depth)
        return ties and [
            replace(tie, role=use.role or tie.role, how=how if tie.sure else f"{how} ({tie.how})") for tie in ties
        ]

    def _of_class(self, key: Key, use: Use | None = None, how: str = "") -> list[Tie]:
        """The Clusters of a class; for a class of workers with the name of each group that a Cluster makes of it."""
        return [
            Tie(
                cluster.key,
                use.role if use else None,
                group,
                how or f"`{field_path(cluster.whole.class_path)}` of the Cluster",
                worker_class=use.worker[1] if use else "",
            )
            for cluster in self._by_class.get(key, ())
            for group in (use and cluster.whole.workers.get(use.worker)) or ("",)
        ]

    def _stated(self, node: Hints) -> Ties:
        return self._called(node, node.cluster_name, "its `spec.clusterName`")

    def _labelled(self, node: Hints) -> Ties:
        label, name = node.label
        return self._called(node, name, f"its label `{label}`")

    def _called(self, node: Hints, name: str, how: str, namespace: str = "") -> Ties:
        """The Cluster of that name in ``namespace``, or that of the object; elsewhere only if one of both may be moved.

        A workload stands in a namespace of its Cluster, so its namespace says nothing; neither does one that is empty,
        because ``kustomize`` may set it later.
        """
        if not name:
            return None
        near = (*CLUSTER, namespace or node.key[2], name)
        found = [near] if near in self.clusters else self._by_name.get(name, [])
        if near not in self.clusters and node.in_cluster_api and node.key[2]:
            found = [key for key in found if not key[2]]
        if not found:
            return None if is_template(name) else []
        sure = len(found) == 1
        how = how if sure else f"{how}, a name that several Clusters have"
        return [Tie(key, node.role, node.group, how, sure) for key in found]

    def _owned(self, node: Hints, owner: Key, seen: set[Key], depth: int) -> Ties:
        if owner in self.clusters:
            return [Tie(owner, node.role, node.group, "an owner reference")]
        if owner not in self.nodes:
            return [] if owner[:2] == CLUSTER and not is_template(owner[3]) else None
        ties = self._search(self.nodes[owner], seen, depth)
        return ties and [
            replace(
                tie,
                role=node.role or tie.role,
                group=tie.group or node.group,  # the owner may know the name that the Cluster's topology has for it
                how="an owner reference" if tie.sure else f"an owner reference ({tie.how})",
            )
            for tie in ties
        ]

    def _only(self, node: Hints) -> Ties:
        if len(self.clusters) != 1:
            return None
        return [Tie(key, node.role, node.group, "the only Cluster in the list") for key in self.clusters]

    def _after(self, node: Hints) -> Ties:
        """The Cluster after which a person may have named the object."""
        found = (self._called(node, name, "its name") for name in node.may_be)
        return next(filter(None, found), None)

    def _alike(self, node: Hints) -> Ties:
        """The Cluster whose name the object's name begins with, up to a hyphen; the longest of several."""
        name = node.key[3] if node.in_cluster_api else next(iter(node.may_be), "")
        while name:
            key = (*CLUSTER, node.key[2], name)
            if key in self.clusters:
                return [Tie(key, node.role, node.group, "its name", sure=False)]
            name = name.rpartition("-")[0]
        return None


def _together(said: Iterable[Ties]) -> Ties:
    """All that several say; None if none of them says anything."""
    known = [ties for ties in said if ties is not None]
    return [tie for ties in known for tie in ties] if known else None
