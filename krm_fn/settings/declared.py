"""Find the declarations of a ProxyConfig for one place: ``spec``, then the overrides that fit; the last one wins."""

from __future__ import annotations

from krm_fn.clusters import ClusterNetwork, Membership
from krm_fn.config import Override, OverrideSubject, ProxyConfig
from krm_fn.light_typing import Fields, NamedTuple
from krm_fn.noproxy import Entry, Policy, Style
from krm_fn.noproxy.policy import MIRRORS, NoProxy


class Declaration(NamedTuple):
    """The declarations for one place; ``is_declared`` is False if none names its proxy."""

    http_proxy: str
    https_proxy: str
    entries: NoProxy
    policy: Policy
    disabled: bool = False
    is_declared: bool = True

    @property
    def urls(self) -> tuple[str, str]:
        """The proxies for ``http://`` and ``https://``, "" for none."""
        return ("", "") if self.disabled else (self.http_proxy, self.https_proxy)

    def differs(self, other: Declaration) -> bool:
        """Return whether the other one says something else, whether anything declares it or not."""
        return self != other._replace(is_declared=self.is_declared)

    def under(self, override: Override) -> Declaration:
        """Return the declaration after an override is applied to it."""
        said: Fields = {}
        for name in ("http_proxy", "https_proxy", "disabled"):
            if getattr(override, name) is not None:
                said[name] = getattr(override, name)
        entries = self.entries
        if override.no_proxy is not None:
            entries = () if override.replaces else entries
            entries += override.no_proxy
        return self._replace(
            **said,
            entries=entries,
            policy=override.policy.over(self.policy),
            is_declared=self.is_declared or bool(said),
        )


class DeclaredPlace(NamedTuple):
    """An object in one of its Clusters: the subject of overrides, its declarations, and the network there.

    Of an object of no known Cluster the ``membership`` is in an empty one.
    """

    membership: Membership
    subject: OverrideSubject
    declaration: Declaration
    network: ClusterNetwork


def declaration(config: ProxyConfig, subject: OverrideSubject) -> Declaration:
    """Return the declarations of the user for a place, with the host of ``spec.registryMirror``."""
    is_declared = bool(config.http_proxy or config.https_proxy) or config.says_none
    declared = Declaration(
        config.http_proxy,
        config.https_proxy,
        config.no_proxy,
        config.policy,
        is_declared=is_declared,
    )
    for override in config.overrides:
        if override.match.fits(subject):
            declared = declared.under(override)
    mirror = config.mirror
    policy = declared.policy
    if mirror is None or policy.style is Style.VERBATIM or not policy.derives(MIRRORS):
        return declared
    if mirror.host in (entry.text for entry in declared.entries):
        return declared
    entry = Entry.from_config(mirror.host, "spec.registryMirror.url")
    return declared._replace(entries=(*declared.entries, entry))


def subject_of(membership: Membership | None, target: str, name: str = "") -> OverrideSubject:
    """Return the subject that overrides match: an object in one of its Clusters."""
    if membership is None:
        return OverrideSubject(target=target, name=name)
    cluster = membership.cluster
    return OverrideSubject(
        target=target,
        cluster=cluster.name,
        namespace=cluster.namespace,
        labels=cluster.labels,
        role=membership.role.value if membership.role else "",
        groups=membership.groups,
        name=name,
    )
