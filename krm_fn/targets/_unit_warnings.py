"""What the text of a unit file sets, and what changes in it, in words for a person.

It words what ``unit_variables`` reads, and decides nothing.
"""

from __future__ import annotations

from krm_fn.carriers import unit_variables
from krm_fn.carriers.site import quoted


def shown(text: str) -> str:
    """Return the variables that a text sets, one per line."""
    return "\n".join(f"{name}={value}" for name, value in unit_variables.read(text).items())


def difference(old: str, new: str, unit: str) -> str:
    """Return what changes for the service ``unit`` when ``new`` replaces ``old``."""
    before, after = unit_variables.read(old), unit_variables.read(new)
    changed = [name for name, value in after.items() if before.get(name) != value]
    gone = [name for name in before if name not in after]
    parts = [
        f"{verb} {quoted(some)}" for verb, some in (("sets", changed), ("removes", gone)) if some
    ]
    return f"{' and '.join(parts) or 'removes repeated assignments of proxy variables'} for {unit}"
