"""``inject-proxy lint``: check a NO_PROXY list, or what manifests say about a proxy, and fix it.

The package ``lint`` decides what is wrong and how it is fixed; this module reads the command line and writes the
report. Files are written only with ``--fix``, and only those that change.
"""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import partial

from krm_fn.cli._config import config_above, config_files, loaded, named_above, the_config
from krm_fn.cli._outcome_lines import FAIL_ON, count, severities
from krm_fn.cli.command_result import CommandResult
from krm_fn.cli.files import LeftAlone, exists, find_files, missing
from krm_fn.cli.parser import CommandParser
from krm_fn.cli.report import (
    FindingReport,
    LineFinder,
    ReportEntry,
    add_report_options,
    entry_of,
    statistics,
    written,
)
from krm_fn.cli.selection import Selection, add_exclude_option, nothing_in, read_selected
from krm_fn.cli.writing import write_files
from krm_fn.config import KIND, ProxyConfig
from krm_fn.errors import DocumentError, UsageError
from krm_fn.krm.manifests import Manifests
from krm_fn.krm.masking import redact, shown_line
from krm_fn.krm.results import (
    ObjectRef,
    Result,
    Severity,
    and_more,
    are_severe,
    is_severe,
)
from krm_fn.lint.levels import Rules
from krm_fn.lint.manifests import Audit, audit, fixed_files, listed
from krm_fn.lint.objects import ONE_CAUSE, Listing
from krm_fn.lint.values import Problem, lint_list
from krm_fn.noproxy import Audience, ClusterNetwork, may_hold_a_credential, parse

_STDIN = "standard input"
_NO_PATH = (
    "inject-proxy lint: checked as a list of one entry, because there is no file or folder of this name",
)
_JUDGED = frozenset({LeftAlone.KUSTOMIZE, LeftAlone.RESOURCE_LIST})
"""What `run` leaves alone, because it edits whole objects, and what may say something about a proxy all the same."""


def parser() -> CommandParser:
    """Return the parser of this command."""
    command = CommandParser(
        "lint",
        usage=["[OPTIONS] TEXT", "[OPTIONS] PATH...", "[OPTIONS] -"],
        examples=[
            ('inject-proxy lint "10.0.0.0/8, .corp.example;*.example.com"', "check a list"),
            ("inject-proxy lint clusters/", "check the manifests of a folder"),
            ("inject-proxy lint --statistics .", "count the findings by rule"),
            ("inject-proxy lint --fix .", "do what the rules allow, in place"),
            ("kustomize build . | inject-proxy lint --fail-on warning -", "check a stream in CI"),
        ],
        notes=[
            (
                "TEXT is one NO_PROXY list, as a program gets it; a single name without a dot is a PATH, and with "
                "a comma behind it a list. PATH are files and folders with objects, workloads "
                "and ProxyConfigs in *.yaml, *.yml and *.json; `-` is the same on standard input, as YAML documents or "
                "a ResourceList. Of folders it reads and leaves alone what `inject-proxy run` does, but checks patches "
                "of kustomizations and ResourceLists, too."
            ),
            (
                "exit codes: 0 nothing of severity error (with `--fail-on warning`: error or warning) is left; "
                "1 something is; 2 wrong usage; 3 a bug of this program."
            ),
        ],
    )
    command.words("TEXT|PATH|-", "a list, files and folders, or standard input")
    command.add_argument(
        "--fix",
        action="store_true",
        help="do what the rules allow: fix objects in place; print a list, or standard input, fixed",
    )
    command.add_argument(
        "--consumer",
        choices=["node", "pod", "go"],
        default=Audience.NODE.value,
        help="who reads the list, of TEXT or of a ProxyConfig: node (default), pod or go; objects know it",
    )
    command.add_argument(
        "--config",
        metavar="FILE",
        default="",
        help="the ProxyConfig whose `lint`, `clusterDefaults` and `targets` count, if not the one of the manifests, or "
        "in a folder above them",
    )
    add_exclude_option(command)
    command.add_argument(
        "--statistics",
        action="store_true",
        help="print how many findings each rule has, in place of the findings; [*] marks what --fix corrects",
    )
    add_report_options(command)
    return command.common()


