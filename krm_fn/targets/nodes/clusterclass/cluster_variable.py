"""The variable of one Cluster: its value for all nodes, and for those groups of workers that differ.

It is written where the class, or the Cluster as a whole, says something else, and where it names a Secret with a hash;
else it goes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from krm_fn.clusters import CLUSTER_VARIABLES, class_name, variable_lists
from krm_fn.krm.results import Finding
from krm_fn.light_typing import Any
from krm_fn.patch import Pointer, lookup, named_items
from krm_fn.places import cluster_secret
from krm_fn.places.members import CAMEL, Computed
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
) -> Iterator[Place | Finding]:
    """Yield the variables of a Cluster; ``settings`` are those of its control plane."""
    if not class_context.is_known:
        if settings.sets_any:
            message = (
                f'its ClusterClass "{class_name(obj)}" must be in the list, so that it can be patched and this Cluster '
                "can be given what it needs: add it, or set `spec.targets.clusterClass.sharedTemplates` to `Union`"
            )
            yield Finding.of("NodesWithoutProxy", message, ("spec", "topology"))
        return
    if not any(given.is_declared for given in (settings, *class_context.groups.values())):
        return
    if particular := _particular(obj, settings, class_context):
        yield particular
        return
    for path, wanted in _wanted(obj, settings, class_context):
        is_whole = path == CLUSTER_VARIABLES
        value = Computed(partial(_value, wanted), reads=CAMEL)
        form = NamedItem(VARIABLE, ("value",), value, is_read=is_whole)
        label = f"the variable `{VARIABLE}`" + ("" if is_whole else " of a group of workers")
        keep = len(CLUSTER_VARIABLES) - 1 if is_whole else _GROUP
        yield Place(path, form, label, keep, is_trust=True)


def _value(wanted: dict[str, Any] | None, settings: ProxySettings, old: Any) -> Any:
    return wanted


def _particular(obj: Data, settings: ProxySettings, class_context: ClassContext) -> Finding | None:
    """Return a finding if the Secret of a Cluster would have to hold several proxies."""
    if not (class_context.is_wanted and units_in_secret(class_context) and has_proxy(settings)):
        return None
    for path in variable_lists(obj):
        group = _group(obj, path, settings, class_context) if len(path) > _GROUP else settings
        if has_proxy(group) and group.variables() != settings.variables():
            message = (
                "the Secret `<cluster>-systemd-proxy` holds the proxy of the whole Cluster, but an entry of "
                "`spec.overrides` asks for another one for these workers: let it match the whole Cluster, or set "
                "`spec.targets.containerdDropIn.content` and `spec.targets.kubeletDropIn.content` to `Inline`"
            )
            return Finding.of("CannotWrite", message, path[:_GROUP])
    return None


def _wanted(
    obj: Data, settings: ProxySettings, class_context: ClassContext
) -> Iterator[tuple[Pointer, dict[str, Any] | None]]:
    """Yield each list of variables that we fill, and the value for it."""
    whole = value_of(settings, class_context)
    for path in variable_lists(obj):
        if path == CLUSTER_VARIABLES:
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
    obj: Data, path: Pointer, settings: ProxySettings, class_context: ClassContext
) -> ProxySettings:
    """Return the proxy of the worker group whose list of variables is at ``path``."""
    name = lookup(obj, (*path[:_GROUP], "name"))
    return class_context.groups.get((path[_GROUP - 2], str(name)), settings)


def _secret(
    obj: Data, path: Pointer, settings: ProxySettings, class_context: ClassContext
) -> dict[str, str]:
    """Return the member that names the Secret with the drop-ins, if its name has a hash.

    Else an empty mapping.

    Only the rollout knows the hash, so a name that an earlier run wrote is kept until then.
    """
    if not (class_context.is_wanted and has_proxy(settings) and units_in_secret(class_context)):
        return {}
    name: Any = class_context.secret
    if not name and class_context.has_hashed_secrets:
        entries = named_items(obj, path, VARIABLE)
        name = lookup(obj, (*entries[-1], "value", SECRET)) if entries else None
        if not isinstance(name, str) or not cluster_secret.is_of(name, settings):
            return {}
    return {SECRET: name} if name else {}
