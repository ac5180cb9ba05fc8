"""Judge the value of NO_PROXY as the program that reads it gets it.

A value in, problems out; nothing here knows an object. No message holds a password.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache

from krm_fn import placeholders
from krm_fn.clusters import ClusterNetwork
from krm_fn.light_typing import NamedTuple
from krm_fn.noproxy import Audience, entries, providers, styles
from krm_fn.noproxy.entries import Cidr, EntryKind

LONGEST = 131_062
"""The longest value, in bytes, with which Linux starts a program (measured)."""
LONGEST_ON_NODES = 4_900
"""Cluster API takes 10240 characters for a file (``files[].content``), and a drop-in holds the list twice."""
_PRIVATE = [
    ipaddress.IPv4Network(text)
    for text in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")
]
"""RFC 1918, and RFC 6598, which Kubernetes distributions use for pods and services."""
_172 = ipaddress.IPv4Network("172.0.0.0/8")
_PUBLIC_SUFFIXES = frozenset(
    [
        "amazonaws.com",
        "elb.amazonaws.com",
        "compute.amazonaws.com",
        "googleapis.com",
        "cloudfront.net",
        "gcr.io",
        "azure.com",
        "azurecr.io",
        "cloudapp.azure.com",
        "windows.net",
        "core.windows.net",
        "microsoft.com",
        "github.io",
        "docker.io",
        "co.uk",
        "com.au",
        "com.br",
        "co.jp",
        "co.in",
        "com.cn",
    ]
)
_LONGEST_NAME = 253
"""Characters of the longest name that DNS can hold (RFC 1035, section 2.3.4)."""
_WHY_ANOTHER_FORM = (
    (r"[\s;|]", "only commas separate entries in wget, apt and curl"),
    (r"[\"'\\]", "quotes are a part of the entry, which no host has"),
    (r"://|/$|/.*[^0-9.]", "programs compare it with a host, not with a URL"),
    (r"[A-Z]", "LWP, httplib2 and websocket-client compare capital letters"),
    (r"[^\x00-\x7f]", "httpx fails on a name that is not ASCII"),
    (r"\*|\.$", "curl, wget, apt and Python read no globs"),
    (r"-[0-9a-f.:]+$", "hardly any program reads ranges"),
    (r"[^:]:[0-9*]+$|\]:", "curl, wget, apt and .NET ignore an entry with a port"),
    (r":", "most programs compare the short form of an IPv6 address"),
    (r"/", "it covers other addresses than it seems to"),
)
"""What a badly written entry has in it, and why that matters; the first that fits is said."""


class Problem(NamedTuple):
    """What is wrong with a value.

    Attributes:
        code: a code of `krm_fn.krm.codes`.
        message: one sentence for a person.
        entry: the entry of the list that it is about, "" for the whole value.
    """

    code: str
    message: str
    entry: str = ""


class NoProxyList:
    """The entries of a list as programs see them."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.entries = tuple(texts)
        self.texts = frozenset(texts)

    @cached_property
    def cidrs(self) -> frozenset[Cidr]:
        """The CIDRs of the list, and each address as the CIDR of one."""
        return frozenset(cidr for text in self.entries if (cidr := _as_cidr(text)) is not None)

    @cached_property
    def _prefix_lengths(self) -> list[tuple[int, int]]:
        return sorted({(cidr.version, cidr.prefixlen) for cidr in self.cidrs})

    def wider(self, cidr: Cidr) -> Cidr | None:
        """Return a CIDR of the list that holds another one and more."""
        for version, length in self._prefix_lengths:
            if version == cidr.version and length < cidr.prefixlen:
                around = cidr.supernet(new_prefix=length)
                if around in self.cidrs:
                    return around
        return None

    def covers(self, host: str) -> bool:
        """Return whether Go, which reads the most forms, reaches a name, an address or a CIDR directly."""
        if "*" in self.texts:
            return True
        cidr = _as_cidr(host)
        if cidr is not None:
            return cidr in self.cidrs or self.wider(cidr) is not None
        name = host.removeprefix(".")
        if host in self.texts or name in self.texts:
            return True
        return any(name in self.texts or f".{name}" in self.texts for name in _parents(name))

    def domain_around(self, name: str) -> str:
        """Return an entry with a leading dot that covers a name; "" for none."""
        for parent in _parents(name):
            if f".{parent}" in self.texts:
                return f".{parent}"
        return ""


