"""``inject-proxy run``: what the function does to a list, done to files and folders, or to a stream of documents.

All objects of all files are one list, so that each object finds its Cluster. Files are written when everything else
has succeeded, and only those that change.
"""

from __future__ import annotations

import os
import shutil
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from krm_fn.cli._config import config_among, named_above
from krm_fn.cli._outcome_lines import FAIL_ON, count, outcome_lines, severities
from krm_fn.cli._progress import Progress
from krm_fn.cli.command_result import CommandResult, Write
from krm_fn.cli.files import (
    LeftAlone,
    absolute,
    common_folder,
    exists,
    find_files,
    is_folder,
    read_each,
)
from krm_fn.cli.parser import CommandParser
from krm_fn.cli.report import FindingReport, LineFinder, add_output_option, entry_of, written
from krm_fn.cli.selection import (
    Selection,
    add_exclude_option,
    kustomization_that_runs,
    kustomization_without,
    select,
    with_advice,
)
from krm_fn.cli.shard import Shard, shard_of
from krm_fn.cli.writing import new_folder, write_files
from krm_fn.config import names_of_only
from krm_fn.config.located import LocatedConfig
from krm_fn.errors import InputError, OutputError, UsageError
from krm_fn.krm.known_secrets import ProxyPasswords
from krm_fn.krm.manifests import ManifestList
from krm_fn.krm.results import Result, Severity, are_severe, in_order, is_severe
from krm_fn.light_typing import TYPE_CHECKING, Any, NamedTuple
from krm_fn.near_names import did_you_mean
from krm_fn.pipeline import CHANGE_DUE, Outcome, run_list

_DIFFS = ("auto", "full", "grouped")
"""The values of `--diff`."""

if TYPE_CHECKING:
    from krm_fn.cli._diff_summary import ReviewedList
    from krm_fn.plan.part import ListPart

_STDIN = "standard input"


