"""What is known about the network of each Cluster, and what is not.

What the objects of a Cluster do not say, ``spec.clusterDefaults`` may; what neither says is a default of kubeadm or of
the infrastructure provider, or missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from krm_fn.clusters import Cluster, Membership, Role, network_field
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.noproxy import (
    DEFAULTS,
    ENDPOINT,
    INFRASTRUCTURE_ENDPOINT,
    METADATA,
    NETWORKS,
    POD_CIDRS,
    PROVIDER,
    SERVICE_CIDRS,
    ClusterNetwork,
    Entry,
    InvalidField,
    Policy,
    Style,
    holds,
)
from krm_fn.products.node_kinds import EXPORTERS, OF_CLASSES

_IMITATES = frozenset({Style.GIANT_SWARM, Style.VERBATIM})
"""Styles that write what another program writes, or what the user wrote, to the byte: they know no defaults."""


class Missing(NamedTuple):
    """A fact that a list should hold and that nothing says.

    Attributes:
        name: the field of ``spec.clusterDefaults`` that can say it.
        field: the one of the Cluster or its infrastructure; "" if there is none.
        switches: the names below ``derive`` that say that it is not needed.
        cluster: the Cluster that lacks it, as ``cluster_name`` calls it; "" where no Cluster is known.
        invalid: fields that should say it and hold something else.
    """

    name: str
    field: str
    switches: tuple[str, ...]
    cluster: str = ""
    invalid: tuple[InvalidField, ...] = ()

    @property
    def is_about_nodes(self) -> bool:
        """Whether the network of the nodes is missing, which matters to few programs only."""
        return NETWORKS in self.switches

    def __str__(self) -> str:
        return f"`{self.name}` of `{self.cluster}`" if self.cluster else f"`{self.name}`"


def network_of(cluster: Cluster, defaults: ClusterNetwork, policy: Policy) -> ClusterNetwork:
    """Return what is known of a Cluster, from any source.

    Args:
        cluster: what its objects say, and what holds where they say nothing.
        defaults: ``spec.clusterDefaults``, for what they do not say.
        policy: whether what kubeadm and the provider take then counts, and the infrastructure's own API.
    """
    has_defaults = DEFAULTS in policy.derive and policy.style not in _IMITATES
    assumed = cluster.assumed if has_defaults else ClusterNetwork()
    known = cluster.network.completed_by(defaults)
    networks, hosts = known.networks, known.hosts
    if not defaults.networks:
        networks = (*networks, *assumed.networks)
    if not known.endpoint:
        hosts = (*assumed.hosts, *hosts)
    has_api = INFRASTRUCTURE_ENDPOINT in policy.derive
    found = known.completed_by(assumed)._replace(
        networks=networks,
        hosts=hosts,
        infrastructure_hosts=known.infrastructure_hosts if has_api else (),
    )
    return cluster.network if found == cluster.network else found  # every object asks: one is kept


def cluster_name(cluster: Cluster) -> str:
    """Return the name of a Cluster for messages: ``Cluster/<namespace>/<name>``."""
    return "/".join(part for part in ("Cluster", cluster.namespace, cluster.name) if part)


_PODS = Missing("podCIDRs", "`spec.clusterNetwork.pods.cidrBlocks` of the Cluster", (POD_CIDRS,))
_SERVICES = Missing(
    "serviceCIDRs", "`spec.clusterNetwork.services.cidrBlocks` of the Cluster", (SERVICE_CIDRS,)
)
_ENDPOINT = Missing("endpoint", "`spec.controlPlaneEndpoint.host` of the Cluster", (ENDPOINT,))
_INFRASTRUCTURE = Missing(
    "infrastructure", "`spec.infrastructureRef` of the Cluster", (METADATA, PROVIDER)
)
_NETWORKS = Missing("networks", "", (NETWORKS,))

_NEEDED = {
    Style.PORTABLE: (_PODS, _SERVICES, _ENDPOINT, _INFRASTRUCTURE, _NETWORKS),
    Style.GIANT_SWARM: (_PODS, _SERVICES, _ENDPOINT),
    Style.TKG: (_PODS, _SERVICES),
    Style.SORTED: (_PODS, _SERVICES, _ENDPOINT, _INFRASTRUCTURE, _NETWORKS),
    Style.VERBATIM: (),
}
"""What each style cannot do without."""


def missing(
    policy: Policy,
    networks: Sequence[ClusterNetwork],
    memberships: Sequence[Membership],
    user: Iterable[Entry],
    *,
    talks_to_nodes: bool,
) -> tuple[Missing, ...]:
    """Return what the policy needs and no object states, with the Clusters that lack it.

    Args:
        policy: what is derived, in which style.
        networks: what is known of each Cluster, or of none in particular.
        memberships: the Clusters; none where no Cluster is known.
        user: the entries of the user, which may cover the nodes.
        talks_to_nodes: whether a program that reads the list calls other nodes by their addresses.
    """
    needed = [one for one in _NEEDED[policy.style] if policy.derive.intersection(one.switches)]
    without_nodes = [one for one in needed if one != _NETWORKS]
    if not memberships:
        known = networks[0] if networks else ClusterNetwork()
        return tuple(_lacking(without_nodes, known))
    user = tuple(user)
    lacks: dict[Missing, None] = {}  # a Cluster may be there several times
    for membership, known in zip(memberships, networks, strict=True):
        wanted = needed
        if not talks_to_nodes or _cover_nodes(user, known):
            wanted = without_nodes
        lacks.update(dict.fromkeys(_lacking(wanted, known, cluster_name(membership.cluster))))
    found: list[Missing] = []
    for kind in needed:  # each fact with all Clusters that lack it
        found += [one for one in lacks if one.name == kind.name]
    return tuple(found)


def invalid_fields(policy: Policy, networks: Iterable[ClusterNetwork]) -> tuple[InvalidField, ...]:
    """Return the fields that hold something else than a fact that the policy needs."""
    invalid = dict.fromkeys(field for network in networks for field in network.invalid)
    if not invalid:
        return ()
    needed = {one.name for one in _NEEDED[policy.style] if policy.derive.intersection(one.switches)}
    return tuple(field for field in invalid if field.name in needed)


def talks_to_nodes(
    target: str, options: Mapping[str, Mapping[str, Any]], memberships: Sequence[Membership]
) -> bool:
    """Return whether the output of a target reaches a program that calls nodes by their addresses.

    The API server, etcd.

    What sets up a node calls etcd of the other nodes itself, and kubeadm copies the variables it is started with into
    the pods of the control plane (``cmd/kubeadm/app/phases/controlplane/manifests.go``: ``GetProxyEnvVars``).
    """
    exporters = EXPORTERS if target == OF_CLASSES else EXPORTERS & {target}
    exports = any(options.get(name, {}).get("exports", True) for name in exporters)
    return exports and any(one.role is Role.CONTROL_PLANE for one in memberships)


def _lacking(
    needed: Iterable[Missing], known: ClusterNetwork, cluster: str = ""
) -> Iterator[Missing]:
    """Yield what a Cluster lacks of what is needed."""
    has = {
        _PODS.name: known.pod_cidrs,
        _SERVICES.name: known.service_cidrs,
        _ENDPOINT.name: known.endpoint or known.hosts,
        _INFRASTRUCTURE.name: known.infrastructure,
        _NETWORKS.name: known.networks,
    }
    for one in needed:
        if not has[one.name]:
            field = network_field(known.infrastructure_kind) if one is _NETWORKS else one.field
            invalid = tuple(wrong for wrong in known.invalid if wrong.name == one.name)
            yield Missing(one.name, field, one.switches, cluster, invalid)


def _cover_nodes(user: Iterable[Entry], known: ClusterNetwork) -> bool:
    """Return whether a CIDR of the user contains the endpoint, which usually is an address of the nodes' network."""
    endpoint = known.endpoint.value if known.endpoint else ""
    return any(holds(entry.text, endpoint) for entry in user)


def provider_files(memberships: Iterable[Membership]) -> Iterator[tuple[str, str]]:
    """Yield the path of each file that an infrastructure provider writes on nodes of these Clusters, and its field."""
    for fact in dict.fromkeys(fact for one in memberships for fact in one.cluster.provider_files):
        yield fact.value, fact.reason
