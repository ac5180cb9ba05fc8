"""The variable of one Cluster: its value for all nodes, and for those groups of workers that differ.

It is written where the class, or the Cluster as a whole, says something else, and where it names a Secret with a hash;
else it goes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from krm_fn.clusters import CLUSTER_VARIABLES, class_name, variable_lists
from krm_fn.krm.results import Result
from krm_fn.light_typing import Any
from krm_fn.patch import Pointer, named_items, text_at
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
    proxies = _proxies(obj, settings, class_context)
    has_secret = bool(units_in_secret(class_context)) and class_context.is_wanted
    for path, proxy in proxies.items():
        is_other = has_proxy(proxy) and proxy.variables() != settings.variables()
        if has_secret and has_proxy(settings) and is_other:
            message = (
                "the Secret `<cluster>-systemd-proxy` holds the proxy of the whole Cluster, but an entry of "
                "`spec.overrides` asks for another one for these workers: let it match the whole Cluster, or set "
                "`spec.targets.containerdDropIn.content` and `spec.targets.kubeletDropIn.content` to `Inline`"
            )
            yield Result.of("CannotWrite", message, path[:_GROUP])
            return
    for path, proxy in proxies.items():
        is_whole = path == CLUSTER_VARIABLES
        secret = _secret(obj, path, proxy, class_context) if has_secret else ""
        above = class_context.default if is_whole else settings
        value: dict[str, Any] | None = value_of(proxy, class_context)
        is_inherited = value == value_of(above, class_context) and not (is_whole and secret)
        if is_inherited or not class_context.is_wanted:
            value = None
        elif value is not None and secret:
            value[SECRET] = secret
        form = NamedItem(
            VARIABLE, ("value",), OneMember(partial(_constant, value), CAMEL), is_read=is_whole
        )
        label = f"the variable `{VARIABLE}`" + ("" if is_whole else " of a group of workers")
        keep = len(CLUSTER_VARIABLES) - 1 if is_whole else _GROUP
        yield Place(path, form, label, keep, is_trust=True)


def _constant(value: dict[str, Any] | None, settings: ProxySettings, old: Any) -> Any:
    return value


def _proxies(
    obj: Data, settings: ProxySettings, class_context: ClassContext
) -> dict[Pointer, ProxySettings]:
    """Return the lists of variables of the Cluster and of its groups of workers -> the proxy of these nodes."""
    proxies: dict[Pointer, ProxySettings] = {}
    for path in variable_lists(obj):
        if path == CLUSTER_VARIABLES:
            proxies[path] = settings
        elif len(path) > _GROUP:
            group = path[_GROUP - 2], text_at(obj, (*path[:_GROUP], "name"))
            proxies[path] = class_context.groups.get(group, settings)
    return proxies


def _secret(obj: Data, path: Pointer, proxy: ProxySettings, class_context: ClassContext) -> str:
    """Return the name of the Secret with the drop-ins, if it has a hash; else "".

    Only the rollout knows the hash, so a name that an earlier run wrote is kept until then.
    """
    if not has_proxy(proxy):
        return ""
    if class_context.secret or not class_context.has_hashed_secrets:
        return class_context.secret
    for entry in reversed(named_items(obj, path, VARIABLE)):
        name = text_at(obj, (*entry, "value", SECRET))
        return name if cluster_secret.is_of(name, proxy) else ""
    return ""
