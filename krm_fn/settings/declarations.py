"""Read the declarations for one place: its proxy, the facts about its network, and the facts that are missing.

The proxy is that of ``spec``, then of the overrides that fit; the last one wins. A fact that the objects of a Cluster
do not say may be in ``spec.clusterDefaults``; else it is a default of kubeadm or of the infrastructure provider, or
missing.
"""

from __future__ import annotations

from collections.abc import Sequence

from krm_fn.clusters import Cluster, ClusterNetwork, Membership, Role, network_path, value_of
from krm_fn.config import (
    Declaration,
    OverrideSubject,
    ProxyConfig,
    TargetOptions,
    exports_variables,
)
from krm_fn.light_typing import NamedTuple, Texts
from krm_fn.noproxy import Entry, Policy, Style, holds
from krm_fn.noproxy.policy import (
    DEFAULTS,
    ENDPOINT,
    METADATA,
    MIRRORS,
    NETWORKS,
    POD_CIDRS,
    PROVIDER,
    SERVICE_CIDRS,
)
from krm_fn.products.node_kinds import EXPORTERS, OF_CLASSES


class DeclaredPlace(NamedTuple):
    """An object in one of its Clusters: the subject of overrides, its declarations, and the network there.

    Of an object of no known Cluster the ``membership`` is in an empty one.
    """

    membership: Membership
    subject: OverrideSubject
    declaration: Declaration
    network: ClusterNetwork


def declaration(config: ProxyConfig, subject: OverrideSubject) -> Declaration:
    """Return the declarations of the user for a place, with the host of ``spec.registryMirror``."""
    declared = config.declaration
    for override in config.overrides:
        if override.match.fits(subject):
            declared = declared.under(override)
    mirror = config.mirror
    policy = declared.policy
    if mirror is None or policy.style is Style.VERBATIM or not policy.derives(MIRRORS):
        return declared
    if mirror.host in (entry.text for entry in declared.entries):
        return declared
    entry = Entry.from_config(mirror.host, "spec.registryMirror.url")
    return declared._replace(entries=(*declared.entries, entry))


class Missing(NamedTuple):
    """A fact that a list should hold and that nothing says.

    Attributes:
        name: the field of ``spec.clusterDefaults`` that can say it.
        members: the members of a ``ClusterNetwork`` of which one suffices.
        switches: the names in ``without`` that say that it is not needed.
        field: the one of the Cluster or its infrastructure; "" if there is none.
        cluster: the full name of the Cluster that lacks it; "" where no Cluster is known.
    """

    name: str
    members: Texts
    switches: Texts
    field: str = ""
    cluster: str = ""

    @property
    def is_about_nodes(self) -> bool:
        """Whether the network of the nodes is missing, which matters to few programs only."""
        return NETWORKS in self.switches

    def __str__(self) -> str:
        return f"`{self.name}` of `{self.cluster}`" if self.cluster else f"`{self.name}`"


_PODS = Missing(
    "podCIDRs",
    ("pod_cidrs",),
    (POD_CIDRS,),
    "`spec.clusterNetwork.pods.cidrBlocks` of the Cluster",
)
_SERVICES = Missing(
    "serviceCIDRs",
    ("service_cidrs",),
    (SERVICE_CIDRS,),
    "`spec.clusterNetwork.services.cidrBlocks` of the Cluster",
)
_ENDPOINT = Missing(
    "endpoint",
    ("endpoint", "hosts"),
    (ENDPOINT,),
    "`spec.controlPlaneEndpoint.host` of the Cluster",
)
_INFRASTRUCTURE = Missing(
    "infrastructure",
    ("infrastructure",),
    (METADATA, PROVIDER),
    "`spec.infrastructureRef` of the Cluster",
)
FACTS = (
    _PODS,
    _SERVICES,
    _ENDPOINT,
    _INFRASTRUCTURE,
    Missing("networks", ("networks",), (NETWORKS,)),
)
"""All of them, in the order in which messages name them."""
_NEEDED = {
    Style.PORTABLE: FACTS,
    Style.GIANT_SWARM: (_PODS, _SERVICES, _ENDPOINT),
    Style.TKG: (_PODS, _SERVICES),
    Style.SORTED: FACTS,
    Style.VERBATIM: (),
}
"""What each style cannot do without."""


def network_of(cluster: Cluster, defaults: ClusterNetwork, policy: Policy) -> ClusterNetwork:
    """Return the facts of a Cluster: those of its objects, then ``spec.clusterDefaults``, then its provider's."""
    known = cluster.network.completed_by(defaults)
    if not policy.infrastructure_endpoint:
        known = known._replace(infrastructure_hosts=())
    # These two styles write what another program writes, or the user wrote, to the byte.
    is_exact = policy.style in (Style.GIANT_SWARM, Style.VERBATIM)
    if is_exact or not policy.derives(DEFAULTS):
        return known
    assumed = cluster.assumed
    networks = known.networks
    hosts = known.hosts
    if not defaults.networks:
        networks += assumed.networks
    if not known.endpoint:
        hosts = assumed.hosts + hosts
    return known.completed_by(assumed)._replace(networks=networks, hosts=hosts)


def lack_of(fact: Missing, place: DeclaredPlace, *, calls_nodes: bool) -> Missing | None:
    """Return a fact that the list of a place needs and nothing says; None where it is known or not needed.

    Args:
        fact: one of ``FACTS``.
        place: the declarations and facts there.
        calls_nodes: whether a program that reads the list calls other nodes by their addresses.
    """
    known = place.network
    policy = place.declaration.policy
    is_derived = any(map(policy.derives, fact.switches))
    if fact not in _NEEDED[policy.style] or not is_derived:
        return None
    if any(getattr(known, member) for member in fact.members):
        return None
    if fact.is_about_nodes:
        endpoint = value_of(known.endpoint)
        is_covered = any(holds(entry.text, endpoint) for entry in place.declaration.entries)
        if place.subject.membership is None or not calls_nodes or is_covered:
            return None
    kind = known.infrastructure_kind.removesuffix("Template")
    path = network_path(kind)
    field = fact.field or (f"`spec.{path}` of the {kind}" if path else "")
    cluster = ""
    if place.subject.membership:
        cluster = place.membership.cluster.full_name
    return fact._replace(field=field, cluster=cluster)


def talks_to_nodes(target: str, options: TargetOptions, memberships: Sequence[Membership]) -> bool:
    """Return whether the output of a target reaches a program that calls nodes by their addresses.

    The program that sets up a node calls etcd of others, and kubeadm copies its variables into the pods of the control
    plane (``cmd/kubeadm/app/phases/controlplane/manifests.go``: ``GetProxyEnvVars``).
    """
    is_exporter = target == OF_CLASSES or target in EXPORTERS
    if not is_exporter or not exports_variables(options.of(target)):
        return False
    return any(membership.role is Role.CONTROL_PLANE for membership in memberships)
