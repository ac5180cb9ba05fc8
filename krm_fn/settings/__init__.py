"""Resolve the proxy of one object from the ProxyConfig and the facts about its Clusters.

It knows values, roles and audiences; never a kind, a field path or YAML.

    resolution      begin here: `resolve` returns the proxy of one object: what a ProxyConfig declares for it, and
                    the facts about its network
    proxy_settings  the results: ProxySettings, Resolved, and notes about them
"""

from __future__ import annotations

from krm_fn.products.proxy_keys import PROXY_VARIABLES
from krm_fn.settings.proxy_settings import ProxySettings, Resolved, notes
from krm_fn.settings.resolution import cache_key, declared_urls, network_of, resolve, subject_of
