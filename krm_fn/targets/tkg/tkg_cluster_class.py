"""A cluster of TKG that is made of a class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from krm_fn.carriers.cluster_variables import (
    KIND,
    VARIABLES,
    append_entry,
    class_of,
    lists,
    named,
    remove_entry,
)
from krm_fn.carriers.reading import Reading
from krm_fn.carriers.site import Site, SiteWithoutVariables, Variables
from krm_fn.carriers.three_keys import CAMEL, Keys, ThreeKeys
from krm_fn.engine import Draft, WrongTypeError
from krm_fn.krm.results import Severity
from krm_fn.light_typing import Any
from krm_fn.noproxy import Audience, parse
from krm_fn.patch import Pointer, lookup
from krm_fn.products import tkg
from krm_fn.settings import ProxySettings
from krm_fn.targets.base import Context, NodeUpdate, Reach, Target, Writes
from krm_fn.targets.tkg.requirements import Trust, TrustedCertificate, certificate, half, whole

_Groups = Mapping[tuple[str, str], ProxySettings]
"""Section and name of a group of workers -> its proxy."""

_MEMBERS = CAMEL._replace(is_list=True, is_fixed=True)
_ANNOTATIONS = ThreeKeys(
    ("metadata", "annotations"),
    Keys(*tkg.PROXY_ANNOTATIONS),
    "the annotations that add-ons read",
)
_NETWORK = ("spec", "settings", "network")
_OF_SERVICE = ThreeKeys((*_NETWORK, "proxy"), _MEMBERS, "`settings.network.proxy`")
_TRUST_OF_SERVICE = Trust((*_NETWORK, "trust", "additionalTrustedCAs"), "inject-proxy", kept=1)
_NONE = (
    "these nodes get no proxy, which the variable `proxy` cannot say where the Cluster has one, so they get "
    "that of the Cluster: declare one for them"
)
_HTTPS = (
    'the TKG Service of vSphere takes no proxy whose URL begins with "https://": declare one that begins with '
    '"http://", through which HTTPS goes as well'
)


def _is_tkg(obj: Mapping[str, Any]) -> bool:
    return obj.get("kind") != KIND[1] or class_of(obj).startswith("tkg-")


def _holds_proxy(obj: Mapping[str, Any], entry: Pointer) -> bool:
    value = lookup(obj, (*entry, "value"))
    return isinstance(value, Mapping) and ("httpProxy" in value or "httpsProxy" in value)


def _slot(entry: Pointer) -> ThreeKeys:
    return ThreeKeys((*entry, "value"), _MEMBERS, "the variable `proxy`", kept=len(entry) + 1)


def _sites_of_cluster(draft: Draft, settings: ProxySettings, groups: _Groups) -> Iterator[Site]:
    is_tkg = _is_tkg(draft.data)
    if settings.is_declared and (is_tkg or _ANNOTATIONS.is_in(draft.data)):
        yield _ANNOTATIONS.in_draft(draft)
    for path in lists(draft.data):
        group = _group_of(draft.data, path)
        wanted = groups.get(group, settings) if group else settings
        if not wanted.is_declared:
            continue
        for entry in named(draft.data, path, "proxy"):
            if is_tkg or _holds_proxy(draft.data, entry):
                yield _ProxyVariable(draft, entry, wanted, group)
        if is_tkg:
            is_own = path == VARIABLES or wanted.variables() != settings.variables()
            if is_own and wanted.sets_any and not named(draft.data, path, "proxy"):
                yield _NewProxyVariable(draft, path, wanted, group)
            if settings.sets_any and not wanted.sets_any:
                draft.report(Severity.WARNING, _NONE, path[:-2], code="NodesWithoutProxy")
    if is_tkg:
        yield from _trust(draft, settings)


def _group_of(obj: Mapping[str, Any], path: Pointer) -> tuple[str, str] | None:
    """Return section and name of the worker group whose variables are in a list.

    None for other nodes.
    """
    holder = path[:-2]
    return (holder[3], str(lookup(obj, (*holder, "name")))) if "workers" in holder else None


class _ProxyVariable:
    """A variable `proxy` of a Cluster, as a site.

    Args:
        draft: the data of the Cluster.
        entry: leads to the variable.
        settings: the proxy of the nodes that the variable is for.
        group: section and name of the group of workers whose variable it is; None for other nodes.
    """

    def __init__(
        self,
        draft: Draft,
        entry: Pointer,
        settings: ProxySettings,
        group: tuple[str, str] | None,
    ) -> None:
        self._draft = draft
        self._entry = entry
        self._variables = settings.variables()
        self._group = group
        self._slot = _slot(entry)
        self.label = _label(group)

    def read(self) -> Iterator[Reading]:
        """Yield what the variable says.

        A group of workers has a variable of its own because it differs, so it says nothing about
        the proxy of the Cluster.
        """
        if self._group is None and _holds_proxy(self._draft.data, self._entry):
            yield from self._slot.read(self._draft.data)

    def write(self, variables: Variables) -> None:
        """Give the variable the proxy of its nodes; remove it where nothing else is in it.

        Raises:
            WrongTypeError: the value of the variable is no mapping.
        """
        self._slot.in_draft(self._draft).write(self._variables)
        if not self._variables and not _rest(self._draft.data, self._entry):
            remove_entry(self._draft, self._entry, kept=_kept_steps(self._entry[:-1]))


class _NewProxyVariable:
    """The variable `proxy` where there is none yet, as a site.

    Args:
        draft: the data of the Cluster.
        path: leads to the list of variables, which need not be there.
        settings: the proxy of the nodes that the list is for.
        group: as for ``_ProxyVariable``.
    """

    def __init__(
        self, draft: Draft, path: Pointer, settings: ProxySettings, group: tuple[str, str] | None
    ) -> None:
        self._draft = draft
        self._path = path
        self._settings = settings
        self._group = group
        self.label = _label(group)

    def read(self) -> Iterator[Reading]:
        """Yield what the variable says, once it is there."""
        for entry in named(self._draft.data, self._path, "proxy"):
            yield from _ProxyVariable(self._draft, entry, self._settings, self._group).read()

    def write(self, variables: Variables) -> None:
        """Append the variable.

        Raises:
            WrongTypeError: something else than a list is there, or on the way.
        """
        value: dict[str, Any] = {
            "httpProxy": self._settings.http_proxy,
            "httpsProxy": self._settings.https_proxy,
        }
        if self._settings.no_proxy:
            value["noProxy"] = list(parse(self._settings.no_proxy))
        append_entry(self._draft, self._path, {"name": "proxy", "value": value})


def _label(group: tuple[str, str] | None) -> str:
    if group is None:
        return "the variable `proxy`"
    section, name = group
    return f'the variable `proxy` of "{name}" in `{section}`'


def _rest(obj: Mapping[str, Any], entry: Pointer) -> set[str]:
    """Return what the variable holds besides.

    TKG defines ``systemWide`` only, which means nothing alone.
    """
    return set(lookup(obj, (*entry, "value")) or ()) - {*_MEMBERS.names, "systemWide"}


def _kept_steps(path: Pointer) -> int:
    """Return how many steps stay when a list of variables is removed.

    ``topology``, or a group with variables of its own.
    """
    return len(path) - (1 if path == VARIABLES else 2)


def _trust(draft: Draft, settings: ProxySettings) -> Iterator[Site]:
    """Yield the certificate of the proxy in ``trust``; in old classes its value is the list."""
    data = certificate(settings)
    stays = settings.sets_any or not settings.is_declared
    found = named(draft.data, VARIABLES, "trust")
    for entry in found:
        value = (*entry, "value")
        is_old = isinstance(draft.get(value), list)
        trust = Trust(value if is_old else (*value, "additionalTrustedCAs"), "proxy", kept=2)
        yield TrustedCertificate(draft, trust, data, stays=stays)
    if data and not found:
        yield _NewTrustVariable(draft, data)


class _NewTrustVariable(SiteWithoutVariables):
    """The variable `trust` where there is none yet, as a site; it holds no proxy variable."""

    label = "the variable `trust`"

    def __init__(self, draft: Draft, data: str) -> None:
        self._draft = draft
        self._data = data

    def write(self, variables: Variables) -> None:
        """Append the variable.

        Raises:
            WrongTypeError: something else than a list is there, or on the way.
        """
        value = {"additionalTrustedCAs": [{"name": "proxy", "data": self._data}]}
        append_entry(self._draft, VARIABLES, {"name": "trust", "value": value})
        self._draft.describe(f"sets {self.label}")


def _sites_of_service(draft: Draft, settings: ProxySettings) -> Iterator[Site]:
    if not isinstance(draft.data.get("spec"), Mapping):
        return
    if settings.is_declared:
        yield _OF_SERVICE.in_draft(draft)
        _report_scheme(draft, settings)
    data = certificate(settings)
    yield TrustedCertificate(draft, _TRUST_OF_SERVICE, data, stays=not settings.is_declared)


def _report_scheme(draft: Draft, settings: ProxySettings) -> None:
    """Report a proxy that is written although the service does not take it."""
    try:
        draft.mapping(_OF_SERVICE.path)
    except WrongTypeError:
        return  # nothing was written, and that has been reported
    for name, url in (("httpProxy", settings.http_proxy), ("httpsProxy", settings.https_proxy)):
        if url.startswith("https://"):
            path = (*_OF_SERVICE.path, name)
            draft.report(Severity.WARNING, _HTTPS, path, code="ProxySchemeUnsupported")


class _TkgClusterClass(Target):
    id = "tkgClusterClass"
    kinds = frozenset({KIND, tkg.TANZU_KUBERNETES_CLUSTER})
    audience = Audience.PRODUCT
    reach = Reach.GROUPS
    writes = Writes.PROXY_AND_TRUST
    node_update = NodeUpdate(
        is_rolled=True, why="TKG replaces the nodes of a cluster whose network settings change"
    )

    def sites(self, draft: Draft, context: Context) -> Iterator[Site]:
        """Yield the places of a proxy in a Cluster, or in a TanzuKubernetesCluster."""
        settings = context.settings
        groups: _Groups = context.class_context.groups if context.class_context else {}
        if draft.data.get("kind") == KIND[1]:
            of_groups = {name: whole(one) for name, one in groups.items()}
            yield from _sites_of_cluster(draft, whole(settings), of_groups)
        else:
            yield from _sites_of_service(draft, whole(settings))
        problem = next(filter(None, map(half, (settings, *groups.values()))), None)
        if problem and (draft.edits or draft.findings or _is_tkg(draft.data)):
            draft.findings.insert(0, problem)


TARGET = _TkgClusterClass()
