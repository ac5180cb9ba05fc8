"""``inject-proxy schema``: the JSON Schema of a ProxyConfig, for editors and for checks in CI."""

from __future__ import annotations

import json
from argparse import Namespace

from krm_fn import config
from krm_fn.cli.streams import Answer


def run(args: Namespace) -> Answer:  # noqa: ARG001 -- all commands take the same argument
    """Print the schema."""
    return Answer([f"{json.dumps(config.schema(), indent=2, ensure_ascii=False)}\n".encode()])
