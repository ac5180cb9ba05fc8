"""Resolve the proxy of one object from the ProxyConfig and the facts about its Clusters.

It knows values, roles and audiences; never a kind, a field path or YAML. Installation-wide goes
below every override, and of several overrides that set one field the last wins.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence

from krm_fn import noproxy
from krm_fn.clusters import Cluster, Membership, Role
from krm_fn.config import (
    ClusterMatcher,
    Mirror,
    Mode,
    Override,
    OverrideSubject,
    ProxyConfig,
    coalesce,
)
from krm_fn.krm.results import Finding, Severity
from krm_fn.light_typing import NamedTuple
from krm_fn.noproxy import (
    CLUSTER_DOMAIN_NAMES,
    MIRRORS,
    Audience,
    ClusterNetwork,
    Entry,
    Policy,
    Readers,
    Style,
)
from krm_fn.settings import _network
from krm_fn.settings._model import PROXY_VARIABLES, ProxySettings, Resolved
from krm_fn.settings._network import network_of, provider_files
from krm_fn.settings._notes import notes

__all__ = [
    "PROXY_VARIABLES",
    "ProxySettings",
    "Resolved",
    "declared_urls",
    "differences",
    "idle",
    "network_of",
    "notes",
    "provider_files",
    "resolve",
    "resolve_for_all_machines",
    "subjects",
]

_CALLED_INSIDE = "the parts of this program call each other by this name"


def differences(
    target: str, config: ProxyConfig, memberships: Sequence[Membership]
) -> tuple[str, bool]:
    """Return by what the proxy of a target may differ from that of another one which writes for the same readers.

    Its ID where overrides tell targets apart, and whether its output reaches a program that calls nodes.
    """
    tells_apart = any(override.match.targets for override in config.overrides)
    calls_nodes = _network.talks_to_nodes(target, config.targets, memberships)
    return target if tells_apart else "", calls_nodes


def resolve(  # noqa: PLR0913 -- all but the first two are keywords
    config: ProxyConfig,
    memberships: Sequence[Membership],
    *,
    target: str,
    audience: Audience | Readers,
    alone: Cluster | None = None,
    name: str = "",
    rule: str = "",
) -> Resolved:
    """Return what the user declared for this place, completed with what is known about it.

    Empty for ``mode: Remove``.

    Args:
        config: the checked FunctionConfig.
        memberships: the Clusters the object belongs to; of several, the first says which proxy, and the lists are
            united. None: ``spec.clusterDefaults`` says what is known.
        target: the ID of the target at work, for overrides that name some.
        audience: who reads the list, and what its readers need in it.
        alone: the Cluster that the object itself is, or makes, where no other is known; ignored where it belongs to
            some.
        name: the name of the object, for overrides that name some.
        rule: the name of a rule in a Kyverno policy, for overrides that name some.
    """
    blank = _blank(memberships)
    if config.mode is Mode.REMOVE:
        return Resolved(blank)
    blank = blank._replace(trusted_ca=config.trusted_ca, mirror=config.mirror)
    readers = audience if isinstance(audience, Readers) else Readers(audience)
    audience = readers.audience
    if audience is Audience.NOBODY:
        return Resolved(blank)
    places = [_place(one, target, name, rule) for one in memberships or (None,)]
    withheld = _withheld(config, memberships, places)
    if withheld:
        return Resolved(blank._replace(is_declared=False), withheld=withheld)
    wishes = [_wish(config, place) for place in places]
    first = wishes[0]
    networks = _networks(config, memberships, wishes, alone)
    found = Resolved(
        settings=blank._replace(
            http_proxy=first.urls[0],
            https_proxy=first.urls[1],
            differs_from_cluster=_differs_from_clusters(config, memberships, wishes),
            is_declared=first.declared,
        ),
        networks=_declared_networks(memberships, networks),
        policy=first.policy,
        conflicts=_conflicts(wishes, memberships),
        overruled=_overruled(wishes, memberships),
        unreachable_overrides=_unreachable_overrides(config, places, wishes),
    )
    if not any(first.urls):
        return found
    if audience is Audience.TKG and config.reads_objects:
        # What is stored may be what was read: completed, it would come back as the user's list in the next run.
        audience = Audience.PRODUCT
    completed = [_for_readers(wish, readers) for wish in wishes]
    entries, no_proxy = _united(completed, networks, audience)
    found = found._replace(settings=found.settings._replace(no_proxy=no_proxy), entries=entries)
    if audience.completes_the_list:
        return found
    return found._replace(
        missing=_missing(config, memberships, target, first, networks),
        invalid=_network.invalid_fields(first.policy, networks),
    )


def declared_urls(
    config: ProxyConfig, memberships: Sequence[Membership], *, target: str, name: str = ""
) -> tuple[str, str] | None:
    """Return the proxies for ``http://`` and ``https://`` that ``resolve`` finds for a place, "" for each that is none.

    None where nothing declares any. The arguments are those of ``resolve``.
    """
    if config.mode is Mode.REMOVE:
        return "", ""
    places = [_place(one, target, name) for one in memberships or (None,)]
    first = _wish(config, places[0])
    if _withheld(config, memberships, places) or not first.declared:
        return None
    return first.urls


def _networks(
    config: ProxyConfig,
    memberships: Sequence[Membership],
    wishes: Sequence[_Declaration],
    alone: Cluster | None,
) -> list[ClusterNetwork]:
    """Return what is known of the network of each Cluster; without a Cluster, what is known at all, if anything."""
    if memberships:
        return [
            network_of(membership.cluster, config.cluster_defaults, wish.policy)
            for membership, wish in zip(memberships, wishes, strict=True)
        ]
    known = network_of(alone or Cluster(), config.cluster_defaults, wishes[0].policy)
    return [known] if known != ClusterNetwork() else []


def _declared_networks(
    memberships: Sequence[Membership], networks: Sequence[ClusterNetwork]
) -> tuple[ClusterNetwork, ...]:
    """Return the networks without those of Clusters of which only the name is known; each one once."""
    if not memberships:
        return tuple(networks)
    declared: list[ClusterNetwork] = []
    for membership, network in zip(memberships, networks, strict=True):
        if membership.cluster.is_listed or network != ClusterNetwork():
            declared.append(network)
    return tuple(dict.fromkeys(declared))


def _missing(
    config: ProxyConfig,
    memberships: Sequence[Membership],
    target: str,
    wish: _Declaration,
    networks: Sequence[ClusterNetwork],
) -> tuple[_network.Missing, ...]:
    talks_to_nodes = _network.talks_to_nodes(target, config.targets, memberships)
    return _network.missing(
        wish.policy, networks, memberships, wish.entries, talks_to_nodes=talks_to_nodes
    )


def resolve_for_all_machines(
    config: ProxyConfig,
    memberships: Sequence[Membership],
    *,
    target: str,
    audience: Audience,
    name: str,
) -> Resolved:
    """Resolve the one proxy of a place that the machines of all roles share.

    It is that of the Clusters as a whole; where nothing declares one for them, as in a ProxyConfig made of the flags of
    ``konvoy create cluster``, which are for a role each, that of their workers, else of their control plane. The lists
    of all roles with the same proxy are united. Arguments are those of ``resolve``.
    """
    whole = resolve(config, memberships, target=target, audience=audience, name=name)
    if not whole.unreachable_overrides:
        return whole
    candidates: list[tuple[Role | None, list[Membership], Resolved]] = []
    for role in (None, Role.WORKER, Role.CONTROL_PLANE):
        of_role = [membership._replace(role=role) for membership in memberships]
        found = resolve(config, of_role, target=target, audience=audience, name=name)
        if any(found.urls):
            candidates.append((role, of_role, found))
    if not candidates:
        return whole
    first_role, _, first = candidates[0]
    alike = [one for _, of_role, found in candidates if found.urls == first.urls for one in of_role]
    united = resolve(config, alike, target=target, audience=audience, name=name)
    places = [_place(membership, target, name) for membership in alike]
    reached = {
        f"spec.overrides[{at}]"
        for at, override in enumerate(config.overrides)
        if any(map(override.match.fits, places))
    }
    beyond = tuple(one for one in united.unreachable_overrides if one not in reached)
    return united._replace(unreachable_overrides=beyond, of_role=first_role)


def subjects(
    memberships: Sequence[Membership], *, target: str, name: str = "", rules: Sequence[str] = ()
) -> list[OverrideSubject]:
    """Return what overrides can match of one object.

    Each of its memberships, with each of its rules and without.

    Arguments are those of ``resolve``; ``rules`` are the names of all rules of a Kyverno policy.
    """
    return [
        _place(membership, target, name, rule)
        for membership in memberships or (None,)
        for rule in ("", *rules)
    ]


def idle(config: ProxyConfig, places: Iterable[OverrideSubject]) -> Iterator[Finding]:
    """Yield one line for each override that fits none of the places.

    It may be meant: a table of regions serves many lists. It is a warning where it is a mistake all the same: the
    override is about a Cluster of the list, or none of all overrides fits although there are Clusters. Of no place
    there is nothing to say.
    """
    distinct = set(places) if config.overrides else set()
    fitting = [any(map(override.match.fits, distinct)) for override in config.overrides if distinct]
    for at, fits in enumerate(fitting):
        if not fits:
            is_mistake = _is_mistaken(
                config.overrides[at].match, distinct, is_alone=not any(fitting)
            )
            severity = Severity.WARNING if is_mistake else Severity.INFO
            advice = ": correct it, or remove the entry" if is_mistake else ""
            yield Finding(
                severity,
                f"`spec.overrides[{at}].match` fits nothing in this list{advice}",
                code="OverrideFitsNothing",
            )


def _is_mistaken(
    match: ClusterMatcher, places: Iterable[OverrideSubject], *, is_alone: bool
) -> bool:
    """Return whether a match that fits none of ``places`` is meant for Clusters of this list, not of other lists."""
    of_cluster = match._replace(roles=(), worker_groups=(), targets=(), objects=(), rules=())
    if of_cluster == ClusterMatcher():
        return bool(match.roles or match.worker_groups) and any(
            place.role or place.groups for place in places
        )
    known = [place for place in places if place.cluster is not None]
    return any(map(of_cluster.fits, known)) or (is_alone and bool(known))


def _unreachable_overrides(
    config: ProxyConfig, places: Sequence[OverrideSubject], wishes: Sequence[_Declaration]
) -> tuple[str, ...]:
    """Return the overrides that only ``roles`` and ``workerGroups`` keep from these places."""
    found = []
    for at, override in enumerate(config.overrides):
        match = override.match._replace(roles=(), worker_groups=())
        passed_by = (
            (place, wish)
            for place, wish in zip(places, wishes, strict=True)
            if not override.match.fits(place)
        )
        if any(
            match.fits(place) and wish.under(override).differs(wish) for place, wish in passed_by
        ):
            found.append(f"spec.overrides[{at}]")
    return tuple(found)


def _withheld(
    config: ProxyConfig, memberships: Sequence[Membership], places: Sequence[OverrideSubject]
) -> tuple[Membership, ...]:
    """Return the memberships that an object only claims, and whose proxy is not the one without any Cluster.

    What is the same for every object is nobody's secret, so such a membership only adds what is known of the network.
    """
    found = []
    for membership, place in zip(memberships, places, strict=False):
        if membership.claimed_from and not config.trusts(membership.claimed_from):
            of_anybody = _wish(config, _place(None, place.target, place.name, place.rule))
            wish = _wish(config, place)
            if (wish.urls, wish.declared) != (of_anybody.urls, of_anybody.declared):
                found.append(membership)
    return tuple(found)


def _blank(memberships: Sequence[Membership]) -> ProxySettings:
    """Return settings without a proxy, for an object of these Clusters."""
    names = tuple(dict.fromkeys(membership.cluster.name for membership in memberships))
    namespace = memberships[0].cluster.namespace if memberships else ""
    is_listed = all(membership.cluster.is_listed for membership in memberships)
    return ProxySettings(
        cluster=names[0] if names else "", namespace=namespace, clusters=names, is_listed=is_listed
    )


def _differs_from_clusters(
    config: ProxyConfig, memberships: Sequence[Membership], wishes: Sequence[_Declaration]
) -> bool:
    """Return whether a declaration differs from that of its Cluster as a whole, without role, group and target."""
    if not config.overrides:
        return False
    for membership, wish in zip(memberships, wishes, strict=False):
        if wish.differs(_wish(config, _place(Membership(membership.cluster), ""))):
            return True
    return False


class _Declaration(NamedTuple):
    """What is declared for one place, without what is known about it.

    ``declared`` is False where nothing declares it.
    """

    http_proxy: str
    https_proxy: str
    entries: tuple[Entry, ...]
    policy: Policy
    disabled: bool = False
    declared: bool = True

    @property
    def urls(self) -> tuple[str, str]:
        return ("", "") if self.disabled else (self.http_proxy, self.https_proxy)

    def differs(self, other: _Declaration) -> bool:
        """Return whether the other one says something else, whether anything declares it or not."""
        return self != other._replace(declared=self.declared)

    def under(self, override: Override) -> _Declaration:
        """Return the declaration after ``override`` is applied to it."""
        changes = (override.http_proxy, override.https_proxy, override.disabled)
        before = () if override.replaces else self.entries
        return _Declaration(
            http_proxy=coalesce(override.http_proxy, self.http_proxy),
            https_proxy=coalesce(override.https_proxy, self.https_proxy),
            entries=self.entries if override.no_proxy is None else (*before, *override.no_proxy),
            policy=override.policy.over(self.policy),
            disabled=coalesce(override.disabled, self.disabled),
            declared=self.declared or any(change is not None for change in changes),
        )


def _wish(config: ProxyConfig, place: OverrideSubject) -> _Declaration:
    declared = bool(config.http_proxy or config.https_proxy) or config.says_none
    wish = _Declaration(
        config.http_proxy, config.https_proxy, config.no_proxy, config.policy, declared=declared
    )
    fitting = (override for override in config.overrides if override.match.fits(place))
    return _with_mirror(functools.reduce(_Declaration.under, fitting, wish), config.mirror)


def _with_mirror(wish: _Declaration, mirror: Mirror | None) -> _Declaration:
    """Return the declaration with the host of ``spec.registryMirror`` as an entry of the user.

    Every style keeps it.
    """
    policy = wish.policy
    is_listed = mirror and mirror.host in (entry.text for entry in wish.entries)
    if (
        mirror is None
        or is_listed
        or policy.style is Style.VERBATIM
        or MIRRORS not in policy.derive
    ):
        return wish
    return wish._replace(
        entries=(*wish.entries, Entry.of_config(mirror.host, "spec.registryMirror.url"))
    )


def _for_readers(wish: _Declaration, readers: Readers) -> _Declaration:
    """Return the declaration with what the programs that read the list need in it.

    ``Verbatim`` adds nothing.
    """
    policy = wish.policy
    if policy.style is Style.VERBATIM:
        return wish
    extra = [Entry.of_rule(name, _CALLED_INSIDE) for name in readers.names]
    has_names = CLUSTER_DOMAIN_NAMES in policy.derive and policy.rooted is None
    # In the style Portable every list has the names with a final dot.
    if readers.writes_rooted_names and has_names and policy.style is not Style.PORTABLE:
        policy = policy._replace(rooted=True)
    return wish._replace(policy=policy._replace(extra=(*policy.extra, *extra)))


def _place(
    membership: Membership | None, target: str, name: str = "", rule: str = ""
) -> OverrideSubject:
    if membership is None:
        return OverrideSubject(target, name=name, rule=rule)
    cluster = membership.cluster
    return OverrideSubject(
        target=target,
        cluster=cluster.name,
        namespace=cluster.namespace,
        labels=cluster.labels,
        role=membership.role.value if membership.role else "",
        groups=membership.groups,
        name=name,
        rule=rule,
    )


def _united(
    wishes: Sequence[_Declaration], networks: Sequence[ClusterNetwork], audience: Audience
) -> tuple[tuple[Entry, ...], str]:
    """Return one list for all places: its entries, and the list that they make.

    Places with one policy are composed together, so that its order is kept.
    """
    groups: dict[Policy, list[int]] = {}
    for at, wish in enumerate(wishes):
        groups.setdefault(wish.policy, []).append(at)
    lists = []
    for policy, members in groups.items():
        user = dict.fromkeys(wishes[at].entries for at in members)
        # A list that all of them share stays as it was written, repetitions and all.
        own = next(iter(user)) if len(user) == 1 else _merged(user)
        known = dict.fromkeys(networks[at] for at in members if at < len(networks))
        lists.append(_composed(own, tuple(known), policy, audience))
    if len(lists) == 1:
        return lists[0]
    from krm_fn.noproxy.composition import join  # noqa: PLC0415 -- see `_composed`

    entries = _merged(entries for entries, _ in lists)
    return entries, join(entries)


@functools.lru_cache(maxsize=4096)
def _composed(
    user: tuple[Entry, ...],
    networks: tuple[ClusterNetwork, ...],
    policy: Policy,
    audience: Audience,
) -> tuple[tuple[Entry, ...], str]:
    from krm_fn.noproxy import composition  # noqa: PLC0415 -- a list in which nothing applies needs no NO_PROXY

    entries = composition.compose(user, networks, policy, audience)
    return entries, composition.join(entries)


def _merged(lists: Iterable[Iterable[Entry]]) -> tuple[Entry, ...]:
    """Return all lists, one after another.

    Of equal entries the first stays, with the reasons of all.
    """
    return tuple(noproxy.united(entry for entries in lists for entry in entries))


def _conflicts(
    wishes: Sequence[_Declaration], memberships: Sequence[Membership]
) -> tuple[str, ...]:
    """Return the first place, and those that get another proxy.

    Who names a class of another namespace has no say in the proxy of those whose class it is.
    """
    is_of_guests = bool(memberships) and memberships[0].is_guest
    others = [
        at
        for at, wish in enumerate(wishes)
        if wish.urls != wishes[0].urls and memberships[at].is_guest is is_of_guests
    ]
    if not others:
        return ()
    return tuple(dict.fromkeys(_described(memberships[at]) for at in (0, *others)))


def _overruled(
    wishes: Sequence[_Declaration], memberships: Sequence[Membership]
) -> tuple[str, ...]:
    """Return the places of Clusters in other namespaces whose own proxy the object does not get."""
    if not memberships or memberships[0].is_guest:
        return ()
    found = [
        _described(membership)
        for membership, wish in zip(memberships, wishes, strict=True)
        if membership.is_guest and wish.urls != wishes[0].urls
    ]
    return tuple(dict.fromkeys(found))


def _described(membership: Membership) -> str:
    """Return the name of a place for messages.

    Its Cluster, role and worker group, as far as they are known.
    """
    role = f" {membership.role.value}" if membership.role else ""
    group = f' "{membership.group}"' if membership.group else ""
    return f"`{_network.cluster_name(membership.cluster)}`{role}{group}"
