"""Resolve the proxy of one object: the declarations of the user, completed with the facts about its Clusters.

The proxy is that of ``spec``, then of the overrides that fit; the last one wins. A fact that the objects of a Cluster
do not say may be in ``spec.clusterDefaults``; else it is a default of kubeadm or of the infrastructure provider, or
missing.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from itertools import chain

from krm_fn import noproxy
from krm_fn.clusters import Cluster, ClusterNetwork, Membership, Role, network_path, value_of
from krm_fn.clusters.cluster import Memberships
from krm_fn.config import (
    Declaration,
    ProxyConfig,
    TargetOptions,
    exports_variables,
    matches,
)
from krm_fn.light_typing import Fields, NamedTuple, Texts, Urls
from krm_fn.noproxy import Audience, Entry, Policy, Readers, Style, holds
from krm_fn.noproxy.entries import NoProxy
from krm_fn.noproxy.policy import (
    CLUSTER_DOMAIN_NAMES,
    DEFAULTS,
    ENDPOINT,
    METADATA,
    MIRRORS,
    NETWORKS,
    POD_CIDRS,
    PROVIDER,
    SERVICE_CIDRS,
)
from krm_fn.patch import Data
from krm_fn.products.node_kinds import EXPORTERS, OF_CLASSES
from krm_fn.settings.proxy_settings import Missing, ProxySettings, Resolved
from krm_fn.target_table import ROWS, system_of

_CALLED_INSIDE = "the parts of this program call each other by this name"


class DeclaredPlace(NamedTuple):
    """An object in one of its Clusters: the subject of overrides, its declarations, and the network there.

    Of an object of no known Cluster the ``membership`` is one that is not known.
    """

    membership: Membership
    subject: Data
    declaration: Declaration
    network: ClusterNetwork


def declaration(config: ProxyConfig, subject: Data) -> Declaration:
    """Return the declarations of the user for a place, with the host of ``spec.registryMirror``."""
    declared = config.declaration
    for override in config.overrides:
        if matches(override.match, subject):
            declared = declared.under(override)
    if declared.secret and takes_secrets(subject["targets"][0]):
        declared = declared._replace(by_secret=True)
    mirror = config.mirror
    policy = declared.policy
    if mirror is None or policy.style is Style.VERBATIM or not policy.derives(MIRRORS):
        return declared
    if mirror.host in (entry.text for entry in declared.no_proxy):
        return declared
    entry = Entry.from_config(mirror.host, "spec.registryMirror.url")
    return declared._replace(no_proxy=(*declared.no_proxy, entry))


def takes_secrets(target_id: str) -> bool:
    """Return whether places of a target refer to the Secret of ``secretRef``."""
    return target_id in ROWS and ROWS[target_id].takes_secrets


def subject_of(membership: Membership, target_id: str, name: str = "") -> Data:
    """Return a place as the ``match`` of an override sees it: an object, by its name, in one of its Clusters."""
    subject: Fields = {"targets": (target_id, system_of(target_id)), "objects": name}
    cluster = membership.cluster
    if membership.is_known:
        subject["clusters"] = cluster.name
        subject["namespaces"] = cluster.namespace
        subject["labels"] = cluster.labels
        subject["roles"] = membership.role.value if membership.role else ""
        subject["workerGroups"] = membership.groups
    return subject


# All of them, in the order in which messages name them.
FACTS = (
    Missing(
        "podCIDRs",
        ("pod_cidrs",),
        (POD_CIDRS,),
        "`spec.clusterNetwork.pods.cidrBlocks` of the Cluster",
    ),
    Missing(
        "serviceCIDRs",
        ("service_cidrs",),
        (SERVICE_CIDRS,),
        "`spec.clusterNetwork.services.cidrBlocks` of the Cluster",
    ),
    Missing(
        "endpoint",
        ("endpoint", "hosts"),
        (ENDPOINT,),
        "`spec.controlPlaneEndpoint.host` of the Cluster",
    ),
    Missing(
        "infrastructure",
        ("infrastructure",),
        (METADATA, PROVIDER),
        "`spec.infrastructureRef` of the Cluster",
    ),
    Missing("networks", ("networks",), (NETWORKS,)),
)
# The facts that a style cannot do without, if it can do without some.
_NEEDED = {
    Style.GIANT_SWARM: FACTS[:3],
    Style.TKG: FACTS[:2],
    Style.VERBATIM: (),
}


def network_of(cluster: Cluster, defaults: ClusterNetwork, policy: Policy) -> ClusterNetwork:
    """Return the facts of a Cluster: those of its objects, then ``spec.clusterDefaults``, then its provider's."""
    known = cluster.network.completed_by(defaults)
    if not policy.infrastructure_endpoint:
        known = known._replace(infrastructure_hosts=())
    # These two styles write what another program writes, or the user wrote, to the byte.
    is_exact = policy.style in (Style.GIANT_SWARM, Style.VERBATIM)
    if is_exact or not policy.derives(DEFAULTS):
        return known
    assumed = cluster.assumed
    networks = known.networks
    hosts = known.hosts
    if not defaults.networks:
        networks += assumed.networks
    if not known.endpoint:
        hosts = assumed.hosts + hosts
    return known.completed_by(assumed)._replace(networks=networks, hosts=hosts)


