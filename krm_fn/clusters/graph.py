"""Who belongs to which Cluster.

Whatever is looked up is found by key; no answer costs a walk over all objects. The first of these that names a Cluster
of the list decides: what uses the object, ``spec.clusterName``, the kubeconfig of a chart, a label, an owner, the name
of a Secret that it refers to, the name that a product gave it. An object that names only Clusters which are not in the
list belongs to those, known by name only. Where none of them says anything it is the only Cluster of the list, or at
last the name.

Of several Clusters with one namespace and name, an object belongs to that of its own file, or to those nearest to it
(see ``namespaces``); one that names no infrastructure, control plane or class is a patch of another one.

A namespace that is left out, or not known yet, may become any (see ``namespaces``). Objects of Cluster API are in the
namespace of their Cluster. Others may be elsewhere, but then nothing but their own word connects them: such a tie says
from which namespace it is claimed, unless the list has one Cluster only and is about that one anyway. It is not about a
Secret or a ConfigMap elsewhere: where products name those after a Cluster they are beside it.

Sources: the ties that Cluster API's controllers make (``docs/book``, "Provider contracts"); the convention of names is
that of ``clusterctl generate cluster``: ``<cluster>-control-plane``, ``<cluster>-md-0``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from krm_fn.clusters.hints import Hints, Whole, hints
from krm_fn.clusters.kinds import CLUSTER, CLUSTER_CLASS
from krm_fn.clusters.model import Key
from krm_fn.clusters.namespaces import ByKey, is_open, may_be_same, meanings
from krm_fn.clusters.references import Use, key_of, uses
from krm_fn.krm.resourcelist import Object
from krm_fn.light_typing import NamedTuple
from krm_fn.noproxy.entries import is_template
from krm_fn.patch import field_path
from krm_fn.products.cluster_api import Role

_DEEPEST = 16
"""Steps from an object to its Cluster: a KubeadmConfig, Machine, MachineSet, MachineDeployment takes four."""


class Tie(NamedTuple):
    """A ``Membership`` that holds the key of its Cluster."""

    cluster: Key
    role: Role | None = None
    group: str = ""
    how: str = ""
    sure: bool = True
    worker_class: str = ""
    claimed_from: str = ""
    is_guest: bool = False
    is_only: bool = False


Ties = list[Tie] | None
"""None: nothing is said. Of a Cluster that is not in the list, the key is made of what is said."""


class Graph:
    """The objects of a list, by what they say about each other; of two with one key the first counts."""

    def __init__(self, objects: Iterable[Object]) -> None:
        self.nodes: dict[Key, Hints] = {}
        self.clusters: dict[Key, Hints] = {}
        self._repeated: set[Key] = set()
        self._uses: dict[Key, list[Use]] = {}
        self._by_class: dict[Key, list[Hints]] = {}
        named: dict[Key, list[Use]] = {}
        for obj in objects:
            self._take(obj, named)
        patches = self._patches()
        self._keys = ByKey((key, key) for key in self.nodes if key not in patches)
        parts: list[Key] = []
        for node in self.nodes.values():
            whole = node.whole
            parts += filter(None, (whole.infrastructure, whole.control_plane, whole.class_key))
        self._meaning = meanings(self._keys, [*named, *parts])
        self._settle(named)
        self._is_about_one = len({key[:4] for key in self.clusters}) == 1

    def cluster(self, key: Key) -> Hints | None:
        """Return the Cluster of the list with a key, or the one that this is a patch of."""
        found = self._keys.find(key)
        return self.clusters.get(found) if found else None

    def node(self, obj: Object) -> Hints:
        """Return what an object says: read again where it is not in the list, or not the only one with its key."""
        key = key_of(obj)
        known = None if key in self._repeated else self.nodes.get(key)
        return hints(obj) if known is None else known

    def is_whole(self, key: Key) -> bool:
        """Return whether objects of the list refer to an object of which the list has no other of that name."""
        return bool(self._uses.get(key)) and self._keys.has_one(key)

    def _patches(self) -> set[Key]:
        """Return the Clusters that are patches of another one, as kustomize has them."""
        whole: dict[tuple[str, ...], bool] = {}
        of_clusters = [node for key, node in self.nodes.items() if key[:2] == CLUSTER]
        for node in of_clusters:
            whole[node.key[:4]] = whole.get(node.key[:4], False) or node.whole.is_complete
        return {
            node.key for node in of_clusters if whole[node.key[:4]] and not node.whole.is_complete
        }

    def uses_of(self, key: Key) -> list[Use]:
        """Return how other objects refer to the object with that key, whether or not it is in the list.

        Those that leave the namespace out count, too, unless they may mean objects of several namespaces, and those
        that mean an object of that name in another file, unless some mean this one.
        """
        if key in self.nodes:
            found = [each for each in self._used.candidates(key) if each[:4] == key[:4]]
        else:
            found = self._unlisted.candidates((*key[:4], ""))
            namespaces = {each[2] for each in (*found, key) if not is_open(each[2])}
            if len(namespaces) > 1:
                return []
        uses = [use for each in found for use in self._uses[each]]
        inside = [use for use in uses if use.source[2] == key[2]] or uses
        return _of_own_file(inside, key[4])

    def ties(self, node: Hints) -> tuple[Tie, ...]:
        """Return the Clusters of an object, those of other namespaces last.

        A role and group of a Cluster occurs once. They are in the order of their names, not of the list: files and
        kustomize put the same objects in another one.
        """
        first: dict[tuple[object, ...], Tie] = {}
        found = self._search(node, set(), 0) or ()
        for tie in sorted(found, key=lambda tie: (not tie.sure, tie.is_guest, tie.cluster)):
            first.setdefault((tie.cluster, tie.role, tie.group, tie.worker_class), tie)
        return tuple(first.values())

    def _take(self, obj: Object, named: dict[Key, list[Use]]) -> None:
        node = hints(obj)
        if node.key in self.nodes:
            self._repeated.add(node.key)
            return
        self.nodes[node.key] = node
        for target, use in uses(obj):
            named.setdefault(target, []).append(use)

    def _settle(self, named: dict[Key, list[Use]]) -> None:
        """Replace each key that an object names by the key of the object that it means."""
        for target, of_target in named.items():
            unlisted = (*target[:4], "")
            self._uses.setdefault(self._meaning.get(target, unlisted), []).extend(of_target)
        self._used = ByKey((key, key) for key in self._uses if key in self.nodes)
        self._unlisted = ByKey((key, key) for key in self._uses if key not in self.nodes)
        for key, node in self.nodes.items():
            if key[:2] in (CLUSTER, CLUSTER_CLASS):
                self.nodes[key] = node._replace(whole=self._settled(node.whole))
            if key[:2] == CLUSTER and self._keys.find(key) == key:
                self._take_cluster(self.nodes[key])

    def _settled(self, whole: Whole) -> Whole:
        def meant(key: Key | None) -> Key | None:
            return key and self._meaning.get(key, key)

        return whole._replace(
            infrastructure=meant(whole.infrastructure),
            control_plane=meant(whole.control_plane),
            class_key=meant(whole.class_key),
        )

    def _take_cluster(self, cluster: Hints) -> None:
        self.clusters[cluster.key] = cluster
        if cluster.whole.class_key:
            self._by_class.setdefault(cluster.whole.class_key, []).append(cluster)

    def _search(self, node: Hints, seen: set[Key], depth: int) -> Ties:
        """Return the ties of a node.

        ``seen`` are the objects that this search has visited, since owners may own each
        other.
        """
        if node.key in seen or depth > _DEEPEST:
            return None
        seen.add(node.key)
        if node.key[:2] == CLUSTER:
            found = self._keys.candidates(node.key) or [node.key]
            return [Tie(key, how="it is the Cluster") for key in found]
        if node.key[:2] == CLUSTER_CLASS:
            return self._of_class(node.key)
        unlisted: Ties = None
        for ties in self._ties_by_source(node, seen, depth + 1):
            if any(tie.cluster in self.clusters for tie in ties or ()):
                return ties
            if unlisted is None:
                unlisted = ties
        is_sure = any(not is_template(tie.cluster[3]) for tie in unlisted or ())
        if is_sure or unlisted == []:
            return unlisted
        return self._only(node) or self._after(node) or unlisted

    def _ties_by_source(self, node: Hints, seen: set[Key], depth: int) -> Iterator[Ties]:
        """Yield the ties by each thing that may say a Cluster, the surest first; None where it says none."""
        yield _united(self._through(use, seen, depth) for use in self.uses_of(node.key))
        yield self._named(node, node.cluster_name, "its `spec.clusterName`")
        yield self._named(node, node.aim.name, node.aim.how, node.aim.namespace)
        yield self._labelled(node)
        yield _united(self._owned(node, owner, seen, depth) for owner in node.owners)
        yield self._named(
            node, node.referred, "the name of a Secret or ConfigMap that it refers to"
        )
        yield self._named(node, node.convention, "its name")

    def _through(self, use: Use, seen: set[Key], depth: int) -> Ties:
        """Return the Clusters of the object that uses this one."""
        if use.source in self.clusters:
            return [Tie(use.source, use.role, how=f"`{field_path(use.path)}` of the Cluster")]
        how = f'`{field_path(use.path)}` of {use.source[1]} "{use.source[3]}"'
        if use.source[:2] == CLUSTER_CLASS:
            return self._of_class(use.source, use, how)
        ties = self._search(self.nodes[use.source], seen, depth)
        return ties and [
            tie._replace(role=use.role or tie.role, how=_by_way_of(how, tie)) for tie in ties
        ]

    def _of_class(self, key: Key, use: Use | None = None, how: str = "") -> list[Tie]:
        """Return the Clusters of a class, as ties of the class itself or of what it names in ``use``.

        A template of a worker class has a tie for each group of workers that a Cluster makes of the class.
        """
        found: list[Tie] = []
        for cluster in self._by_class.get(key, ()):
            is_guest = not may_be_same(cluster.key[2], key[2])
            if use is None:
                path = field_path(cluster.whole.class_path)
                how_named = f"`{path}` of the Cluster"
                found.append(Tie(cluster.key, how=how_named, is_guest=is_guest))
                continue
            worker_class = use.worker[1]
            for group in cluster.whole.workers.get(use.worker) or ("",):
                tie = Tie(cluster.key, use.role, group, how, worker_class=worker_class)
                found.append(tie._replace(is_guest=is_guest))
        return found

    def _labelled(self, node: Hints) -> Ties:
        label, name = node.label
        return self._named(node, name, f"its label `{label}`")

    def _named(self, node: Hints, name: str, how: str, namespace: str = "") -> Ties:
        """Return the Clusters of the list that an object refers to by name, or else one that is not in it."""
        if not name:
            return None
        found = self._listed(node, name, how, namespace)
        if found:
            return found
        where = namespace or node.cluster_namespace or ("" if node.is_workload else node.key[2])
        return [self._unlisted_tie(node, (*CLUSTER, where, name, ""), how)]

    def _unlisted_tie(self, node: Hints, cluster: Key, how: str) -> Tie:
        """Return a tie to a Cluster outside the list.

        It is a claim if a Cluster of the list has the same name, or if the object is in another namespace.
        """
        is_claim = bool(self._keys.namesakes(cluster)) or not may_be_same(cluster[2], node.key[2])
        claimed_from = node.key[2] if is_claim else ""
        return Tie(cluster, node.role, node.group, how, claimed_from=claimed_from)

    def _listed(self, node: Hints, name: str, how: str, namespace: str = "") -> list[Tie]:
        """Return the Clusters of the list with that name.

        They are looked up in ``namespace`` or in the one that the object says or is in. An object outside Cluster API
        that says no namespace may mean a Cluster of any other.
        """
        where = namespace or node.cluster_namespace or node.key[2]
        wanted = (*CLUSTER, where, name, node.key[4])
        found = self._keys.candidates(wanted)
        if not (found or node.in_cluster_api or namespace or node.cluster_namespace):
            found = self._keys.namesakes(wanted)
        sure = len({key[2] for key in found}) == 1
        if not sure:
            how = f"{how}, a name that several Clusters have"
        return [
            Tie(key, node.role, node.group, how, sure, claimed_from=self._claim(node, key))
            for key in found
        ]

    def _claim(self, node: Hints, cluster: Key) -> str:
        """Return the namespace of an object that names a Cluster of another namespace; "" where it may do so."""
        is_of_its_namespace = not node.key[0] or node.in_cluster_api  # Secrets and ConfigMaps
        is_about_it = self._is_about_one and not is_of_its_namespace
        if is_about_it or may_be_same(node.key[2], cluster[2]):
            return ""
        return node.key[2]

    def _owned(self, node: Hints, owner: Key, seen: set[Key], depth: int) -> Ties:
        """Return the Clusters of an owner of the object."""
        how = "an owner reference"
        if owner[:2] == CLUSTER:
            found = self._keys.candidates(owner)
            if len({key[2] for key in found}) == 1:
                return [Tie(key, node.role, node.group, how) for key in found]
            return [self._unlisted_tie(node, (*owner[:4], ""), how)]
        key = self._keys.find(owner)
        if key is None:
            return None
        ties = self._search(self.nodes[key], seen, depth)
        return ties and [
            tie._replace(
                role=node.role or tie.role,
                # the owner may know the name that the Cluster's topology has for the group
                group=tie.group or node.group,
                how=_by_way_of(how, tie),
            )
            for tie in ties
        ]

    def _only(self, node: Hints) -> Ties:
        """Return the only Cluster of the list; None for an object of Cluster API in another namespace."""
        if not self._is_about_one:
            return None
        found = list(self.clusters)
        if len(found) > 1:  # of one name, but each is another one: as templates in a folder
            found = [key for key in found if key[4] == node.key[4]]
        if not found:
            return None
        if node.in_cluster_api and not may_be_same(node.key[2], found[0][2]):
            return None
        how = "the only Cluster in the list"
        return [
            Tie(key, node.role, node.group, how, claimed_from=self._claim(node, key), is_only=True)
            for key in found
        ]

    def _after(self, node: Hints) -> Ties:
        """Return the Cluster after which the object is probably named."""
        found = (self._listed(node, name, "its name") for name in node.may_be)
        return next(filter(None, found), None)


def _of_own_file(uses: list[Use], file: str) -> list[Use]:
    """Return the uses without those by an object that has a namesake in the file of the object that is used."""
    own = {use.source[:4] for use in uses if use.source[4] == file}
    return [use for use in uses if use.source[4] == file or use.source[:4] not in own]


def _united(all_ties: Iterable[Ties]) -> Ties:
    """Return the ties of several sources together; None if none of them has any."""
    known = [ties for ties in all_ties if ties is not None]
    if not known:
        return None
    return [tie for ties in known for tie in ties]


def _by_way_of(how: str, tie: Tie) -> str:
    """Return how an object belongs to a Cluster by way of another one; why that one does, too, if it is a guess."""
    return how if tie.sure else f"{how} ({tie.how})"
