"""What patches of a ClusterClass give to each sort of its nodes.

That is the difference of what the targets of nodes would write into the template of these nodes, put behind the path of
the class and made of its variable where it depends on a Cluster.

Source: Cluster API ``api/core`` v1beta1 (``template.bootstrap.ref``) and v1beta2 (``bootstrap.templateRef``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from krm_fn.clusters import targets_of
from krm_fn.engine import Draft, WrongTypeError
from krm_fn.krm.codes import Severity
from krm_fn.krm.results import Finding
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Pointer, field_path, list_at, lookup, render_pointer, text_at
from krm_fn.products.node_kinds import FILES_ON_REQUEST, HOSTED, KIND_NAMES
from krm_fn.settings import ProxySettings
from krm_fn.targets import TARGETS
from krm_fn.targets.base import Context
from krm_fn.targets.class_context import ClassContext
from krm_fn.targets.nodes import node_config
from krm_fn.targets.nodes.clusterclass import go_templates
from krm_fn.targets.nodes.clusterclass.foreign_patches import (
    NodeSort,
    Operation,
    operations_on,
    state_after,
    written_path,
)
from krm_fn.targets.nodes.clusterclass.names import INSTEAD_OF_WHERE_ERASED
from krm_fn.targets.nodes.command_order import Commands, anchors, changes_proxy, is_restart
from krm_fn.targets.nodes.node_config import NodeConfig

_ANY = "inject-proxy.invalid"
_ANY_PROXY = ProxySettings(_ANY, _ANY, _ANY, clusters=("",))
"""Stands for the proxy of any Cluster, and for its name, where the targets write into a template."""

_SECTIONS = ("machineDeployments", "machinePools")
_HOLDERS = (("template", "bootstrap"), ("bootstrap",))


class NodePatches(NamedTuple):
    """Entries of ``jsonPatches`` for one sort of nodes.

    Attributes:
        nodes: the nodes.
        front: create the lists that have to be there before the patches of others.
        writers: those patches.
        common: add what is the same for all Clusters.
        lists: create the lists that are missing, and restart what pulls images.
        own: add what depends on the Cluster.
    """

    nodes: NodeSort
    front: list[dict[str, Any]]
    writers: list[int]
    common: list[dict[str, Any]]
    lists: list[dict[str, Any]]
    own: list[dict[str, Any]]


class Additions(NamedTuple):
    """What the targets add to the lists of a template.

    Attributes:
        files: entries that are the same for all Clusters.
        commands: the same for commands.
        proxied: entries of files whose content depends on the Cluster.
        has_exports: commands export a proxy.
        restart: the command that restarts what pulls images; "" for none.
        repeated: the path of a file that the template holds with more in it; "" for none.
        problems: what the targets report as an error.
    """

    files: list[Any]
    commands: list[str]
    proxied: list[Any]
    has_exports: bool
    restart: str
    repeated: str
    problems: list[Finding]


class _Reference(NamedTuple):
    """A reference of a class to a template of nodes, and where it is in the class."""

    nodes: NodeSort
    name: str
    path: Pointer


def references(obj: Mapping[str, Any]) -> Iterator[_Reference]:
    """Yield the references of a class to the templates of its nodes."""
    places: list[tuple[str, str, Pointer]] = [("", "", ("spec", "controlPlane"))]
    for section in _SECTIONS:
        for index, worker in enumerate(list_at(obj, ("spec", "workers", section))):
            name = text_at(worker, ("class",))
            if name:
                start = ("spec", "workers", section, str(index))
                places += [(section, name, (*start, *steps)) for steps in _HOLDERS]
    for section, name, holder in places:
        for member in ("ref", "templateRef"):
            reference = lookup(obj, (*holder, member))
            if isinstance(reference, Mapping) and isinstance(reference.get("kind"), str):
                version = str(reference.get("apiVersion"))
                nodes = NodeSort(section, name, version, reference["kind"])
                yield _Reference(nodes, str(reference.get("name")), (*holder, member))


def erasers_of(
    obj: Mapping[str, Any], class_context: ClassContext
) -> Iterator[tuple[Operation, str]]:
    """Yield the operations of the patches of others that take out what the templates of a class must hold, and of which list."""  # noqa: E501
    places = set()
    for reference in references(obj):
        template = _template(obj, reference, class_context)
        config = _cleared(template, class_context) if template is not None else None
        if config is None or not config.system.files or config.unsupported:
            continue
        operations = operations_on(obj, reference.nodes)
        additions = _additions(config, [], class_context, config.command_texts())
        changes = _changes(config, additions, class_context, Commands([], {}))
        for change in changes:
            whole = (*config.path, change.key)
            for eraser in state_after(operations, whole, is_there=True).erasers:
                where = (eraser.patch, eraser.field)
                if where not in places:
                    places.add(where)
                    yield eraser, change.key


class _NotPatchedError(Exception):
    """Why the nodes of one template get no patch."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


