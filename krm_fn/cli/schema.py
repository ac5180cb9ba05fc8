"""``inject-proxy schema``: the JSON Schema of a ProxyConfig, for editors and for checks in CI."""

from __future__ import annotations

import json
from collections.abc import Callable

from krm_fn import config
from krm_fn.cli.command_result import CommandResult
from krm_fn.cli.parser import CommandParser
from krm_fn.errors import UsageError


def parser() -> CommandParser:
    """Return the parser of this command."""
    command = CommandParser(
        "schema",
        usage=[""],
        examples=[
            ("inject-proxy schema > proxyconfig.schema.json", "for an editor"),
            (
                "# yaml-language-server: $schema=proxyconfig.schema.json",
                "the first line of proxy.yaml, for the YAML language server",
            ),
        ],
    )
    return command.common()


def run(arguments: list[str], read_stdin: Callable[[], bytes]) -> CommandResult:  # noqa: ARG001 -- all take the same arguments
    """Print the schema.

    Raises:
        UsageError: a word, which this command does not take.
        InternalError: this installation has no schema.
    """
    if parser().parse(arguments).words:
        raise UsageError("`inject-proxy schema` must be without arguments")
    return CommandResult(
        (json.dumps(config.schema(), indent=2, ensure_ascii=False) + "\n").encode()
    )
