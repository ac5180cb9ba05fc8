"""Additions to the lists of a template, so that its nodes get the files and commands that the targets would write.

The targets write into a draft of the template as the patches of others leave it; each new entry is an addition. A text
that depends on a Cluster becomes a Go template.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from krm_fn.engine import Draft
from krm_fn.krm.results import Result
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Pointer, list_at, text_at
from krm_fn.products.node_kinds import FILES_ON_REQUEST
from krm_fn.settings import ProxySettings
from krm_fn.targets import load_target
from krm_fn.targets.base import Context, Data
from krm_fn.targets.nodes.clusterclass import go_templates
from krm_fn.targets.nodes.clusterclass.class_data import (
    PATCHED_WHERE_ERASED,
    ForeignOperation,
    NodeGroup,
    operations_on,
)
from krm_fn.targets.nodes.clusterclass.listed_class import ListedClass
from krm_fn.targets.nodes.node_commands import is_restart
from krm_fn.targets.nodes.node_config import NodeConfig

_NO_PROXY = ProxySettings()
# Stands for the proxy of any Cluster, and for its name, where the targets write into a template.
_ANY_PROXY = ProxySettings("any.invalid", "any.invalid", "any.invalid", clusters=("",))


class ListAdditions(NamedTuple):
    """The entries that one list gets.

    Attributes:
        common: entries for every node.
        fixed: entries for every node with a proxy, whatever its proxy is.
        templates: Go templates of the entries that say the proxy.
    """

    common: Sequence[Any]
    fixed: Sequence[Any]
    templates: Sequence[str]


class Additions(NamedTuple):
    """The entries that the lists of a template get.

    Attributes:
        config: the configuration in the template.
        template: the template without the parts that our patches write in its place.
        operations: those of others on it.
        commands: those of the template that no patch of others erases.
        lists: path of a list -> its entries, if it gets any.
        paths: those of the files.
        findings: those of the targets.
    """

    config: NodeConfig
    template: Data
    operations: Sequence[ForeignOperation]
    commands: Sequence[str]
    lists: Mapping[Pointer, ListAdditions]
    paths: Sequence[str]
    findings: Sequence[Result]


def additions_to(
    node_config: NodeConfig,
    listed: ListedClass,
    nodes: NodeGroup,
    *,
    has_proxy: bool = True,
    has_common: bool = True,
) -> Additions:
    """Return the entries that the lists of a template get for the nodes of a class that are made of it.

    Args:
        node_config: the configuration in the template.
        listed: the class.
        nodes: the nodes.
        has_proxy: patches write the proxy of any Cluster.
        has_common: patches write certificates and mirror, which are the same for all Clusters, and not the template.
    """
    settings = listed.default.settings
    of_proxy = listed.enabled((*node_config.system.targets, FILES_ON_REQUEST))
    of_common = [
        target
        for target in listed.enabled(PATCHED_WHERE_ERASED)
        if (node_config.kind.group, node_config.kind.kind) in load_target(target).row.kinds
    ]
    # Patches of an earlier run are behind this template, so it is read without what they add.
    draft = Draft(node_config.obj)
    _write(draft, of_proxy, listed, _NO_PROXY)
    kept = _NO_PROXY if has_common else settings
    _write(draft, of_common, listed, kept)
    template = draft.data
    operations = operations_on(listed.obj.data, nodes)
    commands = node_config.commands_in(template)
    if any(patch.is_certain and patch.is_whole(node_config.commands) for patch in operations):
        commands = []
    bare = Draft(template)
    bare.set(node_config.commands, commands)
    proxy = Draft(bare.data)
    if has_proxy:
        _write(proxy, of_proxy, listed, _ANY_PROXY)
    common = Draft(proxy.data)
    _write(common, of_common, listed, settings)
    proxy_files = _new_files(proxy, node_config)
    common_files = _new_files(common, node_config)
    proxy_commands = _new_entries(proxy, node_config.commands)
    restarts = [command for command in proxy_commands if is_restart(command)]
    exports = [go_templates.EXPORTS] if len(restarts) < len(proxy_commands) else []
    templates = [go_templates.file(file) for file in proxy_files]
    common_commands = _new_entries(common, node_config.commands)
    lists = {
        node_config.files: ListAdditions(common_files, [], templates),
        node_config.commands: ListAdditions(common_commands, restarts, exports),
    }
    return Additions(
        node_config,
        template,
        operations,
        commands,
        {path: additions for path, additions in lists.items() if any(additions)},
        [file_path(file) for file in (*proxy_files, *common_files)],
        [*proxy.findings, *common.findings],
    )


def _write(
    draft: Draft, targets: Iterable[str], listed: ListedClass, settings: ProxySettings
) -> None:
    """Let targets write into a template; without a list, a Secret is named only where an option asks for it."""
    for target in targets:
        load_target(target).write(draft, Context(listed.options, settings))


def _new_entries(draft: Draft, path: Pointer) -> list[Any]:
    """Return the entries of a list that were added to a draft, or changed in it."""
    known = list_at(draft.before, path)
    return [entry for entry in list_at(draft.data, path) if entry not in known]


def _new_files(draft: Draft, node_config: NodeConfig) -> list[Any]:
    return sorted(_new_entries(draft, node_config.files), key=file_path)


def file_path(file_entry: Any) -> str:
    """Return the path of an entry of ``files``."""
    return text_at(file_entry, "path")
