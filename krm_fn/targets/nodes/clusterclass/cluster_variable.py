"""The variable of one Cluster: its value for all nodes, and for those groups of workers that differ.

It is written where the class, or the Cluster as a whole, says something else, and where it names a Secret with a hash;
else it goes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from krm_fn.carriers import drop_in_secret
from krm_fn.carriers.cluster_variables import VARIABLES, class_of, lists, named
from krm_fn.carriers.reading import Reading
from krm_fn.carriers.site import Variables
from krm_fn.carriers.three_keys import CAMEL, ThreeKeys
from krm_fn.engine import Draft
from krm_fn.krm.results import Finding, Severity
from krm_fn.light_typing import Any
from krm_fn.patch import Pointer, lookup
from krm_fn.settings import ProxySettings
from krm_fn.targets.class_context import ClassContext
from krm_fn.targets.nodes.clusterclass.names import VARIABLE
from krm_fn.targets.nodes.clusterclass.variable import SECRET, has_proxy, units_in_secret, value_of

_GROUP = 5
"""So many steps lead to a group of workers: ``spec.topology.workers.<section>.<index>``."""


class ClusterVariable:
    """The variable in one list of a Cluster, as a site.

    Args:
        draft: the data of the Cluster.
        path: leads to the list: that of the whole Cluster, or of a group of workers.
        wanted: the value that the variable has to have; None where it is not needed.
    """

    label = f"the variable `{VARIABLE}`"

    def __init__(self, draft: Draft, path: Pointer, wanted: dict[str, Any] | None = None) -> None:
        self._draft = draft
        self._path = path
        self._wanted = wanted

    def read(self) -> Iterator[Reading]:
        """Yield what the variable of the whole Cluster says.

        A group of workers has a variable of its own because it differs, so it says nothing about the Cluster.
        """
        if self._path == VARIABLES:
            for entry in named(self._draft.data, self._path, VARIABLE):
                yield from ThreeKeys((*entry, "value"), CAMEL, self.label).read(self._draft.data)

    def write(self, variables: Variables) -> None:
        """Give the variable the value that is wanted, whatever the variables are, or remove it.

        Raises:
            WrongTypeError: the list is none, and the variable is wanted there.
        """
        entries = named(self._draft.data, self._path, VARIABLE)
        kept = len(VARIABLES) - 1 if self._path == VARIABLES else _GROUP
        for entry in entries if self._wanted is None else entries[:-1]:
            self._draft.remove(entry, keep=kept)
            self._describe("removes")
        if self._wanted is None:
            return
        if not entries:
            self._append({"name": VARIABLE, "value": self._wanted}, kept)
            self._describe("sets")
        elif self._draft.get((*entries[-1], "value")) != self._wanted:
            self._draft.set((*entries[-1], "value"), self._wanted)
            self._describe("sets")

    def _append(self, entry: dict[str, Any], kept: int) -> None:
        if self._draft.items(self._path) is None:
            self._draft.set(self._path, [entry], keep=kept)
        else:
            self._draft.append(self._path, entry)

    def _describe(self, verb: str) -> None:
        if self._path != VARIABLES:
            self._draft.describe(f"{verb} {self.label} of a group of workers")


def sites(
    draft: Draft, settings: ProxySettings, class_context: ClassContext
) -> Iterator[ClusterVariable]:
    """Yield the variables of a Cluster; ``settings`` are those of its control plane."""
    obj = draft.data
    if not class_context.is_known:
        if settings.sets_any:
            message = (
                f'its ClusterClass "{class_of(obj)}" must be in the list, so that it can be patched and this Cluster '
                "can be given what it needs: add it, or set `spec.targets.clusterClass.sharedTemplates` to `Union`"
            )
            topology = ("spec", "topology")
            draft.report(Severity.WARNING, message, topology, code="ClassNotInList")
        return
    if particular := _particular(obj, settings, class_context):
        draft.findings.append(particular)
        return
    for path, wanted in _wanted(obj, settings, class_context):
        yield ClusterVariable(draft, path, wanted)


def _particular(
    obj: Mapping[str, Any], settings: ProxySettings, class_context: ClassContext
) -> Finding | None:
    """Return a finding if the Secret of a Cluster would have to hold several proxies."""
    if not (class_context.is_wanted and units_in_secret(class_context) and has_proxy(settings)):
        return None
    for path in lists(obj):
        group = _group(obj, path, settings, class_context) if len(path) > _GROUP else settings
        if has_proxy(group) and group.variables() != settings.variables():
            message = (
                "the Secret `<cluster>-systemd-proxy` holds the proxy of the whole Cluster, but an entry of "
                "`spec.overrides` asks for another one for these workers: let it match the whole Cluster, or set "
                "`spec.targets.containerdDropIn.content` and `spec.targets.kubeletDropIn.content` to `Inline`"
            )
            return Finding(Severity.ERROR, message, path[:_GROUP], code="SecretNotUsable")
    return None


def _wanted(
    obj: Mapping[str, Any], settings: ProxySettings, class_context: ClassContext
) -> Iterator[tuple[Pointer, dict[str, Any] | None]]:
    """Yield each list of variables that we fill, and the value for it."""
    whole = value_of(settings, class_context)
    for path in lists(obj):
        if path == VARIABLES:
            name = _secret(obj, path, settings, class_context)
            is_own = class_context.is_wanted and (
                bool(name) or whole != value_of(class_context.default, class_context)
            )
            yield path, {**whole, **name} if is_own else None
        elif len(path) > _GROUP:
            group = _group(obj, path, settings, class_context)
            value = value_of(group, class_context)
            is_different = class_context.is_wanted and value != whole
            yield (
                path,
                {**value, **_secret(obj, path, group, class_context)} if is_different else None,
            )


def _group(
    obj: Mapping[str, Any], path: Pointer, settings: ProxySettings, class_context: ClassContext
) -> ProxySettings:
    """Return the proxy of the worker group whose list of variables is at ``path``."""
    name = lookup(obj, (*path[:_GROUP], "name"))
    return class_context.groups.get((path[_GROUP - 2], str(name)), settings)


def _secret(
    obj: Mapping[str, Any], path: Pointer, settings: ProxySettings, class_context: ClassContext
) -> dict[str, str]:
    """Return the member that names the Secret with the drop-ins, if its name has a hash.

    Else an empty mapping.

    Only the rollout knows the hash, so a name that an earlier run wrote is kept until then.
    """
    if not (class_context.is_wanted and has_proxy(settings) and units_in_secret(class_context)):
        return {}
    name: Any = class_context.secret
    if not name and class_context.has_hashed_secrets:
        entries = named(obj, path, VARIABLE)
        name = lookup(obj, (*entries[-1], "value", SECRET)) if entries else None
        if not isinstance(name, str) or not drop_in_secret.is_of(name, settings):
            return {}
    return {SECRET: name} if name else {}
