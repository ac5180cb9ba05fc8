"""What a command returns; ``krm_fn.cli`` prints it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CommandResult:
    """What a command prints and its exit code.

    ``output`` goes to standard output, ``reported`` line by line to standard error.
    """

    output: bytes = b""
    reported: tuple[str, ...] = ()
    exit_code: int = 0
