"""What the topology says about an object: its Clusters, its role there, and how that is known.

These are values only; each fact knows the object and the field it was read from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from krm_fn.krm.results import ObjectRef
from krm_fn.patch import Pointer


class Role(Enum):
    """Which nodes of a Cluster an object makes; the values are those of ``spec.overrides[].match.roles``."""

    CONTROL_PLANE = "ControlPlane"
    WORKER = "Worker"


@dataclass(frozen=True)
class Fact:
    """One value, and where it was read: ``path`` leads from the root of the object ``ref`` to it.

    A default is read nowhere: ``path`` leads to the field that would say otherwise, and ``default_of`` names the
    program that takes the value where that field is not set ("kubeadm").
    """

    value: str
    ref: ObjectRef
    path: Pointer
    default_of: str = ""


@dataclass(frozen=True)
class Assumed:
    """What holds for a Cluster because nobody says otherwise: defaults of kubeadm and of the infrastructure provider.

    The names are those of ``ClusterFacts``; each fact has its ``default_of``.
    """

    service_cidrs: tuple[Fact, ...] = ()
    networks: tuple[Fact, ...] = ()
    hosts: tuple[Fact, ...] = ()


@dataclass(frozen=True)
class ClusterFacts:
    """One Cluster as the network sees it; what is not declared anywhere is empty.

    CIDRs are as written; ``service_domain`` has no dots around it; ``endpoint`` is a name or an address without port
    and brackets; ``infrastructure`` is the kind of the infrastructure cluster (``AWSCluster``); ``networks`` are the
    CIDRs of its VPC, VNet or subnets, or the hosts that are its machines; ``mirrors`` are hosts of registry mirrors,
    without port. ``hosts`` are further hosts of the control plane: addresses of its load balancer, external etcd.
    ``infrastructure_hosts`` are those of the infrastructure's own API (vCenter, Prism Central). ``assumed`` is what
    nobody declares and what holds all the same.

    ``provider_files`` are files that the infrastructure provider itself writes on each node, each with the field that
    makes it do so.
    """

    namespace: str = ""
    name: str = ""
    labels: Mapping[str, str] = field(default_factory=dict, hash=False)
    pod_cidrs: tuple[Fact, ...] = ()
    service_cidrs: tuple[Fact, ...] = ()
    service_domain: Fact | None = None
    endpoint: Fact | None = None
    infrastructure: str = ""
    region: Fact | None = None
    networks: tuple[Fact, ...] = ()
    mirrors: tuple[Fact, ...] = ()
    ref: ObjectRef = field(default_factory=ObjectRef)
    hosts: tuple[Fact, ...] = ()
    infrastructure_hosts: tuple[Fact, ...] = ()
    provider_files: tuple[Fact, ...] = ()
    assumed: Assumed = field(default_factory=Assumed)

    @property
    def is_listed(self) -> bool:
        """Whether the Cluster itself is in the list; of one that is not, only what other objects say is known."""
        return bool(self.ref.kind)


@dataclass(frozen=True)
class Membership:
    """That an object belongs to a Cluster, and how that is known.

    ``role`` is None where it cannot be told, and for what makes no nodes (workloads, policies). ``group`` is the name
    of the MachineDeployment or MachinePool, as the Cluster's ``spec.topology.workers`` has it where there is one; ""
    if there is none. ``worker_class`` is the name of the class of these workers in a ClusterClass, or "".
    ``how`` is one phrase for a person; ``sure`` is False where only names suggest it.
    ``claimed_from`` is the namespace of the object where it is another one than that of the Cluster, and nothing but
    the object itself (its name, a label, its kubeconfig) says that it belongs there: its author may be a stranger to
    the Cluster. "" otherwise.
    """

    cluster: ClusterFacts
    role: Role | None = None
    group: str = ""
    how: str = ""
    sure: bool = True
    worker_class: str = ""
    claimed_from: str = ""

    @property
    def groups(self) -> tuple[str, ...]:
        """All names a worker group has: a rule for one of them is a rule for this membership."""
        return tuple(dict.fromkeys(name for name in (self.group, self.worker_class) if name))
