"""The sections of an explanation for a terminal; no colour, so that it can be piped."""

from __future__ import annotations

from collections.abc import Iterator

from krm_fn.explain.answer import Explanation
from krm_fn.explain.names import some
from krm_fn.explain.sections import Section, sections
from krm_fn.printable import printable

_FEW = 5
_WIDEST = 60
_MORE = "`--verbose` shows all, `--cluster NAME` those of one Cluster"


def render(explanation: Explanation, *, verbose: bool = False) -> str:
    """Return one sentence, and the sections."""
    texts = [printable(explanation.summary)]
    for section in sections(explanation):
        title = section.title.replace("`", "")
        lines = [title, "=" * len(title), *_lines(section, verbose=verbose)]
        texts.append("\n".join(map(printable, lines)))
    return "\n\n".join(texts) + "\n"


def _lines(section: Section, *, verbose: bool) -> Iterator[str]:
    rows = [section.head, *section.rows]
    widths = [max(map(len, column)) for column in list(zip(*rows, strict=True))[:-1]]
    has_breaks = any("\n" in cell for row in section.rows for cell in row)
    if has_breaks or max(widths) > _WIDEST:
        yield from _row_by_row(section, verbose=verbose)
        return
    for row in rows:
        cells = [f"{cell:{width}}" for cell, width in zip(row, widths, strict=False)]
        yield "  ".join(["", *cells, row[-1]]).rstrip()


def _row_by_row(section: Section, *, verbose: bool) -> Iterator[str]:
    """Yield the first cell of each row, and the others below it."""
    for first, *cells in section.rows:
        names = first.split("\n")
        below = [text for cell in cells for text in cell.split("\n") if text]
        number = max(len(names), len(below)) if verbose else _FEW
        yield some(names, number if verbose else 3)
        for text in below[:number]:
            yield f"  {text}"
        if len(below) > number:
            yield f"  and {len(below) - number} more: {_MORE}"
