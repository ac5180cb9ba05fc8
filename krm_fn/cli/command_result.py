"""What a command returns; ``krm_fn.cli`` prints it, and then has the files written."""

from __future__ import annotations

from collections.abc import Callable

from krm_fn.light_typing import NamedTuple

Write = Callable[[Callable[[], object]], None]
"""Writes files: it calls what it is given when all is ready, before the first one changes."""


class CommandResult(NamedTuple):
    """What a command prints, the files that it writes, and its exit code.

    ``output`` goes to standard output, ``reported`` line by line to standard error; ``write`` is None where no file
    is written.
    """

    output: bytes = b""
    reported: tuple[str, ...] = ()
    exit_code: int = 0
    write: Write | None = None

    def finish(self, flush: Callable[[], object]) -> tuple[str, ...]:
        """Write the files, unless ``flush``, which prints the output before, raises; return all lines to report."""
        if self.write is None:
            flush()
        else:
            self.write(flush)
        return self.reported