def lack_of(fact: Missing, declared_place: DeclaredPlace, *, calls_nodes: bool) -> Missing | None:
    """Return a fact that the list of a place needs and nothing says; None where it is known or not needed.

    Args:
        fact: one of ``FACTS``.
        declared_place: the declarations and facts there.
        calls_nodes: whether a program that reads the list calls other nodes by their addresses.
    """
    known = declared_place.network
    is_known = declared_place.membership.is_known
    policy = declared_place.declaration.policy
    is_derived = any(map(policy.derives, fact.switches))
    if fact not in _NEEDED.get(policy.style, FACTS) or not is_derived:
        return None
    if any(getattr(known, member) for member in fact.members):
        return None
    if fact.is_about_nodes:
        endpoint = value_of(known.endpoint)
        is_covered = any(
            holds(entry.text, endpoint) for entry in declared_place.declaration.no_proxy
        )
        if not (is_known and calls_nodes) or is_covered:
            return None
    kind = known.infrastructure_kind.removesuffix("Template")
    path = network_path(kind)
    field = fact.field or (f"`spec.{path}` of the {kind}" if path else "")
    cluster = declared_place.membership.cluster.full_name if is_known else ""
    return fact._replace(field=field, cluster=cluster)


def talks_to_nodes(target_id: str, options: TargetOptions, memberships: Memberships) -> bool:
    """Return whether the output of a target reaches a program that calls nodes by their addresses.

    The program that sets up a node calls etcd of others, and kubeadm copies its variables into the pods of the control
    plane (``cmd/kubeadm/app/phases/controlplane/manifests.go``: ``GetProxyEnvVars``).
    """
    is_exporter = target_id == OF_CLASSES or target_id in EXPORTERS
    if not is_exporter or not exports_variables(options.of(target_id)):
        return False
    return any(membership.role is Role.CONTROL_PLANE for membership in memberships)


def cache_key(
    target_id: str, config: ProxyConfig, memberships: Memberships
) -> tuple[str, bool, bool]:
    """Return a cache key: targets with equal keys and equal readers get the same proxy."""
    names_targets = any("targets" in override.match for override in config.overrides)
    tells_apart = names_targets or _keeps(config, target_id)
    calls_nodes = talks_to_nodes(target_id, config.targets, memberships)
    return target_id if tells_apart else "", calls_nodes, takes_secrets(target_id)


def resolve(  # noqa: PLR0913 -- all but the first two are keywords
    config: ProxyConfig,
    memberships: Memberships,
    *,
    target: str,
    readers: Readers,
    standalone: Cluster | None = None,
    name: str = "",
) -> Resolved:
    """Return the declarations of the user for an object, completed with the facts about its Clusters.

    Args:
        config: the checked FunctionConfig.
        memberships: the Clusters the object belongs to; of several, the first says which proxy, and their lists are
            united.
        target: the ID of the target at work.
        readers: who reads the list.
        standalone: the Cluster that the object itself is, or makes, where no other is known.
        name: the name of the object.
    """
    # They use a class of another namespace, and nobody trusts who writes into their own.
    strangers = [
        guest
        for guest in memberships
        if guest.is_guest and not config.trusts(guest.cluster.namespace)
    ]
    trusted = [known for known in memberships if known not in strangers]
    memberships = trusted or [_known_elsewhere(guest) for guest in strangers]
    blank = _blank(memberships)._replace(urls_in_secrets=config.urls_in_secrets)
    is_removal = config.is_removal
    if is_removal and not _keeps(config, target):
        return Resolved(blank)
    own = blank._replace(trusted_ca=config.trusted_ca, mirror=config.mirror)
    resolved = Resolved(own)
    if readers.audience is not Audience.NOBODY:
        places = []
        for membership in memberships or [Membership(standalone or Cluster())]:
            subject = subject_of(membership, target, name)
            declared = declaration(config, subject)
            network = network_of(membership.cluster, config.cluster_defaults, declared.policy)
            places.append(DeclaredPlace(membership, subject, declared, network))
        resolved = _resolved(config, places, readers, own)
        resolved = resolved._replace(strangers=tuple(strangers))
        first = places[0].declaration
        if first.by_secret and not first.disabled:
            by_secret = resolved.settings
            in_text = by_secret._replace(http_proxy=first.http_proxy, https_proxy=first.https_proxy)
            resolved = resolved._replace(settings=by_secret._replace(in_text=in_text))
    if is_removal:
        removed = resolved.settings
        text_removed = blank._replace(removed=removed.in_text) if removed.in_text else None
        return Resolved(blank._replace(removed=removed, in_text=text_removed))
    return resolved


