"""The command line: every command with its options. A command itself is imported when it runs."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Mapping, Sequence

from krm_fn.errors import UsageError
from krm_fn.light_typing import Any, NamedTuple, NoReturn
from krm_fn.near_names import did_you_mean

_DESCRIPTION = """\
Write a corporate HTTP proxy into the Kubernetes manifests of nodes, clusters, policies and chosen workloads.

Without a command, inject-proxy is a KRM function: it reads a ResourceList on standard input, does what the
functionConfig in it declares, and writes the list to standard output.
"""
_EXIT_CODES = """\
exit codes: 0 done; 1 an error in the input, or a finding as severe as --fail-on; 2 wrong usage; 3 a bug of this
program; 130 interrupted. Files are written only with exit code 0.
"""


class Parser(argparse.ArgumentParser):
    """A parser that raises UsageError in place of an exit."""

    def error(self, message: str) -> NoReturn:
        """Raise UsageError."""
        between = " " if message.endswith("?") else "; "
        raise UsageError(f"{message}{between}`{self.prog} --help` shows how it is used")


class _Version(argparse.Action):
    """Prints the version, which takes a while to find."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from importlib.metadata import version  # noqa: PLC0415 -- only this answer needs it

        print(f"inject-proxy {version('inject-proxy')}")  # noqa: T201
        parser.exit()


# Arguments of `add_argument` beside the names.
_Options = Mapping[str, Any]
# Names of an option, or of a word -> how it is parsed.
_Arguments = Mapping[str, _Options]


class _Command(NamedTuple):
    """A command: its purpose, its own arguments by name, and examples."""

    summary: str
    arguments: Mapping[str, _Options] = {}
    epilog: str = ""


_COMMON: _Arguments = {
    "-v --verbose": {"action": "store_true", "help": "report every result"},
    "--traceback": {
        "action": "store_true",
        "help": "show where a bug of this program happened",
    },
    "--version": {"action": _Version, "nargs": 0, "help": "print the version"},
}
_EXCLUDE: _Arguments = {
    "--exclude": {
        "metavar": "PATTERN",
        "action": "append",
        "default": [],
        "help": "leave out what matches, as a line of .gitignore would; may be repeated",
    },
}
_PATHS: _Arguments = {
    "paths": {
        "metavar": "PATH",
        "nargs": "*",
        "help": "files and folders of manifests; `-` is a stream on standard input",
    },
    **_EXCLUDE,
    "--config": {
        "metavar": "FILE",
        "default": "",
        "help": "the ProxyConfig, if it is neither among the files nor in a folder above them",
    },
}
_NAMESPACE: _Arguments = {"-n --namespace": {"metavar": "NAME", "help": "that of the objects"}}
_QUIET: _Arguments = {
    "-q --quiet": {"action": "store_true", "help": "leave out the table of what was covered"},
}
_REPORT: _Arguments = {
    "--fail-on": {"choices": ("error", "warning"), "help": "what makes the exit code 1"},
    "--output": {
        "choices": ("text", "json", "sarif", "github", "junit"),
        "default": "text",
        "help": "the form in which findings are printed",
    },
}
_SYSTEM: _Arguments = {"system": {"choices": ("tkg", "giantswarm", "image-builder", "konvoy")}}

