"""Who belongs to which Cluster.

The first of these that names a Cluster of the list decides: what uses the object, the names that it says (the surest
first, see ``evidence``), its owners. An object that names only Clusters which are not in the list belongs to those,
known by name only. Where nothing says anything, it is the only Cluster around the object, or at last a name.

Objects of Cluster API are in the namespace of their Cluster. Others may be elsewhere, but then nothing but their own
word connects them: such a membership says from which namespace it is claimed. Where the innermost folder with a Cluster
holds no other one, an object in it is about that one anyway, unless it is of Cluster API, a Secret or a ConfigMap:
these are beside theirs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from krm_fn.clusters.cluster import Key, Membership, Memberships
from krm_fn.clusters.kinds import CLUSTER_CLASS
from krm_fn.clusters.node import Evidence, RelatedObject, RelatedObjects
from krm_fn.clusters.references import Folders, ObjectIndex, Use, may_be_same, nearest
from krm_fn.patch import field_path
from krm_fn.placeholders import is_template
from krm_fn.products.cluster_api import CLUSTER, Role

# Steps from an object to its Cluster: a KubeadmConfig, Machine, MachineSet, MachineDeployment takes four.
_DEEPEST = 16

# How many Clusters a name without a namespace may mean: with n for each of n objects, time would grow as n * n.
_MOST = 16

# The API groups of objects inside a cluster: their namespace is none of those in which Clusters are.
_WORKLOADS = {"apps", "batch", "kyverno.io", "policies.kyverno.io"}


class ClusterMembers:
    """The objects of a list and their Clusters; of two objects with one key the first counts.

    Attributes:
        nodes: the objects.
        clusters: the Clusters among them.
        whole: the objects that are no patch: each is the only one that another object can mean.
    """

    def __init__(self, nodes: Iterable[RelatedObject]) -> None:
        first: RelatedObjects = {}
        for node in nodes:
            first.setdefault(node.key, node)
        complete = {key.identity for key, node in first.items() if node.is_complete}
        self.nodes: ObjectIndex[RelatedObject] = ObjectIndex()
        self.clusters: RelatedObjects = {}
        for key, node in first.items():
            # A Cluster that does not say of what it is made is a patch of the one that does, as kustomize has them.
            if node.is_cluster:
                if not node.is_complete and key.identity in complete:
                    continue
                self.clusters[key] = node
            self.nodes.add(key, node)
        self._folders = Folders(self.clusters)
        self.whole: set[Key] = set()
        self._uses = ObjectIndex(self._by_target().items(), self._folders)
        self._of_class: dict[Key, list[RelatedObject]] = {}
        for cluster in self.clusters.values():
            if cluster.class_key:
                key = self.resolve(cluster.class_key)
                self._of_class.setdefault(key, []).append(cluster)

    def resolve(self, key: Key) -> Key:
        """Return the key of the object of the list that a reference means, or the reference where there is none."""
        return self.nodes.find(key) or key

    def cluster(self, key: Key) -> RelatedObject | None:
        """Return the Cluster of the list with a key, or the one that this is a patch of."""
        return self.clusters.get(self.resolve(key))

    def uses_of(self, key: Key) -> list[Use]:
        """Return how other objects refer to an object, which need not be in the list.

        Of users with one namespace and name, those nearest to its file count: a folder may hold a Cluster twice.
        """
        target = self._uses.find(key)
        if target is None:
            return []
        if target.namespace != key.namespace and self.nodes.find(key) == key:
            return []
        uses = self._uses[target]
        users = defaultdict(list)
        for use in uses:
            users[use.source.identity].append(use.source)
        near = set()
        for namesakes in users.values():
            near.update(nearest(namesakes, key.file))
        uses = [use for use in uses if use.source in near]
        namespaces = {use.source.namespace for use in uses}
        if len(namespaces) > _MOST:
            return uses[:_MOST]
        return uses

    def of(self, node: RelatedObject) -> Memberships:
        """Return the Clusters of an object, in the order of their names."""
        return sorted(self._search(node, set()), key=_rank)

    def _by_target(self) -> dict[Key, list[Use]]:
        """Return the uses of each object, whether or not it is in the list.

        Cluster API refuses a reference into another namespace, whose author may not be one of the object there.
        """
        uses: dict[Key, list[Use]] = {}
        for node in self.nodes.values():
            for use in node.uses:
                if not may_be_same(use.target.namespace, node.key.namespace):
                    continue
                targets = self.nodes.candidates(use.target)
                if not targets:
                    targets = [use.target._replace(file="")]
                if len({target.namespace for target in targets}) > 1:
                    continue
                if len(targets) == 1:
                    self.whole.update(targets)
                for target in targets:
                    uses.setdefault(target, []).append(use)
        return uses

    def _search(self, node: RelatedObject, visited: set[Key]) -> Memberships:
        """Return the Clusters of an object; ``visited`` are those of this search, since owners may own each other."""
        if node.is_cluster:
            keys = self.nodes.candidates(node.key) or [node.key]
            return [Membership(how="it is the Cluster", key=key) for key in keys]
        if node.key in visited or len(visited) > _DEEPEST:
            return []
        visited.add(node.key)
        if node.key.group_kind == CLUSTER_CLASS:
            return list(self._clusters_of_class(node))
        unlisted: Memberships = []
        for memberships in self._by_source(node, visited):
            for membership in memberships:
                if membership.key in self.clusters:
                    return memberships
            unlisted = unlisted or memberships
        for membership in unlisted:
            if not is_template(membership.key.name):
                return unlisted
        if self.uses_of(node.key):
            return unlisted
        likely = self._only(node, is_beside=bool(unlisted))
        if node.guess and not likely:
            likely = self._listed(node, Evidence(node.guess, "its name"))
        return likely or unlisted

    def _by_source(self, node: RelatedObject, visited: set[Key]) -> Iterator[Memberships]:
        """Yield the Clusters that each source names, the surest source first."""
        through_uses: list[Membership] = []
        for use in self.uses_of(node.key):
            through_uses += self._through_use(use, visited)
        yield through_uses
        for evidence in node.evidence:
            listed = self._listed(node, evidence)
            yield listed or [self._unlisted(node, evidence)]
        through_owners = []
        for key in node.owners:
            if key not in self.nodes:
                continue
            owner = self.nodes[key]
            for membership in self._inherited(owner, visited, "an owner reference", node.role):
                # An owner may know the name that the topology has for the group.
                group = membership.group or node.group
                through_owners.append(membership._replace(group=group))
        yield through_owners

    def _through_use(self, use: Use, visited: set[Key]) -> Iterator[Membership]:
        """Return the Clusters of an object that uses another one, as those of that other one."""
        user = self.nodes[use.source]
        path = field_path(use.path)
        how = f'`{path}` of {user.key.kind} "{user.key.name}"'
        if user.is_cluster:
            how = f"`{path}` of the Cluster"
        if user.key.group_kind == CLUSTER_CLASS:
            return self._clusters_of_class(user, use, how)
        return self._inherited(user, visited, how, use.role)

    def _inherited(
        self, other: RelatedObject, visited: set[Key], how: str, role: Role | None
    ) -> Iterator[Membership]:
        """Yield the Clusters of an object as those of one that belongs to it, ``how``, and may have a role itself."""
        for membership in self._search(other, visited):
            reason = how
            if not membership.is_certain:
                reason = f"{how} ({membership.how})"
            yield membership._replace(role=role or membership.role, how=reason)

    def _clusters_of_class(
        self, its_class: RelatedObject, use: Use | None = None, how: str = ""
    ) -> Iterator[Membership]:
        """Yield the Clusters of a class; of a template in its field ``use``, one for each group that is made of it."""
        for cluster in self._of_class.get(its_class.key, ()):
            is_guest = not may_be_same(cluster.key.namespace, its_class.key.namespace)
            if use is None:
                how = f"`{field_path(cluster.class_path)}` of the Cluster"
                yield Membership(how=how, is_by_class=True, is_guest=is_guest, key=cluster.key)
                continue
            groups = cluster.workers.get(use.worker_class)
            for group in groups or ("",):
                yield Membership(
                    role=use.role,
                    group=group,
                    how=how,
                    worker_class=use.worker_class[1],
                    is_by_class=True,
                    is_guest=is_guest,
                    key=cluster.key,
                )

    def _listed(self, node: RelatedObject, evidence: Evidence) -> Memberships:
        """Return the Clusters of the list that a name means.

        An object outside of Cluster API that says no namespace may mean a Cluster of any.
        """
        namespace = evidence.namespace or node.key.namespace
        named = Key(*CLUSTER, namespace, evidence.name, node.key.file)
        if evidence.namespace or node.is_beside_its_cluster:
            keys = self.nodes.candidates(named)
        else:
            namesakes = self.nodes.candidates(named._replace(namespace=""))
            near = [key for key in namesakes if may_be_same(key.namespace, namespace)]
            keys = near or namesakes
        namespaces = {key.namespace for key in keys}
        is_sure = len(namespaces) == 1
        how = evidence.how
        if not is_sure:
            how = f"{how}, a name that several Clusters have"
            keys = keys[:_MOST]
        memberships = []
        for key in keys:
            membership = self._membership(node, key, how)
            memberships.append(membership._replace(is_certain=is_sure))
        return memberships

    def _unlisted(self, node: RelatedObject, evidence: Evidence) -> Membership:
        """Return the Cluster outside of the list that a name means: a claim where a listed one has the same name."""
        own_namespace = node.key.namespace
        namespace = evidence.namespace
        if not namespace and node.key.group not in _WORKLOADS:
            namespace = own_namespace
        key = Key(*CLUSTER, namespace, evidence.name)
        namesakes = self.nodes.candidates(key._replace(namespace=""))
        membership = self._membership(node, key, evidence.how)
        if namesakes or not may_be_same(namespace, own_namespace):
            return membership._replace(claimed_from=own_namespace)
        return membership

    def _membership(self, node: RelatedObject, cluster_key: Key, how: str) -> Membership:
        """Return that an object names a Cluster: a claim if that is in another namespace, unless it may do so."""
        namespace = node.key.namespace
        claimed_from = namespace
        if may_be_same(namespace, cluster_key.namespace):
            claimed_from = ""
        is_of_its_namespace = not node.key.group or node.is_beside_its_cluster
        if not is_of_its_namespace and self._folders.cluster_around(node.key.file):
            claimed_from = ""
        return Membership(
            role=node.role,
            group=node.group,
            how=how,
            claimed_from=claimed_from,
            key=cluster_key,
        )

    def _only(self, node: RelatedObject, *, is_beside: bool) -> Memberships:
        """Return the only Cluster around an object, but not for an object of Cluster API in another namespace.

        An object that names a Cluster by a placeholder is ``is_beside`` its Cluster: it means none of another file.
        """
        file = node.key.file
        keys = nearest(self._folders.cluster_around(file), file)
        # Of several of one name each is another one: as templates in a folder.
        if is_beside or len(keys) > 1:
            keys = [key for key in keys if key.file == file]
        if node.is_beside_its_cluster:
            keys = [key for key in keys if may_be_same(node.key.namespace, key.namespace)]
        memberships = []
        for key in keys:
            membership = self._membership(node, key, "the only Cluster around it")
            memberships.append(membership._replace(is_only=True))
        return memberships


def _rank(membership: Membership) -> tuple[bool, bool, Key]:
    return not membership.is_certain, membership.is_guest, membership.key
