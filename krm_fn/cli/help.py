"""``inject-proxy help``: what there is, the help text of one command, or what a code means."""

from __future__ import annotations

import importlib
import textwrap
from collections.abc import Callable

from krm_fn.cli._outcome_lines import FAIL_ON
from krm_fn.cli.command_result import CommandResult
from krm_fn.cli.commands import MODULES, SUMMARIES
from krm_fn.cli.parser import CommandParser
from krm_fn.errors import UsageError
from krm_fn.krm.codes import CODES, FIXED
from krm_fn.krm.messages import address, explanations
from krm_fn.krm.results import Severity
from krm_fn.near_names import did_you_mean
from krm_fn.noproxy.lint_rules import RULES

_HEAD = """\
inject-proxy: writes a corporate HTTP proxy into every Kubernetes manifest that needs to know it.

  kustomize build --enable-alpha-plugins --enable-exec .    # proxy.yaml under `transformers`
  kpt fn render --allow-exec                                # proxy.yaml in `configPath` of a mutator
  inject-proxy run --diff .                                 # files and folders, without either of them

Without a command it is a KRM function: it reads a ResourceList on standard input, does what the
functionConfig in it declares, and writes the list back to standard output.

usage: inject-proxy [--fail-on error|warning] [--verbose] [--traceback] < resourcelist.yaml
       inject-proxy COMMAND [--help] ...
       inject-proxy --help | --version

commands:

"""
_TAIL = """
proxy.yaml:

  apiVersion: fn.inject-proxy.io/v1alpha1
  kind: ProxyConfig
  metadata:
    name: proxy
    annotations:
      config.kubernetes.io/function: "exec: {path: inject-proxy}"   # for kustomize
  spec:
    httpProxy: http://proxy.example.com:3128
    httpsProxy: http://proxy.example.com:3128
    noProxy: [10.0.0.0/8, .corp.example.com]
    mode: Inject            # or Remove, or Check (change nothing, fail if something would change)

A ConfigMap with the same keys under `data` works too, in kustomize and kpt. Colours are used on a
terminal only, and not with the variable NO_COLOR.

exit codes: 0 done; 1 an error in the input, shown on standard error and in `results`, or a warning
with `--fail-on warning`; 2 wrong usage; 3 a bug of this program; 130 interrupted.

examples:

  # what a command does
  inject-proxy help run
  # what a message means, and how to silence it
  inject-proxy help NodesNotRolled
  # the page of a target
  inject-proxy targets kubeletDropIn
"""

_SILENCE = """
  spec:
    lint:
      rules:
        {}: "Off"     # or Info, Warning, Error
"""
_WIDTH = 100


def parser() -> CommandParser:
    """Return the parser of this command."""
    command = CommandParser(
        "help",
        usage=["[COMMAND|CODE]"],
        examples=[
            ("inject-proxy help run", "show how `run` is used"),
            (
                "inject-proxy help NodesNotRolled",
                "show meaning, cause and remedy of a message, and how to silence it",
            ),
            ("inject-proxy help NP038", "the same for a rule"),
        ],
    )
    command.words(
        "COMMAND|CODE",
        "the name of a command, or the code or rule with which a message begins",
    )
    return command.common()


def run(arguments: list[str], read_stdin: Callable[[], bytes]) -> CommandResult:  # noqa: ARG001 -- all take the same arguments
    """Print a help text.

    Raises:
        UsageError: there is no such command and no such code.
    """
    words = parser().parse(arguments).words
    if not words:
        return CommandResult(overview().encode())
    if len(words) == 1 and words[0] in MODULES:
        return CommandResult(parser_of(words[0]).format_help().encode())
    if len(words) == 1 and words[0] in (*CODES, *RULES):
        return CommandResult(_about_code(words[0]).encode())
    raise UsageError(_about_unknown(words))


def _about_unknown(words: list[str]) -> str:
    """Say what to write in the place of a name that is none of a command or a code."""
    from krm_fn.config import names_of_only  # noqa: PLC0415 -- only mistakes need it

    if len(words) == 1 and words[0] in names_of_only():
        return (
            f'"{words[0]}" is a target or a system: `inject-proxy targets {words[0]}` explains it'
        )
    advice = did_you_mean(words[0], (*MODULES, *CODES, *RULES), alike=0.7)
    if len(words) == 1 and advice:
        return f'"{words[0]}" is neither a command nor a code: {advice}'
    if len(words) == 1 and not words[0].islower():
        return (
            f'"{words[0]}" is no code or rule: docs/messages.md and docs/lint.md list all of them'
        )
    return (
        f"the command must be one of {', '.join(MODULES)}, or the code or rule with which a "
        "message begins, such as `NodesNotRolled` or `NP038`"
    )


def _about_code(name: str) -> str:
    """Return what the user should know about a code or a rule, with the lines that silence it."""
    known = explanations()[name]
    severity = RULES[name].severity if name in RULES else CODES[name]
    parts = [known.meaning, f"Cause: {known.cause}", f"Remedy: {known.remedy}"]
    if known.fix:
        parts.append(f"`inject-proxy lint --fix`: {known.fix}")
    parts.append(f"On the web: {address(name)}")
    if name in RULES and severity is Severity.ERROR:
        parts.append("In a run it is a warning, unless `spec.lint.rules` makes it an error.")
    if name in FIXED:
        parts.append("No entry of `spec.lint.rules` silences it.")
    else:
        parts.append("To silence it, write into the ProxyConfig:")
    text = "\n\n".join(_wrapped(part) for part in (f"{name} ({severity.value})", *parts))
    silence = "" if name in FIXED else _SILENCE.format(name)
    return f"{text}\n{silence}"


def _wrapped(text: str) -> str:
    return textwrap.fill(text, _WIDTH, break_long_words=False, break_on_hyphens=False)


def parser_of(name: str) -> CommandParser:
    """Return the parser of a command, given its name."""
    command: CommandParser = importlib.import_module(f"krm_fn.cli.{MODULES[name]}").parser()
    return command


def overview() -> str:
    """Return the help text of the program."""
    commands = "".join(f"  {name:<18}{summary}\n" for name, summary in SUMMARIES.items())
    options = function_parser().option_lines()
    return "\n".join([f"{_HEAD}{commands}", "options without a command:", "", *options, _TAIL])


def function_parser() -> CommandParser:
    """Return the parser of the options of the KRM function, for texts: ``krm_fn.cli`` reads them itself."""
    command = CommandParser("", usage=["< resourcelist.yaml"], examples=[])
    command.add_argument(
        "--fail-on",
        choices=list(FAIL_ON),
        help="the least finding that makes the run fail, in place of `spec.failOn`; a run that fails because of "
        "warnings alone still writes the list with all changes, which kustomize and kpt discard",
    )
    return command.common(
        verbose="show every change on standard error, not only errors and warnings"
    )
