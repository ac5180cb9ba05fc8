"""The facts about the network of one Cluster: values, each with the field that says it.

One class serves everybody: facts of one object, facts of all objects of a Cluster, those that kubeadm and
a provider take where nobody says anything, ``spec.clusterDefaults``, and all of them together.
"""

from __future__ import annotations

from collections.abc import Callable

from krm_fn.krm.results import ObjectRef
from krm_fn.light_typing import NamedTuple, Texts
from krm_fn.patch import Pointer, field_path


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
        subject = "/".join(
            part for part in (self.ref.kind, self.ref.namespace, self.ref.name) if part
        )
        if not subject:
            return ""
        where = f"`{subject}` `{field_path(self.path)}`"
        if self.default_of:
            return f"default of {self.default_of}, because {where} is not set"
        return where


Facts = tuple[Fact, ...]
"""What is said about one thing, the first of several first."""


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
    def region_name(self) -> str:
        """The name of the region, or ""."""
        return value_of(self.region)

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
