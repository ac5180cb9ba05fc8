"""The policy of a list: its styles, the groups of entries of each in their order, and who reads it.

A group has the name by which ``spec.noProxyPolicy.without`` leaves it out. Here the entries of each group are derived;
nothing is merged or removed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum

from krm_fn import placeholders
from krm_fn.clusters.cluster import ClusterNetwork, Facts, value_of
from krm_fn.light_typing import NamedTuple, Texts
from krm_fn.noproxy import entries
from krm_fn.noproxy.entries import Entry, NoProxy, Origin
from krm_fn.products.clouds import AZURE, AZURE_WIRE_SERVER, CLOUDS, NO_CLOUD, Cloud
from krm_fn.products.cluster_api import SERVICE_ADDRESSES as FIRST_ADDRESSES
from krm_fn.products.cluster_api import SERVICES

# The domain of a cluster that declares none (the default of kubeadm's ``networking.dnsDomain``).
CLUSTER_DOMAIN = "cluster.local"

# Names of the parts of a list: each is derived unless ``spec.noProxyPolicy.without`` lists it.
#
# ``DEFAULTS`` is no group of entries: the value that kubeadm or a provider takes for a fact that nobody declares is in
# the group of that fact, and goes with either name. ``INFRASTRUCTURE_ENDPOINT`` is derived only if it is switched on.
LOOPBACK = "loopback"
CLUSTER_DOMAIN_NAMES = "clusterDomain"
POD_CIDRS = "podCIDRs"
SERVICE_CIDRS = "serviceCIDRs"
SERVICE_ADDRESSES = "serviceAddresses"
ENDPOINT = "endpoint"
METADATA = "metadata"
PROVIDER = "provider"
NETWORKS = "networks"
MIRRORS = "mirrors"
DEFAULTS = "defaults"
INFRASTRUCTURE_ENDPOINT = "infrastructureEndpoint"
# The group that ``spec.noProxyPolicy.rooted`` switches; no name of ``spec.noProxyPolicy.without``.
ROOTED = "rooted"
# The group of the entries that the user wrote, which nothing switches off.
USER = "user"


class Audience(Enum):
    """The kind of reader that a list is for."""

    # Programs of a node, by drop-ins and exports: Go, curl, wget, apt.
    NODE = "node"
    # Any client that there is.
    POD = "pod"
    # A pod whose programs are known and written in Go: it reads every IPv6 form, so its list is that of a node.
    GO = "go"
    # A product that adds the networks of the cluster by itself (a ClusterClass of TKG, charts of Giant Swarm).
    PRODUCT = "product"
    # The configuration that TKG stores of a cluster, as TKG's own command completes it.
    TKG = "tkg"
    # No list and no proxy is written there.
    NOBODY = "nobody"

    @property
    def completes_the_list(self) -> bool:
        """Whether the reader adds the networks of its cluster by itself, so that a list need not hold them."""
        return self in (Audience.PRODUCT, Audience.TKG)


class Readers(NamedTuple):
    """The programs that read one list.

    Attributes:
        audience: how they read NO_PROXY.
        names: names by which they call each other inside the cluster, which NO_PROXY must hold.
        writes_rooted_names: they write names of Services with a final dot.
    """

    audience: Audience
    names: Texts = ()
    writes_rooted_names: bool = False


class Style(Enum):
    """How the list is made; the values are those of ``spec.noProxyPolicy.style``."""

    PORTABLE = "Portable"
    GIANT_SWARM = "GiantSwarm"
    TKG = "TKG"
    SORTED = "Sorted"
    VERBATIM = "Verbatim"


class Policy(NamedTuple):
    """``spec.noProxyPolicy``, checked.

    Attributes:
        style: how the list is made.
        without: the names of groups that are not derived.
        infrastructure_endpoint: whether the hosts of the infrastructure's API are derived.
        extra: entries that are appended for every audience.
        exclude: entries that are removed again, wherever they come from: the text once normalised, or a glob.
        rooted: whether ``.svc.<domain>.`` is in the list; None: in the style ``Portable`` alone, as a part of
            ``CLUSTER_DOMAIN_NAMES``.
    """

    style: Style = Style.PORTABLE
    without: frozenset[str] = frozenset()
    infrastructure_endpoint: bool = False
    extra: NoProxy = ()
    exclude: Texts = ()
    rooted: bool | None = None

    def derives(self, name: str) -> bool:
        """Return whether the entries of a name are derived."""
        if name == INFRASTRUCTURE_ENDPOINT:
            return self.infrastructure_endpoint
        if name != ROOTED:
            return name not in self.without
        if self.rooted is None:
            return self.style is Style.PORTABLE and self.derives(CLUSTER_DOMAIN_NAMES)
        return self.rooted


TWIN = "the dotted form beside the bare one, which .NET, axios, Node's http and httplib2 read as one host"
_DEFAULT_DOMAIN = Entry.from_rule(CLUSTER_DOMAIN, "the domain of a cluster that declares none")
# The beginning of the kinds of infrastructure clusters that TKG knows rules for.
_TKG_CLOUDS = ("AWS", "Azure")
_LOOPBACK_RULE = "only Go, Ruby and Java leave loopback out on their own"


_Entries = Iterator[Entry]


class Group(NamedTuple):
    """Entries that are switched off together: names with a rule, facts of a Cluster, or those of a function.

    Attributes:
        name: a name of ``Policy.derives``, ``ROOTED`` or ``USER``.
        texts: entries that are there for every Cluster.
        rule: why they are.
        facts: fields of ``ClusterNetwork``.
        make: yields the entries for a Cluster and an audience.
    """

    name: str
    texts: Texts = ()
    rule: str = ""
    facts: Texts = ()
    make: Callable[[ClusterNetwork, Audience], _Entries] | None = None

    def entries(self, networks: Sequence[ClusterNetwork], audience: Audience) -> _Entries:
        """Yield the entries for some Clusters, or for one that says nothing, and an audience."""
        for text in self.texts:
            yield Entry.from_rule(text, self.rule)
        for network in networks or (ClusterNetwork(),):
            for field in self.facts:
                yield from _fact_entries(getattr(network, field))
            if self.make:
                yield from self.make(network, audience)


def cluster_domain(network: ClusterNetwork) -> Entry:
    """Return the domain of a cluster, without dots around it, or the default if it declares none."""
    if not network.service_domain:
        return _DEFAULT_DOMAIN
    domain = Entry.from_fact(network.service_domain[0])
    name = domain.text.strip(".")
    if not placeholders.is_template(name):
        name = name.lower()
    return domain._replace(text=name)


def _listed(domain: Entry) -> Entry:
    """Return the entry for a domain of a cluster.

    A domain of one label may be a public one, so only its Services are listed. A domain that the FunctionConfig
    declares, and one that another tool fills in later, stays as it is.
    """
    text = domain.text
    if "." in text or placeholders.is_template(text) or Origin.OBJECT not in domain.origins:
        return domain
    return domain.by_rule(f"svc.{text}", "a domain of one label may be a public one")


def first_address(cidr: str) -> str:
    """Return the first address of a service CIDR, the ClusterIP of ``kubernetes``, or "".

    Source: Kubernetes ``pkg/controlplane/instance.go`` takes address 1 of the first service CIDR.
    """
    if cidr == SERVICES:  # a patch of a ClusterClass fills in both
        return FIRST_ADDRESSES
    network = entries.network(cidr)
    if network is None or network.num_addresses == 1:
        return ""
    return str(network[1])


def _fact_entries(facts: Facts) -> _Entries:
    for fact in facts:
        # "0.0.0.0/0" would switch the proxy off for every address.
        if not entries.holds_every_address(fact.value):
            yield Entry.from_fact(fact)


def _has_ipv6(network: ClusterNetwork, audience: Audience) -> bool:
    """Return whether entries of IPv6 are for these readers: a CIDR of the cluster is one of IPv6."""
    cidrs = network.pod_cidrs + network.service_cidrs
    are_ipv6 = [":" in placeholders.with_defaults(cidr.value) for cidr in cidrs]
    if audience is Audience.POD:
        # Some clients in pods fail on IPv6, so they get it only if their cluster speaks nothing else.
        return bool(are_ipv6) and all(are_ipv6)
    return any(are_ipv6)


def _loopback_v6(network: ClusterNetwork, audience: Audience) -> _Entries:
    if _has_ipv6(network, audience):
        yield Entry.from_rule("::1", "IPv6 loopback, because the cluster speaks IPv6")


def _with_twins(domains: Iterable[Entry]) -> _Entries:
    for domain in domains:
        yield domain
        yield domain.by_rule(f".{domain.text}", TWIN)


def _names(network: ClusterNetwork, _audience: Audience) -> _Entries:
    svc = Entry.from_rule("svc", "the short names of services end in it")
    yield from _with_twins((svc, _listed(cluster_domain(network))))


def _rooted_names(network: ClusterNetwork, _audience: Audience) -> _Entries:
    """Yield ``.svc.<domain>.``: Flux and other Go programs write Services so, to skip the search domains.

    Source: "Flux proxy settings", ``--storage-adv-addr`` of its manifests.
    """
    domain = cluster_domain(network)
    yield domain.by_rule(
        f".svc.{domain.text}.", "Flux and other Go programs write Services with a final dot"
    )


def _service_addresses(network: ClusterNetwork, audience: Audience) -> _Entries:
    """Yield the first address of each service CIDR, for clients that read no CIDRs."""
    for at, service in enumerate(network.service_cidrs):
        address = first_address(service.value)
        # Pods need the address of the API server, even if Ruby misreads it.
        is_wrong = at and audience is Audience.POD and entries.confuses_ruby(address)
        if address and not is_wrong:
            cidr = entries.network(service.value) or service.value
            yield Entry.from_fact(service).by_rule(
                address,
                f"first address of the service CIDR {cidr} (for clients that read no CIDRs)",
            )


def cloud_of(network: ClusterNetwork) -> Cloud:
    """Return the cloud of a kind ("AWSCluster", also "AWSClusterTemplate"), or ``NO_CLOUD``."""
    return CLOUDS.get(network.infrastructure_kind.removesuffix("Template"), NO_CLOUD)


def _metadata(network: ClusterNetwork, audience: Audience) -> _Entries:
    cloud = cloud_of(network)
    addresses: Texts = ()
    if _has_ipv6(network, audience):
        addresses = cloud.metadata_v6
    rule = f"the metadata service of {cloud.name} ({network.infrastructure_kind})"
    for text in cloud.metadata + addresses:
        yield Entry.from_rule(text, rule)


def _metadata_v4(network: ClusterNetwork, audience: Audience) -> _Entries:
    for entry in _metadata(network, audience):
        if ":" not in entry.text:
            yield entry


def _provider(network: ClusterNetwork, audience: Audience) -> _Entries:
    yield from _wire_server(network, audience)
    yield from _with_twins(_machine_domains(network))


def _wire_server(network: ClusterNetwork, _audience: Audience) -> _Entries:
    if cloud_of(network) is AZURE:
        yield Entry.from_rule(
            AZURE_WIRE_SERVER, f"the wire server of {network.infrastructure_kind}"
        )


def _machine_domains(network: ClusterNetwork) -> _Entries:
    """Yield the domain of the machines' private names: ``ec2.internal``, or ``<region>.compute.internal``.

    Both where the region is a placeholder, which may become any.
    Source: AWS EC2 user guide, "Hostname types"; cluster-network-operator adds the same.
    """
    region = value_of(network.region)
    if not region or not cloud_of(network).names_machines:
        return
    domains = []
    if region == "us-east-1" or placeholders.is_in(region):
        domains.append("ec2.internal")
    if region != "us-east-1":
        domains.append(f"{region}.compute.internal")
    rule = f"the names of machines in the region {region} ({network.infrastructure_kind})"
    for domain in domains:
        yield Entry.from_rule(domain, rule)


def _domain(network: ClusterNetwork, _audience: Audience) -> _Entries:
    """Yield the domain if the cluster declares one."""
    for domain in network.service_domain:
        entry = Entry.from_fact(domain)
        yield _listed(entry._replace(text=domain.value.strip(".")))


def _tkg_services(network: ClusterNetwork, _audience: Audience) -> _Entries:
    domain = cluster_domain(network)
    yield domain.by_rule(f".svc.{domain.text}", "TKG adds the services of the domain")


def _tkg_networks(network: ClusterNetwork, _audience: Audience) -> _Entries:
    if network.infrastructure_kind.startswith(_TKG_CLOUDS):
        yield from _fact_entries(network.networks)


def _tkg_link_local(network: ClusterNetwork, _audience: Audience) -> _Entries:
    if network.infrastructure_kind.startswith(_TKG_CLOUDS):
        yield Entry.from_rule("169.254.0.0/16", "TKG adds link-local addresses on AWS and Azure")


def _dotted_names(network: ClusterNetwork, _audience: Audience) -> _Entries:
    for name in (Entry("svc"), _listed(cluster_domain(network))):
        yield name.by_rule(f".{name.text}", "OpenShift always adds it")


def _dotted_machines(network: ClusterNetwork, _audience: Audience) -> _Entries:
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

# The groups of each style, in the order of the list.
GROUPS: dict[Style, tuple[Group, ...]] = {
    Style.PORTABLE: (
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
    # cluster-apps-operator: `noProxy` in `service/controller/resource/clustersecret/desired.go`.
    Style.GIANT_SWARM: (
        Group(CLUSTER_DOMAIN_NAMES, make=_domain),
        _SERVICES,
        _PODS,
        _ENDPOINT,
        _USERS,
        Group(CLUSTER_DOMAIN_NAMES, ("svc",), "cluster-apps-operator always adds it"),
        _LOOPBACK_V4_FIRST,
        _ROOTED_NAMES,
    ),
    # `get_no_proxy` of TKG's ytt providers, its groups in the order of the documents.
    Style.TKG: (
        _USERS,
        Group(NETWORKS, make=_tkg_networks),
        Group(METADATA, make=_tkg_link_local),
        Group(PROVIDER, make=_wire_server),
        _INFRASTRUCTURE,
        Group(CLUSTER_DOMAIN_NAMES, make=_tkg_services),
        Group(CLUSTER_DOMAIN_NAMES, (".svc",), "TKG always adds it"),
        _LOOPBACK_V4,
        _LOOPBACK_V6,
        _SERVICES,
        _PODS,
        _ROOTED_NAMES,
    ),
    # OpenShift's cluster-network-operator: `pkg/util/proxyconfig/no_proxy.go`.
    Style.SORTED: (
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
    Style.VERBATIM: (_USERS,),
}
# The styles whose lists hold an entry as often as it was written or derived.
REPEATING = (Style.GIANT_SWARM, Style.VERBATIM)
