"""The targets that give nodes the proxy by files and commands, each by its row in ``products/node_kinds.py``."""

from __future__ import annotations

from krm_fn.krm.results import Result
from krm_fn.noproxy import Audience
from krm_fn.patch import list_at, lookup
from krm_fn.places.place import Place
from krm_fn.products.node_kinds import EKS_NODEADM, FILES_ON_REQUEST, RKE2
from krm_fn.target_table import part_of
from krm_fn.targets.base import Context, Data, Options, Places
from krm_fn.targets.nodes.node_commands import NodeExports
from krm_fn.targets.nodes.node_config import CONTAINERD, ConfigTarget, NodeConfig
from krm_fn.targets.nodes.node_files import (
    NODE_FILES,
    NodeFile,
    drop_in,
    proxy_file,
    service_file,
)

_EARLY_SWITCH = ("featureGates", "InstanceIdNodeName")
"""The field with which nodeadm does not ask the cloud before the commands run."""
_EARLY = (
    "without this, nodeadm asks EC2 for the name of the node before it can have a proxy: switch it on, or let nodes "
    "reach EC2 directly"
)
UNITS = {"nodes.containerd": CONTAINERD, "nodes.kubelet": "kubelet"}
"""The targets whose drop-ins may be in the Secret of a Cluster, and their services."""


def target_files(target_id: str, config: NodeConfig, options: Options) -> list[NodeFile]:
    """Return the files that a target writes."""
    if target_id == "nodes.containerd":
        return [drop_in(config.runtime)]
    if target_id == "nodes.kubelet":
        return [drop_in("kubelet")]
    if target_id == FILES_ON_REQUEST:
        chosen = list_at(options, ("files",))
        return [file for name, file in NODE_FILES.items() if name in chosen]
    if config.system is RKE2:
        return [service_file(service) for service in config.kind.services]
    services = [*config.kind.services, config.commands_unit]
    return [drop_in(service) for service in services if service]


class NodeTarget(ConfigTarget):
    """One target of the table of node kinds, by its ID.

    Example: ``nodes.containerd`` adds to ``files`` of a KubeadmConfigTemplate::

        - path: /etc/systemd/system/containerd.service.d/http-proxy.conf
          content: |
            [Service]
            Environment="HTTP_PROXY=http://proxy:3128"
    """

    audience = Audience.NODE

    def is_wanted(self, context: Context) -> bool:
        """Return whether any file is to be written."""
        is_asked = self.id != FILES_ON_REQUEST or bool(list_at(context.options, ("files",)))
        return is_asked and context.settings.sets_any

    def places_in(self, config: NodeConfig, data: Data, context: Context) -> Places:
        """Yield the files, and the commands; report a step before these, which gets no proxy."""
        own = context.settings.without_proxy if config.unsupported else None
        for file in target_files(self.id, config, context.options):
            options = lookup(context.options, (part_of(self.id),))
            form = proxy_file(config, file, data, options)
            yield Place(config.files, form, file.label, settings=own)
        if self.id != config.system.exporter:
            return
        is_early = config.system is EKS_NODEADM and lookup(config.data, _EARLY_SWITCH) is not True
        if is_early and context.settings.sets_any:
            yield Result.of("NetworkBeforeProxy", _EARLY, (*config.path, *_EARLY_SWITCH))
        if config.commands_unit:
            own = context.settings.without_proxy  # its drop-in replaces the exports
        label = f"the exports in `{config.commands[-1]}`"
        exports = NodeExports(config, context.options)
        yield Place(config.commands, exports, label, settings=own)


TARGET = NodeTarget
