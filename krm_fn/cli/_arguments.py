"""The arguments of a sub-command, taken apart.

It knows options, flags and words, and what none of them means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from krm_fn.errors import UsageError
from krm_fn.krm.results import Severity

FAIL_ON = {severity.value: severity for severity in (Severity.ERROR, Severity.WARNING)}
"""The values of `--fail-on`."""


@dataclass(frozen=True)
class Arguments:
    """``words`` are what is neither an option with its value nor a flag; a lone ``-`` is a word."""

    words: tuple[str, ...]
    options: Mapping[str, str]
    flags: frozenset[str]


def parse_arguments(
    command: str,
    arguments: Sequence[str],
    options: Mapping[str, tuple[str, ...]],
    flags: Sequence[str] = (),
) -> Arguments:
    """The arguments behind ``command``; behind ``--`` everything is a word.

    Args:
        command: its name, for messages.
        arguments: as a shell gives them.
        options: name -> the values it may have; () if the value is a file.
        flags: names without a value.

    Raises:
        UsageError: an option that does not exist, or a value that it cannot have.
    """
    given: dict[str, str] = {}
    words: list[str] = []
    present: set[str] = set()
    rest = iter(arguments)
    for argument in rest:
        name, equals, value = argument.partition("=")
        if argument == "--":
            words += rest
        elif argument == "-" or not argument.startswith("-"):
            words.append(argument)
        elif argument in flags:
            present.add(argument)
        elif name in options:
            given[name] = _checked(name, value if equals else next(rest, ""), options[name])
        else:
            raise UsageError(
                f'unknown option "{name}": `inject-proxy {command} --help` lists what there is'
            )
    return Arguments(tuple(words), given, frozenset(present))


def _checked(name: str, value: str, allowed: tuple[str, ...]) -> str:
    if not value or (allowed and value not in allowed):
        must = f"must be one of {', '.join(allowed)}" if allowed else "must name a file"
        raise UsageError(f"`{name}` {must}" + (f', not "{value}"' if value else ""))
    return value
