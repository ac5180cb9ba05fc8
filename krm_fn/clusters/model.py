"""What the topology knows about an object: its Clusters, its role there, and the source of that.

Values only.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from krm_fn.krm.results import ObjectRef
from krm_fn.light_typing import NamedTuple
from krm_fn.noproxy import ClusterNetwork, Fact
from krm_fn.products.cluster_api import Role

Key = tuple[str, str, str, str, str]
"""API group, kind, namespace, name and file: an object, or what a reference in that file names.

The version does not tell objects apart. Several files may have an object of one name, as the templates of
``clusterctl`` do, whose Clusters are all called ``${CLUSTER_NAME}``; a file is "" where none is known.
"""


class Cluster(NamedTuple):
    """One Cluster: its identity, and what is known about its network.

    ``network`` is what its objects say, ``assumed`` what holds all the same where nobody says anything: defaults of
    kubeadm and of the infrastructure provider. ``provider_files`` are the paths of files that the infrastructure
    provider itself writes on each node, each with the field that makes it do so.
    """

    namespace: str = ""
    name: str = ""
    labels: Mapping[str, str] = MappingProxyType({})
    ref: ObjectRef = ObjectRef()
    network: ClusterNetwork = ClusterNetwork()
    assumed: ClusterNetwork = ClusterNetwork()
    provider_files: tuple[Fact, ...] = ()

    def __hash__(self) -> int:
        """Hash the identity alone: the labels are a mapping, which has no hash."""
        return hash((self.namespace, self.name))

    @property
    def is_listed(self) -> bool:
        """Whether the Cluster itself is in the list; of one that is not, only what other objects say is known."""
        return bool(self.ref.kind)


class Membership(NamedTuple):
    """That an object belongs to a Cluster, and how that is known.

    Attributes:
        cluster: the Cluster.
        role: that of the nodes; None where it is not known, and for what makes no nodes (workloads, policies).
        group: the name of the MachineDeployment or MachinePool, as the Cluster's ``spec.topology.workers`` has it where
            there is one; "" if there is none.
        how: how it is known, in one phrase for a person.
        sure: False where only names suggest it.
        worker_class: the name of the class of these workers in a ClusterClass, or "".
        claimed_from: the namespace of the object, if that is another one than the Cluster's and nothing but the object
            itself (its name, a label, its kubeconfig) says that it belongs there: its author may not be one of the
            Cluster's. "" otherwise.
        is_only: nothing says that the object belongs there, but the list has no other Cluster, whose networks it gets.
        is_guest: the object belongs to it by a ClusterClass in another namespace than the Cluster's.
    """

    cluster: Cluster
    role: Role | None = None
    group: str = ""
    how: str = ""
    sure: bool = True
    worker_class: str = ""
    claimed_from: str = ""
    is_guest: bool = False
    is_only: bool = False

    @property
    def groups(self) -> tuple[str, ...]:
        """All names a worker group has: a rule for one of them is a rule for this membership."""
        return tuple(dict.fromkeys(name for name in (self.group, self.worker_class) if name))
