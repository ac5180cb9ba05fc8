"""The command line: every command with its options. A command itself is imported when it runs."""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Mapping, Sequence

from krm_fn.errors import UsageError
from krm_fn.light_typing import Any, Fields, NamedTuple, NoReturn
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

# In each line of a table of arguments: the names; the value, or none or more (`*`), none or one (`?`), or one each time
# that the option is repeated (`+`); the default; the meaning. The arguments of all commands:
_OF_ALL = """\
  -v --verbose            report every result
  --traceback             show where a bug of this program happened
  --version               print the version
"""
# Those of several commands, which list them by name.
_SHARED = """\
  --exclude PATTERN+      leave out what matches, as a line of .gitignore would; may be repeated
  paths PATH*             files and folders of manifests; `-` is a stream on standard input
  --config FILE           the ProxyConfig, if it is neither among the files nor in a folder above them
  -n --namespace NAME     that of the objects
  -q --quiet              leave out the table of what was covered
  --fail-on {error,warning}                           what makes the exit code 1
  --output {text,json,sarif,github,junit} = text      the form in which findings are printed
  system {tkg,giantswarm,image-builder,konvoy}
"""
# The commands: name and purpose; arguments, and behind an empty line what its help ends with.
_COMMANDS = """\
init: write a first ProxyConfig, made of what manifests and the shell say about a proxy
  folder PATH? = .        with manifests
  --exclude
  --http-proxy URL        the proxy; else that of the shell, or what most places say
  --https-proxy URL       the proxy for https://, where it is another one
  --no-proxy LIST         hosts inside, with commas
  --yes                   ask nothing, and write proxy.yaml
  --print                 ask nothing, and print it

run: write the proxy of a ProxyConfig into files and folders, in place
  paths
  --exclude
  --config
  --diff                  print what would change, credentials hidden
  --check                 fail if something would change
  --output-dir DIR        write all files into a new folder
  --grouped               with --diff: show equal hunks once; no patch
  --only ID,...+          only these targets or systems, in place of spec.only
  -q --quiet
  --fail-on
  --output

  Helm charts, patches of kustomizations, templates, links and other files that are no manifests are left alone
  and counted, and so is what .gitignore and .krmignore name.

  examples:
    inject-proxy run --diff .                  # what would change
    inject-proxy run .                         # change it
    inject-proxy run --diff . | git apply      # the same, where no credential is hidden
    inject-proxy run --check --output github . # in CI: fail where a manifest lacks the proxy
    kustomize build . | inject-proxy run --config proxy.yaml - | kubectl apply -f -

choose: write into the ProxyConfig what chooses objects that are left
  objects KIND/NAME*      as kubectl has it
  -n --namespace
  --all-left              all objects that are left only because nobody chose them, but those of kube-system
  --remove                take out what chooses the objects
  --yes                   ask nothing
  --exclude
  --config

  The diff of the ProxyConfig is printed first; on a terminal you are asked before it is written.

  examples:
    inject-proxy choose deployment/web -n shop
    inject-proxy choose --all-left --yes
    inject-proxy choose --remove deployment/web

explain: show who gets which proxy, and why each entry of NO_PROXY is there
  paths PATH|KIND/NAME*   files and folders of manifests, `-`, or objects that alone are explained
  --exclude
  --config
  -n --namespace
  --cluster NAME+         explain this Cluster only
  -q --quiet
  --output {text,json,html} = text

  examples:
    inject-proxy explain .                                # what a run would write
    inject-proxy explain deployment/web -n shop           # into one object, or why not
    inject-proxy explain cluster/west                     # into all that belongs to a Cluster
    inject-proxy explain --output html . > proxy.html     # the same as a page

lint: check a NO_PROXY list, or what manifests say about a proxy
  paths
  --exclude
  --config
  --consumer {node,pod,go} = node     who reads the list, of the command line or of a ProxyConfig
  --fail-on
  --output

  What is no path is a NO_PROXY list.

  examples:
    inject-proxy lint "10.0.0.0/8, .corp.example;*.example.com"    # a list
    inject-proxy lint clusters/                                     # manifests
    kustomize build . | inject-proxy lint --fail-on warning -       # a stream

import: print a ProxyConfig made of the values of another system
  system
  words FILE*             the file, `-`, or flags of konvoy

  examples:
    inject-proxy import tkg cluster-config.yaml > proxy.yaml
    inject-proxy import konvoy -- --control-plane-http-proxy=http://proxy:3128 --cluster-name=west

export: write the proxy of a ProxyConfig into a file of another system, or print it as a command line
  system
  file FILE?              the file that is filled, or `-`
  --config FILE           the ProxyConfig; else standard input
  --cluster [NAMESPACE/]NAME      for overrides
  --labels KEY=VALUE,...          for overrides
  --role {ControlPlane,Worker}    for overrides
  --in-place              write the file, or create it

  examples:
    inject-proxy export giantswarm --config proxy.yaml --in-place secret-values.yaml.patch
    inject-proxy export konvoy --config proxy.yaml --cluster west --labels region=west

targets: list the places that hold a proxy, or explain one
  name ID|SYSTEM?         a target or a system

schema: print the JSON Schema of a ProxyConfig

completion: print a script that completes commands and options in a shell
  shell {bash,zsh,fish}

  examples:
    source <(inject-proxy completion bash)
    inject-proxy completion fish > ~/.config/fish/completions/inject-proxy.fish

help: explain a command, or the code with which a message begins
  name COMMAND|CODE?
"""
_ARGUMENT = r"((?:-\w )?[\w-]+)(?: (\S+))?(?: = (\S+))?"


