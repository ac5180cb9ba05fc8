"""How much CPU time a run over a small list takes, beside Python importing PyYAML.

Usage: startup.py [RUNS]. Prints the CPU time of each command and their ratio, pair by pair: minimum, median, maximum.
The two commands run in turn, because the speed of a shared machine drifts. The list has ten items, one is changed.
"""

from __future__ import annotations

import statistics
import sys
from pathlib import Path

from processes import cost
from throughput import resource_list

RUNS = 15
INJECT = [Path(sys.executable).with_name("inject-proxy")]
IMPORT_YAML = [sys.executable, "-I", "-c", "import yaml"]


def row(name: str, values: list[float], digits: int) -> str:
    figures = (min(values), statistics.median(values), max(values))
    return f"{name:<28}" + "".join(f"{figure:>9.{digits}f}" for figure in figures)


def main() -> None:
    runs = int(sys.argv[1]) if sys.argv[1:] else RUNS
    text = resource_list(10)
    pairs = [(cost(INJECT, text).cpu, cost(IMPORT_YAML).cpu) for _ in range(runs + 1)][1:]
    print(f"{'CPU time in seconds':<28}{'min':>9}{'median':>9}{'max':>9}")
    print(row("inject-proxy, 10 items", [ours for ours, _ in pairs], 3))
    print(row('python -I -c "import yaml"', [yaml for _, yaml in pairs], 3))
    print(row("ratio", [ours / yaml for ours, yaml in pairs], 1))


if __name__ == "__main__":
    main()