def judge_list(
    text: str,
    audience: Audience,
    networks: Sequence[ClusterNetwork] = (),
    *,
    has_proxy: bool = True,
    max_length: int = 0,
) -> list[Problem]:
    """Return the problems of the value of NO_PROXY.

    Args:
        text: as the program gets it, escaped for no layer.
        audience: who reads it.
        networks: what is known of the Clusters that it is for.
        has_proxy: a proxy is set beside it; without one the list may be empty and lack what it likes.
        max_length: the longest list, in bytes; 0 for the limits of Linux and Cluster API.
    """
    if entries.may_hold_a_credential(text):
        message = "the list must hold hosts alone: an `@`, a `=`, or a `:` without a port may belong to a password"
        return [Problem("PasswordInList", message)]
    written = [part.strip() for part in text.split(",") if part.strip()]
    if not written:
        message = "the list must not be empty beside a proxy: everything inside the cluster would go through it"
        return [Problem("ListEmpty", message)] if has_proxy else []
    found = list(_of_spacing(text))
    own = _own_domains(networks)
    for entry in written:
        found += _of_entry(entry, audience, own)
    if has_proxy:
        found += _of_whole_list(NoProxyList(_hosts(text)), audience, networks)
    found += _of_length(text, audience, max_length)
    return list(dict.fromkeys(found))


def corrected_list(text: str, audience: Audience, networks: Sequence[ClusterNetwork] = ()) -> str:
    """Return a list in the form that every program reads, with what it lacks at the end.

    A list that may hold a password stays as it is: which part belongs to it is not known.
    """
    if entries.may_hold_a_credential(text):
        return text
    corrected = corrected_entries(text, audience, networks)
    if corrected != ["*"]:
        known, exact = NoProxyList(corrected), _exact_hosts(networks)
        for problem in _lacking(known, audience, networks):
            corrected += [problem.entry, *_missing_forms(problem.entry, known, exact)]
    return ",".join(dict.fromkeys(corrected))


def corrected_entries(
    text: str, audience: Audience, networks: Sequence[ClusterNetwork] = ()
) -> list[str]:
    """Return the entries of a list in the form that every program reads; nothing is added that it lacks."""
    known, exact = NoProxyList(_hosts(text)), _exact_hosts(networks)
    corrected: list[str] = []
    for host in known.entries:
        if not entries.holds_every_address(host):
            corrected += [host] if host in entries.expand(host) else []
            corrected += _missing_forms(host, known, exact)
    return [form for form in dict.fromkeys(corrected) if not _breaks_pods(form, audience)]


# one entry


@lru_cache(maxsize=16384)
def _of_entry(written: str, audience: Audience, own: frozenset[str]) -> tuple[Problem, ...]:
    """Return the problems of what is between two commas; ``own`` are the domains of the Clusters themselves."""
    if placeholders.is_template(written):
        return ()
    found: list[Problem] = []
    shown = " ".join(written.split())
    for token in entries.split(written):
        host = entries.bare(token)
        why = _unread(host)
        if why:
            return (Problem("EntryUnread", f'no program reads entry "{shown}": {why}', written),)
        if _breaks_pods(host, audience):
            message = (
                f'entry "{shown}" must not be in a list for pods: httpx fails on every request then'
            )
            found.append(Problem("EntryUnread", message, written))
        found += _of_reach(host, audience, own)
    forms = entries.expand(written)
    if forms and written not in forms:
        corrected = ",".join(forms)
        why = "not every program reads it"
        for pattern, reason in reversed(_WHY_ANOTHER_FORM):
            if re.search(pattern, written):
                why = reason
        message = f'write "{corrected}" for entry "{shown}": {why}'
        found.append(Problem("EntryForm", message, written))
    return tuple(found)


def _unread(host: str) -> str:
    """Return why no program reads an entry; "" where one does."""
    kind = entries.classify(host)
    if kind is EntryKind.UNKNOWN:
        if entries.is_variable(host):
            return "nothing fills in the variable"
        if entries.resembles_address(host):
            return 'write a whole address or CIDR, such as "10.1.2.0/24"'
        if "*" in host:
            return "write a domain or a CIDR for the glob"
        if not host.isascii():
            return "write its A-label, which begins with `xn--`"
        return "no host has such a name"
    if kind is EntryKind.ADDRESS and host == "0.0.0.0":  # noqa: S104 -- compared, not bound
        return "no host has this address"
    if ":" in host and "%" in host:
        return "an IPv6 address with a zone is never compared"
    return ""


def _breaks_pods(host: str, audience: Audience) -> bool:
    return audience is Audience.POD and host.isascii() and entries.breaks_clients(host)


