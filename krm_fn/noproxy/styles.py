"""The five ways to make a list: which groups of entries, in which order.

A group has the name by which ``spec.noProxyPolicy.without`` leaves it out. Nothing is merged or removed here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from krm_fn import placeholders
from krm_fn.clusters.network import ClusterNetwork, Facts
from krm_fn.light_typing import NamedTuple, Texts
from krm_fn.noproxy import entries, providers
from krm_fn.noproxy.model import (
    CLUSTER_DOMAIN,
    CLUSTER_DOMAIN_NAMES,
    ENDPOINT,
    INFRASTRUCTURE_ENDPOINT,
    LOOPBACK,
    METADATA,
    MIRRORS,
    NETWORKS,
    POD_CIDRS,
    PROVIDER,
    SERVICE_ADDRESSES,
    SERVICE_CIDRS,
    Audience,
    Entry,
    Origin,
    Style,
)
from krm_fn.products.cluster_api import SERVICE_ADDRESSES as FIRST_ADDRESSES
from krm_fn.products.cluster_api import SERVICES

TWIN = "the dotted form beside the bare one, which .NET, axios, Node's http and httplib2 read as one host"
ROOTED = "rooted"
"""What ``spec.noProxyPolicy.rooted`` switches, no name of ``spec.noProxyPolicy.without``."""
USER = "user"
"""What the user wrote, which nothing switches off."""
_DEFAULT_DOMAIN = Entry.of_rule(CLUSTER_DOMAIN, "the domain of a cluster that declares none")
_TKG_CLOUDS = ("AWS", "Azure")
"""How the kinds of infrastructure begin about which TKG knows something."""
_LOOPBACK_RULE = "only Go, Ruby and Java leave loopback out on their own"


class Group(NamedTuple):
    """Entries that are switched off together: names with a rule, facts of a Cluster, or those of a function.

    ``derived_from`` is a name of ``Policy.derives``, ``ROOTED`` or ``USER``.
    """

    derived_from: str
    names: Texts = ()
    rule: str = ""
    facts: Texts = ()
    make: Callable[[ClusterNetwork, Audience], Iterator[Entry]] | None = None

    def entries(self, networks: Sequence[ClusterNetwork], audience: Audience) -> Iterator[Entry]:
        """Yield the entries for some Clusters, or for one that says nothing, and an audience."""
        for name in self.names:
            yield Entry.of_rule(name, self.rule)
        for network in networks or (ClusterNetwork(),):
            for field in self.facts:
                yield from _entries_of(getattr(network, field))
            if self.make:
                yield from self.make(network, audience)


class Recipe(NamedTuple):
    """A style: its groups, and how they become a list.

    ``normal``: entries are in portable forms. ``merged``: equal ones become one. ``ordered``: the whole is sorted.
    ``rooted``: names with a final dot are in the list where ``spec.noProxyPolicy.rooted`` does not say.
    """

    groups: tuple[Group, ...]
    normal: bool = False
    merged: bool = True
    ordered: bool = False
    rooted: bool = False


def domain_of(network: ClusterNetwork) -> Entry:
    """Return the domain of a cluster, without dots around it; the default where it declares none."""
    if not network.service_domain:
        return _DEFAULT_DOMAIN
    domain = Entry.of_fact(network.service_domain[0])
    name = domain.text.strip(".")
    return domain._replace(text=name if placeholders.is_template(name) else name.lower())


def _listed(domain: Entry) -> Entry:
    """Return a domain as a list holds it: of one label, which may be a public domain, its Services alone.

    What the FunctionConfig says, and what is filled in later, stays as it is.
    """
    text = domain.text
    if "." in text or placeholders.is_template(text) or Origin.OBJECT not in domain.origins:
        return domain
    return domain.by_rule(f"svc.{text}", "a domain of one label may be a public one")


def first_address(cidr: str) -> str:
    """Return the first address of a service CIDR, the ClusterIP of ``kubernetes``; "" if there is none.

    Source: Kubernetes ``pkg/controlplane/instance.go`` takes address 1 of the first service CIDR.
    """
    if cidr == SERVICES:  # a patch of a ClusterClass fills in both
        return FIRST_ADDRESSES
    network = entries.network(cidr)
    return str(network[1]) if network and network.num_addresses > 1 else ""


def _entries_of(facts: Facts) -> Iterator[Entry]:
    for fact in facts:
        # "0.0.0.0/0" would switch the proxy off for every address.
        if not entries.holds_every_address(fact.value):
            yield Entry.of_fact(fact)


def _has_ipv6(network: ClusterNetwork, audience: Audience) -> bool:
    """Return whether readers speak IPv6: not where no CIDR is known.

    Pods do not, whose clients may fail on it, unless they speak nothing else.
    """
    cidrs = network.pod_cidrs + network.service_cidrs
    are_ipv6 = [":" in placeholders.with_defaults(cidr.value) for cidr in cidrs]
    if audience is Audience.POD:
        return bool(are_ipv6) and all(are_ipv6)
    return any(are_ipv6)


def _loopback_v6(network: ClusterNetwork, audience: Audience) -> Iterator[Entry]:
    if _has_ipv6(network, audience):
        yield Entry.of_rule("::1", "IPv6 loopback, because the cluster speaks IPv6")


def _names(network: ClusterNetwork, _audience: Audience) -> Iterator[Entry]:
    svc = Entry.of_rule("svc", "the short names of services end in it")
    for domain in (svc, _listed(domain_of(network))):
        yield domain
        yield domain.by_rule(f".{domain.text}", TWIN)


def _rooted_names(network: ClusterNetwork, _audience: Audience) -> Iterator[Entry]:
    """Yield ``.svc.<domain>.``, which is how Flux and other Go programs write Services to skip the search domains.

    Source: "Flux proxy settings", ``--storage-adv-addr`` of its manifests.
    """
    domain = domain_of(network)
    rule = "Flux and other Go programs write Services with a final dot"
    yield domain.by_rule(f".svc.{domain.text}.", rule)


def _service_addresses(network: ClusterNetwork, audience: Audience) -> Iterator[Entry]:
    """Yield the first address of each service CIDR, for clients that read no CIDRs."""
    for at, service in enumerate(network.service_cidrs):
        address = first_address(service.value)
        # Pods need the address of the API server, even if Ruby misreads it.
        is_wrong = at and audience is Audience.POD and entries.confuses_ruby(address)
        if address and not is_wrong:
            cidr = entries.network(service.value) or service.value
            rule = f"first address of the service CIDR {cidr} (for clients that read no CIDRs)"
            yield Entry.of_fact(service).by_rule(address, rule)


def _metadata(network: ClusterNetwork, audience: Audience) -> Iterator[Entry]:
    kind = network.infrastructure_kind
    provider = providers.find(kind)
    addresses = provider.metadata_v6 if _has_ipv6(network, audience) else ()
    for text in provider.metadata + addresses:
        yield Entry.of_rule(text, f"the metadata service of {provider.name} ({kind})")


def _metadata_v4(network: ClusterNetwork, audience: Audience) -> Iterator[Entry]:
    for entry in _metadata(network, audience):
        if ":" not in entry.text:
            yield entry


def _provider(network: ClusterNetwork, audience: Audience) -> Iterator[Entry]:
    yield from _wire_servers(network, audience)
    for domain in _machine_domains(network):
        yield domain
        yield domain.by_rule(f".{domain.text}", TWIN)


def _wire_servers(network: ClusterNetwork, _audience: Audience) -> Iterator[Entry]:
    kind = network.infrastructure_kind
    for text in providers.find(kind).services:
        yield Entry.of_rule(text, f"the wire server of {kind}")


def _machine_domains(network: ClusterNetwork) -> Iterator[Entry]:
    kind = network.infrastructure_kind
    region = network.region_name
    for domain in providers.machine_domains(kind, region):
        yield Entry.of_rule(domain, f"the names of machines in the region {region} ({kind})")


def _domain(network: ClusterNetwork, _audience: Audience) -> Iterator[Entry]:
    """Yield the domain that a cluster declares."""
    for domain in network.service_domain:
        entry = Entry.of_fact(domain)
        yield _listed(entry._replace(text=domain.value.strip(".")))


def _tkg_services(network: ClusterNetwork, _audience: Audience) -> Iterator[Entry]:
    domain = domain_of(network)
    yield domain.by_rule(f".svc.{domain.text}", "TKG adds the services of the domain")


def _tkg_networks(network: ClusterNetwork, _audience: Audience) -> Iterator[Entry]:
    if network.infrastructure_kind.startswith(_TKG_CLOUDS):
        yield from _entries_of(network.networks)


def _tkg_link_local(network: ClusterNetwork, _audience: Audience) -> Iterator[Entry]:
    if network.infrastructure_kind.startswith(_TKG_CLOUDS):
        yield Entry.of_rule("169.254.0.0/16", "TKG adds link-local addresses on AWS and Azure")


def _dotted_names(network: ClusterNetwork, _audience: Audience) -> Iterator[Entry]:
    for name in (Entry("svc"), _listed(domain_of(network))):
        yield name.by_rule(f".{name.text}", "OpenShift always adds it")


def _dotted_machines(network: ClusterNetwork, _audience: Audience) -> Iterator[Entry]:
    for domain in _machine_domains(network):
        yield domain._replace(text=f".{domain.text}")


_USERS = Group(USER)
_ROOTED_NAMES = Group(ROOTED, make=_rooted_names)
_LOOPBACK_V4 = Group(LOOPBACK, ("localhost", "127.0.0.1"), _LOOPBACK_RULE)
_LOOPBACK_V4_FIRST = Group(LOOPBACK, ("127.0.0.1", "localhost"), _LOOPBACK_RULE)
_LOOPBACK_V6 = Group(LOOPBACK, make=_loopback_v6)
_PODS = Group(POD_CIDRS, facts=("pod_cidrs",))
_SERVICES = Group(SERVICE_CIDRS, facts=("service_cidrs",))
_ENDPOINT = Group(ENDPOINT, facts=("endpoint",))
_CONTROL_PLANE = Group(ENDPOINT, facts=("endpoint", "hosts"))
_NETWORKS = Group(NETWORKS, facts=("networks",))
_INFRASTRUCTURE = Group(INFRASTRUCTURE_ENDPOINT, facts=("infrastructure_hosts",))
_SHORT_NAMES = Group(
    CLUSTER_DOMAIN_NAMES,
    ("kubernetes", "kubernetes.default"),
    "a short name of the API server inside pods",
)

RECIPES = {
    Style.PORTABLE: Recipe(
        (
            _USERS,
            _LOOPBACK_V4,
            _LOOPBACK_V6,
            Group(CLUSTER_DOMAIN_NAMES, make=_names),
            _ROOTED_NAMES,
            _SHORT_NAMES,
            _PODS,
            _SERVICES,
            Group(SERVICE_ADDRESSES, make=_service_addresses),
            _CONTROL_PLANE,
            Group(METADATA, make=_metadata),
            Group(PROVIDER, make=_provider),
            _NETWORKS,
            Group(MIRRORS, facts=("mirrors",)),
            _INFRASTRUCTURE,
        ),
        normal=True,
        rooted=True,
    ),
    # cluster-apps-operator: `noProxy` in `service/controller/resource/clustersecret/desired.go`.
    Style.GIANT_SWARM: Recipe(
        (
            Group(CLUSTER_DOMAIN_NAMES, make=_domain),
            _SERVICES,
            _PODS,
            _ENDPOINT,
            _USERS,
            Group(CLUSTER_DOMAIN_NAMES, ("svc",), "cluster-apps-operator always adds it"),
            _LOOPBACK_V4_FIRST,
            _ROOTED_NAMES,
        ),
        merged=False,
    ),
    # `get_no_proxy` of TKG's ytt providers, its groups in the order of the documents.
    Style.TKG: Recipe(
        (
            _USERS,
            Group(NETWORKS, make=_tkg_networks),
            Group(METADATA, make=_tkg_link_local),
            Group(PROVIDER, make=_wire_servers),
            _INFRASTRUCTURE,
            Group(CLUSTER_DOMAIN_NAMES, make=_tkg_services),
            Group(CLUSTER_DOMAIN_NAMES, (".svc",), "TKG always adds it"),
            _LOOPBACK_V4,
            _LOOPBACK_V6,
            _SERVICES,
            _PODS,
            _ROOTED_NAMES,
        )
    ),
    # OpenShift's cluster-network-operator: `pkg/util/proxyconfig/no_proxy.go`.
    Style.SORTED: Recipe(
        (
            _LOOPBACK_V4_FIRST,
            Group(CLUSTER_DOMAIN_NAMES, make=_dotted_names),
            _NETWORKS,
            _CONTROL_PLANE,
            _SERVICES,
            _PODS,
            Group(METADATA, make=_metadata_v4),
            Group(PROVIDER, make=_dotted_machines),
            _INFRASTRUCTURE,
            _USERS,
            _ROOTED_NAMES,
        ),
        ordered=True,
    ),
    Style.VERBATIM: Recipe((_USERS,), merged=False),
}
