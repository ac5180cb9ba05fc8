"""What one process costs: CPU time and memory, as the operating system accounts for it when the process has ended."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Cost:
    """What a process has used.

    Attributes:
        cpu: seconds, user and system.
        memory: the most bytes of memory that it had at one time.
        output: what it wrote to standard output.
    """

    cpu: float
    memory: int
    output: bytes


def cost(command: Sequence[str | Path], text: str = "") -> Cost:
    """Run a command with a text on standard input; it must succeed."""
    # The bytecode of an installation is on disk: the first run, which is not counted, writes it.
    environment = {
        key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"
    }
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as written:
        given.write(text.encode())
        given.seek(0)
        process = subprocess.Popen(
            command, stdin=given, stdout=written, stderr=subprocess.DEVNULL, env=environment
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0, command
        written.seek(0)
        return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, written.read())