def _of_reach(host: str, audience: Audience, own: frozenset[str]) -> Iterator[Problem]:
    """Yield a problem of an entry that reaches more hosts than its author may think."""
    if entries.holds_every_address(host):
        message = f'entry "{host}" must not hold every address: Go would never use the proxy'
        yield Problem("ProxyNeverUsed", message, host)
        return
    why = _why_broad_name(host, own) or _why_broad_address(host)
    if not why and audience is Audience.POD and entries.confuses_ruby(host):
        why = "Ruby goes direct to every host that ends in a part of it"
    if why:
        yield Problem("EntryTooBroad", f'entry "{host}" must not be so broad: {why}', host)


def _why_broad_name(host: str, own: frozenset[str]) -> str:
    kind = entries.classify(host)
    if kind not in (EntryKind.NAME, EntryKind.DOMAIN, EntryKind.GLOB, EntryKind.NUMBERS):
        return ""
    name = host.removeprefix("*").strip(".")
    known = own | entries.CLUSTER_NAMES | entries.SHORT_NAMES
    if name in known or entries.is_private_suffix(name):
        return ""
    is_label = "." not in name and (kind is not EntryKind.NAME or entries.is_top_level(name))
    is_broad = kind is EntryKind.NUMBERS or name in _PUBLIC_SUFFIXES or is_label
    return "everything that ends in it goes direct" if is_broad else ""


def _why_broad_address(host: str) -> str:
    cidr = _as_cidr(entries.canonical(host)[0])
    if not isinstance(cidr, ipaddress.IPv4Network):
        return ""
    for private in _PRIVATE:
        if cidr != private and cidr.supernet_of(private):
            return f'beside the private network "{private}" it holds public addresses'
    if cidr.subnet_of(_172) and not cidr.subnet_of(_PRIVATE[1]):
        return f'of 172.0.0.0/8 only "{_PRIVATE[1]}" is private'
    return ""


# the whole list


def _of_spacing(text: str) -> Iterator[Problem]:
    parts = text.split(",")
    if any(part != part.strip() for part in parts):
        message = "blanks and line breaks must not be beside entries: wget, apt and curl miss these entries"
        yield Problem("EntryForm", message)
    elif len(parts) > 1 and not all(parts):
        yield Problem("EntryNeedless", "the list must not hold empty entries")


def _of_length(text: str, audience: Audience, max_length: int) -> Iterator[Problem]:
    length = len(text.encode(errors="surrogatepass"))
    limit, why = LONGEST, "Linux starts no program with it"
    if max_length and length <= LONGEST:
        limit, why = max_length, "`spec.noProxyPolicy.maxLength` says so"
    elif audience is Audience.NODE and length <= LONGEST:
        limit, why = (
            LONGEST_ON_NODES,
            "a file of Cluster API holds it twice, in at most 10240 characters",
        )
    if length > limit:
        message = (
            f"the list has {length} bytes, and must not have more than {limit}: {why}; name domains"
        )
        yield Problem("ListTooLong", message)


def _of_whole_list(
    known: NoProxyList, audience: Audience, networks: Sequence[ClusterNetwork]
) -> Iterator[Problem]:
    yield from _lacking(known, audience, networks)
    if "*" in known.texts:
        message = 'entry "*": Go, httpx and Node never use the proxy, wget, apt and Ruby always do; declare no proxy'
        yield Problem("ProxyNeverUsed", message, "*")
    exact = _exact_hosts(networks)
    earlier: set[str] = set()
    for entry in known.entries:
        is_read = entry in entries.expand(entry) and not _of_entry(entry, audience, frozenset())
        missing = _missing_forms(entry, known, exact)
        if missing and is_read and not _may_be_one_host(entry):
            corrected = ",".join((entry, *missing))
            message = (
                f'write "{corrected}" for "{entry}": some programs read only one of these forms'
            )
            yield Problem("DomainForm", message, entry)
        cover = entry if entry in earlier else _cover(entry, known)
        if cover:
            message = f'entry "{entry}" is not needed: "{cover}" is in the list'
            yield Problem("EntryNeedless", message, entry)
        earlier.add(entry)


def _missing_forms(entry: str, known: NoProxyList, exact: frozenset[str]) -> list[str]:
    """Return the other forms of an entry that the list lacks; a host, or a name below another domain, needs none."""
    if entry in exact:
        return []
    forms = []
    for form in entries.expand(entry):
        is_covered = known.domain_around(form.removeprefix(".").rstrip("."))
        if form not in known.texts and not is_covered:
            forms.append(form)
    return forms


def _may_be_one_host(entry: str) -> bool:
    """Return whether an entry may be one host: a name of three labels is one as often as it is a domain."""
    is_name = entries.classify(entry) is EntryKind.NAME and not entry.endswith(".")
    return is_name and entry.count(".") > 1


