"""The words of the lines on standard error that several commands print."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from krm_fn.krm.codes import Severity
from krm_fn.krm.results import Result, by_importance, count, lines


def result_lines(
    results: Sequence[Result], *, verbose: bool, line: Callable[[Result], str] = Result.line
) -> list[str]:
    """Return a line for each error and warning, the most important first; with ``verbose`` for each result."""
    if verbose:
        return [line(result) for result in by_importance(results)]
    severe = [result for result in results if result.severity is not Severity.INFO]
    return lines(severe, line)


def severities(results: Iterable[Result], silenced: Sequence[Result] = ()) -> str:
    """Return ``1 error, 2 warnings``, and where there are some ``, 3 silenced``."""
    numbers = Counter(result.severity for result in results)
    parts = [count(numbers[Severity.ERROR], "error"), count(numbers[Severity.WARNING], "warning")]
    if silenced:
        parts.append(f"{len(silenced)} silenced")
    return ", ".join(parts)
