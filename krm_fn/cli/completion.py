"""``inject-proxy completion``: scripts with which a shell asks the command what can follow, and the answer.

Each script calls ``inject-proxy completion SHELL -- WORD...`` with the words of the line up to the cursor. The first
line of the answer is ``files`` where names of files can follow, too, else ``words``; each further line is a word.

Sources: bash manual, "Programmable Completion"; zsh manual, "Completion System", ``_describe``; fish manual,
``complete``.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from krm_fn.cli.command_result import CommandResult
from krm_fn.cli.commands import MODULES, SUMMARIES
from krm_fn.cli.help import function_parser, parser_of
from krm_fn.cli.parser import CommandParser, takes_value
from krm_fn.config import names_of_only
from krm_fn.errors import UsageError
from krm_fn.krm.codes import CODES
from krm_fn.noproxy.lint_rules import RULES

_BASH = """\
# bash completion of inject-proxy; `inject-proxy completion bash` prints it
_inject_proxy() {
  local current="${COMP_WORDS[COMP_CWORD]}" offered IFS=$'\\n'
  offered=($(inject-proxy completion bash -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  [[ $current == "=" ]] && current=""
  COMPREPLY=($(compgen -W "${offered[*]:1}" -- "$current"))
  [[ ${offered[0]} == files ]] || return 0
  compopt -o filenames 2>/dev/null
  COMPREPLY+=($(compgen -f -- "$current"))
}
complete -F _inject_proxy inject-proxy
"""
# In a folder of `fpath` the script is the body of the function `_inject-proxy`; else it is sourced.
_ZSH = """\
#compdef inject-proxy
# zsh completion of inject-proxy; `inject-proxy completion zsh` prints it
_inject_proxy() {
  local -a offered
  offered=("${(@f)$(inject-proxy completion zsh -- "${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}")
  local first=$offered[1]
  shift offered
  [[ $PREFIX == --*=* ]] && compset -P 1 '*='
  (( $#offered )) && _describe 'inject-proxy' offered
  [[ $first == files ]] && _files
}
if [[ $funcstack[1] == _inject-proxy ]]; then _inject_proxy "$@"
else compdef _inject_proxy inject-proxy; fi
"""
_FISH = """\
# fish completion of inject-proxy; `inject-proxy completion fish` prints it
function __inject_proxy_offered
    set -l current (commandline -ct)
    set -l option (string match -r -- '^--[^=]*=' $current)
    set -l offered (inject-proxy completion fish -- (commandline -opc)[2..] "$current" 2>/dev/null)
    if test "$offered[1]" = files
        set -a offered (__fish_complete_path (string replace -r -- '^--[^=]*=' '' "$current"))
    end
    string join \\n -- "$option"$offered[2..]
end
complete -c inject-proxy -f -a '(__inject_proxy_offered)'
"""
_SCRIPTS: Mapping[str, str] = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}
_WITHOUT_FILES = frozenset({"", "targets", "completion", "help", "schema"})


def parser() -> CommandParser:
    """Return the parser of this command."""
    command = CommandParser(
        "completion",
        usage=["bash|zsh|fish", "bash|zsh|fish -- WORD..."],
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
        notes=[
            "The script asks the `inject-proxy` of PATH for what can follow, with the words of the line behind `--`."
        ],
    )
    command.words("SHELL", "bash, zsh or fish")
    return command.common()


def run(arguments: list[str], read_stdin: Callable[[], bytes]) -> CommandResult:  # noqa: ARG001 -- all take the same arguments
    """Print a script, or what can follow the words of a line.

    Raises:
        UsageError: no shell, or one that is not known.
    """
    shell, *line = parser().parse(arguments).words or [""]
    if shell not in _SCRIPTS or (line and "--" not in arguments):
        raise UsageError(f"one of {', '.join(_SCRIPTS)} must be named")
    if not line:
        return CommandResult(_SCRIPTS[shell].encode())
    can_be_files, words = _offered(_without_equals(line))
    first = "files" if can_be_files else "words"
    lines = [_line(shell, word, explanation) for word, explanation in words.items()]
    return CommandResult("".join(f"{line}\n" for line in (first, *lines)).encode())


def _line(shell: str, word: str, explanation: str) -> str:
    """Return a word and its explanation as the completion of a shell reads them; bash takes words alone."""
    if shell == "bash" or not explanation:
        return word
    return f"{word}:{explanation}" if shell == "zsh" else f"{word}\t{explanation}"


def _without_equals(line: list[str]) -> list[str]:
    """Return the words of a line with ``--option=value`` as two words; bash makes three of it."""
    words: list[str] = []
    for word in [*(word for word in line[:-1] if word != "="), line[-1]]:
        option, equals, value = word.partition("=")
        if equals and option.startswith("--"):
            words += [option, value]
        else:
            words.append("" if word == "=" else word)
    return words


def _offered(words: list[str]) -> tuple[bool, dict[str, str]]:
    """Return whether a file can stand in the place of the last word, and word -> explanation of all else that can."""
    *before, current = words
    line = _read(before)
    if line.awaiting is not None:
        values = _values(line.awaiting)
        return not values, dict.fromkeys(values, "")
    if current.startswith("-"):
        return False, {
            option: action.help or ""
            for action in line.parser.actions()
            for option in action.option_strings
        }
    if not line.command:
        return False, SUMMARIES
    first = () if line.has_word else _first_words(line.command)
    return line.command not in _WITHOUT_FILES, dict.fromkeys(first, "")


@dataclass
class _LineSoFar:
    """What the words in front of the one that is completed say.

    Attributes:
        parser: what the command takes; without a command, what the function takes.
        command: its name, or "" in front of one.
        has_word: whether the command has a word that is no option.
        awaiting: the option in front, if its value comes next.
    """

    parser: CommandParser
    command: str = ""
    has_word: bool = False
    awaiting: argparse.Action | None = None


def _read(words: Iterable[str]) -> _LineSoFar:
    line = _LineSoFar(function_parser())
    for word in words:
        if line.awaiting is not None:
            line.awaiting = None
        elif word.startswith("-"):
            line.awaiting = _awaiting(line.parser, word)
        elif not line.command and word in MODULES:
            line.command, line.parser = word, parser_of(word)
        else:
            line.has_word = True
    return line


def _awaiting(command: CommandParser, option: str) -> argparse.Action | None:
    """Return an option of a command if a value follows it."""
    for action in command.actions():
        if option in action.option_strings and takes_value(action):
            return action
    return None


def _values(action: argparse.Action) -> tuple[str, ...]:
    """Return the values that an option takes; nothing for files and other texts."""
    if "--only" in action.option_strings:
        return names_of_only()
    return tuple(str(choice) for choice in action.choices or ())


def _first_words(command: str) -> tuple[str, ...]:
    """Return what the first word of a command can be besides a file."""
    if command in ("import", "export"):
        from krm_fn.cli.import_ import FORMS, KONVOY  # noqa: PLC0415 -- only these two need it

        return (*FORMS, KONVOY)
    if command == "targets":
        return names_of_only()
    if command == "completion":
        return tuple(_SCRIPTS)
    return (*MODULES, *CODES, *RULES) if command == "help" else ()
