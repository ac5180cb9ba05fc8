"""The restart of containerd among shell commands: whether it is there already, and which one is ours.

It recognises what runs ``systemctl``, alone or joined to other commands; what merely mentions it
in a comment or as an argument does not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from krm_fn.targets.nodes.container_runtime import CONTAINERD

MARK = "# inject-proxy"
"""Ends the command that is ours, so that removal never takes a restart that someone else wants."""

_COMMAND = "systemctl daemon-reload && systemctl {} {} {}"


def command(unit: str, verb: str = "restart") -> str:
    """Return the command that restarts ``unit`` with its drop-ins, by a verb of ``systemctl``."""
    return _COMMAND.format(verb, unit, MARK)


_JOINT = r";|&&|\|\||\||&|\n"
_SYSTEMCTL = (
    r"[\s({]*(?:(?:then|do|else)\s+)?(?:sudo\s+(?:-\S+\s+)*)?(?:/\S*/)?systemctl\s+(?:-\S+\s+)*"
    r"(?P<verb>daemon-reload|restart|reload-or-restart|stop|start)(?P<units>(?:\s+[^\s#]+)*)\s*(?:#.*)?"
)


def is_ours(command: str) -> bool:
    """Return whether a command is the restart that this program appends, or that one of its versions appended."""
    return command.rstrip().endswith(MARK) and "systemctl" in command


def restarts(command: str, unit: str) -> bool:
    """Return whether ``command`` is our restart of ``unit``."""
    return is_ours(command) and f"restart {unit} " in command


def is_restarted(commands: Iterable[str], unit: str = CONTAINERD) -> bool:
    """Return whether ``unit`` restarts (``restart``, or ``stop`` and ``start``) after a ``daemon-reload``."""
    reloaded = stopped = False
    for verb, units in _calls(commands):
        if verb == "daemon-reload":
            reloaded = True
        elif unit in units and verb == "stop":
            stopped = True
        elif unit in units and (verb != "start" or stopped):
            if reloaded:
                return True
            stopped = False
    return False


def _calls(commands: Iterable[str]) -> Iterator[tuple[str, set[str]]]:
    """Yield each call of systemctl, in order: its verb, and the units it is about."""
    for command in commands:
        for part in re.split(_JOINT, command) if "systemctl" in command else ():
            if call := re.fullmatch(_SYSTEMCTL, part):
                units = {
                    unit.strip("'\")}").removesuffix(".service") for unit in call["units"].split()
                }
                yield call["verb"], units
