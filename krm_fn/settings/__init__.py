"""Resolve the proxy of one object from the ProxyConfig and the facts about its Clusters.

It knows values, roles and audiences; never a kind, a field path or YAML.

    resolution  begin here: `resolve` returns the proxy of one object
    declared    the declarations of the ProxyConfig for a place: `spec`, and the overrides that fit
    network     the facts about the network of a Cluster, and those that a list needs and nobody declares
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