def run(arguments: list[str], read_stdin: Callable[[], bytes]) -> CommandResult:
    """Check a list, files or standard input, and fix them with ``--fix``.

    Args:
        arguments: those behind ``lint``.
        read_stdin: gives standard input; called only for ``-``.

    Raises:
        UsageError: an unknown option, no text and no path, or a path that does not exist.
        InputError, ConfigError: a file, or the ProxyConfig of ``--config``, is wrong.
        OutputError: a file cannot be written.
    """
    given = parser().parse(arguments)
    words = given.words
    if not words:
        raise UsageError(
            "a list, a path or `-` must be named: `inject-proxy lint --help` shows how"
        )
    if given.statistics and given.output not in ("text", "json"):
        raise UsageError("`--statistics` must be with `--output text` or `--output json`")
    path = given.config
    wanted = the_config(config_files(path), path=path) if path else None
    if len(words) == 1 and words[0] != "-" and not exists(words[0]):
        return _of_list(_as_list(words[0]), given, wanted or ProxyConfig())
    if "-" in words:
        if len(words) > 1:
            raise UsageError(
                "`-` must be the only argument: lint standard input and files one after the other"
            )
        stream = {_STDIN: read_stdin()}
        return _of_files(Selection(stream, stream), {_STDIN: [_STDIN]}, given, wanted)
    selection = read_selected(words, given.exclude, _JUDGED)
    by_path = {words[0]: list(selection.files)}
    if len(words) > 1:
        by_path = {word: find_files([word], given.exclude).names for word in words}
    return _of_files(selection, by_path, given, wanted)


def _as_list(text: str) -> str:
    """Return a text that is no path; raises UsageError for one that looks like a path: `prod`, `a/`, `a.yaml`."""
    if text != "localhost" and re.fullmatch(r"[^\W\d][\w-]{,254}", text):
        raise UsageError(
            f'there is no file or folder "{text}"; for a list of this one name write "{text},"'
        )
    is_path = re.search(r"^[./]*/|\.(ya?ml|json)$", text)
    if is_path or ("/" in text and re.fullmatch(r"[^0-9\[@:%\s,;|][^@:%\s,;|]*", text)):
        raise missing(text, "file or folder")
    return text


def _of_list(text: str, given: Namespace, wanted: ProxyConfig) -> CommandResult:
    network = wanted.cluster_defaults if wanted.cluster_defaults != ClusterNetwork() else None
    networks = (network,) if network else ()
    listing = Listing(Audience(given.consumer), networks, wanted.policy.max_length)
    corrected = listed(text, listing, has_proxy=True)
    judged = corrected if given.fix else text
    found = lint_list(
        judged, audience=listing.audience, network=network, max_length=listing.max_length
    )
    rules = Rules(wanted.lint)
    lines: list[str] = []
    entries: list[ReportEntry] = []
    for problem in found:
        severity = rules.severity(problem)
        if severity is not None:
            lines.append(_line_of_problem(severity, problem))
            entries.append(_problem_entry(severity, problem))
    if entries and corrected != judged:
        lines.append(f"fixed: {shown_line(corrected)}")
    fail_on = FAIL_ON[given.fail_on]
    exit_code = int(any(is_severe(entry.severity, fail_on) for entry in entries))
    judged_files = [] if entries else ["NO_PROXY"]
    report = _report(given, lines, lambda: FindingReport("lint", entries, judged_files, fail_on))
    if not given.fix:
        return CommandResult(report, _NO_PATH if parse(text) == (text,) else (), exit_code)
    if may_hold_a_credential(corrected):
        return CommandResult(
            b"",
            (
                *_lines(report),
                "[error] ListNotPrinted: the list is not printed, because it may hold a password",
            ),
            1,
        )
    printed = f"{corrected}\n".encode(errors="surrogateescape")
    return CommandResult(printed, _lines(report), exit_code)


def _line_of_problem(severity: Severity, found: Problem) -> str:
    """Return ``NP010 error "a;b": message -> fixed``; what is about the whole list has no entry and no fix."""
    subject = f' "{found.entry}"' if found.entry else ""
    corrected = f" -> {found.corrected}" if found.entry and found.corrected else ""
    return shown_line(f"{found.rule} {severity.value}{subject}: {found.message}{corrected}")


def _problem_entry(severity: Severity, found: Problem) -> ReportEntry:
    tags = {"rule": found.rule, "entry": found.entry, "corrected": found.corrected}
    data = {
        "message": shown_line(Result(severity, found.message, code=found.rule).text),
        "severity": severity.value,
        "tags": {key: redact(value) for key, value in tags.items() if value},
    }
    subject = shown_line(found.entry or "")
    return ReportEntry(severity, shown_line(found.message), found.rule, subject=subject, data=data)