def parser() -> CommandParser:
    """Return the parser of this command."""
    command = CommandParser(
        "run",
        usage=[
            "[--config FILE] [--only ID,...] [--exclude PATTERN]... [--diff[=FORM]] [PATH...]",
            "[--config FILE] --check [--output FORM] [PATH...]",
            "[--config FILE] --changed REV [--check | --diff] [PATH...]",
            "[--config FILE] --changed REV --among FOLDER [--check | --diff] [PATH...]",
            "[--config FILE] --output-dir DIR [PATH...]",
            "[--config FILE] --shard I/N [PATH...]",
            "--config FILE -",
        ],
        examples=[
            ("inject-proxy run clusters/ proxy.yaml", "write the proxy into all manifests"),
            ("inject-proxy run --diff --config proxy.yaml .", "show what would change"),
            (
                "inject-proxy run --diff=full --config proxy.yaml . | git apply",
                "the same as a patch; where it hides a credential it is none",
            ),
            ("inject-proxy run --check .", "in CI: fail where a manifest lacks the proxy"),
            (
                "inject-proxy run --check --output github .",
                "the same with annotations in GitHub Actions",
            ),
            (
                "inject-proxy run --check --changed origin/main .",
                "the same for what a pull request changes",
            ),
            (
                "kustomize build . | inject-proxy run --config proxy.yaml - | kubectl apply -f -",
                "edit a stream",
            ),
        ],
        notes=[
            (
                "The ProxyConfig is the one among the files, or the one of --config. Without either, it is the one in "
                "a folder above PATH, up to the root of the git repository, and standard error names it. Helm charts, "
                "patches and other inputs of kustomizations, ResourceLists, templates, other files that are no "
                "manifests, and links that lead out of PATH are left alone and counted; `--verbose` names them. Hidden "
                "files and what `.gitignore` and `.krmignore` name "
                "are not read; a file that is named itself is. What SOPS has encrypted counts as an object and is not "
                "edited."
            ),
            (
                "Files keep owner, mode and links. An object that the ProxyConfig makes inject-proxy create becomes a "
                "document at the end of the file of its Cluster; in JSON, a new file beside it. A generated policy "
                "gets a file of its own in the first folder that is named. Only an exit code of 0 means that something "
                "was written."
            ),
            (
                "With --changed all files are read, and those are edited and judged that differ from the commit REV of "
                "git, and those that depend on them: objects of the same Cluster, and what refers to a Secret, a "
                "template or a class that differs. Where that is not known, as with another ProxyConfig, ignore file "
                "or patch of a kustomization, it is all files. What REV had already is not reported where nothing "
                "about it changes. With --among the files of FOLDER are read, and each PATH counts as differing, too: "
                "a hook of pre-commit gets these names."
            ),
            (
                "With --shard each of N jobs, on the same commit and with the same PATH, reads all files and writes "
                "and reports those of its own: together they do what one run does. A file belongs to a job by the hash "
                "of its name. An error in any file makes every job fail. With --check or --diff a job edits only "
                "files of its own, the files of a Cluster belong to one job, and a job fails for what is its own, "
                "or for what stops every run."
            ),
            (
                "exit codes: 0 done; 1 an error in the input, a warning with `failOn: Warning`, or with --check "
                "something that would change, or must and cannot; nothing was written; 2 wrong usage; 3 a bug of this "
                "program; 130 interrupted."
            ),
        ],
    )
    command.words(
        "PATH", "files and folders; without one the current folder; `-` is a stream of documents"
    )
    command.add_argument("--config", metavar="FILE", help="the file that holds the ProxyConfig")
    command.add_argument(
        "--diff",
        nargs="?",
        choices=list(_DIFFS),
        const=_DIFFS[0],
        default="",
        help="print what would change as a patch, credentials masked; write nothing. full: every hunk, as `git apply` "
        "takes it; grouped: equal hunks once, with the list of files; auto (default): grouped on a terminal, else full",
    )
    command.add_argument(
        "--check",
        action="store_true",
        help="write nothing, and exit with 1 if something would change, or must and cannot",
    )
    add_output_option(command, "with --check, what is printed. ")
    command.add_argument(
        "--output-dir",
        metavar="DIR",
        help="write all files that were read into a new folder, and leave the others as they are",
    )
    add_exclude_option(command)
    command.add_argument(
        "--shard",
        metavar="I/N",
        help="be job I of N jobs that divide the files among them, such as 2/8",
    )
    command.add_argument(
        "--changed",
        metavar="REV",
        help="look only at files that differ from a git revision, and at what depends on them",
    )
    command.add_argument(
        "--among",
        metavar="FOLDER",
        help="with --changed, read this folder; PATH names files of it that count as differing, too",
    )
    command.add_argument(
        "--only",
        metavar="ID,...",
        action="append",
        default=[],
        help="only these targets or systems, in place of `spec.only`: nodes, kyverno, tkg ...; "
        "`inject-proxy targets` lists them",
    )
    command.add_argument(
        "--fail-on",
        choices=list(FAIL_ON),
        help="the least finding that makes the run fail, in place of `spec.failOn`",
    )
    return command.common(
        verbose="show every change on standard error, not only errors and warnings, and behind a diff the names of all "
        "objects"
    )


class _Done(NamedTuple):
    """What a run found: its ProxyConfig, the list with its changes, and the results of the files of its shard.

    ``holds`` says of a file whether it is one of the shard. ``failures_elsewhere`` counts findings in files of other
    shards that make every shard fail. ``summary`` are the lines of `--diff` for a reviewer.
    """

    config: LocatedConfig
    outcome: Outcome
    files: ManifestList
    selection: Selection
    shard: Shard
    holds: Callable[[str], bool]
    failures_elsewhere: int
    summary: Sequence[str] = ()
    differing: str = ""

    @property
    def exit_code(self) -> int:
        """Return 1 if something makes the run fail, in whichever shard it is; else 0."""
        return self.outcome.exit_code or int(self.failures_elsewhere > 0)

    @property
    def changed(self) -> dict[str, bytes | None]:
        """Return name -> new content of the files that change, None for a removal; nothing after an error."""
        before = self.selection.manifests
        return {
            name: content
            for name, content in sorted(self.files.changed.items())
            if content != before.get(name)
        }


