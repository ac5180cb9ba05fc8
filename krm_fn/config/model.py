"""The content of a checked FunctionConfig.

Values only. None, where it is allowed, means "not said here", and is something else than empty.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping
from enum import Enum
from types import MappingProxyType

from krm_fn.clusters import ClusterNetwork, Key, ObjectIndex
from krm_fn.config.selector import ClusterMatcher, IgnoredPlace, Selector
from krm_fn.config.target_options import TargetOptions
from krm_fn.errors import ConfigError
from krm_fn.krm.codes import Severity
from krm_fn.light_typing import Any, NamedTuple, Protocol
from krm_fn.noproxy import Entry, Policy, Style
from krm_fn.patch import Pointer


class Mode(Enum):
    """The purpose of a run."""

    INJECT = "Inject"
    REMOVE = "Remove"
    CHECK = "Check"


class PolicyChange(NamedTuple):
    """A ``noProxyPolicy`` as written: a field that it leaves out is None.

    Convention: merged as JSON merges (RFC 7396): a list replaces the list before.
    """

    style: Style | None = None
    without: frozenset[str] | None = None
    infrastructure_endpoint: bool | None = None
    extra: tuple[Entry, ...] | None = None
    exclude: tuple[str, ...] | None = None
    rooted: bool | None = None

    def over(self, policy: Policy) -> Policy:
        """Return ``policy`` with the fields that are set here in place of its own."""
        said = {name: value for name, value in self._asdict().items() if value is not None}
        return policy._replace(**said)


class Override(NamedTuple):
    """One entry of ``spec.overrides``: the objects that it is for, and its settings.

    None means "as before". ``replaces``: ``no_proxy`` replaces the entries before; it is not added behind them.
    """

    match: ClusterMatcher
    http_proxy: str | None = None
    https_proxy: str | None = None
    no_proxy: tuple[Entry, ...] | None = None
    replaces: bool = False
    disabled: bool | None = None
    policy: PolicyChange = PolicyChange()


class Certificates(NamedTuple):
    """Certificates in PEM form, "" for none; the last line ends with a line break.

    ``config_map`` is (namespace, name, key) of the ConfigMap they were taken from; None for those written inline, and
    for a ConfigMap that is local configuration and never reaches a cluster.
    """

    pem: str = ""
    config_map: tuple[str, str, str] | None = None


class ForeignValue(NamedTuple):
    """A value of another system: ``place`` is the key that holds it; behind its object, for a message.

    ``in_secret`` is True where that object is a Secret.
    """

    value: Any
    place: str
    in_secret: bool = False


class Lookup(Protocol):
    """Reads the objects that a FunctionConfig refers to; raises a ConfigError without the place in it."""

    def views(self) -> Iterable[tuple[str, Lookup]]:
        """Yield the files of objects with one name and different contents, and the same Lookup as each file sees it."""

    def values(self, source: Mapping[str, Any]) -> Mapping[Pointer, ForeignValue]:
        """Return the values of an entry of ``spec.from``: path below ``spec`` -> value."""

    def certificates(self, config_map: Mapping[str, Any]) -> Certificates:
        """Return the text of a ConfigMap, not checked yet, and the ConfigMap itself unless it is only local."""


class Mirror(NamedTuple):
    """``spec.registryMirror``: the URL as given, its host without brackets and port, and its certificates."""

    url: str
    host: str
    ca: Certificates = Certificates()


class ProxyConfig(NamedTuple):
    """A checked FunctionConfig.

    Attributes:
        http_proxy: the URL as given, "" for none.
        https_proxy: the same for ``https://``.
        no_proxy: the user's entries, split at commas and trimmed, each with the field it is in.
        mode: ``spec.mode``.
        policy: ``spec.noProxyPolicy``.
        overrides: ``spec.overrides``, in their order.
        cluster_defaults: facts for Clusters that do not say them.
        lint: the severity of each rule that is named, None for one that is switched off.
        ignore: ``spec.lint.ignore``.
        selector: ``spec.selector``.
        targets: ``spec.targets`` and ``spec.only``.
        trusted_ca: ``spec.trustedCA``.
        mirror: ``spec.registryMirror``.
        hash_names: ``rollout.hashNames``; None where it is not given.
        fail_on: the least severity that makes a run fail.
        says_none: an object of ``spec.from`` says explicitly that there is no proxy, and nothing else names one.
        secret_urls: the URLs with a password that come from a Secret of ``spec.from``.
        reads_objects: objects of ``spec.from`` say a part of it.
        trusted_namespaces: globs, see ``trusts``.
        views: the ProxyConfig with the values of each of several objects of one name, by file; empty if they agree.
    """

    http_proxy: str = ""
    https_proxy: str = ""
    no_proxy: tuple[Entry, ...] = ()
    mode: Mode = Mode.INJECT
    policy: Policy = Policy()
    overrides: tuple[Override, ...] = ()
    cluster_defaults: ClusterNetwork = ClusterNetwork()
    lint: Mapping[str, Severity | None] = MappingProxyType({})
    ignore: tuple[IgnoredPlace, ...] = ()
    selector: Selector = Selector()
    targets: TargetOptions = TargetOptions()
    trusted_ca: Certificates = Certificates()
    mirror: Mirror | None = None
    hash_names: bool | None = None
    fail_on: Severity = Severity.ERROR
    says_none: bool = False
    secret_urls: frozenset[str] = frozenset()
    reads_objects: bool = False
    trusted_namespaces: tuple[str, ...] = ()
    views: ObjectIndex[Any] = ObjectIndex()

    def seen_from(self, file: str) -> ProxyConfig:
        """Return the view of objects in a file; raises ConfigError if different ones are equally near."""
        if not self.views:
            return self
        near = self.views.candidates(Key("", "", "", "", file))
        view: ProxyConfig
        view, *others = [self.views[key] for key in near]
        if any(other != view for other in others):
            files = " and ".join(key.file for key in near)
            problem = (
                f"refers to objects of one name in {files}, which differ and are equally near to {file}: put one "
                "into its folder, or leave its objects out by `spec.selector.exclude`"
            )
            raise ConfigError.of(problem)
        return view

    def trusts(self, namespace: str) -> bool:
        """Return whether objects of ``namespace`` may name a Cluster of another one; "" stands for no claim at all."""
        if not namespace:
            return True
        return any(fnmatch.fnmatchcase(namespace, glob) for glob in self.trusted_namespaces)

    @property
    def removes(self) -> bool:
        """Whether some objects are to have no proxy: all in a removal, or those of an override."""
        return self.mode is Mode.REMOVE or any(override.disabled for override in self.overrides)

    @property
    def proxy_urls(self) -> frozenset[str]:
        """The URLs of all proxies that ``spec``, its overrides and the objects of ``spec.from`` name."""
        urls = {self.http_proxy, self.https_proxy, *self.secret_urls}
        for override in self.overrides:
            urls.add(override.http_proxy or "")
            urls.add(override.https_proxy or "")
        for view in self.views.values():
            urls |= view.proxy_urls
        return frozenset(urls - {""})
