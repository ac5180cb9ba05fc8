"""The patches that a ClusterClass has to have, for each group of its nodes, and the patches of others that erase them.

The targets write into a draft of the template as the patches of others leave it; each new entry of its lists is an
addition. A text that depends on a Cluster becomes a Go template.

Cluster API runs patches in their order. Ours are behind those of others, so that nothing erases their additions; only
``inject-proxy-empty-lists`` runs before them, so that a list that they may or may not write is there in the end.

Source: Cluster API ``internal/webhooks/patch_validation.go``: a patch adds to a list at its beginning (``/0``) or its
end (``/-``) only, and the list must be there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from krm_fn.clusters import ObjectIndex
from krm_fn.clusters.references import Use
from krm_fn.engine import Draft
from krm_fn.krm.codes import Severity
from krm_fn.krm.results import Result
from krm_fn.light_typing import Any, Fields, NamedTuple
from krm_fn.patch import Data, Pointer, list_at, render_pointer, text_at
from krm_fn.products.cluster_api import OUR_PATCHES
from krm_fn.products.node_kinds import FILES_ON_REQUEST, HOSTED, KIND_NAMES
from krm_fn.products.systems import targets_of
from krm_fn.settings import ProxySettings
from krm_fn.targets import ClassPlan, load_target
from krm_fn.targets.base import Context
from krm_fn.targets.nodes.clusterclass import go_templates
from krm_fn.targets.nodes.clusterclass.class_data import (
    ADDITIONS,
    EMPTY_LISTS,
    LISTS,
    NODES,
    PATCHED_WHERE_ERASED,
    PATCHES,
    ForeignOperation,
    is_list_after,
    kind_selector,
    node_groups,
    operations_on,
    others_in,
    selector_for,
    written_path,
)
from krm_fn.targets.nodes.clusterclass.class_target import enabled_if
from krm_fn.targets.nodes.clusterclass.listed_class import ListedClass
from krm_fn.targets.nodes.node_commands import Commands, anchors, changes_proxy, is_restart
from krm_fn.targets.nodes.node_config import NodeConfig, find

_BEGINNING, _END = "0", "-"

_NO_PROXY = ProxySettings()
# Stands for the proxy of any Cluster, and for its name, where the targets write into a template.
_ANY_PROXY = ProxySettings("any.invalid", "any.invalid", "any.invalid", clusters=("",))


# Name of our patch -> the entries that it adds to one list.
PatchEntries = Mapping[str, Sequence[Any]]


class Additions(NamedTuple):
    """The entries that the lists of a template get.

    Attributes:
        config: the configuration in the template.
        template: the template without the parts that our patches write in its place.
        operations: those of others on it.
        commands: those of the template that no patch of others erases.
        lists: path of a list that gets any -> name of our patch -> its entries; of the proxy, Go templates of them.
        paths: those of the files.
        findings: those of the targets.
    """

    config: NodeConfig
    template: Data
    operations: Sequence[ForeignOperation]
    commands: Sequence[str]
    lists: Mapping[Pointer, PatchEntries]
    paths: Sequence[str]
    findings: Sequence[Result]


class NodePatches(NamedTuple):
    """The operations of our patches for one group of nodes.

    Attributes:
        nodes: the group.
        operations: name of our patch -> entries of ``jsonPatches``.
        findings: one that is stale keeps the class from being patched.
    """

    nodes: Use
    operations: dict[str, list[Fields]]
    findings: list[Result]

    @property
    def called(self) -> str:
        """The name of the template in messages."""
        return f'the {self.nodes.target.kind} "{self.nodes.target.name}"'

    def add(self, name: str, path: Pointer, value: Any) -> None:
        """Add an operation that adds a value to one of our patches; that of the proxy is a Go template."""
        operation: Fields = {"op": "add", "path": render_pointer(path)}
        if name == NODES:
            operation["valueFrom"] = {"template": value}
        else:
            operation["value"] = value
        self.operations.setdefault(name, []).append(operation)

    def report(self, code: str, message: str) -> None:
        """Add a finding about the reference to the template."""
        self.findings.append(Result(code, message, self.nodes.path))


class _ObstacleError(Exception):
    """Why a class cannot be patched."""


def additions_to(
    node_config: NodeConfig,
    listed: ListedClass,
    nodes: Use,
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
        node_config.files: {ADDITIONS: common_files, NODES: templates},
        node_config.commands: {ADDITIONS: common_commands, LISTS: restarts, NODES: exports},
    }
    return Additions(
        node_config,
        template,
        operations,
        commands,
        {path: entries for path, entries in lists.items() if any(entries.values())},
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


def erasures(listed: ListedClass, templates: ObjectIndex[Data]) -> list[Result]:
    """Return a finding for each list of a template that a patch of others would erase."""
    findings = {}
    for nodes in node_groups(listed.obj):
        template = listed.template(nodes, templates)
        if template is None or nodes.target.kind not in KIND_NAMES:
            continue
        # a template without ``spec`` gets one where no class is in the way
        config = find(Draft(template), is_wanted=True, is_whole=True)
        if config is None or config.unsupported:
            continue
        added = additions_to(config, listed, nodes)
        for path in added.lists:
            for operation in added.operations:
                if not operation.is_whole(path):
                    continue
                message = (
                    f'the patch "{operation.patch}" erases what the template has in `{path[-1]}`, so the proxy is in '
                    f"`{NODES}` behind it"
                )
                finding = Result("ClassPatched", message, PATCHES)
                findings[operation.patch, path[-1]] = finding
    return [*findings.values()]


def node_patches(listed: ListedClass, templates: ObjectIndex[Data]) -> Iterator[NodePatches]:
    """Yield the operations of our patches for each group of nodes of a class."""
    for nodes in node_groups(listed.obj):
        if nodes.target.kind in HOSTED:
            continue
        patches = NodePatches(nodes, {}, [])
        try:
            if nodes.target.kind in KIND_NAMES:
                _add_patches(patches, listed, listed.template(nodes, templates))
            elif not targets_of(*nodes.target.group_kind):
                patches.report(
                    "NodesWithoutProxy",
                    f'no target writes the nodes of a "{nodes.target.kind}", so they get no proxy here: '
                    "see to it yourself",
                )
        except _ObstacleError as error:
            patches.operations.clear()
            message = f"{error}; until then this class and its Clusters stay as they are"
            finding = Result("ByHand", message, nodes.path, is_stale=True)
            patches.findings.append(finding)
        yield patches


def _add_patches(patches: NodePatches, listed: ListedClass, template: Data | None) -> None:
    """Add the operations for the nodes of one template, or report why they get no proxy.

    Raises:
        _ObstacleError: the class cannot be patched.
    """
    nodes = patches.nodes
    if template is None:
        message = (
            f"{patches.called} must be in the list, in the namespace of this class, and belong to nothing but "
            "ClusterClasses, so that the patch can follow what it holds"
        )
        if listed.is_chosen:
            raise _ObstacleError(message)
        patches.report("NodesWithoutProxy", message)
        return
    config = find(Draft(template))
    if config is None:
        raise _ObstacleError(
            f"{patches.called} has no configuration that a patch could add to: write one with a `files` entry in it"
        )
    if config.unsupported:
        message = f"{patches.called} makes {config.unsupported} nodes, which get no proxy here"
        patches.report("NodesWithoutProxy", message)
        return
    added = additions_to(
        config,
        listed,
        nodes,
        has_proxy=listed.is_wanted,
        has_common=listed.repairs_erased,
    )
    _report_files(patches, listed, added)
    for path, entries in added.lists.items():
        is_there = bool(list_at(added.template, path))
        state = is_list_after(added.operations, path, is_there=is_there)
        if state is None and not is_list_after(added.operations, path):
            raise _ObstacleError(
                f"whether `{path[-1]}` is there depends on a Cluster: let the class always write it"
            )
        ends = {}
        if path == config.commands:
            place = text_at(listed.options, ("commands", "place"))
            ends = _beginnings(patches, added, entries, place)
        _add_to_list(patches, path, entries, state, ends)


def _report_files(patches: NodePatches, listed: ListedClass, added: Additions) -> None:
    """Report files that are written twice, and those that no target may write.

    Raises:
        _ObstacleError: a file of the template would be there twice.
    """
    nodes = patches.nodes
    for file in list_at(added.template, added.config.files):
        path = file_path(file)
        if path in added.paths:
            raise _ObstacleError(
                f'{patches.called} holds a file "{path}" with more in it than a proxy: move that elsewhere'
            )
    for finding in added.findings:
        if finding.severity is Severity.ERROR:
            patches.findings.append(finding._replace(path=nodes.path))
    path = written_path(listed.obj.data, added.paths, nodes.target.kind)
    if path:
        patches.report(
            "ByHand",
            f'a patch of the class writes a file "{path}", too, and Cluster API takes a path once',
        )


def _beginnings(
    patches: NodePatches, added: Additions, entries: PatchEntries, place: str
) -> dict[str, str]:
    """Return which of our patches add commands at the beginning, because a command needs the network.

    Args:
        patches: gets a finding about an addition that has to be behind such a command.
        added: the additions to the template.
        entries: those of its commands.
        place: the option ``place``.
    """
    config = added.config
    texts = [*added.commands, *_added_commands(added.operations, config)]
    where = anchors(Commands(texts, config.scripts_in(added.template)), place)
    restart = (
        f"the restart of {config.runtime} has to be behind a command that installs or configures it"
    )
    exports = "the exports have to be behind a command that sets or unsets the proxy"
    is_changed = not place and any(map(changes_proxy, texts))
    beginnings = {}
    for name, anchor, obstacle in (
        (ADDITIONS, where.trust, ""),
        (LISTS, where.restart, restart if entries[LISTS] and where.restart_behind >= 0 else ""),
        (NODES, where.exports, exports if entries[NODES] and is_changed else ""),
    ):
        if place != "Start" and anchor == len(texts):
            continue
        if not obstacle:
            beginnings[name] = _BEGINNING
        elif not place:
            patches.report(
                "NetworkBeforeProxy",
                f"a command of {patches.called}, or of the patches of this class, needs the network before it "
                f"has the proxy: {obstacle}. Build what that command needs into the image, or choose the place with "
                "`spec.targets.nodes.commands.place`",
            )
    return beginnings


def _added_commands(
    operations: Sequence[ForeignOperation], node_config: NodeConfig
) -> Iterator[str]:
    """Yield the commands that patches of others add; each line of a Go template counts as one."""
    for operation in operations:
        if operation.is_whole(node_config.commands) or operation.is_entry(node_config.commands):
            value = operation.value
            if not isinstance(value, list):
                value = [value]
            for command in value:
                if isinstance(command, str):
                    yield command
            for line in operation.text.splitlines():
                yield line.strip("- \"'")


def _add_to_list(
    patches: NodePatches,
    path: Pointer,
    entries: PatchEntries,
    is_there: bool | None,
    ends: Mapping[str, str],
) -> None:
    """Add the operations for one list.

    Args:
        patches: gets them.
        path: leads to the list in the template.
        entries: the entries that it gets.
        is_there: whether there is a list; None where that depends on a Cluster.
        ends: name of our patch -> the end at which it adds, where that is not the last one.
    """
    if is_there is None:
        patches.add(EMPTY_LISTS, path, [])
    elif not is_there and entries[ADDITIONS]:
        patches.add(ADDITIONS, path, [])
    elif not is_there:
        patches.add(LISTS, path, entries.get(LISTS, []))
        entries = {**entries, LISTS: []}
    for name, values in entries.items():
        end = ends.get(name, _END)
        # At the beginning each goes in front of those before.
        for value in reversed(values) if end == _BEGINNING else values:
            patches.add(name, (*path, end), value)


def plan(listed: ListedClass, templates: ObjectIndex[Data]) -> ClassPlan:
    """Return the patches that a class has to have.

    Args:
        listed: the class.
        templates: the objects that belong to classes that are patched, and to nothing else.
    """
    groups: list[NodePatches] = []
    if listed.is_wanted or listed.repairs_erased:
        groups += node_patches(listed, templates)
    findings = []
    for group in groups:
        findings += group.findings
    if any(finding.is_stale for finding in findings):
        return ClassPlan(None, findings=findings)
    condition = enabled_if(listed.context())
    used = {name for group in groups for name in group.operations}
    if used and not listed.is_chosen:
        findings += listed.erasures or [
            Result(
                "ClassPatched",
                f"it shares a template with a class whose patches erase, so the proxy is in the patch `{NODES}`",
                ("spec",),
            )
        ]
    patches = []
    for name in OUR_PATCHES:
        if name in used:
            patch: Fields = {"name": name}
            # Entries for every node are added for every Cluster, and so are the lists for them.
            if ADDITIONS not in used or name not in (EMPTY_LISTS, ADDITIONS):
                patch["enabledIf"] = condition
            patch["definitions"] = [*_definitions(listed.obj.data, name, groups)]
            patches.append(patch)
        if name == EMPTY_LISTS:
            patches += others_in(listed.obj.data)
    return ClassPlan(patches, bool(used), findings)


def _definitions(data: Data, name: str, groups: Sequence[NodePatches]) -> Iterator[Fields]:
    """Yield the definitions of a patch of a class, given its data; nodes that need the same share one."""
    alike: dict[str, list[NodePatches]] = {}
    for group in groups:
        if name in group.operations:
            nodes = group.nodes
            is_control_plane = not any(nodes.worker_class)
            key = (kind_selector(data, nodes), is_control_plane, group.operations[name])
            alike.setdefault(repr(key), []).append(group)
    for equal in alike.values():
        selector = selector_for(data, [group.nodes for group in equal])
        yield {"selector": selector, "jsonPatches": equal[0].operations[name]}
