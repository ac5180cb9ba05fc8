"""Resolve the proxy of one object from the ProxyConfig and what is known about its Clusters.

It knows values, roles and audiences; never a kind, a field path or YAML.

    resolution  begin here: `resolve` returns the proxy of one object
    declared    what the ProxyConfig declares for a place: `spec`, and the overrides that fit
    network     what is known of the network of a Cluster, and what a list needs and nothing says
    model       the results: ProxySettings, Resolved
    notes       findings about how a proxy was resolved
    unused      overrides that fit nothing
"""

from __future__ import annotations

from krm_fn.products.proxy_keys import PROXY_VARIABLES
from krm_fn.settings.model import ProxySettings, Resolved
from krm_fn.settings.network import network_of
from krm_fn.settings.notes import notes
from krm_fn.settings.resolution import cache_key, declared_urls, resolve, subjects

__all__ = [
    "PROXY_VARIABLES",
    "ProxySettings",
    "Resolved",
    "cache_key",
    "declared_urls",
    "network_of",
    "notes",
    "resolve",
    "subjects",
]
