"""Findings in the forms that other programs read: JSON, SARIF, workflow commands of GitHub, JUnit.

Sources: SARIF 2.1.0 (OASIS), sections 3.13 to 3.52; GitHub, "Workflow commands for GitHub Actions" and
``@actions/core`` (``command.ts``) for what is escaped; the JUnit schema of Apache Ant, as GitLab, Jenkins and
Azure read it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from urllib.parse import quote

from krm_fn.cli._outcome_lines import FAIL_ON
from krm_fn.cli.parser import CommandParser
from krm_fn.errors import InputError
from krm_fn.krm.manifests import Manifests
from krm_fn.krm.masking import redact, shown_line
from krm_fn.krm.messages import CodeText, address, explanations
from krm_fn.krm.results import Result, Severity, is_severe
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.noproxy.lint_rules import RULES
from krm_fn.patch import field_path
from krm_fn.printable import printable, printable_html, printable_json

_SARIF_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_INFO_IN_SARIF = "note"
_INFO_ON_GITHUB = "notice"
"""What an information is called there; errors and warnings have their own names everywhere."""


class ReportEntry(NamedTuple):
    """One finding: ``rule`` is its ID or code, ``line`` counts from 1, and 0 is no line.

    ``subject`` names the object and its field, and ``data`` is the finding as the form ``json`` has it.
    """

    severity: Severity
    message: str
    rule: str
    file: str = ""
    line: int = 0
    subject: str = ""
    data: Mapping[str, Any] = MappingProxyType({})

    def text(self) -> str:
        """Return the message behind its subject."""
        return f"{self.subject}: {self.message}" if self.subject else self.message

    def level(self, info: str) -> str:
        """Return the severity, given the name of an information."""
        return info if self.severity is Severity.INFO else self.severity.value


class FindingReport(NamedTuple):
    """The findings of a command.

    ``files`` names what was judged, also where nothing was found. A finding that is less severe than ``fail_on`` is no
    failure of a test.
    """

    command: str
    entries: Sequence[ReportEntry]
    files: Sequence[str]
    fail_on: Severity = Severity.ERROR


class LineFinder:
    """Finds the line of a field in files.

    Args:
        files: name -> content.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = files
        self._read: dict[str, Manifests | None] = {}

    def line(self, result: Result) -> int:
        """Return the line of the field that a result is about; 0 where it is about no file."""
        name = result.ref.file_path
        if name not in self._files:
            return 0
        if name not in self._read:
            self._read[name] = _manifests(name, self._files[name])
        manifests = self._read[name]
        return manifests.line(name, result.ref.file_index, result.path) if manifests else 1


def _manifests(name: str, content: bytes) -> Manifests | None:
    try:
        return Manifests({name: content})
    except InputError:
        return None


def entry_of(result: Result, lines: LineFinder) -> ReportEntry:
    """Return the entry of a result; its code is the rule."""
    parts = (str(result.ref), field_path(result.path))
    return ReportEntry(
        result.severity,
        shown_line(result.text),
        result.code,
        result.ref.file_path,
        lines.line(result),
        shown_line(" ".join(part for part in parts if part)),
        result.to_data(),
    )


def as_json(report: FindingReport) -> bytes:
    """Return a list of results as a KRM function gives them."""
    return _json_text([entry.data for entry in report.entries]).encode(errors="surrogateescape")