def node_patches(
    obj: Mapping[str, Any], class_context: ClassContext
) -> Iterator[NodePatches | Finding]:
    """Yield what patches give to each sort of nodes, or a finding; one that is stale keeps the class from being patched.

    Args:
        obj: the ClusterClass; findings name the index of a patch in it.
        class_context: what is known of the list.
    """  # noqa: E501
    for reference in references(obj):
        kind = reference.nodes.kind
        group = reference.nodes.api_version.partition("/")[0]
        if kind in HOSTED or (kind not in KIND_NAMES and targets_of(group, kind)):
            continue
        try:
            yield from _of_reference(obj, reference, class_context)
        except _NotPatchedError as error:
            yield error.finding


def _template(
    obj: Mapping[str, Any], reference: _Reference, class_context: ClassContext
) -> Mapping[str, Any] | None:
    namespace = text_at(obj, ("metadata", "namespace")) or ""
    return class_context.template(lookup(obj, reference.path), namespace)


def _obstacle(message: str, reference: _Reference) -> _NotPatchedError:
    """Return what keeps the whole class from being patched."""
    text = f"{message}; until then this class and its Clusters stay as they are"
    return _NotPatchedError(Finding.of("ByHand", text, reference.path, is_stale=True))


def _no_proxy(message: str, reference: _Reference) -> _NotPatchedError:
    """Return what keeps nodes from getting a proxy; the others of the class get theirs."""
    return _NotPatchedError(Finding.of("NodesWithoutProxy", message, reference.path))


def _cleared(template: Mapping[str, Any], class_context: ClassContext) -> NodeConfig | None:
    """Return the configuration in a template without what the patches write in its place."""
    draft = Draft(template)
    config = node_config.find(draft)
    if config is None:
        return None
    of_all = ProxySettings() if class_context.is_behind else class_context.default
    _take_out_proxy(config, class_context)
    for name, options in class_context.enabled(_common_targets(config)).items():
        TARGETS[name].write(draft, Context(options, of_all))
    return node_config.find(Draft(draft.data))


def _take_out_proxy(config: NodeConfig, class_context: ClassContext) -> None:
    for name, options in class_context.enabled(_targets_of(config)).items():
        TARGETS[name].write(config.draft, Context(options))


def _stubs(
    obj: Mapping[str, Any], reference: _Reference, class_context: ClassContext
) -> list[dict[str, Any]]:
    """Return the files of a template that hold nothing but the proxy, without it: path, owner, permissions stay."""
    config = node_config.find(Draft(_template(obj, reference, class_context)))
    if config is None:
        return []
    before = {file.path: file.entry for file in config.file_entries()}
    _take_out_proxy(config, class_context)
    for file in config.file_entries():
        before.pop(file.path, None)
    return [
        {key: entry[key] for key in go_templates.ATTRIBUTES if key in entry}
        for entry in before.values()
    ]


def _targets_of(config: NodeConfig) -> tuple[str, ...]:
    """Return the targets that write the proxy of a configuration."""
    return (*config.system.targets, FILES_ON_REQUEST)


def _common_targets(config: NodeConfig) -> list[str]:
    """Return the targets whose edits in a configuration are the same for all Clusters."""
    key = (config.kind.group, config.kind.kind)
    return [name for name in INSTEAD_OF_WHERE_ERASED if key in TARGETS[name].kinds]


def _additions(
    config: NodeConfig,
    stubs: Sequence[Any],
    class_context: ClassContext,
    commands: Sequence[str],
) -> Additions:
    """Return what the targets add to a cleared template.

    Args:
        config: the configuration in the template.
        stubs: files that were taken out, without the proxy.
        class_context: the options of the targets.
        commands: those that the nodes have in any case.
    """
    draft = Draft(config.draft.data)
    draft.set(config.commands, [*commands])
    before = [*config.entries(config.files)]
    if stubs:
        draft.set(config.files, [*before, *stubs])
    targets = _targets_of(config) if class_context.is_wanted else ()
    for name, options in class_context.enabled(targets).items():
        TARGETS[name].write(draft, Context({"content": "Inline", **options}, _ANY_PROXY))
    if class_context.is_behind:
        for name, options in class_context.enabled(_common_targets(config)).items():
            TARGETS[name].write(draft, Context(options, class_context.default))
    files = list_at(draft.data, config.files)
    added = [file for file in files if file not in before and file not in stubs]
    added.sort(key=lambda file: str(lookup(file, ("path",))))
    new_commands = [text for text in list_at(draft.data, config.commands) if text not in commands]
    proxied = [file for file in added if _ANY in file.get("content", "") or "contentFrom" in file]
    restarts = [text for text in new_commands if is_restart(text)]
    paths = [lookup(file, ("path",)) for file in before]
    return Additions(
        [file for file in added if file not in proxied],
        [text for text in new_commands if _ANY not in text and text not in restarts],
        proxied,
        any(_ANY in text for text in new_commands),
        restarts[0] if restarts else "",
        next((file["path"] for file in added if file["path"] in paths), ""),
        [finding for finding in draft.findings if finding.severity is Severity.ERROR],
    )


