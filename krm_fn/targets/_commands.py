"""Shell commands of a KubeadmConfigSpec that export a proxy or restart containerd: what they set, and how to edit them.

One list, ``preKubeadmCommands``; a command that does anything else is told and left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from krm_fn.carriers import (
    command_places,
    kubeadm_config,
    node_commands,
    service_restart,
    shell_exports,
)
from krm_fn.carriers.command_places import Arrangement
from krm_fn.carriers.kubeadm_config import ConfigSpec, find
from krm_fn.carriers.node_system import CONTAINERD, CRI_O, NodeSystem
from krm_fn.carriers.reading import Reading
from krm_fn.carriers.site import quoted
from krm_fn.formats.file_content import decode
from krm_fn.krm.results import Change, Finding, Severity
from krm_fn.krm.type_errors import wrong_type
from krm_fn.patch import ListEdit, Operation, Pointer, lookup
from krm_fn.settings import ProxySettings

_KEY = "preKubeadmCommands"
_HELD_BACK = (
    "a command here needs the network, but the exports and the restart stay at the end: two commands have the same "
    "text, and kpt would copy the comment of one to the other; make the texts differ, or set "
    "`spec.targets.kubeadmCommands.place` to `Start`"
)


def propose(
    obj: Mapping[str, Any], settings: ProxySettings, options: Mapping[str, Any]
) -> Iterator[Change | Finding]:
    """Yield what has to change in the commands of ``obj``, an object of one of ``kubeadm_config.KINDS``.

    Args:
        obj: plain data of any shape.
        settings: the proxy; all empty means none.
        options: ``exports`` and ``restart`` (booleans, true where they are missing), ``place`` (``Start``, ``End``).
    """
    spec = find(obj, wanted=bool(settings.variables()))
    if not isinstance(spec, ConfigSpec):
        yield from () if spec is None else (spec,)
        return
    if settings.variables() and spec.system is not NodeSystem.LINUX:
        yield from spec.unwritten()
        settings = ProxySettings()
    yield from spec.findings(settings)
    commands = spec.entries(_KEY)
    if isinstance(commands, Finding):
        yield commands
        return
    edit = ListEdit((*spec.path, _KEY), commands)
    yield from _edit_commands(spec, edit, settings, options)


def observe(obj: Mapping[str, Any]) -> Iterator[Reading]:
    """What ``preKubeadmCommands`` leave exported to kubeadm: cloud-init and Ignition run them as one script."""
    spec = find(obj)
    commands = spec.entries(_KEY) if isinstance(spec, ConfigSpec) else None
    if not isinstance(spec, ConfigSpec) or isinstance(commands, Finding):
        return
    texts = [command if isinstance(command, str) else "" for command in commands or ()]
    for one in shell_exports.live(texts):
        path, place = (*spec.path, _KEY, str(one.index)), f"the exports in `{_KEY}`"
        seen = Reading(
            one.name,
            one.value,
            path,
            texts[one.index],
            place,
            one.why,
            is_lost=one.is_lost,
            is_unset=one.is_unset,
        )
        yield spec.through_jinja(seen)


def _edit_commands(
    spec: ConfigSpec, edit: ListEdit, settings: ProxySettings, options: Mapping[str, Any]
) -> Iterator[Change | Finding]:
    with_restart = bool(settings.variables()) and not spec.ignition
    exports = settings.variables() if options.get("exports", True) else {}
    try:
        restart = (
            service_restart.command(spec.runtime)
            if with_restart and options.get("restart", True)
            else ""
        )
        planned = _plan(
            _texts(edit), exports, str(options.get("place", "")), scripts_of(spec), restart
        )
    except ValueError as error:
        yield from _other_commands(edit, settings)
        yield Finding(Severity.ERROR, f"{error}; change the proxy settings", edit.path)
        return
    if planned.is_held_back:
        yield Finding(Severity.WARNING, _HELD_BACK, edit.path, code="ExportsStayAtEnd")
    planned.note(edit)
    yield from kubeadm_config.at_new_places(_other_commands(edit, settings), edit)
    moved = {planned.text_of(index): index for index in planned.moved}
    yield from (_change(spec.rooted(operation), edit, moved) for operation in edit.operations())
    yield from _unset_later(planned, exports, edit.path)
    yield from _limits(spec, planned, settings, edit.path)


def scripts_of(spec: ConfigSpec) -> dict[str, str]:
    """The files that the object puts on the node, as far as their text is known: path -> text."""
    files = spec.entries("files")
    found: dict[str, str] = {}
    for entry in files if isinstance(files, list) else ():
        path = lookup(entry, ("path",))
        text = decode(entry) if isinstance(path, str) and entry.get("contentFrom") is None else None
        if isinstance(path, str) and text is not None:
            found[path] = text
    return found


@dataclass(frozen=True)
class _Planned:
    """The list as it is to be: (index in the old list or None, text) of each command.

    ``moved`` are indices of the old list; ``is_held_back`` is True where new commands stay at the end although the
    commands want them further up.
    """

    commands: tuple[tuple[int | None, str], ...]
    moved: frozenset[int] = frozenset()
    is_held_back: bool = False

    def text_of(self, origin: int) -> str:
        """The text that a command of the old list is to have; "" if it goes."""
        return next((text for index, text in self.commands if index == origin), "")

    def note(self, edit: ListEdit) -> None:
        """Note in ``edit`` what leads from its old list to this one."""
        old = edit.old or ()
        staying = {index for index, _ in self.commands if index is not None} - self.moved
        edit.removed.update(set(range(len(old))) - staying)
        waiting: list[str] = []
        for index, text in self.commands:
            if index is None or index in self.moved:
                waiting.append(text)
                continue
            if waiting:
                edit.inserted[index] = waiting
                waiting = []
            if isinstance(old[index], str) and old[index] != text:
                edit.replaced[index] = text
        edit.appended += waiting


def _plan(
    texts: Sequence[str],
    exports: Mapping[str, str],
    place: str,
    scripts: Mapping[str, str],
    restart: str,
) -> _Planned:
    """What the list is to become; ``restart`` is the command that is wanted, or "" for none.

    Where another place would confuse comments, what is new stands at the end.
    """

    def planned(*, ends_all: bool) -> _Planned:
        arranged = command_places.arrange(
            texts, restart=restart, place=place, scripts=scripts, ends_all=ends_all
        )
        return _filled(texts, arranged, exports, restart)

    wanted = planned(ends_all=False)
    has_restart = any(service_restart.is_ours(text) for _, text in wanted.commands)
    if place or not command_places.confuses_comments(
        texts, place, scripts, new=len(exports) + int(has_restart)
    ):
        return wanted
    held_back = planned(ends_all=True)
    return replace(held_back, is_held_back=held_back.commands != wanted.commands)


def _filled(
    texts: Sequence[str], arranged: Arrangement, exports: Mapping[str, str], restart: str
) -> _Planned:
    """The commands in their order, with the exports that are wanted and without what is to go."""
    ordered = [restart if index is None else texts[index] for index in arranged.order]
    planned = shell_exports.plan(
        ordered,
        exports,
        in_one_block=not arranged.has_new_restart_there,
        block_end=arranged.exports_at,
    )
    missing: list[tuple[int | None, str]] = [
        (None, shell_exports.export(name, exports[name])) for name in planned.missing
    ]
    commands: list[tuple[int | None, str]] = []
    for position, index in enumerate(arranged.order):
        if position == arranged.exports_at:
            commands += missing
        if position in planned.removed or index in arranged.gone:
            continue
        text = planned.rewritten.get(position, ordered[position])
        is_restart = index is not None and service_restart.is_ours(texts[index])
        commands.append((index, restart if is_restart else text))
    if arranged.exports_at == len(arranged.order):
        commands += missing
    moved = arranged.moved & {index for index, _ in commands if index is not None}
    return _Planned(tuple(commands), moved)


def _unset_later(planned: _Planned, exports: Mapping[str, str], path: Pointer) -> Iterator[Finding]:
    """A warning for each command that takes a variable out of the environment again behind its export."""
    live: set[str] = set()
    for position, (_, text) in enumerate(planned.commands):
        live.update(name for name in shell_exports.exported(text) if name in exports)
        unset = [name for name in node_commands.unsets(text) if name in live]
        if unset:
            message = (
                f"this command unsets {quoted(unset)} behind the export, so kubeadm runs without it; remove "
                "the command, or move it in front of the first command that needs the network"
            )
            yield Finding(Severity.WARNING, message, (*path, str(position)), code="VariableUnset")


def _texts(edit: ListEdit) -> list[str]:
    """The commands; "" for an entry that is none."""
    return [command if isinstance(command, str) else "" for command in edit.old or ()]


def _other_commands(edit: ListEdit, settings: ProxySettings) -> Iterator[Finding]:
    """Entries that are no commands, and commands that set a proxy variable and do something else as well."""
    wanted = settings.variables()
    for index, command in enumerate(edit.old or ()):
        place = (*edit.path, str(index))
        if not isinstance(command, str):
            yield wrong_type(place, command, "a string")
        elif (found := shell_exports.assigned(command)) and not shell_exports.only_exports(command):
            harmless = all(wanted.get(name) == value for name, value in found)
            names = quoted(dict(found))
            message = f"this command sets {names} and does more than that, or is not closed, so it is left as it is"
            advice = (
                ""
                if harmless
                else "; change it by hand, or move the export into a command of its own"
            )
            yield Finding(
                Severity.INFO if harmless else Severity.WARNING,
                message + advice,
                place,
                code="CommandNotEdited",
            )


def _limits(
    spec: ConfigSpec, planned: _Planned, settings: ProxySettings, path: Pointer
) -> Iterator[Finding]:
    """What Cluster API or cloud-init would make of the exports as they are to be."""
    texts = enumerate(text for _, text in planned.commands)
    exports = {position: text for position, text in texts if shell_exports.only_exports(text)}
    if exports:
        yield from spec.jinja(settings, path)
    for position, text in exports.items():
        yield from spec.too_long(
            (*path, str(position)), text, "shorten `noProxy`, or set `exports` to false"
        )


def _change(operation: Operation, edit: ListEdit, moved: Mapping[str, int]) -> Change:
    """One operation in words; ``moved`` are the texts and old indices of commands that get another place."""
    old: Sequence[Any] = edit.old or ()
    gone: Sequence[Any] = ()
    if operation.op != "add":
        gone = old if _is_list(operation, edit.path) else [old[int(operation.path[-1])]]
    new = (
        []
        if operation.op == "remove"
        else edit.appended
        if _is_list(operation, edit.path)
        else [operation.value]
    )
    is_move = (bool(new) and all(text in moved for text in new)) if operation.op == "add" else False
    if operation.op == "remove" and not _is_list(operation, edit.path):
        is_move = int(operation.path[-1]) in moved.values()
    commands = new or gone
    is_inserted = operation.op == "add" and not _is_list(operation, edit.path)
    current = "" if is_inserted else None  # what stands at the index of an addition moves on
    exported = [name for command in commands for name in shell_exports.exported(command)]
    is_restart = any(service_restart.is_ours(command) for command in commands)
    runtime = (
        CRI_O
        if any(service_restart.restarts(command, CRI_O) for command in commands)
        else CONTAINERD
    )
    if is_move:
        what = f"the restart of {runtime}" if is_restart else f"the export of {quoted(exported)}"
        return Change(operation, f"moves {what} to its place among the commands", current=current)
    verb = "sets" if new else "removes"
    parts = [f"{verb} {quoted(exported)} for kubeadm"] if exported else []
    if is_restart:
        parts.insert(0, f"restarts {runtime}" if new else f"removes the restart of {runtime}")
    return Change(operation, " and ".join(parts), current=current)


def _is_list(operation: Operation, path: Pointer) -> bool:
    """True if the operation writes the whole list, alone or with the mappings above it."""
    return len(operation.path) <= len(path)
