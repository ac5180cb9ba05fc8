"""How much CPU time a run over a small list takes, beside Python importing PyYAML.

Usage: startup.py [RUNS]. Prints the CPU time of each command and their ratio, pair by pair: minimum, median, maximum.
The two commands run in turn, because the speed of a shared machine drifts. The list has ten items, one is changed.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
from pathlib import Path

from throughput import resource_list

RUNS = 15
INJECT = [Path(sys.executable).with_name("inject-proxy")]
IMPORT_YAML = [sys.executable, "-I", "-c", "import yaml"]


def cpu_seconds(command: list[str | Path], text: str) -> float:
    """Run a command and return the CPU time of its process, user and system."""
    # The bytecode of an installation is on disk: the first run, which is not counted, writes it.
    environment = {
        key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"
    }
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, input=text.encode(), capture_output=True, check=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)


def row(name: str, values: list[float], digits: int) -> str:
    figures = (min(values), statistics.median(values), max(values))
    return f"{name:<28}" + "".join(f"{figure:>9.{digits}f}" for figure in figures)


def main() -> None:
    runs = int(sys.argv[1]) if sys.argv[1:] else RUNS
    text = resource_list(10)
    pairs = [(cpu_seconds(INJECT, text), cpu_seconds(IMPORT_YAML, "")) for _ in range(runs + 1)][1:]
    print(f"{'CPU time in seconds':<28}{'min':>9}{'median':>9}{'max':>9}")
    print(row("inject-proxy, 10 items", [ours for ours, _ in pairs], 3))
    print(row('python -I -c "import yaml"', [yaml for _, yaml in pairs], 3))
    print(row("ratio", [ours / yaml for ours, yaml in pairs], 1))


if __name__ == "__main__":
    main()