def _resolved(
    config: ProxyConfig, places: Sequence[DeclaredPlace], readers: Readers, blank: ProxySettings
) -> Resolved:
    """Return the proxy of an object in these places."""
    withheld = _withheld(config, places)
    if withheld:
        return Resolved(blank._replace(is_declared=False), withheld=withheld)
    first = places[0].declaration
    settings = blank._replace(
        http_proxy=first.urls[0],
        https_proxy=first.urls[1],
        differs_from_cluster=any(_differs_from_cluster(config, place) for place in places),
        is_declared=first.is_declared and not first.lacks_text,
    )
    resolved = Resolved(
        settings=settings,
        networks=_known_networks(places),
        policy=first.policy,
        conflicts=_conflicts(places),
        unreachable_overrides=_unreachable_overrides(config, places),
        lacks_text=first.lacks_text,
    )
    if not any(first.urls):
        return resolved
    if readers.audience is Audience.TKG and config.reads_objects:
        # What is stored may be what was read: completed, it would come back as the user's list in the next run.
        readers = readers._replace(audience=Audience.PRODUCT)
    entries = _list_for(places, readers)
    resolved = resolved._replace(
        settings=settings._replace(no_proxy=noproxy.join(entries)),
        entries=entries,
    )
    if readers.audience.completes_the_list:
        return resolved
    return resolved._replace(missing=_missing(config, places))


def _known_elsewhere(guest: Membership) -> Membership:
    """Return a Cluster with the facts that objects of other namespaces, such as that of its class, say."""
    namespace = guest.cluster.namespace
    network = guest.cluster.network.only(lambda fact: fact.ref.namespace != namespace)
    cluster = guest.cluster._replace(network=network, assumed=ClusterNetwork())
    return guest._replace(cluster=cluster)


def _keeps(config: ProxyConfig, target_id: str) -> bool:
    """Return whether a target keeps the values of others."""
    return config.targets.systems.get(target_id, {}).get("conflict") == "Keep"


def declared_urls(
    config: ProxyConfig, memberships: Memberships, *, target_id: str, name: str = ""
) -> Urls | None:
    """Return the proxies for ``http://`` and ``https://`` that ``resolve`` finds; None if nothing declares any."""
    if config.is_removal:
        return "", ""
    readers = Readers(Audience.PRODUCT)
    resolved = resolve(config, memberships, target=target_id, readers=readers, name=name)
    return resolved.urls if resolved.declared else None


def _blank(memberships: Memberships) -> ProxySettings:
    """Return settings without a proxy, for an object of these Clusters."""
    if not memberships:
        return ProxySettings()
    clusters = [membership.cluster for membership in memberships]
    names = dict.fromkeys(cluster.name for cluster in clusters)
    return ProxySettings(
        cluster=clusters[0].name,
        namespace=clusters[0].namespace,
        clusters=tuple(names),
        is_listed=all(cluster.is_listed for cluster in clusters),
    )


def _withheld(config: ProxyConfig, places: Sequence[DeclaredPlace]) -> Memberships:
    """Return memberships that only the object itself states and that would change its proxy.

    Settings that are alike for all objects are nobody's secret, so such a membership only adds facts of the network.
    """
    of_nobody = {field: places[0].subject[field] for field in ("targets", "objects")}
    other = declaration(config, of_nobody)
    withheld = []
    for place in places:
        membership = place.membership
        own = place.declaration
        is_same = own.urls == other.urls and own.is_declared == other.is_declared
        if not is_same and not config.trusts(membership.claimed_from):
            withheld.append(membership)
    return tuple(withheld)


def _differs_from_cluster(config: ProxyConfig, declared_place: DeclaredPlace) -> bool:
    """Return whether a declaration differs from that of its Cluster as a whole, without role, group and target."""
    if not (config.overrides and declared_place.membership.is_known):
        return False
    of_cluster = subject_of(Membership(declared_place.membership.cluster), "")
    return declared_place.declaration.differs(declaration(config, of_cluster))


