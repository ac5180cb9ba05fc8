"""``inject-proxy init``: a first ProxyConfig for a repository, made of what is there.

It looks at the manifests and at the variables of the shell, asks on a terminal what it cannot know, and writes one new
file. No password is written: a Secret holds it, and a comment has the command that creates one.
"""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from krm_fn import config
from krm_fn.cli._config import config_above
from krm_fn.cli._init_found import Found, document, entries_of, look, proxy_of
from krm_fn.cli._init_text import SECRET, Proposal, RunSummary, text
from krm_fn.cli._outcome_lines import count
from krm_fn.cli.command_result import CommandResult
from krm_fn.cli.files import LeftAlone, exists, is_folder, refuse_closed
from krm_fn.cli.parser import CommandParser
from krm_fn.cli.selection import Selection, add_exclude_option, read_selected
from krm_fn.cli.writing import write_files
from krm_fn.clusters.charts import APPLICATION, HELM_RELEASE
from krm_fn.config import ProxyConfig
from krm_fn.errors import UsageError
from krm_fn.krm.manifests import ManifestList, Manifests
from krm_fn.krm.masking import shown_line
from krm_fn.krm.results import ObjectRef, Result, Severity
from krm_fn.lint.manifests.reading import ManifestFiles
from krm_fn.pipeline import run_checked
from krm_fn.plan import Overview, plan_edits

_NAME = "proxy.yaml"
_MISSING = "NP038"
"""The rule of which the text has a part of its own."""
_NOT_CHOSEN = "ProxyFieldEmpty"
_KUSTOMIZATIONS = frozenset({"kustomization.yaml", "kustomization.yml"})
_MOST_ANSWERS = 3
"""How often a question is asked before the command gives up."""


def parser() -> CommandParser:
    """Return the parser of this command."""
    command = CommandParser(
        "init",
        usage=["[--yes|--print] [--exclude PATTERN]... [PATH]"],
        examples=[
            ("inject-proxy init", "look at the current folder, ask, and write proxy.yaml"),
            ("inject-proxy init --print clusters/", "show what would be written"),
            (
                "HTTPS_PROXY=http://proxy.example.com:3128 inject-proxy init --yes",
                "name the proxy, and ask nothing",
            ),
        ],
        notes=[
            (
                "It reads what `inject-proxy run` reads in PATH, and other files in the form of TKG, Giant Swarm or "
                "Konvoy Image Builder. The proxy with most places becomes that of `spec`. Another one becomes an "
                "override where Clusters, or rules of a policy, have it alone, and else a comment. HTTP_PROXY, "
                "HTTPS_PROXY and NO_PROXY of the shell count where no file names a proxy. A URL with a password is "
                "not written: a comment has the command that creates a Secret for it. With --print, a ProxyConfig "
                "may be there already."
            ),
            "exit codes: 0 done; 1 the input is wrong; 2 wrong usage; 3 a bug of this program.",
        ],
    )
    command.words("PATH", "the folder of the manifests; without one the current folder")
    command.add_argument(
        "--yes", action="store_true", help="ask nothing, and write proxy.yaml into PATH"
    )
    command.add_argument(
        "--print", action="store_true", help="ask nothing, print the ProxyConfig, and write nothing"
    )
    add_exclude_option(command)
    return command.common()


def run(arguments: list[str], read_stdin: Callable[[], bytes]) -> CommandResult:  # noqa: ARG001 -- all take the same arguments
    """Look at a folder, ask on a terminal, and write or print a ProxyConfig.

    Raises:
        UsageError: an unknown option, no folder, a file that is there already, or no terminal to ask on.
        InputError: a file cannot be read.
    """
    given = parser().parse(arguments)
    folder = _folder(given.words)
    file = os.path.normpath(Path(folder, _NAME))
    if not given.print and exists(file):
        raise UsageError(
            f'"{file}" exists, and is not overwritten: `--print` shows what would be in it'
        )
    asks = not (given.yes or given.print)
    if asks and not _is_terminal():
        raise UsageError(
            "there is no terminal to ask on: `--yes` writes the file without a question, and `--print` prints it"
        )
    selection = read_selected([folder], given.exclude, {LeftAlone.RESOURCE_LIST})
    manifests = ManifestFiles(selection.manifests)
    if not given.print:
        _refuse_second(manifests, selection, given)
    found = look(manifests, selection.others(), os.environ)
    proposal, nodes = _asked(found) if asks else (Proposal(found), [])
    for entry in nodes:
        proposal.main.entries.setdefault(entry)
    # The name of a file, in a comment, need not be UTF-8.
    written = _text(selection, found, proposal).encode(errors="backslashreplace")
    if given.print:
        return CommandResult(written, _summary(found))
    if asks and not _confirmed(f"Write {file}?"):
        return CommandResult(b"", ("inject-proxy init: nothing was written",))
    write = partial(write_files, {file: written}, {file: None})
    return CommandResult(
        b"", (*_summary(found), f"created {file}", *_next(proposal, given)), write=write
    )


def _refuse_second(manifests: ManifestFiles, selection: Selection, given: Namespace) -> None:
    """Raise UsageError where a run finds a ProxyConfig already, in the folder or above it."""
    there = manifests.configs[0] if manifests.configs else None
    there = there or config_above(selection.manifests, given.words, given.exclude)
    if there is not None:
        raise UsageError(
            f'"{there.ref.file_path}" holds a ProxyConfig already: `inject-proxy run --diff` shows what it '
            "changes, and `--print` what would be in a new one"
        )


def _folder(words: Sequence[str]) -> str:
    if len(words) > 1:
        raise UsageError("one folder must be named: its manifests get one ProxyConfig")
    folder = words[0] if words else "."
    if not is_folder(folder):
        refuse_closed(folder)
        raise UsageError(f'"{folder}" must be a folder: the one with the manifests')
    return folder