class _Change(NamedTuple):
    """What is added to one list.

    Attributes:
        key: that of the list in the configuration.
        common: entries for all Clusters.
        fixed: entries for Clusters that have a proxy.
        templates: the Go templates of entries that depend on the Cluster.
        fixed_end: where the fixed entries go: "0" for the beginning, "-" for the end.
        end: the same for the templates.
    """

    key: str
    common: Sequence[Any]
    fixed: Sequence[Any]
    templates: Sequence[str]
    fixed_end: str = "-"
    end: str = "-"


def _changes(
    config: NodeConfig, additions: Additions, class_context: ClassContext, commands: Commands
) -> list[_Change]:
    """Return what is added to the lists of a template, if anything is.

    Args:
        config: the configuration in the template.
        additions: what the targets add to it.
        class_context: says where the user wants the commands.
        commands: those that a node may have: exports and restart go to the beginning where one needs the network.
    """
    options = class_context.options.get(config.system.exporter, {})
    place = str(options.get("place", ""))
    where, last = anchors(commands, place), len(commands.texts)
    is_changed = not place and any(map(changes_proxy, commands.texts))
    is_early = where.exports < last or place == "Start"
    is_restart_early = (where.restart < last or place == "Start") and where.restart_behind < 0
    exports = [go_templates.exports()] if additions.has_exports else []
    changes = [
        _Change(
            config.system.files, additions.files, [], [*map(go_templates.file, additions.proxied)]
        ),
        _Change(
            config.system.commands,
            additions.commands,
            [additions.restart] if additions.restart else [],
            exports,
            "0" if is_restart_early else "-",
            "0" if is_early and not is_changed else "-",
        ),
    ]
    return [change for change in changes if change.common or change.fixed or change.templates]


def _late(
    config: NodeConfig, additions: Additions, class_context: ClassContext, commands: Commands
) -> Iterator[str]:
    """Yield what comes too late for a command that needs the network, as a patch adds at the ends of a list only."""
    if class_context.options.get(config.system.exporter, {}).get("place"):
        return
    where, last = anchors(commands, ""), len(commands.texts)
    if additions.has_exports and where.exports < last and any(map(changes_proxy, commands.texts)):
        yield "the exports have to be behind a command that sets or unsets the proxy"
    if additions.restart and where.restart < last and where.restart_behind >= 0:
        yield f"the restart of {config.runtime} has to be behind a command that installs or configures it"


def _of_reference(
    obj: Mapping[str, Any], reference: _Reference, class_context: ClassContext
) -> Iterator[NodePatches | Finding]:
    """Yield the patches for the nodes of one template, and what is to be said of it.

    Raises:
        _NotPatchedError: they get no patch.
    """
    called = f'the {reference.nodes.kind} "{reference.name}"'
    config = _config_of(obj, reference, class_context)
    lists = _lists_of(config, reference)
    operations = operations_on(obj, reference.nodes)
    of_commands = state_after(
        operations, config.commands, is_there=bool(lists[config.system.commands])
    )
    is_erased = any(eraser.is_certain for eraser in of_commands.erasers)
    texts = [] if is_erased else config.command_texts()
    additions = _additions(config, _stubs(obj, reference, class_context), class_context, texts)
    if additions.repeated:
        message = f'{called} holds a file "{additions.repeated}" with more in it than a proxy: move that elsewhere'
        raise _obstacle(message, reference)
    for problem in additions.problems:
        yield problem._replace(message=f"of {called}: {problem.message}", path=reference.path)
    path = written_path(obj, [file["path"] for file in additions.proxied], reference.nodes.kind)
    if path:
        message = (
            f'a patch of the class writes a file "{path}", too, and Cluster API takes a path once'
        )
        yield Finding.of("ProviderRefuses", message, ("spec",))
    commands = Commands([*texts, *_commands_of(operations, config)], _scripts(config))
    late = " and ".join(_late(config, additions, class_context, commands))
    if late:
        message = (
            f"a command of {called}, or of the patches of this class, needs the network before it has the proxy: {late}. "  # noqa: E501
            "Build what that command needs into the image, or choose the place with "
            f"`spec.targets.{config.system.exporter}.place`"
        )
        yield Finding.of("NetworkBeforeProxy", message, reference.path)
    patches = NodePatches(reference.nodes, [], [], [], [], [])
    for change in _changes(config, additions, class_context, commands):
        whole = (*config.path, change.key)
        state = state_after(operations, whole, is_there=bool(lists[change.key]))
        if state.is_there is None:
            if not state_after(operations, whole, is_there=True).is_there:
                message = f"whether `{change.key}` is there depends on a Cluster: let the class always write it"
                raise _obstacle(message, reference)
            patches.front.append(_add(config, change.key, value=[]))
            patches.writers.extend(state.writers)
        if state.may_be_null:
            yield _may_be_null(state.may_be_null, whole)
        _write_list(patches, config, change, is_there=state.is_there is not False)
    yield patches


