"""The patches that a ClusterClass has to have, for each group of its nodes, and the patches of others that erase them.

Cluster API runs patches in their order. Ours are behind those of others, so that nothing erases their additions; only
``inject-proxy-empty-lists`` runs before them, so that a list that they may or may not write is there in the end.

Source: Cluster API ``internal/webhooks/patch_validation.go``: a patch adds to a list at its beginning (``/0``) or its
end (``/-``) only, and the list must be there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from krm_fn.clusters import ObjectIndex
from krm_fn.engine import Draft
from krm_fn.krm.codes import Severity
from krm_fn.krm.results import Result
from krm_fn.light_typing import Any, Fields, NamedTuple
from krm_fn.patch import Data, Pointer, list_at, render_pointer, text_at
from krm_fn.products.cluster_api import OUR_PATCHES
from krm_fn.products.node_kinds import HOSTED, KIND_NAMES
from krm_fn.products.systems import targets_of
from krm_fn.targets import ClassPlan
from krm_fn.targets.nodes.clusterclass.additions import (
    Additions,
    ListAdditions,
    additions_to,
    file_path,
)
from krm_fn.targets.nodes.clusterclass.class_data import (
    ADDITIONS,
    EMPTY_LISTS,
    LISTS,
    NODES,
    PATCHES,
    ForeignOperation,
    NodeGroup,
    is_list_after,
    node_groups,
    others_in,
    selector_for,
    written_path,
)
from krm_fn.targets.nodes.clusterclass.class_target import enabled_if
from krm_fn.targets.nodes.clusterclass.listed_class import ListedClass
from krm_fn.targets.nodes.node_commands import Commands, anchors, changes_proxy
from krm_fn.targets.nodes.node_config import NodeConfig, find

_BEGINNING, _END = "0", "-"


class NodePatches(NamedTuple):
    """The operations of our patches for one group of nodes.

    Attributes:
        nodes: the group.
        operations: name of our patch -> entries of ``jsonPatches``.
        findings: one that is stale keeps the class from being patched.
    """

    nodes: NodeGroup
    operations: dict[str, list[Fields]]
    findings: list[Result]

    def add(self, name: str, path: Pointer, **value: Any) -> None:
        """Add an operation that adds a value to one of our patches."""
        operation = {"op": "add", "path": render_pointer(path), **value}
        self.operations.setdefault(name, []).append(operation)

    def report(self, code: str, message: str) -> None:
        """Add a finding about the reference to the template."""
        self.findings.append(Result.of(code, message, self.nodes.path))


class _ObstacleError(Exception):
    """Why a class cannot be patched."""


def erasures(listed: ListedClass, templates: ObjectIndex[Data]) -> list[Result]:
    """Return a finding for each list of a template that a patch of others would erase."""
    findings = {}
    for nodes in node_groups(listed.obj):
        template = listed.template(nodes, templates)
        if template is None or nodes.template.kind not in KIND_NAMES:
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
                finding = Result.of("ClassPatched", message, PATCHES)
                findings[operation.patch, path[-1]] = finding
    return [*findings.values()]


def node_patches(listed: ListedClass, templates: ObjectIndex[Data]) -> Iterator[NodePatches]:
    """Yield the operations of our patches for each group of nodes of a class."""
    for nodes in node_groups(listed.obj):
        if nodes.template.kind in HOSTED:
            continue
        patches = NodePatches(nodes, {}, [])
        try:
            if nodes.template.kind in KIND_NAMES:
                _add_patches(patches, listed, listed.template(nodes, templates))
            elif not targets_of(*nodes.template.group_kind):
                patches.report(
                    "NodesWithoutProxy",
                    f'no target writes the nodes of a "{nodes.template.kind}", so they get no proxy here: '
                    "see to it yourself",
                )
        except _ObstacleError as error:
            patches.operations.clear()
            message = f"{error}; until then this class and its Clusters stay as they are"
            finding = Result.of("ByHand", message, nodes.path, is_stale=True)
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
            f"{nodes.called} must be in the list, in the namespace of this class, and belong to nothing but "
            "ClusterClasses, so that the patch can follow what it holds"
        )
        if listed.is_chosen:
            raise _ObstacleError(message)
        patches.report("NodesWithoutProxy", message)
        return
    config = find(Draft(template))
    if config is None:
        raise _ObstacleError(
            f"{nodes.called} has no configuration that a patch could add to: write one with a `files` entry in it"
        )
    if config.unsupported:
        message = f"{nodes.called} makes {config.unsupported} nodes, which get no proxy here"
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
    for path, additions in added.lists.items():
        is_there = bool(list_at(added.template, path))
        state = is_list_after(added.operations, path, is_there=is_there)
        if state is None and not is_list_after(added.operations, path):
            raise _ObstacleError(
                f"whether `{path[-1]}` is there depends on a Cluster: let the class always write it"
            )
        ends = dict.fromkeys((ADDITIONS, LISTS, NODES), _END)
        if path == config.commands:
            place = text_at(listed.options, ("commands", "place"))
            ends.update(_beginnings(patches, added, additions, place))
        _add_to_list(patches, path, additions, state, ends)


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
                f'{nodes.called} holds a file "{path}" with more in it than a proxy: move that elsewhere'
            )
    for finding in added.findings:
        if finding.severity is Severity.ERROR:
            patches.findings.append(finding._replace(path=nodes.path))
    path = written_path(listed.obj.data, added.paths, nodes.template.kind)
    if path:
        patches.report(
            "ByHand",
            f'a patch of the class writes a file "{path}", too, and Cluster API takes a path once',
        )


def _beginnings(
    patches: NodePatches, added: Additions, additions: ListAdditions, place: str
) -> dict[str, str]:
    """Return which of our patches add commands at the beginning, because a command needs the network.

    Args:
        patches: gets a finding about an addition that has to be behind such a command.
        added: the additions to the template.
        additions: those to its commands.
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
        (LISTS, where.restart, restart if additions.fixed and where.restart_behind >= 0 else ""),
        (NODES, where.exports, exports if additions.templates and is_changed else ""),
    ):
        if place != "Start" and anchor == len(texts):
            continue
        if not obstacle:
            beginnings[name] = _BEGINNING
        elif not place:
            patches.report(
                "NetworkBeforeProxy",
                f"a command of {patches.nodes.called}, or of the patches of this class, needs the network before it "
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
    additions: ListAdditions,
    is_there: bool | None,
    ends: Mapping[str, str],
) -> None:
    """Add the operations for one list.

    Args:
        patches: gets them.
        path: leads to the list in the template.
        additions: the additions.
        is_there: whether there is a list; None where that depends on a Cluster.
        ends: name of our patch -> the end at which it adds.
    """
    fixed = additions.fixed
    if is_there is None:
        patches.add(EMPTY_LISTS, path, value=[])
    elif not is_there and additions.common:
        patches.add(ADDITIONS, path, value=[])
    elif not is_there:
        patches.add(LISTS, path, value=list(fixed))
        fixed = ()
    common = list(additions.common)
    if ends[ADDITIONS] == _BEGINNING:
        common.reverse()  # each goes in front of those before
    for entry in common:
        patches.add(ADDITIONS, (*path, ends[ADDITIONS]), value=entry)
    for entry in fixed:
        patches.add(LISTS, (*path, ends[LISTS]), value=entry)
    for text in additions.templates:
        patches.add(NODES, (*path, ends[NODES]), valueFrom={"template": text})


