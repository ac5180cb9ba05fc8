"""``inject-proxy check-image``: whether the inputs of an image build would leave a proxy in the image.

The package ``image_check`` decides what would be left; this module reads the command line and writes the report.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from krm_fn.cli._outcome_lines import FAIL_ON, count
from krm_fn.cli.command_result import CommandResult
from krm_fn.cli.files import read_every_file
from krm_fn.cli.parser import CommandParser
from krm_fn.cli.report import FindingReport, ReportEntry, add_report_options, written
from krm_fn.errors import UsageError
from krm_fn.image_check import Note, Report, check
from krm_fn.krm.masking import redact, shown_line
from krm_fn.krm.results import Severity, is_severe
from krm_fn.light_typing import Any


def parser() -> CommandParser:
    """Return the parser of this command."""
    command = CommandParser(
        "check-image",
        usage=["[--fail-on error|warning] [--output text|json|sarif|github|junit] PATH..."],
        examples=[
            ("inject-proxy check-image roles overrides Dockerfile", "check the inputs of a build"),
            ("inject-proxy check-image --fail-on warning .", "fail where a proxy may be left, too"),
        ],
        notes=[
            (
                "PATH are files and folders of a build: roles and tasks of Ansible with the files they place, "
                "overrides and variables of (Konvoy) Image Builder, templates of Packer, user data of cloud-init, "
                "Dockerfiles, shell scripts, and files that are where they are in the image, such as etc/environment."
            ),
            (
                "One image serves networks with different proxies, so a proxy may be used while it is built, and must "
                "not stay in it. Nothing is run: variables, conditions and the order of steps are not evaluated. Files "
                "that are not recognised are listed, not reported as clean. docs/check-image.md lists what is read."
            ),
            (
                "exit codes: 0 nothing would be left; 1 something would, or with `--fail-on warning` may be; "
                "2 wrong usage; 3 a bug of this program."
            ),
        ],
    )
    command.words("PATH", "files and folders of a build")
    add_report_options(command)
    return command.common()


_LONGEST = 1 << 20
_NAMED = 5


def run(arguments: list[str], read_stdin: Callable[[], bytes]) -> CommandResult:  # noqa: ARG001 -- all take the same arguments
    """Check the files of a build.

    Args:
        arguments: those behind ``check-image``.
        read_stdin: not called: a build consists of files.

    Raises:
        UsageError: an unknown option, no path, one that does not exist, or paths without any file.
        InputError: a file or folder cannot be read.
    """
    given = parser().parse(arguments)
    if not given.words:
        raise UsageError(
            "a file or folder must be named: `inject-proxy check-image --help` shows how"
        )
    files = read_every_file(given.words, at_most=_LONGEST)
    if not files:
        raise UsageError(
            "the paths hold no file: name the files of a build, or a folder that holds some; of a folder, hidden "
            "files are left out"
        )
    report = check(files)
    fail_on = FAIL_ON[given.fail_on]
    exit_code = int(any(is_severe(note.severity, fail_on) for note in report.notes))

    def findings() -> FindingReport:
        judged = [name for name, kind in report.kinds.items() if kind]
        return FindingReport("check-image", list(map(_entry, report.notes)), judged, fail_on)

    output = written(given.output, map(_line, report.notes), findings)
    return CommandResult(output, _summary(report), exit_code)


def _entry(note: Note) -> ReportEntry:
    message = shown_line(note.message)
    return ReportEntry(note.severity, message, note.code, note.file, note.line, data=_data(note))


def _line(note: Note) -> str:
    return shown_line(f"[{note.severity.value}] {note.file}:{note.line}: {note.message}")


def _data(note: Note) -> Mapping[str, Any]:
    return {
        "message": redact(note.message),
        "severity": note.severity.value,
        "file": {"path": redact(note.file)},
        "tags": {"line": str(note.line)},
    }


def _summary(report: Report) -> tuple[str, ...]:
    unknown = [name for name, kind in report.kinds.items() if not kind]
    kinds = Counter(kind for kind in report.kinds.values() if kind)
    parts = [
        f"{count(len(report.kinds), 'file')} read",
        *(f"{kind}: {n}" for kind, n in sorted(kinds.items())),
    ]
    parts += [f"not recognised: {len(unknown)}"]
    for severity in (Severity.ERROR, Severity.WARNING):
        parts.append(count(sum(note.severity is severity for note in report.notes), severity.value))
    return (*_named(unknown), f"inject-proxy check-image: {', '.join(parts)}")


def _named(unknown: Sequence[str]) -> tuple[str, ...]:
    if not unknown:
        return ()
    more = f" and {len(unknown) - _NAMED} more" if len(unknown) > _NAMED else ""
    return (f"not recognised, so not checked: {', '.join(unknown[:_NAMED])}{more}",)
