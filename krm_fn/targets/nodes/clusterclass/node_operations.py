"""The sorts of nodes that a ClusterClass makes, and what the lists of their templates hold in the end.

Input: a ClusterClass, what is known of the list around it, and the patches of others that come before
ours. Output: one ``Nodes`` for each sort of nodes, or a finding at the reference to its template, of which nothing is
assumed where it is not known. One that keeps the class from being patched is ``is_stale``. ``erasers`` says which
patches of a class would take out what a template holds.

Source: Cluster API ``api/core`` v1beta1 (``template.bootstrap.ref``) and v1beta2 (``bootstrap.templateRef``).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from krm_fn.clusters import targets_of
from krm_fn.engine import Draft, WrongTypeError
from krm_fn.krm.results import Finding, Severity
from krm_fn.krm.type_errors import wrong_type
from krm_fn.light_typing import Any
from krm_fn.patch import Pointer, field_path, lookup, render_pointer
from krm_fn.products.node_files import ATTRIBUTES as OF_LINES
from krm_fn.products.node_files import BY_PATH, NODE_FILES
from krm_fn.products.node_kinds import (
    FILES_ON_REQUEST,
    HOSTED,
    KIND_NAMES,
    NODE_KINDS,
    NodeConfigKind,
    NodeSystem,
)
from krm_fn.settings import ProxySettings
from krm_fn.targets import TARGETS
from krm_fn.targets.base import Context
from krm_fn.targets.class_context import ClassContext, is_elsewhere
from krm_fn.targets.nodes import (
    command_places,
    config_spec,
    containerd_drop_in,
    environment_file,
    kubelet_drop_in,
    service_restart,
)
from krm_fn.targets.nodes.clusterclass import go_templates
from krm_fn.targets.nodes.clusterclass.class_patches import (
    ListState,
    NodeClass,
    PatchField,
    Written,
    of_template,
    simulate,
    state_of_started_list,
)
from krm_fn.targets.nodes.clusterclass.names import INSTEAD_OF, INSTEAD_OF_WHERE_ERASED
from krm_fn.targets.nodes.command_places import Ends
from krm_fn.targets.nodes.command_site import scripts_of
from krm_fn.targets.nodes.config_spec import ConfigSpec
from krm_fn.targets.nodes.container_runtime import ADVICE, CONTAINERD, LINUX
from krm_fn.targets.nodes.drop_in_file import OF_REFERENCE, OF_TEXT, path_of

NODE_TARGETS = {target_id: TARGETS[target_id] for target_id in INSTEAD_OF}
FILE_TARGETS = {target_id: TARGETS[target_id] for target_id in INSTEAD_OF_WHERE_ERASED}

UNITS = {containerd_drop_in.TARGET.id: CONTAINERD, kubelet_drop_in.TARGET.id: "kubelet"}
"""The services that get a drop-in; on nodes of CRI-O that is one in the place of containerd."""

ATTRIBUTES = ("path", "owner", "permissions")
"""The members of a file that are its author's, in the order in which a patch writes them."""

_ANY = "inject-proxy.invalid"
_ANY_PROXY = ProxySettings(_ANY, _ANY, _ANY, clusters=("",))
"""Stands for the proxy of any Cluster, and for its name, where the sites write into a template."""

_SECTIONS = ("machineDeployments", "machinePools")
_HOLDERS = (("template", "bootstrap"), ("bootstrap",))
_REMEDY = "or set `spec.targets.clusterClass.sharedTemplates` to `Union`"


_Operations = tuple[dict[str, Any], ...]
"""Entries of ``jsonPatches``."""


@dataclass(frozen=True)
class Nodes:
    """One sort of nodes: the control plane, or a class of workers.

    Attributes:
        section: where the class of workers is in the ClusterClass; "" for the control plane.
        name: that of the class of workers; "" for the control plane.
        api_version: that of their template.
        kind: that of their template.
        front: creates the lists that have to be there before the patches of others.
        first_writer: the first of those patches.
        common: adds what is the same for all Clusters.
        lists: creates the lists that are missing, and restarts what pulls images.
        own: adds what depends on the Cluster.
    """

    section: str
    name: str
    api_version: str
    kind: str
    front: _Operations
    first_writer: int
    common: _Operations
    lists: _Operations
    own: _Operations

    @property
    def is_patched(self) -> bool:
        """Whether our patches have anything to do for them."""
        return bool(self.front or self.common or self.lists or self.own)


