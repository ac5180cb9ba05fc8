"""What one process costs: CPU time and memory, as the operating system accounts for it when the process has ended."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_LAUNCHER = """
import os, sys
number = os.spawnvp(os.P_NOWAIT, sys.argv[2], sys.argv[2:])
_, status, usage = os.wait4(number, 0)
os.write(int(sys.argv[1]), f"{usage.ru_utime + usage.ru_stime} {usage.ru_maxrss}".encode())
sys.exit(os.waitstatus_to_exitcode(status) != 0)
"""
"""Starts a command and reports what it has used.

For Linux the most memory of a process is not less than that of the one that started it, and a benchmark holds long
texts: a small process has to start the command.
"""


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
        reported, report = os.pipe()
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(report), *command],
            stdin=given,
            stdout=written,
            stderr=subprocess.DEVNULL,
            env=environment,
            pass_fds=[report],
            check=False,
        )
        os.close(report)
        with os.fdopen(reported) as stream:
            used = stream.read().split()
        assert done.returncode == 0, command
        written.seek(0)
        return Cost(float(used[0]), int(used[1]) * 1024, written.read())
