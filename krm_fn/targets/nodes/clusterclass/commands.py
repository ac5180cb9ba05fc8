"""At which end of a list of commands the patches of a ClusterClass add exports and restart.

In: the commands that nodes of a class may have when our patches run, in their order. Out: whether the
exports, and the restart of containerd, belong at the beginning. The rules are those of
``carriers.command_places``, with one limit: a patch adds to a list at its beginning or at its end only, so
what belongs between two commands comes too late.

Source: Cluster API 1.11, ``internal/webhooks/patch_validation.go`` (``validateIndexAccess``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from krm_fn.targets.nodes import command_places, node_commands, shell_exports
from krm_fn.targets.nodes.clusterclass.class_patches import ListState, Written


@dataclass(frozen=True)
class Ends:
    """Whether exports and restart are at the beginning of the commands.

    ``exports_are_late`` and ``restart_is_late``: they are at the end, and a command needs the
    network before.
    """

    exports_first: bool = False
    restart_first: bool = False
    exports_are_late: bool = False
    restart_is_late: bool = False


def possible_commands(template: Sequence[Any], state: ListState) -> list[str]:
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


def ends_of(commands: Sequence[str], place: str, scripts: Mapping[str, str]) -> Ends:
    """Return where exports and restart belong.

    Args:
        commands: those that nodes may have.
        place: the option of ``kubeadmCommands``: ``Start``, ``End``, or "" for what the commands need.
        scripts: path on the node -> text, for what commands run.
    """
    if place == command_places.END:
        return Ends()
    # Commands of ours, such as those of the trust store, have no say in it.
    parts = map(command_places.part_of, commands)
    indices = [at for at, part in enumerate(parts) if part is command_places.CommandRole.OTHER]
    touching = [at for at in indices if node_commands.touches_containerd(commands[at], scripts)]
    if place == command_places.START:
        return Ends(exports_first=True, restart_first=not touching)
    network = [at for at in indices if command_places.needs_the_proxy(commands[at], scripts)]
    if not network:
        return Ends()
    are_late = any(_changes_proxy(text) for text in commands)
    return Ends(
        exports_first=not are_late,
        restart_first=not touching,
        exports_are_late=are_late,
        restart_is_late=bool(touching) and network[-1] > touching[-1],
    )


def _changes_proxy(command: str) -> bool:
    """Return whether the commands behind this one run with another proxy, or without one."""
    return bool(node_commands.unsets(command)) or shell_exports.exports_any(command)
