"""Measure and print; with ``--write`` measure more, and write `RESULTS.md` and its pictures.

Usage: results.py [--runs N] [--write]. The commands of a table run in turn, one after the other in each round, because
the speed of a shared machine drifts; a figure is the median of the rounds. A missing program is an error of its row.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from importlib import metadata
from pathlib import Path
from string import Template
from typing import NamedTuple

import figures
import inputs
import peers
import rounds
from pictures import draw_bars, draw_lines
from processes import cost

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "bench" / "RESULTS.md"
TEMPLATE = ROOT / "bench" / "results.md.template"
RUNS = 5
STREAM = 3_300
"""So many documents, 2 MB, in the table of programs."""

BUILD = 1_000
"""So many in the table of kustomize and kpt, whose time grows with the square."""

CHANGED = 3
NUMBERS = (50, 100, 200, 400, 800)
SIZES = (2, 4, 8, 16, 32)
FILES = (100, 300, 1_000, 3_000)


class Line(NamedTuple):
    """A line of the picture of growth: the cost of one unit at each size, as a multiple of that at the first."""

    name: str
    sizes: Sequence[int]
    ratios: Sequence[float]


def measured(found: Iterator[figures.Figure], runs: int) -> Iterator[tuple[figures.Figure, float]]:
    """Yield each figure with the median of its runs, after one that is not counted."""
    for one in found:
        texts = one.texts()
        one.measure(*texts)
        yield one, statistics.median(one.measure(*texts) for _ in range(runs))


def _documents(number: int) -> list[str]:
    return inputs.documents(number, inputs.small_workloads, CHANGED)


def grown(runs: int) -> list[Line]:
    """Return how the cost of a cluster, a MB and a file grows with their number."""

    def of_list(texts: Sequence[str]) -> list[Callable[[], float]]:
        return [lambda text=text: cost([peers.COMMAND], text).cpu for text in texts]  # type: ignore[misc]

    fleets = [inputs.resource_list(inputs.clusters(number)) for number in NUMBERS]
    large = [
        inputs.resource_list(inputs.of_size(size, inputs.small_workloads, CHANGED))
        for size in SIZES
    ]
    return [
        _line("clusters, all changed", NUMBERS, of_list(fleets), runs),
        _line(f"MB, {CHANGED} % changed", SIZES, of_list(large), runs),
        _line(
            f"files of ten documents, {CHANGED} % changed",
            FILES,
            [lambda n=n: _tree(n) for n in FILES],
            runs,
        ),  # type: ignore[misc]
    ]


def _line(
    name: str, sizes: Sequence[int], measures: Sequence[Callable[[], float]], runs: int
) -> Line:
    rounds = [[measure() for measure in measures] for _ in range(runs)]
    each = [statistics.median(one) / size for one, size in zip(zip(*rounds), sizes, strict=True)]  # noqa: B905 - rounds are of equal length
    return Line(name, sizes, [one / each[0] for one in each])


def _tree(files: int) -> float:
    documents = inputs.documents(files * 10, inputs.small_workloads, CHANGED)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        texts = [
            "---\n".join(documents[start : start + 10]) for start in range(0, len(documents), 10)
        ]
        inputs.write_tree(folder, texts)
        return cost([peers.COMMAND, "run", "--config", folder / "proxy.yaml", folder / "tree"]).cpu


def figures_table(found: Sequence[tuple[figures.Figure, float]]) -> str:
    """Return the figures as a table of Markdown."""
    lines = ["| input | figure | | goal |", "|---|--:|---|--:|"]
    for one, figure in found:
        lines.append(f"| {one.name} | {_number(figure)} | {one.unit} | {_number(one.goal)} |")
    return "\n".join(lines) + "\n"


def peers_table(rows: Sequence[rounds.Row]) -> str:
    """Return a row for each program as a table of Markdown."""
    lines = [
        "| program | changes | times the first | CPU seconds | seconds | MiB |",
        "|---|---|--:|--:|--:|--:|",
    ]
    for one in rows:
        changes = "the same" if one.is_change else ""
        if one.error:
            lines.append(f"| {one.name} | | error: {one.error} | | | |")
        elif one.ratio is None:
            lines.append(f"| {one.name} | {changes} | | of the engine | {one.wall:.3f} | |")
        else:
            lines.append(
                f"| {one.name} | {changes} | {_number(one.ratio)} | {one.cpu:.3f} | {one.wall:.3f} | {one.memory:.0f} |"
            )
    return "\n".join(lines) + "\n"


def growth_table(lines: Sequence[Line]) -> str:
    """Return the lines of growth as a table of Markdown."""
    rows = ["| | sizes | cost of one, as a multiple of that at the first size |", "|---|---|---|"]
    for one in lines:
        sizes = ", ".join(f"{size:,}" for size in one.sizes)
        ratios = ", ".join(f"{ratio:.2f}" for ratio in one.ratios)
        rows.append(f"| {one.name} | {sizes} | {ratios} |")
    return "\n".join(rows) + "\n"


def _number(figure: float) -> str:
    return f"{figure:.0f}" if figure >= 100 else f"{figure:.3g}"


def machine() -> str:
    """Return what the figures were measured with: the machine, the programs and their versions, the day, the commit."""
    cpu = "unknown"
    found = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    if found:
        cpu = found[1]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    commit = _output(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"])
    today = datetime.datetime.now(datetime.timezone.utc).date()
    load = os.getloadavg()[0]
    python = f"{platform.python_implementation()} {platform.python_version()}"
    packages = ", ".join(f"{name} {metadata.version(name)}" for name in ("PyYAML", "ruamel.yaml"))
    lines = [
        f"* {today}, commit {commit}, the load of the machine before: {load:.1f}",
        f"* {cpu}, {os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()} {platform.release()}",
        f"* {python}, {packages}",
    ]
    versions = []
    for command, argument in (
        (peers.program("kustomize"), "version"),
        ("kpt", "version"),
        (peers.program("ytt"), "--version"),
        (peers.program("yq"), "--version"),
    ):
        said = _output([command, argument]) if shutil.which(command) else "is missing"
        number = re.search(r"v?\d+\.\d+\.\d+[\w.-]*", said)
        versions.append(f"{Path(command).name} {number[0] if number else said}")
    lines.append(
        f"* {', '.join(versions)}; kyaml and kubeconform as `tests/tools/fetch` pins them. "
        "Programs in Go have `GOMAXPROCS=1`."
    )
    return "\n".join(lines) + "\n"


def _output(command: Sequence[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def write(runs: int) -> None:
    """Measure all, and write the page and its pictures."""
    machine_ = machine()
    found = []
    for one, figure in measured(figures.every(), runs):
        print(f"{one.name}: {_number(figure)} {one.unit}", flush=True)
        found.append((one, figure))
    streams = rounds.compared(peers.streams, _documents(STREAM), runs)
    print(peers_table(streams), flush=True)
    builds = rounds.compared(peers.orchestrators, _documents(BUILD), runs)
    print(peers_table(builds), flush=True)
    lines = grown(runs)
    print(growth_table(lines), flush=True)
    bars = [(re.sub(r"[*`]", "", one.name), one.ratio) for one in streams if one.ratio]
    draw_bars(bars, RESULTS.with_name("ratios.svg"))
    draw_lines(lines, RESULTS.with_name("growth.svg"))
    page = {
        "RUNS": str(runs),
        "MACHINE": machine_,
        "STREAM": f"{STREAM:,}",
        "BUILD": f"{BUILD:,}",
        "CHANGED": str(CHANGED),
        "FIGURES": figures_table(found),
        "STREAMS": peers_table(streams),
        "BUILDS": peers_table(builds),
        "GROWTH": growth_table(lines),
    }
    RESULTS.write_text(Template(TEMPLATE.read_text()).substitute(page))


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    if given.write:
        write(given.runs)
        return
    for one, figure in measured(figures.every(), given.runs):
        print(
            f"{one.name:<55}{_number(figure):>8} {one.unit:<30} goal {_number(one.goal)}",
            flush=True,
        )


if __name__ == "__main__":
    sys.exit(main())
