"""What is known about the network of one Cluster: values, each with the field that says it.

One class serves everybody: what one object says, what all objects of a Cluster say, what kubeadm and
a provider take where nobody says anything, ``spec.clusterDefaults``, and what follows from all of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from krm_fn.krm.results import ObjectRef
from krm_fn.light_typing import NamedTuple
from krm_fn.noproxy.model import Entry
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
        """Where the value comes from, as one phrase for a person; "" for a value that was read nowhere."""
        if self.config_field:
            return f"`{self.config_field}`"
        subject = "/".join(
            part for part in (self.ref.kind, self.ref.namespace, self.ref.name) if part
        )
        if not subject:
            return ""
        where = f"`{subject}` `{field_path(self.path)}`"
        if self.default_of:
            return f"default of {self.default_of}, because {where} is not set"
        return where

    @property
    def entry(self) -> Entry:
        """The entry of NO_PROXY that the value becomes."""
        if self.config_field:
            return Entry.of_config(self.value, self.config_field)
        reason = self.reason
        return Entry.of_object(self.value, reason) if reason else Entry(self.value)


class InvalidField(NamedTuple):
    """A field that should say a fact, and holds something else, such as a CIDR with a letter in it.

    ``name`` is the field of ``spec.clusterDefaults`` for the same fact; ``path`` leads from the object ``ref`` to the
    value.
    """

    name: str
    ref: ObjectRef
    path: Pointer

    @property
    def place(self) -> str:
        """Where the value is, as one phrase for a person."""
        return Fact("", self.ref, self.path).reason


class ClusterNetwork(NamedTuple):
    """The facts about the network of one Cluster; what nothing says is empty.

    Attributes:
        pod_cidrs: as written.
        service_cidrs: as written.
        service_domain: without dots around it ("cluster.local").
        endpoint: a name or an address, without port and brackets.
        infrastructure: the kind of the infrastructure cluster ("AWSCluster").
        region: the region it is in.
        networks: the CIDRs of its VPC, VNet or subnets, or the hosts that are its machines.
        mirrors: hosts of registry mirrors, without port.
        hosts: further hosts of the control plane: addresses of its load balancer, external etcd.
        infrastructure_hosts: those of the infrastructure's own API (vCenter, Prism Central).
        invalid: fields for one of these facts that hold something else.
    """

    pod_cidrs: tuple[Fact, ...] = ()
    service_cidrs: tuple[Fact, ...] = ()
    service_domain: Fact | None = None
    endpoint: Fact | None = None
    infrastructure: Fact | None = None
    region: Fact | None = None
    networks: tuple[Fact, ...] = ()
    mirrors: tuple[Fact, ...] = ()
    hosts: tuple[Fact, ...] = ()
    infrastructure_hosts: tuple[Fact, ...] = ()
    invalid: tuple[InvalidField, ...] = ()

    @property
    def infrastructure_kind(self) -> str:
        """The kind of the infrastructure cluster, "" if it is not known."""
        return self.infrastructure.value if self.infrastructure else ""

    @property
    def region_name(self) -> str:
        """The name of the region, "" if it is not known."""
        return self.region.value if self.region else ""

    def facts(self) -> Iterator[tuple[str, Fact]]:
        """Yield each fact with the name of the field that holds it, in the order of the fields."""
        for name in self._fields:
            held = getattr(self, name)
            if isinstance(held, Fact):
                yield name, held
            elif held is not None and name != "invalid":
                for fact in held:
                    yield name, fact

    def completed_by(self, other: ClusterNetwork) -> ClusterNetwork:
        """Return this network with the fields of ``other`` in the place of those that are empty."""
        pairs = zip(self, other, strict=True)
        return ClusterNetwork._make(own or others for own, others in pairs)
