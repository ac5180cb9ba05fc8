"""What reads NO_PROXY: would this client reach this host directly, or through the proxy?

Hardly two clients agree; each is a row of what an entry means to it. What no list in practice needs (a netmask, an
octet written in octal) is left out. ``tests/test_explain_clients.py`` holds what was measured.
"""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache

from krm_fn.light_typing import NamedTuple

ITSELF, BELOW, BOTH, SUFFIX, NOTHING = "itself", "below", "both", "suffix", "nothing"
"""What a name in a list means: the name, what is below it, both, whatever ends with it, or no host."""
LIST, ENTRY = "list", "entry"
"""Where ``*`` means every host: as the whole list, or as any entry."""

_COMMAS = r"\s*,\s*"
_BLANKS = r"[,\s]+"
_CIDR = re.compile(r"[0-9A-Fa-f.:]+/[0-9]+")
_PORT = re.compile(r"(\[[^\]]*\]|[^:]*):([0-9]+)")


class Client(NamedTuple):
    """One client, or one range of versions of it.

    Attributes:
        ID: the stable name: what programs write and read.
        NAME: what a person calls it, with the programs that are known to use it.
        bare: what ``example.com`` means.
        dotted: what ``.example.com`` means.
        starred: what ``*.example.com`` means.
        everything: where ``*`` means every host; "" for nowhere.
        cidrs: the versions of IP whose CIDRs it reads.
        has_ports: ``example.com:8080`` means that port.
        has_ipv6: it reads ``fd00::1``.
        has_brackets: it reads ``[fd00::1]``.
        ignores_final_dot: of entries and hosts.
        ignores_case: of entries.
        has_loopback: loopback goes direct without an entry (in Java, if there is a list).
        separators: what divides a list.
        breaks: the entries for which it fails for every host.
    """

    ID: str
    NAME: str
    bare: str = BOTH
    dotted: str = BOTH
    starred: str = NOTHING
    everything: str = LIST
    cidrs: str = ""
    has_ports: bool = False
    has_ipv6: bool = True
    has_brackets: bool = False
    ignores_final_dot: bool = False
    ignores_case: bool = True
    has_loopback: bool = False
    separators: str = _COMMAS
    breaks: str = ""

    def goes_direct(self, no_proxy: str, host: str, port: int) -> bool:
        """Return whether a request to ``host`` (IPv6 without brackets) does not go through the proxy."""
        address = _address(host)
        is_loopback = host == "localhost" or (address is not None and address.is_loopback)
        if self.has_loopback and is_loopback:
            return True
        name = host.lower()
        if self.ignores_final_dot:
            name = name.removesuffix(".")
        if self.everything == LIST and no_proxy == "*":
            return True
        return any(
            self._matches(entry, name, port) for entry in _entries(no_proxy, self.separators)
        )

    def breaks_on(self, no_proxy: str) -> bool:
        """Return whether this client raises an error for every host with this list."""
        if not self.breaks:
            return False
        return any(re.search(self.breaks, entry) for entry in _entries(no_proxy, self.separators))

    def _matches(self, entry: str, name: str, port: int) -> bool:
        entry = entry.lower() if self.ignores_case else entry
        if entry == "*":
            return self.everything == ENTRY
        address = _address(name)
        if _CIDR.fullmatch(entry):
            network = _network(entry)
            if network is None or address is None or str(network.version) not in self.cidrs:
                return False
            return address in network
        match = _PORT.fullmatch(entry)
        if match:
            entry = match[1]
            if not self.has_ports or int(match[2]) != port:
                return False
        if entry.startswith("["):
            return self.has_brackets and address is not None and _address(entry[1:-1]) == address
        if address is not None and self.bare != SUFFIX:
            return _address(entry) == address and (address.version == 4 or self.has_ipv6)
        return self._matches_name(entry, name)

    def _matches_name(self, entry: str, name: str) -> bool:
        if self.ignores_final_dot:
            entry = entry.removesuffix(".")
        form, domain = self.bare, entry
        if entry.startswith("*."):
            form, domain = self.starred, entry[2:]
        elif entry.startswith("."):
            form, domain = self.dotted, entry[1:]
        if form == SUFFIX:
            return name.endswith(domain)
        is_itself, is_below = name == domain, name.endswith(f".{domain}")
        return bool(domain) and (
            (is_itself and form in (ITSELF, BOTH)) or (is_below and form in (BELOW, BOTH))
        )


@lru_cache(maxsize=16)
def _entries(no_proxy: str, separators: str) -> tuple[str, ...]:
    """Return the entries of a list: each is asked about many hosts, by many clients."""
    return tuple(filter(None, re.split(separators, no_proxy.strip())))


