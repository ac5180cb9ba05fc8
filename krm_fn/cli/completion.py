"""``inject-proxy completion``: a script that completes commands, options and their values in a shell.

Sources: bash manual, "Programmable Completion"; zsh manual, ``bashcompinit``; fish manual, ``complete``.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence

from krm_fn.cli.parser import COMMANDS
from krm_fn.cli.streams import Answer
from krm_fn.config import names_of_only
from krm_fn.patch import Data

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


def run(args: Namespace) -> Answer:
    """Print the script of a shell."""
    if args.shell == "fish":
        return Answer(["".join(_fish_lines()).encode()])
    begin = _ZSH if args.shell == "zsh" else ""
    return Answer([f"{begin}{_bash()}".encode()])


def _bash() -> str:
    values = ""
    options = ""
    for command in COMMANDS:
        words: list[str] = []
        for name, argument in COMMANDS[command].arguments.items():
            known = _values(command, name, argument)
            if not name.startswith("-"):
                words += known
                continue
            words += name.split()
            if known:
                values += f"  '{command} {name}') words='{' '.join(known)}' ;;\n"
        options += f"  {command}) words='{' '.join(words)}' ;;\n"
    return _BASH.format(values=values, options=options, commands=" ".join(COMMANDS))


def _fish_lines() -> Iterator[str]:
    begin = "complete -c inject-proxy"
    for command in COMMANDS:
        yield f"{begin} -n __fish_use_subcommand -a {command}\n"
        for name, argument in COMMANDS[command].arguments.items():
            line = f"{begin} -n '__fish_seen_subcommand_from {command}'"
            if name.startswith("-"):
                line += f" -l {name.rpartition('--')[2]}"
            if not argument.keys().isdisjoint({"metavar", "choices"}):
                line += f" -r -a '{' '.join(_values(command, name, argument))}'"
            yield f"{line}\n"


def _values(command: str, name: str, argument: Data) -> Sequence[str]:
    """Return the values that an option or a word can have; nothing for files and other texts."""
    if name == "--only" or (command, name) == ("targets", "name"):
        return names_of_only()
    choices: Sequence[str] = argument.get("choices", ())
    return choices
