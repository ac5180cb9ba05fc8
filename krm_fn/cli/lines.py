"""The words of the lines on standard error that several commands print."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from krm_fn.krm.codes import FIXED, Severity
from krm_fn.krm.masking import redact, shown_line
from krm_fn.krm.results import Result, by_importance, count, grouped, lines

_LONGEST = 160
"""Characters of a line for a person, for whom `--verbose` and `help` say the rest."""
_LONGEST_FILE = 50
_NOT_SAID = "no manifest says what `NO_PROXY` should cover; write into `spec` of the ProxyConfig what is true:"
_FULL = frozenset(FIXED) - {"ProxyMissing"}
"""The codes of errors that are no kind: each says what a person must correct."""


def result_lines(results: Iterable[Result], *, verbose: bool) -> list[str]:
    """Return the lines of the function, which an orchestrator shows, without the names of files.

    They are about errors and warnings, the most important first; with ``verbose`` about each result.
    """
    if verbose:
        return [result.line() for result in by_importance(results)]
    return lines(_severe(results))


def kind_lines(results: Iterable[Result], *, verbose: bool) -> list[str]:
    """Return a line for each kind of errors and warnings; with ``verbose`` for each result, with its file."""
    if verbose:
        return [result.line_with_file() for result in by_importance(results)]
    shown = []
    is_whole = True
    for group in grouped(by_importance(_severe(results)), _kind):
        first = group[0]
        if first.fact:
            from krm_fn.explain.facts import lines_of_facts  # noqa: PLC0415 -- nor the function

            shown.append(f"[{first.severity.value}] FactsUnknown: {_NOT_SAID}")
            shown += [f"  {line}" for line in lines_of_facts(group)]
            continue
        line = first.line_with_file()
        if len(group) > 1:
            line = _of_kind(group)
        elif first.code in _FULL or len(line) <= _LONGEST:
            shown.append(line)
            continue
        else:
            line = _without_details(first).line_with_file()
        is_whole = False
        if len(line) > _LONGEST:
            words, _, _ = line[: _LONGEST - 1].rpartition(" ")
            line = f"{words} …"
        shown.append(line)
    if not is_whole:
        shown.append("`--verbose` says it of each object, `inject-proxy help CODE` what it means")
    return shown


def _severe(results: Iterable[Result]) -> list[Result]:
    return [result for result in results if result.severity is not Severity.INFO]


def _kind(result: Result) -> object:
    if result.code in _FULL or not result.code:
        return result.text, result.path, result.ref
    return result.severity, result.code, bool(result.fact)


def _of_kind(results: Sequence[Result]) -> str:
    """Return what the results of one code have in common: their words, or else what the code means."""
    first = results[0]
    messages = {redact(result.message) for result in results}
    meaning = messages.pop()
    if messages:
        from krm_fn.krm.messages import explanations  # noqa: PLC0415 -- the function needs none

        meaning = explanations()[first.code].meaning
    files = {result.ref.file_path for result in results}
    where = f"{len(results)} places"
    if len(files) > 1:
        where += f" in {len(files)} files"
    elif first.ref.file_path:
        where += f" in {_short(redact(first.ref.file_path))}"
    return shown_line(f"[{first.severity.value}] {first.code} ({where}): {meaning}")


def _without_details(result: Result) -> Result:
    """Return a result with less of what says where it is."""
    ref = result.ref._replace(api_version="", file_path=_short(result.ref.file_path))
    return result._replace(ref=ref, path=())


def _short(file: str) -> str:
    return file if len(file) <= _LONGEST_FILE else f"…{file[-_LONGEST_FILE:]}"


def severities(results: Iterable[Result], silenced: Sequence[Result] = ()) -> str:
    """Return ``1 error, 2 warnings``, and where there are some ``, 3 silenced``."""
    numbers = Counter(result.severity for result in results)
    parts = [count(numbers[Severity.ERROR], "error"), count(numbers[Severity.WARNING], "warning")]
    if silenced:
        parts.append(f"{len(silenced)} silenced")
    return ", ".join(parts)