COMMANDS = {
    "init": _Command(
        "write a first ProxyConfig, made of what manifests and the shell say about a proxy",
        {
            "folder": {"metavar": "PATH", "nargs": "?", "default": ".", "help": "with manifests"},
            **_EXCLUDE,
            "--http-proxy": {
                "metavar": "URL",
                "help": "the proxy; else that of the shell, or what most places say",
            },
            "--https-proxy": {
                "metavar": "URL",
                "help": "the proxy for https://, where it is another one",
            },
            "--no-proxy": {"metavar": "LIST", "help": "hosts inside, with commas"},
            "--yes": {"action": "store_true", "help": "ask nothing, and write proxy.yaml"},
            "--print": {"action": "store_true", "help": "ask nothing, and print it"},
        },
    ),
    "run": _Command(
        "write the proxy of a ProxyConfig into files and folders, in place",
        {
            **_PATHS,
            "--diff": {
                "action": "store_true",
                "help": "print what would change, credentials hidden",
            },
            "--check": {"action": "store_true", "help": "fail if something would change"},
            "--output-dir": {"metavar": "DIR", "help": "write all files into a new folder"},
            "--grouped": {
                "action": "store_true",
                "help": "with --diff: show equal hunks once; no patch",
            },
            "--only": {
                "metavar": "ID,...",
                "action": "append",
                "default": [],
                "help": "only these targets or systems, in place of spec.only",
            },
            **_QUIET,
            **_REPORT,
        },
        epilog="""\
        Helm charts, patches of kustomizations, templates, links and other files that are no manifests are left alone
        and counted, and so is what .gitignore and .krmignore name.

        examples:
          inject-proxy run --diff .                  # what would change
          inject-proxy run .                         # change it
          inject-proxy run --diff . | git apply      # the same, where no credential is hidden
          inject-proxy run --check --output github . # in CI: fail where a manifest lacks the proxy
          kustomize build . | inject-proxy run --config proxy.yaml - | kubectl apply -f -
        """,
    ),
    "choose": _Command(
        "write into the ProxyConfig what chooses objects that are left",
        {
            "objects": {"metavar": "KIND/NAME", "nargs": "*", "help": "as kubectl has it"},
            **_NAMESPACE,
            "--all-left": {
                "action": "store_true",
                "help": "all objects that are left only because nobody chose them, but those of kube-system",
            },
            "--remove": {"action": "store_true", "help": "take out what chooses the objects"},
            "--yes": {"action": "store_true", "help": "ask nothing"},
            **_EXCLUDE,
            "--config": _PATHS["--config"],
        },
        epilog="""\
        The diff of the ProxyConfig is printed first; on a terminal you are asked before it is written.

        examples:
          inject-proxy choose deployment/web -n shop
          inject-proxy choose --all-left --yes
          inject-proxy choose --remove deployment/web
        """,
    ),
    "explain": _Command(
        "show who gets which proxy, and why each entry of NO_PROXY is there",
        {
            **_PATHS,
            "paths": {
                "metavar": "PATH|KIND/NAME",
                "nargs": "*",
                "help": "files and folders of manifests, `-`, or objects that alone are explained",
            },
            **_NAMESPACE,
            "--cluster": {
                "metavar": "NAME",
                "action": "append",
                "default": [],
                "help": "explain this Cluster only",
            },
            **_QUIET,
            "--output": {"choices": ("text", "json", "html"), "default": "text"},
        },
        epilog="""\
        examples:
          inject-proxy explain .                                # what a run would write
          inject-proxy explain deployment/web -n shop           # into one object, or why not
          inject-proxy explain cluster/west                     # into all that belongs to a Cluster
          inject-proxy explain --output html . > proxy.html     # the same as a page
        """,
    ),
    "lint": _Command(
        "check a NO_PROXY list, or what manifests say about a proxy",
        {
            **_PATHS,
            "--consumer": {
                "choices": ("node", "pod", "go"),
                "default": "node",
                "help": "who reads the list, of the command line or of a ProxyConfig",
            },
            **_REPORT,
        },
        epilog="""\
        What is no path is a NO_PROXY list.

        examples:
          inject-proxy lint "10.0.0.0/8, .corp.example;*.example.com"    # a list
          inject-proxy lint clusters/                                     # manifests
          kustomize build . | inject-proxy lint --fail-on warning -       # a stream
        """,
    ),
    "import": _Command(
        "print a ProxyConfig made of the values of another system",
        {
            **_SYSTEM,
            "words": {"metavar": "FILE", "nargs": "*", "help": "the file, `-`, or flags of konvoy"},
        },
        epilog="""\
        examples:
          inject-proxy import tkg cluster-config.yaml > proxy.yaml
          inject-proxy import konvoy -- --control-plane-http-proxy=http://proxy:3128 --cluster-name=west
        """,
    ),
    "export": _Command(
        "write the proxy of a ProxyConfig into a file of another system, or print it as a command line",
        {
            **_SYSTEM,
            "file": {"metavar": "FILE", "nargs": "?", "help": "the file that is filled, or `-`"},
            "--config": {"metavar": "FILE", "help": "the ProxyConfig; else standard input"},
            "--cluster": {"metavar": "[NAMESPACE/]NAME", "default": "", "help": "for overrides"},
            "--labels": {"metavar": "KEY=VALUE,...", "default": "", "help": "for overrides"},
            "--role": {"choices": ("ControlPlane", "Worker"), "help": "for overrides"},
            "--in-place": {"action": "store_true", "help": "write the file, or create it"},
        },
        epilog="""\
        examples:
          inject-proxy export giantswarm --config proxy.yaml --in-place secret-values.yaml.patch
          inject-proxy export konvoy --config proxy.yaml --cluster west --labels region=west
        """,
    ),
    "targets": _Command(
        "list the places that hold a proxy, or explain one",
        {"name": {"metavar": "ID|SYSTEM", "nargs": "?", "help": "a target or a system"}},
    ),
    "schema": _Command("print the JSON Schema of a ProxyConfig"),
    "completion": _Command(
        "print a script that completes commands and options in a shell",
        {"shell": {"choices": ("bash", "zsh", "fish")}},
        epilog="""\
        examples:
          source <(inject-proxy completion bash)
          inject-proxy completion fish > ~/.config/fish/completions/inject-proxy.fish
        """,
    ),
    "help": _Command(
        "explain a command, or the code with which a message begins",
        {"name": {"metavar": "COMMAND|CODE", "nargs": "?"}},
    ),
}


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the values of the options; ``module`` names the module of `krm_fn.cli` that runs the command.

    Raises:
        UsageError: an unknown command or option, or a value that it cannot have.
    """
    words = [word for word in arguments if not word.startswith("-")]
    rest = list(arguments)
    if words:
        name = words[0]
        if name not in COMMANDS:
            names = ", ".join(COMMANDS)
            main_parser().error(
                f"the first word must be a command: {names}{did_you_mean(name, COMMANDS)}"
            )
        known = arguments_of(name)
        parser = parser_of(name)
        rest.remove(name)  # an option in front of the command counts as one behind it
    else:
        known = _COMMON
        parser = main_parser()
    if (
        not words or "--" in rest
    ):  # for intermixed arguments of Python 3.10 to 3.12, options are behind it
        args, unknown = parser.parse_known_args(rest)
    else:
        args, unknown = parser.parse_known_intermixed_args(rest)
    for word in unknown:
        if word.startswith("-"):
            options = [option for written in known for option in written.split()]
            name, _, _ = word.partition("=")
            parser.error(f"there is no option `{name}`{did_you_mean(name, options)}")
    if unknown:
        parser.error("there is one word too many")
    return args


def arguments_of(name: str) -> _Arguments:
    """Return the arguments of a command by name: options, which begin with a dash, and words."""
    return {**_COMMON, **COMMANDS[name].arguments}


def parser_of(name: str) -> Parser:
    """Return the parser of a command."""
    command = COMMANDS[name]
    module = "import_" if name == "import" else name
    description = f"{command.summary[0].upper()}{command.summary[1:]}."
    epilog = textwrap.dedent(command.epilog)
    return _parser(f"inject-proxy {name}", module, description, epilog, arguments_of(name))


def main_parser() -> Parser:
    """Return the parser of the program, which knows the names of the commands."""
    parser = _parser("inject-proxy", "function", _DESCRIPTION, _EXIT_CODES, _COMMON)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command")
    for name, command in COMMANDS.items():
        commands.add_parser(name, help=command.summary)
    return parser


def _parser(prog: str, module: str, description: str, epilog: str, arguments: _Arguments) -> Parser:
    parser = Parser(
        prog=prog,
        description=description,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.set_defaults(module=module)
    for names, options in arguments.items():
        parser.add_argument(*names.split(), **options)
    return parser
