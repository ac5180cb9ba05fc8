"""Write `docs/cli.md`: each command with its options and examples, from the parsers of the commands."""

from __future__ import annotations

from krm_fn.cli._commands import MODULES
from krm_fn.cli._parser import CommandParser, names_of
from krm_fn.cli.help import function_parser, parser_of

_HEAD = """\
<!-- `make docs` writes this page from the parsers in krm_fn/cli: change it there. -->

# Command line

Without a command, `inject-proxy` is a KRM function: it reads a ResourceList on standard input and writes it to standard
output, as kustomize and kpt run it. With a command it works on files, folders and streams.

What a command reports goes to standard error, and what it makes to standard output. Colours are used on a terminal
only, and not where the variable `NO_COLOR` is set. No message holds a credential.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | an error in the input, a warning with `--fail-on warning`, or something that would change with `--check` |
| 2 | wrong usage: an option or a path that does not exist, no ProxyConfig |
| 3 | a bug of this program; nothing was written |
| 130 | interrupted |

"""


_FUNCTION = """
## Without a command

    inject-proxy [OPTIONS] < resourcelist.yaml

"""


def page() -> str:
    """Return the whole page."""
    commands = [f"| [`{name}`](#{name}) | {parser_of(name).summary} |\n" for name in MODULES]
    head = "".join([_HEAD, "| command | what it does |\n|---|---|\n", *commands])
    function = _options(function_parser())
    sections = [_section(parser_of(name)) for name in MODULES]
    return "".join([head, _FUNCTION, function, *sections])


def _section(made: CommandParser) -> str:
    usage = "".join(f"    {form}\n" for form in made.forms)
    parts = [f"\n## {made.name}\n\nIt {_verb(made.summary)}.\n\n{usage}\n", _options(made)]
    parts += [f"\n{_without_marks(note)}\n" for note in made.notes]
    parts.append("\n```sh\n")
    parts += [f"# {purpose}\n{line}\n" for line, purpose in made.examples]
    return "".join([*parts, "```\n"])


def _verb(summary: str) -> str:
    """Return a summary as the rest of a sentence that begins with "It"."""
    if summary.startswith("who "):
        return f"says {summary}"
    return f"prints {summary}" if summary.startswith("a ") else summary


def _without_marks(note: str) -> str:
    """Return a note in Markdown: a star is no emphasis."""
    note = note[0].upper() + note[1:] if note.startswith("exit codes") else note
    return note.replace("*", "\\*")


def _options(made: CommandParser) -> str:
    rows = "| argument | what it does |\n|---|---|\n"
    for action in made.actions():
        names = names_of(action).replace("|", "\\|")
        rows += f"| `{names}` | {(action.help or '').replace('|', chr(92) + '|')} |\n"
    return rows
