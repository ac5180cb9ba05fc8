"""``inject-proxy completion``: a script that completes commands, options and their values in a shell.

Sources: bash manual, "Programmable Completion"; zsh manual, ``bashcompinit``; fish manual, ``complete``.
"""

from __future__ import annotations

from argparse import Action, Namespace
from collections.abc import Iterator, Mapping

from krm_fn.cli.parser import Parser, main_parser
from krm_fn.cli.streams import Answer
from krm_fn.config import names_of_only

_BASH = """\
_inject_proxy() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" words
  case "${{COMP_WORDS[1]}} $before" in
{values}  *) case "${{COMP_WORDS[1]}}" in
{options}  esac ;;
  esac
  [[ $COMP_CWORD == 1 ]] && words="{commands}"
  local IFS=$'\n'  # names of files may hold blanks
  COMPREPLY=($(IFS=' ' compgen -W "$words" -- "$current") $(compgen -f -- "$current"))
}}
complete -o filenames -F _inject_proxy inject-proxy
"""
_ZSH = "autoload -U +X bashcompinit && bashcompinit\n"


def run(given: Namespace) -> Answer:
    """Print the script of a shell."""
    commands = main_parser().commands
    if given.shell == "fish":
        return Answer(["".join(_fish_lines(commands)).encode()])
    script = _bash(commands)
    return Answer([(script if given.shell == "bash" else f"{_ZSH}{script}").encode()])


def _bash(commands: Mapping[str, Parser]) -> str:
    values: list[str] = []
    options = []
    for command, parser in commands.items():
        words: list[str] = []
        for action in parser.actions():
            of_action = _values(action, command)
            words += action.option_strings or of_action
            if of_action:
                known = f"words='{' '.join(of_action)}' ;;\n"
                values += [f"  '{command} {option}') {known}" for option in action.option_strings]
        options.append(f"  {command}) words='{' '.join(words)}' ;;\n")
    return _BASH.format(
        values="".join(values), options="".join(options), commands=" ".join(commands)
    )


def _fish_lines(commands: Mapping[str, Parser]) -> Iterator[str]:
    begin = "complete -c inject-proxy"
    for command, parser in commands.items():
        yield f"{begin} -n __fish_use_subcommand -a {command}\n"
        used = f"{begin} -n '__fish_seen_subcommand_from {command}'"
        for action in parser.actions():
            values = " ".join(_values(action, command))
            names = "".join(f" -l {name[2:]}" for name in action.option_strings if name[:2] == "--")
            is_flag = action.nargs == 0
            if names or values:
                yield f"{used}{names}{'' if is_flag else ' -r'}{f' -a {values!r}' if values else ''}\n"


def _values(action: Action, command: str) -> list[str]:
    """Return the values that an option or a word can have; nothing for files and other texts."""
    if action.dest == "only" or (command == "targets" and action.dest == "name"):
        return list(names_of_only())
    return [str(choice) for choice in action.choices or ()]
