"""The hosts that decide whether a cluster behind a proxy works, and who reaches them directly.

A host is a name or an address with a port and what it is for; the verdict is that of the models
in ``clients``, never an opinion.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from krm_fn import placeholders
from krm_fn.noproxy import CLUSTER_DOMAIN, ClusterNetwork
from krm_fn.noproxy.clients import CLIENTS

_PUBLIC = ("registry.example.com", "registry.example.org", "registry.public.example")
"""Examples of hosts on the Internet: the first that the list does not hold is taken."""


@dataclass(frozen=True)
class Host:
    """A host that programs call, and what must be true of it: ``direct`` is None where no list can promise it."""

    name: str
    port: int
    what: str
    direct: bool | None = True


@dataclass(frozen=True)
class Row:
    """A host and, for each reader in order: True (direct), False (proxy), None (it breaks)."""

    host: Host
    verdicts: tuple[bool | None, ...]

    @property
    def counted(self) -> tuple[int, int]:
        """How many go direct, of how many."""
        return sum(verdict is True for verdict in self.verdicts), len(self.verdicts)


def rows(
    no_proxy: str,
    networks: Iterable[ClusterNetwork],
    user: Iterable[str],
    *,
    https: bool = True,
    readers: Sequence[str] = tuple(CLIENTS),
) -> tuple[Row, ...]:
    """Return what each client does with each host of interest, under the list ``no_proxy``.

    Args:
        no_proxy: the text of the variable.
        networks: what is known of the Clusters it is for.
        user: the entries the user wrote.
        https: whether there is a proxy for ``https://``; if not, hosts are called by ``http://``.
        readers: the IDs of the models of ``CLIENTS`` that judge.
    """
    public = next(
        (name for name in _PUBLIC if not CLIENTS["go"].goes_direct(no_proxy, name, 443)), ""
    )
    found: dict[tuple[str, int], Host] = {}
    for host in _hosts(list(networks), list(user), public):
        if placeholders.is_in(host.name):
            continue
        asked = host if https or host.port != 443 else replace(host, port=80)
        key = (host.name, host.port)
        found[key] = found.pop(key, asked)  # of equal hosts the first, in the place of the last
    return tuple(Row(host, _verdicts(no_proxy, host, readers)) for host in found.values())


def _verdicts(no_proxy: str, host: Host, readers: Sequence[str]) -> tuple[bool | None, ...]:
    verdicts: list[bool | None] = []
    for reader in readers:
        client = CLIENTS[reader]
        if client.breaks_on(no_proxy):
            verdicts.append(None)
        else:
            verdicts.append(client.goes_direct(no_proxy, host.name, host.port))
    return tuple(verdicts)


def _hosts(networks: Sequence[ClusterNetwork], user: Sequence[str], public: str) -> Iterator[Host]:
    for network in networks:
        for cidr in network.service_cidrs:
            yield Host(_nth(cidr.value, 1), 443, "the API server's ClusterIP")
    yield Host("kubernetes.default.svc", 443, "the API server's Service")
    for domain in dict.fromkeys(map(_domain_of, networks)):
        yield Host(f"kubernetes.default.svc.{domain}", 443, "its full name")
        yield Host(f"kubernetes.default.svc.{domain}.", 443, "its full name with a final dot", None)
    for network in networks:
        if network.endpoint:
            yield Host(network.endpoint.value, 6443, "the control plane endpoint")
        for cidr in network.service_cidrs:
            yield Host(_nth(cidr.value, 10), 8443, "a Service, by address", None)
        for cidr in network.pod_cidrs:
            yield Host(_nth(cidr.value, 10), 8443, "a pod, by address", None)
    yield Host("169.254.169.254", 80, "the metadata service", None)
    for entry in user:
        if name := _example_of(entry):
            yield Host(name, 443, f'your entry "{entry}"', None if "/" in entry else True)
    if public:
        yield Host(public, 443, "a public registry: through the proxy", direct=False)


def _domain_of(network: ClusterNetwork) -> str:
    """Return the domain of the Services of a Cluster; that of Kubernetes where it is not known."""
    return network.service_domain.value if network.service_domain else CLUSTER_DOMAIN


def _nth(cidr: str, number: int) -> str:
    """Return the address with that number inside a CIDR; the CIDR's own text if it is invalid."""
    try:
        return str(ipaddress.ip_network(cidr, strict=False)[number])
    except (ValueError, IndexError):
        return cidr


def _example_of(entry: str) -> str:
    """Return an example host for ``entry``: itself, a name below a domain, the first address of a CIDR."""
    if entry == "*":
        return ""
    if "/" in entry:
        return _nth(entry, 1)
    return f"host{entry.lstrip('*')}" if entry.startswith((".", "*.")) else entry.strip("[]")
