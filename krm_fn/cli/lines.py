"""The words of the lines on standard error that several commands print."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from krm_fn.krm.codes import Severity
from krm_fn.krm.results import Result, by_importance, lines


def result_lines(
    results: Sequence[Result], *, verbose: bool, line: Callable[[Result], str] = Result.line
) -> list[str]:
    """Return a line for each error and warning, the most important first; with ``verbose`` for each result."""
    if verbose:
        return list(map(line, by_importance(results)))
    return lines((result for result in results if result.severity is not Severity.INFO), line)


def severities(results: Iterable[Result], silenced: Sequence[Result] = ()) -> str:
    """Return ``1 error, 2 warnings``, and where there are some ``, 3 silenced``."""
    numbers = Counter(result.severity for result in results)
    parts = [
        count(numbers[severity], severity.value) for severity in (Severity.ERROR, Severity.WARNING)
    ]
    if silenced:
        parts.append(f"{len(silenced)} silenced")
    return ", ".join(parts)


def count(number: int, noun: str) -> str:
    """Return a number with its noun, which gets an "s" where it must."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