def run(arguments: list[str], read_stdin: Callable[[], bytes]) -> CommandResult:
    """Edit files, or a stream.

    Args:
        arguments: those behind ``run``.
        read_stdin: gives standard input; called only for ``-``.

    Raises:
        UsageError: an unknown option, a path that does not exist, no ProxyConfig or several.
        InputError: an object that is to be changed cannot be read or edited.
        OutputError: a file cannot be written.
    """
    given = parser().parse(arguments)
    given.named = []
    if given.among:
        if not given.changed:
            raise UsageError("`--among` must be with `--changed`")
        given.named, given.words = given.words, [given.among]
    paths = given.words or ["."]
    is_stream = "-" in paths
    _refuse_contradictions(given, paths)
    done = _of_stream(given, read_stdin()) if is_stream else _of_files(given, paths)
    if given.check:
        done = done._replace(outcome=_as_check(done.outcome))
    changed = done.changed
    exit_code = done.exit_code or int(bool(given.check and changed))
    is_written = not (exit_code or given.diff or given.check)
    if given.diff:
        output, notes = _diff_of(done, changed, given.diff)
        done = done._replace(summary=(*done.summary, *notes))
    else:
        output = _report_of(done, given)
    write: Write | None = None
    if is_written and is_stream:
        output = changed.get(_STDIN, done.selection.files[_STDIN]) or b""
    elif is_written:
        write = _write_of(done, changed, given, paths)
    reported = _lines(done, changed, given, is_written=is_written)
    return CommandResult(output, reported, exit_code, write)


def _refuse_contradictions(given: Namespace, paths: Sequence[str]) -> None:
    """Raise UsageError for options that exclude each other, or do not fit the paths."""
    if given.output_dir and (given.check or given.diff):
        raise UsageError(
            "`--output-dir` must be without `--check` and `--diff`, which write nothing"
        )
    if given.output != "text" and (given.diff or not given.check):
        raise UsageError("`--output` must be with `--check`, and without `--diff`")
    if "-" in paths:
        if len(paths) > 1:
            raise UsageError("`-` must be the only path: all objects must come on standard input")
        if given.output_dir:
            raise UsageError("`--output-dir` must be without `-`, which writes to standard output")
        if given.shard:
            raise UsageError("`--shard` must be without `-`: it divides files, and a stream is one")
        if given.changed:
            raise UsageError("`--changed` must be without `-`: a stream has no revision")
    if given.changed and (given.shard or given.output_dir):
        raise UsageError("`--changed` must be without `--shard` and `--output-dir`")
    for path in paths if given.output_dir else ():
        new = Path(os.path.realpath(given.output_dir))
        if is_folder(path) and new.is_relative_to(os.path.realpath(path)):
            raise UsageError(
                f'`--output-dir` must name a folder outside of "{path}", which is read: '
                "the next run would read the copies as well"
            )


def _of_stream(given: Namespace, content: bytes) -> _Done:
    stream = {_STDIN: content}
    # An orchestrator sends a ResourceList, and its answer has another form.
    if select(stream).left_alone.get(_STDIN) is LeftAlone.RESOURCE_LIST:
        raise UsageError(
            "standard input is a ResourceList: run `inject-proxy` without `run`, which answers with one"
        )
    return _edited(Selection(stream, stream), given, Progress(0), Shard(1, 1, Path()))


def _of_files(given: Namespace, paths: Sequence[str]) -> _Done:
    shard = shard_of(given.shard or "1/1", common_folder(paths))
    found = find_files(paths, given.exclude)
    progress = Progress(len(found.names))
    try:
        selection = select(read_each(found.names, progress.read), listed=found)
        done = _edited(selection, given, progress, shard, folder=_folder_of(paths[0]))
    finally:
        progress.end()
    _refuse_existing(done, done.changed)
    return done


def _write_of(
    done: _Done, changed: Mapping[str, bytes | None], given: Namespace, paths: Sequence[str]
) -> Write:
    """Return what writes the files: those that change, or all of the shard into a new folder."""
    files = done.selection.files
    if not given.output_dir:
        originals = {name: files.get(name) for name in changed}
        instead = "" if given.changed else ", or let `--output-dir` write copies"
        return partial(write_files, changed, originals, instead=instead)
    own = {name: content for name, content in files.items() if done.holds(name)}
    return partial(_write_folder, Path(given.output_dir), {**own, **changed}, paths)


def _refuse_existing(done: _Done, changed: Mapping[str, bytes | None]) -> None:
    """Raise InputError if a new object would overwrite a file that the run does not read as manifests.

    Some file systems take names that differ only in capital letters for one file, and names of new files have none.
    """
    in_folders: dict[Path, dict[str, Path]] = {}
    for name in done.files.created.values():
        if name not in changed or name in done.selection.manifests:
            continue
        folder = Path(name).parent
        if folder not in in_folders:
            in_folders[folder] = {one.name.lower(): one for one in folder.iterdir()}
        existing = in_folders[folder].get(Path(name).name)
        if existing is not None:
            raise InputError(
                f'"{existing}" exists, and a new object would be written into a file of that '
                "name: rename that file"
            )


