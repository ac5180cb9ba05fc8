"""What the variable of a ClusterClass holds, as far as the patches of the class need it.

The patches write a proxy into drop-ins and exports. Where all of that comes from the Secret of each
Cluster, they need to know only whether there is a proxy, and the variable holds no URL, so that no
credential is in a ClusterClass or a Cluster. ``secret`` is the name of that Secret where it has a
hash: another name makes another template, which is what Cluster API rolls nodes for.

A Cluster, or a group of its workers, has a value of its own where the class, or the Cluster, says something else, and
where it names such a Secret; else it goes.

Source: Cluster API, "Writing a ClusterClass": a value is checked against the schema, and members
that the schema does not name are an error.
"""

from __future__ import annotations

from functools import partial

from krm_fn import noproxy
from krm_fn.clusters import CLUSTER_VARIABLES, class_name, variable_lists
from krm_fn.config import exports_variables
from krm_fn.krm.results import Result
from krm_fn.light_typing import Any, Fields
from krm_fn.patch import Data, Pointer, named_items, text_at
from krm_fn.places import cluster_secret
from krm_fn.places.members import CAMEL, OneMember
from krm_fn.places.named_item import NamedItem
from krm_fn.places.place import Place
from krm_fn.products.node_kinds import ONLY_EXPORTERS
from krm_fn.settings import ProxySettings
from krm_fn.target_table import part_of
from krm_fn.targets.base import Places
from krm_fn.targets.class_context import ClassContext
from krm_fn.targets.nodes.clusterclass.names import VARIABLE
from krm_fn.targets.nodes.node_targets import UNITS

ENABLED, SECRET = "enabled", "secret"

_TEXT = {"type": "string"}
_PROXY: Data = {
    "httpProxy": _TEXT,
    "httpsProxy": _TEXT,
    "noProxy": {
        "description": (
            "What is reached directly; builtin.cluster.network.* is what the Cluster says."
        ),
        "type": "array",
        "items": _TEXT,
    },
}
_NAME_OF_SECRET = {
    "description": "The Secret with the drop-ins; without it <cluster>-systemd-proxy.",
    **_TEXT,
}


def writes_proxy(class_context: ClassContext) -> bool:
    """Return whether a patch writes the proxy itself, into a drop-in or a command."""
    for name in class_context.targets:
        if name in ONLY_EXPORTERS and not exports_variables(class_context.options):
            continue
        if not _is_in_secret(class_context, name):
            return True
    return False


def units_in_secret(class_context: ClassContext) -> list[str]:
    """Return the services whose drop-ins come from the Secret of a Cluster."""
    return [unit for name, unit in UNITS.items() if _is_in_secret(class_context, name)]


def _is_in_secret(class_context: ClassContext, target: str) -> bool:
    if target not in class_context.targets:
        return False
    return text_at(class_context.options, (part_of(target), "content")) == "Secret"


def has_proxy(settings: ProxySettings) -> bool:
    """Return whether any proxy is set."""
    return bool(settings.http_proxy or settings.https_proxy)


def value_of(settings: ProxySettings, class_context: ClassContext) -> Fields:
    """Return the value of the variable without the name of a Secret; empty for no proxy."""
    if not writes_proxy(class_context):
        if not has_proxy(settings):
            return {}
        return {ENABLED: True}
    members = {
        "httpProxy": settings.http_proxy,
        "httpsProxy": settings.https_proxy,
        "noProxy": list(noproxy.parse(settings.no_proxy)),
    }
    return {name: value for name, value in members.items() if value}


def definition_of(settings: ProxySettings, class_context: ClassContext) -> Fields:
    """Return the entry of ``spec.variables``; ``settings`` are its default.

    What the variable held before, in Clusters that are there, stays valid where no URL is needed.
    """
    description = "The proxy of the nodes; without httpProxy and httpsProxy they have none."
    properties: Fields = dict(_PROXY)
    if not writes_proxy(class_context):
        description = (
            "Whether the nodes have a proxy, which is in a Secret of their Cluster; without enabled they have "
            "none. httpProxy counts as enabled, and is not read otherwise, nor are httpsProxy and noProxy."
        )
        properties = {ENABLED: {"type": "boolean"}, **properties}
    if units_in_secret(class_context):
        properties[SECRET] = _NAME_OF_SECRET
    schema = {
        "description": description,
        "type": "object",
        "properties": properties,
        "default": value_of(settings, class_context),
    }
    return {"name": VARIABLE, "required": False, "schema": {"openAPIV3Schema": schema}}


def enabled_if(class_context: ClassContext) -> str:
    """Return the condition of patches for Clusters that have a proxy."""
    members = ".httpProxy .httpsProxy"
    if not writes_proxy(class_context):
        members = f".{ENABLED} {members}"
    return f"{{{{ with .{VARIABLE} }}}}{{{{ if or {members} }}}}true{{{{ end }}}}{{{{ end }}}}"


_GROUP = 5
"""So many steps lead to a group of workers: ``spec.topology.workers.<section>.<index>``."""


def places(obj: Data, settings: ProxySettings, class_context: ClassContext) -> Places:
    """Yield the variables of a Cluster; ``settings`` are those of its control plane."""
    if not class_context.is_known:
        if settings.sets_any:
            message = (
                f'its ClusterClass "{class_name(obj)}" must be in the list, so that it can be patched and this Cluster '
                "can be given what it needs: add it, or set `spec.targets.nodes.classes` to `Union`"
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
                "`spec.targets.nodes.containerd.content` and `spec.targets.nodes.kubelet.content` to `Inline`"
            )
            yield Result.of("CannotWrite", message, path[:_GROUP])
            return
    for path, proxy in proxies.items():
        is_whole = path == CLUSTER_VARIABLES
        secret = ""
        if has_secret:
            secret = _secret(obj, path, proxy, class_context)
        above = settings
        label = f"the variable `{VARIABLE}` of a group of workers"
        keep = _GROUP
        if is_whole:
            above = class_context.default
            label = f"the variable `{VARIABLE}`"
            keep = len(CLUSTER_VARIABLES) - 1
        value: Fields | None = value_of(proxy, class_context)
        is_inherited = value == value_of(above, class_context) and not (is_whole and secret)
        if is_inherited or not class_context.is_wanted:
            value = None
        elif value is not None and secret:
            value[SECRET] = secret
        member = OneMember(partial(_constant, value), CAMEL)
        form = NamedItem(VARIABLE, ("value",), member, is_read=is_whole)
        yield Place(path, form, label, keep, is_trust=True)


def _constant(value: Fields | None, settings: ProxySettings, old: Any) -> Any:
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
            section = path[_GROUP - 2]
            name = text_at(obj, (*path[:_GROUP], "name"))
            proxies[path] = class_context.groups.get((section, name), settings)
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
        if cluster_secret.is_of(name, proxy):
            return name
        return ""
    return ""
