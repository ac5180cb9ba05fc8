"""The command ``inject-proxy``: arguments, streams and exit codes.

It reads once and writes once, at the end. Output is complete before its first byte is written, and is written
before the first file changes. Exit code 0 means that all of it was written. Standard error gets one line for each
finding, the most important first, and a traceback only with ``--traceback``.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterable, Sequence
from itertools import takewhile

from krm_fn.cli._outcome_lines import FAIL_ON, count, outcome_lines, severities
from krm_fn.cli.commands import MODULES
from krm_fn.errors import InjectProxyError, InternalError, OutputError, UsageError
from krm_fn.krm.masking import redact, shown_line
from krm_fn.krm.results import Severity, are_severe
from krm_fn.light_typing import TYPE_CHECKING
from krm_fn.near_names import nearest
from krm_fn.printable import printable

if TYPE_CHECKING:
    from krm_fn.cli.command_result import CommandResult
    from krm_fn.pipeline import Outcome

_FAIL_ON = "--fail-on"
_FLAGS = frozenset({"-v", "--verbose", "--traceback", "-h", "--help", "--version"})
_OLD_NAMES = {"check": "check-image"}
"""Names that commands had before; they still work."""
_INTERRUPTED = 130
"""What a shell sees of a program that Ctrl-C ended: 128 and the number of SIGINT."""
STACK_FRAMES = 4000
"""Python's limit of recursion: a manifest may nest 500 levels deep (yamledit.tree.MAX_DEPTH), four frames a level."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    sys.setrecursionlimit(STACK_FRAMES)
    try:
        return _main(arguments)
    except KeyboardInterrupt:
        return _INTERRUPTED
    except InjectProxyError as error:
        return _fail(f"[error] {error.code}: {error}", error.exit_code)
    except Exception as error:  # noqa: BLE001 -- the last resort: any bug is reported in one line
        if "--traceback" in arguments:
            import traceback  # noqa: PLC0415 -- for a bug only

            traceback.print_exc()
        return _fail(
            f"[error] {InternalError.code}: this is a bug of inject-proxy, nothing was written: "
            f"{_where(error)}",
            InternalError.exit_code,
        )


def _main(arguments: list[str]) -> int:
    flags = list(takewhile(_FLAGS.__contains__, arguments))
    command = arguments[len(flags) :]
    if command and command[0] in MODULES:
        return _command(command[0], [*flags, *command[1:]])
    if command and command[0] in _OLD_NAMES:
        name = _OLD_NAMES[command[0]]
        _write_lines([f"[warning] `inject-proxy {command[0]}` is now `inject-proxy {name}`"])
        return _command(name, [*flags, *command[1:]])
    if not arguments and sys.stdin is not None and sys.stdin.isatty():
        return _command("help", [])
    arguments, fail_on = _without_fail_on(arguments)
    unknown = [argument for argument in arguments if argument not in _FLAGS]
    if unknown:
        raise UsageError(_about_unknown(unknown[0], command))
    if not {"-h", "--help"}.isdisjoint(arguments):
        return _command("help", [])
    if "--version" in arguments:
        return _print_version()
    from krm_fn.pipeline import run  # noqa: PLC0415 -- help and version answer at once

    outcome = run(_read_stdin())
    outcome = outcome if fail_on is None else outcome._replace(fail_on=fail_on)
    _print(*outcome.pieces)
    _write_lines(_reported(outcome, verbose=not {"-v", "--verbose"}.isdisjoint(arguments)))
    return outcome.exit_code


def _print_version() -> int:
    from importlib.metadata import version  # noqa: PLC0415 -- only this answer needs it

    return _print(f"inject-proxy {version('inject-proxy')}\n".encode())


def _without_fail_on(arguments: list[str]) -> tuple[list[str], Severity | None]:
    """Take `--fail-on VALUE` out of the arguments of a run; None where it is not given."""
    if not any(argument.startswith(_FAIL_ON) for argument in arguments):
        return arguments, None
    left: list[str] = []
    fail_on = None
    rest = iter(arguments)
    for argument in rest:
        name, equals, value = argument.partition("=")
        if name != _FAIL_ON:
            left.append(argument)
            continue
        value = value if equals else next(rest, "")
        if value.lower() not in FAIL_ON:
            raise UsageError(f"`{_FAIL_ON}` must be followed by {' or '.join(FAIL_ON)}")
        fail_on = FAIL_ON[value.lower()]
    return left, fail_on


