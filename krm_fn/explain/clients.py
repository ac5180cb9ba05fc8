"""Model the clients that read NO_PROXY: does this one reach a host directly, or through the proxy?

Hardly two clients agree; each is a row with the meaning of an entry. A netmask, or an octet written in octal, which no
list in practice needs, is left out. ``tests/explain/test_clients.py`` holds the measurements.
"""

from __future__ import annotations

import re
from functools import lru_cache

from krm_fn.light_typing import NamedTuple
from krm_fn.noproxy.entries import Address, Cidr, address, network

_SEPARATORS = {
    "comma": ",",
    "comma-blanks": r",\s*",
    "commas": r"\s*,\s*",
    "comma-or-blank": r"[, ]+",
    "blanks": r"[,\s]+",
}
_CIDR = re.compile(r"[0-9A-Fa-f.:]+/[0-9]+")
_PORT = re.compile(r"(\[[^\]]*\]|[^:]*):([0-9]+)")
_BREAKS_HTTPX = re.compile(r"^\[|^[^:]*:.*/|[^\x20-\x7e]|@")

# The columns: the ID; the meaning of `example.com`, `.example.com` and `*.example.com` (the name itself, all below it,
# both, whatever ends with it, or nothing); where `*` means every host (as the whole list, as any entry, or nowhere);
# how a list is divided; further abilities; the name for people, with programs that are known to use it. The abilities:
#   4, 6            reads CIDRs of that version of IP
#   ports           `example.com:8080` means that port
#   ipv6, brackets  reads `fd00::1`, or `[fd00::1]`
#   final-dot       ignores the final dot of entries and hosts
#   case            ignores the case of entries
#   loopback        loopback goes direct without an entry (in Java, if there is a list)
#   breaks          fails for every host because of some entries
_TABLE = """
go                both   below   below   entry commas         4 6 ports ipv6 case loopback | Go (containerd, kubelet, kubectl, Helm, Flux, Argo CD, Kyverno)
curl-old          both   both    nothing list  comma-or-blank ipv6 case                    | curl up to 7.85 (Ubuntu 22.04, RHEL 9)
curl              both   both    nothing list  blanks         4 ipv6 final-dot case        | curl 7.87 to 8.8, git, PHP (Debian 12)
curl-8.9          both   both    nothing list  commas         4 ipv6 final-dot case        | curl 8.9 to 8.17, git, PHP (Debian 13)
curl-8.18         both   both    nothing list  commas         4 6 ipv6 final-dot case      | curl 8.18 and later
wget-old          both   nothing nothing never comma-blanks   ipv6 case                    | wget up to 1.19 (RHEL 8)
wget              both   below   nothing never comma-blanks   ipv6 case                    | wget 1.20 and later
apt               suffix below   nothing never comma          ipv6 case                    | apt
urllib            both   both    nothing list  commas         ports brackets case          | Python urllib
requests          both   both    nothing list  commas         4 ports ipv6 case            | Python requests (pip)
httpx             both   below   nothing entry commas         ports ipv6 case breaks       | Python httpx
aiohttp           both   both    nothing list  commas         ipv6 case                    | Python aiohttp
botocore          both   both    nothing list  commas         ports brackets case          | Python botocore (boto3, AWS CLI)
kubernetes-python both   both    nothing entry commas         4 6 ports ipv6 brackets case | Python Kubernetes client
httplib2          itself both    nothing list  comma          ipv6                         | Python httplib2 (older Google clients)
websocket-client  both   suffix  nothing entry commas         4 6 ipv6                     | Python websocket-client
ruby              both   below   nothing never blanks         4 ports case loopback        | Ruby Net::HTTP (Fluentd, Puppet)
lwp               suffix below   nothing never commas         ipv6                         | Perl LWP
undici            both   both    both    list  blanks         ports brackets case          | Node.js fetch, undici
node              itself both    below   entry commas         ports ipv6 case              | Node.js 24 http
proxy-from-env    itself below   below   entry blanks         ports brackets case          | Node.js axios before 1.15, proxy-from-env
axios-1.15        itself below   below   entry blanks         ports ipv6 brackets final-dot case     | Node.js axios 1.15 to 1.19
axios             itself below   below   entry blanks         4 6 ports ipv6 brackets final-dot case | Node.js axios 1.20 and later
reqwest           both   both    nothing entry commas         4 6 ipv6 case                | Rust reqwest
dotnet            itself both    nothing never commas         brackets case                | .NET HttpClient
java              itself nothing below   entry comma          brackets case loopback       | Java (the list as http.nonProxyHosts)
"""  # noqa: E501


