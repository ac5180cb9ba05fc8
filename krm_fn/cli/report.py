"""Findings in the forms that other programs read: JSON, SARIF, workflow commands of GitHub, JUnit.

Sources: SARIF 2.1.0 (OASIS), sections 3.13 to 3.52; GitHub, "Workflow commands for GitHub Actions"; the JUnit schema of
Apache Ant, as GitLab, Jenkins and Azure read it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import quote

from krm_fn.krm.codes import Severity
from krm_fn.krm.manifests import Manifests
from krm_fn.krm.masking import shown_line
from krm_fn.krm.messages import explanations
from krm_fn.krm.results import Result, is_severe
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.printable import printable_html

_SARIF_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


class _Finding(NamedTuple):
    """A finding as a report shows it; ``line`` counts from 1, and 0 is no line."""

    code: str
    severity: Severity
    text: str
    file: str
    line: int

    def level(self, info: str) -> str:
        """Return the severity; only an information has another name in each form."""
        return info if self.severity is Severity.INFO else self.severity.value


def report(
    form: str,
    command: str,
    results: Sequence[Result],
    manifests: Manifests,
    fail_on: Severity,
) -> bytes:
    """Return findings in a form of `--output` other than text.

    Args:
        form: the name of the form.
        command: what found them.
        results: the findings.
        manifests: what was judged, also where nothing was found.
        fail_on: what is less severe is no failure of a test.
    """
    if form == "json":
        return _json_text([result.to_data() for result in results])
    indexes = {document[:2]: index for index, document in enumerate(manifests.documents)}
    findings = []
    for result in results:
        index = indexes.get((result.ref.file_path, result.ref.file_index))
        line = 0 if index is None else manifests.line(index, result.path)
        file = shown_line(result.ref.file_path)
        findings.append(_Finding(result.code, result.severity, result.sentence(), file, line))
    if form == "sarif":
        return _json_text(_sarif(command, findings))
    lines = _github(findings)
    if form == "junit":
        lines = _junit(command, findings, manifests.files, fail_on)
    return "".join(f"{line}\n" for line in lines).encode(errors="backslashreplace")


def _json_text(data: Any) -> bytes:
    return f"{json.dumps(data, indent=2)}\n".encode()


def _sarif(command: str, findings: Sequence[_Finding]) -> dict[str, Any]:
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


def _sarif_result(finding: _Finding, codes: Sequence[str]) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": codes.index(finding.code),
        "level": finding.level("note"),
        "message": {"text": finding.text},
    }
    if finding.file:
        scheme = "file://" if finding.file.startswith("/") else ""
        path = quote(finding.file, errors="surrogateescape")
        place = {
            "artifactLocation": {"uri": f"{scheme}{path}"},
            "region": {"startLine": max(finding.line, 1)},
        }
        result["locations"] = [{"physicalLocation": place}]
    return result


def _github(findings: Iterable[_Finding]) -> Iterator[str]:
    """Yield workflow commands: a runner of GitHub Actions makes annotations of them."""
    for finding in findings:
        given = {"file": finding.file, "line": str(finding.line or "")}
        given["title"] = f"inject-proxy {finding.code}"
        properties = [f"{key}={_escaped(text, ':,')}" for key, text in given.items() if text]
        yield f"::{finding.level('notice')} {','.join(properties)}::{_escaped(finding.text)}"


def _escaped(text: str, more: str = "") -> str:
    for char in f"%\r\n{more}":
        text = text.replace(char, f"%{ord(char):02X}")
    return text


def _junit(
    command: str, findings: Iterable[_Finding], files: Iterable[str], fail_on: Severity
) -> Iterator[str]:
    """Yield a test for each file; it fails where a finding is as severe as ``fail_on``."""
    suite = f"inject-proxy {command}"
    texts: dict[str, list[str]] = {shown_line(name): [] for name in files}
    failed = set()
    for finding in findings:
        name = finding.file or suite
        texts.setdefault(name, []).append(f"[{finding.level('info')}] {finding.text}")
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
