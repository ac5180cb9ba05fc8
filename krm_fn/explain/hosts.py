"""Name the hosts that decide whether a cluster behind a proxy works, and the programs that reach them directly.

The verdicts are those of the models in ``explain.clients``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from krm_fn import placeholders
from krm_fn.clusters import ClusterNetwork, value_of
from krm_fn.explain.clients import CLIENTS, Client
from krm_fn.light_typing import Texts
from krm_fn.noproxy.entries import network
from krm_fn.noproxy.policy import CLUSTER_DOMAIN

# Examples of hosts on the Internet: the first that the list does not hold is taken.
_PUBLIC = ("registry.example.com", "registry.example.org", "registry.public.example")


@dataclass(frozen=True)
class Host:
    """A host that programs call.

    Attributes:
        name: a name or an address.
        port: its port.
        what: its purpose, in words.
        should_be_direct: whether programs must reach it without the proxy; None where they must, and no list makes all
            of them do so.
    """

    name: str
    port: int
    what: str
    should_be_direct: bool | None = True


@dataclass(frozen=True)
class Reached:
    """How programs reach a host, and others like it: the names of those that go direct, use the proxy, or fail."""

    host: Host
    direct: Texts
    by_proxy: Texts
    failing: Texts
    others: Texts = ()

    @property
    def wrong(self) -> Texts:
        """The programs that go the wrong way, or fail."""
        if self.host.should_be_direct is False:
            return (*self.direct, *self.failing)
        return (*self.by_proxy, *self.failing)


def reached(
    lists: Iterable[tuple[str, Sequence[ClusterNetwork]]],
    written: Iterable[str],
    clients: Sequence[Client],
) -> list[Reached]:
    """Return how programs reach each host of interest; hosts of one purpose that are reached alike are one.

    Args:
        lists: values of NO_PROXY, with the facts about the Clusters that each is for.
        written: the entries that a person wrote.
        clients: the programs.
    """
    rows: dict[object, Reached] = {}
    for no_proxy, networks in lists:
        hosts: dict[str, Host] = {}
        for host in _hosts(networks, written, no_proxy):
            hosts.setdefault(host.name, host)
        for host in hosts.values():
            if placeholders.is_in(host.name):
                continue
            row = _reached(no_proxy, host, clients)
            if host.should_be_direct is None and not row.direct:
                continue  # such as the metadata service of a cloud, where the list does not need it
            key = (host.what, host.port, row.direct, row.failing)
            first = rows.setdefault(key, row)
            if host.name != first.host.name and host.name not in first.others:
                others = (*first.others, host.name)
                rows[key] = replace(first, others=others)
    return list(rows.values())


def _reached(no_proxy: str, host: Host, clients: Iterable[Client]) -> Reached:
    direct = []
    by_proxy = []
    failing = []
    for client in clients:
        if client.breaks_on(no_proxy):
            failing.append(client.NAME)
        elif client.goes_direct(no_proxy, host.name, host.port):
            direct.append(client.NAME)
        else:
            by_proxy.append(client.NAME)
    return Reached(host, tuple(direct), tuple(by_proxy), tuple(failing))


def _hosts(
    networks: Sequence[ClusterNetwork], written: Iterable[str], no_proxy: str
) -> Iterator[Host]:
    for cluster in networks:
        for cidr in cluster.service_cidrs:
            yield Host(_nth(cidr.value, 1), 443, "the API server's ClusterIP")
    yield Host("kubernetes.default.svc", 443, "the API server's Service")
    for cluster in networks or (ClusterNetwork(),):
        domain = value_of(cluster.service_domain) or CLUSTER_DOMAIN
        name = f"kubernetes.default.svc.{domain}"
        yield Host(name, 443, "its full name")
        yield Host(f"{name}.", 443, "its full name with a final dot", None)
    for cluster in networks:
        for endpoint in cluster.endpoint:
            yield Host(endpoint.value, 6443, "the control plane endpoint")
        for cidr in cluster.service_cidrs:
            yield Host(_nth(cidr.value, 10), 8443, "a Service, by address", None)
        for cidr in cluster.pod_cidrs:
            yield Host(_nth(cidr.value, 10), 8443, "a pod, by address", None)
    yield Host("169.254.169.254", 80, "the metadata service", None)
    for entry in written:
        if entry != "*":
            yield _host_in(entry)
    for name in _PUBLIC:
        if not CLIENTS["go"].goes_direct(no_proxy, name, 443):
            yield Host(name, 443, "a public registry: through the proxy", should_be_direct=False)
            return


def _host_in(entry: str) -> Host:
    """Return an example of a host for an entry: itself, a name below a domain, the first address of a CIDR."""
    what = f'your entry "{entry}"'
    if "/" in entry:
        return Host(_nth(entry, 1), 443, what, None)
    if entry.startswith((".", "*.")):
        return Host(f"host{entry.lstrip('*')}", 443, what)
    return Host(entry.strip("[]"), 443, what)


def _nth(cidr: str, number: int) -> str:
    """Return the address with that number inside a CIDR, or the text of the CIDR if it is invalid."""
    addresses = network(cidr)
    if addresses is None or number >= addresses.num_addresses:
        return cidr
    return str(addresses[number])
