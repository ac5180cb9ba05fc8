"""Findings in the forms that other programs read: JSON, SARIF, workflow commands of GitHub, JUnit.

Sources: SARIF 2.1.0 (OASIS), sections 3.13 to 3.52; GitHub, "Workflow commands for GitHub Actions"; the JUnit schema of
Apache Ant, as GitLab, Jenkins and Azure read it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import quote

from krm_fn.krm.codes import Severity, explanations
from krm_fn.krm.manifests import Manifests
from krm_fn.krm.masking import printable_html, shown_line
from krm_fn.krm.results import Result, is_severe
from krm_fn.light_typing import Any, Fields
from krm_fn.yamledit import Position

_SARIF_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


def report(
    form: str,
    command: str,
    results: Sequence[Result],
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
    return f"{json.dumps(data, indent=2)}\n".encode()


def _sarif(command: str, findings: Sequence[Result]) -> Fields:
    """Return a log with one run."""
    known = explanations()
    codes = sorted({finding.code for finding in findings})
    rules = []
    for code in codes:
        texts = {
            "shortDescription": {"text": known[code].meaning},
            "help": {"text": known[code].remedy},
        }
        rules.append({"id": code, **texts})
    run = {
        "tool": {"driver": {"name": "inject-proxy", "rules": rules}},
        "automationDetails": {"id": f"inject-proxy/{command}/"},
        "columnKind": "unicodeCodePoints",
        "results": [_sarif_result(finding, codes) for finding in findings],
    }
    return {"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}


def _sarif_result(finding: Result, codes: Sequence[str]) -> Fields:
    result: Fields = {
        "ruleId": finding.code,
        "ruleIndex": codes.index(finding.code),
        "level": _level(finding, "note"),
        "message": {"text": finding.sentence()},
    }
    file = shown_line(finding.ref.file_path)
    if file:
        scheme = "file://" if file.startswith("/") else ""
        path = quote(file, errors="surrogateescape")
        line, column = finding.position or Position(1, 1)
        place = {
            "artifactLocation": {"uri": f"{scheme}{path}"},
            "region": {"startLine": line, "startColumn": column},
        }
        result["locations"] = [{"physicalLocation": place}]
    return result


def _github(findings: Iterable[Result]) -> Iterator[str]:
    """Yield workflow commands: a runner of GitHub Actions makes annotations of them."""
    for finding in findings:
        given = {"file": shown_line(finding.ref.file_path)}
        if finding.position:
            given["line"] = str(finding.position.line)
            given["col"] = str(finding.position.column)
        given["title"] = f"inject-proxy {finding.code}"
        properties = [f"{key}={_escaped(text, ':,')}" for key, text in given.items() if text]
        yield f"::{_level(finding, 'notice')} {','.join(properties)}::{_escaped(finding.sentence())}"


def _escaped(text: str, more: str = "") -> str:
    for char in f"%\r\n{more}":
        text = text.replace(char, f"%{ord(char):02X}")
    return text


def _junit(
    command: str, findings: Iterable[Result], files: Iterable[str], fail_on: Severity
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
