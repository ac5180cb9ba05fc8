"""The sorts of nodes that a ClusterClass makes, and what the lists of their templates hold in the end.

Input: a ClusterClass, what is known of the list around it, and the patches of others that come before
ours. Output: one ``Nodes`` for each sort of nodes, or a finding at the reference to its template, of which nothing is
assumed where it is not known. One that keeps the class from being patched is ``is_stale``. ``erasers`` says which
patches of a class would take out what a template holds.

Source: Cluster API ``api/core`` v1beta1 (``template.bootstrap.ref``) and v1beta2 (``bootstrap.templateRef``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from krm_fn.engine import Draft, WrongTypeError
from krm_fn.krm.results import Finding, Severity
from krm_fn.krm.type_errors import wrong_type
from krm_fn.patch import Pointer, field_path, lookup
from krm_fn.products.node_kinds import KIND_NAMES, KUBEADM
from krm_fn.settings import ProxySettings
from krm_fn.targets import TARGETS
from krm_fn.targets.base import Context, Target
from krm_fn.targets.class_context import ClassContext, is_elsewhere
from krm_fn.targets.nodes import (
    config_spec,
    containerd_drop_in,
    kubeadm_commands,
    kubelet_drop_in,
    node_trust_store,
    registry_mirror,
    service_restart,
)
from krm_fn.targets.nodes.clusterclass.class_patches import (
    ListState,
    NodeClass,
    PatchField,
    of_template,
    simulate,
    state_of_started_list,
)
from krm_fn.targets.nodes.clusterclass.commands import Ends, ends_of, possible_commands
from krm_fn.targets.nodes.clusterclass.names import INSTEAD_OF, INSTEAD_OF_WHERE_ERASED
from krm_fn.targets.nodes.config_spec import ConfigSpec
from krm_fn.targets.nodes.container_runtime import ADVICE, CONTAINERD, OperatingSystem
from krm_fn.targets.nodes.drop_in_file import path_of
from krm_fn.targets.nodes.exports import scripts_of

NODE_TARGETS = {target_id: TARGETS[target_id] for target_id in INSTEAD_OF}
FILE_TARGETS = {target_id: TARGETS[target_id] for target_id in INSTEAD_OF_WHERE_ERASED}

UNITS = {containerd_drop_in.TARGET.id: CONTAINERD, kubelet_drop_in.TARGET.id: "kubelet"}
"""The services that get a drop-in; on nodes of CRI-O that is one in the place of containerd."""

FILES, COMMANDS = KUBEADM.files, KUBEADM.commands

_SECTIONS = ("machineDeployments", "machinePools")
_HOLDERS = (("template", "bootstrap"), ("bootstrap",))
_REMEDY = "or set `spec.targets.clusterClass.sharedTemplates` to `Union`"


@dataclass(frozen=True)
class Nodes:
    """One sort of nodes: the control plane, or a class of workers.

    Attributes:
        section: where the class of workers is in the ClusterClass; "" for the control plane.
        name: that of the class of workers; "" for the control plane.
        api_version: that of their template.
        kind: that of their template.
        path: leads to the configuration of the nodes in their template.
        has_files: the list ``files`` is there when our patches run.
        has_commands: the list of commands is.
        runtime: the service that pulls images on them.
        needs_restart: a command has to restart it.
        front: the lists that have to be created before the patches of others.
        first_writer: the first of those patches.
        files: the entries of ``FILE_TARGETS`` that a patch has to add.
        commands: the same for commands.
        exports_first: the exports belong at the beginning of the commands, not at their end.
        restart_first: the same for the restart.
    """

    section: str
    name: str
    api_version: str
    kind: str
    path: Pointer
    has_files: bool
    has_commands: bool
    runtime: str
    needs_restart: bool
    front: tuple[str, ...] = ()
    first_writer: int = 0
    files: tuple[Any, ...] = ()
    commands: tuple[Any, ...] = ()
    exports_first: bool = False
    restart_first: bool = False

    @property
    def place(self) -> tuple[Any, ...]:
        """What tells the templates of these nodes from those of others, and where in them there is something to do."""
        return self.api_version, self.kind, self.path

    @property
    def sort(self) -> tuple[Any, ...]:
        """The same, and what their templates hold."""
        additions = repr((self.files, self.commands))
        return (
            *self.place,
            self.has_files,
            self.has_commands,
            self.runtime,
            self.needs_restart,
            self.restart_first,
            additions,
        )

    def unit(self, target_id: str) -> str:
        """Return the service for which a target of ``UNITS`` writes a drop-in on these nodes."""
        return unit_of(target_id, self.runtime)


@dataclass(frozen=True)
class Eraser:
    """An operation of a class that takes out what its template holds: where, and in which list."""

    field: PatchField
    key: str

    @property
    def path(self) -> Pointer:
        """The field in the class, if its patches were those that were looked at."""
        return ("spec", "patches", str(self.field.patch), *self.field.path)


def unit_of(target_id: str, runtime: str) -> str:
    """Return the service for which a target of ``UNITS`` writes a drop-in where ``runtime`` pulls images."""
    unit = UNITS[target_id]
    return runtime if unit == CONTAINERD else unit


def enabled(class_context: ClassContext) -> dict[str, Mapping[str, Any]]:
    """Return the enabled node targets, with their options."""
    return _enabled(class_context, NODE_TARGETS)


def _enabled(
    class_context: ClassContext, targets: Mapping[str, Target]
) -> dict[str, Mapping[str, Any]]:
    options = {name: class_context.options.get(name, {}) for name in targets}
    return {name: given for name, given in options.items() if given.get("enabled", True)}


def erasers(
    obj: Mapping[str, Any], class_context: ClassContext, patches: Sequence[Any]
) -> Iterator[Eraser]:
    """Yield the operations of ``patches`` that would remove what the templates of a class must hold.

    Args:
        obj: the ClusterClass.
        class_context: its ``templates`` are those that are looked at.
        patches: entries of ``spec.patches``, without ours.
    """
    namespace = str(lookup(obj, ("metadata", "namespace")) or "")
    seen: set[PatchField] = set()
    for section, name, path in _references(obj):
        reference = lookup(obj, path)
        template = class_context.template(reference, namespace)
        spec = config_spec.find(Draft(template)) if template is not None else None
        if spec is None or spec.operating_system is not OperatingSystem.LINUX:
            continue
        for key in _lists(class_context, _additions(spec, class_context)):
            state = _simulated(patches, _node_class(section, name, reference), spec, key, ["ours"])
            for field in () if state.kept else state.erasers:
                if field not in seen:
                    seen.add(field)
                    yield Eraser(field, key)


def _lists(class_context: ClassContext, additions: _Additions) -> list[str]:
    """Return the lists of a template that must hold something."""
    at_work = enabled(class_context) if class_context.is_wanted else {}
    options = at_work.get(kubeadm_commands.TARGET.id, {"exports": False, "restart": False})
    found = []
    if at_work.keys() & UNITS.keys() or additions.files:
        found.append(FILES)
    if options.get("exports", True) or options.get("restart", True) or additions.commands:
        found.append(COMMANDS)
    return found


def _node_class(section: str, name: str, reference: Mapping[str, Any]) -> NodeClass:
    return NodeClass(section, name, str(reference.get("apiVersion")), str(reference.get("kind")))


def _simulated(
    patches: Sequence[Any],
    nodes: NodeClass,
    spec: ConfigSpec,
    key: str,
    entries: Sequence[Any] | None,
) -> ListState:
    return simulate(patches, nodes, (*spec.path, key), of_template(entries))


def nodes_of(
    obj: Mapping[str, Any], class_context: ClassContext, before: Sequence[Any]
) -> Iterator[Nodes | Finding]:
    """Yield the sorts of nodes of a ClusterClass.

    A finding for each whose template cannot be patched.

    Args:
        obj: the ClusterClass.
        class_context: what is known of the list.
        before: the patches of others that run before ours; findings name their index in this list.
    """
    namespace = str(lookup(obj, ("metadata", "namespace")) or "")
    for section, name, path in _references(obj):
        reference = lookup(obj, path)
        kind = lookup(reference, ("kind",))
        if not isinstance(kind, str) or kind not in KIND_NAMES:
            message = f'nodes of a "{kind}" are not set up by kubeadm, so they get no proxy here: see to it yourself'
            yield Finding(Severity.WARNING, message, path, code="NodeSystemUnsupported")
            continue
        template = class_context.template(reference, namespace)
        if template is None:
            yield _not_known(reference, namespace, class_context, path)
        else:
            yield from _TemplateReader(
                section, name, reference, template, class_context, path, before
            ).read()


def _not_known(
    reference: Mapping[str, Any], namespace: str, class_context: ClassContext, path: Pointer
) -> Finding:
    called = f'the {reference["kind"]} "{reference.get("name")}"'
    if is_elsewhere(reference, namespace):
        message = (
            f"{called} is in another namespace than this class, which Cluster API refuses, so the patches of this "
            "class give its nodes no proxy: take the namespace out of the reference"
        )
        return Finding(Severity.WARNING, message, path, code="TemplateNotInList")
    if not class_context.is_chosen and not class_context.is_used_elsewhere(reference, namespace):
        message = f"{called} is not in the list, so the patches of this class give its nodes no proxy: add it"
        return Finding(Severity.WARNING, message, path, code="TemplateNotInList")
    message = (
        f"{called} must be in the list, and belong to nothing but ClusterClasses, so that the patch can follow "
        f"what it holds: add it, take it out of `spec.selector.exclude`, {_REMEDY}"
    )
    if not class_context.is_chosen:
        message = (
            f"{called} must belong to nothing but ClusterClasses, because the patches of this class erase what the "
            "template holds: give the other objects that refer to it a template of their own"
        )
    return _obstacle(message, path, code="TemplateNotUsable")


def _obstacle(message: str, path: Pointer, *, code: str) -> Finding:
    """Return a finding about what keeps a class from being patched."""
    text = f"{message}; until then this class and its Clusters stay as they are"
    return Finding(Severity.WARNING, text, path, is_stale=True, code=code)


def _references(obj: Mapping[str, Any]) -> Iterator[tuple[str, str, Pointer]]:
    """Yield section and name of each sort of nodes, and the path of the reference to its template."""
    for ref in ("ref", "templateRef"):
        if isinstance(lookup(obj, ("spec", "controlPlane", ref)), Mapping):
            yield "", "", ("spec", "controlPlane", ref)
    for section in _SECTIONS:
        classes = lookup(obj, ("spec", "workers", section))
        for index, worker in enumerate(classes if isinstance(classes, list) else ()):
            name = lookup(worker, ("class",))
            for path in ((*holder, ref) for holder in _HOLDERS for ref in ("ref", "templateRef")):
                if isinstance(name, str) and isinstance(lookup(worker, path), Mapping):
                    yield section, name, ("spec", "workers", section, str(index), *path)


@dataclass(frozen=True)
class _Additions:
    """What ``FILE_TARGETS`` add to a template, where a patch has to do it."""

    files: tuple[Any, ...] = ()
    commands: tuple[Any, ...] = ()


def _additions(spec: ConfigSpec, class_context: ClassContext) -> _Additions:
    """Return what ``FILE_TARGETS`` write into a template that holds nothing else."""
    if not class_context.is_behind or spec.operating_system is not OperatingSystem.LINUX:
        return _Additions()
    at_work = _enabled(class_context, FILE_TARGETS)
    files = []
    commands: list[str] = []
    if node_trust_store.TARGET.id in at_work:
        files += node_trust_store.files(class_context.default)
        if files:
            commands = node_trust_store.commands(at_work[node_trust_store.TARGET.id])
    if registry_mirror.TARGET.id in at_work:
        files += registry_mirror.files(class_context.default)
    return _Additions(tuple(file.entry() for file in files), tuple(commands))


@dataclass(frozen=True)
class _TemplateReader:
    """Reads one template of a class: ``path`` is that of the reference to it."""

    section: str
    name: str
    reference: Mapping[str, Any]
    template: Mapping[str, Any]
    class_context: ClassContext
    path: Pointer
    before: Sequence[Any]

    @cached_property
    def called(self) -> str:
        """The template, for a sentence."""
        return f'the {self.reference["kind"]} "{self.reference.get("name")}"'

    def cleared(self) -> Draft:
        """Return the template as the targets leave it: what a patch writes instead is taken out."""
        draft = Draft(self.template)
        for name, options in enabled(self.class_context).items():
            NODE_TARGETS[name].write(draft, Context(options))
        of_files = ProxySettings() if self.class_context.is_behind else self.class_context.default
        for name, options in _enabled(self.class_context, FILE_TARGETS).items():
            FILE_TARGETS[name].write(draft, Context(options, of_files))
        return draft

    def read(self) -> Iterator[Nodes | Finding]:
        """Return the nodes, or why their template cannot be patched.

        And what the user should know of it.
        """
        draft = self.cleared()
        spec = config_spec.find(draft)
        if spec is None:
            message = (
                f"{self.called} has no {KUBEADM.configuration} that a patch could add to: "
                "write one with a `files` entry in it"
            )
            yield _obstacle(message, self.path, code="TemplateNotUsable")
            return
        if spec.operating_system is not OperatingSystem.LINUX:
            message = f"of {self.called}: {ADVICE[spec.operating_system]}"
            yield Finding(Severity.WARNING, message, self.path, code="NodeSystemUnsupported")
            return
        try:
            files = draft.items(spec.files)
            commands = draft.items(spec.commands)
        except WrongTypeError as error:
            problem = wrong_type(error.path, error.value, error.wanted)
            message = f"in {self.called}, {problem.message}"
            yield _obstacle(message, self.path, code=problem.code)
            return
        files, commands = list(files or ()), list(commands or ())
        if repeated := self._repeated_path(spec, files):
            yield repeated
            return
        yield from self._read(spec, files, commands)

    def _read(
        self, spec: ConfigSpec, files: list[Any], commands: list[Any]
    ) -> Iterator[Nodes | Finding]:
        nodes = _node_class(self.section, self.name, self.reference)
        states = {
            key: _simulated(self.before, nodes, spec, key, entries)
            for key, entries in ((FILES, files), (COMMANDS, commands))
        }
        additions = _additions(spec, self.class_context)
        front = []
        for key in _lists(self.class_context, additions):
            found = list(self._doubts(states[key], (*spec.path, key)))
            started = simulate(self.before, nodes, (*spec.path, key), state_of_started_list())
            if not states[key].is_list and not states[key].is_empty:
                front.append(key)
                found += self._impossible(states[key], started, (*spec.path, key))
            yield from found
            if any(one.is_stale for one in found):
                return
        yield from self._twice(spec, states[FILES])
        texts = [text for index, text in enumerate(commands) if index in states[COMMANDS].kept]
        restarted = service_restart.is_restarted(
            (text for text in texts if isinstance(text, str)), spec.runtime
        )
        needs_restart = not spec.ignition and not restarted
        ends = self._ends(spec, commands, states[COMMANDS])
        yield from self._between(spec, ends, needs_restart=needs_restart)
        yield Nodes(
            self.section,
            self.name,
            nodes.api_version,
            nodes.kind,
            spec.path,
            has_files=states[FILES].is_list or FILES in front,
            has_commands=states[COMMANDS].is_list or COMMANDS in front,
            runtime=spec.runtime,
            needs_restart=needs_restart,
            front=tuple(front),
            first_writer=min((states[key].writers[0] for key in front), default=0),
            files=additions.files,
            commands=additions.commands,
            exports_first=ends.exports_first,
            restart_first=ends.restart_first,
        )

    def _ends(self, spec: ConfigSpec, commands: Sequence[Any], state: ListState) -> Ends:
        """Return where exports and restart belong among the commands that exist when our patches run."""
        options = self.class_context.options.get(kubeadm_commands.TARGET.id, {})
        place = str(options.get("place", ""))
        return ends_of(possible_commands(commands, state), place, scripts_of(spec))

    def _between(self, spec: ConfigSpec, ends: Ends, *, needs_restart: bool) -> Iterator[Finding]:
        """Yield a warning if exports or restart come too late for a command that needs the network."""
        options = enabled(self.class_context).get(
            kubeadm_commands.TARGET.id, {"exports": False, "restart": False}
        )
        late = []
        if ends.exports_are_late and options.get("exports", True):
            late.append("the exports have to be behind a command that sets or unsets the proxy")
        if ends.restart_is_late and needs_restart and options.get("restart", True):
            late.append(
                f"the restart of {spec.runtime} has to be behind a command that installs or configures it"
            )
        if late:
            message = (
                f"a command of {self.called}, or of the patches of this class, needs the network before it has the "
                f"proxy: {' and '.join(late)}, and a patch can add commands only at the beginning and at the end of "
                "the list. Build what that command needs into the image, or accept the place with "
                "`spec.targets.kubeadmCommands.place: Start` or `End`"
            )
            yield Finding(Severity.WARNING, message, self.path, code="NetworkBeforeProxy")

    def _our_paths(self, spec: ConfigSpec, files: Sequence[Any]) -> list[str]:
        at_work = enabled(self.class_context)
        return [
            path_of(options, unit_of(target, spec.runtime), files)
            for target, options in at_work.items()
            if target in UNITS
        ]

    def _repeated_path(self, spec: ConfigSpec, files: Sequence[Any]) -> Finding | None:
        ours = self._our_paths(spec, files)
        path = next(
            (lookup(file, ("path",)) for file in files if lookup(file, ("path",)) in ours), None
        )
        if not path:
            return None
        message = (
            f'{self.called} holds a file "{path}" with more in it than a proxy, and a path must be unique: move the '
            "rest to another file, or set `path` of the target to another one"
        )
        if self.class_context.is_chosen:
            message = f"{message}, {_REMEDY}"
        return _obstacle(message, self.path, code="PathRepeated")

    def _twice(self, spec: ConfigSpec, state: ListState) -> Iterator[Finding]:
        """Yield our files that a patch of the class writes as well."""
        for written in state.added:
            paths = [path for path in self._our_paths(spec, ()) if written.may_be_file(path)]
            if paths:
                message = (
                    f'this patch writes a file "{paths[0]}", and Cluster API takes a path once: take it out of the '
                    "patch, or set `path` of the target to another one"
                )
                yield Finding(Severity.WARNING, message, _field(written.field), code="PathRepeated")

    def _doubts(self, state: ListState, path: Pointer) -> Iterator[Finding]:
        """Yield what the simulation cannot determine."""
        if state.unseen is not None:
            message = (
                f"this patch is a runtime extension, which may or may not write `{field_path(path)}` before our patch "
                f"adds to that list: give {self.called} an entry in it"
            )
            path_of_patch = ("spec", "patches", str(state.unseen))
            yield _obstacle(message, path_of_patch, code="ListUncertain")
        for field in state.may_be_null:
            message = (
                f"where this template renders to nothing, `{field_path(path)}` is null and our patch cannot add to it: "
                "let the template render `[]` then"
            )
            yield Finding(Severity.WARNING, message, _field(field), code="ListMayBeNull")

    def _impossible(self, state: ListState, started: ListState, path: Pointer) -> Iterator[Finding]:
        if not started.is_list:
            message = (
                f"whether `{field_path(path)}` is there after this patch depends on a Cluster, so no patch can add to "
                "it: let this patch write `[]` where it removes the list"
            )
            path_of_patch = _field(state.erasers[-1])
            yield _obstacle(message, path_of_patch, code="ListUncertain")


def _field(field: PatchField) -> Pointer:
    return ("spec", "patches", str(field.patch), *field.path)
