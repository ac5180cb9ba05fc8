"""The commands before the nodes are set up that export the proxy or restart what pulls images, as a form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from krm_fn.config import exports_variables
from krm_fn.engine import Draft
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Data, lookup, text_at
from krm_fn.places.place import Place, Reading, Variables, quoted
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
    options: Data

    def read(self, data: Any, place: Place) -> Iterator[Reading]:
        """Yield what the commands leave exported: they run one after another as one script."""
        readings: dict[str, Reading] = {}
        for index, text in enumerate(self.config.commands_in(data)):
            path = (*place.path, str(index))
            for name, value, why, *_ in exports_in(text):
                readings[name] = Reading(name, value, path, text, place.label, why)
            for name in unset_by(text):
                readings.pop(name, None)
        yield from readings.values()

    def write(self, draft: Draft, place: Place, settings: ProxySettings) -> None:
        """Make the commands export the variables, and restart what pulls images."""
        config = self.config
        variables = settings.variables()
        old = draft.items(place.path)
        commands = Commands(config.commands_in(draft.data), config.scripts_in(draft.data))
        exports = variables if exports_variables(self.options) else {}
        place_of_exports = text_at(self.options, ("commands", "place"))
        restart = self._restart(variables)
        try:
            new = arranged(commands, exports, restart, place_of_exports)
        except ValueError as error:
            message = f"{error}; change the proxy settings"
            draft.report("CannotWrite", message, place.path)
            return
        items = []
        for command in new:
            item = command.text or old[command.place]  # what is no command has no text, and stays
            items.append(item)
        draft.set_items(place.path, items)
        after = config.commands_in(draft.data)
        _describe(draft, place.label, commands.texts, after, config.runtime)
        self._report(draft, after, variables, exports)

    def _restart(self, variables: Variables) -> str:
        """Return the command that restarts what pulls images; "" where nothing has to restart."""
        verb = self.config.system.restart
        if not variables or not verb or self.config.has_ignition:
            return ""
        if lookup(self.options, ("commands", "restart")) is False:
            return ""
        return restart_of(self.config.runtime, verb)

    def _report(
        self, draft: Draft, commands: Sequence[str], variables: Variables, exports: Variables
    ) -> None:
        """Report commands that cannot be edited, and those that unset what is exported."""
        exported: set[str] = set()
        for index, text in enumerate(commands):
            path = (*self.config.commands, str(index))
            names = only_exports(text)
            if names:
                exported.update(names)
                self.config.report_length(draft, path)
                continue
            unset = [name for name in unset_by(text) if name in exported]
            if unset:
                message = f"this command unsets {quoted(unset)} behind the export; remove it"
                draft.report("OtherProxy", message, path)
            assignments = dict(assigned(text))
            if assignments:
                is_equal = assignments.items() <= variables.items()
                message = f"this command sets {quoted(assignments)} and does more than that, so it is left as it is"
                draft.report("ByHand", message, path, is_info=is_equal)


def _describe(
    draft: Draft, label: str, before: Sequence[str], after: Sequence[str], runtime: str
) -> None:
    """Say in a draft what became of the exports and of the restart."""
    no_restart = "removes the restart of the service that pulls images"
    for is_ours, added, gone in (
        (only_exports, f"sets the proxy in {label}", f"removes the proxy from {label}"),
        (is_restart, f"restarts {runtime}", no_restart),
    ):
        old = [text for text in before if is_ours(text)]
        new = [text for text in after if is_ours(text)]
        if new != old:
            draft.describe(added if new else gone)
