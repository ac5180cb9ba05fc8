"""``inject-proxy run``: run the function over files and folders, or over a stream of documents.

All objects of all files are one list, so that each object finds its Cluster.
"""

from __future__ import annotations

import os
import shlex
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

from krm_fn.cli import streams
from krm_fn.cli.config import find_config
from krm_fn.cli.files import real_path
from krm_fn.cli.report import kind_lines, report, severities
from krm_fn.cli.selection import Selection, is_resource_list, kustomization_without, select
from krm_fn.cli.streams import STDIN, Answer
from krm_fn.config import names_of_only
from krm_fn.config.located import LocatedConfig
from krm_fn.errors import UsageError
from krm_fn.krm.codes import Severity
from krm_fn.krm.manifests import ContentChange, FileChanges, Manifests
from krm_fn.krm.resourcelist import function_config
from krm_fn.krm.results import ObjectRef, are_severe, count
from krm_fn.light_typing import Any, Fields
from krm_fn.near_names import did_you_mean
from krm_fn.patch import lookup
from krm_fn.pipeline.covered import covered, covered_lines
from krm_fn.pipeline.outcome import CHANGE_DUE, Outcome
from krm_fn.pipeline.run import run_list

# So many changed files are named, as in a diff; of more, the summary says the number.
_MANY_FILES = 10


def run(args: Namespace) -> Answer:
    """Edit files or a stream, or report the edits that would be made."""
    _refuse_contradictions(args)
    selection = select(args.paths, args.exclude)
    files = selection.documents()
    found = find_config(files, selection, args.config)
    _refuse_other_input(args, selection, files, found)
    config = function_config(_with_options(found.data, args))
    outcome = run_list(files, config, found.objects)
    if args.fail_on:
        outcome = outcome._replace(fail_on=Severity(args.fail_on))
    refs = {config.ref: found.ref}
    changes = _changes(args, files, outcome, refs)
    results = [
        found.placed(result._replace(ref=refs.get(result.ref, result.ref)))
        for result in outcome.results
    ]
    would = "would be " if outcome.exit_code or args.check or args.diff else ""
    lines = selection.lines(verbose=args.verbose)
    if args.output == "text":
        lines += kind_lines(results, verbose=args.verbose)
    if not selection.is_stream:
        is_short = not args.verbose and (args.diff or len(changes) > _MANY_FILES)
        lines += _lines_about_files(changes, would, is_short=is_short)
    is_planned = not any(result.code == "ConfigInvalid" for result in results)
    if is_planned and not args.quiet:
        rows = covered(outcome, files, named=args.verbose)
        lines += covered_lines(rows, verbose=args.verbose)
    lines += _summary(args, outcome, selection, f"{count(len(changes), 'file')} {would}changed; ")
    output = b""
    written: FileChanges = {}
    if args.diff:
        from krm_fn.cli.diff import diff_of  # noqa: PLC0415 -- only `--diff` needs it

        urls = outcome.overview.config.proxy_urls
        output, hidden = diff_of(changes, urls, is_grouped=args.grouped)
        if hidden:
            lines.append(
                f"the diff hides credentials in {count(hidden, 'line')}, so that `git apply` refuses it: "
                "`inject-proxy run` writes the files"
            )
    elif args.output != "text":
        output = report(args.output, "run", results, files, outcome.fail_on)
    elif not would and selection.is_stream:
        output = selection.files[STDIN]
        if changes:
            output = changes[STDIN].new or b""
    if not would and not selection.is_stream:
        written = _written(args, selection, changes)
    return Answer([output], [*lines, *found.lines()], outcome.exit_code, written)


def _summary(
    args: Namespace, outcome: Outcome, selection: Selection, changed: str
) -> Iterator[str]:
    if outcome.exit_code and not are_severe(outcome.results, Severity.ERROR):
        yield "failed because of the warnings, as `failOn` says; nothing was written"
    if args.check:  # it works out no files: each change is an error
        changed = ""
    yield (
        f"inject-proxy run: {selection.counts()}, {count(outcome.items, 'document')}; {changed}"
        f"{severities(outcome.results, outcome.silenced)}"
    )
    codes = {result.code for result in outcome.results if result.severity is Severity.ERROR}
    if codes == {CHANGE_DUE} and not selection.is_stream:
        words = [word for word in args.command_line if word != "--check"]
        exposed = any(result.code == "PasswordExposed" for result in outcome.results)
        then = "do not commit before the password is out of them" if exposed else "commit"
        yield f"run `inject-proxy {shlex.join(words)}`, look at `git diff`, {then}"


