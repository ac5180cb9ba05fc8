"""The networks that pools of addresses are in: NO_PROXY should hold these, since the gateway is in them, too.

Sources: ``cluster-api-ipam-provider-in-cluster`` (``addresses``, ``prefix``; ``subnet``, ``start`` in v1alpha1), whose
former form is ``ipv4Config`` of a ProxmoxCluster; ``metal3-io/ip-address-manager`` (``pools``, and ``prefix`` of all).
"""

from __future__ import annotations

import re

from krm_fn.clusters.reading import network_of, text
from krm_fn.light_typing import Any, Texts
from krm_fn.patch import list_at, lookup, text_at


def networks_of_pool(spec: Any) -> Texts:
    """Return the CIDRs of the addresses of a pool, each once, as far as they can be read."""
    networks: dict[str, None] = {}
    for pool in (spec, *list_at(spec, ("pools",))):
        own_prefix = lookup(pool, ("prefix",))
        for cidr in _cidrs(pool, own_prefix or lookup(spec, ("prefix",))):
            network = network_of(cidr)
            if network:
                networks[str(network)] = None
    return tuple(networks)


def _cidrs(pool: Any, prefix: Any) -> list[str]:
    """Return the CIDRs that a pool names, or those around its addresses and ranges."""
    subnet = text_at(pool, ("subnet",)).strip()
    if subnet:
        return [subnet]
    cidrs: list[str] = []
    for address in (*list_at(pool, ("addresses",)), lookup(pool, ("start",))):
        start = re.split("[-/]", text(address))[0]
        cidrs.append(f"{start.strip()}/{prefix}")
    return cidrs
