"""The checked ProxyConfig: its fields, whom matchers choose, and the options of targets.

Values only. None, where it is allowed, means "not said here", and is something else than empty. All matchers have one
language, whatever they choose: inside a matcher all conditions hold (AND); of several matchers, and of several globs,
one suffices (OR).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import Enum
from fnmatch import fnmatchcase
from types import MappingProxyType

from krm_fn.clusters import ClusterNetwork
from krm_fn.krm.codes import Severity
from krm_fn.light_typing import Any, NamedTuple, Protocol, Texts, Urls
from krm_fn.noproxy import Policy, Style
from krm_fn.noproxy.entries import NoProxy
from krm_fn.patch import Data, Pointer, list_at, lookup
from krm_fn.products.node_kinds import FILES_ON_REQUEST
from krm_fn.target_table import ROWS, SYSTEMS, part_of, system_of

_NOTHING: Data = MappingProxyType({})
_DISTRIBUTIONS = "distributions"
# What the option ``files`` of ``nodes`` may name.
_NODE_FILES = ("environment", "profile", "apt", "dnf", "zypper", "docker")
# Member of the options of ``workloads`` for objects that are to have no proxy: the proxies that go.
REMOVED = "removed"


class TargetOptions(NamedTuple):
    """The options of all targets.

    Attributes:
        systems: key of ``spec.targets`` -> the mapping that is given for it.
        off: the IDs of the targets that are switched off.
    """

    systems: Mapping[str, Data] = _NOTHING
    off: frozenset[str] = frozenset()

    def is_on(self, target_id: str) -> bool:
        """Return whether a target is not switched off."""
        return target_id not in self.off

    def of(self, target_id: str) -> Data:
        """Return the options of the system of a target."""
        return self.systems.get(system_of(target_id), _NOTHING)

    def given_for(self, target_id: str) -> Any:
        """Return the value of the part of a target, or all options of its system."""
        part = part_of(target_id)
        options = self.of(target_id)
        if part:
            return options.get(part)
        return options

    def names(self, target_id: str) -> bool:
        """Return whether something is given for a target itself, or its objects are asked for."""
        return bool(self.given_for(target_id)) or self.generates(target_id)

    def generates(self, target_id: str) -> bool:
        """Return whether the option ``generate`` asks for the objects of a target."""
        wanted = self.of(target_id).get("generate") or ()
        return wanted is True or part_of(target_id) in wanted

    def removing(self, proxies: Collection[Declaration]) -> TargetOptions:
        """Return the options with which these proxies go from workloads that are to have none."""
        workloads = {**self.systems.get("workloads", {}), REMOVED: proxies}
        return self._replace(systems={**self.systems, "workloads": workloads})

    def with_all_on(self) -> TargetOptions:
        """Return the options with which every target is on, and replaces the values of others."""
        systems = {}
        for system in SYSTEMS:
            systems[system] = {**self.systems.get(system, {}), "conflict": "Override"}
        systems[_DISTRIBUTIONS] = {part_of(name): True for name in SYSTEMS[_DISTRIBUTIONS]}
        systems["nodes"]["files"] = [*_NODE_FILES]
        return TargetOptions(systems)


def target_options(spec: Any) -> TargetOptions:
    """Return the options that a ``spec`` without problems gives."""
    given = spec.get("targets", {})
    systems = {system: options for system, options in given.items() if isinstance(options, dict)}
    only = list_at(spec, "only")
    off = set()
    for name in ROWS:
        is_named = not only or name in only or system_of(name) in only
        if not is_named or is_switched_off(spec, name):
            off.add(name)
    for name in only:
        is_part = name in ROWS and system_of(name) == _DISTRIBUTIONS
        if is_part:  # to name it is to ask for it
            systems[_DISTRIBUTIONS] = {part_of(name): True, **systems.get(_DISTRIBUTIONS, {})}
    return TargetOptions(systems, frozenset(off))


def is_switched_off(spec: Any, target_id: str) -> bool:
    """Return whether ``spec.targets``, which may be wrong, says no to a target, or does not ask for one on request."""
    system = system_of(target_id)
    if lookup(spec, ("targets", system)) is False:
        return True
    given = lookup(spec, ("targets", system, part_of(target_id)))
    return given is False or (target_id == FILES_ON_REQUEST and not given)


def exports_variables(nodes: Data) -> bool:
    """Return whether the options of ``nodes`` leave the commands that export the variables."""
    commands = nodes.get("commands")
    return commands is not False and lookup(commands, "exports", True) is True


def names_of_only() -> Texts:
    """Return every name that ``spec.only`` may hold: systems, which are names for several targets, then targets."""
    return tuple(dict.fromkeys((*SYSTEMS, *ROWS)))


def matches(matcher: Data, subject: Data) -> bool:
    """Return whether every field of a matcher fits the member of a subject that has its name.

    Args:
        matcher: the globs of each field, of which one has to fit; or a mapping, of which each glob has to fit the
            member with its key.
        subject: a text, a tuple of which one text suffices, or a mapping; no glob fits what is missing or no text.
    """
    return all(_fits(globs, subject.get(field)) for field, globs in matcher.items())


def _fits(globs: Any, values: Any) -> bool:
    """Return whether there are no globs, or one fits a text of the values; of mappings, each glob its member."""
    if not globs:
        return True
    if isinstance(globs, Mapping):
        return all(_fits((glob,), lookup(values, key)) for key, glob in globs.items())
    texts = values if isinstance(values, tuple) else (values,)
    return any(isinstance(text, str) and matches_any(text, globs) for text in texts)


def matches_any(text: str, globs: Iterable[str]) -> bool:
    """Return whether one of the globs fits."""
    return any(fnmatchcase(text, glob) for glob in globs)


class Selector(NamedTuple):
    """Which objects may be changed: the matchers of ``include`` and ``exclude``.

    ``sources`` are the objects from which values are read, here or in a cluster: a run never writes into them.
    """

    include: tuple[Data, ...] = ()
    exclude: tuple[Data, ...] = ()
    sources: tuple[Data, ...] = ()

    def selects(self, subject: Data) -> bool:
        """Return whether ``include`` is empty or matches, and no matcher of ``exclude`` and ``sources`` does."""
        if self.reads(subject) or any(matches(matcher, subject) for matcher in self.exclude):
            return False
        if not self.include:
            return True
        return any(matches(matcher, subject) for matcher in self.include)

    def reads(self, subject: Data) -> bool:
        """Return whether ``sources`` names an object, which says the proxy."""
        return any(matches(matcher, subject) for matcher in self.sources)


class Mode(Enum):
    """The purpose of a run."""

    INJECT = "Inject"
    REMOVE = "Remove"
    CHECK = "Check"


class Override(NamedTuple):
    """One entry of ``spec.overrides``: the matcher of the places that it is for, and its settings.

    None means "as before". ``replaces``: ``no_proxy`` replaces the entries before; it is not added behind them.
    ``policy`` holds the members of a ``Policy`` that it changes, ``secret`` the URLs that stand in a Secret.
    """

    match: Data
    http_proxy: str | None = None
    https_proxy: str | None = None
    no_proxy: NoProxy | None = None
    replaces: bool = False
    disabled: bool | None = None
    policy: Data = _NOTHING
    secret: Urls | None = None


class Declaration(NamedTuple):
    """The declarations for one place, or those of ``spec``; ``is_declared`` is False if none names a proxy.

    Attributes:
        http_proxy: the URL as given, "" for none.
        https_proxy: the same for ``https://``.
        no_proxy: the user's entries, split at commas and trimmed, each with the field it is in.
        policy: ``noProxyPolicy``.
        disabled: the place gets no proxy.
        is_declared: a proxy is named, or it is said that there is none.
        secret: the two URLs of ``secretRef``, which stand in a Secret; None without it.
        by_secret: the place refers to that Secret, and does not need the URLs as text.
    """

    http_proxy: str = ""
    https_proxy: str = ""
    no_proxy: NoProxy = ()
    policy: Policy = Policy()
    disabled: bool = False
    is_declared: bool = False
    secret: Urls | None = None
    by_secret: bool = False

    @property
    def has_list(self) -> bool:
        """Whether a list is written beside the URLs: only in the style Verbatim it may be empty."""
        return bool(self.no_proxy) or self.policy.style is not Style.VERBATIM

    @property
    def urls(self) -> Urls:
        """The proxies for ``http://`` and ``https://``, "" for none."""
        if self.disabled:
            return ("", "")
        if self.secret and self.by_secret:
            return self.secret
        return (self.http_proxy, self.https_proxy)

    @property
    def lacks_text(self) -> bool:
        """Whether only a Secret holds the URLs, and the place does not refer to it."""
        return self.secret is not None and not self.disabled and not any(self.urls)

    def differs(self, other: Declaration) -> bool:
        """Return whether the other one says something else, whether anything declares it or not."""
        return self != other._replace(is_declared=self.is_declared)

    def under(self, override: Override) -> Declaration:
        """Return the declaration after an override is applied to it."""
        said = {}
        for name in ("http_proxy", "https_proxy", "disabled"):
            if getattr(override, name) is not None:
                said[name] = getattr(override, name)
        if override.secret or override.http_proxy or override.https_proxy:
            said["secret"] = override.secret  # its own URLs win over a Secret of before
        no_proxy = () if override.replaces else self.no_proxy
        if override.no_proxy is not None:
            no_proxy += override.no_proxy
        return self._replace(
            **said,
            no_proxy=no_proxy,
            policy=self.policy._replace(**override.policy),
            is_declared=self.is_declared or bool(said),
        )