def _refuse_contradictions(args: Namespace) -> None:
    if [args.diff, args.check, bool(args.output_dir)].count(True) > 1:
        raise UsageError("`--diff`, `--check` and `--output-dir` exclude each other")
    if args.output != "text" and (args.diff or ("-" in args.paths and not args.check)):
        raise UsageError("`--output` excludes `--diff`, and with `-` it needs `--check`")
    if args.grouped and not args.diff:
        raise UsageError("`--grouped` must be with `--diff`")
    if not (args.paths or args.check or args.diff) and streams.is_piped():
        raise UsageError(
            "name `-` to read standard input, or `.` to write the files of this folder"
        )
    if args.output_dir and "-" in args.paths:
        raise UsageError("`--output-dir` must be without `-`, which writes to standard output")


def _refuse_other_input(
    args: Namespace, selection: Selection, files: Manifests, found: LocatedConfig
) -> None:
    if is_resource_list(selection.files.get(STDIN, b"").decode(errors="replace")):
        raise UsageError("standard input is a ResourceList: run `inject-proxy` without a command")
    if args.check and len(files) == 1 and found.file in files.files:
        raise UsageError(
            "there is no manifest but the ProxyConfig: name the folder that holds them"
        )


def _changes(
    args: Namespace, files: Manifests, outcome: Outcome, refs: dict[ObjectRef, ObjectRef]
) -> FileChanges:
    """Return the files that change, by name; note in ``refs`` in which file a new object is."""
    if not outcome.changes:
        return {}
    folder = _folder(args)
    for new in outcome.changes.created:
        refs[new.ref] = new.ref._replace(file_path=files.file_of_new(new, folder))
    return files.changed_files(outcome.changes, folder)


def _folder(args: Namespace) -> str | None:
    """Return the first folder of a command line, where objects that belong beside no other get a file."""
    if "-" in args.paths:
        return None
    path = os.path.normpath(args.paths[0]) if args.paths else "."
    folder = path if os.path.isdir(path) else os.path.dirname(path)
    return "" if folder == "." else folder


def _lines_about_files(changes: FileChanges, would: str, *, is_short: bool) -> Iterator[str]:
    """Yield a line for each file that is created, removed or, unless there are many of them, changed."""
    for name, change in changes.items():
        if change.old is None:
            yield f"{would}created: {name}"
            kustomization = kustomization_without(name)
            if kustomization:
                yield f"add {name} to `resources` in {kustomization}"
        elif change.new is None:
            yield f"{would}removed: {name}"
        elif not is_short:
            yield f"{would}changed: {name}"


def _with_options(function_config: Any, args: Namespace) -> Any:
    """Return a ProxyConfig with the values of `--only` and `--check` in the place of its own."""
    spec = lookup(function_config, "spec")
    if not isinstance(spec, dict):
        return function_config
    options: Fields = {}
    if args.only:
        options["only"] = _only(args)
    if args.check:
        if spec.get("mode") == "Remove":
            raise UsageError(
                "`--check` must be without `spec.mode: Remove`: `--diff` shows what it removes"
            )
        if spec.get("mode", "Inject") == "Inject":  # a wrong word stays, and is an error
            options["mode"] = "Check"
    return {**function_config, "spec": {**spec, **options}}


def _only(args: Namespace) -> list[str]:
    """Return the targets and systems of `--only`."""
    names = [name.strip() for name in ",".join(args.only).split(",")]
    known = names_of_only()
    for name in names:
        if name not in known:
            advice = did_you_mean(name, known) or "; `inject-proxy targets` lists them"
            raise UsageError(f'`--only` must name targets or systems, not "{name}"{advice}')
    return names


def _written(args: Namespace, selection: Selection, changes: FileChanges) -> FileChanges:
    """Return the changes by path; for the folder of `--output-dir`, all files that were read as new ones in it."""
    if not args.output_dir:
        paths = selection.paths
        return {paths.get(name) or real_path(name): change for name, change in changes.items()}
    folder = Path(os.path.realpath(args.output_dir))
    base = selection.folder
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f'"{folder}" must not exist, or be an empty folder')
    if folder.is_relative_to(base):
        raise UsageError(f'"{folder}" must be outside of the folders that are read')
    unchanged = {name: ContentChange(None, content) for name, content in selection.files.items()}
    copies = {}
    for name, change in {**unchanged, **changes}.items():
        if change.new is not None:
            copy = folder / os.path.relpath(os.path.realpath(name), base)
            copies[str(copy)] = ContentChange(None, change.new)
    return copies
