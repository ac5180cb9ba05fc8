"""What the variable of a ClusterClass holds, as far as the patches of the class need it.

The patches write a proxy into drop-ins and exports. Where all of that comes from the Secret of each
Cluster, they need to know only whether there is a proxy, and the variable holds no URL, so that no
credential is in a ClusterClass or a Cluster. ``secret`` is the name of that Secret where it has a
hash: another name makes another template, which is what Cluster API rolls nodes for.

Source: Cluster API, "Writing a ClusterClass": a value is checked against the schema, and members
that the schema does not name are an error.
"""

from __future__ import annotations

from collections.abc import Mapping

from krm_fn import noproxy
from krm_fn.light_typing import Any
from krm_fn.products.node_kinds import ONLY_EXPORTERS
from krm_fn.settings import ProxySettings
from krm_fn.targets.class_context import ClassContext
from krm_fn.targets.nodes.clusterclass.names import VARIABLE
from krm_fn.targets.nodes.node_targets import UNITS

ENABLED, SECRET = "enabled", "secret"

_TEXT = {"type": "string"}
_PROXY: Mapping[str, Any] = {
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
    return any(
        not _is_in_secret(options)
        for name, options in class_context.targets.items()
        if name not in ONLY_EXPORTERS or options.get("exports", True)
    )


def units_in_secret(class_context: ClassContext) -> list[str]:
    """Return the services whose drop-ins come from the Secret of a Cluster."""
    return [
        unit for name, unit in UNITS.items() if _is_in_secret(class_context.targets.get(name, {}))
    ]


def _is_in_secret(options: Mapping[str, Any]) -> bool:
    return options.get("content") == "Secret"


def has_proxy(settings: ProxySettings) -> bool:
    """Return whether any proxy is set."""
    return bool(settings.http_proxy or settings.https_proxy)


def value_of(settings: ProxySettings, class_context: ClassContext) -> dict[str, Any]:
    """Return the value of the variable without the name of a Secret; empty for no proxy."""
    if not writes_proxy(class_context):
        return {ENABLED: True} if has_proxy(settings) else {}
    value: dict[str, Any] = {}
    if settings.http_proxy:
        value["httpProxy"] = settings.http_proxy
    if settings.https_proxy:
        value["httpsProxy"] = settings.https_proxy
    if settings.no_proxy:
        value["noProxy"] = list(noproxy.parse(settings.no_proxy))
    return value


def definition_of(settings: ProxySettings, class_context: ClassContext) -> dict[str, Any]:
    """Return the entry of ``spec.variables``; ``settings`` are its default.

    What the variable held before, in Clusters that are there, stays valid where no URL is needed.
    """
    description = "The proxy of the nodes; without httpProxy and httpsProxy they have none."
    properties: dict[str, Any] = {name: _copied(value) for name, value in _PROXY.items()}
    if not writes_proxy(class_context):
        description = (
            "Whether the nodes have a proxy, which is in a Secret of their Cluster; without enabled they have "
            "none. httpProxy counts as enabled, and is not read otherwise, nor are httpsProxy and noProxy."
        )
        properties = {ENABLED: {"type": "boolean"}, **properties}
    if units_in_secret(class_context):
        properties[SECRET] = _copied(_NAME_OF_SECRET)
    schema = {
        "description": description,
        "type": "object",
        "properties": properties,
        "default": value_of(settings, class_context),
    }
    return {"name": VARIABLE, "required": False, "schema": {"openAPIV3Schema": schema}}


def _copied(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy with mappings of its own, so that YAML writes no alias."""
    return {
        key: _copied(value) if isinstance(value, Mapping) else value
        for key, value in schema.items()
    }


def enabled_if(class_context: ClassContext) -> str:
    """Return the condition of patches for Clusters that have a proxy."""
    members = ".httpProxy .httpsProxy"
    if not writes_proxy(class_context):
        members = f".{ENABLED} {members}"
    return f"{{{{ with .{VARIABLE} }}}}{{{{ if or {members} }}}}true{{{{ end }}}}{{{{ end }}}}"
