"""The sections of an explanation for a terminal; no colour, so that it can be piped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from krm_fn.explain.answer import Explanation
from krm_fn.explain.sections import Line, Section, sections, some
from krm_fn.printable import printable

_FEW = 5
_WIDEST = 60
_MORE = "`--verbose` shows all, `--cluster NAME` those of one Cluster"


def render(explanation: Explanation, *, verbose: bool = False) -> str:
    """Return one sentence, and the sections."""
    texts = [printable(explanation.summary)]
    for section in sections(explanation):
        title = section.title.replace("`", "")
        lines = [title, "=" * len(title), *_section(section, verbose=verbose)]
        texts.append("\n".join(map(printable, lines)))
    return "\n\n".join(texts) + "\n"


def _section(section: Section, *, verbose: bool) -> Iterator[str]:
    for line in section.lines:
        yield from _line(line, verbose=verbose)
    if not section.rows:
        return
    rows = [section.head, *section.rows]
    widths = [max(map(len, column)) for column in list(zip(*rows, strict=True))[:-1]]
    has_breaks = any("\n" in cell for row in section.rows for cell in row[:-1])
    if has_breaks or max(widths) > _WIDEST:
        yield from _row_by_row(section, verbose=verbose)
        return
    for row in rows if len(widths) > 2 else section.rows:
        cells = [f"{cell:{width}}" for cell, width in zip(row, widths, strict=False)]
        line_of_row = "  ".join([*cells, row[-1].replace("\n", "; ")])
        yield f"  {line_of_row}".rstrip()


def _row_by_row(section: Section, *, verbose: bool) -> Iterator[str]:
    """Yield the first cell of each row, and the others below it."""
    for first, *cells in section.rows:
        names = first.split("\n")
        below = [text for cell in cells for text in cell.split("\n") if text]
        title = some(names, len(names) if verbose else 3)
        yield from _line(Line(title, "", tuple(below)), verbose=verbose)


def _line(line: Line, *, verbose: bool) -> Iterator[str]:
    yield f"[{line.mark}] {line.text}" if line.mark else line.text
    shown: Sequence[str] = line.below if verbose else line.below[:_FEW]
    yield from (f"  {text}" for text in shown)
    if len(shown) < len(line.below):
        yield f"  and {len(line.below) - len(shown)} more: {_MORE}"
