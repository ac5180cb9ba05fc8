"""Shell commands before the nodes are set up that export a proxy or restart containerd, as a site.

One list (``preKubeadmCommands``); a command that does anything else is reported and not edited.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set

from krm_fn.carriers.reading import Reading, Values
from krm_fn.carriers.site import Variables, quoted
from krm_fn.engine import Draft
from krm_fn.krm.results import Severity
from krm_fn.krm.type_errors import wrong_type
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.settings import PROXY_VARIABLES
from krm_fn.targets.nodes import command_places, service_restart, shell_exports
from krm_fn.targets.nodes.command_places import Arrangement
from krm_fn.targets.nodes.config_spec import ConfigSpec
from krm_fn.targets.nodes.files import entries_of


class NodeExports:
    """The exports and the restart among the commands.

    Args:
        spec: the configuration of the nodes with the commands.
        exports: whether the variables have to be exported.
        restart: whether the service that pulls images has to restart where there is a proxy.
        place: ``Start``, ``End``, or "" for what the commands need.
    """

    def __init__(
        self, spec: ConfigSpec, *, exports: bool = True, restart: bool = True, place: str = ""
    ) -> None:
        self._spec = spec
        self._draft = spec.draft
        self._exports = exports
        self._restart = restart
        self._place = place
        self.label = f"the exports in `{spec.system.commands}`"

    def read(self) -> Iterator[Reading]:
        """Yield what the commands leave exported: cloud-init and Ignition run them as one script."""
        texts, commands = self._texts(), self._spec.commands
        for index, one in shell_exports.live(texts):
            reading = Reading(
                one.name,
                one.value,
                (*commands, str(index)),
                texts[index],
                self.label,
                one.why,
                is_lost=one.is_lost,
                is_unset=one.is_unset,
            )
            yield self._spec.through_jinja(reading)

    def write(self, variables: Variables) -> None:
        """Make the commands export the variables, and restart what pulls images.

        Raises:
            WrongTypeError: the commands are no list.
        """
        variables = self._spec.writable(variables)
        commands = self._draft.items(self._spec.commands) or []
        exports = variables if self._exports else {}
        restart = ""
        if variables and self._restart and not self._spec.ignition:
            restart = service_restart.command(self._spec.runtime, self._spec.system.restart)
        try:
            planned = _plan(self._texts(), exports, self._place, scripts_of(self._spec), restart)
        except ValueError as error:
            self._report_others(variables)
            message = f"{error}; change the proxy settings"
            place = self._spec.commands
            self._draft.report(Severity.ERROR, message, place, code="ValueNotWritable")
            return
        if planned.is_held_back:
            self._report_held_back()
        self._describe(planned, commands, restart)
        origins = [None if index in planned.moved else index for index, _ in planned.commands]
        self._draft.set_items(self._spec.commands, planned.new_list(commands), origins)
        self._report_others(variables)
        self._report_unset(exports)
        self._report_limits(variables)

    def _texts(self) -> list[str]:
        """Return the commands; "" for an entry that is none."""
        entries = self._spec.entries(self._spec.commands)
        return [command if isinstance(command, str) else "" for command in entries]

    def _describe(self, planned: _Planned, commands: Sequence[Any], restart: str) -> None:
        """Describe a restart that comes or goes, and what gets another place."""
        before = [text for text in commands if isinstance(text, str)]
        after = [text for _, text in planned.commands]
        had_restart = any(map(service_restart.is_ours, before))
        has_restart = any(map(service_restart.is_ours, after))
        if restart and restart in after and restart not in before:
            self._draft.describe(f"restarts {self._spec.runtime}")
        elif had_restart and not has_restart:
            self._draft.describe("removes the restart of the service that pulls images")
        for index in sorted(planned.moved):
            if service_restart.is_ours(str(commands[index])):
                what = f"the restart of {self._spec.runtime}"
            else:
                what = "exports"
            self._draft.describe(f"moves {what} to its place among the commands")

    def _report_held_back(self) -> None:
        message = (
            "a command here needs the network, but the exports and the restart stay at the end: two "
            "commands have the same text, and kpt would copy the comment of one to the other; make "
            f"the texts differ, or set `spec.targets.{self._spec.system.exporter}.place` to `Start`"
        )
        path = self._spec.commands
        self._draft.report(Severity.WARNING, message, path, code="ExportsStayAtEnd")

    def _report_others(self, variables: Variables) -> None:
        """Report entries that are no commands, and commands that do more than set a proxy variable."""
        for index, command in enumerate(self._spec.entries(self._spec.commands)):
            place = (*self._spec.commands, str(index))
            if not isinstance(command, str):
                self._draft.findings.append(wrong_type(place, command, "a string"))
                continue
            if shell_exports.only_exports(command):
                continue
            found = shell_exports.assigned(command)
            if not found:
                continue
            message = (
                f"this command sets {quoted(dict(found))} and does more than that, or is not closed, "
                "so it is left as it is"
            )
            severity = Severity.INFO
            if any(variables.get(name) != value for name, value in found):
                severity = Severity.WARNING
                message += "; change it by hand, or move the export into a command of its own"
            self._draft.report(severity, message, place, code="CommandNotEdited")

    def _report_unset(self, exports: Variables) -> None:
        """Report each command that takes a variable out of the environment again behind its export."""
        live: set[str] = set()
        for index, text in enumerate(self._texts()):
            live.update(name for name in shell_exports.exported(text) if name in exports)
            unset = [name for name in shell_exports.unsets(text) if name in live]
            if unset:
                message = (
                    f"this command unsets {quoted(unset)} behind the export, so "
                    f"{self._spec.system.name} runs without it; remove the command, or move it in "
                    "front of the first command that needs the network"
                )
                place = (*self._spec.commands, str(index))
                self._draft.report(Severity.WARNING, message, place, code="VariableUnset")

    def _report_limits(self, variables: Variables) -> None:
        """Report what Cluster API or cloud-init would make of the exports."""
        exports = [
            (index, text)
            for index, text in enumerate(self._texts())
            if shell_exports.only_exports(text)
        ]
        if exports:
            self._spec.report_jinja(variables, self._spec.commands)
        for index, text in exports:
            place = (*self._spec.commands, str(index))
            remedy = "shorten `noProxy`, or set `exports` to false"
            self._spec.report_length(place, text, remedy)


def scripts_of(spec: ConfigSpec) -> dict[str, str]:
    """Return the files that the object puts on the node, as far as their text is known: path -> text."""
    found: dict[str, str] = {}
    for file in entries_of(spec):
        if (text := file.text) is not None:
            found[file.path] = text
    return found


class _Planned(NamedTuple):
    """The list as it is to be: (index in the old list or None, text) of each command.

    Attributes:
        commands: in their order.
        moved: indices of the old list of those that get another place.
        is_held_back: whether new commands stay at the end although others need them further up.
    """

    commands: tuple[tuple[int | None, str], ...]
    moved: frozenset[int] = frozenset()
    is_held_back: bool = False

    def new_list(self, old: Sequence[Any]) -> list[Any]:
        """Return the items of the list; an entry that is no command stays as it is."""
        items: list[Any] = []
        for index, text in self.commands:
            if index is None or isinstance(old[index], str):
                items.append(text)
            else:
                items.append(old[index])
        return items


def _plan(
    texts: Sequence[str],
    exports: Mapping[str, str],
    place: str,
    scripts: Mapping[str, str],
    restart: str,
) -> _Planned:
    """Return what the list is to become; ``restart`` is the command that is wanted, or "" for none.

    Where another place would confuse comments, what is new is at the end.
    """
    arranged = command_places.arrange(texts, restart=restart, place=place, scripts=scripts)
    wanted = _filled(texts, arranged, exports, restart)
    has_restart = any(service_restart.is_ours(text) for _, text in wanted.commands)
    new = len(exports) + int(has_restart)
    if place or not command_places.confuses_comments(texts, place, scripts, new=new):
        return wanted
    at_end = command_places.arrange(
        texts, restart=restart, place=place, scripts=scripts, ends_all=True
    )
    held_back = _filled(texts, at_end, exports, restart)
    is_held_back = held_back.commands != wanted.commands
    return _Planned(held_back.commands, held_back.moved, is_held_back)


def _filled(
    texts: Sequence[str], arranged: Arrangement, exports: Mapping[str, str], restart: str
) -> _Planned:
    """Return the commands in the order ``arranged``, with the exports that are wanted and without what has to go."""
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


def correct_exports(draft: Draft, place: Mapping[str, Reading], values: Values) -> None:
    """Export other values, where all that the commands export is known."""
    path = next(iter(place.values())).path[:-1]
    commands = draft.get(path)
    exports: dict[int, list[str]] = {}
    for index, command in enumerate(commands):
        names = shell_exports.exported(command) if isinstance(command, str) else []
        if names:
            exports[index] = list(names)
    # A command stays as it is if another one, which cannot be edited, decides about a variable of it.
    sound = {
        name
        for name, one in place.items()
        if one.value is not None and int(one.path[-1]) in exports
    }
    edited = {index for index, names in exports.items() if sound.issuperset(names)}
    wanted = _wanted_exports(place, values, {name for index in edited for name in exports[index]})
    if not edited or values.keys().isdisjoint(wanted):
        return
    texts = [command if index in edited else "" for index, command in enumerate(commands)]
    planned = shell_exports.plan(texts, wanted, in_one_block=True)
    left = [
        planned.rewritten.get(index, command)
        for index, command in enumerate(commands)
        if index not in planned.removed
    ]
    left += [shell_exports.export(name, wanted[name]) for name in planned.missing]
    draft.set_items(path, left)


def _wanted_exports(
    place: Mapping[str, Reading], values: Values, exported: Set[str]
) -> dict[str, str]:
    """Return what the commands have to export: what they do now with other values, and what belongs to it."""
    wanted: dict[str, str] = {}
    for name in PROXY_VARIABLES:
        value = values.get(name)
        if name not in values and name in exported:
            value = place[name].value
        is_new = name not in place and (name.swapcase() in exported or name.upper() == "NO_PROXY")
        if value is not None and (name in exported or is_new):
            wanted[name] = value
    return wanted
