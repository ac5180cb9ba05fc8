"""Values: the facts about the network of a Cluster, the key of an object, and how an object belongs to a Cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from krm_fn.krm.results import ObjectRef
from krm_fn.light_typing import GroupKind, NamedTuple, Texts
from krm_fn.patch import Pointer, field_path
from krm_fn.products.cluster_api import Role


class Fact(NamedTuple):
    """One value, and where it was read.

    ``path`` leads from the root of the object ``ref`` to the value. A default is read nowhere: then ``path`` leads to
    the field that would say otherwise, and ``default_of`` names the program that takes the value where that field is
    not set ("kubeadm"). A value of the FunctionConfig has the name of its field in ``config_field``, and no object.
    """

    value: str
    ref: ObjectRef = ObjectRef()
    path: Pointer = ()
    default_of: str = ""
    config_field: str = ""

    @property
    def reason(self) -> str:
        """The object and the field that say the value, as one phrase for a person; "" for a value that none says."""
        subject = _joined(self.ref.kind, self.ref.namespace, self.ref.name)
        if not subject:
            return ""
        where = f"`{subject}` `{field_path(self.path)}`"
        if self.default_of:
            return f"default of {self.default_of}, because {where} is not set"
        return where


def _joined(*parts: str) -> str:
    """Return the parts of the name of an object in one word, without those that are empty."""
    return "/".join(filter(None, parts))


# What is said about one thing, the first of several first.
Facts = tuple[Fact, ...]


class ClusterNetwork(NamedTuple):
    """The facts about the network of one Cluster; an empty member is a fact that nothing says.

    Attributes:
        pod_cidrs: as written.
        service_cidrs: as written.
        service_domain: one domain, without dots around it ("cluster.local").
        endpoint: one name or address, without port and brackets.
        infrastructure: one kind of an infrastructure cluster ("AWSCluster").
        region: the name of one region.
        networks: the CIDRs of its VPC, VNet or subnets, or the hosts that are its machines.
        hosts: further hosts of the control plane: addresses of its load balancer, external etcd.
        mirrors: the hosts of registry mirrors, without port.
        infrastructure_hosts: those of the infrastructure's own API (vCenter, Prism Central).
    """

    pod_cidrs: Facts = ()
    service_cidrs: Facts = ()
    service_domain: Facts = ()
    endpoint: Facts = ()
    infrastructure: Facts = ()
    region: Facts = ()
    networks: Facts = ()
    hosts: Facts = ()
    mirrors: Facts = ()
    infrastructure_hosts: Facts = ()

    @property
    def infrastructure_kind(self) -> str:
        """The kind of the infrastructure cluster, or ""."""
        return value_of(self.infrastructure)

    @property
    def values(self) -> tuple[Texts, ...]:
        """The values of the facts, without their fields."""
        return tuple(tuple(fact.value for fact in facts) for facts in self)

    def only(self, counts: Callable[[Fact], bool]) -> ClusterNetwork:
        """Return this network without the facts that do not count."""
        return ClusterNetwork._make(tuple(filter(counts, facts)) for facts in self)

    def completed_by(self, other: ClusterNetwork) -> ClusterNetwork:
        """Return this network with the fields of ``other`` in the place of those that are empty."""
        pairs = zip(self, other, strict=True)
        return ClusterNetwork._make(own or others for own, others in pairs)


def value_of(facts: Facts) -> str:
    """Return the value of the first fact, or ""."""
    return facts[0].value if facts else ""


# Group, kind, namespace and name.
Identity = tuple[str, str, str, str]


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
    labels: Mapping[str, str] = {}
    ref: ObjectRef = ObjectRef()
    network: ClusterNetwork = ClusterNetwork()
    assumed: ClusterNetwork = ClusterNetwork()

    def __hash__(self) -> int:
        """Hash the identity alone, because labels have no hash."""
        return hash((self.namespace, self.name))

    @property
    def full_name(self) -> str:
        """Its name in messages: ``Cluster/<namespace>/<name>``."""
        return _joined("Cluster", self.namespace, self.name)

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
        is_by_class: it belongs to the Cluster by a ClusterClass.
        is_guest: this class is in another namespace.
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
    is_by_class: bool = False
    is_guest: bool = False
    is_only: bool = False
    key: Key = Key("", "", "", "")

    @property
    def is_known(self) -> bool:
        """Whether anything says which Cluster it is, or which nodes."""
        return bool(self.cluster.name or self.cluster.labels or self.role)

    @property
    def groups(self) -> Texts:
        """All names of its worker group: a rule for one of them is a rule for this membership."""
        return tuple(dict.fromkeys(name for name in (self.group, self.worker_class) if name))


# The Clusters of one object.
Memberships = Sequence[Membership]
