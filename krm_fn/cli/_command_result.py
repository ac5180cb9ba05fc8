"""What a sub-command gives back to the door.

A value; only the door prints.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CommandResult:
    """``output`` goes to standard output, ``told`` line by line to standard error."""

    output: bytes = b""
    reported: tuple[str, ...] = ()
    exit_code: int = 0
