"""The table of what was covered, for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from krm_fn.pipeline.covered import Covered
from krm_fn.printable import shortened

HEAD = ("System", "Found", "Have it", "Changed", "Left")


def lines(rows: Sequence[Covered], *, verbose: bool = False) -> list[str]:
    """Return a table, and below each row why objects are left; with ``verbose`` whole, and with all names."""
    if not rows:
        return ["no object could carry a proxy"]
    shown = [_in_columns(map(str.lower, HEAD))]
    for row in rows:
        shown.append(_in_columns(row.cells))
        if verbose:
            shown += [f"    {name}" for name in row.names]
        for reason in row.reasons:
            line = f"  left {reason}"
            shown.append(line if verbose else shortened(line))
            if verbose:
                shown += [f"    {name}" for name in reason.names]
    return shown


def _in_columns(cells: Iterable[str]) -> str:
    system, *others = cells
    line = f"{system:14}"
    for cell in others:
        line += f"{cell:>9}"
    return line
