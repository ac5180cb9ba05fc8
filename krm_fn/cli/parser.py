"""The command line: every command with its options. A command itself is imported when it runs."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Mapping, Sequence

from krm_fn.errors import UsageError
from krm_fn.light_typing import NoReturn

_DESCRIPTION = """\
Write a corporate HTTP proxy into every Kubernetes manifest that needs to know it.

Without a command, inject-proxy is a KRM function: it reads a ResourceList on standard input, does what the
functionConfig in it declares, and writes the list to standard output.
"""
_EXIT_CODES = """\
exit codes: 0 done; 1 an error in the input, or a finding as severe as --fail-on; 2 wrong usage; 3 a bug of this
program; 130 interrupted. Files are written only with exit code 0.
"""
OUTPUTS = ("text", "json", "sarif", "github", "junit")
SYSTEMS = ("tkg", "giantswarm", "image-builder", "konvoy")
SHELLS = ("bash", "zsh", "fish")


class Parser(argparse.ArgumentParser):
    """A parser that raises UsageError in place of an exit; ``commands`` has those of the commands by name."""

    commands: Mapping[str, Parser] = {}

    def actions(self) -> Sequence[argparse.Action]:
        """Return the options and words that it knows."""
        return self._actions

    def error(self, message: str) -> NoReturn:
        """Raise UsageError."""
        raise UsageError(f"{message}; `{self.prog} --help` shows how it is used")


class _Version(argparse.Action):
    """Prints the version, which takes a while to find."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from importlib.metadata import version  # noqa: PLC0415 -- only this answer needs it

        print(f"inject-proxy {version('inject-proxy')}")  # noqa: T201
        parser.exit()


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the values of the options; ``module`` is the one of `krm_fn.cli` that runs the command.

    Raises:
        UsageError: an unknown command or option, or a value that it cannot have.
    """
    parser = main_parser()
    words = [word for word in arguments if not word.startswith("-")]
    command = parser.commands.get(words[0]) if words else None
    if command is None:
        return parser.parse_args(arguments)
    rest = list(arguments)
    rest.remove(words[0])  # an option in front of the command counts as one behind it
    if "--" in rest:  # for `parse_intermixed_args` of Python 3.10 to 3.12, options are behind it
        return command.parse_args(rest)
    return command.parse_intermixed_args(rest)


def main_parser() -> Parser:
    """Return the parser of the program."""
    parser = Parser(
        prog="inject-proxy",
        description=_DESCRIPTION,
        epilog=_EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.set_defaults(module="function", command=None)
    _add_common(parser)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command")
    parser.commands = commands.choices
    for add in (_init, _run, _explain, _lint, _import, _export, _targets, _schema, _completion):
        add(commands)
    _help(commands)
    return parser


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-v", "--verbose", action="store_true", help="report every result")
    parser.add_argument(
        "--traceback", action="store_true", help="show where a bug of this program happened"
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version")


def _command(
    commands: argparse._SubParsersAction[Parser], name: str, summary: str, text: str = ""
) -> Parser:
    """Add a command; ``text`` has examples and notes."""
    parser = commands.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=textwrap.dedent(text),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.set_defaults(module=f"{name}_" if name == "import" else name, command=name)
    _add_common(parser)
    return parser


def _add_paths(parser: argparse.ArgumentParser, *, is_stream: str) -> None:
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        help=f"files and folders of manifests; `-` {is_stream}",
    )
    parser.add_argument(
        "--exclude",
        metavar="PATTERN",
        action="append",
        default=[],
        help="leave out what matches, as a line of .gitignore would; may be repeated",
    )
    parser.add_argument(
        "--config",
        metavar="FILE",
        default="",
        help="the ProxyConfig, if it is neither among the files nor in a folder above them",
    )


def _add_report(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--fail-on", choices=("error", "warning"), help="what makes the exit code 1"
    )
    parser.add_argument(
        "--output", choices=OUTPUTS, default="text", help="the form in which findings are printed"
    )


def _run(commands: argparse._SubParsersAction[Parser]) -> None:
    parser = _command(
        commands,
        "run",
        "write the proxy of a ProxyConfig into files and folders, in place",
        """\
        Helm charts, patches of kustomizations, templates, links and other files that are no manifests are left alone
        and counted, and so is what .gitignore and .krmignore name.

        examples:
          inject-proxy run --diff .                  # what would change
          inject-proxy run .                         # change it
          inject-proxy run --diff . | git apply      # the same, where no credential is hidden
          inject-proxy run --check --output github . # in CI: fail where a manifest lacks the proxy
          kustomize build . | inject-proxy run --config proxy.yaml - | kubectl apply -f -
        """,
    )
    _add_paths(parser, is_stream="edits a stream")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument(
        "--diff", action="store_true", help="print what would change, credentials hidden"
    )
    mode.add_argument("--check", action="store_true", help="fail if something would change")
    mode.add_argument("--output-dir", metavar="DIR", help="write all files into a new folder")
    parser.add_argument(
        "--grouped", action="store_true", help="with --diff: show equal hunks once; no patch"
    )
    parser.add_argument(
        "--only",
        metavar="ID,...",
        action="append",
        default=[],
        help="only these targets or systems, in place of spec.only",
    )
    _add_report(parser)


def _lint(commands: argparse._SubParsersAction[Parser]) -> None:
    parser = _command(
        commands,
        "lint",
        "check a NO_PROXY list, or what manifests say about a proxy",
        """\
        examples:
          inject-proxy lint "10.0.0.0/8, .corp.example;*.example.com"    # a list
          inject-proxy lint clusters/                                     # manifests
          kustomize build . | inject-proxy lint --fail-on warning -       # a stream
        """,
    )
    _add_paths(parser, is_stream="checks a stream; what is no path is a NO_PROXY list")
    parser.add_argument(
        "--consumer",
        choices=("node", "pod", "go"),
        default="node",
        help="who reads the list, of the command line or of a ProxyConfig",
    )
    _add_report(parser)


def _explain(commands: argparse._SubParsersAction[Parser]) -> None:
    parser = _command(
        commands,
        "explain",
        "show who gets which proxy, and why each entry of NO_PROXY is there",
        """\
        examples:
          inject-proxy explain .                                # what a run would write
          inject-proxy explain --output html . > proxy.html     # the same as a page
        """,
    )
    _add_paths(parser, is_stream="explains a stream")
    parser.add_argument(
        "--cluster", metavar="NAME", action="append", default=[], help="explain this Cluster only"
    )
    parser.add_argument("--output", choices=("text", "json", "html"), default="text")


def _init(commands: argparse._SubParsersAction[Parser]) -> None:
    parser = _command(
        commands,
        "init",
        "write a first ProxyConfig, made of what manifests and the shell say about a proxy",
    )
    parser.add_argument("folder", metavar="PATH", nargs="?", default=".", help="with the manifests")
    parser.add_argument("--exclude", metavar="PATTERN", action="append", default=[])
    parser.add_argument("--yes", action="store_true", help="ask nothing, and write proxy.yaml")
    parser.add_argument("--print", action="store_true", help="ask nothing, and print it")


def _import(commands: argparse._SubParsersAction[Parser]) -> None:
    parser = _command(
        commands,
        "import",
        "print a ProxyConfig made of the values of another system",
        """\
        examples:
          inject-proxy import tkg cluster-config.yaml > proxy.yaml
          inject-proxy import konvoy -- --control-plane-http-proxy=http://proxy:3128 --cluster-name=west
        """,
    )
    parser.add_argument("system", choices=SYSTEMS)
    parser.add_argument(
        "words", metavar="FILE", nargs="*", help="the file, `-`, or flags of konvoy"
    )


def _export(commands: argparse._SubParsersAction[Parser]) -> None:
    parser = _command(
        commands,
        "export",
        "write the proxy of a ProxyConfig into a file of another system, or print it as a command line",
        """\
        examples:
          inject-proxy export giantswarm --config proxy.yaml --in-place secret-values.yaml.patch
          inject-proxy export konvoy --config proxy.yaml --cluster west --labels region=west
        """,
    )
    parser.add_argument("system", choices=SYSTEMS)
    parser.add_argument("file", metavar="FILE", nargs="?", help="the file that is filled, or `-`")
    parser.add_argument("--config", metavar="FILE", help="the ProxyConfig; else standard input")
    parser.add_argument("--cluster", metavar="[NAMESPACE/]NAME", default="", help="for overrides")
    parser.add_argument("--labels", metavar="KEY=VALUE,...", default="", help="for overrides")
    parser.add_argument("--role", choices=("ControlPlane", "Worker"), help="for overrides")
    parser.add_argument("--in-place", action="store_true", help="write the file, or create it")


def _targets(commands: argparse._SubParsersAction[Parser]) -> None:
    parser = _command(commands, "targets", "list the places that hold a proxy, or explain one")
    parser.add_argument("name", metavar="ID|SYSTEM", nargs="?", help="a target or a system")


def _schema(commands: argparse._SubParsersAction[Parser]) -> None:
    _command(commands, "schema", "print the JSON Schema of a ProxyConfig")


def _completion(commands: argparse._SubParsersAction[Parser]) -> None:
    parser = _command(
        commands,
        "completion",
        "print a script that completes commands and options in a shell",
        """\
        examples:
          source <(inject-proxy completion bash)
          inject-proxy completion fish > ~/.config/fish/completions/inject-proxy.fish
        """,
    )
    parser.add_argument("shell", choices=SHELLS)


def _help(commands: argparse._SubParsersAction[Parser]) -> None:
    parser = _command(
        commands, "help", "explain a command, or the code with which a message begins"
    )
    parser.add_argument("name", metavar="COMMAND|CODE", nargs="?")