@dataclass(frozen=True)
class Eraser:
    """An operation of a class that takes out what its template holds: where, and in which list."""

    field: PatchField
    key: str

    @property
    def path(self) -> Pointer:
        """The field in the class, if its patches were those that were looked at."""
        return ("spec", "patches", str(self.field.patch), *self.field.path)


def _targets_of(spec: ConfigSpec) -> tuple[str, ...]:
    """Return the targets that write the proxy of a configuration."""
    return (*spec.system.targets, FILES_ON_REQUEST)


def _file_targets(kind: NodeConfigKind) -> list[str]:
    """Return those of ``FILE_TARGETS`` that edit a kind."""
    return [
        name for name, target in FILE_TARGETS.items() if (kind.group, kind.kind) in target.kinds
    ]


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
        if template is None:
            continue
        template = config_spec.begun(template)
        spec = config_spec.find(Draft(template))
        if spec is None or not spec.system.files:
            continue
        if spec.operating_system != LINUX:
            continue
        reader = _TemplateReader(section, name, reference, template, class_context, path)
        for key in reader.written_lists():
            state = _simulated(patches, _node_class(section, name, reference), spec, key, ["ours"])
            for field in () if state.kept else state.erasers:
                if field not in seen:
                    seen.add(field)
                    yield Eraser(field, key)


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
    obj: Mapping[str, Any],
    class_context: ClassContext,
    before: Sequence[Any],
    ours: Sequence[Any],
) -> Iterator[Nodes | Finding]:
    """Yield the sorts of nodes of a ClusterClass.

    A finding for each whose template cannot be patched.

    Args:
        obj: the ClusterClass.
        class_context: what is known of the list.
        before: the patches of others that run before ours; findings name their index in this list.
        ours: our patches of an earlier run.
    """
    namespace = str(lookup(obj, ("metadata", "namespace")) or "")
    for section, name, path in _references(obj):
        reference = lookup(obj, path)
        kind = lookup(reference, ("kind",))
        if isinstance(kind, str) and (kind in HOSTED or _is_written_itself(reference)):
            continue
        if not isinstance(kind, str) or kind not in KIND_NAMES:
            message = f'no target writes the nodes of a "{kind}", so they get no proxy here: see to it yourself'
            yield Finding(Severity.WARNING, message, path, code="NodeSystemUnsupported")
            continue
        template = class_context.template(reference, namespace)
        if template is None:
            yield _not_known(reference, namespace, class_context, path)
        else:
            yield from _TemplateReader(
                section, name, reference, template, class_context, path, before, ours
            ).read()


def _is_written_itself(reference: Mapping[str, Any]) -> bool:
    """Return whether a template without files and commands gets its proxy from a target, however the class is made."""
    group = str(reference.get("apiVersion")).partition("/")[0]
    kind = reference["kind"]
    return kind not in KIND_NAMES and bool(targets_of(group, kind))


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


def names_templates(obj: Mapping[str, Any]) -> bool:
    """Return whether a ClusterClass names a template of nodes."""
    return any(True for _ in _references(obj))


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


@dataclass
class _WrittenParts:
    """What the sites write into a template: what our patches add to its lists.

    Attributes:
        files: the entries that are the same for all Clusters.
        commands: the same for commands.
        drop_ins: the entries whose content depends on the Cluster.
        has_exports: the commands export a proxy.
        restart: the command that restarts what pulls images; "" for none.
    """

    files: list[Any] = dataclasses.field(default_factory=list)
    commands: list[str] = dataclasses.field(default_factory=list)
    drop_ins: list[Any] = dataclasses.field(default_factory=list)
    has_exports: bool = False
    restart: str = ""

    def lists(self, system: NodeSystem) -> list[str]:
        """Return the lists to which something is added."""
        found = []
        if self.files or self.drop_ins:
            found.append(system.files)
        if self.commands or self.has_exports or self.restart:
            found.append(system.commands)
        return found


