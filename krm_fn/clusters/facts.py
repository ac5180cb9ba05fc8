"""Read the facts about the network of a Cluster from one object.

A value of a wrong type counts as missing, and nothing raises. A placeholder (``${POD_CIDR}``) is a value like any
other: it stays as it is, and nothing is derived from it.

Sources of the mirrors that containerd's configuration on nodes names: containerd ``docs/hosts.md``
(``certs.d/<registry>/hosts.toml``, tables ``[host."URL"]``) and ``docs/cri/registry.md``
(``[plugins."...".registry.mirrors."<registry>"]``, ``endpoint``, in ``config.toml``).
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterable
from itertools import chain

from krm_fn import placeholders
from krm_fn.clusters.cluster import ClusterNetwork, Fact, Facts
from krm_fn.clusters.kinds import CLOUDS, paths_of
from krm_fn.formats.escaping import text_of_base64
from krm_fn.krm.resourcelist import Object
from krm_fn.light_typing import Any, Texts
from krm_fn.patch import Pointer, field_of, find_values, list_at, lookup, stripped, text_at
from krm_fn.products import tkg
from krm_fn.products.cluster_api import CLUSTER

# The shortest prefix of a private network; what is wider would take the proxy from a part of the Internet.
_WIDEST = 8
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_HOST_AND_PORT = r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9_.-]+))(?::[0-9]+)?"
_SCHEME = r"^[A-Za-z][A-Za-z0-9+.-]*://"
_URL_REST = r"[/?#].*"
_PORT = r"(?<=[^:]):(?:[0-9]+|\$\{[^{}]*\})$"
# What may be around a placeholder in a name, an address or a CIDR.
_AROUND = r"[A-Za-z0-9_.:/-]*"
_WORD = r"[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*"


def word(value: Any) -> str:
    """Return a name such as ``eu-west-1`` or a single placeholder; "" for anything else."""
    name = stripped(value)
    if placeholders.is_alone(name):
        return placeholders.normal(name)
    if not re.fullmatch(_WORD, name):
        return ""
    return name


def host(value: Any) -> str:
    """Return a name or an address without port, brackets and final dot; "" for anything else, and ``0.0.0.0``."""
    name = stripped(value)
    if placeholders.is_in(name):
        return _filled_in_later(re.sub(_PORT, "", name), host)
    match = None if _address(name) else re.fullmatch(_HOST_AND_PORT, name)
    if match:
        name = match[1] or match[2]
    address = _address(name)
    if address:
        return "" if address.is_unspecified else name
    if not match:
        return ""
    return name.strip(".")


def url_host(value: Any) -> str:
    """Return the host of a URL, or of a host with a port; "" where it has a user name."""
    without_scheme = re.sub(_SCHEME, "", stripped(value))
    # A default may hold any of the characters that divide a URL.
    if placeholders.is_in(without_scheme):
        return host(without_scheme)
    return host(re.sub(_URL_REST, "", without_scheme))


def cidrs(value: Any) -> Texts:
    """Return the CIDRs of a comma-separated text, as written, without those that are too wide for a network."""
    networks = []
    for part in placeholders.split(stripped(value)):
        if placeholders.is_in(part):
            networks.append(_filled_in_later(part, cidrs))
        elif network_of(part):
            networks.append(part)
    return tuple(filter(None, networks))


def _filled_in_later(value: str, read: Callable[[str], Any]) -> str:
    """Return a text with placeholders; "" if it, or its defaults, cannot be what ``read`` reads.

    An ``@`` may be a part of a credential, in a default as well.
    """
    normal = placeholders.normal(value)
    default = placeholders.with_defaults(normal) if placeholders.is_alone(normal) else ""
    if default and not read(default):
        return ""
    is_host_or_network = re.fullmatch(_AROUND, placeholders.without(normal)) is not None
    if is_host_or_network and "@" not in normal:
        return normal
    return ""


def network_of(cidr: str) -> Network | None:
    """Return a CIDR, with or without host bits; None for anything else, and for one wider than a network can be."""
    try:
        network = ipaddress.ip_network(cidr, strict=False)
    except ValueError:
        return None
    if "/" in cidr and network.prefixlen >= _WIDEST:
        return network
    return None


def is_covered(cidr: str, by: str) -> bool:
    """Return whether every address of one CIDR is in the other.

    An address is covered only by itself: half of all clients read no CIDRs.
    """
    inner = network_of(cidr)
    outer = network_of(by)
    if inner is None or outer is None or inner.version != outer.version:
        return cidr == by
    return inner.subnet_of(outer)  # type: ignore[arg-type]


def _address(value: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(value)
    except ValueError:
        return None


# The first line of a file that the target ``registryMirror`` wrote: the settings know this mirror already.
_OURS = "# inject-proxy\n"
_COMMENT = r"(?m)^[ \t]*#.*$"
_HOSTS_FILE = r".*/certs\.d/([^/]+)/hosts\.toml"
_HOST_TABLE = r"""(?m)^[ \t]*\[[ \t]*host[ \t]*\.[ \t]*["']([^"']+)["']"""
_CONFIG_FILE = r"/etc/containerd/.*\.toml"
_MIRROR_TABLE = (
    r"""(?ms)^[ \t]*\[[^\]\n]*registry\.mirrors\.["']?([^"'\]\n]+)["']?\s*\](.*?)(?=^[ \t]*\[|\Z)"""
)
_ENDPOINTS = r"(?ms)^[ \t]*endpoint[ \t]*=[ \t]*\[(.*?)\]"
_QUOTED = r"""["']([^"']+)["']"""
_USER = r"//[^/]*@"
# The names of one registry (containerd ``docs/hosts.md``: ``server = "https://registry-1.docker.io"``).
_DOCKER_HUB = {"docker.io", "index.docker.io", "registry-1.docker.io"}


def mirror_hosts(file_entry: Any) -> Texts:
    """Return the hosts of mirrors that an entry of ``files`` of nodes names; a registry is no mirror of itself."""
    path = text_at(file_entry, "path").strip()
    content = _content(file_entry) if path.endswith(".toml") else ""
    if content.startswith(_OURS):
        return ()
    content = re.sub(_COMMENT, "", content)
    hosts: dict[str, None] = {}
    for registry, urls in _urls_by_registry(path, content):
        own_names = _DOCKER_HUB if registry in _DOCKER_HUB else {registry}
        for url in urls:
            name = "" if placeholders.is_alone(url) else url_host(re.sub(_USER, "//", url))
            if name and name not in own_names:
                hosts[name] = None
    return tuple(hosts)


def _urls_by_registry(path: str, content: str) -> list[tuple[str, list[str]]]:
    """Return each registry with the URLs of the servers that answer for it."""
    hosts_file = re.fullmatch(_HOSTS_FILE, path)
    if hosts_file:
        return [(host(hosts_file[1]), re.findall(_HOST_TABLE, content))]
    registries = []
    if re.fullmatch(_CONFIG_FILE, path):
        for registry, table in re.findall(_MIRROR_TABLE, content):
            endpoints = " ".join(re.findall(_ENDPOINTS, table))
            registries.append((host(registry), re.findall(_QUOTED, endpoints)))
    return registries


def _content(file_entry: Any) -> str:
    """Return the text of a file; "" where it cannot be read here (compressed, or in a Secret)."""
    content = text_at(file_entry, "content")
    encoding = file_entry.get("encoding")
    if encoding != "base64":
        return "" if encoding else content
    try:
        return text_of_base64(content)
    except ValueError:
        return ""


# The facts of which the first one counts.
_SINGLE = ("service_domain", "endpoint", "region", "infrastructure")
# Variable of well-known classes (vSphere; TKG; Metal3, Nutanix) -> where its value has the host of the API server.
_ENDPOINT_VARIABLES: dict[str, tuple[Pointer, ...]] = {
    "controlPlaneIpAddr": ((),),
    tkg.API_SERVER_ENDPOINT: ((),),
    "controlPlaneEndpoint": (("host",), ("IP",)),
}


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
    facts = []
    for fact_pattern in patterns:
        for path, value in find_values(obj.data, fact_pattern):
            said = _READERS[name](value)
            texts = (said,) if isinstance(said, str) else said
            facts += [Fact(named, obj.ref, path) for named in texts if named]
    return distinct(facts)


def networks_of_pool(spec: Any) -> Texts:
    """Return the CIDRs of the addresses of a pool, each once, as far as they can be read."""
    networks: dict[str, None] = {}
    for pool in (spec, *list_at(spec, "pools")):
        own_prefix = lookup(pool, "prefix")
        for cidr in _cidrs(pool, own_prefix or lookup(spec, "prefix")):
            network = network_of(cidr)
            if network:
                networks[str(network)] = None
    return tuple(networks)


def _cidrs(pool: Any, prefix: Any) -> list[str]:
    """Return the CIDRs that a pool names, or those around its addresses and ranges."""
    subnet = text_at(pool, "subnet").strip()
    if subnet:
        return [subnet]
    cidrs = []
    for address in (*list_at(pool, "addresses"), lookup(pool, "start")):
        start = re.split("[-/]", stripped(address))[0]
        cidrs.append(f"{start.strip()}/{prefix}")
    return cidrs


def _clouds(value: Any) -> Texts:
    """Return the clouds of a cluster outside of Cluster API, as kinds of infrastructure."""
    names = value if isinstance(value, (dict, list)) else [value]
    clouds = [CLOUDS.get(str(name), "") for name in names]
    return tuple(filter(None, clouds))


# Name of a fact -> the function that reads its values out of a field; it returns nothing if the field says none.
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
    for path, variable in find_values(obj.data, ("spec", "topology", "variables", "*")):
        for steps in _ENDPOINT_VARIABLES.get(stripped(lookup(variable, "name")), ()):
            endpoint = host(lookup(variable, ("value", *steps)))
            if endpoint:
                return (Fact(endpoint, obj.ref, (*path, "value", *steps)),)
    return ()