def _of_files(
    selection: Selection,
    by_path: Mapping[str, Sequence[str]],
    given: Namespace,
    wanted: ProxyConfig | None,
) -> CommandResult:
    files = selection.manifests
    above = None if wanted else config_above(files, given.words, given.exclude)
    wanted = loaded(above, None) if above else wanted
    judge = fixed_files if given.fix else audit
    audience = Audience(given.consumer)
    done = judge(
        files, config=wanted, audience=audience, others=selection.others(), paths=selection.paths
    )
    pathless = [*_without_manifests(selection, by_path, done.read)]
    results = [*pathless, *_not_said_by(pathless, done.results)]
    fail_on = FAIL_ON[given.fail_on]

    def findings() -> FindingReport:
        finder = LineFinder({**files, **done.corrected})
        entries = [entry_of(result, finder) for result in results]
        return FindingReport("lint", entries, list(files), fail_on)

    report = _report(given, _texts(results, verbose=given.verbose), findings)
    exit_code = int(are_severe(results, fail_on))
    named = named_above(above, "lint") if above else []
    reported = (*named, *_summary(selection, done, results, given))
    if given.fix and _STDIN in files:
        corrected = done.corrected.get(_STDIN, files[_STDIN])
        return CommandResult(corrected, (*_lines(report), *reported), exit_code)
    write = partial(write_files, done.corrected, files) if given.fix else None
    return CommandResult(report, reported, exit_code, write)


def _report(given: Namespace, lines: Iterable[str], findings: Callable[[], FindingReport]) -> bytes:
    """Return the findings in the form that the options ask for."""
    if given.statistics:
        return statistics(findings().entries, given.output)
    return written(given.output, lines, findings)


def _without_manifests(
    selection: Selection, by_path: Mapping[str, Sequence[str]], read: Container[str]
) -> Iterator[Result]:
    """Yield a warning for each named path that holds no manifest: nothing was checked there, it may be misspelt.

    It is an error, as for `run`, where a file in it cannot be read.

    Raises:
        UsageError: standard input holds none.
    """
    for path, names in by_path.items():
        if any(name in read for name in names):
            continue
        part = selection.part(names)
        try:
            if part.holds_object(Manifests(part.manifests)):
                continue
        except DocumentError as error:
            ref = ObjectRef(file_path=error.file)
            message = f"a run ends here: {error.problem}"
            yield Result(Severity.ERROR, message, ref, code=error.code)
            continue
        if path == _STDIN:
            raise nothing_in(_STDIN)
        message = (
            "holds no manifest, so there was nothing to check: "
            "name a file, or a folder with *.yaml, *.yml or *.json"
        )
        ref = ObjectRef(file_path=path)
        yield Result(Severity.WARNING, message, ref, code="NoManifest")


def _not_said_by(said: Sequence[Result], results: Iterable[Result]) -> Iterator[Result]:
    """Yield the results but those about a file that ``said`` says with the same code."""
    known = {(one.ref.file_path, one.code) for one in said}
    for result in results:
        if (result.ref.file_path, result.code) not in known:
            yield result


def _texts(results: Iterable[Result], *, verbose: bool) -> list[str]:
    """Return a line for each result; without ``verbose`` one for all that have the same cause.

    That is the line of the ProxyConfig where it is among them.
    """
    causes: dict[object, list[Result]] = {}
    for result in results:
        has_cause = result.code in ONE_CAUSE and not verbose
        cause = (result.code, result.severity, result.fact) if has_cause else len(causes)
        causes.setdefault(cause, []).append(result)
    lines: list[str] = []
    for alike in causes.values():
        alike.sort(key=lambda one: one.ref.kind != KIND)
        line = alike[0].line_with_file()
        lines.append(f"{line} {and_more(alike)}" if len(alike) > 1 else line)
    return lines


def _summary(
    selection: Selection, done: Audit, results: Sequence[Result], given: Namespace
) -> tuple[str, ...]:
    """Return a line for each file that is corrected, but not for a stream, and the summary as the last one."""
    left_alone = selection.counts()
    unread = f" (left alone: {', '.join(left_alone)})" if left_alone else ""
    parts = [
        f"{count(len(selection.files), 'file')} read{unread}",
        f"{count(done.judged, 'object')} checked",
    ]
    if given.fix:
        parts.append(f"{count(len(done.corrected), 'file')} fixed")
    parts.append(severities(results, done.silenced))
    lines = selection.named(verbose=given.verbose)
    lines += [] if _STDIN in selection.files else [f"fixed {name}" for name in done.corrected]
    return (*lines, f"inject-proxy lint: {', '.join(parts)}")


def _lines(report: bytes) -> tuple[str, ...]:
    return tuple(report.decode(errors="replace").splitlines())