def _written(
    template: Draft, stubs: Sequence[Any], commands: Sequence[Any], class_context: ClassContext
) -> _WrittenParts:
    """Return what the sites write into a template.

    Args:
        template: the template without a proxy; what the sites report is added to its findings.
        stubs: owner, permissions and path of the drop-ins that the template, or an earlier patch, had.
        commands: those that the nodes have in any case.
        class_context: says which targets are at work.
    """
    spec = config_spec.find(template)
    if spec is None:
        return _WrittenParts()
    files = [*spec.entries(spec.files)]
    draft = Draft(template.data)
    draft.set(spec.files, [*files, *stubs])
    draft.set(spec.commands, [*commands])
    targets = _targets_of(spec) if class_context.is_wanted else ()
    for name, options in class_context.enabled(targets).items():
        # A reference that the template has is for the option alone to decide.
        NODE_TARGETS[name].write(draft, Context({"content": "Inline", **options}, _ANY_PROXY))
    for name, options in class_context.enabled(_file_targets(spec.kind)).items():
        if class_context.is_behind:
            FILE_TARGETS[name].write(draft, Context(options, class_context.default))
    template.findings += [one for one in draft.findings if one.severity is Severity.ERROR]
    new_files = [one for one in draft.get(spec.files) or () if one not in files]
    new_commands = [one for one in draft.get(spec.commands) or () if one not in commands]
    return _parts_of(new_files, new_commands)


def _parts_of(files: Sequence[Any], commands: Sequence[str]) -> _WrittenParts:
    """Return what the sites added to the lists, by what it depends on; a stub that no site wrote is nothing."""
    found = _WrittenParts()
    # Not in the order of the stubs, which an earlier run may have written.
    for entry in sorted(files, key=_path):
        if _ANY in entry.get("content", "") or "contentFrom" in entry:
            found.drop_ins.append(entry)
        elif "content" in entry:
            found.files.append(entry)
    for command in commands:
        if service_restart.is_ours(command):
            found.restart = command
        elif _ANY in command:
            found.has_exports = True
        else:
            found.commands.append(command)
    return found


