"""The words of the lines on standard error that several commands print."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from krm_fn.krm.codes import FIXED, Severity, explanations
from krm_fn.krm.masking import redact, shown_line
from krm_fn.krm.results import LONGEST, Result, by_importance, count, grouped, shortened
from krm_fn.pipeline.outcome import missing_facts_lines

_LONGEST_FILE = 40
_NOT_SAID = (
    "no manifest says what `NO_PROXY` should cover; write into `spec` of the ProxyConfig what is true of all "
    "Clusters that do not say it:"
)
_FULL = frozenset(FIXED) - {"ProxyMissing"}
"""The codes of errors that are no kind: each says what a person must correct."""


def kind_lines(results: Iterable[Result], *, verbose: bool) -> list[str]:
    """Return a line for each kind of errors and warnings; with ``verbose`` for each result, with its file."""
    if verbose:
        return [result.line_with_file() for result in by_importance(results)]
    shown = []
    is_whole = True
    for group in grouped(by_importance(severe(results)), _kind):
        first = group[0]
        line = first.line_with_file()
        if first.fact:
            shown.append(f"[{first.severity.value}] FactsUnknown: {_NOT_SAID}")
            shown += [shortened(f"  {missing}") for missing in missing_facts_lines(group)]
        elif first.code in _FULL or (len(group) == 1 and len(line) <= LONGEST):
            shown.append(line)
        else:
            shown.append(_of_kind(group))
            is_whole = False
    if not is_whole:
        shown.append("`--verbose` says it of each object, `inject-proxy help CODE` what it means")
    return shown


def severe(results: Iterable[Result]) -> list[Result]:
    """Return the errors and warnings."""
    return [result for result in results if result.severity is not Severity.INFO]


def _kind(result: Result) -> object:
    if result.code in _FULL:
        return result
    return result.severity, result.code, bool(result.fact)


def _of_kind(results: Sequence[Result]) -> str:
    """Return a line for the results of one code: the words of all, or the meaning of the code if these are long."""
    first = results[0]
    texts = [explanations()[first.code].meaning]
    words = {redact(result.message) for result in results}
    if len(words) == 1:
        texts = [*words, *texts]
    where = count(len(results), "place")
    files = {redact(result.ref.file_path) for result in results}
    file = f"{len(files)} files"
    if len(files) == 1:
        (file,) = files
    if len(file) > _LONGEST_FILE:
        file = f"…{file[-_LONGEST_FILE:]}"
    if file:
        where += f" in {file}"
    begin = f"[{first.severity.value}] {first.code} ({where})"
    lines = [shown_line(f"{begin}: {text}") for text in texts]
    return next((line for line in lines if len(line) <= LONGEST), shortened(lines[0]))


def severities(results: Iterable[Result], silenced: Sequence[Result] = ()) -> str:
    """Return ``1 error, 2 warnings``, and where there are some ``, 3 silenced``."""
    numbers = Counter(result.severity for result in results)
    parts = [count(numbers[Severity.ERROR], "error"), count(numbers[Severity.WARNING], "warning")]
    if silenced:
        parts.append(f"{len(silenced)} silenced")
    return ", ".join(parts)
