"""What patches of a ClusterClass give to each group of its nodes.

That is the difference of what the targets of nodes would write into the template of these nodes, put behind the path of
the class and made of its variable where it depends on a Cluster.

Source: Cluster API ``api/core`` v1beta1 (``template.bootstrap.ref``) and v1beta2 (``bootstrap.templateRef``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from krm_fn.engine import Draft
from krm_fn.krm.codes import Severity
from krm_fn.krm.results import Result
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Pointer, field_path, list_at, lookup, render_pointer, text_at
from krm_fn.products.node_kinds import FILES_ON_REQUEST, HOSTED, KIND_NAMES
from krm_fn.products.systems import targets_of
from krm_fn.settings import ProxySettings
from krm_fn.targets import TARGETS
from krm_fn.targets.base import Context, Data
from krm_fn.targets.class_context import ClassContext
from krm_fn.targets.nodes import node_config
from krm_fn.targets.nodes.clusterclass import go_templates
from krm_fn.targets.nodes.clusterclass.foreign_patches import (
    ForeignOperation,
    NodeGroup,
    operations_on,
    state_after,
    written_path,
)
from krm_fn.targets.nodes.clusterclass.names import (
    ADDITIONS,
    EMPTY_LISTS,
    LISTS,
    NODES,
    PATCHED_WHERE_ERASED,
)
from krm_fn.targets.nodes.command_order import Commands, anchors, changes_proxy, is_restart
from krm_fn.targets.nodes.node_config import NodeConfig

_MARKER = "inject-proxy.invalid"
_ANY_PROXY = ProxySettings(_MARKER, _MARKER, _MARKER, clusters=("",))
"""Stands for the proxy of any Cluster, and for its name, where the targets write into a template."""

_SECTIONS = ("machineDeployments", "machinePools")
_HOLDERS = (("template", "bootstrap"), ("bootstrap",))
_BEGINNING, _END = "0", "-"
"""The places in a list in which a patch may add an entry."""


class NodePatches(NamedTuple):
    """The operations for one group of nodes: name of our patch -> entries of ``jsonPatches``."""

    nodes: NodeGroup
    operations: dict[str, list[dict[str, Any]]]

    def add(self, name: str, path: Pointer, **value: Any) -> None:
        """Add an operation that adds a value to one of our patches."""
        operation = {"op": "add", "path": render_pointer(path), **value}
        self.operations.setdefault(name, []).append(operation)


class TemplateReference(NamedTuple):
    """A reference of a class to the template of some nodes, and where it is in the class."""

    nodes: NodeGroup
    name: str
    path: Pointer

    @property
    def called(self) -> str:
        """What messages call the template."""
        return f'the {self.nodes.kind} "{self.name}"'


class _Added(NamedTuple):
    """What the targets add to one list of a template.

    Attributes:
        key: that of the list in the configuration.
        for_all: entries for all Clusters.
        fixed: entries for Clusters that have a proxy.
        templates: the Go templates of entries that depend on the Cluster.
        fixed_end: the end of the list at which the fixed entries are added.
        end: the end for the templates.
    """

    key: str
    for_all: Sequence[Any]
    fixed: Sequence[Any]
    templates: Sequence[str]
    fixed_end: str = _END
    end: str = _END

    @property
    def is_any(self) -> bool:
        """Whether anything is added."""
        return bool(self.for_all or self.fixed or self.templates)


class _NotPatchedError(Exception):
    """Why the nodes of one template get no patch."""

    def __init__(self, finding: Result) -> None:
        super().__init__(finding.message)
        self.finding = finding


def references(obj: Data) -> Iterator[TemplateReference]:
    """Yield the references of a class to the templates of its nodes."""
    holders: list[tuple[str, str, Pointer]] = [("", "", ("spec", "controlPlane"))]
    for section in _SECTIONS:
        for index, worker in enumerate(list_at(obj, ("spec", "workers", section))):
            name = text_at(worker, ("class",))
            if name:
                start = ("spec", "workers", section, str(index))
                holders += [(section, name, (*start, *steps)) for steps in _HOLDERS]
    for section, name, holder in holders:
        for member in ("ref", "templateRef"):
            reference = lookup(obj, (*holder, member))
            if isinstance(reference, Mapping) and isinstance(reference.get("kind"), str):
                version = str(reference.get("apiVersion"))
                nodes = NodeGroup(section, name, version, reference["kind"])
                yield TemplateReference(nodes, str(reference.get("name")), (*holder, member))


def erasers_of(obj: Data, class_context: ClassContext) -> Iterator[tuple[ForeignOperation, str]]:
    """Yield the operations of others that take out what the templates must hold, each with the key of its list."""
    yielded = set()
    for reference in references(obj):
        template = _template(obj, reference, class_context)
        if template is None:
            continue
        config = _without_ours(template, class_context, is_begun=True)
        if config is None or not config.system.files or config.unsupported:
            continue
        operations = operations_on(obj, reference.nodes)
        commands = config.command_texts()
        for added in _additions(config, _with_proxy(config, commands, class_context), commands):
            state = state_after(operations, (*config.path, added.key), is_there=True)
            for eraser in state.erasers if added.is_any else ():
                if (eraser.patch, eraser.field) not in yielded:
                    yielded.add((eraser.patch, eraser.field))
                    yield eraser, added.key


def node_patches(obj: Data, class_context: ClassContext) -> Iterator[NodePatches | Result]:
    """Yield what patches give to each group of nodes, and what is to be said of it.

    A finding that is stale keeps the class from being patched; others name the index of a patch among those of others.
    """
    for reference in references(obj):
        kind = reference.nodes.kind
        group = reference.nodes.api_version.partition("/")[0]
        if kind in HOSTED or (kind not in KIND_NAMES and targets_of(group, kind)):
            continue
        try:
            yield from _of_reference(obj, reference, class_context)
        except _NotPatchedError as error:
            yield error.finding


def _of_reference(
    obj: Data, reference: TemplateReference, class_context: ClassContext
) -> Iterator[NodePatches | Result]:
    """Yield the patches for the nodes of one template, and what is to be said of it.

    Raises:
        _NotPatchedError: they get no patch.
    """
    config = _config_of(obj, reference, class_context)
    operations = operations_on(obj, reference.nodes)
    commands = config.command_texts()
    if any(eraser.is_certain for eraser in state_after(operations, config.commands).erasers):
        commands = []
    draft = _with_proxy(config, commands, class_context)
    files, new_commands = _additions(config, draft, commands)
    yield from _problems(obj, reference, config, draft)
    commands += _commands_of(operations, config)
    new_commands, late = _placed(new_commands, commands, config, class_context)
    if late:
        message = (
            f"a command of {reference.called}, or of the patches of this class, needs the network before it has the "
            f"proxy: {late}. Build what that command needs into the image, or choose the place with "
            f"`spec.targets.{config.system.exporter}.place`"
        )
        yield Result.of("NetworkBeforeProxy", message, reference.path)
    patches = NodePatches(reference.nodes, {})
    for added in (files, new_commands):
        if not added.is_any:
            continue
        path = (*config.path, added.key)
        state = state_after(operations, path, is_there=bool(config.entries(path)))
        if state.is_there is None and not state_after(operations, path).is_there:
            message = f"whether `{added.key}` is there depends on a Cluster: let the class always write it"
            raise _obstacle(message, reference)
        if state.may_be_null:
            yield _may_be_null(state.may_be_null, path)
        _write_list(patches, path, added, state.is_there)
    yield patches


def _template(obj: Data, reference: TemplateReference, class_context: ClassContext) -> Data | None:
    namespace = text_at(obj, ("metadata", "namespace"))
    return class_context.template(lookup(obj, reference.path), namespace)


def _obstacle(message: str, reference: TemplateReference) -> _NotPatchedError:
    """Return what keeps the whole class from being patched."""
    text = f"{message}; until then this class and its Clusters stay as they are"
    return _NotPatchedError(Result.of("ByHand", text, reference.path, is_stale=True))


def _no_proxy(message: str, reference: TemplateReference) -> _NotPatchedError:
    """Return what keeps nodes from getting a proxy; the others of the class get theirs."""
    return _NotPatchedError(Result.of("NodesWithoutProxy", message, reference.path))


def _config_of(obj: Data, reference: TemplateReference, class_context: ClassContext) -> NodeConfig:
    """Return the configuration in the template of a reference, without what the patches write in its place.

    Raises:
        _NotPatchedError: no target writes it.
    """
    kind, called = reference.nodes.kind, reference.called
    if kind not in KIND_NAMES:
        message = f'no target writes the nodes of a "{kind}", so they get no proxy here: see to it yourself'
        raise _no_proxy(message, reference)
    template = _template(obj, reference, class_context)
    if template is None:
        message = (
            f"{called} must be in the list, in the namespace of this class, and belong to nothing but ClusterClasses, "
            "so that the patch can follow what it holds"
        )
        is_asked = class_context.is_chosen
        raise _obstacle(message, reference) if is_asked else _no_proxy(message, reference)
    config = _without_ours(template, class_context)
    if config is None:
        message = f"{called} has no configuration that a patch could add to: write one with a `files` entry in it"
        raise _obstacle(message, reference)
    if config.unsupported:
        message = f"{called} makes {config.unsupported} nodes, which get no proxy here"
        raise _no_proxy(message, reference)
    return config


def _without_ours(
    template: Data, class_context: ClassContext, *, is_begun: bool = False
) -> NodeConfig | None:
    """Return the configuration in a template without what the patches write in its place.

    ``is_begun``: a template without ``spec`` counts as one with an empty configuration.
    """
    draft = Draft(template)
    config = node_config.find(draft, is_wanted=is_begun, is_whole=is_begun)
    if config is None:
        return None
    for name, options in class_context.enabled(_proxy_targets(config)).items():
        TARGETS[name].write(draft, Context(options))
    of_all = ProxySettings() if class_context.repairs_erased else class_context.default
    for name, options in class_context.enabled(_common_targets(config)).items():
        TARGETS[name].write(draft, Context(options, of_all))
    return node_config.find(Draft(draft.data), is_wanted=is_begun, is_whole=is_begun)


def _proxy_targets(config: NodeConfig) -> tuple[str, ...]:
    """Return the targets that write the proxy of a configuration."""
    return (*config.system.targets, FILES_ON_REQUEST)


def _common_targets(config: NodeConfig) -> list[str]:
    """Return the targets whose edits in a configuration are the same for all Clusters."""
    key = (config.kind.group, config.kind.kind)
    return [name for name in PATCHED_WHERE_ERASED if key in TARGETS[name].kinds]


def _with_proxy(config: NodeConfig, commands: Sequence[str], class_context: ClassContext) -> Draft:
    """Return a draft in which the targets have written the proxy of any Cluster behind some commands."""
    draft = Draft(config.draft.data)
    draft.set(config.commands, [*commands])
    if class_context.is_wanted:
        for name, options in class_context.enabled(_proxy_targets(config)).items():
            TARGETS[name].write(draft, Context({"content": "Inline", **options}, _ANY_PROXY))
    if class_context.repairs_erased:
        for name, options in class_context.enabled(_common_targets(config)).items():
            TARGETS[name].write(draft, Context(options, class_context.default))
    return draft


def _additions(config: NodeConfig, draft: Draft, commands: Sequence[str]) -> tuple[_Added, _Added]:
    """Return what a draft has more than a configuration and its commands: files, and commands."""
    before = config.entries(config.files)
    for_all: list[Any] = []
    proxied: list[Any] = []
    for file in list_at(draft.data, config.files):
        if file not in before:
            is_proxied = "contentFrom" in file or _MARKER in file.get("content", "")
            (proxied if is_proxied else for_all).append(file)
    templates = [go_templates.file(file) for file in sorted(proxied, key=_path_of)]
    files = _Added(config.system.files, sorted(for_all, key=_path_of), [], templates)
    new = [text for text in list_at(draft.data, config.commands) if text not in commands]
    restarts = [text for text in new if is_restart(text)]
    others = [text for text in new if _MARKER not in text and text not in restarts]
    exports = [go_templates.exports()] if any(_MARKER in text for text in new) else []
    return files, _Added(config.system.commands, others, restarts[:1], exports)


def _path_of(file: Any) -> str:
    return text_at(file, ("path",))


def _problems(
    obj: Data, reference: TemplateReference, config: NodeConfig, draft: Draft
) -> Iterator[Result]:
    """Yield what is wrong with the files and commands that the targets add.

    Raises:
        _NotPatchedError: a file of the template would be there twice.
    """
    before = config.entries(config.files)
    paths = [_path_of(file) for file in list_at(draft.data, config.files) if file not in before]
    repeated = [path for path in map(_path_of, before) if path in paths]
    if repeated:
        message = f'{reference.called} holds a file "{repeated[0]}" with more in it than a proxy: move that elsewhere'
        raise _obstacle(message, reference)
    for finding in draft.findings:
        if finding.severity is Severity.ERROR:
            message = f"of {reference.called}: {finding.message}"
            yield finding._replace(message=message, path=reference.path)
    path = written_path(obj, sorted(paths), reference.nodes.kind)
    if path:
        message = (
            f'a patch of the class writes a file "{path}", too, and Cluster API takes a path once'
        )
        yield Result.of("ByHand", message, ("spec",))


def _placed(
    added: _Added, texts: Sequence[str], config: NodeConfig, class_context: ClassContext
) -> tuple[_Added, str]:
    """Return new commands with their ends of the list, and what is too late there; "" for nothing.

    They go to the beginning where a command needs the network: a patch adds at the ends of a list only.
    """
    place = str(class_context.options.get(config.system.exporter, {}).get("place", ""))
    scripts = {file.path: file.text for file in config.file_entries() if file.text}
    where = anchors(Commands(texts, scripts), place)
    is_early = place == "Start" or where.exports < len(texts)
    is_restart_early = place == "Start" or where.restart < len(texts)
    is_changed = not place and any(map(changes_proxy, texts))
    is_installed = where.restart_behind >= 0
    late = []
    if added.templates and is_early and is_changed:
        late.append("the exports have to be behind a command that sets or unsets the proxy")
    if added.fixed and is_restart_early and is_installed and not place:
        late.append(
            f"the restart of {config.runtime} has to be behind a command that installs or configures it"
        )
    ends = {
        "fixed_end": _BEGINNING if is_restart_early and not is_installed else _END,
        "end": _BEGINNING if is_early and not is_changed else _END,
    }
    return added._replace(**ends), " and ".join(late)


def _commands_of(operations: Sequence[ForeignOperation], config: NodeConfig) -> Iterator[str]:
    """Yield the commands that patches of others add; each line of a Go template counts as one."""
    for operation in operations:
        if operation.is_whole(config.commands) or operation.is_entry(config.commands):
            values = operation.value if isinstance(operation.value, list) else [operation.value]
            yield from (value for value in values if isinstance(value, str))
            yield from (line.strip("- \"'") for line in operation.text.splitlines())


def _may_be_null(operation: ForeignOperation, path: Pointer) -> Result:
    message = (
        f"where this template renders to nothing, `{field_path(path)}` is null and our patch cannot add to it: let the "
        "template render `[]` then"
    )
    place = ("spec", "patches", str(operation.patch), *operation.field)
    return Result.of("ClassPatchErases", message, place)


def _write_list(patches: NodePatches, path: Pointer, added: _Added, is_there: bool | None) -> None:
    """Add the operations for one list; ``is_there``: whether there is one, None where that depends on a Cluster."""
    if is_there is None:
        patches.add(EMPTY_LISTS, path, value=[])
    is_missing = is_there is False
    if is_missing and added.for_all:
        patches.add(ADDITIONS, path, value=[])
        is_missing = False
    for entry in added.for_all:
        patches.add(ADDITIONS, (*path, _END), value=entry)
    if is_missing:
        patches.add(LISTS, path, value=[*added.fixed])
    else:
        for entry in added.fixed:
            patches.add(LISTS, (*path, added.fixed_end), value=entry)
    for template in added.templates:
        patches.add(NODES, (*path, added.end), valueFrom={"template": template})
