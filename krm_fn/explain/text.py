"""Show the sections of an explanation in a terminal, without colour, so that they can be piped."""

from __future__ import annotations

from collections.abc import Iterator

from krm_fn.explain.answer import Explanation
from krm_fn.explain.sections import COVERED, Section, sections
from krm_fn.krm.masking import printable
from krm_fn.krm.results import some
from krm_fn.pipeline.covered import covered_lines

_FEW = 6
_WIDEST = 60
_MORE = "`--verbose` shows all, `--cluster NAME` those of one Cluster"


def render(explanation: Explanation, *, verbose: bool = False, quiet: bool = False) -> str:
    """Return one sentence, the sections, and unless it is ``quiet`` the table of the covered objects."""
    lines = [explanation.summary]
    for section in sections(explanation):
        if section.title == COVERED:
            continue
        title = section.title.replace("`", "")
        underline = "=" * len(title)
        lines += ["", title, underline]
        lines += _lines(section, verbose=verbose)
    if explanation.covered and not quiet:
        lines += ["", COVERED, "=" * len(COVERED)]
        lines += covered_lines(explanation.covered, verbose=verbose)
    return "".join(f"{printable(line)}\n" for line in lines)


def _lines(section: Section, *, verbose: bool) -> Iterator[str]:
    rows = [section.head, *section.rows]
    *columns, last = zip(*rows, strict=True)
    widths = [max(map(len, column)) for column in columns]
    texts = map("".join, (*columns, last))
    if max(widths) > _WIDEST or "\n" in "".join(texts):
        yield from _row_by_row(section, verbose=verbose)
        return
    for row in rows:
        *first, end = row
        line = ""
        for cell, width in zip(first, widths, strict=True):
            line += f"  {cell:{width}}"
        yield f"{line}  {end}".rstrip()


def _row_by_row(section: Section, *, verbose: bool) -> Iterator[str]:
    """Yield the first cell of each row, and the others below it."""
    for first, *cells in section.rows:
        names = first.split("\n")
        lines = "\n".join(cells).split("\n")
        below = [line for line in lines if line]
        if verbose:
            yield ", ".join(names)
            more = 0
        else:
            yield some(names)
            more = len(below) - _FEW
            del below[_FEW:]
        for line in below:
            yield f"  {line}"
        if more > 0:
            yield f"  and {more} more: {_MORE}"
