"""The proxy of a ClusterClass and of the nodes made of it.

The list of a class holds names, such as ``builtin.cluster.network.pods``, which its patches replace with the networks
in the fields of each Cluster. Where that would not become the very entries that the nodes need, a list holds no names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from krm_fn import noproxy
from krm_fn.clusters import Cluster, Fact, Membership
from krm_fn.clusters.cluster import Memberships
from krm_fn.config import ProxyConfig
from krm_fn.noproxy import Audience, Readers
from krm_fn.noproxy.policy import CLUSTER_DOMAIN
from krm_fn.products.cluster_api import DOMAIN, PODS, SERVICE_ADDRESSES, SERVICES
from krm_fn.products.node_kinds import OF_CLASSES
from krm_fn.settings import ProxySettings, Resolved, network_of, resolve

# Member of a ``ClusterNetwork`` -> the name that stands for it in a list.
_NAMES = {"pod_cidrs": PODS, "service_cidrs": SERVICES, "service_domain": DOMAIN}


def for_class(config: ProxyConfig, of_class: Cluster, name: str) -> Resolved:
    """Return the proxy of the nodes of any Cluster of a class; its list holds names.

    Args:
        config: the checked FunctionConfig.
        of_class: the facts of every such Cluster: its infrastructure, and the networks of its machines.
        name: the name of the class, for overrides that name some objects.
    """
    network = network_of(of_class, config.cluster_defaults, config.declaration.policy)
    names = {member: (Fact(text),) for member, text in _NAMES.items()}
    config = config._replace(cluster_defaults=network._replace(**names))
    resolved = _resolve(config, (), name)
    of_no_cluster = resolved._replace(networks=(), missing=())
    return _with_list(of_no_cluster, _texts(resolved))


def for_nodes(
    config: ProxyConfig, membership: Membership, inherited: ProxySettings, name: str
) -> Resolved:
    """Return the proxy of some nodes of a Cluster, with the inherited list if that becomes the same entries.

    Args:
        config: the checked FunctionConfig.
        membership: which nodes, of which Cluster.
        inherited: their proxy if no override names them; its list may hold names.
        name: the name of the object of this Cluster, for overrides that name some.
    """
    cluster = membership.cluster
    resolved = _resolve(config, (membership,), name)
    entries = _texts(resolved)
    said = _said_by(cluster)
    inherited_list = noproxy.parse(inherited.no_proxy)
    is_same_proxy = resolved.urls == (inherited.http_proxy, inherited.https_proxy)
    if is_same_proxy and _filled_in(inherited_list, said) == set(entries):
        return _with_list(resolved, inherited_list)
    names = {member: (Fact(text),) for member, text in _NAMES.items() if said[text]}
    network = cluster.network._replace(**names)
    nodes = membership._replace(cluster=cluster._replace(network=network))
    named = _texts(_resolve(config, (nodes,), name))
    filled_in = _filled_in(named, said)
    if not filled_in <= set(entries):
        return _with_list(resolved, entries)
    others = [entry for entry in entries if entry not in filled_in]
    return _with_list(resolved, [*named, *others])


def _resolve(config: ProxyConfig, memberships: Memberships, name: str) -> Resolved:
    readers = Readers(Audience.NODE)
    return resolve(config, memberships, target=OF_CLASSES, readers=readers, name=name)


def _texts(resolved: Resolved) -> list[str]:
    return [entry.text for entry in resolved.entries]


def _with_list(resolved: Resolved, texts: Sequence[str]) -> Resolved:
    settings = resolved.settings._replace(no_proxy=",".join(texts))
    return resolved._replace(settings=settings)


def _said_by(cluster: Cluster) -> dict[str, list[str]]:
    """Return the values of each name by the fields of a Cluster itself: Cluster API knows no other network."""
    said = {}
    for member, name in _NAMES.items():
        facts = getattr(cluster.network, member)
        said[name] = [fact.value for fact in facts if fact.ref == cluster.ref]
    return said


def _filled_in(names: Iterable[str], said: Mapping[str, Sequence[str]]) -> set[str]:
    """Return entries with values in the place of names, as ``go_templates`` makes them."""
    domain = "".join(said[DOMAIN]) or CLUSTER_DOMAIN
    filled_in = set()
    for name in names:
        if name == SERVICE_ADDRESSES:
            for cidr in said[SERVICES]:
                address = _first_address(cidr)
                if address:
                    filled_in.add(address)
        elif name in (PODS, SERVICES):
            filled_in.update(said[name])
        else:
            filled_in.add(name.replace(DOMAIN, domain))
    return filled_in


def _first_address(cidr: str) -> str:
    """Return the first address of a CIDR by the rule of the template, which can only add one; "" for none.

    That of a placeholder comes out right in the cluster, where it has been filled in.
    """
    address, _, _ = cidr.partition("/")
    if address.endswith("::"):
        return f"{address}1"
    network, _, last = address.rpartition(".")
    if ":" in address or not last.isdecimal():
        return ""
    return f"{network}.{int(last) + 1}"
