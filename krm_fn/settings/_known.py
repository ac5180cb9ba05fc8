"""What is known about the network of each Cluster, and what is not.

The law of this room: a fact keeps the field it was read from, as the reason of every entry it becomes; what a Cluster
does not say, ``spec.clusterDefaults`` may.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from krm_fn.noproxy import Entry, Network, Policy, Style
from krm_fn.patch import field_path
from krm_fn.topology import ClusterFacts, Fact, Membership


def network(cluster: ClusterFacts, defaults: Network) -> Network:
    """What a Cluster says of its network, and ``defaults`` for what it does not say."""
    return Network(
        pods=_entries(cluster.pod_cidrs) or defaults.pods,
        services=_entries(cluster.service_cidrs) or defaults.services,
        domain=_entry(cluster.service_domain) or defaults.domain,
        endpoint=_entry(cluster.endpoint) or defaults.endpoint,
        infrastructure=cluster.infrastructure or defaults.infrastructure,
        region=cluster.region.value if cluster.region else defaults.region,
        networks=_entries(cluster.networks) or defaults.networks,
        mirrors=_entries(cluster.mirrors) or defaults.mirrors,
    )


def _entries(facts: Iterable[Fact]) -> tuple[Entry, ...]:
    return tuple(Entry(fact.value, (_reason(fact),)) for fact in facts)


def _entry(fact: Fact | None) -> Entry | None:
    return Entry(fact.value, (_reason(fact),)) if fact else None


def _reason(fact: Fact) -> str:
    ref = fact.ref
    subject = "/".join(part for part in (ref.kind, ref.namespace, ref.name) if part)
    return f"`{subject}` `{field_path(fact.path)}`"


def cluster_name(cluster: ClusterFacts) -> str:
    """``Cluster/<namespace>/<name>``."""
    return "/".join(part for part in ("Cluster", cluster.namespace, cluster.name) if part)


_NEEDED = {
    Style.PORTABLE: ("podCIDRs", "serviceCIDRs", "endpoint", "infrastructure"),
    Style.GIANT_SWARM: ("podCIDRs", "serviceCIDRs", "endpoint"),
    Style.TKG: ("podCIDRs", "serviceCIDRs"),
    Style.SORTED: ("podCIDRs", "serviceCIDRs", "endpoint", "infrastructure"),
    Style.VERBATIM: (),
}
"""The fields of ``spec.clusterDefaults`` that each style cannot do without."""

_SERVES = {"infrastructure": frozenset({"metadata", "provider"})}
"""What is derived from such a field, where it is not what the field itself is called."""


def missing(policy: Policy, networks: Sequence[Network], memberships: Sequence[Membership]) -> tuple[str, ...]:
    """What the policy asks for and no one says, with the Clusters that lack it."""
    needed = [name for name in _NEEDED[policy.style] if _SERVES.get(name, {name}) & policy.derive]
    if not memberships:
        return tuple(f"`{name}`" for name in _lacking(networks[0] if networks else Network(), needed))
    found = ((name, called) for called, network in _known(memberships, networks) for name in _lacking(network, needed))
    return tuple(f"`{name}` of `{called}`" for name, called in sorted(found, key=lambda pair: needed.index(pair[0])))


def _known(memberships: Sequence[Membership], networks: Sequence[Network]) -> Iterator[tuple[str, Network]]:
    """Each Cluster once."""
    called = (cluster_name(membership.cluster) for membership in memberships)
    return iter(dict(zip(called, networks, strict=True)).items())


def _lacking(network: Network, needed: Iterable[str]) -> Iterator[str]:
    has = {
        "podCIDRs": network.pods,
        "serviceCIDRs": network.services,
        "endpoint": network.endpoint,
        "infrastructure": network.infrastructure,
    }
    return (name for name in needed if not has[name])
