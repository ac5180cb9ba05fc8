"""``inject-proxy targets``: the places that hold a proxy, or the page of a target."""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Sequence

from krm_fn.cli.streams import Answer
from krm_fn.config import names_of_only
from krm_fn.errors import UsageError
from krm_fn.near_names import did_you_mean
from krm_fn.target_table import ROWS, SYSTEMS, system_of
from krm_fn.targets.pages import introduction_of, section_of, title_of

_NOT_SHOWN = r"\[([^\[\]\n]+)\]\([^()\s]+\)| <!--[^\n]*-->"


def run(args: Namespace) -> Answer:
    """Print a list, a page, or of a system its list and then the page of the target of the same name."""
    name = args.name
    if name is None:
        return Answer([_table(list(ROWS)).encode()])
    targets = SYSTEMS.get(name, (name,))
    shown = _table(targets) if targets != (name,) else ""
    if name in ROWS:
        shown += f"\n{_page(name)}" if shown else _page(name)
    if shown:
        return Answer([shown.encode()])
    known = names_of_only()
    advice = did_you_mean(name, known) or f"; known are {', '.join(known)}"
    raise UsageError(f'"{name}" is neither a target nor a system{advice}')


def _table(names: Sequence[str]) -> str:
    width = max(map(len, names))
    return "".join(f"{name:<{width}}  {title_of(name)}.\n" for name in names)


def _page(name: str) -> str:
    """Return the section about a target on the page of its system, in Markdown without links and comments."""
    text = f"# {name}\n\n{section_of(name)}\n\n#{introduction_of(system_of(name))}\n"
    return re.sub(_NOT_SHOWN, r"\1", text)
