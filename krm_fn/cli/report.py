"""Findings in the forms that other programs read: JSON, SARIF, workflow commands of GitHub, JUnit.

Sources: SARIF 2.1.0 (OASIS), sections 3.13 to 3.52; GitHub, "Workflow commands for GitHub Actions"; the JUnit schema of
Apache Ant, as GitLab, Jenkins and Azure read it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from urllib.parse import quote

from krm_fn.krm.codes import Severity
from krm_fn.krm.manifests import Manifests
from krm_fn.krm.masking import shown_line
from krm_fn.krm.messages import CodeText, address, explanations
from krm_fn.krm.results import Result, is_severe
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import field_path
from krm_fn.printable import printable_html, printable_json

_SARIF_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


class _Reported(NamedTuple):
    """One finding as a report shows it; ``line`` counts from 1, and 0 is no line."""

    result: Result
    text: str
    file: str
    line: int


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
    documents = {part[:2]: index for index, part in enumerate(manifests.documents)}
    entries = [_entry(result, manifests, documents) for result in results]
    if form == "sarif":
        return _json_text(_sarif(command, entries))
    lines = (
        _github(entries) if form == "github" else _junit(command, entries, manifests.files, fail_on)
    )
    return "".join(f"{line}\n" for line in lines).encode(errors="backslashreplace")


def _entry(
    result: Result, manifests: Manifests, documents: Mapping[tuple[str, int], int]
) -> _Reported:
    name, number = result.ref.file_path, result.ref.file_index
    subject = " ".join(part for part in (str(result.ref), field_path(result.path)) if part)
    text = shown_line(f"{subject}: {result.text}" if subject else result.text)
    index = documents.get((name, number))
    line = 0 if index is None else manifests.line(index, result.path)
    return _Reported(result, text, shown_line(name), line)


def _json_text(data: Any) -> bytes:
    text = json.dumps(data, indent=2, ensure_ascii=False)
    return printable_json(f"{text}\n").encode(errors="backslashreplace")


def _sarif(command: str, entries: Sequence[_Reported]) -> dict[str, Any]:
    """Return a log with one run."""
    known = explanations()
    codes = sorted({entry.result.code for entry in entries})
    run = {
        "tool": {
            "driver": {
                "name": "inject-proxy",
                "rules": [_sarif_rule(code, known[code]) for code in codes],
            }
        },
        "automationDetails": {"id": f"inject-proxy/{command}/"},
        "columnKind": "unicodeCodePoints",
        "results": [_sarif_result(entry, codes) for entry in entries],
    }
    return {"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}


def _sarif_rule(code: str, known: CodeText) -> dict[str, Any]:
    return {
        "id": code,
        "helpUri": address(code),
        "shortDescription": {"text": known.meaning},
        "help": {"text": known.remedy},
    }


def _sarif_result(entry: _Reported, codes: Sequence[str]) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": entry.result.code,
        "ruleIndex": codes.index(entry.result.code),
        "level": _level(entry, "note"),
        "message": {"text": entry.text},
    }
    if entry.file:
        scheme = "file://" if entry.file.startswith("/") else ""
        path = quote(entry.file, errors="surrogateescape")
        place = {
            "artifactLocation": {"uri": f"{scheme}{path}"},
            "region": {"startLine": max(entry.line, 1)},
        }
        result["locations"] = [{"physicalLocation": place}]
    return result


def _level(entry: _Reported, info: str) -> str:
    """Return the severity of a finding; only an information has another name in each form."""
    severity = entry.result.severity
    return info if severity is Severity.INFO else severity.value


def _github(entries: Sequence[_Reported]) -> Iterator[str]:
    """Yield workflow commands: a runner of GitHub Actions makes annotations of them."""
    for entry in entries:
        title = f"inject-proxy {entry.result.code}"
        given = {"file": entry.file, "line": str(entry.line or ""), "title": title}
        properties = ",".join(
            f"{key}={_escaped(text, ':,')}" for key, text in given.items() if text
        )
        yield f"::{_level(entry, 'notice')} {properties}::{_escaped(entry.text)}"


def _escaped(text: str, more: str = "") -> str:
    for char in f"%\r\n{more}":
        text = text.replace(char, f"%{ord(char):02X}")
    return text


def _junit(
    command: str, entries: Sequence[_Reported], files: Iterable[str], fail_on: Severity
) -> Iterator[str]:
    """Yield a test for each file; it fails where a finding is as severe as ``fail_on``."""
    suite = f"inject-proxy {command}"
    by_file: dict[str, list[_Reported]] = {shown_line(name): [] for name in files}
    for entry in entries:
        by_file.setdefault(entry.file or suite, []).append(entry)
    failed = {entry.file or suite for entry in entries if is_severe(entry.result.severity, fail_on)}
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f'<testsuite name="{suite}" tests="{len(by_file)}" failures="{len(failed)}" errors="0">'
    for name, of_file in by_file.items():
        tag = "failure" if name in failed else "system-out"
        text = printable_html(
            "; ".join(f"[{_level(entry, 'info')}] {entry.text}" for entry in of_file)
        )
        yield f'  <testcase classname="{suite}" name="{printable_html(name)}">'
        if text:
            yield f"    <{tag}>{text}</{tag}>"
        yield "  </testcase>"
    yield "</testsuite>"
