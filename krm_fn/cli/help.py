"""``inject-proxy help``: what there is, or the help text of one command."""

from __future__ import annotations

import importlib
from collections.abc import Callable

from krm_fn.cli._command_result import CommandResult
from krm_fn.cli._commands import MODULES, SUMMARIES
from krm_fn.cli._outcome_lines import FAIL_ON
from krm_fn.cli._parser import CommandParser
from krm_fn.errors import UsageError

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
  # the page of a target
  inject-proxy targets kubeletDropIn
"""


def parser() -> CommandParser:
    """Return the parser of this command."""
    command = CommandParser(
        "help",
        usage=["[COMMAND]"],
        examples=[("inject-proxy help run", "show how `run` is used")],
    )
    command.words("COMMAND", "the name of a command")
    return command.common()


def run(arguments: list[str], read_stdin: Callable[[], bytes]) -> CommandResult:  # noqa: ARG001 -- all take the same arguments
    """Print a help text.

    Raises:
        UsageError: there is no such command.
    """
    words = parser().parse(arguments).words
    if not words:
        return CommandResult(overview().encode())
    if len(words) > 1 or words[0] not in MODULES:
        raise UsageError(f"the command must be one of {', '.join(MODULES)}")
    return CommandResult(parser_of(words[0]).format_help().encode())


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
