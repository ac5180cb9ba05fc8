"""What a command returns; ``krm_fn.cli`` prints it, and then has the files written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

Write = Callable[[Callable[[], object]], Sequence[str]]
"""Writes files: it calls what it is given when all is ready, before the first one changes, and returns warnings."""


@dataclass(frozen=True)
class CommandResult:
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
            return self.reported
        return (*self.write(flush), *self.reported)
