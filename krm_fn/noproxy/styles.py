"""The five ways to make a list: which entries, in which order.

A style yields pieces, each with the name under which ``spec.noProxyPolicy.derive`` switches it off ("" for what the
user wrote, ``ROOTED`` for rooted names); it removes nothing, merges nothing and sorts nothing: ``composition`` does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from krm_fn import placeholders
from krm_fn.light_typing import NamedTuple
from krm_fn.noproxy import entries, model, providers
from krm_fn.noproxy.model import Audience, Entry, Style
from krm_fn.noproxy.network import ClusterNetwork, Fact

TWIN = "the dotted form beside the bare one, which .NET, axios, Node's http and httplib2 read as one host"
ROOTED = "rooted"
"""What rooted names derive from: `spec.noProxyPolicy.rooted`, not a name of `spec.noProxyPolicy.derive`."""
_DEFAULT_DOMAIN = Entry.of_rule(model.CLUSTER_DOMAIN, "the domain of a cluster that declares none")
_LOOPBACK_V4 = "only Go, Ruby and Java leave loopback out on their own"


class Piece(NamedTuple):
    """One entry of a style, and the name of what it derives from; "" for an entry of the user."""

    derived_from: str
    entry: Entry


Pieces = Callable[[Sequence[Entry], Sequence[ClusterNetwork], Audience], Iterator[Piece]]


class Recipe(NamedTuple):
    """How a style is finished: entries in portable forms or as written, equal ones merged, the whole sorted."""

    pieces: Pieces
    normal: bool = False
    merged: bool = True
    ordered: bool = False


def speaks_ipv6(networks: Sequence[ClusterNetwork]) -> bool:
    """Return whether any of the clusters has IPv6 pods or services, as far as that is known."""
    for network in networks:
        for cidr in (*network.pod_cidrs, *network.service_cidrs):
            if ":" in placeholders.with_defaults(cidr.value):
                return True
    return False


def domains(networks: Sequence[ClusterNetwork]) -> tuple[Entry, ...]:
    """Return the domain of each cluster.

    The default if a cluster declares none, or without clusters.
    """
    found = []
    for network in networks or (ClusterNetwork(),):
        domain = network.service_domain.entry if network.service_domain else _DEFAULT_DOMAIN
        found.append(domain._replace(text=_plain_domain(domain.text)))
    return tuple(found)


def _plain_domain(text: str) -> str:
    """Return a domain without leading and final dots, in lower case.

    Names of placeholders stay as they are.
    """
    return text.strip(".") if entries.is_template(text) else text.strip(".").lower()


def first_address(cidr: str) -> str:
    """Return the first address of a service CIDR, the ClusterIP of ``kubernetes``.

    "" if there is none.

    Source: Kubernetes ``pkg/controlplane/instance.go`` takes address 1 of the first service CIDR.
    """
    found = entries.network(cidr)
    return str(found[1]) if found is not None and found.num_addresses > 1 else ""


def _pieces_of(derived_from: str, facts: Iterable[Fact]) -> Iterator[Piece]:
    """Yield the facts as pieces that derive from the same name."""
    for fact in facts:
        yield Piece(derived_from, fact.entry)


def _cidrs(networks: Sequence[ClusterNetwork]) -> Iterator[Piece]:
    """Yield the services of all clusters, and then their pods, as most styles have them."""
    for network in networks:
        yield from _pieces_of(model.SERVICE_CIDRS, network.service_cidrs)
    for network in networks:
        yield from _pieces_of(model.POD_CIDRS, network.pod_cidrs)


def _portable(
    user: Sequence[Entry], networks: Sequence[ClusterNetwork], audience: Audience
) -> Iterator[Piece]:
    yield from (Piece("", entry) for entry in user)
    yield from _loopback("localhost", "127.0.0.1")
    if audience is not Audience.POD:
        yield from _loopback_v6(networks)
    yield from _cluster_names(networks)
    yield from _short_names()
    for network in networks:
        yield from _pieces_of(model.POD_CIDRS, network.pod_cidrs)
    for network in networks:
        yield from _pieces_of(model.SERVICE_CIDRS, network.service_cidrs)
        yield from _service_addresses(network, audience)
    yield from _control_planes(networks)
    yield from _metadata(networks, v6=audience is not Audience.POD and speaks_ipv6(networks))
    for network in networks:
        yield from _provider(network)
    yield from _node_networks(networks)
    for network in networks:
        yield from _pieces_of(model.MIRRORS, network.mirrors)
    yield from _infrastructure(networks)


def _loopback(*names: str) -> Iterator[Piece]:
    yield from (Piece(model.LOOPBACK, Entry.of_rule(name, _LOOPBACK_V4)) for name in names)


def _loopback_v6(networks: Sequence[ClusterNetwork]) -> Iterator[Piece]:
    if speaks_ipv6(networks):
        yield Piece(
            model.LOOPBACK, Entry.of_rule("::1", "IPv6 loopback, because the cluster speaks IPv6")
        )


def _cluster_names(networks: Sequence[ClusterNetwork]) -> Iterator[Piece]:
    for domain in (
        Entry.of_rule("svc", "the short names of services end in it"),
        *domains(networks),
    ):
        yield Piece(model.CLUSTER_DOMAIN_NAMES, domain)
        yield Piece(model.CLUSTER_DOMAIN_NAMES, domain.by_rule(f".{domain.text}", TWIN))
    yield from rooted_names(networks)


def rooted_names(networks: Sequence[ClusterNetwork]) -> Iterator[Piece]:
    """Yield ``.svc.<domain>.`` of each cluster, which is how Go programs write Services to skip the search domains.

    Flux requests ``source-controller.flux-system.svc.cluster.local.`` (``--storage-adv-addr`` of its manifests), and
    its documentation, "Flux proxy settings", demands a rooted entry. Of the modelled clients only curl from 7.86 on
    takes ``.cluster.local`` for such a host; none fails on the entry, wherever in the list it is.
    """
    for domain in domains(networks):
        rule = "Flux and other Go programs write Services with a final dot"
        yield Piece(ROOTED, domain.by_rule(f".svc.{domain.text}.", rule))


def _short_names() -> Iterator[Piece]:
    for name in ("kubernetes", "kubernetes.default"):
        yield Piece(
            model.CLUSTER_DOMAIN_NAMES,
            Entry.of_rule(name, "a short name of the API server inside pods"),
        )


def _service_addresses(network: ClusterNetwork, audience: Audience) -> Iterator[Piece]:
    for at, service in enumerate(network.service_cidrs):
        found = first_address(service.value)
        # The API server's address is in the first CIDR: pods need it, even if Ruby misreads it.
        if found and not (at and audience is Audience.POD and entries.confuses_ruby(found)):
            cidr = str(entries.network(service.value))
            rule = f"first address of the service CIDR {cidr} (for clients that read no CIDRs)"
            yield Piece(model.SERVICE_ADDRESSES, service.entry.by_rule(found, rule))


def _endpoints(networks: Sequence[ClusterNetwork]) -> Iterator[Piece]:
    for network in networks:
        if network.endpoint:
            yield Piece(model.ENDPOINT, network.endpoint.entry)


def _control_planes(networks: Sequence[ClusterNetwork]) -> Iterator[Piece]:
    """Yield the endpoint of each control plane, and its other hosts."""
    for network in networks:
        yield from _endpoints((network,))
        yield from _pieces_of(model.ENDPOINT, network.hosts)


def _infrastructure(networks: Sequence[ClusterNetwork]) -> Iterator[Piece]:
    """Yield the API of the infrastructure, which the cloud provider and the storage driver of a cluster call."""
    for network in networks:
        yield from _pieces_of(model.INFRASTRUCTURE_ENDPOINT, network.infrastructure_hosts)


def _metadata(networks: Sequence[ClusterNetwork], *, v6: bool) -> Iterator[Piece]:
    for network in networks:
        provider = providers.find(network.infrastructure_kind)
        if provider:
            rule = f"the metadata service of {provider.name} ({network.infrastructure_kind})"
            for text in (*provider.metadata, *(provider.metadata_v6 if v6 else ())):
                yield Piece(model.METADATA, Entry.of_rule(text, rule))


def _provider(network: ClusterNetwork) -> Iterator[Piece]:
    provider = providers.find(network.infrastructure_kind)
    for text in provider.services if provider else ():
        yield Piece(
            model.PROVIDER, Entry.of_rule(text, f"the wire server of {network.infrastructure_kind}")
        )
    for domain in providers.machine_domains(network.infrastructure_kind, network.region_name):
        rule = f"the names of machines in the region {network.region_name} ({network.infrastructure_kind})"
        found = Entry.of_rule(domain, rule)
        yield Piece(model.PROVIDER, found)
        yield Piece(model.PROVIDER, found.by_rule(f".{domain}", TWIN))


def _node_networks(networks: Sequence[ClusterNetwork]) -> Iterator[Piece]:
    for network in networks:
        for fact in network.networks:
            # "0.0.0.0/0" would switch the proxy off for every address; OpenShift leaves it out too.
            if not entries.holds_every_address(fact.value):
                yield Piece(model.NETWORKS, fact.entry)


def _giant_swarm(
    user: Sequence[Entry], networks: Sequence[ClusterNetwork], _audience: Audience
) -> Iterator[Piece]:
    """Yield the list of Giant Swarm's cluster-apps-operator.

    Source: ``noProxy`` in ``service/controller/resource/clustersecret/desired.go``.
    """
    for network in networks:
        if network.service_domain:
            domain = network.service_domain.entry
            plain = domain._replace(text=domain.text.strip("."))
            yield Piece(model.CLUSTER_DOMAIN_NAMES, plain)
    yield from _cidrs(networks)
    yield from _endpoints(networks)
    yield from (Piece("", entry) for entry in user)
    yield Piece(
        model.CLUSTER_DOMAIN_NAMES, Entry.of_rule("svc", "cluster-apps-operator always adds it")
    )
    yield from _loopback("127.0.0.1", "localhost")


def _tkg(
    user: Sequence[Entry], networks: Sequence[ClusterNetwork], _audience: Audience
) -> Iterator[Piece]:
    """Yield the list of TKG's ``get_no_proxy`` (ytt providers).

    User and cloud first, then in the order of the documents.

    ``get_no_proxy`` itself ends in services, pods, loopback, ``.svc``, ``.svc.cluster.local``; the documents show
    these groups the other way round, except that services stay in front of pods.
    """
    yield from (Piece("", entry) for entry in user)
    for network in networks:
        yield from _tkg_cloud(network)
    yield from _infrastructure(networks)
    for domain in domains(networks):
        found = domain.by_rule(f".svc.{domain.text}", "TKG adds the services of the domain")
        yield Piece(model.CLUSTER_DOMAIN_NAMES, found)
    yield Piece(model.CLUSTER_DOMAIN_NAMES, Entry.of_rule(".svc", "TKG always adds it"))
    yield from _loopback("localhost", "127.0.0.1")
    yield from _loopback_v6(networks)
    yield from _cidrs(networks)


def _tkg_cloud(network: ClusterNetwork) -> Iterator[Piece]:
    provider = providers.find(network.infrastructure_kind)
    if provider is None or not network.infrastructure_kind.startswith(("AWS", "Azure")):
        return
    yield from _node_networks((network,))
    yield Piece(
        model.METADATA,
        Entry.of_rule("169.254.0.0/16", f"TKG adds link-local addresses on {provider.name}"),
    )
    for text in provider.services:
        yield Piece(
            model.PROVIDER, Entry.of_rule(text, f"the wire server of {network.infrastructure_kind}")
        )


def _sorted(
    user: Sequence[Entry], networks: Sequence[ClusterNetwork], _audience: Audience
) -> Iterator[Piece]:
    """Yield the sorted list of OpenShift's cluster-network-operator.

    Source: ``pkg/util/proxyconfig/no_proxy.go``.
    """
    yield from _loopback("127.0.0.1", "localhost")
    for name in (Entry("svc"), *domains(networks)):
        found = name.by_rule(f".{name.text}", "OpenShift always adds it")
        yield Piece(model.CLUSTER_DOMAIN_NAMES, found)
    yield from _node_networks(networks)
    yield from _control_planes(networks)
    yield from _cidrs(networks)
    yield from _metadata(networks, v6=False)
    for network in networks:
        for domain in providers.machine_domains(network.infrastructure_kind, network.region_name):
            rule = f"the names of machines in the region {network.region_name}"
            yield Piece(model.PROVIDER, Entry.of_rule(f".{domain}", rule))
    yield from _infrastructure(networks)
    yield from (Piece("", entry) for entry in user)


def _verbatim(
    user: Sequence[Entry], _networks: Sequence[ClusterNetwork], _audience: Audience
) -> Iterator[Piece]:
    yield from (Piece("", entry) for entry in user)


RECIPES: dict[Style, Recipe] = {
    Style.PORTABLE: Recipe(_portable, normal=True),
    Style.GIANT_SWARM: Recipe(_giant_swarm, merged=False),
    Style.TKG: Recipe(_tkg),
    Style.SORTED: Recipe(_sorted, ordered=True),
    Style.VERBATIM: Recipe(_verbatim, merged=False),
}
