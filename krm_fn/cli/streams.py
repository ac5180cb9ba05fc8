"""Bytes that come in, from standard input and files, and go out, and the answer of a command."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Mapping, Sequence

from krm_fn.errors import InputError, OutputError, UsageError
from krm_fn.krm.masking import shown_line
from krm_fn.light_typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from krm_fn.krm.manifests import ContentChange

# Its name in messages, and as the file of a command.
STDIN = "standard input"

# Ends a colour of a terminal (ECMA-48, SGR).
PLAIN = "\x1b[0m"
_COLOURS = {"[error": "\x1b[31m", "[warning": "\x1b[33m"}

_MIB = 1024 * 1024
# Bytes of a file, or of standard input; GitHub takes no larger file.
LARGEST = 100 * _MIB
# Bytes of a `.gitignore` or `.krmignore`, each line of which is compared with each file.
LARGEST_IGNORE_FILE = _MIB


class Answer(NamedTuple):
    """The output of a command on both streams, the files that it writes, and its exit code."""

    output: Sequence[bytes] = ()
    lines: Sequence[str] = ()
    exit_code: int = 0
    changes: Mapping[str, ContentChange] = {}


def is_terminal(stream: Any) -> bool:
    """Return whether a person is at the other end of a stream, which is None if it is closed."""
    return stream is not None and stream.isatty()


def has_colours(stream: Any) -> bool:
    """Return whether a stream shows colours: a terminal, unless ``NO_COLOR`` is set (no-color.org)."""
    return is_terminal(stream) and not os.environ.get("NO_COLOR")


def is_piped() -> bool:
    """Return whether a pipe or a file is on standard input, as behind ``|`` and ``<`` of a shell."""
    if sys.stdin is None:
        return False
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except OSError:  # closed, or no file
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode)


def can_ask() -> bool:
    """Return whether a person can be asked: reads standard error, and types."""
    return is_terminal(sys.stdin) and is_terminal(sys.stderr)


def answer_to(question: str) -> str:
    """Ask a person, and return the line of the answer; "" if none comes."""
    sys.stderr.write(question)
    sys.stderr.flush()
    return sys.stdin.readline()


def read() -> bytes:
    """Return standard input.

    Raises:
        InputError: it is larger than ``LARGEST``.
        UsageError: it is closed, or a terminal.
    """
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("input must come on standard input: `inject-proxy --help` shows how")
    content = sys.stdin.buffer.read(LARGEST + 1)
    _refuse_larger(len(content), LARGEST, STDIN)
    return content


def read_file(path: str, name: str = "", *, at_most: int = LARGEST) -> bytes:
    """Return the content of a file, a pipe or a device; an end of a pipe without a writer is empty.

    Args:
        path: the file.
        name: its name in messages, if that is not the path.
        at_most: the number of bytes that it may hold.

    Raises:
        InputError: it is larger.
        UsageError: it does not exist, or this user may not read it.
    """
    name = name or path
    try:
        with open(path, "rb", opener=_open_at_once) as file:
            size = os.fstat(file.fileno()).st_size
            _refuse_larger(size, at_most, name)
            if not size:  # a pipe or a device says none
                os.set_blocking(file.fileno(), True)
            content = file.read(size or at_most + 1)
    except OSError as error:
        raise unreadable(name, error) from None
    _refuse_larger(len(content), at_most, name)
    return content


def _open_at_once(path: str, flags: int) -> int:
    """Open a file; a pipe would otherwise wait until somebody writes into it."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _refuse_larger(size: int, at_most: int, name: str) -> None:
    """Raise InputError for a file of more bytes than are read."""
    if size > at_most:
        raise InputError(
            f'"{name}" is larger than {at_most // _MIB} MiB, the most that is read of it: divide it or leave it out'
        )


def read_text(path: str) -> str:
    """Return the text of a file, or of standard input for `-`.

    Raises:
        InputError: it is not UTF-8, or too large.
        UsageError: as for ``read_file``.
    """
    content = read() if path == "-" else read_file(path)
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"the file must be UTF-8, but byte {error.start + 1} is not") from None


def unreadable(path: str, error: OSError) -> UsageError:
    """Return the error of a file or folder that cannot be read."""
    return UsageError(f'"{path}" cannot be read: {error.strerror}')


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
    if sys.stderr is None:
        return
    shown = map(_shown, lines)
    if has_colours(sys.stderr):
        shown = map(_coloured, shown)
    text = "".join(f"{line}\n" for line in shown)
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


def _coloured(line: str) -> str:
    severity, bracket, rest = line.partition("]")
    colour = _COLOURS.get(severity)
    if not colour:
        return line
    return f"{colour}{severity}{bracket}{PLAIN}{rest}"


def text_of(lines: Iterable[str]) -> bytes:
    """Return lines as bytes; a file name need not be UTF-8."""
    return "".join(f"{line}\n" for line in lines).encode(errors="surrogateescape")
