"""Report results: in lines for a person, and in JSON, SARIF, workflow commands of GitHub and JUnit.

Sources: SARIF 2.1.0 (OASIS), sections 3.13 to 3.52; GitHub, "Workflow commands for GitHub Actions"; the JUnit schema of
Apache Ant, as GitLab, Jenkins and Azure read it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from krm_fn.krm.codes import FIXED, Severity, explanations
from krm_fn.krm.masking import printable_html, redact, shown_line
from krm_fn.krm.results import (
    Result,
    Results,
    by_importance,
    count,
    grouped,
    is_severe,
    message_of,
    severe,
    some,
)
from krm_fn.light_typing import TYPE_CHECKING, Any, Fields
from krm_fn.pipeline.outcome import CHANGE_DUE, missing_facts_lines
from krm_fn.yamledit import Position

if TYPE_CHECKING:
    from krm_fn.krm.manifests import Manifests

_MANY_FILES = 10
_NOT_SAID = (
    "no manifest says what `NO_PROXY` should cover; write into `spec` of the ProxyConfig what is true of all "
    "Clusters that do not say it:"
)
_SARIF_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


def kind_lines(results: Results, *, verbose: bool) -> list[str]:
    """Return a line for each reason of errors and warnings; with ``verbose`` for each result, with its file."""
    if verbose:
        return [result.line_with_file() for result in by_importance(results)]
    shown = []
    is_whole = True
    for group in grouped(by_importance(severe(results)), _kind):
        first = group[0]
        if first.fact:
            shown.append(f"[{first.severity.value}] FactsUnknown: {_NOT_SAID}")
            shown += [f"  {missing}" for missing in missing_facts_lines(group)]
        elif len(group) == 1:
            shown.append(first.line_with_file())
        elif first.code == CHANGE_DUE:
            shown += _due_lines(group)
            is_whole = False
        else:
            shown.append(f"[{first.severity.value}] {_sentence(group)}")
            is_whole = False
    if not is_whole:
        shown.append("`--verbose` says it of each object, `inject-proxy help CODE` what it means")
    return shown


def _kind(result: Result) -> object:
    if result.code == CHANGE_DUE:
        return result.code
    if result.code in FIXED:
        return result
    return result.severity, result.code if result.fact else result.reason


def _sentence(results: Sequence[Result]) -> str:
    """Return the object and the message of a result; of several for one reason, how many places, and all names."""
    first = results[0]
    if len(results) == 1:
        return first.sentence()
    where = count(len(results), "place")
    files = [*dict.fromkeys(result.ref.file_path for result in results)]
    if files[0]:
        where += f" in {redact(files[0])}"
    if len(files) > 1:
        where += f" and {count(len(files) - 1, 'more file')}"
    return shown_line(f"{first.code} ({where}): {message_of(results)}")


def _due_lines(results: Sequence[Result]) -> Iterator[str]:
    """Yield the files in which changes are due, each with its objects; of many files the first ones."""
    files: dict[str, dict[str, None]] = {}
    for result in results:
        ref = result.ref
        files.setdefault(ref.file_path, {})[redact(f"{ref.kind}/{ref.name}")] = None
    changes = count(len(results), "change")
    yield f"[error] {CHANGE_DUE}: {changes} due in {count(len(files), 'file')}"
    for file in [*files][:_MANY_FILES]:
        line = shown_line(f"{redact(file)}: {some([*files[file]])}")
        yield f"  {line}"
    more = len(files) - _MANY_FILES
    if more > 0:
        yield f"  and {count(more, 'more file')}"


def severities(results: Results, silenced: Sequence[Result]) -> str:
    """Return ``1 error, 2 warnings``, and where there are some ``, 3 silenced``."""
    numbers = Counter(result.severity for result in results)
    parts = [count(numbers[Severity.ERROR], "error"), count(numbers[Severity.WARNING], "warning")]
    if silenced:
        parts.append(f"{len(silenced)} silenced")
    return ", ".join(parts)


def report(
    form: str,
    command: str,
    results: Results,
    manifests: Manifests,
    fail_on: Severity,
) -> bytes:
    """Return findings in a form of `--output` other than text, in JSON with the changes.

    Args:
        form: the name of the form.
        command: the command that found them.
        results: the findings and the changes.
        manifests: the files that were judged, also those without a result.
        fail_on: a result that is less severe is no failure of a test.
    """
    findings = [manifests.placed(result) for result in results]
    if form == "json":
        return _json_text([finding.to_data() for finding in findings])
    findings = [finding for finding in findings if not finding.is_change]
    if form == "sarif":
        return _json_text(_sarif(command, findings))
    lines = _github(findings)
    if form == "junit":
        lines = _junit(command, findings, manifests.files, fail_on)
    return "".join(f"{line}\n" for line in lines).encode(errors="backslashreplace")


def _level(finding: Result, info: str) -> str:
    """Return the severity; only an information has another name in each form."""
    return info if finding.severity is Severity.INFO else finding.severity.value


def _json_text(data: Any) -> bytes:
    import json  # noqa: PLC0415 -- few reports are JSON

    return f"{json.dumps(data, indent=2)}\n".encode()


def _sarif(command: str, findings: Sequence[Result]) -> Fields:
    """Return a log with one run."""
    known = explanations()
    codes = sorted({finding.code for finding in findings})
    rules = [
        {
            "id": code,
            "shortDescription": {"text": known[code].meaning},
            "help": {"text": known[code].remedy},
        }
        for code in codes
    ]
    run = {
        "tool": {"driver": {"name": "inject-proxy", "rules": rules}},
        "automationDetails": {"id": f"inject-proxy/{command}/"},
        "columnKind": "unicodeCodePoints",
        "results": [_sarif_result(group, codes) for group in grouped(findings, _reason)],
    }
    return {"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}


def _reason(finding: Result) -> object:
    return finding.severity, finding.reason


def _sarif_result(group: Sequence[Result], codes: Sequence[str]) -> Fields:
    """Return the result for one reason, with its places in files."""
    first = group[0]
    result: Fields = {
        "ruleId": first.code,
        "ruleIndex": codes.index(first.code),
        "level": _level(first, "note"),
        "message": {"text": _sentence(group)},
    }
    locations = [_sarif_location(finding) for finding in group if finding.ref.file_path]
    if locations:
        result["locations"] = locations
    return result


def _sarif_location(finding: Result) -> Fields:
    from urllib.parse import quote  # noqa: PLC0415 -- only SARIF needs it

    file = shown_line(finding.ref.file_path)
    scheme = "file://" if file.startswith("/") else ""
    path = quote(file, errors="surrogateescape")
    line, column = finding.position or Position(1, 1)
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": f"{scheme}{path}"},
            "region": {"startLine": line, "startColumn": column},
        }
    }


def _github(findings: Results) -> Iterator[str]:
    """Yield workflow commands, one for a reason: a runner of GitHub Actions makes annotations of them."""
    for group in grouped(findings, _reason):
        first = group[0]
        given = {"file": shown_line(first.ref.file_path)}
        if first.position:
            given["line"] = str(first.position.line)
            given["col"] = str(first.position.column)
        given["title"] = f"inject-proxy {first.code}"
        properties = [f"{key}={_escaped(text, ':,')}" for key, text in given.items() if text]
        yield f"::{_level(first, 'notice')} {','.join(properties)}::{_escaped(_sentence(group))}"


def _escaped(text: str, more: str = "") -> str:
    for char in f"%\r\n{more}":
        text = text.replace(char, f"%{ord(char):02X}")
    return text


def _junit(
    command: str, findings: Results, files: Iterable[str], fail_on: Severity
) -> Iterator[str]:
    """Yield a test for each file; it fails where a finding is as severe as ``fail_on``."""
    suite = f"inject-proxy {command}"
    texts: dict[str, list[str]] = {shown_line(name): [] for name in files}
    failed = set()
    for finding in findings:
        name = shown_line(finding.ref.file_path) or suite
        texts.setdefault(name, []).append(finding.line_with_file())
        if is_severe(finding.severity, fail_on):
            failed.add(name)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f'<testsuite name="{suite}" tests="{len(texts)}" failures="{len(failed)}" errors="0">'
    for name, of_file in texts.items():
        yield f'  <testcase classname="{suite}" name="{printable_html(name)}">'
        tag = "failure" if name in failed else "system-out"
        if of_file:
            yield f"    <{tag}>{printable_html('; '.join(of_file))}</{tag}>"
        yield "  </testcase>"
    yield "</testsuite>"
