"""The parts of a list: entries with their reasons, who reads them, and the policy of the user.

Data only, no decision; every value carries the reason why it is there, as lines for a person.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from krm_fn.clusters.cluster import Fact
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
"""Names of the parts of a list: each is derived unless ``spec.noProxyPolicy.without`` lists it.

``DEFAULTS`` is no group of entries: the value that kubeadm or a provider takes for a fact that nobody declares is in
the group of that fact, and goes with either name. ``INFRASTRUCTURE_ENDPOINT`` is derived only if it is switched on.
"""


class Audience(Enum):
    """The kind of reader that a list is for."""

    NODE = "node"
    """Programs of a node, by drop-ins and exports: Go, curl, wget, apt."""
    POD = "pod"
    """Any client that there is."""
    GO = "go"
    """A pod whose programs are known and written in Go: it reads every IPv6 form, so its list is that of a node."""
    PRODUCT = "product"
    """A product that adds the networks of the cluster by itself (a ClusterClass of TKG, charts of Giant Swarm)."""
    TKG = "tkg"
    """The configuration that TKG stores of a cluster, as TKG's own command completes it."""
    NOBODY = "nobody"
    """No list and no proxy is written there."""

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


class Origin(Enum):
    """The source of an entry."""

    CONFIG = "config"
    """A field of the FunctionConfig, or of a source that it names: a person wrote it."""
    OBJECT = "object"
    """A field of an object of the input, or the default that Cluster API or a provider takes for it."""
    RULE = "rule"
    """A rule of the style, or of the clients that read the list."""


_RULE = frozenset({Origin.RULE})


class Entry(NamedTuple):
    """One entry of a list, and why it is there.

    Attributes:
        text: as the list holds it.
        why: a line for each reason, in the order in which they were found.
        origins: the sources of the reasons.
    """

    text: str
    why: Texts = ()
    origins: frozenset[Origin] = frozenset()

    @classmethod
    def from_config(cls, text: str, field_path: str) -> Entry:
        """Return an entry that a field of the FunctionConfig holds."""
        return cls(text, (f"`{field_path}`",), frozenset({Origin.CONFIG}))

    @classmethod
    def from_fact(cls, fact: Fact) -> Entry:
        """Return the entry for a fact about a Cluster."""
        if fact.config_field:
            return cls.from_config(fact.value, fact.config_field)
        reason = fact.reason
        return cls(fact.value, (reason,), frozenset({Origin.OBJECT})) if reason else cls(fact.value)

    @classmethod
    def from_rule(cls, text: str, rule: str) -> Entry:
        """Return an entry that is in the list for a rule alone."""
        return cls(text).by_rule(text, rule)

    def by_rule(self, text: str, rule: str) -> Entry:
        """Return the entry ``text``, which a rule adds because of this one."""
        return Entry(text, (*self.why, f"rule: {rule}"), self.origins | _RULE)


NoProxy = tuple[Entry, ...]
"""The entries of a list, in their order."""


def join(entries: Iterable[Entry]) -> str:
    """Return the value of NO_PROXY: a comma without a blank between entries, because apt and wget read no blanks."""
    return ",".join(entry.text for entry in entries)


def united(entries: Iterable[Entry]) -> list[Entry]:
    """Return each entry once, in its first place, with the reasons and origins of all that are equal."""
    by_text: dict[str, Entry] = {}
    for entry in entries:
        first = by_text.setdefault(entry.text, entry)
        if first is not entry:
            why = tuple(dict.fromkeys(first.why + entry.why))
            by_text[entry.text] = Entry(entry.text, why, first.origins | entry.origins)
    return list(by_text.values())


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
        return name not in self.without
