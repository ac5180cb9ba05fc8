"""The KRM function: a ResourceList on standard input, the same list with the proxy on standard output."""

from __future__ import annotations

from krm_fn.cli import streams
from krm_fn.cli.lines import result_lines, severities
from krm_fn.cli.streams import Answer
from krm_fn.krm.codes import Severity
from krm_fn.krm.results import are_severe, count
from krm_fn.light_typing import Any
from krm_fn.pipeline.run import run as run_function


def run(args: Any = None) -> Answer:
    """Run the functionConfig of the list over it; ``args`` has the options, if there are some."""
    outcome = run_function(streams.read())
    lines = result_lines(outcome.results, verbose=args is not None and args.verbose)
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
