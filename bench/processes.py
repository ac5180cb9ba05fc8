"""What one process costs: CPU time and memory, as the operating system accounts for it when the process has ended."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

_LAUNCHER = """
import os, sys, time
start = time.perf_counter()
number = os.spawnvp(os.P_NOWAIT, sys.argv[2], sys.argv[2:])
_, status, usage = os.wait4(number, 0)
wall = time.perf_counter() - start
os.write(int(sys.argv[1]), f"{usage.ru_utime + usage.ru_stime} {wall} {usage.ru_maxrss}".encode())
sys.exit(os.waitstatus_to_exitcode(status) != 0)
"""
"""Starts a command and reports what it has used.

For Linux the most memory of a process is not less than that of the one that started it, and a benchmark holds long
texts: a small process has to start the command.
"""


class Cost(NamedTuple):
    """What a process has used.

    Attributes:
        cpu: seconds, user and system, of the command and those that it started. A container engine starts a container
            itself, so this is without it.
        wall: seconds from its start to its end.
        memory: the most bytes of memory that it had at one time.
        output: what it wrote to standard output.
    """

    cpu: float
    wall: float
    memory: int
    output: bytes


class CommandFailedError(Exception):
    """A command ended with another exit code than 0."""


def cost(
    command: Sequence[str | Path],
    text: str = "",
    *,
    folder: Path | None = None,
    variables: Mapping[str, str] | None = None,
) -> Cost:
    """Run a command with a text on standard input, in a folder, with more variables.

    Raises:
        CommandFailedError: its exit code is not 0.
    """
    # The bytecode of an installation is on disk: the first run, which is not counted, writes it.
    environment = {**os.environ, **(variables or {})}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
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
            cwd=folder,
            pass_fds=[report],
            check=False,
        )
        os.close(report)
        with os.fdopen(reported) as stream:
            used = stream.read().split()
        if done.returncode != 0:
            raise CommandFailedError(f"{Path(command[0]).name} failed")
        written.seek(0)
        return Cost(float(used[0]), float(used[1]), int(used[2]) * 1024, written.read())