def _is_terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def _text(selection: Selection, found: Found, proposal: Proposal) -> str:
    """Return the text of the file, with what a run with it changes, and what no manifest says."""
    wanted = config.load(document(proposal.spec))
    targets: dict[str, int] = {}
    warnings: dict[str, int] = {}
    errors: dict[str, int] = {}
    missing: dict[str, list[str]] = {}
    charts: list[ObjectRef] = []
    if wanted is not None and selection.manifests:
        results = run_checked(
            ManifestList(selection.manifests, others=selection.others()), wanted
        ).results
        targets = _numbers((one.target, one.ref) for one in results if one.target and not one.code)
        warnings = _numbers(
            (one.code, one)
            for one in results
            if one.severity is Severity.WARNING and one.code != _MISSING
        )
        errors = _numbers((one.code, one) for one in results if one.severity is Severity.ERROR)
        missing = _missing(selection, wanted)
        charts = _charts(results)
    names = {Path(name).name for name in selection.files}
    return text(
        found,
        proposal,
        RunSummary(targets, warnings, errors, missing, charts),
        is_for_kustomize=not names.isdisjoint(_KUSTOMIZATIONS),
    )


def _numbers(pairs: Iterable[tuple[str, object]]) -> dict[str, int]:
    """Return how many different things each name has, the name with most first."""
    things: dict[str, list[object]] = {}
    for name, thing in pairs:
        of_name = things.setdefault(name, [])
        if thing not in of_name:
            of_name.append(thing)
    names = sorted(things, key=lambda name: (-len(things[name]), name))
    return {name: len(things[name]) for name in names}


def _charts(results: Iterable[Result]) -> list[ObjectRef]:
    """Return the objects with a chart that takes a proxy, and gets none because nobody chose it."""
    found: dict[ObjectRef, None] = {}
    for one in results:
        group_kind = (one.ref.api_version.partition("/")[0], one.ref.kind)
        if one.code == _NOT_CHOSEN and group_kind in (HELM_RELEASE, APPLICATION):
            found[one.ref] = None
    return list(found)


def _missing(selection: Selection, wanted: ProxyConfig) -> dict[str, list[str]]:
    """Return each fact that lists should cover and no manifest says, with the Clusters that lack it."""
    found: dict[str, list[str]] = {}
    for place in plan_edits(Manifests(selection.manifests), wanted, Overview()):
        for one in place.resolved.missing:
            clusters = found.setdefault(one.name, [])
            if one.cluster not in clusters:
                clusters.append(one.cluster)
    return found


def _summary(found: Found) -> tuple[str, ...]:
    """Return what was found, in one line."""
    proxies = [
        f"{shown_line(one.https)} in {count(len(one.places), 'place')}" for one in found.proxies
    ]
    parts = [count(len(found.clusters), "Cluster"), *(proxies or ["no proxy"])]
    return (f"inject-proxy init: found {', '.join(parts)}",)


def _next(proposal: Proposal, given: Namespace) -> tuple[str, ...]:
    """Return what to do next, the command last."""
    steps: list[str] = []
    if proposal.is_example:
        steps.append("first write the URL of your proxy into it")
    elif proposal.main.has_password:
        steps.append(f"first create the Secret {SECRET}, as its comments say")
    command = " ".join(["inject-proxy run --diff", *given.words])
    return (*steps, f"next: {command}")


# The questions on a terminal.


def _asked(found: Found) -> tuple[Proposal, list[str]]:
    """Return the proxy that a person chooses, and the networks of the nodes."""
    if found.proxies:
        proposal = Proposal(found, _chosen(found))
    else:
        proposal = Proposal(_named(found))
    nodes = _answer(
        "Networks of your nodes and of other hosts inside, such as 10.20.0.0/16, separated by commas [none]: "
    )
    return proposal, entries_of(nodes)


def _chosen(found: Found) -> int:
    """Return the number, from 0, of the proxy that is taken for all that no override names."""
    if len(found.proxies) == 1:
        return 0
    _say("These proxies are in use:")
    for number, one in enumerate(found.proxies, start=1):
        _say(f"  {number}) {shown_line(one.https)} in {count(len(one.places), 'place')}")
    for _ in range(_MOST_ANSWERS):
        answer = _answer("Which one is for all that have none of their own? [1] ") or "1"
        if answer.isascii() and answer.isdigit() and 1 <= int(answer) <= len(found.proxies):
            return int(answer) - 1
        _say(f"A number from 1 to {len(found.proxies)} is needed.")
    raise UsageError("no proxy was chosen")


def _named(found: Found) -> Found:
    """Return what was found with the proxy that a person types; none where the answer is empty."""
    for _ in range(_MOST_ANSWERS):
        answer = _answer("URL of the proxy, such as http://proxy.corp.example:3128 [later]: ")
        if not answer:
            return found
        proxy = proxy_of(answer)
        if proxy is not None:
            return Found([proxy], found.clusters, found.unclear)
        _say("That is no URL of a proxy: it must begin with http:// or https:// and name a host.")
    raise UsageError("no proxy was named")


def _confirmed(question: str) -> bool:
    return _answer(f"{question} [Y/n] ").lower() in ("", "y", "yes")


def _answer(question: str) -> str:
    """Return the line that a person types, without blanks around it; raises UsageError at the end of the input."""
    sys.stderr.write(question)
    sys.stderr.flush()
    line = sys.stdin.readline()
    if not line:
        raise UsageError("no answer came, so nothing was written: `--yes` asks nothing")
    return line.strip()


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
