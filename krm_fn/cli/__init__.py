"""The command ``inject-proxy``: arguments, streams and exit codes.

A command returns an answer. All of its output is printed before the first file changes, and exit code 0 means that all
of it was written.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

from krm_fn.cli import streams
from krm_fn.errors import InjectProxyError, InternalError

# Python's limit of recursion: a manifest may nest 500 levels deep (yamledit.tree.MAX_DEPTH), four frames a level.
STACK_FRAMES = 4000
# The exit code of a program that Ctrl-C ended, as shells have it: 128 and the number of SIGINT.
_INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command, or the KRM function without arguments; return the exit code."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    sys.setrecursionlimit(STACK_FRAMES)
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        return _INTERRUPTED
    except SystemExit as answered:  # argparse has printed a help text or the version
        streams.write(())
        return int(answered.code or 0)
    except InjectProxyError as error:
        streams.report(error.lines or [f"[error] {error.code}: {error}"])
        return error.exit_code
    except Exception as error:  # noqa: BLE001 -- nobody is to see a traceback
        if "--traceback" in arguments:
            import traceback  # noqa: PLC0415 -- only a bug needs it

            traceback.print_exc()
        # The text of the exception may quote the input.
        problem = f"this is a bug of inject-proxy, nothing was written: {type(error).__name__}"
        streams.report([f"[error] {InternalError.code}: {problem}; `--traceback` shows more"])
        return InternalError.exit_code


def _run(arguments: list[str]) -> int:
    answer = _answer(arguments)
    if answer.changes:
        from krm_fn.cli.files import write_files  # noqa: PLC0415 -- the function writes none

        write_files(answer.changes, before=lambda: streams.write(answer.output))
    else:
        streams.write(answer.output)
    streams.report(answer.lines)
    return int(answer.exit_code)


def _answer(arguments: list[str]) -> streams.Answer:
    """Run the command that the arguments name; without arguments the function, which argparse would slow down."""
    if not arguments and not streams.is_terminal(sys.stdin):
        from krm_fn.cli import function  # noqa: PLC0415 -- a command does without it

        return function.run()
    from krm_fn.cli.parser import parsed  # noqa: PLC0415 -- the function does without it

    args = parsed(arguments or ["--help"])
    args.command_line = arguments
    module = importlib.import_module(f"krm_fn.cli.{args.module}")
    answer: streams.Answer = module.run(args)
    return answer
