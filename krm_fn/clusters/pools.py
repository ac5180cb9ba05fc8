"""The networks that pools of addresses are in.

A pool lists the addresses that machines may get and says how long the prefix of their network is. The network is what
NO_PROXY should hold: the gateway, the load balancer and the machines of other clusters are in it, too.

Sources: ``cluster-api-ipam-provider-in-cluster`` ``api/v1alpha2/inclusterippool_types.go`` (``addresses``, ``prefix``)
and ``api/v1alpha1`` (``subnet``, ``start``, ``end``); ``cluster-api-provider-proxmox`` embeds the former as
``ipv4Config`` and ``ipv6Config``; ``metal3-io/ip-address-manager`` ``api/v1alpha1/ippool_types.go`` (``pools`` with
``start``, ``subnet``, ``prefix``, and ``prefix`` of the whole).
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping

from krm_fn.clusters.reading import text
from krm_fn.light_typing import Any


def networks_of(spec: Any) -> tuple[str, ...]:
    """Return the CIDRs of the addresses of a pool, each once; what cannot be read is left out.

    Args:
        spec: ``spec`` of an InClusterIPPool or of an IPPool of Metal3, or ``ipv4Config`` of a ProxmoxCluster.
    """
    if not isinstance(spec, Mapping):
        return ()
    parts = [spec]
    pools = spec.get("pools")
    if isinstance(pools, list):
        parts += [pool for pool in pools if isinstance(pool, Mapping)]
    found = (cidr for part in parts for cidr in _of_pool(part, spec.get("prefix")))
    return tuple(dict.fromkeys(found))


def _of_pool(pool: Mapping[str, Any], prefix_of_all: Any) -> Iterator[str]:
    prefix = pool.get("prefix") or prefix_of_all
    subnet = text(pool.get("subnet"))
    if subnet:
        yield from _network(subnet)
        return
    addresses = pool.get("addresses")
    if not isinstance(addresses, list):
        addresses = []
    for address in (*addresses, pool.get("start")):
        first = text(address).partition("-")[0].partition("/")[0].strip()
        if first and _is_number(prefix):
            yield from _network(f"{first}/{prefix}")


def _is_number(prefix: Any) -> bool:
    """Return whether a prefix is an integer for a Kubernetes schema.

    Lists may also hold it as a string.
    """
    return (isinstance(prefix, int) and not isinstance(prefix, bool)) or text(prefix).isdecimal()


def _network(cidr: str) -> Iterator[str]:
    """Yield the CIDR without host bits.

    Nothing for an invalid one, and for one that holds every address.
    """
    try:
        found = ipaddress.ip_network(cidr, strict=False)
    except ValueError:
        return
    if "/" in cidr and found.prefixlen > 0:
        yield str(found)
