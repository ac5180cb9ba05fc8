"""The KRM function: a ResourceList on standard input, the same list with the proxy on standard output."""

from __future__ import annotations

from krm_fn.cli import streams
from krm_fn.cli.report import severities
from krm_fn.cli.streams import Answer
from krm_fn.krm.codes import Severity
from krm_fn.krm.results import are_severe, by_importance, count, severe
from krm_fn.krm.results import lines as lines_of
from krm_fn.light_typing import Any
from krm_fn.pipeline.run import run as run_function


def run(args: Any = None) -> Answer:
    """Run the functionConfig of the list over it; ``args`` has the options, if there are some."""
    outcome = run_function(streams.read())
    # An orchestrator shows the names of files by itself.
    lines = lines_of(severe(outcome.results))
    if args is not None and args.verbose:
        lines = [result.line() for result in by_importance(outcome.results)]
    if outcome.left:
        lines.append(f"inject-proxy: {outcome.left}")
    lines.append(
        f"inject-proxy: {count(outcome.items, 'item')} read, {outcome.changed} changed, "
        f"{severities(outcome.results, outcome.silenced)}"
    )
    if outcome.exit_code and not are_severe(outcome.results, Severity.ERROR):
        lines.append(
            "inject-proxy: failed because of the warnings, as `failOn` says; kustomize and kpt discard the output"
        )
    return Answer(outcome.pieces, lines, outcome.exit_code)
