"""Read the facts about the network of a Cluster from one object."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain

from krm_fn.clusters.cluster import ClusterNetwork, Fact, Facts
from krm_fn.clusters.kinds import CLOUDS, CLUSTER, paths_of
from krm_fn.clusters.mirrors import mirror_hosts
from krm_fn.clusters.reading import (
    cidrs,
    field_of,
    host,
    is_covered,
    network_of,
    text,
    url_host,
    values,
    word,
)
from krm_fn.krm.resourcelist import Object
from krm_fn.light_typing import Any, Texts
from krm_fn.patch import Pointer, list_at, lookup, text_at
from krm_fn.products import tkg

_SINGLE = ("service_domain", "endpoint", "region", "infrastructure")
"""The facts of which the first one counts."""
_ENDPOINT_VARIABLES: dict[str, tuple[Pointer, ...]] = {
    "controlPlaneIpAddr": ((),),
    tkg.API_SERVER_ENDPOINT: ((),),
    "controlPlaneEndpoint": (("host",), ("IP",)),
}
"""Variable of well-known classes (vSphere; TKG; Metal3, Nutanix) -> where its value has the host of the API server."""


def declared(obj: Object) -> ClusterNetwork:
    """Return the facts of an object about the network of its Cluster; empty for kinds that say none."""
    paths = paths_of(*obj.group_kind)
    if not paths:
        return ClusterNetwork()
    facts = {name: _facts(obj, name, patterns) for name, patterns in paths.items()}
    networks = chain.from_iterable(
        facts.pop(name, ()) for name in ("networks", "pools", "machines")
    )
    facts["networks"] = without_subnets(networks)
    facts["endpoint"] = facts.get("endpoint") or _endpoint_variable(obj)
    for name in _SINGLE:
        facts[name] = facts.get(name, ())[:1]
    return ClusterNetwork(**facts)


def _facts(obj: Object, name: str, patterns: Iterable[Pointer]) -> Facts:
    """Return the distinct values of one fact that an object says."""
    facts: list[Fact] = []
    for fact_pattern in patterns:
        for path, value in values(obj.data, fact_pattern):
            said = _READERS[name](value)
            texts = (said,) if isinstance(said, str) else said
            facts += [Fact(named, obj.ref, path) for named in texts if named]
    return distinct(facts)


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


def _clouds(value: Any) -> Texts:
    """Return the clouds of a cluster outside of Cluster API, as kinds of infrastructure."""
    names = value if isinstance(value, (dict, list)) else [value]
    clouds = [CLOUDS.get(str(name), "") for name in names]
    return tuple(filter(None, clouds))


_READERS = {
    "pod_cidrs": cidrs,
    "service_cidrs": cidrs,
    "service_domain": host,
    "endpoint": host,
    "region": word,
    "networks": cidrs,
    "machines": host,
    "pools": networks_of_pool,
    "hosts": url_host,
    "mirrors": mirror_hosts,
    "infrastructure": _clouds,
    "infrastructure_hosts": url_host,
}
"""Name of a fact -> the function that reads its values out of a field; it returns nothing if the field says none."""


def sets_services(obj: Object) -> bool:
    """Return whether an object says anything, readable here or not, as the network of Services."""
    patterns = paths_of(*obj.group_kind).get("service_cidrs", ())
    return any(lookup(obj.data, field_of(path)) for path in patterns)


def merged(sources: Iterable[ClusterNetwork]) -> ClusterNetwork:
    """Return the first value of each fact, but the networks and hosts of all sources, other endpoints among them."""
    network = ClusterNetwork()
    for source in sources:
        endpoints = distinct(network.endpoint + source.endpoint)
        hosts = network.infrastructure_hosts + source.infrastructure_hosts
        network = network.completed_by(source)._replace(
            networks=without_subnets(network.networks + source.networks),
            hosts=distinct(network.hosts + endpoints[1:] + source.hosts),
            mirrors=distinct(network.mirrors + source.mirrors),
            infrastructure_hosts=distinct(hosts),
        )
    return network


def distinct(facts: Iterable[Fact]) -> Facts:
    """Return the first fact of each value."""
    first: dict[str, Fact] = {}
    for fact in facts:
        first.setdefault(fact.value, fact)
    return tuple(first.values())


def without_subnets(facts: Iterable[Fact]) -> Facts:
    """Return the facts without a CIDR that another one covers: a subnet adds nothing to its VPC."""
    kept: list[Fact] = []
    for fact in facts:
        if not any(is_covered(fact.value, other.value) for other in kept):
            kept = [other for other in kept if not is_covered(other.value, fact.value)]
            kept.append(fact)
    return tuple(kept)


def _endpoint_variable(obj: Object) -> Facts:
    """Return the endpoint that a variable of a Cluster with a well-known ClusterClass holds."""
    if obj.group_kind != CLUSTER:
        return ()
    for path, variable in values(obj.data, ("spec", "topology", "variables", "*")):
        for steps in _ENDPOINT_VARIABLES.get(text(lookup(variable, ("name",))), ()):
            endpoint = host(lookup(variable, ("value", *steps)))
            if endpoint:
                return (Fact(endpoint, obj.ref, (*path, "value", *steps)),)
    return ()
