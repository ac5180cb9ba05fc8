"""Shell commands that export proxy variables: which do only that, and how to edit them.

A command that does anything besides is never changed. An export whose value is right stays as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from krm_fn.formats import CACHED_LINES, escaping
from krm_fn.formats.escaping import QuotedWord
from krm_fn.formats.splice import splice
from krm_fn.light_typing import NamedTuple
from krm_fn.settings import PROXY_VARIABLES

_NAMES = "|".join(PROXY_VARIABLES)
_WORD = re.compile(rf"[\"']?({_NAMES})[\"']?=")
_ASSIGNMENT = rf"(?<![A-Za-z0-9_])({_NAMES})=[\"']*([^\s\"';&|]+)"
_EXPORT_INSIDE = r"\bexport\b([^;&|\n]*)"
_NAME = rf"\b({_NAMES})="
_UNSET = r"\b(?:unset|export\s+-n|declare\s+\+x)\b([^;&|\n]*)"


class Export(NamedTuple):
    """A variable that a command exports: ``value`` is None where the text does not show it, and ``why``."""

    name: str
    value: str | None
    why: str = ""


def export(name: str, value: str) -> str:
    """Return the command that exports one variable.

    Raises:
        ValueError: the value holds what a shell word cannot carry.
    """
    return f"export {name}={escaping.shell(value)}"


@lru_cache(maxsize=CACHED_LINES)
def _words(command: str) -> Sequence[QuotedWord]:
    """Return the assignments of a command that exports proxy variables and does nothing else; else none."""
    if not any(name in command for name in PROXY_VARIABLES):
        return []
    assignments: list[QuotedWord] = []
    for words in escaping.shell_statements(command) or ():
        if words[0].value != "export" or len(words) == 1:
            return []
        assignments += words[1:]
    return assignments if all(_name(command, word) for word in assignments) else []


def _name(command: str, word: QuotedWord) -> str:
    named = _WORD.match(command, word.start, word.end)
    return named[1] if named else ""


def only_exports(command: str) -> list[str]:
    """Return the variables of a command that exports proxy variables and does nothing else; else none."""
    return [_name(command, word) for word in _words(command)]


def is_own(command: str) -> bool:
    """Return whether a command exports one variable as this program writes it."""
    exports = [*exports_in(command)]
    return len(exports) == 1 and command == export(exports[0].name, exports[0].value or "")


def exports_in(command: str) -> Iterator[Export]:
    """Yield what a command exports, whatever else it does."""
    words = _words(command)
    for word in words:
        value = None if word.value is None else word.value.partition("=")[2]
        yield Export(_name(command, word), value, "the shell expands it" if value is None else "")
    if not words and not command.lstrip().startswith("#"):
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
    words = _words(command)
    kept = [name for name in dict.fromkeys(only_exports(command)) if name in wanted]
    if len(kept) < len(words):
        return " && ".join(export(name, wanted[name]) for name in kept)
    edits = []
    for word in words:
        name = _name(command, word)
        if word.value != f"{name}={wanted[name]}":
            edits.append((word.start, word.end, f"{name}={escaping.shell(wanted[name])}"))
    return splice(command, edits)