def as_sarif(report: FindingReport) -> bytes:
    """Return a log of SARIF 2.1.0 with one run."""
    rules = sorted({entry.rule for entry in report.entries})
    known = explanations()
    driver = {
        "name": "inject-proxy",
        "rules": [_sarif_rule(rule, known[rule]) for rule in rules],
    }
    results = [_sarif_result(entry, rules.index(entry.rule)) for entry in report.entries]
    run = {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"inject-proxy/{report.command}/"},
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    log = {"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}
    return _json_text(log).encode(errors="backslashreplace")


def _sarif_rule(rule: str, known: CodeText) -> dict[str, Any]:
    return {
        "id": rule,
        "helpUri": address(rule),
        "shortDescription": {"text": f"{known.meaning} {known.cause}"},
        "help": {"text": known.remedy},
    }


def _sarif_result(entry: ReportEntry, index: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": entry.rule,
        "ruleIndex": index,
        "level": entry.level(_INFO_IN_SARIF),
        "message": {"text": entry.text()},
    }
    if entry.file:
        place: dict[str, Any] = {"artifactLocation": {"uri": _uri(entry.file)}}
        place["region"] = {"startLine": max(entry.line, 1)}
        result["locations"] = [{"physicalLocation": place}]
    return result


def _uri(file: str) -> str:
    """Return the name of a file as a relative URI reference, or as one of the scheme ``file``."""
    path = quote(str(redact(file)).encode(errors="surrogateescape"))
    if file.startswith("/"):
        return f"file://{path}"
    return path


def as_github(report: FindingReport) -> bytes:
    """Return workflow commands: a runner of GitHub Actions makes annotations of them."""
    lines = []
    for entry in report.entries:
        properties = f"title=inject-proxy {_escaped(entry.rule, ':,')}"
        if entry.line:
            properties = f"line={entry.line},{properties}"
        if entry.file:
            name = _escaped(printable(redact(entry.file)), ":,")
            properties = f"file={name},{properties}"
        lines.append(f"::{entry.level(_INFO_ON_GITHUB)} {properties}::{_escaped(entry.text())}\n")
    return "".join(lines).encode(errors="surrogateescape")


def _escaped(text: str, more: str = "") -> str:
    for char in f"%\r\n{more}":
        text = text.replace(char, f"%{ord(char):02X}")
    return text


def as_junit(report: FindingReport) -> bytes:
    """Return a report with a test for each file; it fails where a finding is as severe as ``fail_on``."""
    by_file: dict[str, list[ReportEntry]] = {name: [] for name in report.files}
    for entry in report.entries:
        by_file.setdefault(entry.file or f"inject-proxy {report.command}", []).append(entry)
    suite = f"inject-proxy {report.command}"
    cases, failures = [], 0
    for name, entries in by_file.items():
        failed: list[ReportEntry] = []
        others: list[ReportEntry] = []
        for entry in entries:
            (failed if is_severe(entry.severity, report.fail_on) else others).append(entry)
        failures += bool(failed)
        cases.append(
            f'    <testcase classname="{printable_html(suite)}" name="{printable_html(redact(name))}">'
        )
        if failed:
            message = printable_html(failed[0].message)
            cases.append(
                f'      <failure message="{message}" type="{failed[0].rule}">{_text(failed)}</failure>'
            )
        if others:
            cases.append(f"      <system-out>{_text(others)}</system-out>")
        cases.append("    </testcase>")
    counts = f'tests="{len(by_file)}" failures="{failures}" errors="0"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="inject-proxy" {counts}>',
        f'  <testsuite name="{printable_html(suite)}" {counts} skipped="0">',
        *cases,
        "  </testsuite>",
        "</testsuites>",
    ]
    return "".join(f"{line}\n" for line in lines).encode(errors="backslashreplace")


def _text(entries: Sequence[ReportEntry]) -> str:
    lines = []
    for entry in entries:
        place = f"line {entry.line}: " if entry.line else ""
        lines.append(f"[{entry.severity.value}] {place}{entry.text()}")
    return "\n".join(map(printable_html, lines))


def _json_text(data: Any) -> str:
    return printable_json(json.dumps(data, indent=2, ensure_ascii=False) + "\n")


def statistics(entries: Iterable[ReportEntry], form: str) -> bytes:
    """Return how many findings each rule has, the most frequent first: in a line each, or as JSON.

    ``[*]`` marks a rule of which `inject-proxy lint --fix` corrects something, as ruff marks its rules.
    """
    counts = Counter(entry.rule for entry in entries)
    known = explanations()
    rows = []
    for rule in sorted(counts, key=lambda rule: (-counts[rule], rule)):
        meaning, is_fixed = known[rule].meaning, rule in RULES and RULES[rule].has_fix
        rows.append({"rule": rule, "count": counts[rule], "fixable": is_fixed, "meaning": meaning})
    if form == "json":
        return _json_text(rows).encode()
    width = max((len(rule) for rule in counts), default=0)
    lines = []
    for row in rows:
        mark = "[*]" if row["fixable"] else "[ ]"
        lines.append(f"{row['count']:>6}  {row['rule']:<{width}}  {mark} {row['meaning']}\n")
    return "".join(lines).encode()


WRITERS: Mapping[str, Callable[[FindingReport], bytes]] = {
    "json": as_json,
    "sarif": as_sarif,
    "github": as_github,
    "junit": as_junit,
}
"""Value of `--output` -> what writes a report in that form; `text` are the lines of the command."""


def written(form: str, lines: Iterable[str], report: Callable[[], FindingReport]) -> bytes:
    """Return findings in the form of `--output`: the ``lines`` of a command, or its report."""
    if form == "text":
        # What came from the command line or is the name of a file may be no UTF-8.
        return "".join(f"{line}\n" for line in lines).encode(errors="surrogateescape")
    return WRITERS[form](report())


_OUTPUT_HELP = (
    "text (default); json: a list of results as a KRM function gives them; sarif: SARIF 2.1.0 for code scanning; "
    "github: annotations of GitHub Actions; junit: a test for each file"
)


def add_output_option(command: CommandParser, purpose: str = "") -> None:
    """Add `--output`, with the forms of a report; ``purpose`` begins its explanation."""
    forms = ("text", *WRITERS)
    command.add_argument(
        "--output", choices=forms, default=forms[0], help=f"{purpose}{_OUTPUT_HELP}"
    )


def add_report_options(command: CommandParser) -> None:
    """Add `--fail-on` and `--output` to a command whose answer is a report of findings."""
    command.add_argument(
        "--fail-on",
        choices=list(FAIL_ON),
        default=Severity.ERROR.value,
        help="error (default) or warning: the least finding that makes the exit code 1",
    )
    add_output_option(command)
