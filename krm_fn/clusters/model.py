"""A Cluster, the key of an object, and how an object belongs to a Cluster: values only."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from krm_fn.clusters.network import ClusterNetwork
from krm_fn.krm.results import ObjectRef
from krm_fn.light_typing import GroupKind, NamedTuple, Texts
from krm_fn.products.cluster_api import Role

Identity = tuple[str, str, str, str]
"""Group, kind, namespace and name."""


class Key(NamedTuple):
    """The identity of an object or of a reference: the version of its API does not matter, an unknown file is ""."""

    group: str
    kind: str
    namespace: str
    name: str
    file: str = ""

    @property
    def group_kind(self) -> GroupKind:
        """Its group and kind, by which tables know it."""
        return self.group, self.kind

    @property
    def identity(self) -> Identity:
        """All but the file: objects with one identity may be in several files."""
        return self.group, self.kind, self.namespace, self.name


class Cluster(NamedTuple):
    """One Cluster: ``network`` has the facts of its objects, ``assumed`` those that hold where they say nothing."""

    namespace: str = ""
    name: str = ""
    labels: Mapping[str, str] = MappingProxyType({})
    ref: ObjectRef = ObjectRef()
    network: ClusterNetwork = ClusterNetwork()
    assumed: ClusterNetwork = ClusterNetwork()

    def __hash__(self) -> int:
        """Hash the identity alone, because labels have no hash."""
        return hash((self.namespace, self.name))

    @property
    def full_name(self) -> str:
        """Its name in messages: ``Cluster/<namespace>/<name>``."""
        return "/".join(part for part in ("Cluster", self.namespace, self.name) if part)

    @property
    def is_listed(self) -> bool:
        """Whether the Cluster itself is in the list; else only other objects tell of it."""
        return bool(self.ref.kind)


class Membership(NamedTuple):
    """That an object belongs to a Cluster.

    Attributes:
        cluster: the Cluster.
        role: that of the nodes; None for what makes no nodes, or nodes of both roles.
        group: the name of the MachineDeployment or MachinePool, "" for none.
        how: how it is known, as a phrase.
        is_certain: False where several Clusters have the name.
        worker_class: the name of the class of these workers in a ClusterClass, or "".
        claimed_from: the namespace of the object, where only the object itself says that it belongs to this Cluster
            of another namespace.
        is_guest: it belongs to the Cluster by a ClusterClass in another namespace.
        is_only: nothing says so, but the innermost folder around it that holds a Cluster holds no other one.
        key: that of the Cluster.
    """

    cluster: Cluster = Cluster()
    role: Role | None = None
    group: str = ""
    how: str = ""
    is_certain: bool = True
    worker_class: str = ""
    claimed_from: str = ""
    is_guest: bool = False
    is_only: bool = False
    key: Key = Key("", "", "", "")

    @property
    def groups(self) -> Texts:
        """All names of its worker group: a rule for one of them is a rule for this membership."""
        return tuple(dict.fromkeys(name for name in (self.group, self.worker_class) if name))


Memberships = tuple[Membership, ...]
"""The Clusters of one object."""
