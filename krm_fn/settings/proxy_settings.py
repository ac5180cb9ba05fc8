"""The proxy of one object as values, and the results about how it was found.

A field that is empty is a variable that must not be set.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache

from krm_fn import placeholders
from krm_fn.clusters import ClusterNetwork, Membership
from krm_fn.clusters.cluster import Memberships
from krm_fn.config import Certificates, Mirror
from krm_fn.krm.results import Result, Results, some
from krm_fn.light_typing import NamedTuple, Texts, Urls, Variables
from krm_fn.noproxy import Origin, Policy
from krm_fn.noproxy.entries import NoProxy
from krm_fn.noproxy.policy import NETWORKS
from krm_fn.products.cluster_api import Role

# So many groups of objects that lack the same facts are remembered.
_RECENT = 8


class ProxySettings(NamedTuple):
    """The proxy of one object; nothing is escaped for any layer yet.

    Attributes:
        http_proxy: the URL, checked and percent-encoded.
        https_proxy: the same for ``https://``.
        no_proxy: the list, separated by commas.
        cluster: the name of the object's Cluster, the first of several; "" if none is known.
        namespace: that of this Cluster.
        trusted_ca: the certificates to trust.
        mirror: the registry mirror of the nodes.
        clusters: the names of all its Clusters.
        differs_from_cluster: an override for a role, a worker group or a target gives this object another proxy than
            its Cluster has as a whole.
        is_declared: False where nothing declares a proxy for this object, which keeps the one that it has, or none.
        is_listed: False where only the name of that Cluster is known, because it is not in the list.
        urls_in_secrets: the URLs of ``secretRef``: what refers to one is ours.
        in_text: the settings for a place that needs the URLs as text; None where no Secret holds them.
        removed: the settings that are to be removed, where somebody else's values stay; None where they are not known.
    """

    http_proxy: str = ""
    https_proxy: str = ""
    no_proxy: str = ""
    cluster: str = ""
    namespace: str = ""
    trusted_ca: Certificates = Certificates()
    mirror: Mirror | None = None
    clusters: Texts = ()
    differs_from_cluster: bool = False
    is_declared: bool = True
    is_listed: bool = True
    urls_in_secrets: frozenset[str] = frozenset()
    in_text: ProxySettings | None = None
    removed: ProxySettings | None = None

    @property
    def sets_any(self) -> bool:
        """Whether a variable has to be set."""
        return bool(self.http_proxy or self.https_proxy or self.no_proxy)

    @property
    def without_proxy(self) -> ProxySettings:
        """The settings without a proxy, for a place that must hold none."""
        return self._replace(http_proxy="", https_proxy="", no_proxy="")

    @property
    def variables(self) -> Variables:
        """Name -> value of each variable to set, in the order of the Giant Swarm document.

        Both cases, because Go prefers the upper one, curl knows only ``http_proxy``, and wget and apt only lower ones.
        """
        variables = {}
        for name, lower, value in (
            ("HTTP_PROXY", "http_proxy", self.http_proxy),
            ("HTTPS_PROXY", "https_proxy", self.https_proxy),
            ("NO_PROXY", "no_proxy", self.no_proxy),
        ):
            if value:
                variables[name] = variables[lower] = value
        return variables


class Missing(NamedTuple):
    """A fact that a list should hold and that nothing says.

    Attributes:
        name: the field of ``spec.clusterDefaults`` that can say it.
        members: the members of a ``ClusterNetwork`` of which one suffices.
        switches: the names in ``without`` that say that it is not needed.
        field: the one of the Cluster or its infrastructure; "" if there is none.
        cluster: the full name of the Cluster that lacks it; "" where no Cluster is known.
    """

    name: str
    members: Texts
    switches: Texts
    field: str = ""
    cluster: str = ""

    @property
    def is_about_nodes(self) -> bool:
        """Whether the network of the nodes is missing, which matters to few programs only."""
        return NETWORKS in self.switches

    def __str__(self) -> str:
        if self.cluster:
            return f"`{self.name}` of `{self.cluster}`"
        return f"`{self.name}`"


class Resolved(NamedTuple):
    """The proxy of one object, and how it was found.

    Attributes:
        settings: the proxy.
        entries: those of ``settings.no_proxy``, with their reasons.
        networks: the facts about each Cluster.
        policy: that of the first Cluster.
        conflicts: the places whose proxies differ, the one whose proxy was taken first; empty where they agree.
        missing: the facts that are needed and not known.
        unreachable_overrides: the overrides for some nodes of its Clusters only, which would say something else.
        lacks_text: a Secret holds the URLs, and the target needs them as text.
        withheld: the memberships that only the object itself claims, and whose proxy it does not get.
        strangers: the Clusters that use a class of another namespace, and of whose own one nothing counts.
        of_role: the role whose proxy all machines get; None where it is that of the Cluster.
    """

    settings: ProxySettings = ProxySettings()
    entries: NoProxy = ()
    networks: tuple[ClusterNetwork, ...] = ()
    policy: Policy = Policy()
    conflicts: Texts = ()
    missing: tuple[Missing, ...] = ()
    unreachable_overrides: Texts = ()
    lacks_text: bool = False
    withheld: Memberships = ()
    strangers: Memberships = ()
    of_role: Role | None = None

    @property
    def urls(self) -> Urls:
        """The proxies for ``http://`` and ``https://``, "" for each that there is not."""
        return (self.settings.http_proxy, self.settings.https_proxy)

    @property
    def declared(self) -> bool:
        """Whether the ProxyConfig says which proxy this object has; else it keeps its own."""
        return self.settings.is_declared

    @property
    def written(self) -> Texts:
        """The entries that a person wrote, without the derived ones."""
        texts = []
        for entry in self.entries:
            is_derived = Origin.RULE in entry.origins
            if Origin.CONFIG in entry.origins and not is_derived:
                texts.append(entry.text)
        return tuple(texts)


