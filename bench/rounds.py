"""Rounds of commands over the same documents, in each of which they run in turn."""

from __future__ import annotations

import itertools
import shutil
import statistics
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import peers
from processes import CommandFailedError, Cost, cost


class Row(NamedTuple):
    """A row of a table: medians of the ratio, of seconds and MiB; a container has no ratio, and an error nothing."""

    name: str
    ratio: float | None
    cpu: float = 0
    wall: float = 0
    memory: float = 0
    is_change: bool = False
    error: str = ""


def compared(
    chosen: Callable[[peers.Workplace], list[peers.Peer]], items: Sequence[str], runs: int
) -> list[Row]:
    """Return a row for each program, as a multiple of the first one."""
    with tempfile.TemporaryDirectory() as folder:
        place = peers.Workplace(Path(folder), items)
        rows = chosen(place)
        errors: dict[str, str] = {}
        costs: dict[str, list[Cost]] = {one.name: [] for one in rows}
        for round_, one in itertools.product(range(runs + 1), rows):
            if one.name in errors:
                continue
            if shutil.which(one.command[0]) is None:
                errors[one.name] = f"{Path(one.command[0]).name} is not on this machine"
                continue
            if one.changed is not None:
                place.restore()
            try:
                used = cost(one.command, one.text, folder=place.folder, variables=place.variables)
            except CommandFailedError as error:
                errors[one.name] = str(error)
                continue
            if round_:
                costs[one.name].append(used._replace(output=b""))
            elif one.changed is not None and not place.is_changed(one.changed(used.output)):
                errors[one.name] = "makes another change"
    return [_row(one, costs, rows[0].name, errors) for one in rows]


def _row(one: peers.Peer, costs: dict[str, list[Cost]], first: str, errors: dict[str, str]) -> Row:
    is_change = one.changed is not None
    if one.name in errors:
        return Row(one.name, None, is_change=is_change, error=errors[one.name])
    used = costs[one.name]
    wall = statistics.median(each.wall for each in used)
    if one.in_container:
        return Row(one.name, None, wall=wall, is_change=is_change)
    pairs = zip(used, costs[first], strict=True)
    return Row(
        one.name,
        statistics.median(mine.cpu / reference.cpu for mine, reference in pairs),
        statistics.median(each.cpu for each in used),
        wall,
        statistics.median(each.memory for each in used) / 2**20,
        is_change,
    )
