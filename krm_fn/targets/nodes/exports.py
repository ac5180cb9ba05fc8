"""Shell commands that export proxy variables: which do only that, and how to edit them.

A command that does anything besides is never changed. An export whose value is right stays as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from krm_fn.formats import cached_by_line, escaping
from krm_fn.light_typing import NamedTuple, Variables
from krm_fn.settings import PROXY_VARIABLES
from krm_fn.yamledit.tree import splice

_NAMES = "|".join(PROXY_VARIABLES)
_WORD = rf"[\"']?({_NAMES})[\"']?="
_ASSIGNMENT = rf"(?<![A-Za-z0-9_])({_NAMES})=[\"']*([^\s\"';&|]+)"
_EXPORT_INSIDE = r"\bexport\b([^;&|\n]*)"
_NAME = rf"\b({_NAMES})="
_COMMENT = r"\s*#"
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
        ValueError: a shell word cannot hold a character of the value.
    """
    return f"export {name}={escaping.shell(value)}"


@cached_by_line
def _pure(command: str) -> Sequence[Export]:
    """Return the exports of a command that does nothing but exporting proxy variables; else nothing."""
    if not re.search(_NAMES, command):
        return []
    exports = []
    for program, *arguments in escaping.shell_statements(command) or ():
        if program.value != "export" or not arguments:
            return []
        for start, end, text in arguments:
            named = re.match(_WORD, command[start:end])
            if named is None:
                return []
            exported = Export(named[1], None, "the shell expands it", start, end)
            if text is not None:
                exported = exported._replace(value=text.partition("=")[2], why="")
            exports.append(exported)
    return exports


def only_exports(command: str) -> list[str]:
    """Return the variables of a command that exports proxy variables and does nothing else; else none."""
    return [exported.name for exported in _pure(command)]


def is_ours(command: str) -> bool:
    """Return whether a command exports one variable as this program writes it."""
    exports = _pure(command)
    if len(exports) != 1:
        return False
    exported = exports[0]
    return command == export(exported.name, exported.value or "")


def exports_in(command: str) -> Iterator[Export]:
    """Yield the proxy variables that a command exports, whatever else it does."""
    exports = _pure(command)
    yield from exports
    if exports or re.match(_COMMENT, command):
        return
    for arguments in re.findall(_EXPORT_INSIDE, command):
        for name in re.findall(_NAME, arguments):
            yield Export(name, None, "the command does more than export it")


def assigned(command: str) -> list[tuple[str, str]]:
    """Return the proxy variables that a command assigns somewhere, as far as the text shows it."""
    if re.match(_COMMENT, command):
        return []
    return re.findall(_ASSIGNMENT, command)


@cached_by_line
def unset_by(command: str) -> Sequence[str]:
    """Return the proxy variables that a command takes out of the environment of the commands behind it."""
    arguments = " ".join(re.findall(_UNSET, command))
    names = arguments.split()
    return [name for name in PROXY_VARIABLES if name in names]


def edited(command: str, variables: Variables) -> str:
    """Return a command made of exports with the values of some variables; "" if it would export nothing.

    Raises:
        ValueError: a shell word cannot hold a character of a value.
    """
    names = only_exports(command)
    kept = {name: variables[name] for name in names if name in variables}
    if len(kept) < len(names):
        return " && ".join(map(export, kept, kept.values()))
    edits = []
    for exported in _pure(command):
        value = kept[exported.name]
        if exported.value != value:
            new = f"{exported.name}={escaping.shell(value)}"
            edits.append((exported.start, exported.end, new))
    return splice(command, edits)