def _cover(entry: str, known: NoProxyList) -> str:
    """Return the entry that makes another one needless; an address stays, because half of all programs read no CIDR."""
    cidr = entries.network(entry)
    if cidr is not None:
        wider = known.wider(cidr) if cidr.prefixlen < cidr.max_prefixlen else None
        return str(wider) if wider is not None and wider.prefixlen > 0 else ""
    if entries.classify(entry) in (EntryKind.NAME, EntryKind.DOMAIN):
        return known.domain_around(entry.removeprefix("."))
    return ""


def _lacking(
    known: NoProxyList, audience: Audience, networks: Sequence[ClusterNetwork]
) -> Iterator[Problem]:
    """Yield a problem for each entry that a list must hold and lacks, in the order in which to add it."""
    if "*" in known.texts:
        return
    for name in ("localhost", "127.0.0.1"):
        if name not in known.texts:
            yield _lack("AddressNotListed", name, "only Go, Ruby and Java know loopback themselves")
    for network in networks:
        yield from _lacking_networks(network, known, audience)
        yield from _lacking_addresses(network, known, audience)


def _lack(code: str, entry: str, why: str) -> Problem:
    return Problem(code, f'the list must hold "{entry}": {why}', entry)


def _lacking_networks(
    network: ClusterNetwork, known: NoProxyList, audience: Audience
) -> Iterator[Problem]:
    """Yield the names and networks of a Cluster that a list does not cover; a template may yet be one of them."""
    (domain,) = styles.domains((network,))
    service = "kubernetes.default.svc"
    needed = [
        (service, "svc", "the names of services end in it"),
        (f"{service}.{domain.text}", domain.text, "the names of services end in it"),
    ]
    facts_and_meanings = (
        (network.pod_cidrs, "it is a pod CIDR of the cluster"),
        (network.service_cidrs, "it is a service CIDR of the cluster"),
        (network.endpoint, "it is the endpoint of the control plane"),
    )
    for facts, meaning in facts_and_meanings:
        needed += [(fact.value, fact.value, meaning) for fact in facts]
    for host, entry, why in needed:
        plain = entries.canonical(entry.lower())[0]
        is_harmful = entries.holds_every_address(entry) or _breaks_pods(plain, audience)
        is_covered = known.covers(entries.canonical(host.lower())[0])
        if not (placeholders.is_template(entry) or is_harmful or is_covered):
            yield _lack("ClusterNotListed", plain, why)


def _lacking_addresses(
    network: ClusterNetwork, known: NoProxyList, audience: Audience
) -> Iterator[Problem]:
    """Yield the addresses of a Cluster that a list lacks, for programs that read no CIDRs."""
    for number, service in enumerate(network.service_cidrs):
        first = styles.first_address(service.value)
        is_harmful = number > 0 and audience is Audience.POD and entries.confuses_ruby(first)
        if first and first not in known.texts and not is_harmful:
            why = "it is the API server's address, and half of all programs read no CIDRs"
            yield _lack("AddressNotListed", first, why)
    for address in providers.find(network.infrastructure_kind).metadata:
        if not known.covers(address):
            why = f"it is the metadata service of {network.infrastructure_kind}"
            yield _lack("AddressNotListed", address, why)


def _exact_hosts(networks: Sequence[ClusterNetwork]) -> frozenset[str]:
    """Return the hosts of the Clusters themselves: they have no subdomains."""
    found: set[str] = set()
    for network in networks:
        facts = [*network.networks, *network.hosts, *network.infrastructure_hosts]
        facts += network.endpoint
        found.update(entries.canonical(fact.value.lower())[0] for fact in facts)
    return frozenset(found)


def _own_domains(networks: Sequence[ClusterNetwork]) -> frozenset[str]:
    domains = [domain for network in networks for domain in network.service_domain]
    return frozenset(domain.value.strip(".").lower() for domain in domains)


def _hosts(text: str) -> list[str]:
    return [entries.bare(token) for part in text.split(",") for token in entries.split(part)]


@lru_cache(maxsize=16384)
def _as_cidr(text: str) -> Cidr | None:
    """Return a CIDR, or an address as the CIDR of one; None for anything else."""
    if "/" in text:
        return entries.network(text)
    return entries.network(f"{text}/{128 if ':' in text else 32}")


def _parents(name: str) -> Iterator[str]:
    """Yield the domains around a name, of which none is longer than a name can be."""
    labels = name[-_LONGEST_NAME - 2 :].split(".")
    for position in range(1, len(labels)):
        yield ".".join(labels[position:])
