"""The parser of a command: its options, its help text, its examples.

``argparse`` takes the arguments apart. The help text has a layout of its own, because that of ``argparse`` is another
one in each version of Python; `docs/cli.md` is made of the same parsers, and `inject-proxy completion` asks them.
"""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Sequence

from krm_fn.cli.commands import SUMMARIES
from krm_fn.errors import UsageError
from krm_fn.light_typing import Any, NoReturn
from krm_fn.near_names import nearest

_WIDTH = 100
_COLUMN = 22
"""Where the explanations of options begin."""
_NAMES_ELSEWHERE = {"--dry-run": "--diff", "-n": "--diff", "-c": "--config", "-o": "--output"}
"""What other tools call an option, and its name here."""


class CommandParser(argparse.ArgumentParser):
    """A parser that raises UsageError for wrong arguments.

    Args:
        name: the command, such as ``lint``.
        usage: its forms, without ``inject-proxy`` and the name.
        examples: a command line, and what it is for.
        notes: paragraphs below the options, the exit codes among them.
    """

    def __init__(
        self,
        name: str,
        *,
        usage: Sequence[str],
        examples: Sequence[tuple[str, str]],
        notes: Sequence[str] = (),
    ) -> None:
        super().__init__(
            prog=f"inject-proxy {name}", add_help=False, allow_abbrev=False, exit_on_error=False
        )
        self.name = name
        self.summary = SUMMARIES.get(name, "")
        self.forms = [" ".join(f"inject-proxy {name} {form}".split()) for form in usage]
        self.examples = list(examples)
        self.notes = list(notes)

    def words(self, name: str, explanation: str) -> None:
        """Add what is no option: paths, or a text."""
        self.add_argument("words", nargs="*", metavar=name, help=explanation)

    def common(self, verbose: str = "report more, where there is more to say") -> CommandParser:
        """Add the options that each command has, and return the parser; ``verbose`` says what `-v` shows."""
        self.add_argument("-v", "--verbose", action="store_true", help=verbose)
        self.add_argument(
            "--traceback",
            action="store_true",
            help="for a report of a bug: show where it happened (may show what is in the input)",
        )
        self.add_argument("--version", action="store_true", help="print the version")
        self.add_argument("-h", "--help", action="store_true", help="print this text")
        return self

    def parse(self, arguments: Sequence[str]) -> argparse.Namespace:
        """Return the values of the options, and the words; behind ``--`` everything is a word.

        Raises:
            UsageError: an option that does not exist, or a value that it cannot have.
        """
        given = list(arguments)
        behind: list[str] = []
        if "--" in given:
            at = given.index("--")
            given, behind = given[:at], given[at + 1 :]
        options, words = _split(given, self)
        try:
            found, rest = self.parse_known_args(options)
        except argparse.ArgumentError as error:
            raise UsageError(self._about_value(error, given)) from None
        if rest:
            raise UsageError(self._about_unknown(rest[0]))
        found.words = [*words, *behind]
        return found

    def error(self, message: str) -> NoReturn:
        """Raise UsageError in place of an exit."""
        raise UsageError(f"{message}: `{self.prog} --help` shows how it is used")

    def format_help(self) -> str:
        """Return the help text."""
        lines = [f"{self.prog}: {self.summary}.", ""]
        for at, form in enumerate(self.forms):
            lines.append(f"       {form}" if at else f"usage: {form}")
        lines += ["", *self.option_lines()]
        for note in self.notes:
            lines += ["", *textwrap.wrap(note, _WIDTH)]
        if self.examples:
            lines += ["", "examples:", ""]
        for command, purpose in self.examples:
            lines += [f"  {line}" for line in textwrap.wrap(f"# {purpose}", _WIDTH - 2)]
            lines.append(f"  {command}")
        return "\n".join(lines) + "\n"

    def option_lines(self) -> list[str]:
        """Return the lines of the help text about what can be given."""
        lines: list[str] = []
        for action in self.actions():
            lines += _option_lines(names_of(action), action.help or "")
        return lines

    def actions(self) -> list[argparse.Action]:
        """Return what can be given, words first."""
        every = list(self._actions)
        return sorted(every, key=lambda action: bool(action.option_strings))

    def _about_value(self, error: argparse.ArgumentError, given: Sequence[str]) -> str:
        """Say which values an option may have; the value is shown where it must be one of a few."""
        for action in self.actions():
            if error.argument_name != "/".join(action.option_strings):
                continue
            name = action.option_strings[-1]
            if action.nargs == 0:
                return f"`{name}` must be without a value"
            choices = [str(choice) for choice in action.choices or ()]
            must = "must name a file" if action.metavar == "FILE" else "must have a value"
            must = f"must be one of {', '.join(choices)}" if choices else must
            wrong = _value_of(name, given)
            return f"`{name}` {must}" + (f', not "{wrong}"' if choices and wrong else "")
        return f"{error}: `{self.prog} --help` shows how it is used"

    def _about_unknown(self, argument: str) -> str:
        name = argument.partition("=")[0]
        known = [each for action in self.actions() for each in action.option_strings]
        meant = _NAMES_ELSEWHERE.get(name, "")
        if meant not in known:
            meant = nearest(name, known, alike=0.65) or ""
        if meant:
            return f'unknown option "{name}": did you mean `{meant}`?'
        return f'unknown option "{name}": `{self.prog} --help` lists what there is'


def names_of(action: argparse.Action) -> str:
    """Return how an option is written: ``-v, --verbose`` or ``--output text|json``."""
    if not action.option_strings:
        return str(action.metavar)
    names = ", ".join(action.option_strings)
    if action.nargs == 0:
        return names
    if action.nargs == "?":
        return f"{names}[={'|'.join(str(choice) for choice in action.choices or ())}]"
    if action.choices:
        return f"{names} {'|'.join(str(choice) for choice in action.choices)}"
    return f"{names} {action.metavar}"


def takes_value(action: argparse.Action) -> bool:
    """Return whether an option is followed by a value; one that may be without has it behind ``=``."""
    return bool(action.option_strings) and action.nargs not in (0, "?")


def _option_lines(names: str, explanation: str) -> list[str]:
    wrapped = textwrap.wrap(explanation, _WIDTH - _COLUMN)
    first = f"  {names}"
    if len(first) > _COLUMN - 2:
        return [first, *(" " * _COLUMN + line for line in wrapped)]
    rest = [" " * _COLUMN + line for line in wrapped[1:]]
    return [first.ljust(_COLUMN) + (wrapped[0] if wrapped else ""), *rest]


def _split(given: Sequence[str], parser: CommandParser) -> tuple[list[str], list[str]]:
    """Return the arguments that are options with their values, and the words between them."""
    with_value = {
        name for action in parser.actions() if takes_value(action) for name in action.option_strings
    }
    options: list[str] = []
    words: list[str] = []
    rest = iter(given)
    for argument in rest:
        if argument == "-" or not argument.startswith("-"):
            words.append(argument)
        elif argument in with_value:
            value = next(rest, None)
            options.append(argument if not value else f"{argument}={value}")
        else:
            options.append(argument)
    return options, words


def _value_of(name: str, given: Sequence[str]) -> Any:
    """Return the value that an option has in the arguments, as far as one can tell."""
    for at, argument in enumerate(given):
        if argument.startswith(f"{name}="):
            return argument.partition("=")[2]
        if argument == name and at + 1 < len(given):
            return given[at + 1]
    return ""
