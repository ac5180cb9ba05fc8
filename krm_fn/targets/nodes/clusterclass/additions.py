"""What has to be added to the lists of a template, so that its nodes get what the targets would write into it.

The targets write into a draft of the template as the patches of others leave it; what is new there is an addition. A text
that depends on a Cluster becomes a Go template.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from krm_fn.engine import Draft
from krm_fn.krm.results import Result
from krm_fn.light_typing import Any, Fields, NamedTuple
from krm_fn.patch import Pointer, list_at, text_at
from krm_fn.products.node_kinds import FILES_ON_REQUEST
from krm_fn.settings import ProxySettings
from krm_fn.target_table import part_of
from krm_fn.targets import TARGETS
from krm_fn.targets.base import Context, Data
from krm_fn.targets.nodes.clusterclass import go_templates
from krm_fn.targets.nodes.clusterclass.foreign_patches import (
    ForeignOperation,
    operations_on,
    state_after,
)
from krm_fn.targets.nodes.clusterclass.listed_class import ListedClass
from krm_fn.targets.nodes.clusterclass.names import ADDITIONS, LISTS, NODES, PATCHED_WHERE_ERASED
from krm_fn.targets.nodes.clusterclass.node_groups import NodeGroup
from krm_fn.targets.nodes.command_order import is_restart
from krm_fn.targets.nodes.node_config import NodeConfig

_NO_PROXY = ProxySettings()
_ANY_PROXY = ProxySettings("any.invalid", "any.invalid", "any.invalid", clusters=("",))
"""Stands for the proxy of any Cluster, and for its name, where the targets write into a template."""


class Additions(NamedTuple):
    """What has to be added to the lists of a template.

    Attributes:
        config: the configuration in the template.
        template: the template without what our patches write in its place.
        operations: those of others on it.
        commands: those of the template that no patch of others erases.
        entries: path of a list -> name of our patch -> the members of operations that say what it adds.
        paths: those of the files.
        findings: what the targets report.
    """

    config: NodeConfig
    template: Data
    operations: Sequence[ForeignOperation]
    commands: Sequence[str]
    entries: Mapping[Pointer, Mapping[str, Sequence[Fields]]]
    paths: Sequence[str]
    findings: Sequence[Result]


def additions_to(
    template: Data,
    config: NodeConfig,
    listed: ListedClass,
    nodes: NodeGroup,
    *,
    with_proxy: bool,
    with_common: bool,
) -> Additions:
    """Return what has to be added to the lists of a template.

    Args:
        template: the template.
        config: the configuration in it.
        listed: its class.
        nodes: those that are made of the template.
        with_proxy: the proxy of any Cluster is added.
        with_common: certificates and mirror, which are the same for all Clusters, are added; else the template holds
            them.
    """
    settings = listed.default.settings
    draft = Draft(template)
    _write_proxy(draft, config, listed, _NO_PROXY)
    _write_common(draft, config, listed, _NO_PROXY if with_common else settings)
    template = draft.data
    operations = operations_on(listed.obj.data, nodes)
    commands = config.commands_in(template)
    if any(eraser.is_certain for eraser in state_after(operations, config.commands).erasers):
        commands = []
    bare = Draft(template)
    bare.set(config.commands, commands)
    proxy = Draft(bare.data)
    if with_proxy:
        _write_proxy(proxy, config, listed, _ANY_PROXY)
    common = Draft(proxy.data)
    _write_common(common, config, listed, settings)
    proxy_files = _new_files(proxy, config)
    common_files = _new_files(common, config)
    proxy_commands = _new_entries(proxy, config.commands)
    common_commands = _new_entries(common, config.commands)
    restarts = [command for command in proxy_commands if is_restart(command)]
    has_exports = len(restarts) < len(proxy_commands)
    entries = {
        config.files: {
            ADDITIONS: [{"value": file} for file in common_files],
            NODES: [_of_template(go_templates.file(file)) for file in proxy_files],
        },
        config.commands: {
            ADDITIONS: [{"value": command} for command in common_commands],
            LISTS: [{"value": command} for command in restarts],
            NODES: [_of_template(go_templates.EXPORTS)] * has_exports,
        },
    }
    paths = [path_of(file) for file in (*proxy_files, *common_files)]
    findings = [*proxy.findings, *common.findings]
    return Additions(config, template, operations, commands, entries, paths, findings)


def _write_proxy(
    draft: Draft, config: NodeConfig, listed: ListedClass, proxy: ProxySettings
) -> None:
    """Let the targets of files and commands write a proxy into a template; a Secret is named only where asked for."""
    for target in listed.enabled((*config.system.targets, FILES_ON_REQUEST)):
        part = part_of(target)
        options = listed.options
        own = options.get(part) or {}
        if isinstance(own, dict):
            options = {**options, part: {"content": "Inline", **own}}
        TARGETS[target].write(draft, Context(options, proxy))


def _write_common(
    draft: Draft, config: NodeConfig, listed: ListedClass, settings: ProxySettings
) -> None:
    """Let targets write what is the same for all Clusters."""
    for target in listed.enabled(PATCHED_WHERE_ERASED):
        if (config.kind.group, config.kind.kind) in TARGETS[target].kinds:
            TARGETS[target].write(draft, Context(listed.options, settings))


def _new_entries(draft: Draft, path: Pointer) -> list[Any]:
    """Return the entries of a list that were added to a draft, or changed in it."""
    known = list_at(draft.before, path)
    return [entry for entry in list_at(draft.data, path) if entry not in known]


def _new_files(draft: Draft, config: NodeConfig) -> list[Any]:
    return sorted(_new_entries(draft, config.files), key=path_of)


def path_of(file: Any) -> str:
    """Return the path of an entry of ``files``."""
    return text_at(file, ("path",))


def _of_template(text: str) -> Fields:
    return {"valueFrom": {"template": text}}