class Certificates(NamedTuple):
    """Certificates in PEM form, "" for none; the last line ends with a line break.

    ``config_map`` is (namespace, name, key) of the ConfigMap they were taken from; None for those written inline, and
    for a ConfigMap that is local configuration and never reaches a cluster.
    """

    pem: str = ""
    config_map: Texts | None = None


class ForeignValue(NamedTuple):
    """A value of another system: ``place`` is the key that holds it; behind its object, for a message.

    ``in_secret`` is True where that object is a Secret.
    """

    value: Any
    place: str
    in_secret: bool = False


class Lookup(Protocol):
    """Reads the objects that a FunctionConfig refers to; raises a ConfigError without the place in it."""

    @property
    def differing(self) -> Sequence[str]:
        """The files of objects of one name that were read and say different things."""

    def seen_from(self, file: str) -> Lookup:
        """Return the same Lookup for a file: of objects of one name, it reads the nearest one."""

    def values(self, source: Data) -> Mapping[Pointer, ForeignValue]:
        """Return the values of an entry of ``spec.from``: path below ``spec`` -> value."""

    def certificates(self, config_map: Data) -> Certificates:
        """Return the text of a ConfigMap, not checked yet, and the ConfigMap itself unless it is only local."""


class Mirror(NamedTuple):
    """``spec.registryMirror``: the URL as given, its host without brackets and port, and its certificates."""

    url: str
    host: str
    ca: Certificates = Certificates()


