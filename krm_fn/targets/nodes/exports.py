"""Shell commands that export proxy variables: which do only that, and how to edit them.

A command that does anything besides is never changed. An export whose value is right stays as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from krm_fn.formats import CACHED_LINES, escaping
from krm_fn.light_typing import NamedTuple
from krm_fn.settings import PROXY_VARIABLES
from krm_fn.yamledit.splice import splice

_NAMES = "|".join(PROXY_VARIABLES)
_WORD = rf"[\"']?({_NAMES})[\"']?="
_ASSIGNMENT = rf"(?<![A-Za-z0-9_])({_NAMES})=[\"']*([^\s\"';&|]+)"
_EXPORT_INSIDE = r"\bexport\b([^;&|\n]*)"
_NAME = rf"\b({_NAMES})="
_UNSET = r"\b(?:unset|export\s+-n|declare\s+\+x)\b([^;&|\n]*)"


class Export(NamedTuple):
    """A variable that a command exports: ``value`` is None where the text does not show it, and ``why``.

    ``command[start:end]`` is the word of a command that does nothing but exporting proxy variables.
    """

    name: str
    value: str | None
    why: str = ""
    start: int = 0
    end: int = 0


def export(name: str, value: str) -> str:
    """Return the command that exports one variable.

    Raises:
        ValueError: the value holds what a shell word cannot carry.
    """
    return f"export {name}={escaping.shell(value)}"


@lru_cache(maxsize=CACHED_LINES)
def _pure(command: str) -> Sequence[Export]:
    """Return what a command exports that exports proxy variables and does nothing else; else nothing."""
    exports: list[Export] = []
    if not any(name in command for name in PROXY_VARIABLES):
        return exports
    for words in escaping.shell_statements(command) or ():
        if words[0].value != "export" or len(words) == 1:
            return []
        for word in words[1:]:
            named = re.match(_WORD, command[word.start : word.end])
            if named is None:
                return []
            value = None if word.value is None else word.value.partition("=")[2]
            why = "the shell expands it" if value is None else ""
            exports.append(Export(named[1], value, why, word.start, word.end))
    return exports


def only_exports(command: str) -> list[str]:
    """Return the variables of a command that exports proxy variables and does nothing else; else none."""
    return [exported.name for exported in _pure(command)]


def is_ours(command: str) -> bool:
    """Return whether a command exports one variable as this program writes it."""
    exports = _pure(command)
    return len(exports) == 1 and command == export(exports[0].name, exports[0].value or "")


def exports_in(command: str) -> Iterator[Export]:
    """Yield what a command exports, whatever else it does."""
    exports = _pure(command)
    yield from exports
    if not exports and not command.lstrip().startswith("#"):
        for arguments in re.findall(_EXPORT_INSIDE, command):
            for name in re.findall(_NAME, arguments):
                yield Export(name, None, "the command does more than export it")


def assigned(command: str) -> list[tuple[str, str]]:
    """Return the proxy variables that a command assigns somewhere, as far as the text shows it."""
    return [] if command.lstrip().startswith("#") else re.findall(_ASSIGNMENT, command)


def unset_by(command: str) -> list[str]:
    """Return the proxy variables that a command takes out of the environment of the commands behind it."""
    arguments = " ".join(re.findall(_UNSET, command)).split()
    return [name for name in PROXY_VARIABLES if name in arguments]


def edited(command: str, wanted: Mapping[str, str]) -> str:
    """Return a command made of exports with the wanted values; "" if it would export nothing.

    Raises:
        ValueError: a value holds what a shell word cannot carry.
    """
    exports = _pure(command)
    kept = [name for name in dict.fromkeys(only_exports(command)) if name in wanted]
    if len(kept) < len(exports):
        return " && ".join(export(name, wanted[name]) for name in kept)
    edits = []
    for old in exports:
        if old.value != wanted[old.name]:
            new = f"{old.name}={escaping.shell(wanted[old.name])}"
            edits.append((old.start, old.end, new))
    return splice(command, edits)