def notes(resolved: Resolved, memberships: Memberships) -> Results:
    """Yield the results about the proxy of an object of these Clusters."""
    if resolved.conflicts:
        advice = "give each an object of its own"
        if any(membership.is_by_class for membership in memberships):
            advice = "set `spec.targets.nodes.classes` to `Patch`, which gives each its own"
        yield Result(
            "CannotWrite",
            f"is shared by {' and '.join(resolved.conflicts)}, which need different proxies: {advice}, or leave this "
            "one out with `spec.selector.exclude`",
        )
    if not any(resolved.urls):
        return
    if resolved.of_role is not None:
        yield Result(
            "SharedObject",
            f"takes the proxy of the role {resolved.of_role.value}, because the machines of all roles share this "
            "object and nothing declares a proxy for the Cluster",
        )
    if resolved.strangers:
        strangers = " and ".join(names_of_clusters(resolved.strangers))
        yield Result(
            "OtherNamespace",
            f"is used by {strangers} from another namespace, so `NO_PROXY` holds nothing of what is said there. If "
            "you trust who writes there, add the namespace to `spec.trustedNamespaces`",
        )
    names = names_of_clusters([known for known in memberships if known not in resolved.strangers])
    if len(names) > 1:
        yield Result(
            "SharedObject",
            f"is shared by {', '.join(names)}: `NO_PROXY` holds what each of them needs",
        )
    yield from _ambiguous(memberships)
    yield from _lacks(resolved.missing, tuple(memberships))


@lru_cache(maxsize=_RECENT)
def _lacks(missing: Iterable[Missing], memberships: Memberships) -> Results:
    """Return the warnings about missing facts, one for all Clusters that lack the same ones; many objects do."""
    # What calls nodes is apart, because few targets write that.
    of_clusters = defaultdict(list)
    for fact in missing:
        of_clusters[fact.is_about_nodes, fact.cluster].append(fact)
    groups: defaultdict[Texts, list[Missing]] = defaultdict(list)
    for facts in of_clusters.values():
        groups[tuple(fact.name for fact in facts)] += facts
    ordered = sorted(groups.values(), key=lambda facts: facts[0].is_about_nodes)
    return [_lack(facts, memberships) for facts in ordered]


def names_of_clusters(memberships: Memberships) -> list[str]:
    """Return the names of their Clusters as messages show them, each once."""
    return list(dict.fromkeys(f"`{membership.cluster.full_name}`" for membership in memberships))


def _ambiguous(memberships: Memberships) -> Results:
    """Yield a warning for each name that means Clusters in several files or namespaces."""
    files: dict[str, dict[str, None]] = {}
    unsure: dict[str, list[Membership]] = {}
    for membership in memberships:
        cluster = membership.cluster
        if cluster.is_listed:
            files.setdefault(cluster.full_name, {})[cluster.ref.file_path] = None
        if not membership.is_certain:
            unsure.setdefault(cluster.name, []).append(membership)
    for name, paths in files.items():
        if len(paths) > 1:
            quoted = [f"`{path}`" for path in paths]
            message = (
                f"belongs to `{name}`, which is in {some(quoted)}, each time with another network: `NO_PROXY` "
                "holds what all of them need. Put it into the file of its Cluster, or run this function for each of "
                "them by itself"
            )
            # Files of templates are filled in one by one.
            is_info = placeholders.is_template(name)
            yield Result("ClusterAmbiguous", message, is_info=is_info)
    for namesakes in unsure.values():
        yield Result(
            "ClusterAmbiguous",
            f"belongs to {' and to '.join(names_of_clusters(namesakes))} only because of {namesakes[0].how}: say "
            "which one is meant by the namespace of the object, or by the annotation "
            "`cluster.x-k8s.io/cluster-namespace`",
        )


def _lack(missing: Sequence[Missing], memberships: Memberships) -> Result:
    """Return a warning that names the missing facts, where to declare them, and how to say that they are not needed."""
    whose = ""
    fields = []
    unlisted = [membership for membership in memberships if not membership.cluster.is_listed]
    if unlisted:
        whose = f"belongs to {' and '.join(names_of_clusters(unlisted))}, not in the list, and "
    elif memberships:
        fields = [fact.field for fact in missing if fact.field]
    else:
        whose = "belongs to no known Cluster (the label `cluster.x-k8s.io/cluster-name` would say it), and "
    places = dict.fromkeys(("`spec.clusterDefaults`", *fields))
    switches = {}
    for fact in missing:
        switches.update(dict.fromkeys(f"`{switch}`" for switch in fact.switches))
    finding = Result(
        "FactsUnknown",
        f"{whose}nothing says {', '.join(map(str, missing))}, which `NO_PROXY` should cover: set it in "
        f"{' or '.join(places)}, or list {', '.join(switches)} in `spec.noProxyPolicy.without`",
    )
    names = dict.fromkeys(fact.name for fact in missing)
    clusters = dict.fromkeys(fact.cluster for fact in missing if fact.cluster)
    return finding._replace(
        clusters=tuple(clusters),
        fact=(*names, *fields, str(bool(unlisted))),
    )