@lru_cache(maxsize=16384)
def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


@lru_cache(maxsize=16384)
def _network(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        return None


_URLLIB = Client("urllib", "Python urllib", has_ports=True, has_ipv6=False, has_brackets=True)
_PROXY_FROM_ENV = Client(
    "proxy-from-env",
    "Node.js axios before 1.15, proxy-from-env",
    bare=ITSELF,
    dotted=BELOW,
    starred=BELOW,
    everything=ENTRY,
    has_ports=True,
    has_ipv6=False,
    has_brackets=True,
    separators=_BLANKS,
)
_TABLE = (
    Client(
        "go",
        "Go (containerd, kubelet, kubectl, Helm, Flux, Argo CD, Kyverno)",
        dotted=BELOW,
        starred=BELOW,
        everything=ENTRY,
        cidrs="46",
        has_ports=True,
        has_loopback=True,
    ),
    Client("curl-old", "curl up to 7.85 (Ubuntu 22.04, RHEL 9)", separators=r"[, ]+"),
    Client(
        "curl",
        "curl 7.87 to 8.8, git, PHP (Debian 12)",
        cidrs="4",
        ignores_final_dot=True,
        separators=_BLANKS,
    ),
    Client("curl-8.9", "curl 8.9 to 8.17, git, PHP (Debian 13)", cidrs="4", ignores_final_dot=True),
    Client("curl-8.18", "curl 8.18 and later", cidrs="46", ignores_final_dot=True),
    Client(
        "wget-old", "wget up to 1.19 (RHEL 8)", dotted=NOTHING, everything="", separators=r",\s*"
    ),
    Client("wget", "wget 1.20 and later", dotted=BELOW, everything="", separators=r",\s*"),
    Client("apt", "apt", bare=SUFFIX, dotted=BELOW, everything="", separators=","),
    _URLLIB,
    Client("requests", "Python requests (pip)", cidrs="4", has_ports=True),
    Client(
        "httpx",
        "Python httpx",
        dotted=BELOW,
        everything=ENTRY,
        has_ports=True,
        breaks=r"^\[|:.*/|[^\x20-\x7e]|@",
    ),
    Client("aiohttp", "Python aiohttp"),
    _URLLIB._replace(ID="botocore", NAME="Python botocore (boto3, AWS CLI)"),
    Client(
        "kubernetes-python",
        "Python Kubernetes client",
        everything=ENTRY,
        cidrs="46",
        has_ports=True,
        has_brackets=True,
    ),
    Client(
        "httplib2",
        "Python httplib2 (older Google clients)",
        bare=ITSELF,
        ignores_case=False,
        separators=",",
    ),
    Client(
        "websocket-client",
        "Python websocket-client",
        dotted=SUFFIX,
        everything=ENTRY,
        cidrs="46",
        ignores_case=False,
    ),
    Client(
        "ruby",
        "Ruby Net::HTTP (Fluentd, Puppet)",
        dotted=BELOW,
        everything="",
        cidrs="4",
        has_ports=True,
        has_ipv6=False,
        has_loopback=True,
        separators=_BLANKS,
    ),
    Client("lwp", "Perl LWP", bare=SUFFIX, dotted=BELOW, everything="", ignores_case=False),
    _PROXY_FROM_ENV._replace(
        ID="undici",
        NAME="Node.js fetch, undici",
        bare=BOTH,
        dotted=BOTH,
        starred=BOTH,
        everything=LIST,
    ),
    Client(
        "node",
        "Node.js 24 http",
        bare=ITSELF,
        starred=BELOW,
        everything=ENTRY,
        has_ports=True,
    ),
    _PROXY_FROM_ENV,
    _PROXY_FROM_ENV._replace(
        ID="axios-1.15", NAME="Node.js axios 1.15 to 1.19", has_ipv6=True, ignores_final_dot=True
    ),
    _PROXY_FROM_ENV._replace(
        ID="axios",
        NAME="Node.js axios 1.20 and later",
        cidrs="46",
        has_ipv6=True,
        ignores_final_dot=True,
    ),
    Client("reqwest", "Rust reqwest", everything=ENTRY, cidrs="46"),
    Client(
        "dotnet", ".NET HttpClient", bare=ITSELF, everything="", has_ipv6=False, has_brackets=True
    ),
    Client(
        "java",
        "Java (the list as http.nonProxyHosts)",
        bare=ITSELF,
        dotted=NOTHING,
        starred=BELOW,
        everything=ENTRY,
        has_ipv6=False,
        has_brackets=True,
        has_loopback=True,
        separators=",",
    ),
)
CLIENTS = {client.ID: client for client in _TABLE}
"""Every client by its ID, in the order in which they are listed."""