def _about_unknown(argument: str, given: list[str]) -> str:
    """Say what to write in the place of an argument that does not exist: a file, a command or an option.

    ``given`` are all arguments: a command among them takes the options behind it.
    """
    if _looks_like_a_file(argument):
        named = "-" if argument == "-" else "PATH"
        return (
            "without a command, inject-proxy is a KRM function, which reads a ResourceList on standard input: to "
            f"write the proxy into files, run `inject-proxy run {named} --config FILE`; `inject-proxy lint {named}` "
            f"and `inject-proxy explain {named}` judge and explain them"
        )
    name = argument.partition("=")[0]
    later = [one for one in given if one in MODULES]
    if argument.startswith("-") and later:
        return f'"{name}" must be behind the command: `inject-proxy {later[0]} {name} ...`'
    known = {*_FLAGS, _FAIL_ON} if argument.startswith("-") else MODULES
    what = "option" if argument.startswith("-") else "command"
    near = nearest(name, known, alike=0.65)
    advice = (
        f"did you mean `inject-proxy {near}`?"
        if near
        else "`inject-proxy --help` lists what there is"
    )
    return f'unknown {what} "{name}": {advice}'


def _looks_like_a_file(argument: str) -> bool:
    from krm_fn.cli.files import exists  # noqa: PLC0415 -- only wrong usage needs it

    if argument.startswith("-"):
        return argument == "-"
    return exists(argument) or "/" in argument or argument.endswith((".yaml", ".yml", ".json"))


def _command(name: str, arguments: list[str]) -> int:
    module = importlib.import_module(f"krm_fn.cli.{MODULES[name]}")
    own = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if not {"-h", "--help"}.isdisjoint(own):
        return _print(module.parser().format_help().encode())
    if "--version" in own:
        return _print_version()
    from krm_fn.yamledit import Budget  # noqa: PLC0415 -- help and version answer at once

    with Budget():
        options = [argument for argument in own if argument != "--traceback"]
        answer: CommandResult = module.run([*options, *arguments[len(own) :]], _read_stdin)
    reported = answer.finish(lambda: _print(answer.output))
    _write_lines(redact(line) for line in reported)
    return answer.exit_code


def _read_stdin() -> bytes:
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError(
            "input must come on standard input: `inject-proxy --help` shows how it is run"
        )
    return sys.stdin.buffer.read()


def _print(*pieces: bytes) -> int:
    if sys.stdout is None:
        raise OutputError("standard output must be open, but it is closed: nothing was written")
    try:
        for piece in pieces:
            sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
    except OSError as error:
        raise OutputError(
            f"standard output could not be written, so no file was: {error.strerror}"
        ) from None
    return 0


def _reported(outcome: Outcome, *, verbose: bool) -> list[str]:
    reported = outcome_lines(outcome.results, verbose=verbose)
    reported.append(
        f"inject-proxy: {count(outcome.items, 'item')} read, {outcome.changed} changed, "
        f"{severities(outcome.results, outcome.silenced)}"
    )
    if outcome.exit_code and not are_severe(outcome.results, Severity.ERROR):
        reported.append(
            "inject-proxy: failed because of the warnings, as `failOn` says; standard output holds the list with all "
            "changes, but kustomize and kpt discard the output of a function that fails"
        )
    return reported


def _fail(line: str, exit_code: int) -> int:
    _write_lines([shown_line(line)])
    return exit_code


def _write_lines(lines: Iterable[str]) -> None:
    """Write lines to standard error; where nobody reads it, what went to standard output still counts."""
    text = "".join(f"{printable(line)}\n" for line in lines)
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        # At its end the interpreter flushes the stream again, and would exit with 120.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def _where(error: Exception) -> str:
    """Return the type and the place of an unexpected exception, without its text, which may quote the input."""
    import traceback  # noqa: PLC0415 -- for a bug only

    frames = traceback.extract_tb(error.__traceback__)
    place = f" in {frames[-1].name}, line {frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}; `--traceback` shows more, please report it"
