"""Standard input, output and error, and what a command answers."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence

from krm_fn.errors import OutputError, UsageError
from krm_fn.krm.masking import shown_line
from krm_fn.light_typing import Any, NamedTuple

STDIN = "standard input"
"""What messages call it, and the name of the file that it is for a command."""


class ContentChange(NamedTuple):
    """The content of a file before and after; None is a file that does not exist."""

    old: bytes | None
    new: bytes | None


class Answer(NamedTuple):
    """What a command prints on both streams, the files that it writes, and its exit code."""

    output: Sequence[bytes] = ()
    lines: Sequence[str] = ()
    exit_code: int = 0
    changes: Mapping[str, ContentChange] = {}


def is_terminal(stream: Any) -> bool:
    """Return whether a person is at the other end of a stream, which is None if it is closed."""
    return stream is not None and stream.isatty()


def read() -> bytes:
    """Return standard input."""
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("input must come on standard input: `inject-proxy --help` shows how")
    return sys.stdin.buffer.read()


def write(pieces: Iterable[bytes]) -> None:
    """Write to standard output."""
    if sys.stdout is None:
        raise OutputError("standard output must be open, but it is closed: nothing was written")
    try:
        sys.stdout.flush()
        for piece in pieces:
            sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
    except OSError as error:
        raise OutputError(
            f"standard output could not be written, so no file was: {error.strerror}"
        ) from None


def report(lines: Iterable[str]) -> None:
    """Write lines to standard error, without credentials; if nobody reads it, the output still counts."""
    text = "".join(f"{_shown(line)}\n" for line in lines)
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        # At its end the interpreter flushes the stream again, and would exit with 120.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def _shown(line: str) -> str:
    """Return a line without credentials; the blanks of a table stay."""
    shown = shown_line(line)
    is_harmless = line.isprintable() and shown == " ".join(line.split())
    return line if is_harmless else shown


def text_of(lines: Iterable[str]) -> bytes:
    """Return lines as bytes; a file name need not be UTF-8."""
    return "".join(f"{line}\n" for line in lines).encode(errors="surrogateescape")