class _SplitEntry(NamedTuple):
    """One entry of a list, as it is written, and taken apart for all clients."""

    written: str
    is_cidr: bool
    cidr: Cidr | None
    host: str
    port: str
    address: Address | None


class Client(NamedTuple):
    """One client, or one range of versions of it: a row of the table."""

    NAME: str
    bare: str
    dotted: str
    starred: str
    everything: str
    separators: str
    does: frozenset[str]

    def goes_direct(self, no_proxy: str, host: str, port: int) -> bool:
        """Return whether a request to ``host`` (IPv6 without brackets) does not go through the proxy."""
        name = self._without_final_dot(host.lower())
        host_address = address(name)
        is_loopback = name == "localhost" if host_address is None else host_address.is_loopback
        if "loopback" in self.does and is_loopback:
            return True
        if self.everything == "list" and no_proxy == "*":
            return True
        entries = _entries(no_proxy, self.separators)
        return any(self._matches(entry, name, host_address, port) for entry in entries)

    def breaks_on(self, no_proxy: str) -> bool:
        """Return whether this client raises an error for every host with this list."""
        if "breaks" not in self.does:
            return False
        entries = _entries(no_proxy, self.separators)
        return any(_BREAKS_HTTPX.search(entry.written) for entry in entries)

    def _matches(self, entry: _SplitEntry, name: str, host: Address | None, port: int) -> bool:
        if entry.written == "*":
            return self.everything == "entry"
        if entry.is_cidr:
            cidr = entry.cidr
            if cidr is None or host is None:
                return False
            if str(cidr.version) not in self.does:
                return False
            return host in cidr
        if entry.port and ("ports" not in self.does or int(entry.port) != port):
            return False
        if entry.host.startswith("["):
            return "brackets" in self.does and host is not None and entry.address == host
        if host is not None and self.bare != "suffix":
            return entry.address == host and (host.version == 4 or "ipv6" in self.does)
        text = self._without_final_dot(entry.host)
        if "case" in self.does:
            text = text.lower()
        return self._matches_name(text, name)

    def _matches_name(self, entry: str, name: str) -> bool:
        form = self.bare
        domain = entry
        if entry.startswith("*."):
            form = self.starred
            domain = entry[2:]
        elif entry.startswith("."):
            form = self.dotted
            domain = entry[1:]
        if form == "suffix":
            return name.endswith(domain)
        if not domain:
            return False
        if name == domain:
            return form in ("itself", "both")
        if form not in ("below", "both"):
            return False
        return name.endswith(f".{domain}")

    def _without_final_dot(self, name: str) -> str:
        if "final-dot" in self.does:
            return name.removesuffix(".")
        return name


@lru_cache(maxsize=16)
def _entries(no_proxy: str, separators: str) -> tuple[_SplitEntry, ...]:
    """Return the entries of a list: each is asked about many hosts, by many clients."""
    parts = re.split(_SEPARATORS[separators], no_proxy.strip())
    return tuple(map(_entry, filter(None, parts)))


def _entry(written: str) -> _SplitEntry:
    host = written
    port = ""
    is_cidr = _CIDR.fullmatch(written) is not None
    if with_port := _PORT.fullmatch(written):
        host, port = with_port.groups()
    cidr = network(written) if is_cidr else None
    return _SplitEntry(written, is_cidr, cidr, host, port, address(host))


def _clients() -> dict[str, Client]:
    """Read the table."""
    clients = {}
    for row in _TABLE.strip().splitlines():
        columns, _, name = row.partition("| ")
        key, bare, dotted, starred, everything, separators, *does = columns.split()
        clients[key] = Client(name, bare, dotted, starred, everything, separators, frozenset(does))
    return clients


# Every client by its ID, in the order in which they are listed.
CLIENTS = _clients()
