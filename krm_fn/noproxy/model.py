"""What a list is made from: entries with their reasons, and the policy of the user.

Data only, no decision; every value carries the reason why it is there, as lines for a person.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from krm_fn.clusters.network import Fact
from krm_fn.light_typing import NamedTuple, Texts

CLUSTER_DOMAIN = "cluster.local"
"""The domain of a cluster that declares none (the default of kubeadm's ``networking.dnsDomain``)."""

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

ALL_DERIVED = frozenset(
    {
        LOOPBACK,
        CLUSTER_DOMAIN_NAMES,
        POD_CIDRS,
        SERVICE_CIDRS,
        SERVICE_ADDRESSES,
        ENDPOINT,
        METADATA,
        PROVIDER,
        NETWORKS,
        MIRRORS,
        DEFAULTS,
    }
)
"""The names of everything that is derived unless ``spec.noProxyPolicy.without`` lists it.

``DEFAULTS`` is no group of entries: what kubeadm or a provider takes where nobody says otherwise is in the group of the
fact that it replaces, and goes with either name. ``INFRASTRUCTURE_ENDPOINT`` is derived only if it is switched on.
"""


class Audience(Enum):
    """Who reads the list: a node (drop-ins, exports: Go, curl, wget, apt) or a pod (any client there is).

    ``GO`` is a pod whose programs are known and written in Go: it reads every IPv6 form, so it gets what a node gets.
    ``PRODUCT`` is a product that adds the networks of the cluster by itself (a ClusterClass of TKG, charts of Giant
    Swarm): it gets what a person wrote and nothing derived. ``TKG`` is the configuration that TKG stores of a cluster:
    it holds what TKG's own command completes. ``NOBODY``: no list and no proxy is written there.
    """

    NODE = "node"
    POD = "pod"
    GO = "go"
    PRODUCT = "product"
    TKG = "tkg"
    NOBODY = "nobody"

    @property
    def completes_the_list(self) -> bool:
        """Whether the reader adds the networks of its cluster by itself, so that a list need not hold them."""
        return self is Audience.PRODUCT or self is Audience.TKG


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


class Origin(Enum):
    """Where an entry of a list comes from."""

    CONFIG = "config"
    """A field of the FunctionConfig, or of a source that it names: a person wrote it."""
    OBJECT = "object"
    """A field of an object of the list, or what Cluster API or a provider takes where the field is not set."""
    RULE = "rule"
    """A rule of the style, or of the clients that read the list."""


_BY_CONFIG = frozenset({Origin.CONFIG})
_BY_OBJECT = frozenset({Origin.OBJECT})
_BY_RULE = frozenset({Origin.RULE})


class Entry(NamedTuple):
    """One entry of a list and why it is there: one line for each reason, in the order in which they were found.

    ``origins`` says where the reasons come from: the same reasons have the same origins.
    """

    text: str
    why: Texts = ()
    origins: frozenset[Origin] = frozenset()

    @classmethod
    def of_config(cls, text: str, field_path: str) -> Entry:
        """Return an entry that a field of the FunctionConfig holds."""
        return cls(text, (f"`{field_path}`",), _BY_CONFIG)

    @classmethod
    def of_fact(cls, fact: Fact) -> Entry:
        """Return the entry that a fact about a Cluster becomes."""
        if fact.config_field:
            return cls.of_config(fact.value, fact.config_field)
        reason = fact.reason
        return cls(fact.value, (reason,), _BY_OBJECT) if reason else cls(fact.value)

    @classmethod
    def of_rule(cls, text: str, rule: str) -> Entry:
        """Return an entry that is in the list for a rule alone."""
        return cls(text, (f"rule: {rule}",), _BY_RULE)

    def by_rule(self, text: str, rule: str) -> Entry:
        """Return the entry ``text``, which a rule adds because of this one."""
        return Entry(text, (*self.why, f"rule: {rule}"), self.origins | _BY_RULE)


NoProxy = tuple[Entry, ...]
"""The entries of a list, in their order."""


def join(entries: Iterable[Entry]) -> str:
    """Return the value of the variable, with commas alone between entries, because apt and wget read no blanks."""
    return ",".join(entry.text for entry in entries)


def united(entries: Iterable[Entry]) -> list[Entry]:
    """Return each entry once, in the place of the first of its text, with the reasons and origins of all."""
    first: dict[str, Entry] = {}
    for entry in entries:
        known = first.get(entry.text)
        if known is None:
            first[entry.text] = entry
        else:
            why = tuple(dict.fromkeys(known.why + entry.why))
            first[entry.text] = Entry(entry.text, why, known.origins | entry.origins)
    return list(first.values())


class Policy(NamedTuple):
    """``spec.noProxyPolicy``, checked.

    ``without`` names what not to derive; ``extra`` is appended for every audience; ``exclude`` removes entries again,
    wherever they come from (the exact text once normalised, or a glob). ``rooted`` says whether ``.svc.<domain>.`` is
    in the list; None: it is in the style ``Portable``, as a part of ``CLUSTER_DOMAIN_NAMES``, and in no other.
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
        return name not in self.without