class _Command(NamedTuple):
    """A command: its purpose, its arguments by name, and the end of its help text."""

    summary: str
    arguments: _Arguments
    epilog: str


def _read_arguments(table: str, shared: _Arguments) -> dict[str, _Options]:
    """Return how the arguments of a table are parsed, by their names; ``shared`` has those that it only names."""
    arguments: dict[str, _Options] = {}
    for line in table.splitlines():
        written, _, meaning = line.strip().partition("  ")
        ((name, value, default),) = re.findall(_ARGUMENT, written)
        options: Fields = {"help": meaning.strip() or None}
        bare = value.rstrip("*?+")
        if default:
            options["default"] = default
        if name == "--version":
            options.update(action=_Version, nargs=0)
        elif not value:
            options["action"] = "store_true"
        elif value.startswith("{"):
            options["choices"] = value.strip("{}").split(",")
        else:
            options["metavar"] = bare
        if value.endswith("+"):
            options.update(action="append", default=[])
        elif value != bare:
            options["nargs"] = value[-1]
        arguments[name] = shared.get(written, options)
    return arguments


def _read_commands() -> dict[str, _Command]:
    """Return the commands by name, in the order in which they are listed."""
    shared = _read_arguments(_SHARED, {})
    commands = {}
    for text in re.split(r"\n(?=\w+: )", _COMMANDS):
        head, _, rest = text.partition("\n")
        name, _, summary = head.partition(": ")
        table, _, epilog = rest.partition("\n\n")
        arguments = {**_COMMON, **_read_arguments(table, shared)}
        commands[name] = _Command(summary, arguments, textwrap.dedent(epilog))
    return commands


_COMMON = _read_arguments(_OF_ALL, {})
COMMANDS = _read_commands()


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
        known = COMMANDS[name].arguments
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


def parser_of(name: str) -> Parser:
    """Return the parser of a command."""
    command = COMMANDS[name]
    module = "import_" if name == "import" else name
    description = f"{command.summary[0].upper()}{command.summary[1:]}."
    return _parser(f"inject-proxy {name}", module, description, command.epilog, command.arguments)


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
