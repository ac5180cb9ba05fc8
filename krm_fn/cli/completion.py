"""``inject-proxy completion``: scripts that complete commands, options and their values in a shell.

They are made of the parsers of the commands and call nothing while one types.

Sources: bash manual, "Programmable Completion"; zsh manual, "Completion System", ``_arguments``; fish manual,
``complete``.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping

from krm_fn.cli._command_result import CommandResult
from krm_fn.cli._commands import MODULES
from krm_fn.cli._parser import CommandParser, takes_value
from krm_fn.cli.help import function_parser, parser_of
from krm_fn.cli.import_ import FORMS, KONVOY
from krm_fn.errors import UsageError
from krm_fn.target_table import SYSTEMS
from krm_fn.targets import TARGETS


def parser() -> CommandParser:
    """Return the parser of this command."""
    command = CommandParser(
        "completion",
        "prints a script that completes commands, options and values in a shell",
        usage=["bash|zsh|fish"],
        examples=[
            (
                "source <(inject-proxy completion bash)",
                "for this shell; in ~/.bashrc for every one",
            ),
            ('inject-proxy completion zsh > "${fpath[1]}/_inject-proxy"', "for zsh"),
            (
                "inject-proxy completion fish > ~/.config/fish/completions/inject-proxy.fish",
                "for fish",
            ),
        ],
    )
    command.words("SHELL", "bash, zsh or fish")
    return command.common()


def run(arguments: list[str], read_stdin: Callable[[], bytes]) -> CommandResult:  # noqa: ARG001 -- all take the same arguments
    """Print a script.

    Raises:
        UsageError: no shell, or one that is not known.
    """
    words = parser().parse(arguments).words
    if len(words) != 1 or words[0] not in _SCRIPTS:
        raise UsageError(f"one of {', '.join(_SCRIPTS)} must be named")
    return CommandResult(_SCRIPTS[words[0]]().encode())


def _words() -> Mapping[str, tuple[str, ...]]:
    """Return command -> the words that it takes, of those that take no files alone."""
    return {
        "import": (*FORMS, KONVOY),
        "export": (*FORMS, KONVOY),
        "targets": (*SYSTEMS, *TARGETS),
        "completion": tuple(_SCRIPTS),
        "help": tuple(MODULES),
    }


_WITHOUT_FILES = frozenset({"targets", "completion", "help", "schema"})


def _options(command: CommandParser) -> list[argparse.Action]:
    return [action for action in command.actions() if action.option_strings]


def _values(action: argparse.Action) -> tuple[str, ...]:
    """Return the values that an option takes; nothing for files and other texts."""
    if "--only" in action.option_strings:
        return (*SYSTEMS, *TARGETS)
    return tuple(str(choice) for choice in action.choices or ())


def _bash() -> str:
    lines = [
        "# bash completion of inject-proxy; `inject-proxy completion bash` prints it",
        "_inject_proxy() {",
        '  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"',
        '  local command="" options="" words="" word',
        '  [[ $current == "=" ]] && current=""',
        '  [[ $previous == "=" ]] && previous="${COMP_WORDS[COMP_CWORD-2]}"',
        "  COMPREPLY=()",
        '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
        f'    case "$word" in {"|".join(MODULES)}) command="$word"; break ;; esac',
        "  done",
        '  case "$command:$previous" in',
    ]
    for name, command in _parsers():
        for action in _options(command):
            values = _values(action)
            for option in action.option_strings if values else ():
                reply = f'COMPREPLY=($(compgen -W "{" ".join(values)}" -- "$current")); return'
                lines.append(f"    {name}:{option}) {reply} ;;")
    lines += ["  esac", '  case "$command" in']
    for name, command in _parsers():
        options = " ".join(
            option for action in _options(command) for option in action.option_strings
        )
        words = " ".join(_words().get(name, ()) if name else MODULES)
        lines.append(f'    "{name}") options="{options}"; words="{words}" ;;')
    lines += [
        "  esac",
        '  if [[ $current == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$current")); return; fi',
        '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
        f'  case "$command" in ""|{"|".join(sorted(_WITHOUT_FILES))}) return ;; esac',
        "  compopt -o filenames 2>/dev/null",
        "  local IFS=$'\\n'",
        '  COMPREPLY+=($(compgen -f -- "$current"))',
        "}",
        "complete -F _inject_proxy inject-proxy",
    ]
    return "\n".join(lines) + "\n"


def _zsh() -> str:
    lines = [
        "#compdef inject-proxy",
        "# zsh completion of inject-proxy; `inject-proxy completion zsh` prints it",
        "_inject_proxy() {",
        "  local context state line curcontext=$curcontext",
        "  local -a commands",
        "  commands=(",
        *(f"    '{name}:{_quoted(parser_of(name).summary)}'" for name in MODULES),
        "  )",
        "  _arguments -C \\",
        *(f"    {option} \\" for option in _zsh_options(function_parser())),
        "    '1: :->command' '*:: :->rest'",
        "  case $state in",
        "  command) _describe command commands ;;",
        "  rest)",
        "    case $line[1] in",
    ]
    for name in MODULES:
        words = " ".join(_words().get(name, ()))
        values = f"({words})" if words else "_files"
        if name in _words() and name not in _WITHOUT_FILES:
            rest = [f"'1: :{values}'", "'*: :_files'"]
        elif name == "schema":
            rest = []
        else:
            rest = [f"'*: :{values}'"]
        options = [*_zsh_options(parser_of(name)), *rest]
        lines += [f"    {name})", "      _arguments \\"]
        lines += [f"        {option} \\" for option in options[:-1]]
        lines += [f"        {options[-1]} ;;"]
    lines += ["    esac ;;", "  esac", "}"]
    # In a folder of `fpath` the script is the body of the function `_inject-proxy`; else it is sourced.
    lines += ['if [[ $funcstack[1] == _inject-proxy ]]; then _inject_proxy "$@"']
    lines += ["else compdef _inject_proxy inject-proxy; fi"]
    return "\n".join(lines) + "\n"


def _zsh_options(command: CommandParser) -> Iterator[str]:
    for action in _options(command):
        explanation = _quoted(action.help or "").replace("[", "\\[").replace("]", "\\]")
        values = " ".join(_values(action))
        behind = ""
        if takes_value(action):
            behind = f":value:({values})" if values else ":value:_files"
        repeated = "*" if isinstance(action, argparse._AppendAction) else ""
        for option in action.option_strings:
            equals = "=" if behind and option.startswith("--") else ""
            yield f"'{repeated}{option}{equals}[{explanation}]{behind}'"


def _fish() -> str:
    lines = [
        "# fish completion of inject-proxy; `inject-proxy completion fish` prints it",
        f"set -l commands {' '.join(MODULES)}",
        "complete -c inject-proxy -f",
    ]
    for name in MODULES:
        summary = _quoted(parser_of(name).summary)
        lines.append(
            f"complete -c inject-proxy -n 'not __fish_seen_subcommand_from {' '.join(MODULES)}' "
            f"-a {name} -d '{summary}'"
        )
    for name, command in _parsers():
        seen = (
            f"__fish_seen_subcommand_from {name}"
            if name
            else f"not __fish_seen_subcommand_from {' '.join(MODULES)}"
        )
        begin = f"complete -c inject-proxy -n '{seen}'"
        lines += [f"{begin} {_fish_option(action)}" for action in _options(command)]
        words = " ".join(_words().get(name, ()))
        if words:
            lines.append(f"{begin} -a '{words}'")
        if name and name not in _WITHOUT_FILES:
            lines.append(f"{begin} -F")
    return "\n".join(lines) + "\n"


def _fish_option(action: argparse.Action) -> str:
    parts = []
    for option in action.option_strings:
        if option.startswith("--"):
            parts.append(f"-l {option[2:]}")
        else:
            parts.append(f"-s {option[1:]}")
    values = _values(action)
    if values:
        parts.append(f"-x -a '{' '.join(values)}'")
    elif takes_value(action):
        parts.append("-r -F")
    parts.append(f"-d '{_quoted(action.help or '')}'")
    return " ".join(parts)


def _parsers() -> Iterator[tuple[str, CommandParser]]:
    """Yield "" with the options of the function itself, then each command with its parser."""
    yield "", function_parser()
    for name in MODULES:
        yield name, parser_of(name)


def _quoted(text: str) -> str:
    """Return a text for single quotes of a shell: without any, and without what is special in zsh and fish."""
    return text.replace("'", "").replace("\\", "").replace(":", " -").replace("`", "")


_SCRIPTS: Mapping[str, Callable[[], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