def _may_be_null(operation: Operation, path: Pointer) -> Finding:
    message = (
        f"where this template renders to nothing, `{field_path(path)}` is null and our patch cannot add to it: let the "
        "template render `[]` then"
    )
    place = ("spec", "patches", str(operation.patch), *operation.field)
    return Finding.of("ClassPatchErases", message, place)


def _config_of(
    obj: Mapping[str, Any], reference: _Reference, class_context: ClassContext
) -> NodeConfig:
    """Return the configuration in the template of a reference; raises _NotPatchedError where no target writes it."""
    kind, name = reference.nodes.kind, reference.name
    if kind not in KIND_NAMES:
        message = f'no target writes the nodes of a "{kind}", so they get no proxy here: see to it yourself'
        raise _no_proxy(message, reference)
    template = _template(obj, reference, class_context)
    if template is None:
        message = (
            f'the {kind} "{name}" must be in the list, in the namespace of this class, and belong '
            "to nothing but ClusterClasses, so that the patch can follow what it holds"
        )
        if class_context.is_chosen:
            raise _obstacle(message, reference)
        raise _no_proxy(message, reference)
    config = _cleared(template, class_context)
    if config is None:
        message = f'the {kind} "{name}" has no configuration that a patch could add to: write one with a `files` entry in it'  # noqa: E501
        raise _obstacle(message, reference)
    if config.unsupported:
        message = f'the {kind} "{name}" makes {config.unsupported} nodes, which get no proxy here'
        raise _no_proxy(message, reference)
    return config


def _lists_of(config: NodeConfig, reference: _Reference) -> dict[str, list[Any]]:
    """Return the lists of files and commands of a template; raises _NotPatchedError for anything else there."""
    keys = (config.system.files, config.system.commands)
    try:
        return {key: config.draft.items((*config.path, key)) or [] for key in keys}
    except WrongTypeError as error:
        called = f'the {reference.nodes.kind} "{reference.name}"'
        message = f"in {called}, `{field_path(error.path)}` must be {error.wanted}"
        raise _obstacle(message, reference) from None


def _write_list(
    patches: NodePatches, config: NodeConfig, change: _Change, *, is_there: bool
) -> None:
    """Add the operations for one list."""
    key = change.key
    if change.common and not is_there:
        patches.common.append(_add(config, key, value=[]))
        is_there = True
    for entry in change.common:
        patches.common.append(_add(config, key, "-", value=entry))
    if not is_there:
        patches.lists.append(_add(config, key, value=list(change.fixed)))
    else:
        for entry in change.fixed:
            patches.lists.append(_add(config, key, change.fixed_end, value=entry))
    for template in change.templates:
        patches.own.append(_add(config, key, change.end, valueFrom={"template": template}))


def _scripts(config: NodeConfig) -> dict[str, str]:
    return {file.path: file.text for file in config.file_entries() if file.text}


def _commands_of(operations: Sequence[Operation], config: NodeConfig) -> Iterator[str]:
    """Yield the commands that patches of others add; each line of a Go template counts as one."""
    for operation in operations:
        if operation.is_whole(config.commands) or operation.is_entry(config.commands):
            values = operation.value if isinstance(operation.value, list) else [operation.value]
            yield from (value for value in values if isinstance(value, str))
            yield from (line.strip("- \"'") for line in operation.text.splitlines())


def _add(config: NodeConfig, *steps: str, **value: Any) -> dict[str, Any]:
    return {"op": "add", "path": render_pointer((*config.path, *steps)), **value}