def _folder_of(path: str) -> str:
    """Return the folder that a path is or is in, as the names of files begin with it; "" is the current one."""
    folder = Path(path) if is_folder(path) else Path(path).parent
    return "" if folder == Path() else str(folder)


def _edited(
    selection: Selection,
    given: Namespace,
    progress: Progress,
    shard: Shard,
    folder: str | None = None,
) -> _Done:
    """Return what the run makes of the manifests; nothing is written. ``folder`` is as in ``ManifestList``."""
    of_files = selection.manifests, shard.holds, folder, selection.others()
    files = ManifestList(*of_files)
    reviewed: ReviewedList | None = None
    if given.diff:
        from krm_fn.cli._diff_summary import ReviewedList  # noqa: PLC0415 -- other runs are faster

        files = reviewed = ReviewedList(*of_files)
    files.paths = selection.paths
    selection.refuse_nothing(files)
    progress.look(len(files))
    found, objects = config_among(files, selection, given.config or "", given.words, given.exclude)
    files.function_config = _with_only(found.data, given.only)
    files.repeated_in_function_config = found.repeated
    part, holds = _part(given, selection, files, found, shard)
    files.is_written = holds
    try:
        observe = reviewed.observe if reviewed is not None else None
        outcome = run_list(files, objects, observe, part)
    except InputError as error:
        raise with_advice(error) from None
    if given.check:
        outcome = _with_silenced_stale(outcome)
    outcome = outcome._replace(
        results=tuple(_with_file(result, found, files) for result in outcome.results),
        fail_on=FAIL_ON[given.fail_on] if given.fail_on else outcome.fail_on,
    )
    own, elsewhere = _divided(outcome.results, files, selection, shard, holds)
    failures = sum(is_severe(result.severity, outcome.fail_on) for result in elsewhere)
    summary: Sequence[str] = ()
    if reviewed is not None:
        summary = reviewed.summary(ProxyPasswords(outcome.proxy_urls), verbose=given.verbose)
    outcome = outcome._replace(results=tuple(own))
    failures = 0 if part else failures
    differing = _differing(part) if given.changed else ""
    return _Done(found, outcome, files, selection, shard, holds, failures, summary, differing)


def _part(
    given: Namespace,
    selection: Selection,
    files: ManifestList,
    found: LocatedConfig,
    shard: Shard,
) -> tuple[ListPart | None, Callable[[str], bool]]:
    """Return the part of the files that is edited, None for all, and what says whether a file is written and reported.

    A shard that writes edits all files: an error in any of them must keep each shard from writing.
    """
    if given.changed:
        from krm_fn.cli._changed import changed_part  # noqa: PLC0415 -- starts processes

        return changed_part(given, selection, files, found), shard.holds
    if shard.number > 1 and (given.check or given.diff):
        from krm_fn.plan.part import OfShard  # noqa: PLC0415 -- few runs are divided

        part = OfShard(
            files,
            shard.holds,
            shard.holds_text,
            found.ref.file_path,
            is_first=shard.index == 1,
        )
        return part, part.is_own
    return None, shard.holds


def _differing(part: ListPart | None) -> str:
    """Return how many files differ from the revision of `--changed`, for the last line."""
    from krm_fn.plan.part import Changed  # noqa: PLC0415 -- few runs ask for it

    if not isinstance(part, Changed):
        return "`--changed`: any file may differ, so all count"
    return (
        f"`--changed`: {count(part.number, 'file')} {'differs' if part.number == 1 else 'differ'}"
    )


def _divided(
    results: Sequence[Result],
    files: ManifestList,
    selection: Selection,
    shard: Shard,
    holds: Callable[[str], bool],
) -> tuple[list[Result], list[Result]]:
    """Return the results that a shard reports, and those that others do.

    The first shard reports what is about none of the manifests.
    """
    own: list[Result] = []
    elsewhere: list[Result] = []
    for result in results:
        name = files.owners.get(result.ref.file_path, result.ref.file_path)
        is_own = holds(name) if name in selection.manifests else shard.index == 1
        (own if is_own else elsewhere).append(result)
    return own, elsewhere


