"""``inject-proxy explain``: who gets which proxy, why each entry of NO_PROXY is there, and which programs honour it.

It reads what it is given and writes nothing.
"""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from krm_fn.cli._config import config_among, loaded, named_above
from krm_fn.cli._outcome_lines import count
from krm_fn.cli.command_result import CommandResult
from krm_fn.cli.files import LeftAlone, is_folder
from krm_fn.cli.parser import CommandParser
from krm_fn.cli.selection import Selection, add_exclude_option, read_selected
from krm_fn.config import Mode, ProxyConfig
from krm_fn.errors import ConfigError, InputError, UsageError
from krm_fn.explain import Explanation, compare, explain, html, svg, text, to_data
from krm_fn.krm.manifests import ManifestList, Manifests
from krm_fn.krm.results import Severity
from krm_fn.light_typing import Any
from krm_fn.near_names import did_you_mean
from krm_fn.pipeline import Outcome, run_checked
from krm_fn.plan import Overview, plan_edits
from krm_fn.printable import printable_json

_OUTPUTS: dict[str, Callable[[Explanation, bool], str]] = {
    "text": lambda explanation, verbose: text.render(explanation, verbose=verbose),
    "json": lambda explanation, _: printable_json(
        json.dumps(to_data(explanation), indent=2, ensure_ascii=False) + "\n"
    ),
    "html": lambda explanation, _: html.render(explanation),
    "svg": lambda explanation, _: svg.render(explanation),
}


def parser() -> CommandParser:
    """Return the parser of this command."""
    command = CommandParser(
        "explain",
        usage=[
            "[--config FILE] [--cluster NAME]... [--output text|json|html|svg] [PATH...]",
            "[--config FILE] [--exclude PATTERN]... [PATH...]",
            "[--config FILE] --diff OLD.yaml [PATH...]",
        ],
        examples=[
            ("inject-proxy explain .", "explain what a run would write"),
            ("inject-proxy explain --cluster prod/west .", "explain one Cluster"),
            ("inject-proxy explain --output html . > proxy.html", "the same as a page"),
            ("inject-proxy explain --output svg . > proxy.svg", "the overview as a picture"),
            (
                "inject-proxy explain --diff old-proxy.yaml --config proxy.yaml clusters/",
                "who gets another proxy than by an older ProxyConfig, and which nodes are rolled",
            ),
            ("kustomize build . | inject-proxy explain --config proxy.yaml", "explain a stream"),
        ],
        notes=[
            (
                "First comes an overview: Clusters, their parts, and the proxy of each. Then come the nodes that a "
                "run rolls or does not roll, its errors and warnings, and a block for each proxy; Clusters with equal "
                "answers are one group."
            ),
            (
                "With --diff, the manifests are first brought to what OLD.yaml declares, in memory; what is shown is "
                "what a run with the ProxyConfig changes then."
            ),
            (
                "Of folders it reads and leaves alone what `inject-proxy run` does; a ResourceList is read where it is "
                "named."
            ),
            "exit codes: 0 done; 1 the input is wrong; 2 wrong usage; 3 a bug of this program.",
        ],
    )
    command.words(
        "PATH",
        "files and folders of manifests, or a ResourceList; without one, standard input is read",
    )
    command.add_argument(
        "--config",
        metavar="FILE",
        default="",
        help="the ProxyConfig, where it is neither among the manifests nor in a folder above them",
    )
    command.add_argument(
        "--cluster",
        metavar="[NAMESPACE/]NAME",
        action="append",
        default=[],
        help="explain this Cluster only; may be repeated",
    )
    add_exclude_option(command)
    command.add_argument(
        "--diff",
        metavar="OLD.yaml",
        default="",
        help="a file with another ProxyConfig: explain what changes from that one",
    )
    command.add_argument(
        "--output",
        choices=list(_OUTPUTS),
        default="text",
        help="text (default) for a terminal, json for programs, html for one page that needs nothing else, svg for a "
        "picture of the overview",
    )
    return command.common(verbose="list every object, Cluster and finding in the text")


