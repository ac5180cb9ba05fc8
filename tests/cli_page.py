"""Write `docs/cli.md`: each command with its purpose, examples and exit codes, from the parsers of the commands."""

from __future__ import annotations

from krm_fn.cli.commands import MODULES
from krm_fn.cli.help import parser_of
from krm_fn.cli.parser import CommandParser

_HEAD = """\
<!-- `make docs` writes this page from the parsers in krm_fn/cli: change it there. -->

# Command line

With a command, `inject-proxy` works on files, folders and streams. Each command has its options and details in
`inject-proxy COMMAND --help`.

What a command reports goes to standard error, and what it makes to standard output. Colours are used on a terminal
only, and not where the variable `NO_COLOR` is set. No message holds a credential. A command without exit codes of its
own below has these:

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | an error in the input |
| 2 | wrong usage: an option or a path that does not exist, a file or folder that may not be read, no ProxyConfig |
| 3 | a bug of this program; nothing was written |
| 130 | interrupted |

## Without a command

`inject-proxy` is a KRM function: it reads a ResourceList on standard input and writes it to standard output, as
kustomize and kpt run it. With `--fail-on warning` a warning makes the exit code 1, too.
"""

_EXAMPLES = 2
"""So many show what a command is for; `--help` has all."""


def page() -> str:
    """Return the whole page."""
    return "".join([_HEAD, *(_section(parser_of(name)) for name in MODULES)])


def _section(made: CommandParser) -> str:
    parts = [f"\n## {made.name}\n\nIt {_verb(made.summary)}.\n"]
    parts.append("\n```sh\n")
    parts += [f"# {purpose}\n{line}\n" for line, purpose in made.examples[:_EXAMPLES]]
    parts.append("```\n")
    # What other commands read of a folder is what `run` reads.
    shown = [note for note in made.notes if note.startswith("exit codes")]
    if made.name == "run":
        shown.insert(0, made.notes[0])
    parts += [f"\n{_without_common_codes(note[0].upper() + note[1:])}\n" for note in shown]
    return "".join(parts)


def _without_common_codes(note: str) -> str:
    """Return a note without the exit codes that are the same for each command."""
    return note.partition("; 2 wrong usage")[0].removesuffix(".") + "."


def _verb(summary: str) -> str:
    """Return a summary as the rest of a sentence that begins with "It"."""
    if summary.startswith("who "):
        return f"says {summary}"
    return f"prints {summary}" if summary.startswith("a ") else summary