def _with_only(function_config: Any, given: Sequence[str]) -> Any:
    """Return a ProxyConfig with the names of ``--only`` in place of its own.

    Raises:
        UsageError: a name is none of a target or system.
    """
    asked = [name.strip() for text in given for name in text.split(",") if name.strip()]
    if given and not asked:
        raise UsageError("`--only` must name targets or systems; leave it out for all of them")
    known = names_of_only()
    for name in asked:
        if name not in known:
            names = f"; known are {', '.join(known)}"
            advice = did_you_mean(name, known, begin=": ", otherwise=names)
            raise UsageError(
                f'`--only` must name targets or systems, and "{name}" is neither{advice}'
            )
    spec = function_config.get("spec") if isinstance(function_config, dict) else None
    if not asked or not isinstance(spec, dict):
        return function_config
    return {**function_config, "spec": {**spec, "only": asked}}


def _with_file(result: Result, found: LocatedConfig, files: ManifestList) -> Result:
    """Return a result about the ProxyConfig, or about an object that is created, with the name of its file."""
    ref = result.ref
    if ref in files.created:
        return result._replace(ref=ref._replace(file_path=files.created[ref]))
    if ref.file_path or (ref.kind, ref.name) != (found.ref.kind, found.ref.name):
        return result
    return result._replace(
        ref=ref._replace(file_path=found.ref.file_path, file_index=found.ref.file_index)
    )


def _with_silenced_stale(outcome: Outcome) -> Outcome:
    """Return the outcome with the findings that fail a check, though somebody silences them or switches them off."""
    stale = [result for result in outcome.silenced if result.is_stale]
    stale += outcome.switched_off
    if not stale:
        return outcome
    silenced = tuple(result for result in outcome.silenced if not result.is_stale)
    found = in_order([*outcome.results, *stale])
    return outcome._replace(results=tuple(found), silenced=silenced)


def _as_check(outcome: Outcome) -> Outcome:
    """Return the outcome with an error for each change, and for each that is due and impossible."""
    return outcome._replace(results=tuple(map(_change_as_error, outcome.results)))


def _change_as_error(result: Result) -> Result:
    """Return an error for a change that was not made, and any other result as it is; only a change has no code."""
    if result.is_stale:
        return result._replace(severity=Severity.ERROR)
    if result.severity is not Severity.INFO or result.code:
        return result
    message = (
        f"{result.message}: not done, because `--check` changes nothing; `inject-proxy run` does it"
    )
    return result._replace(severity=Severity.ERROR, message=message, code=CHANGE_DUE)


def _lines(
    done: _Done, changed: Mapping[str, bytes | None], given: Namespace, *, is_written: bool
) -> tuple[str, ...]:
    """Return the lines for standard error, the summary last."""
    outcome = done.outcome
    reported: list[str] = []
    if given.output == "text":
        reported = done.selection.named(verbose=given.verbose)
        reported += outcome_lines(
            outcome.results, verbose=given.verbose, line=Result.line_with_file
        )
    if _STDIN not in done.selection.manifests:
        for name, content in changed.items():
            reported += _lines_of_file(
                name, done.selection.manifests.get(name), content, is_written=is_written
            )
    reported += done.summary if changed else ()
    if outcome.exit_code and not are_severe(outcome.results, Severity.ERROR):
        reported.append(
            "inject-proxy run: failed because of the warnings, as `failOn` says; nothing was written"
        )
    if done.failures_elsewhere:
        found = count(done.failures_elsewhere, "finding")
        reported.append(
            f"inject-proxy run: failed because of {found} in files of other shards; nothing was written"
        )
    reported += _about_build(done) if given.check and changed else ()
    reported += named_above(done.config, "run")
    reported.append(_summary(done, len(changed), is_written=is_written))
    return tuple(reported)


def _about_build(done: _Done) -> Iterator[str]:
    """Yield the line about a check of sources to which only a build of kustomize adds the proxy."""
    kustomization = kustomization_that_runs(done.config.ref.file_path or _STDIN)
    if kustomization is not None:
        yield (
            f"inject-proxy run: {kustomization} has the ProxyConfig under `transformers`, so a build adds the proxy: "
            "check what is built, `kustomize build ... | inject-proxy run --check --config FILE -`"
        )