_SHARED = (
    f"it shares a template with a class whose patches erase, so the proxy is in the patch `{NODES}`"
)


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
        findings += listed.erasures or [Result.of("ClassPatched", _SHARED, ("spec",))]
    patches = []
    for name in OUR_PATCHES:
        if name in used:
            patch: Fields = {"name": name}
            # Entries for every node are added for every Cluster, and so are the lists for them.
            if ADDITIONS not in used or name not in (EMPTY_LISTS, ADDITIONS):
                patch["enabledIf"] = condition
            patch["definitions"] = [*_definitions(name, groups)]
            patches.append(patch)
        if name == EMPTY_LISTS:
            patches += others_in(listed.obj.data)
    return ClassPlan(patches, bool(used), findings)


def _definitions(name: str, groups: Sequence[NodePatches]) -> Iterator[Fields]:
    """Yield the definitions of a patch; nodes that need the same share one."""
    alike: dict[str, list[NodePatches]] = {}
    for group in groups:
        if name in group.operations:
            nodes = group.nodes
            kind = nodes.template.kind
            is_control_plane = not any(nodes.worker_class)
            key = (nodes.api_version, kind, is_control_plane, group.operations[name])
            alike.setdefault(repr(key), []).append(group)
    for equal in alike.values():
        selector = selector_for([group.nodes for group in equal])
        yield {"selector": selector, "jsonPatches": equal[0].operations[name]}
