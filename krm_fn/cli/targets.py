"""``inject-proxy targets``: the places that hold a proxy, or the page of one of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from krm_fn.cli.command_result import CommandResult
from krm_fn.cli.parser import CommandParser
from krm_fn.config import fields, names_of_only
from krm_fn.errors import UsageError
from krm_fn.near_names import did_you_mean
from krm_fn.target_table import SYSTEMS, system_of
from krm_fn.targets import TARGETS
from krm_fn.targets.pages import OPTIONS, introduction_of, other_sections_of, section_of, title_of

_LINK = r"\[([^\[\]\n]+)\]\([^()\s]+\)"


def parser() -> CommandParser:
    """Return the parser of this command."""
    command = CommandParser(
        "targets",
        usage=["[ID|SYSTEM]"],
        examples=[
            ("inject-proxy targets", "list all targets"),
            ("inject-proxy targets tkg", "list those of a system"),
            ("inject-proxy targets kubeletDropIn", "print the page of a target"),
        ],
        notes=[f"The systems are {', '.join(SYSTEMS)}; `spec.only` takes them, too."],
    )
    command.words("ID|SYSTEM", "the ID of a target, for its page, or a system, for its targets")
    return command.common()


def run(arguments: list[str], read_stdin: Callable[[], bytes]) -> CommandResult:  # noqa: ARG001 -- all take the same arguments
    """Print a list, or a page.

    Raises:
        UsageError: there is no such target.
    """
    words = parser().parse(arguments).words
    if not words:
        return CommandResult(_table(tuple(TARGETS)).encode())
    if len(words) == 1 and words[0] in SYSTEMS:
        # A target can have the name of its system.
        text = f"\n{page(words[0])}" if words[0] in TARGETS else ""
        return CommandResult(f"{_table(SYSTEMS[words[0]])}{text}".encode())
    if len(words) == 1 and words[0] in TARGETS:
        return CommandResult(page(words[0]).encode())
    raise UsageError(_about_unknown(words))


def _about_unknown(words: list[str]) -> str:
    """Say what to write in the place of a name that is none of a target or system."""
    advice = did_you_mean(words[0], names_of_only())
    if len(words) == 1 and advice:
        return f'"{words[0]}" is neither a target nor a system: {advice}'
    names = ", ".join(names_of_only())
    return f"one of these must be named: {names}; without a name all are listed"


def page(name: str) -> str:
    """Return what the page of its system says about a target, with its options, in Markdown without links."""
    system = system_of(name)
    head = f"# {name}\n\nsystems: {', '.join(_systems(name))}"
    parts = [head, section_of(name), _options(name), f"#{introduction_of(system)}"]
    parts.append(other_sections_of(system))
    return re.sub(_LINK, _without_link, "\n\n".join(filter(None, parts))) + "\n"


def _without_link(link: re.Match[str]) -> str:
    """Return the text of a link: the name of a page in the folder `docs`, or the ID of a target, or of a section."""
    return f"docs/{link[1]}" if link[1].endswith(".md") else link[1]


def _options(name: str) -> str:
    """Return a line for each option of a target, from the JSON Schema."""
    above = f"targets.{name}."
    lines = [f"{OPTIONS}\n"]
    for path, field in fields().items():
        if path.startswith(above) and field["type"] != "object":
            default = f" (default `{json.dumps(field['default'])}`)" if "default" in field else ""
            lines.append(f"* `{path.removeprefix(above)}`{default}: {field['description']}")
    return "\n".join(lines)


def _table(names: tuple[str, ...]) -> str:
    """Return a line for each target: its ID, its systems, and its title."""
    rows = [(name, ", ".join(_systems(name)), title_of(name)) for name in names]
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    return "".join(
        f"{name:<{widths[0]}}  {systems:<{widths[1]}}  {title}.\n" for name, systems, title in rows
    )


def _systems(name: str) -> list[str]:
    return [system for system, members in SYSTEMS.items() if name in members]
