"""The proxy of a ClusterClass and of the nodes made of it: lists with names in them that Cluster API fills in.

A name means what the builtin variables of a Cluster hold, and nothing else. Where a list
with names would not become the very entries that the nodes need, it holds no names.

Source: Cluster API, "Writing a ClusterClass", builtin variables: ``builtin.cluster.network.{pods,services}`` are lists,
``serviceDomain`` is a text; each is what ``spec.clusterNetwork`` of the Cluster says, or missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from krm_fn import noproxy, placeholders
from krm_fn.clusters import Cluster, Fact, Membership
from krm_fn.config import ProxyConfig
from krm_fn.noproxy import Audience, Readers
from krm_fn.products.node_kinds import OF_CLASSES
from krm_fn.settings import ProxySettings, Resolved, network_of, resolve

PODS = "builtin.cluster.network.pods"
SERVICES = "builtin.cluster.network.services"
ADDRESSES = "builtin.cluster.network.services.first"
"""The first address of each service CIDR: no variable of Cluster API, but worked out from one."""

DOMAIN = "builtin.cluster.network.domain"
"""``serviceDomain``, or the default where the Cluster does not say; in lower case, as it may be a part of an entry."""

DEFAULT_DOMAIN = "cluster.local"

# Any real value takes part in all rules of a style; these are kept for documentation (RFC 5737, RFC 2606).
_PODS, _SERVICES, _ADDRESS, _DOMAIN = (
    "198.51.100.0/25",
    "198.51.100.128/25",
    "198.51.100.129",
    "service-domain.invalid",
)
_NAMES = {_PODS: PODS, _SERVICES: SERVICES, _ADDRESS: ADDRESSES, _DOMAIN: DOMAIN}
_EXAMPLES = {
    "pod_cidrs": (Fact(_PODS),),
    "service_cidrs": (Fact(_SERVICES),),
    "service_domain": (Fact(_DOMAIN),),
}


def for_class(config: ProxyConfig, of_class: Cluster, name: str) -> Resolved:
    """Return what the nodes of any Cluster of a class get, as far as it does not depend on the Cluster.

    Args:
        config: the checked FunctionConfig.
        of_class: what is known about every such Cluster: its infrastructure, and the networks that its machines are in.
        name: the name of the class, for overrides that name some objects.
    """
    probe = network_of(of_class, config.cluster_defaults, config.policy)._replace(**_EXAMPLES)
    resolved = resolve(
        config._replace(cluster_defaults=probe),
        (),
        target=OF_CLASSES,
        readers=Readers(Audience.NODE),
        name=name,
    )
    entries = tuple(
        entry._replace(text=_named(entry.text), why=tuple(map(_named, entry.why)))
        for entry in resolved.entries
    )
    resolved = resolved._replace(networks=(), missing=(), entries=entries)
    return _with_list(resolved, [entry.text for entry in entries])


def for_nodes(
    config: ProxyConfig, membership: Membership, default: ProxySettings, name: str
) -> Resolved:
    """Return what some nodes of a Cluster get.

    ``default`` itself if it gives the same when filled in.

    Args:
        config: the checked FunctionConfig.
        membership: which nodes, of which Cluster.
        default: what they get if no override names them; its list may hold names.
        name: the name of the object of this Cluster, for overrides that name some.
    """
    resolved_for = partial(
        resolve, config, target=OF_CLASSES, readers=Readers(Audience.NODE), name=name
    )
    whole = resolved_for((membership,))
    wanted = [entry.text for entry in whole.entries]
    network = membership.cluster.network
    own = {}  # what fields of the Cluster itself say, and so what Cluster API knows of it
    examples = {}
    for field, example in _EXAMPLES.items():
        facts = getattr(network, field)
        own[field] = [fact.value for fact in facts if fact.ref == membership.cluster.ref]
        if own[field]:
            examples[field] = example
    listed = noproxy.parse(default.no_proxy)
    is_same_proxy = whole.urls == (default.http_proxy, default.https_proxy)
    if is_same_proxy and _filled(listed, own) == set(wanted):
        return _with_list(whole, listed)
    cluster = membership.cluster._replace(network=network._replace(**examples))
    probe = resolved_for((membership._replace(cluster=cluster),))
    named = [_named(entry.text) for entry in probe.entries]
    filled = _filled(named, own)
    if not filled <= set(wanted):
        return _with_list(whole, wanted)
    missing = [text for text in wanted if text not in filled]
    return _with_list(whole, named + missing)


def _filled(entries: Iterable[str], own: Mapping[str, Sequence[str]]) -> set[str]:
    """Return the entries as the template of the patch renders them for a Cluster."""
    lists = {
        PODS: own["pod_cidrs"],
        SERVICES: own["service_cidrs"],
        ADDRESSES: [*_addresses(own["service_cidrs"])],
    }
    domain = "".join(own["service_domain"]) or DEFAULT_DOMAIN
    filled: set[str] = set()
    for entry in entries:
        if entry in lists:
            filled.update(lists[entry])
        else:
            filled.add(entry.replace(DOMAIN, domain))
    return filled


def _addresses(cidrs: Sequence[str]) -> Iterator[str]:
    """Yield the first address of each CIDR by the rule of the template, which can only add one."""
    for cidr in cidrs:
        if placeholders.is_in(cidr):
            continue  # the address comes out right in the cluster, where the placeholder has been filled in
        address = cidr.partition("/")[0]
        if address.endswith("::"):
            yield f"{address}1"
        elif ":" not in address:
            network, _, last = address.rpartition(".")
            number = int(last) if last.isdecimal() else 0
            yield f"{network}.{number + 1}"


def _named(text: str) -> str:
    """Return a text with the names of Cluster API in the place of the values that stand for them here."""
    for example, name in _NAMES.items():
        text = text.replace(example, name)
    return text


def _with_list(resolved: Resolved, entries: Sequence[str]) -> Resolved:
    settings = resolved.settings._replace(no_proxy=",".join(entries))
    return resolved._replace(settings=settings)