def _lines_of_file(
    name: str, before: bytes | None, after: bytes | None, *, is_written: bool
) -> Iterator[str]:
    """Yield what happens to a file that changes, and the kustomization that must list a new one."""
    if after is None:
        verb = "remove"
    elif before is None:
        verb = "create"
    else:
        verb = "change"
    yield f"{verb}d {name}" if is_written else f"would {verb} {name}"
    kustomization = kustomization_without(name) if verb == "create" else None
    if kustomization is not None:
        yield f"add {name} to `resources` in {kustomization}, which does not list it"


def _summary(done: _Done, changed: int, *, is_written: bool) -> str:
    """Return the last line: how many files and documents were read, and how many files change."""
    outcome, manifests = done.outcome, done.selection.manifests
    parts = [f"{count(len(done.selection.files), 'file')} read"]
    if done.shard.number > 1:
        own = sum(done.holds(name) for name in manifests)
        parts.append(f"shard {done.shard}: {count(own, 'manifest file')}")
    if done.differing:
        parts.append(done.differing)
    left_alone = done.selection.counts()
    if left_alone:
        parts.append(f"left alone: {', '.join(left_alone)}")
    parts.append(count(outcome.items, "document"))
    if not changed and any(map(_stops_changes, outcome.results)):
        parts.append("no change was worked out, because of the errors")
    else:
        parts[-1] += f", {count(changed, 'file')} {'changed' if is_written else 'would change'}"
    parts.append(severities(outcome.results, outcome.silenced))
    return f"inject-proxy run: {'; '.join(parts)}"


def _stops_changes(result: Result) -> bool:
    """Return whether a result is an error for which a run changes nothing; that a check found one due is none."""
    is_of_check = result.code == CHANGE_DUE or result.is_stale
    return result.severity is Severity.ERROR and not is_of_check


def _report_of(done: _Done, given: Namespace) -> bytes:
    """Return the report of a check for programs; nothing where `--output` is text."""

    def findings() -> FindingReport:
        finder = LineFinder(done.selection.manifests)
        entries = [
            entry_of(result, finder)
            for result in done.outcome.results
            if given.verbose or result.severity is not Severity.INFO
        ]
        files = [name for name in done.selection.manifests if done.holds(name)]
        return FindingReport("run", entries, files, done.outcome.fail_on)

    return written(given.output, (), findings)


def _diff_of(
    done: _Done, changed: Mapping[str, bytes | None], form: str
) -> tuple[bytes, list[str]]:
    """Return the diff in a form of `--diff`, and the lines that say how it is no patch to apply."""
    from krm_fn.cli.diff import Diff  # noqa: PLC0415 -- only `--diff` needs it

    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    has_colours = (
        is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )
    before = done.selection.manifests
    files = {name: (before.get(name), content) for name, content in changed.items()}
    diff = Diff(files, ProxyPasswords(done.outcome.proxy_urls), has_colours=has_colours)
    is_grouped = form == "grouped" or (form == "auto" and is_terminal)
    is_grouped = is_grouped and diff.has_equal_hunks
    lines = diff.grouped() if is_grouped else diff.full()
    output = "".join(f"{line}\n" for line in lines).encode(errors="surrogateescape")
    notes = []
    if is_grouped:
        notes.append("the diff shows equal hunks once, and is no patch: `--diff=full` shows all")
    if diff.hidden:
        hidden = count(diff.hidden, "line")
        notes.append(f"the diff hides credentials in {hidden}, and is no patch there")
    return output, notes


def _write_folder(
    folder: Path,
    files: Mapping[str, bytes | None],
    paths: Sequence[str],
    flush: Callable[[], object],
) -> None:
    """Write files into a new folder, which has its name once all of them are in it and ``flush`` was called.

    Raises:
        UsageError: the folder exists and holds something.
        OutputError: it cannot be written; nothing is left of it.
    """
    base = common_folder(paths)
    new = None
    parent = folder.absolute().parent
    try:
        if exists(str(folder)) and (not folder.is_dir() or any(folder.iterdir())):
            raise UsageError(f'"{folder}" must not exist, or be an empty folder')
        parent.mkdir(parents=True, exist_ok=True)
        new = new_folder(parent)
        for name, content in files.items():
            if content is None:
                continue
            file = new / absolute(name).relative_to(base)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            if Path(name).exists():
                shutil.copymode(name, file)
        flush()
        new.replace(folder)
    except OSError as error:
        raise OutputError(
            f'"{folder}" cannot be written: {error.strerror}; nothing was written'
        ) from None
    finally:
        if new is not None:
            shutil.rmtree(new, ignore_errors=True)
