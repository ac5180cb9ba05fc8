"""What patches of a ClusterClass give to each group of its nodes.

That is the difference of what the targets of nodes would write into the template of these nodes, put behind the path of
the class and made of its variable where it depends on a Cluster.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from krm_fn.clusters import ObjectIndex
from krm_fn.engine import Draft
from krm_fn.krm.codes import Severity
from krm_fn.krm.results import Result
from krm_fn.light_typing import Any, Fields, NamedTuple
from krm_fn.patch import Pointer, list_at, render_pointer, text_at
from krm_fn.products.node_kinds import FILES_ON_REQUEST, HOSTED, KIND_NAMES
from krm_fn.products.systems import targets_of
from krm_fn.settings import ProxySettings
from krm_fn.target_table import part_of
from krm_fn.targets import TARGETS
from krm_fn.targets.base import Context, Data
from krm_fn.targets.nodes import node_config
from krm_fn.targets.nodes.clusterclass import go_templates
from krm_fn.targets.nodes.clusterclass.foreign_patches import (
    ForeignOperation,
    operations_on,
    state_after,
    written_path,
)
from krm_fn.targets.nodes.clusterclass.listed_class import ListedClass
from krm_fn.targets.nodes.clusterclass.names import (
    ADDITIONS,
    EMPTY_LISTS,
    LISTS,
    NODES,
    PATCHED_WHERE_ERASED,
)
from krm_fn.targets.nodes.clusterclass.node_groups import NodeGroup, node_groups
from krm_fn.targets.nodes.command_order import Commands, anchors, changes_proxy, is_restart
from krm_fn.targets.nodes.node_config import NodeConfig

_MARKER = "inject-proxy.invalid"
_NO_PROXY = ProxySettings()
_ANY_PROXY = ProxySettings(_MARKER, _MARKER, _MARKER, clusters=("",))
"""Stands for the proxy of any Cluster, and for its name, where the targets write into a template."""

_BEGINNING, _END = "0", "-"
"""The places in a list in which a patch may add an entry."""


_Addition = tuple[str, Fields]
"""An entry that is added to a list: the name of our patch that adds it, and the members that say the value."""


class NodePatches(NamedTuple):
    """What the patches give to one group of nodes.

    Attributes:
        nodes: the group.
        operations: name of our patch -> entries of ``jsonPatches``.
        findings: what the user should know. One that is stale keeps the class from being patched.
    """

    nodes: NodeGroup
    operations: dict[str, list[Fields]]
    findings: list[Result]

    def add(self, name: str, path: Pointer, **value: Any) -> None:
        """Add an operation that adds a value to one of our patches."""
        operation = {"op": "add", "path": render_pointer(path), **value}
        self.operations.setdefault(name, []).append(operation)

    def report(self, code: str, message: str, *, is_stale: bool = False) -> None:
        """Add a finding about the reference to the template."""
        self.findings.append(Result.of(code, message, self.nodes.path, is_stale=is_stale))


class _Written(NamedTuple):
    """A template as the targets and the patches of others leave it.

    Attributes:
        config: the configuration in it.
        template: the template without what our patches write in its place.
        operations: those of others on it.
        commands: those of the configuration that no patch of others erases.
        draft: the configuration with these commands and all that the targets write.
    """

    config: NodeConfig
    template: Data
    operations: Sequence[ForeignOperation]
    commands: Sequence[str]
    draft: Draft

    @property
    def new_files(self) -> list[Any]:
        """The files that the targets add, by path."""
        before = list_at(self.template, self.config.files)
        files = list_at(self.draft.data, self.config.files)
        new = [file for file in files if file not in before]
        return sorted(new, key=_path_of)

    def additions(self) -> dict[Pointer, list[_Addition]]:
        """Return what is added to the files, and to the commands, by the path of the list."""
        files = []
        for file in self.new_files:
            if "contentFrom" in file or _MARKER in file.get("content", ""):
                template = go_templates.file(file)
                files.append((NODES, _of_template(template)))
            else:
                files.append((ADDITIONS, {"value": file}))
        commands = []
        exports = []
        for text in list_at(self.draft.data, self.config.commands):
            if text in self.commands:
                continue
            if _MARKER in text:
                template = go_templates.EXPORTS
                exports = [(NODES, _of_template(template))]
            elif is_restart(text):
                commands.append((LISTS, {"value": text}))
            else:
                commands.append((ADDITIONS, {"value": text}))
        return {self.config.files: files, self.config.commands: [*commands, *exports]}


def _of_template(text: str) -> Fields:
    return {"valueFrom": {"template": text}}


class _NotPatchedError(Exception):
    """Why the nodes of one template get no patch.

    Args:
        message: says it.
        is_obstacle: the whole class cannot be patched; if False, the other nodes of the class get their proxy.
    """

    def __init__(self, message: str, *, is_obstacle: bool = True) -> None:
        super().__init__(message)
        self.is_obstacle = is_obstacle


def erasers_of(
    listed: ListedClass, templates: ObjectIndex[Data]
) -> list[tuple[ForeignOperation, str]]:
    """Return what patches of others erase of what the templates of a class must hold, and the key of the list."""
    erasers: dict[tuple[int, Pointer], tuple[ForeignOperation, str]] = {}
    for nodes in node_groups(listed.obj.data):
        template = listed.template(nodes, templates)
        if template is None or nodes.kind not in KIND_NAMES:
            continue
        written = _written(listed, nodes, template, is_all=True)
        if written is None or written.config.unsupported:
            continue
        for path, additions in written.additions().items():
            if not additions:
                continue
            state = state_after(written.operations, path)
            for operation in state.erasers:
                key = (operation.patch, operation.field)
                erasers.setdefault(key, (operation, path[-1]))
    return [*erasers.values()]


def node_patches(listed: ListedClass, templates: ObjectIndex[Data]) -> Iterator[NodePatches]:
    """Yield what patches give to each group of nodes of a class."""
    for nodes in node_groups(listed.obj.data):
        group, kind = nodes.group_kind
        if kind in HOSTED:
            continue
        if kind not in KIND_NAMES and targets_of(group, kind):
            continue
        patches = NodePatches(nodes, {}, [])
        try:
            _add_patches(patches, listed, templates)
        except _NotPatchedError as error:
            patches.operations.clear()
            if error.is_obstacle:
                message = f"{error}; until then this class and its Clusters stay as they are"
                patches.report("ByHand", message, is_stale=True)
            else:
                patches.report("NodesWithoutProxy", str(error))
        yield patches


def _add_patches(patches: NodePatches, listed: ListedClass, templates: ObjectIndex[Data]) -> None:
    """Add the operations for the nodes of one template.

    Raises:
        _NotPatchedError: they get no patch.
    """
    written = _known(listed, patches.nodes, templates)
    _report_files(patches, listed, written)
    place = text_at(listed.options, ("commands", "place"))
    for path, additions in written.additions().items():
        if not additions:
            continue
        is_there = bool(list_at(written.template, path))
        state = state_after(written.operations, path, is_there=is_there)
        if state.is_there is None and not state_after(written.operations, path).is_there:
            raise _NotPatchedError(
                f"whether `{path[-1]}` is there depends on a Cluster: let the class always write it"
            )
        ends = {}
        if path == written.config.commands:
            names = {name for name, _ in additions}
            ends = _ends(patches, written, names, place)
        _add_to_list(patches, path, additions, state.is_there, ends)


def _known(listed: ListedClass, nodes: NodeGroup, templates: ObjectIndex[Data]) -> _Written:
    """Return the template of some nodes with what is written into it.

    Raises:
        _NotPatchedError: no target writes it.
    """
    if nodes.kind not in KIND_NAMES:
        message = f'no target writes the nodes of a "{nodes.kind}", so they get no proxy here: see to it yourself'
        raise _NotPatchedError(message, is_obstacle=False)
    template = listed.template(nodes, templates)
    if template is None:
        message = (
            f"{nodes.called} must be in the list, in the namespace of this class, and belong to nothing but "
            "ClusterClasses, so that the patch can follow what it holds"
        )
        raise _NotPatchedError(message, is_obstacle=listed.is_chosen)
    written = _written(listed, nodes, template)
    if written is None:
        raise _NotPatchedError(
            f"{nodes.called} has no configuration that a patch could add to: write one with a `files` entry in it"
        )
    if written.config.unsupported:
        message = (
            f"{nodes.called} makes {written.config.unsupported} nodes, which get no proxy here"
        )
        raise _NotPatchedError(message, is_obstacle=False)
    return written


def _written(
    listed: ListedClass, nodes: NodeGroup, template: Data, *, is_all: bool = False
) -> _Written | None:
    """Return a template with what the targets write for any Cluster; None without a configuration.

    Args:
        listed: the class.
        nodes: the nodes of the template.
        template: the template.
        is_all: all that patches could write counts, in a template without ``spec``, too; if False, what they have to
            write in the place of the template.
    """
    draft = Draft(template)
    config = node_config.find(draft, is_wanted=is_all, is_whole=is_all)
    if config is None:
        return None
    common = listed.default.settings
    if is_all or listed.repairs_erased:
        common = _NO_PROXY
    _write(draft, listed, config, _NO_PROXY, common)
    template = draft.data
    operations = operations_on(listed.obj.data, nodes)
    commands = config.commands_in(template)
    state = state_after(operations, config.commands)
    if any(eraser.is_certain for eraser in state.erasers):
        commands = []
    draft = Draft(template)
    draft.set(config.commands, commands)
    proxy = _NO_PROXY
    if is_all or listed.is_wanted:
        proxy = _ANY_PROXY
    _write(draft, listed, config, proxy, listed.default.settings)
    return _Written(config, template, operations, commands, draft)


def _write(
    draft: Draft,
    listed: ListedClass,
    config: NodeConfig,
    proxy: ProxySettings,
    common: ProxySettings,
) -> None:
    """Let the targets write a proxy into a template, and what is the same for all Clusters."""
    targets = (*config.system.targets, FILES_ON_REQUEST)
    for target in listed.enabled(targets):
        part = part_of(target)
        given = listed.options.get(part)
        options = listed.options
        if not given or isinstance(given, dict):
            options = {**options, part: {"content": "Inline", **(given or {})}}
        TARGETS[target].write(draft, Context(options, proxy))
    key = (config.kind.group, config.kind.kind)
    for target in listed.enabled(PATCHED_WHERE_ERASED):
        if key in TARGETS[target].kinds:
            TARGETS[target].write(draft, Context(listed.options, common))


def _path_of(file: Any) -> str:
    return text_at(file, ("path",))


def _report_files(patches: NodePatches, listed: ListedClass, written: _Written) -> None:
    """Report what is wrong with what the targets write.

    Raises:
        _NotPatchedError: a file of the template would be there twice.
    """
    nodes = patches.nodes
    paths = [_path_of(file) for file in written.new_files]
    for file in list_at(written.template, written.config.files):
        path = _path_of(file)
        if path in paths:
            raise _NotPatchedError(
                f'{nodes.called} holds a file "{path}" with more in it than a proxy: move that elsewhere'
            )
    for finding in written.draft.findings:
        if finding.severity is Severity.ERROR:
            patches.findings.append(finding._replace(path=nodes.path))
    path = written_path(listed.obj.data, paths, nodes.kind)
    if path:
        message = (
            f'a patch of the class writes a file "{path}", too, and Cluster API takes a path once'
        )
        patches.report("ByHand", message)


def _ends(
    patches: NodePatches, written: _Written, names: Collection[str], place: str
) -> dict[str, str]:
    """Return at which end of the commands each of our patches adds, and report what is too late there.

    It is the beginning where a command needs the network: a patch adds at the ends of a list only.

    Args:
        patches: gets the findings.
        written: the template.
        names: the patches that add commands.
        place: the option ``place``.
    """
    config = written.config
    texts = [*written.commands, *_commands_of(written.operations, config)]
    where = anchors(Commands(texts, config.scripts_in(written.template)), place)
    is_changed = not place and any(map(changes_proxy, texts))
    restart = (
        f"the restart of {config.runtime} has to be behind a command that installs or configures it"
    )
    exports = "the exports have to be behind a command that sets or unsets the proxy"
    ends = {}
    for name, anchor, is_held, reason in (
        (LISTS, where.restart, where.restart_behind >= 0, restart),
        (NODES, where.exports, is_changed, exports),
    ):
        ends[name] = _END
        if place != "Start" and anchor >= len(texts):
            continue
        if not is_held:
            ends[name] = _BEGINNING
        elif name in names and not place:
            message = (
                f"a command of {patches.nodes.called}, or of the patches of this class, needs the network before it "
                f"has the proxy: {reason}. Build what that command needs into the image, or choose the place with "
                "`spec.targets.nodes.commands.place`"
            )
            patches.report("NetworkBeforeProxy", message)
    return ends


def _commands_of(operations: Sequence[ForeignOperation], config: NodeConfig) -> Iterator[str]:
    """Yield the commands that patches of others add; each line of a Go template counts as one."""
    for operation in operations:
        if not operation.is_whole(config.commands) and not operation.is_entry(config.commands):
            continue
        values = operation.value
        if not isinstance(values, list):
            values = [values]
        for value in values:
            if isinstance(value, str):
                yield value
        for line in operation.text.splitlines():
            yield line.strip("- \"'")


def _add_to_list(
    patches: NodePatches,
    path: Pointer,
    additions: Sequence[_Addition],
    is_there: bool | None,
    ends: Mapping[str, str],
) -> None:
    """Add the operations for one list.

    Args:
        patches: gets them.
        path: leads to the list in the template.
        additions: what is added.
        is_there: whether there is a list; None where that depends on a Cluster.
        ends: the end at which a patch adds; the last one for others.
    """
    if is_there is None:
        patches.add(EMPTY_LISTS, path, value=[])
    elif not is_there and any(name == ADDITIONS for name, _ in additions):
        patches.add(ADDITIONS, path, value=[])
    elif not is_there:
        fixed = [members["value"] for name, members in additions if name == LISTS]
        patches.add(LISTS, path, value=fixed)
        additions = [addition for addition in additions if addition[0] != LISTS]
    for name, members in additions:
        end = ends.get(name, _END)
        patches.add(name, (*path, end), **members)
