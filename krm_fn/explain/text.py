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
    columns = [section.head, *section.rows]
    widths = [max(len(row[number]) for row in columns) for number in range(len(section.head) - 1)]
    if max(widths) > _WIDEST or any("\n" in cell for row in section.rows for cell in row[:-1]):
        for first, *cells in section.rows:
            below = [text for cell in cells for text in cell.split("\n") if text]
            names = first.split("\n")
            title = some(names, len(names) if verbose else 3)
            yield from _line(Line(title, "", tuple(below)), verbose=verbose)
        return
    for row in columns if len(widths) > 2 else section.rows:
        pairs = zip(row, widths, strict=False)
        yield f"  {'  '.join(f'{cell:{width}}' for cell, width in pairs)}  {row[-1]}".replace(
            "\n", "; "
        ).rstrip()


def _line(line: Line, *, verbose: bool) -> Iterator[str]:
    yield f"[{line.mark}] {line.text}" if line.mark else line.text
    shown: Sequence[str] = line.below if verbose else line.below[:_FEW]
    yield from (f"  {text}" for text in shown)
    if len(shown) < len(line.below):
        yield f"  and {len(line.below) - len(shown)} more: {_MORE}"