@dataclass(frozen=True)
class _TemplateReader:
    """Reads one template of a class: ``path`` is that of the reference to it."""

    section: str
    name: str
    reference: Mapping[str, Any]
    template: Mapping[str, Any]
    class_context: ClassContext
    path: Pointer
    before: Sequence[Any] = ()
    ours: Sequence[Any] = ()

    @cached_property
    def called(self) -> str:
        """The template, for a sentence."""
        return f'the {self.reference["kind"]} "{self.reference.get("name")}"'

    def _configuration(self) -> str:
        """Return the type of the configuration that the template should hold."""
        kinds = {kind.kind: kind for kind in NODE_KINDS.values()}
        return kinds[self.reference["kind"]].system.configuration

    def cleared(self) -> tuple[Draft, list[Any]]:
        """Return the template without what a patch writes in its place, and the drop-ins that were there."""
        draft = Draft(self.template)
        spec = config_spec.find(draft)
        if spec is None:
            return draft, []
        before = _files_of(draft)
        for name, options in self.class_context.enabled(_targets_of(spec)).items():
            NODE_TARGETS[name].write(draft, Context(options))
        kept = _files_of(draft)
        removed = [entry for entry in before if entry not in kept]
        of_files = ProxySettings() if self.class_context.is_behind else self.class_context.default
        for name, options in self.class_context.enabled(_file_targets(spec.kind)).items():
            FILE_TARGETS[name].write(draft, Context(options, of_files))
        return draft, removed

    def written_lists(self) -> list[str]:
        """Return the lists in which the sites write something, whatever patches do to them."""
        draft, removed = self.cleared()
        spec = config_spec.find(draft)
        if spec is None:
            return []
        return _written(draft, _stubs(removed), [], self.class_context).lists(spec.system)

    def read(self) -> Iterator[Nodes | Finding]:
        """Return the nodes, or why their template cannot be patched.

        And what the user should know of it.
        """
        draft, removed = self.cleared()
        spec = config_spec.find(draft)
        if spec is None:
            message = (
                f"{self.called} has no {self._configuration()} that a patch could add to: "
                "write one with a `files` entry in it"
            )
            yield _obstacle(message, self.path, code="TemplateNotUsable")
            return
        if spec.operating_system != LINUX:
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
        yield from self._read(spec, files, commands, _stubs(removed))

    def _read(
        self, spec: ConfigSpec, files: list[Any], commands: list[Any], stubs: list[Any]
    ) -> Iterator[Nodes | Finding]:
        nodes = _node_class(self.section, self.name, self.reference)
        of_files, of_commands = spec.system.files, spec.system.commands
        states = {
            key: _simulated(self.before, nodes, spec, key, entries)
            for key, entries in ((of_files, files), (of_commands, commands))
        }
        earlier = simulate(self.ours, nodes, spec.files, state_of_started_list())
        stubs += _stubs(
            attributes
            for one in earlier.added
            if (attributes := go_templates.attributes_of(one.text)) and not _is_new(attributes)
        )
        kept = [text for index, text in enumerate(commands) if index in states[of_commands].kept]
        spec.draft.findings.clear()
        written = _written(spec.draft, stubs, kept, self.class_context)
        for problem in spec.draft.findings:
            yield problem._replace(message=f"of {self.called}: {problem.message}", path=self.path)
        front = []
        for key in written.lists(spec.system):
            found = list(self._doubts(states[key], (*spec.path, key)))
            started = simulate(self.before, nodes, (*spec.path, key), state_of_started_list())
            if not states[key].is_list and not states[key].is_empty:
                front.append(key)
                found += self._impossible(states[key], started, (*spec.path, key))
            yield from found
            if any(one.is_stale for one in found):
                return
        yield from self._twice(written, states[of_files])
        ends = self._ends(spec, commands, states[of_commands])
        yield from self._between(spec, ends, written)
        there = {key for key in states if states[key].is_list or key in front}
        yield Nodes(
            self.section,
            self.name,
            nodes.api_version,
            nodes.kind,
            tuple(_add(spec, key, value=[]) for key in front),
            min((states[key].writers[0] for key in front), default=0),
            tuple(_common(spec, written, there)),
            tuple(_lists(spec, written, there, ends)),
            tuple(_own(spec, written, ends)),
        )

    def _ends(self, spec: ConfigSpec, commands: Sequence[Any], state: ListState) -> Ends:
        """Return where exports and restart belong among the commands that exist when our patches run."""
        options = self.class_context.options.get(spec.system.exporter, {})
        place = str(options.get("place", ""))
        return command_places.ends(_possible_commands(commands, state), place, scripts_of(spec))

    def _between(self, spec: ConfigSpec, ends: Ends, written: _WrittenParts) -> Iterator[Finding]:
        """Yield a warning if exports or restart come too late for a command that needs the network."""
        late = []
        if ends.exports_are_late and written.has_exports:
            late.append("the exports have to be behind a command that sets or unsets the proxy")
        if ends.restart_is_late and written.restart:
            late.append(
                f"the restart of {spec.runtime} has to be behind a command that installs or configures it"
            )
        if late:
            message = (
                f"a command of {self.called}, or of the patches of this class, needs the network before it has the "
                f"proxy: {' and '.join(late)}, and a patch can add commands only at the beginning and at the end of "
                "the list. Build what that command needs into the image, or accept the place with "
                f"`spec.targets.{spec.system.exporter}.place: Start` or `End`"
            )
            yield Finding(Severity.WARNING, message, self.path, code="NetworkBeforeProxy")

    def _repeated_path(self, spec: ConfigSpec, files: Sequence[Any]) -> Finding | None:
        """Return a finding about a file of our path that the targets leave in the template."""
        ours = [
            path_of(options, spec.runtime if UNITS[target] == CONTAINERD else UNITS[target], files)
            for target, options in self.class_context.enabled(spec.system.targets).items()
            if target in UNITS
        ]
        for service in spec.kind.services:
            if spec.system.has_environment_files:
                ours.append(environment_file.path_of(service))
            else:
                ours.append(path_of({}, service, files))
        of_files = self.class_context.enabled([FILES_ON_REQUEST]).get(FILES_ON_REQUEST, {})
        ours += [NODE_FILES[name].path for name in of_files.get("files", ())]
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

    def _twice(self, written: _WrittenParts, state: ListState) -> Iterator[Finding]:
        """Yield our files that a patch of the class writes as well."""
        ours = [entry["path"] for entry in written.drop_ins]
        for theirs in state.added:
            paths = [path for path in ours if theirs.may_be_file(path)]
            if paths:
                message = (
                    f'this patch writes a file "{paths[0]}", and Cluster API takes a path once: take it out of the '
                    "patch, or set `path` of the target to another one"
                )
                yield Finding(Severity.WARNING, message, _field(theirs.field), code="PathRepeated")

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


