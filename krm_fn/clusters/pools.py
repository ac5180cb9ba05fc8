"""The networks that pools of addresses are in: NO_PROXY should hold these, since the gateway is in them, too.

Sources: ``cluster-api-ipam-provider-in-cluster`` (``addresses``, ``prefix``; ``subnet``, ``start`` in v1alpha1), whose
former form is ``ipv4Config`` of a ProxmoxCluster; ``metal3-io/ip-address-manager`` (``pools``, and ``prefix`` of all).
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from krm_fn.clusters.reading import text
from krm_fn.light_typing import Any
from krm_fn.patch import list_at


def networks_of_pool(spec: Any) -> tuple[str, ...]:
    """Return the CIDRs of the addresses of a pool, each once; what cannot be read is left out."""
    if not isinstance(spec, dict):
        return ()
    networks: list[str] = []
    for pool in (spec, *list_at(spec, ("pools",))):
        if isinstance(pool, dict):
            networks += _networks(pool, pool.get("prefix") or spec.get("prefix"))
    return tuple(dict.fromkeys(networks))


def _networks(pool: dict[str, Any], prefix: Any) -> Iterator[str]:
    subnet = text(pool.get("subnet"))
    addresses = [] if subnet else [*list_at(pool, ("addresses",)), pool.get("start")]
    starts = [text(address).partition("-")[0].partition("/")[0].strip() for address in addresses]
    for cidr in (subnet, *(f"{start}/{prefix}" for start in starts if start)):
        try:
            network = ipaddress.ip_network(cidr, strict=False)
        except ValueError:
            continue
        if "/" in cidr and network.prefixlen > 0:
            yield str(network)
