"""The variable of one Cluster: its value for all nodes, and for those groups of workers that differ.

It is written where the class, or the Cluster as a whole, says something else, and where it names a Secret with a hash;
else it goes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from krm_fn.clusters import CLUSTER_VARIABLES, class_name, variable_lists
from krm_fn.krm.results import Result
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Pointer, lookup, named_items, text_at
from krm_fn.places import cluster_secret
from krm_fn.places.members import CAMEL, OneMember
from krm_fn.places.named_item import NamedItem
from krm_fn.places.place import Place
from krm_fn.settings import ProxySettings
from krm_fn.targets.class_context import ClassContext
from krm_fn.targets.context import Data
from krm_fn.targets.nodes.clusterclass.names import VARIABLE
from krm_fn.targets.nodes.clusterclass.variable import SECRET, has_proxy, units_in_secret, value_of

_GROUP = 5
"""So many steps lead to a group of workers: ``spec.topology.workers.<section>.<index>``."""


def places(
    obj: Data, settings: ProxySettings, class_context: ClassContext
) -> Iterator[Place | Result]:
    """Yield the variables of a Cluster; ``settings`` are those of its control plane."""
    if not class_context.is_known:
        if settings.sets_any:
            message = (
                f'its ClusterClass "{class_name(obj)}" must be in the list, so that it can be patched and this Cluster '
                "can be given what it needs: add it, or set `spec.targets.clusterClass.sharedTemplates` to `Union`"
            )
            yield Result.of("NodesWithoutProxy", message, ("spec", "topology"))
        return
    if not any(given.is_declared for given in (settings, *class_context.groups.values())):
        return
    variables = _ClusterVariables(obj, settings, class_context)
    conflict = variables.secret_conflict()
    if conflict:
        yield conflict
        return
    for path in variables.lists():
        is_whole = path == CLUSTER_VARIABLES
        value = OneMember(partial(_constant, variables.value_at(path)), reads=CAMEL)
        form = NamedItem(VARIABLE, ("value",), value, is_read=is_whole)
        label = f"the variable `{VARIABLE}`" + ("" if is_whole else " of a group of workers")
        keep = len(CLUSTER_VARIABLES) - 1 if is_whole else _GROUP
        yield Place(path, form, label, keep, is_trust=True)


def _constant(value: dict[str, Any] | None, settings: ProxySettings, old: Any) -> Any:
    return value


class _ClusterVariables(NamedTuple):
    """The variables of one Cluster; ``settings`` are the proxy of its control plane."""

    obj: Data
    settings: ProxySettings
    class_context: ClassContext

    def lists(self) -> list[Pointer]:
        """Return what leads to the lists of variables: that of the Cluster, and those of groups of workers."""
        lists = [*variable_lists(self.obj)]
        return [path for path in lists if path == CLUSTER_VARIABLES or len(path) > _GROUP]

    def proxy_at(self, path: Pointer) -> ProxySettings:
        """Return the proxy of the nodes that a list of variables is about."""
        if path == CLUSTER_VARIABLES:
            return self.settings
        name = lookup(self.obj, (*path[:_GROUP], "name"))
        return self.class_context.groups.get((path[_GROUP - 2], str(name)), self.settings)

    def secret_conflict(self) -> Result | None:
        """Return a finding if the Secret of the Cluster would have to hold several proxies."""
        if not self._uses_secret(self.settings):
            return None
        for path in self.lists():
            proxy = self.proxy_at(path)
            if has_proxy(proxy) and proxy.variables() != self.settings.variables():
                message = (
                    "the Secret `<cluster>-systemd-proxy` holds the proxy of the whole Cluster, but an entry of "
                    "`spec.overrides` asks for another one for these workers: let it match the whole Cluster, or set "
                    "`spec.targets.containerdDropIn.content` and `spec.targets.kubeletDropIn.content` to `Inline`"
                )
                return Result.of("CannotWrite", message, path[:_GROUP])
        return None

    def value_at(self, path: Pointer) -> dict[str, Any] | None:
        """Return the value for a list of variables; None where what it inherits is right."""
        if not self.class_context.is_wanted:
            return None
        is_whole = path == CLUSTER_VARIABLES
        proxy = self.proxy_at(path)
        value = value_of(proxy, self.class_context)
        secret = self._secret_at(path, proxy)
        above = self.class_context.default if is_whole else self.settings
        if value == value_of(above, self.class_context) and not (is_whole and secret):
            return None
        return {**value, SECRET: secret} if secret else value

    def _secret_at(self, path: Pointer, proxy: ProxySettings) -> str:
        """Return the name of the Secret with the drop-ins, if it has a hash; else "".

        Only the rollout knows the hash, so a name that an earlier run wrote is kept until then.
        """
        if not self._uses_secret(proxy):
            return ""
        if self.class_context.secret or not self.class_context.has_hashed_secrets:
            return self.class_context.secret
        for entry in reversed(named_items(self.obj, path, VARIABLE)):
            name = text_at(self.obj, (*entry, "value", SECRET))
            return name if cluster_secret.is_of(name, proxy) else ""
        return ""

    def _uses_secret(self, proxy: ProxySettings) -> bool:
        is_in_secret = bool(units_in_secret(self.class_context))
        return self.class_context.is_wanted and is_in_secret and has_proxy(proxy)