def _files_of(draft: Draft) -> Sequence[Any]:
    spec = config_spec.find(draft)
    return spec.entries(spec.files) if spec is not None else ()


def _stubs(entries: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Return what a patch can keep of the files of others; one of Go's templates is none."""
    found = []
    for entry in entries:
        kept = {key: entry[key] for key in ATTRIBUTES if isinstance(entry.get(key), str)}
        if "path" in kept:
            found.append(kept)
    return found


def _path(entry: Mapping[str, Any]) -> str:
    return str(entry.get("path"))


def _is_new(attributes: Mapping[str, str]) -> bool:
    """Return whether our drop-in in a patch has no attribute of an author, so that options alone decide about them."""
    own = {key: value for key, value in attributes.items() if key != "path"}
    return own in (OF_TEXT, OF_REFERENCE, OF_LINES) and attributes["path"].startswith("/etc/")


def _common(
    spec: ConfigSpec, written: _WrittenParts, there: Container[str]
) -> Iterator[dict[str, Any]]:
    """Yield the entries that are the same for all Clusters, in lists that they create if necessary."""
    system = spec.system
    for key, entries in ((system.files, written.files), (system.commands, written.commands)):
        if entries and key not in there:
            yield _add(spec, key, value=[])
        yield from (_add(spec, key, "-", value=entry) for entry in entries)


def _lists(
    spec: ConfigSpec, written: _WrittenParts, there: Container[str], ends: Ends
) -> Iterator[dict[str, Any]]:
    """Yield the lists that are still missing, and the restart."""
    of_files, of_commands = spec.system.files, spec.system.commands
    if written.drop_ins and not (written.files or of_files in there):
        yield _add(spec, of_files, value=[])
    restart = [written.restart] if written.restart else []
    if written.commands or of_commands in there:
        yield from (
            _add(spec, of_commands, "0" if ends.restart_first else "-", value=one)
            for one in restart
        )
    elif restart or written.has_exports:
        yield _add(spec, of_commands, value=restart)


def _own(spec: ConfigSpec, written: _WrittenParts, ends: Ends) -> Iterator[dict[str, Any]]:
    """Yield what depends on the Cluster: drop-ins and exports."""
    for entry in written.drop_ins:
        attributes = {key: entry[key] for key in ATTRIBUTES if key in entry}
        file = BY_PATH.get(entry["path"])
        text = go_templates.drop_in(attributes)
        if file and file.form:
            text = go_templates.line_file(attributes, file.form, is_appended="append" in entry)
        elif spec.system.has_environment_files and not file:
            text = go_templates.environment_file(attributes)
        elif "contentFrom" in entry:
            secret = entry["contentFrom"]["secret"]
            text = go_templates.secret_drop_in(attributes, secret["name"], secret["key"])
        yield _add(spec, spec.system.files, "-", valueFrom={"template": text})
    if written.has_exports:
        place = "0" if ends.exports_first else "-"
        yield _add(
            spec, spec.system.commands, place, valueFrom={"template": go_templates.exports()}
        )


def _add(spec: ConfigSpec, *steps: str, **value: Any) -> dict[str, Any]:
    return {"op": "add", "path": render_pointer((*spec.path, *steps)), **value}


def _possible_commands(template: Sequence[Any], state: ListState) -> list[str]:
    """Return the commands that a node may have, as far as they are known.

    Args:
        template: the commands of the template.
        state: what is known of them once the patches of others ran.
    """
    first = [text for one in reversed(state.added) if one.is_first for text in _texts(one)]
    held = [template[index] for index in sorted(state.possible)]
    last = [text for one in state.added if not one.is_first for text in _texts(one)]
    return [text for text in (*first, *held, *last) if isinstance(text, str)]


def _texts(written: Written) -> Iterator[str]:
    """Yield the commands that a patch writes; each line of a Go template counts as one."""
    if isinstance(written.value, str):
        yield written.value
    for line in written.text.splitlines():
        yield line.strip().removeprefix("- ").strip().strip("\"'")
