"""``spec.only``: the targets and systems that are on; all others are off.

A system is a name for several targets: those of one product, or of one kind of objects.
"""

from __future__ import annotations

from collections.abc import Mapping

from krm_fn.light_typing import Any
from krm_fn.target_table import ROWS, SYSTEMS


def names_of_only() -> tuple[str, ...]:
    """Return every name that ``spec.only`` may hold: systems, then targets."""
    return tuple(dict.fromkeys((*SYSTEMS, *ROWS)))


def enabled_targets(
    targets: Mapping[str, Mapping[str, Any]], only: list[str] | None
) -> Mapping[str, Mapping[str, Any]]:
    """Return the options of all targets with ``enabled: false`` for each one that ``only`` does not name.

    Args:
        targets: ``spec.targets``; a target that is off there stays off.
        only: ``spec.only``, or None where it is not given.
    """
    if only is None:
        return targets
    on = {target for name in only for target in SYSTEMS.get(name, (name,))}
    found = dict(targets)
    for name in ROWS:
        if name not in on:
            found[name] = {**targets.get(name, {}), "enabled": False}
    return found
