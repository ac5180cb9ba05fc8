"""What can be wrong with a list as a whole: what it lacks, repeats or cannot hold.

``lacking`` alone says what a cluster needs, for the lint to report and for ``fix`` to add.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from krm_fn.krm.results import Severity
from krm_fn.light_typing import NamedTuple
from krm_fn.noproxy import entries, providers, styles
from krm_fn.noproxy.entries import Cidr, EntryKind
from krm_fn.noproxy.lint_rules import Problem, problem
from krm_fn.noproxy.model import Audience
from krm_fn.noproxy.network import ClusterNetwork


class Listed:
    """The entries of one list as clients see them, and what is known about their cluster and their reader."""

    def __init__(
        self, entries: tuple[str, ...], audience: Audience, network: ClusterNetwork | None
    ) -> None:
        self.entries = entries
        self.audience = audience
        self.network = network

    @cached_property
    def texts(self) -> frozenset[str]:
        """The entries, to look one up."""
        return frozenset(self.entries)

    @cached_property
    def cidrs(self) -> frozenset[Cidr]:
        """The entries that are CIDRs, and each address as the CIDR of one."""
        found = map(_cidr, self.entries)
        return frozenset(cidr for cidr in found if cidr is not None)

    def beside(self, network: ClusterNetwork) -> Listed:
        """Return the same list for another cluster; results about its entries are kept."""
        other = Listed(self.entries, self.audience, network)
        vars(other).update(texts=self.texts, cidrs=self.cidrs)
        return other

    def covers(self, host: str) -> bool:
        """Return whether Go, which reads the most forms, goes to ``host`` (a name, an address or a CIDR) directly."""
        if "*" in self.texts:
            return True
        cidr = _cidr(host)
        if cidr is not None:
            return cidr in self.cidrs or self.wider(cidr) is not None
        return bool(
            self.texts.intersection(
                {host, *_parents(host), *(f".{name}" for name in _parents(host))}
            )
        )

    @cached_property
    def _prefixes(self) -> frozenset[tuple[int, int]]:
        return frozenset((cidr.version, cidr.prefixlen) for cidr in self.cidrs)

    def wider(self, cidr: Cidr) -> Cidr | None:
        """Return a CIDR of the list that holds ``cidr`` and more."""
        bits = sorted(
            bits
            for version, bits in self._prefixes
            if version == cidr.version and bits < cidr.prefixlen
        )
        return next(
            (found for at in bits if (found := cidr.supernet(new_prefix=at)) in self.cidrs), None
        )


class Lack(NamedTuple):
    """An entry that is missing, the rule that says so, and what for."""

    rule: str
    entry: str
    what: str


def _cidr(text: str) -> Cidr | None:
    """Return a CIDR, or an address as the CIDR of one; None for anything else."""
    if "/" in text:
        return entries.network(text)
    bits = 128 if ":" in text else 32
    return entries.network(f"{text}/{bits}")


_LONGEST_NAME = 253
"""Characters of the longest name that DNS can hold (RFC 1035, section 2.3.4, without the outermost dot)."""


def _parents(name: str) -> Iterator[str]:
    """Yield the domains around a name, of which none is longer than a name can be."""
    labels = name[-_LONGEST_NAME - 2 :].split(".")
    return (".".join(labels[at:]) for at in range(1, len(labels)))


def lacking(listed: Listed) -> Iterator[Lack]:
    """Yield what the list must hold for its cluster and lacks, in the order in which to add it."""
    if "*" in listed.texts:
        return
    for name in ("localhost", "127.0.0.1"):
        if name not in listed.texts:
            yield Lack("NP024", name, "only Go, Ruby and Java leave loopback out on their own")
    if listed.network is not None:
        yield from _lacking_for(listed.network, listed)


def _lacking_for(network: ClusterNetwork, listed: Listed) -> Iterator[Lack]:
    """Yield what the list lacks for one cluster, without names that a later step fills in and that are unknown here."""
    (domain,) = styles.domains((network,))
    for host, entry in (
        ("kubernetes.default.svc", "svc"),
        (f"kubernetes.default.svc.{domain.text}", domain.text),
    ):
        if not entries.is_template(entry) and not listed.covers(host):
            yield Lack("NP003", entry, "the names of services end in it")
    for what, cidrs in (("pod", network.pod_cidrs), ("service", network.service_cidrs)):
        for cidr in (fact.value for fact in cidrs):
            if entries.is_template(cidr) or _is_kept_out(cidr, listed.audience):
                continue
            if not listed.covers(_plain(cidr)):
                yield Lack("NP003", _plain(cidr), f"it is a {what} CIDR of the cluster")
    if network.endpoint and not entries.is_template(network.endpoint.value):
        endpoint = _plain(network.endpoint.value)
        if not listed.covers(endpoint):
            yield Lack("NP003", endpoint, "it is the endpoint of the control plane")
    yield from _lacking_addresses(network, listed)


def _is_kept_out(cidr: str, audience: Audience) -> bool:
    return entries.holds_every_address(cidr) or (
        audience is Audience.POD and entries.breaks_clients(cidr)
    )


def _lacking_addresses(network: ClusterNetwork, listed: Listed) -> Iterator[Lack]:
    for at, service in enumerate(network.service_cidrs):
        first = styles.first_address(service.value)
        harmful = at and listed.audience is Audience.POD and entries.confuses_ruby(first)
        if first and first not in listed.texts and not harmful:
            reason = f'it is the first address of "{_plain(service.value)}", and half of all clients read no CIDRs'
            yield Lack("NP004", first, reason)
    provider = providers.find(network.infrastructure_kind)
    for text in provider.metadata if provider else ():
        if not listed.covers(text):
            reason = f"it is the metadata service of {network.infrastructure_kind}"
            yield Lack("NP023", text, reason)


def _plain(text: str) -> str:
    found = entries.canonical(text.lower())
    return found[0]


def of_cluster(listed: Listed) -> Iterator[Problem]:
    """Yield the problems of the list that concern its cluster."""
    for lack in lacking(listed):
        message = f'the list must hold "{lack.entry}": {lack.what}'
        yield problem(lack.rule, "", message, corrected=",".join((*listed.entries, lack.entry)))


def of_list(listed: Listed) -> Iterator[Problem]:
    """Yield the problems of the entries as a whole."""
    yield from of_cluster(listed)
    yield from _everything(listed)
    yield from _twins(listed)
    yield from _rooted(listed)
    yield from _ranges(listed)
    yield from _covered(listed)


def _everything(listed: Listed) -> Iterator[Problem]:
    if listed.entries == ("*",):
        message = (
            'entry "*" does not switch the proxy off in wget, apt and Ruby: '
            "to use no proxy, declare none"
        )
        yield problem("NP013", "*", message, severity=Severity.WARNING)
    elif "*" in listed.texts:
        message = 'entry "*" must not be among other entries: Go, httpx and Node never use the proxy then; remove it'
        yield problem("NP013", "*", message)


_HOST_LABELS = 3
"""A name of so many labels is as often the name of one host as that of a domain."""


def _twins(listed: Listed) -> Iterator[Problem]:
    """Yield NP011: a domain without its other form.

    A name that a dotted domain covers needs no second form.
    """
    network = listed.network or ClusterNetwork()
    exact = exact_hosts(network)
    own = entries.CLUSTER_NAMES | own_domains(network)
    for text in dict.fromkeys(listed.entries):
        name, kind = text.removeprefix("."), entries.classify(text)
        if name.endswith("."):
            continue
        if kind is EntryKind.NAME and (entries.is_domain(name) or name in own):
            if (
                not listed.texts.intersection({f".{name}", *_dotted_parents(name)})
                and name not in exact
            ):
                yield _twin(
                    text,
                    f"{text},.{text}",
                    "subdomains in .NET, axios, Node's http and httplib2",
                    own,
                )
        elif kind is EntryKind.DOMAIN and name in own and name not in listed.texts:
            yield _twin(
                text,
                f"{text},{name}",
                "anything in wget before 1.20, nor the name itself in Go and apt",
                own,
            )
        elif kind is EntryKind.DOMAIN and not listed.texts.intersection(
            {name, *_dotted_parents(name)}
        ):
            if entries.is_private_suffix(name):
                continue
            yield _twin(
                text,
                "",
                f'"{name}" in Go, wget, apt, httpx; add it if both are internal',
                own,
            )


def _dotted_parents(name: str) -> Iterator[str]:
    return (f".{parent}" for parent in _parents(name))


def exact_hosts(network: ClusterNetwork) -> frozenset[str]:
    """Return the hosts of the cluster itself: they have no subdomains."""
    derived = (network.mirrors, network.networks, network.hosts, network.infrastructure_hosts)
    hosts = (*(host for some in derived for host in some), network.endpoint)
    return frozenset(_plain(host.value) for host in hosts if host)


def needless_twins(written: tuple[str, ...], listed: Listed) -> frozenset[str]:
    """Return the dotted forms that the names in ``written`` do not need.

    An exact host, or under a dotted domain.

    So ``fix`` adds no form of which NP027 would say that it is not needed.
    """
    exact = exact_hosts(listed.network or ClusterNetwork())
    found = {f".{name}" for name in exact}
    for name in written:
        if not name.startswith(".") and listed.texts.intersection(_dotted_parents(name)):
            found.add(f".{name}")
    return frozenset(found)


def _twin(text: str, corrected: str, missed: str, own: frozenset[str]) -> Problem:
    advice = f': write "{corrected}"' if corrected else ""
    is_host_or_domain = text.count(".") >= _HOST_LABELS - 1 and text.removeprefix(".") not in own
    severity = None if corrected and not is_host_or_domain else Severity.INFO
    message = f'"{text}" does not match {missed}{advice}'
    return problem("NP011", text, message, corrected=corrected, severity=severity)


def own_domains(network: ClusterNetwork) -> frozenset[str]:
    """Return the domain of the cluster: it is never a public site, and never too broad."""
    domain = network.service_domain
    return frozenset({domain.value.strip(".").lower()} if domain else ())


def is_rooted_beside_its_name(text: str, listed: Listed) -> bool:
    """Return whether ``text`` is a rooted name ("x.") and the list holds "x" too, or a domain around it."""
    name = text.rstrip(".")
    if name == text or entries.classify(text) not in (EntryKind.NAME, EntryKind.DOMAIN):
        return False
    return name in listed.texts or listed.covers(name.removeprefix("."))


def _rooted(listed: Listed) -> Iterator[Problem]:
    for text in dict.fromkeys(listed.entries):
        name = text.rstrip(".")
        is_rooted = name != text and entries.classify(text) in (EntryKind.NAME, EntryKind.DOMAIN)
        if is_rooted and not is_rooted_beside_its_name(text, listed):
            message = f'only curl reads "{text}" as "{name}": write "{text},{name}"'
            yield problem("NP029", text, message, corrected=f"{text},{name}")


def _ranges(listed: Listed) -> Iterator[Problem]:
    for text in dict.fromkeys(listed.entries):
        if entries.classify(text) is EntryKind.RANGE and not listed.texts.issuperset(
            corrected := entries.canonical(text)
        ):
            written = ",".join(corrected)
            readers = (
                "no client reads ranges of IPv6" if ":" in text else "only Node 24 reads ranges"
            )
            message = f'entry "{text}" must not be a range, because {readers}: write "{written}"'
            yield problem("NP012", text, message, corrected=written)


def _covered(listed: Listed) -> Iterator[Problem]:
    seen: set[str] = set()
    for text in listed.entries:
        if text in seen:
            yield problem("NP027", text, f'the list holds entry "{text}" twice: remove one')
        elif cover := _cover(text, listed):
            where = _where_covered(text, cover, listed)
            yield problem(
                "NP027", text, f'entry "{text}" is not needed: "{cover}" covers it in {where}'
            )
        seen.add(text)


def _where_covered(text: str, cover: str, listed: Listed) -> str:
    """Say in which clients ``cover`` makes ``text`` say nothing (held against the models of ``clients`` by a test).

    httpx compares a CIDR with the host as a text as well, Java reads a name as one host, and wget up to 1.19 reads no
    dotted domain.
    """
    if entries.network(text) is not None:
        return "almost every client (httpx takes a CIDR for its first address, too)"
    if text.startswith("."):
        return "every client"
    if cover.removeprefix(".") in listed.texts:
        return "almost every client (not in Java)"
    return "almost every client (not in Java, nor in wget before 1.20)"


def _cover(text: str, listed: Listed) -> str:
    """Return the entry that makes ``text`` redundant in almost any client.

    "" for an address and its twin.
    """
    cidr = entries.network(text)
    if cidr is not None and cidr.prefixlen < cidr.max_prefixlen:
        wider = listed.wider(cidr)
        return "" if wider is None or wider.prefixlen == 0 else str(wider)
    if entries.classify(text) not in (EntryKind.NAME, EntryKind.DOMAIN):
        return ""
    parents = _parents(text.removeprefix("."))
    return next((f".{name}" for name in parents if f".{name}" in listed.texts), "")


def without_covered(found: tuple[str, ...]) -> tuple[str, ...]:
    """Return the list without entries that others cover in almost every client."""
    listed = Listed(found, Audience.NODE, None)
    return tuple(text for text in found if not _cover(text, listed))
