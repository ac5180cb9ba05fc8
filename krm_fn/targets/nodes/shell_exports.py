"""Shell commands that export proxy variables: which do only that, and how to edit them.

A command that does anything besides is never changed. An export whose value the shell would read
as wanted stays as written; a variable is exported once, by its first export.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from krm_fn.formats import CACHED_LINES, escaping
from krm_fn.formats.shell_programs import programs
from krm_fn.formats.splice import Edit, cuts, splice
from krm_fn.light_typing import NamedTuple
from krm_fn.settings import PROXY_VARIABLES
from krm_fn.targets.nodes import node_commands

_NAME = re.compile(r"[\"']?([A-Za-z_]+)[\"']?=")
_ASSIGNMENT = rf"(?<![A-Za-z0-9_])({'|'.join(PROXY_VARIABLES)})=[\"']*([^\s\"';&|]*)"
_PIECE = r"[^;&|\n]+"
_WRITTEN = r"[^\s(){}]+"
_SEARCHING = frozenset({"awk", "egrep", "fgrep", "grep", "perl", "sed"})
"""Programs whose arguments say what they look for."""
_EDITING = r"(?:[0-9]+|\$|/[^/]*/)?[ \t]*(?:s([^\s\w\\])|[aic]\\?[ \t]*)"
"""How a command of sed begins that puts something into a text: ``s|``, or ``a``, ``i`` and ``c`` with a line."""
_ESCAPED = "\0"
"""Stands for a mark of sed with a backslash in front, in a text that is taken apart."""


class Export(NamedTuple):
    """A variable that a command exports; ``value`` None: not known from the text, and ``why``.

    ``is_lost`` is True where the shell expands a part of a password, or something that is no reference to a variable.
    ``is_unset`` is True where that command takes the variable out of the environment again.
    """

    name: str
    value: str | None
    why: str = ""
    is_lost: bool = False
    is_unset: bool = False


class Plan:
    """What is to become of a list of commands: index -> new text, indices to drop, variables nothing exports yet."""

    def __init__(self) -> None:
        self.rewritten: dict[int, str] = {}
        self.removed: set[int] = set()
        self.missing: list[str] = []


def export(name: str, value: str) -> str:
    """Return the command that exports one variable: ``export NAME='value'``.

    Raises:
        ValueError: the value holds what a shell word cannot carry.
    """
    return f"export {name}={escaping.shell(value)}"


def plan(
    commands: Sequence[str],
    variables: Mapping[str, str],
    *,
    in_one_block: bool,
    block_end: int | None = None,
) -> Plan:
    """Return how ``commands`` export exactly ``variables`` (of the six proxy variables), each one once.

    With ``in_one_block`` a block of exports at the end of the list, or before the index ``block_end``, takes in the
    missing ones in our order.
    """
    planned, seen = Plan(), set[str]()
    for index, command in enumerate(commands):
        statements = only_exports(command)
        if not statements:
            continue
        new = _edited(command, statements, variables, seen)
        if not new:
            planned.removed.add(index)
        elif new != command:
            planned.rewritten[index] = new
    planned.missing = [name for name in variables if name not in seen]
    if in_one_block:
        _in_our_order(commands[:block_end], variables, planned)
    return planned


@lru_cache(maxsize=CACHED_LINES)
def only_exports(command: str) -> Sequence[Sequence[escaping.QuotedWord]] | None:
    """Return the statements of a command, if it exports proxy variables and does nothing else.

    Otherwise None.
    """
    if not _has_name(command):
        return None
    statements = escaping.shell_statements(command) or ()
    sound = all(
        len(words) > 1
        and words[0].value == "export"
        and all(_name(command, word) for word in words[1:])
        for words in statements
    )
    return statements if sound and statements else None


def exported(command: str) -> list[str]:
    """Return the variables that a command made of exports assigns, in its order."""
    return [_name(command, word) for words in only_exports(command) or () for word in words[1:]]


def assigned(command: str) -> list[tuple[str, str]]:
    """Return the proxy variables that a command assigns somewhere, with their values as far as the text shows them.

    What a program looks for, as sed does to take it out, is no assignment; what sed writes in its place is one.
    """
    if not _has_name(command) or command.lstrip().startswith("#"):
        return []
    found: list[tuple[str, str]] = re.findall(_ASSIGNMENT, command)
    for program in programs(command):
        if program.name not in _SEARCHING:
            continue
        for word in program.arguments:
            for one in re.findall(_ASSIGNMENT, word):
                if one in found:
                    found.remove(one)
            for edit in re.split(r"[;\n][ \t]*", word):
                found += re.findall(_ASSIGNMENT, _put_in(edit))
    return found


def _put_in(edit: str) -> str:
    """Return what one command of sed puts into a text; "" for one that does not, or for no command."""
    begin = re.match(_EDITING, edit)
    if begin is None:
        return ""
    rest, mark = edit[begin.end() :], begin[1]
    if mark is None:
        return rest
    parts = rest.replace(f"\\{mark}", _ESCAPED).split(mark)
    return parts[1].replace(_ESCAPED, mark) if len(parts) > 1 else ""


def live(commands: Sequence[str]) -> list[tuple[int, Export]]:
    """Return what the commands leave exported when they run one after another as one script, and which command does it.

    Of a name, the last export counts. A variable that a later command unsets is there, without a value, if the variable
    in the other case is still exported in the end.
    """
    found: dict[str, tuple[int, Export]] = {}
    for index, command in enumerate(commands):
        for one in _exports_in(command):
            found.pop(one.name, None)
            found[one.name] = index, one
        for name in unsets(command):
            if name in found:
                unset = Export(name, None, "a later command unsets it", is_unset=True)
                found[name] = index, unset
    left = {name for name, (_, one) in found.items() if not one.is_unset}
    return [both for name, both in found.items() if name in left or name.swapcase() in left]


def unsets(command: str) -> Sequence[str]:
    """Return the proxy variables that a command takes out of the environment; none for one made of exports."""
    return () if only_exports(command) else node_commands.unsets(command)


def exports_any(command: str) -> bool:
    """Return whether a command exports a proxy variable somewhere, whatever else it does."""
    return bool(_exports_in(command))


@lru_cache(maxsize=CACHED_LINES)
def _exports_in(command: str) -> tuple[Export, ...]:
    """Return the exports of one command.

    Inside an ``if``, a pipe or a sub-shell the value is not certain.
    """
    if not _has_name(command):
        return ()
    found: list[Export] = []
    statements = escaping.shell_statements(command)
    for words in _pieces(command) if statements is None else statements:
        if not any(word.value == "export" for word in words):
            continue
        is_plain = statements is not None and words[0].value == "export"
        for word in words[1:]:
            name = _name(command, word)
            if name:
                read = word.value if is_plain else ""
                found.append(_export(name, command[word.start : word.end], read))
    return tuple(found)


def _export(name: str, written: str, read: str | None) -> Export:
    """Return the export of a variable.

    Args:
        name: the variable.
        written: the word of the command that assigns it.
        read: that word as the shell reads it; None if the shell expands it, "" if more than an export is around it.
    """
    if read is None:
        is_lost = "@" in written or "$" not in written
        return Export(name, None, "the shell expands it", is_lost=is_lost)
    if not read:
        return Export(name, None, "the command does more than export it")
    return Export(name, read.partition("=")[2])


def _pieces(command: str) -> Iterator[Sequence[escaping.QuotedWord]]:
    """Yield the words of a command that is more than simple commands, as they are written, without comments."""
    for piece in re.finditer(_PIECE, command):
        if not piece[0].lstrip().startswith("#"):
            at = piece.start()
            yield [
                escaping.QuotedWord(at + one.start(), at + one.end(), one[0])
                for one in re.finditer(_WRITTEN, piece[0])
            ]


def _edited(
    command: str,
    statements: Sequence[Sequence[escaping.QuotedWord]],
    variables: Mapping[str, str],
    seen: set[str],
) -> str:
    """Return the command with the wanted values, "" if it exports nothing then; add what it exports to ``seen``."""
    edits: list[Edit] = []
    empty: set[int] = set()
    for number, words in enumerate(statements):
        unwanted = set()
        for index, word in enumerate(words[1:], start=1):
            name = _name(command, word)
            if name not in variables or name in seen:
                unwanted.add(index)
                continue
            seen.add(name)
            if word.value != f"{name}={variables[name]}":
                edits.append((word.start, word.end, f"{name}={escaping.shell(variables[name])}"))
        if len(unwanted) == len(words) - 1:
            empty.add(number)
        elif unwanted:
            spans = [(word.start, word.end) for word in words]
            edits += [(*span, "") for span in cuts(spans, unwanted)]
    if len(empty) == len(statements):
        return ""
    if not edits and not empty:
        return command
    whole = [(words[0].start, words[-1].end) for words in statements]
    return splice(command, [*edits, *((*span, "") for span in cuts(whole, empty))])


def _in_our_order(commands: Sequence[str], variables: Mapping[str, str], planned: Plan) -> None:
    """Let missing exports take their place in our own block at the end, so that the order of runs does not matter.

    Such a block is known by its form: one variable a command, both cases of each, in our order.
    """
    block: list[int] = []
    for index in reversed(range(len(commands))):
        if index in planned.removed:
            continue
        if len(exported(planned.rewritten.get(index, commands[index]))) != 1:
            break
        block.insert(0, index)
    texts = [planned.rewritten.get(index, commands[index]) for index in block]
    names = [exported(text)[0] for text in texts]
    pairs = [case for name in names[::2] for case in (name.upper(), name.lower())]
    if (
        not planned.missing
        or names != pairs
        or names != [name for name in PROXY_VARIABLES if name in names]
    ):
        return
    by_name = dict(zip(names, texts, strict=True))
    ordered = [name for name in variables if name in by_name or name in planned.missing]
    for index, name in zip(block, ordered, strict=False):
        text = by_name.get(name) or export(name, variables[name])
        if text != commands[index]:
            planned.rewritten[index] = text
    planned.missing = ordered[len(block) :]


def _name(command: str, word: escaping.QuotedWord) -> str:
    """Return the proxy variable a word assigns; "" for any other word."""
    found = _NAME.match(command, word.start, word.end)
    return found[1] if found and found[1] in PROXY_VARIABLES else ""


def _has_name(command: str) -> bool:
    return any(name in command for name in PROXY_VARIABLES)
