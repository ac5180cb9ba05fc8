"""Judge the values of a proxy: a list and a URL, as the program that reads them gets them.

A value in, findings out; nothing here knows an object. No message holds a password.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache

from krm_fn import placeholders
from krm_fn.clusters import ClusterNetwork
from krm_fn.krm.results import Result, Results
from krm_fn.light_typing import NamedTuple
from krm_fn.noproxy import Audience, entries, policy
from krm_fn.noproxy.entries import Cidr, EntryKind
from krm_fn.proxy_url import is_port, secret_key_ref, split_url

# The longest value, in bytes, with which Linux starts a program (measured).
LONGEST = 131_062
# Cluster API takes 10240 characters for a file (``files[].content``), and a drop-in holds the list twice.
LONGEST_ON_NODES = 4_900
# RFC 1918, and RFC 6598, which Kubernetes distributions use for pods and services.
_PRIVATE = [
    *map(ipaddress.IPv4Network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"))
]
# A network of which a 16th is private: people write "172.0.0.0/8" for "172.16.0.0/12".
_LIKE_PRIVATE = ipaddress.IPv4Network("172.0.0.0/8")
_PUBLIC_SUFFIXES = {
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
}
# Characters of the longest name that DNS can hold (RFC 1035, section 2.3.4).
_LONGEST_NAME = 253
# A user name or a password as Go takes it (RFC 3986, section 2.3: unreserved and percent-encoded characters).
_ENCODED = r"(?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})*"


class Reader(NamedTuple):
    """The program that reads the values of a place.

    Attributes:
        audience: how it reads NO_PROXY.
        networks: the facts about the Clusters of the object.
        in_secret: the object is a Secret, which may hold a password.
        names_are_given: the author chose which variables there are, and no target adds one.
        takes_host_and_port: a URL need not have a scheme.
        is_service_in_go: it is one service of a node, written in Go.
    """

    audience: Audience
    networks: tuple[ClusterNetwork, ...] = ()
    in_secret: bool = False
    names_are_given: bool = False
    takes_host_and_port: bool = False
    is_service_in_go: bool = False

    @property
    def is_go(self) -> bool:
        """Whether only Go reads the values: both cases, every form of a domain, CIDRs, and loopback by itself."""
        return self.is_service_in_go or self.audience is Audience.GO


# A fault of two URLs: the proxy is for ``http://`` alone.
HTTPS_MISSING = Result(
    "HttpsProxyMissing",
    "`HTTPS_PROXY` must be set, too: registries and APIs are called by `https://`, which goes direct",
)


class NoProxyList:
    """The entries of a list as programs see them.

    Args:
        hosts: the entries.
        networks: the facts about the Clusters that the list is for.
    """

    def __init__(self, hosts: Iterable[str], networks: Iterable[ClusterNetwork] = ()) -> None:
        self.entries = tuple(hosts)
        self.texts = frozenset(self.entries)
        # The hosts of the Clusters themselves: they have no subdomains.
        self.exact: set[str] = set()
        for network in networks:
            facts = [*network.hosts, *network.infrastructure_hosts, *network.endpoint]
            self.exact.update(fact.value.lower() for fact in facts)

    @cached_property
    def cidrs(self) -> frozenset[Cidr]:
        """The CIDRs of the list, and each address as the CIDR of one."""
        return frozenset(filter(None, map(_as_cidr, self.entries)))

    @cached_property
    def _prefix_lengths(self) -> list[tuple[int, int]]:
        return sorted({(cidr.version, cidr.prefixlen) for cidr in self.cidrs})

    def wider(self, cidr: Cidr) -> Cidr | None:
        """Return a CIDR of the list that holds another one and more, or None."""
        for version, length in self._prefix_lengths:
            if version != cidr.version or length >= cidr.prefixlen:
                continue
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
        if host in self.texts or name in self.texts or self.domain_around(name):
            return True
        return not self.texts.isdisjoint(_parents(name))

    def domain_around(self, name: str) -> str:
        """Return an entry with a leading dot that covers a name, or ""."""
        for parent in _parents(name):
            domain = f".{parent}"
            if domain in self.texts:
                return domain
        return ""

    def missing_forms(self, entry: str) -> list[str]:
        """Return the forms of an entry that the list lacks: none for a host, or for a name in a domain of the list."""
        if entry in self.exact:
            return []
        return [
            form
            for form in entries.expand(entry)
            if form not in self.texts and not self.domain_around(form.strip("."))
        ]


@lru_cache(maxsize=4096)
def judge_list(text: str, reader: Reader, *, has_proxy: bool = True) -> Results:
    """Return the faults of a value of NO_PROXY.

    Args:
        text: as the program gets it, escaped for no layer.
        reader: who reads it.
        has_proxy: a proxy is set beside it; without one the list may be empty, and needs no entry.
    """
    if entries.may_hold_a_credential(text):
        return (
            Result(
                "PasswordInList",
                "the list must hold hosts alone: an `@`, a `=`, or a `:` without a port may belong to a password",
            ),
        )
    written = [part.strip() for part in text.split(",") if part.strip()]
    if not written:
        if not has_proxy:
            return ()
        return (
            Result(
                "ListEmpty",
                "the list must not be empty beside a proxy: everything inside the cluster would go through it",
            ),
        )
    findings = list(_judge_spacing(text))
    own = frozenset(
        domain.value.strip(".").lower()
        for network in reader.networks
        for domain in network.service_domain
    )
    for entry in written:
        findings += _judge_entry(entry, reader.audience, own)
    if has_proxy:
        findings += _judge_whole_list(NoProxyList(_hosts(text), reader.networks), reader)
    findings += _judge_length(text, reader)
    return tuple(dict.fromkeys(findings))


def corrected_list(text: str, reader: Reader) -> str:
    """Return a list in the form that every program reads, with the missing entries at the end.

    A list that may hold a password stays as it is: nobody knows which part belongs to it.
    """
    if entries.may_hold_a_credential(text):
        return text
    corrected = corrected_entries(text, reader)
    known = NoProxyList(corrected, reader.networks)
    for finding in _lacking(known, reader):
        corrected += [finding.proposed, *known.missing_forms(finding.proposed)]
    return ",".join(dict.fromkeys(corrected))


def corrected_entries(text: str, reader: Reader) -> list[str]:
    """Return the entries of a list in the form that every program reads, without those that it lacks."""
    known = NoProxyList(_hosts(text), reader.networks)
    corrected = []
    for host in known.entries:
        if entries.holds_every_address(host):
            continue
        if host in entries.expand(host):
            corrected.append(host)
        corrected += known.missing_forms(host)
    return [form for form in dict.fromkeys(corrected) if not _breaks_pods(form, reader.audience)]


# one entry


@lru_cache(maxsize=16384)
def _judge_entry(written: str, audience: Audience, own: frozenset[str]) -> Results:
    """Return the faults of the text between two commas; ``own`` are the domains of the Clusters themselves."""
    if placeholders.is_template(written):
        return ()
    findings = []
    shown = " ".join(written.split())
    for token in entries.split(written):
        host = entries.bare(token)
        # No program reads a glob inside of a name, and no host has 0.0.0.0 or an address with a zone.
        is_unknown = entries.classify(host) is EntryKind.UNKNOWN
        if is_unknown or host == "0.0.0.0" or (":" in host and "%" in host):  # noqa: S104 -- compared
            message = f'no program reads entry "{shown}", or no host has it: write a name, an address or a CIDR'
            return (Result("EntryUnread", message),)
        if _breaks_pods(host, audience):
            findings.append(
                Result(
                    "EntryUnread",
                    f'entry "{shown}" must not be in a list for pods: httpx fails on every request then',
                )
            )
        findings += _judge_reach(host, audience, own)
    forms = entries.expand(written)
    if forms and written not in forms:
        message = f'write "{",".join(forms)}" for entry "{shown}": not every program reads it'
        findings.append(Result("EntryForm", message))
    return tuple(findings)


def _breaks_pods(host: str, audience: Audience) -> bool:
    if audience is not Audience.POD or not host.isascii():
        return False
    return entries.breaks_clients(host)


def _judge_reach(host: str, audience: Audience, own: frozenset[str]) -> Results:
    """Yield a fault if an entry reaches more hosts than its author may think."""
    why = ""
    if host == "*":
        yield Result(
            "ProxyNeverUsed",
            'entry "*": Go, httpx and Node never use the proxy, wget, apt and Ruby always do; declare no proxy',
        )
    elif entries.holds_every_address(host):
        yield Result(
            "ProxyNeverUsed",
            f'entry "{host}" must not hold every address: Go would never use the proxy',
        )
    elif _is_broad_name(host, own):
        why = "everything that ends in it goes direct"
    elif _is_broad_address(host):
        why = "public addresses go direct, too"
    elif audience is Audience.POD and entries.confuses_ruby(host):
        why = "Ruby goes direct to every host that ends in a part of it"
    if why:
        yield Result("EntryTooBroad", f'entry "{host}" must not be so broad: {why}')


def _is_broad_name(host: str, own: frozenset[str]) -> bool:
    kind = entries.classify(host)
    if kind not in (EntryKind.NAME, EntryKind.DOMAIN, EntryKind.GLOB, EntryKind.NUMBERS):
        return False
    name = host.removeprefix("*").strip(".")
    known = own | entries.CLUSTER_NAMES | entries.SHORT_NAMES
    if name in known or name in entries.PRIVATE_SUFFIXES:
        return False
    if kind is EntryKind.NUMBERS or name in _PUBLIC_SUFFIXES:
        return True
    if "." in name:
        return False
    return kind is not EntryKind.NAME or entries.is_top_level(name)


def _is_broad_address(host: str) -> bool:
    """Return whether a CIDR is around a private network, or of public addresses that look like private ones."""
    cidr = _as_cidr(entries.canonical(host)[0])
    if not isinstance(cidr, ipaddress.IPv4Network) or cidr in _PRIVATE:
        return False
    if any(map(cidr.supernet_of, _PRIVATE)):
        return True
    return cidr.subnet_of(_LIKE_PRIVATE) and not cidr.subnet_of(_PRIVATE[1])


# the whole list


def _judge_spacing(text: str) -> Results:
    parts = text.split(",")
    if any(part != part.strip() for part in parts):
        yield Result(
            "EntryForm",
            "blanks and line breaks must not be beside entries: wget, apt and curl miss these entries",
        )
    elif len(parts) > 1 and not all(parts):
        yield Result("EntryNeedless", "the list must not hold empty entries")


def _judge_length(text: str, reader: Reader) -> Results:
    limit = LONGEST
    why = "Linux starts no program with it"
    if reader.audience is Audience.NODE:
        limit = LONGEST_ON_NODES
        why = "a file of Cluster API holds it twice, in at most 10240 characters"
    length = len(text.encode(errors="surrogatepass"))
    if length > limit:
        yield Result(
            "ListTooLong",
            f"the list has {length} bytes, and must not have more than {limit}: {why}; name domains",
        )


def _judge_whole_list(known: NoProxyList, reader: Reader) -> Results:
    yield from _lacking(known, reader)
    earlier = set()
    for entry in known.entries:
        is_right = entry in entries.expand(entry)
        is_right = is_right and not _judge_entry(entry, reader.audience, frozenset())
        missing = known.missing_forms(entry)
        if missing and is_right and not reader.is_go and not _may_be_one_host(entry):
            yield Result(
                "DomainForm",
                f'write "{",".join((entry, *missing))}" for "{entry}": some programs read only one of these forms',
            )
        cover = entry if entry in earlier else _cover(entry, known)
        if cover:
            yield Result(
                "EntryNeedless", f'entry "{entry}" is not needed: "{cover}" is in the list'
            )
        earlier.add(entry)


def _may_be_one_host(entry: str) -> bool:
    """Return whether an entry may be one host: a name of three labels is one as often as it is a domain."""
    is_name = entries.classify(entry) is EntryKind.NAME and not entry.endswith(".")
    return is_name and entry.count(".") > 1


def _cover(entry: str, known: NoProxyList) -> str:
    """Return the entry that makes another one needless, or ""."""
    cidr = entries.network(entry)
    if cidr is None:
        if entries.classify(entry) not in (EntryKind.NAME, EntryKind.DOMAIN):
            return ""
        return known.domain_around(entry.removeprefix("."))
    # An address stays: half of all programs read no CIDR.
    if cidr.prefixlen == cidr.max_prefixlen:
        return ""
    wider = known.wider(cidr)
    if wider is None or wider.prefixlen == 0:
        return ""
    return str(wider)


class _Needed(NamedTuple):
    """An entry that a list must hold, or that it may cover if ``host`` is the name or address to look for."""

    code: str
    entry: str
    why: str
    host: str = ""


def _lacking(known: NoProxyList, reader: Reader) -> Results:
    """Yield a fault for each entry that a list must hold and lacks, in the order in which to add it."""
    if "*" in known.texts:
        return
    for needed in _needed(reader):
        entry = entries.canonical(needed.entry.lower())[0]
        host = entries.canonical(needed.host.lower())[0]
        is_there = known.covers(host) if host else entry in known.texts
        if is_there or placeholders.is_template(
            entry
        ):  # a template of the list may become this one
            continue
        if entries.holds_every_address(entry) or _breaks_pods(entry, reader.audience):
            continue
        yield Result(needed.code, f'the list must hold "{entry}": {needed.why}', proposed=entry)


def _needed(reader: Reader) -> Iterator[_Needed]:
    """Yield the hosts that the programs of a place must reach directly.

    Source: the rules of ``krm_fn.noproxy.policy``, which a list of our own follows.
    """
    for name in () if reader.is_go else ("localhost", "127.0.0.1"):
        yield _Needed("AddressNotListed", name, "only Go, Ruby and Java know loopback themselves")
    for network in reader.networks:
        domain = policy.cluster_domain(network)
        service = "kubernetes.default.svc"
        why = "the names of services end in it"
        yield _Needed("ClusterNotListed", "svc", why, service)
        yield _Needed("ClusterNotListed", domain.text, why, f"{service}.{domain.text}")
        for facts, why in (
            (network.pod_cidrs, "it is a pod CIDR of the cluster"),
            (network.service_cidrs, "it is a service CIDR of the cluster"),
            (network.endpoint, "it is the endpoint of the control plane"),
        ):
            for fact in facts:
                yield _Needed("ClusterNotListed", fact.value, why, fact.value)
        for number, service_cidr in enumerate(network.service_cidrs):
            first = policy.first_address(service_cidr.value)
            if not first or reader.is_go:
                continue
            # As in the lists that a run composes: Ruby in pods needs the API server, and would misread the others.
            if number > 0 and reader.audience is Audience.POD and entries.confuses_ruby(first):
                continue
            why = "it is the API server's address, and half of all programs read no CIDRs"
            yield _Needed("AddressNotListed", first, why)
        why = f"it is the metadata service of {network.infrastructure_kind}"
        for address in policy.cloud_of(network).metadata:
            yield _Needed("AddressNotListed", address, why, address)


def _hosts(text: str) -> list[str]:
    return [entries.bare(token) for part in text.split(",") for token in entries.split(part)]


@lru_cache(maxsize=16384)
def _as_cidr(text: str) -> Cidr | None:
    """Return a CIDR, an address as the CIDR of one, or None."""
    if "/" in text:
        return entries.network(text)
    length = 128 if ":" in text else 32
    return entries.network(f"{text}/{length}")


def _parents(name: str) -> Iterator[str]:
    """Yield the domains around a name, from the longest to the shortest, as far as names can be that long."""
    labels = name[-_LONGEST_NAME - 2 :].split(".")
    for position in range(1, len(labels)):
        yield ".".join(labels[position:])


# a URL


def judge_url(url: str, reader: Reader) -> Results:
    """Return the faults of a value of HTTP_PROXY or HTTPS_PROXY that is not empty."""
    if placeholders.is_template(url) or secret_key_ref(url):
        return []
    parts = split_url(url.strip().strip("\"'"))
    port = (parts.port + parts.tail).rstrip("/").removeprefix(":")
    schemes = ("http", "https", "") if reader.takes_host_and_port else ("http", "https")
    is_right = parts.scheme in schemes and parts.text == url and parts.host != ""
    findings = []
    if not is_right or (port and not (parts.port and is_port(port))):
        findings.append(
            Result(
                "UrlInvalid",
                'the proxy URL must be as "http://proxy.example.com:3128", with "http://" or "https://" in lower '
                "case, a host, a port from 1 to 65535, and nothing around it",
            )
        )
    elif not port:
        findings.append(
            Result("UrlWithoutPort", "the proxy URL must name its port: curl takes 1080, wget 80")
        )
    if not all(re.fullmatch(_ENCODED, text) for text in (parts.user, parts.password)):
        findings.append(
            Result(
                "UrlInvalid",
                "user name and password of the proxy must be percent-encoded: Go ignores the proxy otherwise",
            )
        )
    if parts.password and not reader.in_secret:
        findings.append(
            Result(
                "PasswordInClearText",
                "everyone who reads this manifest reads the password of the proxy: keep it in a Secret",
            )
        )
    if parts.scheme == "https":
        message = "wget, urllib, Ruby, aiohttp and .NET speak no TLS to a proxy: write `http://`"
        findings.append(Result("UrlHttps", message))
    return findings
