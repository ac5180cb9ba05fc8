"""The figures by which the design is judged, each beside its goal: ratios within one run where that is possible."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import inputs
from peers import COMMAND, EVENTS, IMPORT_YAML
from processes import cost

FEW, MANY = 100, 400
"""What one cluster costs is the difference of the runs over so many clusters, divided by that of their number."""


class Figure(NamedTuple):
    """One figure: what is measured, its unit (``times`` what another command needs), and the goal.

    ``texts`` makes the inputs, which are long, and ``measure`` takes them and returns the figure of one run.
    """

    name: str
    unit: str
    goal: float
    texts: Callable[[], Sequence[str]]
    measure: Callable[..., float]


def every() -> Iterator[Figure]:
    """Yield all figures."""
    for what, goal, changed in (("none", 2, 0), ("one", 2.2, 10), ("all", 3, 100)):
        texts = partial(_documents, 10, inputs.small_workloads, changed)
        yield Figure(f"10 items, {what} changed", "times `import yaml`", goal, texts, _start_up)
    yield from _of_large_lists()
    yield from _of_clusters()
    for what, goal, changed in (("nothing changed", 0.9, 0), ("3 % changed", 2, 3)):
        name = f"10,000 documents in 1,000 files, {what}"
        yield Figure(name, "times events", goal, partial(_files, changed), _folder)


def _of_large_lists() -> Iterator[Figure]:
    workloads = partial(_of_size, inputs.small_workloads, 3)
    for what, others in (("long texts", inputs.long_texts), ("deep schemas", inputs.deep_schemas)):
        texts = partial(_of_size, others, 3)
        yield Figure(f"20 MB of {what}, 3 % changed", "times events", 1.5, texts, _beside_events)
    yield Figure("20 MB of workloads, 3 % changed", "times events", 1.5, workloads, _beside_events)
    yield Figure("20 MB of workloads, 3 % changed: memory", "times input", 5, workloads, _memory)
    none = partial(_of_size, inputs.small_workloads, 0)
    yield Figure("20 MB of workloads, none changed", "times events", 0.9, none, _beside_events)
    unit = "times events of input and output"
    yield Figure("2 MB, all changed", unit, 12, _control_planes, _beside_both_sides)
    yield Figure(
        "2 MB, all changed: `results`", "times items, in bytes", 0.2, _control_planes, _results
    )


def _of_clusters() -> Iterator[Figure]:
    for what, unit, goal, texts, measure in (
        ("first injection", "ms", 6, _fleets, _milliseconds),
        ("first injection: memory", "KiB", 60, _fleets, _kibibytes),
        ("first injection: `results`", "times items, in bytes", 0.2, _fleet, _results),
        ("nothing to do", "ms", 4, _fleets_with_a_proxy, _milliseconds),
    ):
        yield Figure(f"each cluster, {what}", unit, goal, texts, measure)


def _documents(number: int, others: Callable[[int], str], changed: int) -> list[str]:
    return [inputs.resource_list(inputs.documents(number, others, changed))]


def _of_size(others: Callable[[int], str], changed: int) -> list[str]:
    return [inputs.resource_list(inputs.of_size(20, others, changed))]


def _control_planes() -> list[str]:
    return [inputs.resource_list(inputs.control_planes(1200))]


def _fleet() -> list[str]:
    return [inputs.resource_list(inputs.clusters(MANY))]


def _fleets() -> list[str]:
    return [inputs.resource_list(inputs.clusters(FEW)), *_fleet()]


def _fleets_with_a_proxy() -> list[str]:
    return [cost([COMMAND], text).output.decode() for text in _fleets()]


def _files(changed: int) -> list[str]:
    documents = inputs.documents(10_000, inputs.small_workloads, changed)
    return ["---\n".join(documents[start : start + 10]) for start in range(0, len(documents), 10)]


def _start_up(text: str) -> float:
    """Return the median of several runs, because one takes a tenth of a second."""
    pairs = [(cost([COMMAND], text).cpu, cost(IMPORT_YAML).cpu) for _ in range(5)]
    return statistics.median(ours / theirs for ours, theirs in pairs)


def _beside_events(text: str) -> float:
    return cost([COMMAND], text).cpu / cost(EVENTS, text).cpu


def _memory(text: str) -> float:
    return cost([COMMAND], text).memory / len(text)


def _beside_both_sides(text: str) -> float:
    ours = cost([COMMAND], text)
    return ours.cpu / (cost(EVENTS, text).cpu + cost(EVENTS, ours.output.decode()).cpu)


def _results(text: str) -> float:
    """Return how long ``results`` is, as a part of the items of a list that was written."""
    _, _, rest = cost([COMMAND], text).output.partition(b"\nitems:\n")
    items, _, rest = rest.partition(b"\nfunctionConfig:")
    _, _, results = rest.partition(b"\nresults:")
    return len(results) / len(items)


def _milliseconds(few: str, many: str) -> float:
    return (cost([COMMAND], many).cpu - cost([COMMAND], few).cpu) * 1000 / (MANY - FEW)


def _kibibytes(few: str, many: str) -> float:
    return (cost([COMMAND], many).memory - cost([COMMAND], few).memory) / 1024 / (MANY - FEW)


def _folder(*files: str) -> float:
    """Return the CPU time of a run that writes, as a multiple of that of reading all files as events."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        inputs.write_tree(folder, files)
        ours = cost([COMMAND, "run", "--config", folder / "proxy.yaml", folder / "tree"])
    return ours.cpu / cost(EVENTS, "---\n".join(files)).cpu
