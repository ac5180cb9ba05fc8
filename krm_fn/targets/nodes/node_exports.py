"""The commands before the nodes are set up that export the proxy or restart what pulls images, as a form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from krm_fn.engine import Draft
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.places.place import Place
from krm_fn.places.reading import Reading, Variables, quoted
from krm_fn.settings import ProxySettings
from krm_fn.targets.nodes.command_order import Commands, arranged, is_restart, restart_of
from krm_fn.targets.nodes.exports import assigned, exports_in, only_exports, unset_by
from krm_fn.targets.nodes.node_config import NodeConfig


class NodeExports(NamedTuple):
    """The exports and the restart among the commands, as a form.

    Attributes:
        config: the configuration of the nodes with the commands.
        options: ``exports``, ``restart`` and ``place``.
    """

    config: NodeConfig
    options: Mapping[str, Any]

    def read(self, data: Any, place: Place) -> Iterator[Reading]:
        """Yield what the commands leave exported: they run one after another as one script."""
        readings: dict[str, Reading] = {}
        for index, text in enumerate(self.config.commands_in(data)):
            path = (*place.path, str(index))
            for export in exports_in(text):
                readings[export.name] = Reading(
                    export.name, export.value, path, text, place.label, export.why
                )
            if not only_exports(text):
                for name in unset_by(text):
                    readings.pop(name, None)
        yield from readings.values()

    def write(self, draft: Draft, place: Place, settings: ProxySettings) -> None:
        """Make the commands export the variables, and restart what pulls images."""
        config, variables = self.config, settings.variables()
        old = draft.items(place.path) or []
        scripts = {file.path: file.text for file in config.files_in(draft.data) if file.text}
        commands = Commands(config.commands_in(draft.data), scripts)
        exports = variables if self.options.get("exports", True) else {}
        where = str(self.options.get("place", ""))
        try:
            new = arranged(commands, exports, self._restart(variables), where)
        except ValueError as error:
            message = f"{error}; change the proxy settings"
            draft.report("CannotWrite", message, place.path)
            return
        # What is no command has no text here, and stays.
        draft.set_items(place.path, [command.text or old[command.place] for command in new])
        after = config.commands_in(draft.data)
        _describe(draft, place.label, commands.texts, after, config.runtime)
        self._report(draft, after, variables, exports)

    def _restart(self, variables: Variables) -> str:
        """Return the command that restarts what pulls images; "" where nothing has to restart."""
        verb = self.config.system.restart
        is_wanted = variables and self.options.get("restart", True)
        if not is_wanted or not verb or self.config.has_ignition:
            return ""
        return restart_of(self.config.runtime, verb)

    def _report(
        self, draft: Draft, commands: Sequence[str], variables: Variables, exports: Variables
    ) -> None:
        """Report commands that cannot be edited, and those that unset what is exported."""
        exported: set[str] = set()
        for index, text in enumerate(commands):
            path = (*self.config.commands, str(index))
            if only_exports(text):
                exported.update(only_exports(text))
                self.config.report_length(draft, path)
                continue
            unset = [name for name in unset_by(text) if name in exported and name in exports]
            if unset:
                message = f"this command unsets {quoted(unset)} behind the export; remove it"
                draft.report("OtherProxy", message, path)
            assignments = dict(assigned(text))
            if assignments:
                is_equal = all(variables.get(name) == value for name, value in assignments.items())
                message = f"this command sets {quoted(assignments)} and does more than that, so it is left as it is"
                draft.report("ByHand", message, path, is_info=is_equal)


def _describe(
    draft: Draft, label: str, before: Sequence[str], after: Sequence[str], runtime: str
) -> None:
    """Say in a draft what became of the exports and of the restart."""
    set_proxy, removed = f"sets the proxy in {label}", f"removes the proxy from {label}"
    restart, no_restart = (
        f"restarts {runtime}",
        "removes the restart of the service that pulls images",
    )
    for is_one, added, gone in (
        (only_exports, set_proxy, removed),
        (is_restart, restart, no_restart),
    ):
        new = [text for text in after if is_one(text)]
        if new != [text for text in before if is_one(text)]:
            draft.describe(added if new else gone)
