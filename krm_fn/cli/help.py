"""``inject-proxy help``: the usage of a command, or the meaning of a code."""

from __future__ import annotations

import textwrap
from argparse import Namespace

from krm_fn.cli.parser import COMMANDS, main_parser, parser_of
from krm_fn.cli.streams import Answer
from krm_fn.errors import UsageError
from krm_fn.krm.codes import CODES, FIXED, OF_VALUES, Severity, explanations
from krm_fn.near_names import did_you_mean

_WIDTH = 100


def run(args: Namespace) -> Answer:
    """Print a help text."""
    if args.name is None:
        return Answer([main_parser().format_help().encode()])
    if args.name in COMMANDS:
        return Answer([parser_of(args.name).format_help().encode()])
    if args.name in CODES:
        return Answer([_about_code(args.name).encode()])
    advice = (
        did_you_mean(args.name, (*COMMANDS, *CODES)) or ": `inject-proxy --help` lists the commands"
    )
    raise UsageError(f'"{args.name}" is neither a command nor a code{advice}')


def _about_code(name: str) -> str:
    known = explanations()[name]
    parts = [f"{name} ({CODES[name].value})", known.meaning, f"Remedy: {known.remedy}"]
    if name in OF_VALUES and CODES[name] is Severity.ERROR:
        parts.append("In a run it is a warning, unless `spec.lint.rules` makes it an error.")
    if name in FIXED:
        parts.append("Nothing silences it.")
    else:
        spec = f'`spec: {{lint: {{rules: {{{name}: "Off"}}}}}}`'
        parts.append(f"To silence it, write {spec} into the ProxyConfig.")
    return "".join(f"{textwrap.fill(part, _WIDTH, break_long_words=False)}\n\n" for part in parts)