def run(arguments: list[str], read_stdin: Callable[[], bytes]) -> CommandResult:
    """Explain what a run would write.

    Args:
        arguments: those behind ``explain``.
        read_stdin: gives standard input; called only where no path is named.

    Raises:
        UsageError: an unknown option, no ProxyConfig, or several, or a Cluster that gets nothing.
        InputError, ConfigError: the input is wrong.
    """
    given = parser().parse(arguments)
    if given.diff and given.output == "svg":
        raise UsageError("`--output svg` must be without `--diff`: it is a picture of the overview")
    selection = _selected([word for word in given.words if word != "-"], given, read_stdin)
    manifests = Manifests(selection.manifests)
    selection.refuse_nothing(manifests)
    located, objects = config_among(manifests, selection, given.config, given.words, given.exclude)
    wanted = _as_injected(loaded(located, objects))
    if given.diff:
        old = _old_config(manifests, selection, given.diff)
        found = _compared(selection, wanted, old, given)
    else:
        found = _explained(selection.manifests, wanted, given.cluster, selection.paths)
    _refuse_unknown(given.cluster, found)
    # A terminal gets the bytes of a file name that is no UTF-8; JSON, HTML and SVG must be UTF-8.
    errors = "surrogateescape" if given.output == "text" else "backslashreplace"
    output = _OUTPUTS[given.output](found, given.verbose).encode(errors=errors)
    silenced = [f"inject-proxy explain: {found.silenced} silenced"] if found.silenced else []
    reported = [
        *named_above(located, "explain"),
        *silenced,
        *_left_alone(selection, verbose=given.verbose),
    ]
    return CommandResult(output, tuple(reported))


def _selected(paths: Sequence[str], given: Namespace, read_stdin: Callable[[], bytes]) -> Selection:
    """Return the manifests to explain; a ResourceList counts where it is named, as it does on standard input."""
    if not paths:
        stream = {"standard input": read_stdin()}
        return Selection(stream, stream)
    is_named = not any(map(is_folder, paths))
    return read_selected(paths, given.exclude, {LeftAlone.RESOURCE_LIST} if is_named else ())


def _left_alone(selection: Selection, *, verbose: bool) -> list[str]:
    """Return lines about the files that are not explained, with their number last; none where there are none."""
    counts = selection.counts()
    if not counts:
        return []
    read = count(len(selection.files), "file")
    summary = f"inject-proxy explain: {read} read; left alone: {', '.join(counts)}"
    return [*selection.named(verbose=verbose), summary]


def _as_injected(wanted: ProxyConfig) -> ProxyConfig:
    """Return a ProxyConfig whose changes are explained as if made."""
    return wanted._replace(mode=Mode.INJECT) if wanted.mode is Mode.CHECK else wanted


def _old_config(manifests: Manifests, selection: Selection, path: str) -> ProxyConfig:
    try:
        return _as_injected(loaded(*config_among(manifests, selection, path, (), ())))
    except ConfigError as error:
        raise ConfigError([f"{path}: {problem}" for problem in error.problems]) from None


def _compared(
    selection: Selection, wanted: ProxyConfig, old: ProxyConfig, given: Namespace
) -> Explanation:
    """Return what a run with ``wanted`` changes once the manifests hold what ``old`` declares."""
    files, paths = selection.manifests, selection.paths
    before = ManifestList(files)
    outcome = run_checked(before, old)
    errors = [one for one in outcome.results if one.severity is Severity.ERROR]
    if errors:
        raise InputError(f"a run with {given.diff} fails: {errors[0].line_with_file()}")
    changed = {name: content for name, content in before.changed.items() if content is not None}
    removed = {name for name, content in before.changed.items() if content is None}
    state = {name: content for name, content in {**files, **changed}.items() if name not in removed}
    return compare(
        _explained(state, old, given.cluster, paths),
        _explained(state, wanted, given.cluster, paths),
    )


def _explained(
    files: Mapping[str, bytes],
    wanted: ProxyConfig,
    asked: Sequence[str],
    paths: Mapping[str, str],
) -> Explanation:
    outcome: Outcome = run_checked(_UnwrittenList(files, paths), wanted)
    of_nodes = None
    if wanted.lint:  # a rule may silence the findings from which follows what happens to nodes
        unsilenced = run_checked(_UnwrittenList(files, paths), wanted._replace(lint={}))
        of_nodes = (*unsilenced.results, *unsilenced.silenced)
    elif outcome.silenced:
        of_nodes = (*outcome.results, *outcome.silenced)
    overview = Overview()
    places = list(plan_edits(Manifests(files), wanted, overview))
    found = explain(places, outcome.results, asked, of_nodes, overview)
    return replace(found, silenced=len(outcome.silenced))


class _UnwrittenList(ManifestList):
    """Files of which only the results of a run are wanted: their new text is not made."""

    def __init__(self, files: Mapping[str, bytes], paths: Mapping[str, str]) -> None:
        super().__init__(files)
        self.paths = paths

    def write(self, *_: Any) -> list[bytes]:
        """Return nothing, and change nothing."""
        return []


def _refuse_unknown(asked: Sequence[str], found: Explanation) -> None:
    names = {name for one in found.clusters for name in (one, one.rpartition("/")[2])}
    for name in asked:
        if name not in names:
            advice = did_you_mean(name, names, begin=": ")
            raise UsageError(f'no object of a Cluster "{name}" gets a proxy{advice}')
