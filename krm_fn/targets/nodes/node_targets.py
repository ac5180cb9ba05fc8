"""The targets that give the proxy to nodes by files and commands: which files, and whether there are commands."""

from __future__ import annotations

from krm_fn.krm.results import Result
from krm_fn.noproxy import Audience
from krm_fn.patch import list_at, lookup
from krm_fn.places.place import Place
from krm_fn.products.node_kinds import FILES_ON_REQUEST, SERVICE_TARGETS
from krm_fn.target_table import part_of
from krm_fn.targets.base import Context, Data, Options, Places
from krm_fn.targets.nodes.node_commands import NodeExports
from krm_fn.targets.nodes.node_config import CONTAINERD, ConfigTarget, NodeConfig
from krm_fn.targets.nodes.node_files import (
    NODE_FILES,
    NodeFile,
    OtherDropIns,
    drop_in_of,
    environment_file_of,
    proxy_file,
)

_EARLY = (
    "without this, nodeadm asks EC2 for the name of the node before it can have a proxy: switch it on, or let nodes "
    "reach EC2 directly"
)
CONTAINERD_DROP_IN, KUBELET_DROP_IN, KUBEADM_COMMANDS = (
    "nodes.containerd",
    "nodes.kubelet",
    "nodes.commands",
)


def files_of(target_id: str, config: NodeConfig, options: Options) -> list[NodeFile]:
    """Return the files that a target writes."""
    if target_id == CONTAINERD_DROP_IN:
        return [drop_in_of(config.runtime)]
    if target_id == KUBELET_DROP_IN:
        return [drop_in_of("kubelet")]
    if target_id == FILES_ON_REQUEST:
        chosen = list_at(options, ("files",))
        return [file for name, file in NODE_FILES.items() if name in chosen]
    if target_id not in SERVICE_TARGETS:
        return []
    if config.system.has_environment_files:
        return [environment_file_of(service) for service in config.kind.services]
    services = [*config.kind.services, config.commands_unit]
    return [drop_in_of(service) for service in services if service]


class NodeTarget(ConfigTarget):
    """One target of the table of node kinds, by its ID."""

    audience = Audience.NODE

    def is_wanted(self, context: Context) -> bool:
        """Return whether any file is to be written."""
        is_asked = self.id != FILES_ON_REQUEST or bool(list_at(context.options, ("files",)))
        return is_asked and context.settings.sets_any

    def places_in(self, config: NodeConfig, data: Data, context: Context) -> Places:
        """Yield the files, and the commands; and what comes before these and gets no proxy."""
        own = context.settings.without_proxy if config.unsupported else None
        for file in files_of(self.id, config, context.options):
            options = lookup(context.options, (part_of(self.id),))
            form = proxy_file(config, file, data, options)
            yield Place(config.files, form, file.label, settings=own)
            if file.unit:
                label = f"other drop-ins of {file.unit}"
                yield Place(config.files, OtherDropIns(form), label, settings=own)
        switch = config.system.early_switch
        is_wanted = context.settings.sets_any and self.id == config.system.exporter
        if is_wanted and switch and lookup(config.data, switch) is not True:
            path = (*config.path, *switch)
            yield Result.of("NetworkBeforeProxy", _EARLY, path)
        if self.id == config.system.exporter:
            if config.commands_unit:
                own = context.settings.without_proxy
            label = f"the exports in `{config.commands[-1]}`"
            form_of_exports = NodeExports(config, context.options)
            yield Place(config.commands, form_of_exports, label, settings=own)


TARGET = NodeTarget

UNITS = {CONTAINERD_DROP_IN: CONTAINERD, KUBELET_DROP_IN: "kubelet"}
"""The targets whose drop-ins may be in the Secret of a Cluster, and their services."""
