"""The proxy of one object, as values; a field that is empty is a variable that must not be set."""

from __future__ import annotations

from krm_fn.clusters import ClusterNetwork
from krm_fn.clusters.model import Memberships
from krm_fn.config import Certificates, Mirror
from krm_fn.light_typing import NamedTuple, Texts
from krm_fn.noproxy import Origin, Policy
from krm_fn.noproxy.policy import NoProxy
from krm_fn.products.cluster_api import Role
from krm_fn.settings.network import Missing


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
    removed: ProxySettings | None = None

    @property
    def sets_any(self) -> bool:
        """Whether a variable has to be set."""
        return bool(self.http_proxy or self.https_proxy or self.no_proxy)

    @property
    def without_proxy(self) -> ProxySettings:
        """The settings without a proxy, for a place that must hold none."""
        return self._replace(http_proxy="", https_proxy="", no_proxy="")

    def variables(self) -> dict[str, str]:
        """Return name -> value of each variable to set, in the order of the Giant Swarm document.

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
    withheld: Memberships = ()
    strangers: Memberships = ()
    of_role: Role | None = None

    @property
    def urls(self) -> tuple[str, str]:
        """The proxies for ``http://`` and ``https://``, "" for each that there is not."""
        return (self.settings.http_proxy, self.settings.https_proxy)

    @property
    def declared(self) -> bool:
        """Whether the ProxyConfig says which proxy this object has; else it keeps its own."""
        return self.settings.is_declared

    @property
    def written(self) -> Texts:
        """The entries that a person wrote, without the derived ones."""
        return tuple(
            entry.text
            for entry in self.entries
            if Origin.CONFIG in entry.origins and Origin.RULE not in entry.origins
        )