class ProxyConfig(NamedTuple):
    """A checked FunctionConfig.

    Attributes:
        declaration: ``spec`` itself, without its overrides.
        mode: ``spec.mode``.
        overrides: ``spec.overrides``, in their order.
        cluster_defaults: facts for Clusters that do not say them.
        lint: the severity of each rule that is named, None for one that is switched off.
        ignore: ``spec.lint.ignore``, as matchers.
        selector: ``spec.selector``.
        targets: ``spec.targets`` and ``spec.only``.
        trusted_ca: ``spec.trustedCA``.
        mirror: ``spec.registryMirror``.
        hash_names: ``rollout.hashNames``; None where it is not given.
        fail_on: the least severity that makes a run fail.
        secret_urls: the URLs with a password that come from a Secret of ``spec.from``.
        clear_text: the systems and targets that may hold a password, although a Secret holds it for others.
        reads_objects: objects of ``spec.from`` say a part of it.
        trusted_namespaces: globs, see ``trusts``.
        views: the ProxyConfig with the values of each of several objects of one name that differ; empty if none do.
        read: returns the ProxyConfig for a file; None where it is the same for all.
    """

    declaration: Declaration = Declaration()
    mode: Mode = Mode.INJECT
    overrides: tuple[Override, ...] = ()
    cluster_defaults: ClusterNetwork = ClusterNetwork()
    lint: Mapping[str, Severity | None] = MappingProxyType({})
    ignore: tuple[Data, ...] = ()
    selector: Selector = Selector()
    targets: TargetOptions = TargetOptions()
    trusted_ca: Certificates = Certificates()
    mirror: Mirror | None = None
    hash_names: bool | None = None
    fail_on: Severity = Severity.ERROR
    secret_urls: frozenset[str] = frozenset()
    clear_text: Texts = ()
    reads_objects: bool = False
    trusted_namespaces: Texts = ()
    views: tuple[ProxyConfig, ...] = ()
    read: Callable[[str], ProxyConfig] | None = None

    def seen_from(self, file: str) -> ProxyConfig:
        """Return the ProxyConfig for objects in a file; raises ConfigError if different ones are equally near."""
        if self.read is None:
            return self
        return self.read(file)

    def trusts(self, namespace: str) -> bool:
        """Return whether objects of ``namespace`` may name a Cluster of another one; "" stands for no claim at all."""
        return not namespace or matches_any(namespace, self.trusted_namespaces)

    @property
    def is_removal(self) -> bool:
        """Whether a run removes the proxy from all objects."""
        return self.mode is Mode.REMOVE

    @property
    def is_check(self) -> bool:
        """Whether a run reports changes and makes none."""
        return self.mode is Mode.CHECK

    @property
    def removes(self) -> bool:
        """Whether some objects are to have no proxy: all in a removal, or those of an override."""
        return self.is_removal or any(override.disabled for override in self.overrides)

    @property
    def urls_in_secrets(self) -> frozenset[str]:
        """The URLs of ``secretRef``, here and in overrides."""
        urls = {*(self.declaration.secret or ())}
        for override in self.overrides:
            urls.update(override.secret or ())
        return frozenset(urls)

    @property
    def proxy_urls(self) -> frozenset[str]:
        """The URLs of all proxies that ``spec``, its overrides and the objects of ``spec.from`` name."""
        urls = {*self.declaration.urls, *self.secret_urls, *self.urls_in_secrets}
        for override in self.overrides:
            urls.add(override.http_proxy or "")
            urls.add(override.https_proxy or "")
        for view in self.views:
            urls |= view.proxy_urls
        return frozenset(urls - {""})