def _known_networks(places: Iterable[DeclaredPlace]) -> tuple[ClusterNetwork, ...]:
    """Return the networks without those of Clusters of which only the name is known; each one once."""
    networks: dict[ClusterNetwork, None] = {}
    for place in places:
        cluster = place.membership.cluster
        if cluster.is_listed or place.network != ClusterNetwork():
            networks[place.network] = None
    return tuple(networks)


def _conflicts(places: Sequence[DeclaredPlace]) -> Texts:
    """Return the first place, and those that get another proxy.

    Who names a class of another namespace has no say in the proxy of those whose class it is.
    """
    first = places[0]
    names = {_described(first.membership): None}
    for place in places:
        differs = place.declaration.urls != first.declaration.urls
        if differs and place.membership.is_guest is first.membership.is_guest:
            names[_described(place.membership)] = None
    return tuple(names) if len(names) > 1 else ()


def _described(membership: Membership) -> str:
    """Return the name of a place for messages: its Cluster, role and worker group."""
    described = f"`{membership.cluster.full_name}`"
    if membership.role:
        described += f" {membership.role.value}"
    if membership.group:
        described += f' "{membership.group}"'
    return described


def _unreachable_overrides(config: ProxyConfig, places: Iterable[DeclaredPlace]) -> Texts:
    """Return the overrides that only ``roles`` and ``workerGroups`` keep from these places."""
    unreachable = []
    for number, override in enumerate(config.overrides):
        if any(matches(override.match, place.subject) for place in places):
            continue
        match = {**override.match, "roles": (), "workerGroups": ()}
        near = [place.declaration for place in places if matches(match, place.subject)]
        if any(declared.under(override).differs(declared) for declared in near):
            unreachable.append(f"spec.overrides[{number}]")
    return tuple(unreachable)


def _missing(config: ProxyConfig, places: Sequence[DeclaredPlace]) -> tuple[Missing, ...]:
    """Return the facts that no object states, each with all Clusters that lack it."""
    memberships = [place.membership for place in places]
    target = places[0].subject["targets"][0]
    calls_nodes = talks_to_nodes(target, config.targets, memberships)
    lacks: dict[Missing, None] = {}
    for fact in FACTS:
        for place in places:
            lack = lack_of(fact, place, calls_nodes=calls_nodes)
            if lack:
                lacks[lack] = None
    return tuple(lacks)


def _list_for(places: Sequence[DeclaredPlace], readers: Readers) -> NoProxy:
    """Return one list for all places: those with one policy have a list in common, and these are united."""
    by_policy: dict[Policy, list[DeclaredPlace]] = {}
    for place in places:
        by_policy.setdefault(place.declaration.policy, []).append(place)
    lists = []
    for policy, same_policy in by_policy.items():
        own = dict.fromkeys(place.declaration.no_proxy for place in same_policy)
        networks = dict.fromkeys(place.network for place in same_policy)
        networks.pop(ClusterNetwork(), None)
        policy_for_readers = _policy_for(policy, readers)
        lists.append(
            _composed(_united([*own]), tuple(networks), policy_for_readers, readers.audience)
        )
    return _united(lists)


def _united(lists: list[NoProxy]) -> NoProxy:
    """Return one list as it is, repetitions and all, and several as their union."""
    if len(lists) == 1:
        return lists[0]
    return tuple(noproxy.united(chain(*lists)))


def _policy_for(policy: Policy, readers: Readers) -> Policy:
    """Return the policy with the entries that the readers of the list need; ``Verbatim`` adds none."""
    if policy.style is Style.VERBATIM:
        return policy
    has_names = policy.derives(CLUSTER_DOMAIN_NAMES) and policy.rooted is None
    # In the style Portable every list has the names with a final dot.
    if readers.writes_rooted_names and has_names and policy.style is not Style.PORTABLE:
        policy = policy._replace(rooted=True)
    inside = [Entry.from_rule(name, _CALLED_INSIDE) for name in readers.names]
    return policy._replace(extra=(*policy.extra, *inside))


@functools.lru_cache(maxsize=4096)
def _composed(
    user: NoProxy,
    networks: tuple[ClusterNetwork, ...],
    policy: Policy,
    audience: Audience,
) -> NoProxy:
    from krm_fn.noproxy import composition  # noqa: PLC0415 -- a list in which nothing applies needs no NO_PROXY

    return composition.compose(user, networks, policy, audience)
