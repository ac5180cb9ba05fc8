"""Where exports of the proxy and the restart of containerd have to be among the commands before the nodes are set up.

In: the commands as they are, the option ``place``, and the scripts that commands may run. Out: the commands in the
order that they should have, and where new ones belong. Nothing is moved that is in a right place already, so a second
run moves nothing; commands that are not ours keep their order, so removal gives the old list back.

An export belongs before the first command that needs the network, and behind a command that unsets proxy variables, or
that sets them and does something else as well. The restart belongs before the network, too, but behind every command
that installs, configures or starts containerd.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from krm_fn.light_typing import NamedTuple
from krm_fn.targets.nodes import node_commands, service_restart, shell_exports
from krm_fn.targets.nodes.container_runtime import CONTAINERD, CRI_O

START, END = "Start", "End"
"""The values of the option ``place``; without it the place follows from the commands."""

_TRUST_STORE = "# inject-proxy: trust store"


_EXPORT, _RESTART, _TRUST, _OTHER = "export", "restart", "trust store", "other"
"""What a command is, as far as its place matters: it exports proxy variables and does nothing else, it is the restart
that this function added, a command of the target nodeTrustStore, or belongs to somebody else."""


class Arrangement(NamedTuple):
    """The commands in their order: indices of the old list, None for a restart that is to be added.

    New exports belong before position ``exports_at`` of ``order``. ``moved`` and ``gone`` (restarts that are not
    wanted) are indices of the old list. ``has_new_restart_there`` is True where the restart is directly
    before new exports.
    """

    order: tuple[int | None, ...]
    exports_at: int
    moved: frozenset[int] = frozenset()
    gone: frozenset[int] = frozenset()
    has_new_restart_there: bool = False


class Ends(NamedTuple):
    """Whether exports and restart are at the beginning of a list to which one can add at its two ends only.

    ``exports_are_late`` and ``restart_is_late``: they are at the end, and a command needs the
    network before.
    """

    exports_first: bool = False
    restart_first: bool = False
    exports_are_late: bool = False
    restart_is_late: bool = False


class _Anchors(NamedTuple):
    """Indices of the old list before which something belongs; its length is the end.

    ``behind`` is the last command that the restart has to be behind; -1 for none.
    """

    exports: int
    restart: int
    moved_exports: Sequence[int] = ()
    moves_restart: bool = False
    behind: int = -1


def _part_of(command: str) -> str:
    if shell_exports.only_exports(command):
        return _EXPORT
    if service_restart.is_ours(command):
        return _RESTART
    return _TRUST if command.rstrip().endswith(_TRUST_STORE) else _OTHER


def arrange(
    commands: Sequence[str],
    *,
    restart: str,
    place: str,
    scripts: Mapping[str, str],
    ends_all: bool = False,
) -> Arrangement:
    """Return the order in which the commands should run.

    Args:
        commands: the texts; "" for an entry that is none.
        restart: the command that restarts what pulls images; "" where it need not restart.
        place: ``Start``, ``End``, or "" for what the commands need.
        scripts: path on the node -> text, for what commands run.
        ends_all: nothing is moved, and what is new is at the end, whatever the commands need.
    """
    parts = [_part_of(command) for command in commands]
    ours = [at for at, part in enumerate(parts) if part == _RESTART]
    kept = ours[0] if ours and restart else None
    unit = CRI_O if service_restart.restarts(restart, CRI_O) else CONTAINERD
    adds_restart = bool(restart) and not ours and not service_restart.is_restarted(commands, unit)
    anchors = _Anchors(len(commands), len(commands))
    if not ends_all:
        anchors = _anchors(commands, parts, place, scripts, kept)
    moved = {
        *anchors.moved_exports,
        *([kept] if kept is not None and anchors.moves_restart else []),
    }
    ordered = _ordered(len(commands), anchors, moved, kept, adds_restart=adds_restart)
    return ordered._replace(gone=frozenset(ours[1:] if restart else ours))


def _anchors(
    commands: Sequence[str],
    parts: Sequence[str],
    place: str,
    scripts: Mapping[str, str],
    restart: int | None,
) -> _Anchors:
    end = len(commands)
    others = [at for at, part in enumerate(parts) if part == _OTHER]
    exports = [at for at, part in enumerate(parts) if part == _EXPORT]
    touching = [at for at in others if node_commands.touches_containerd(commands[at], scripts)]
    behind = touching[-1] if touching else -1
    if place == END:
        last = others[-1] if others else -1
        late = [at for at in exports if at < last]
        return _Anchors(end, end, late, moves_restart=restart is not None and restart < last)
    if place == START:
        first = others[0] if others else end
        free = next((at for at in others if at > behind), end)
        misplaced = restart is not None and not behind < restart < free
        return _Anchors(first, free, [at for at in exports if at > first], misplaced, behind)
    network = [at for at in others if needs_the_proxy(commands[at], scripts)]
    unsetting = [at for at in others if _changes_proxy(commands[at])]
    first = network[0] if network else end
    last_unset = unsetting[-1] if unsetting and unsetting[-1] < first else -1
    free = next((at for at in network if at > behind), end)
    misplaced = restart is not None and not behind < restart < free
    moved = [at for at in exports if at > first or at < last_unset]
    return _Anchors(first, free, moved, misplaced, behind)


def ends(commands: Sequence[str], place: str, scripts: Mapping[str, str]) -> Ends:
    """Return at which end of the list exports and restart belong.

    Args:
        commands: the commands that may be there.
        place: as for ``arrange``.
        scripts: as for ``arrange``.
    """
    if place == END:
        return Ends()
    anchors = _anchors(commands, [_part_of(text) for text in commands], place, scripts, None)
    if place == START:
        return Ends(exports_first=True, restart_first=anchors.behind < 0)
    exports_before, restart_before = (
        anchors.exports < len(commands),
        anchors.restart < len(commands),
    )
    is_changed = any(_changes_proxy(text) for text in commands)
    return Ends(
        exports_first=exports_before and not is_changed,
        restart_first=restart_before and anchors.behind < 0,
        exports_are_late=exports_before and is_changed,
        restart_is_late=restart_before and anchors.behind >= 0,
    )


def _changes_proxy(command: str) -> bool:
    """Return whether the commands behind this one run with another proxy, or without one."""
    return bool(node_commands.unsets(command)) or shell_exports.exports_any(command)


def needs_the_proxy(command: str, scripts: Mapping[str, str]) -> bool:
    """Return whether a command needs the network, and does not set a proxy for itself."""
    return node_commands.needs_network(command, scripts) and not shell_exports.assigned(command)


def _ordered(
    length: int, anchors: _Anchors, moved: set[int], restart: int | None, *, adds_restart: bool
) -> Arrangement:
    order: list[int | None] = []
    exports_at = 0
    for at in range(length + 1):
        if at == anchors.restart and (adds_restart or anchors.moves_restart):
            order.append(restart if anchors.moves_restart else None)
        if at == anchors.exports:
            order += anchors.moved_exports
            exports_at = len(order)
        if at < length and at not in moved:
            order.append(at)
    is_new_there = adds_restart and anchors.restart == anchors.exports
    return Arrangement(
        tuple(order), exports_at, frozenset(moved), has_new_restart_there=is_new_there
    )


def confuses_comments(
    commands: Sequence[str], place: str, scripts: Mapping[str, str], *, new: int
) -> bool:
    """Return whether kpt could copy a comment of one command to another one with the same text.

    kpt copies the comments of a list back by index, to entries that have the same text as the old one there (kyaml
    ``comments/comments.go``, ``VisitList``). What is ours is left out of the comparison, so that each run says
    the same.

    Args:
        commands: the texts.
        place: as for ``arrange``.
        scripts: as for ``arrange``.
        new: how many of our own commands are wanted.
    """
    others = [text for text in commands if _part_of(text) in (_OTHER, _TRUST)]
    arranged = arrange(others, restart="", place=place, scripts=scripts)
    order = [*arranged.order]
    order[arranged.exports_at : arranged.exports_at] = [None] * new
    places = zip(others, order)  # noqa: B905 -- what is behind the old list gets no comment
    return any(
        origin not in (None, at) and others[origin or 0] == text
        for at, (text, origin) in enumerate(places)
    )
