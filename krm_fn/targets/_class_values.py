"""The variable of one Cluster: its value for all nodes, and for those groups of workers that differ.

The law of this room: it is written where the class, or the Cluster as a whole, says something else; else it goes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from krm_fn.patch import Pointer, lookup, replace
from krm_fn.results import Change, Finding, Severity
from krm_fn.settings import ProxySettings
from krm_fn.targets._around import Around
from krm_fn.targets._class_patches import value_of
from krm_fn.targets._class_templates import VARIABLE
from krm_fn.targets._cluster_variables import VARIABLES, appended, class_of, in_turn, lists, named, without

_GROUP = 5
"""So many steps lead to a group of workers: ``spec.topology.workers.<section>.<index>``."""


def propose(obj: Mapping[str, Any], settings: ProxySettings, around: Around) -> Iterator[Change | Finding]:
    """Yield what the variables of a Cluster lack or have too much; ``settings`` are those of its control plane."""
    if not around.is_known:
        if settings.variables():
            message = (
                f'its ClusterClass "{class_of(obj)}" must be in the list, so that it can be patched and this Cluster '
                "can be given what it needs: add it, or set `spec.targets.clusterClass.sharedTemplates` to `Union`"
            )
            yield Finding(Severity.WARNING, message, ("spec", "topology"), code="ClassNotInList")
        return
    yield from in_turn(
        obj, (partial(_edited, path=path, wanted=wanted) for path, wanted in _wanted(obj, settings, around))
    )


def _wanted(
    obj: Mapping[str, Any], settings: ProxySettings, around: Around
) -> Iterator[tuple[Pointer, dict[str, Any] | None]]:
    """Each list of variables that is ours to fill, and the value that it is to hold."""
    is_own = around.is_wanted and settings.variables() != around.default.variables()
    for path in lists(obj):
        if path == VARIABLES:
            yield path, value_of(settings) if is_own else None
        elif len(path) > _GROUP:
            name = lookup(obj, (*path[:_GROUP], "name"))
            group = around.groups.get((path[_GROUP - 2], str(name)), settings)
            is_different = around.is_wanted and group.variables() != settings.variables()
            yield path, value_of(group) if is_different else None


def _edited(obj: Mapping[str, Any], *, path: Pointer, wanted: dict[str, Any] | None) -> Iterator[Change | Finding]:
    entries = named(obj, path, VARIABLE)
    kept = len(VARIABLES) - 1 if path == VARIABLES else _GROUP
    for entry in entries if wanted is None else entries[:-1]:
        yield Change(without(obj, entry, kept), f"removes the variable `{VARIABLE}`")
    if wanted is None:
        return
    if not entries:
        yield appended(obj, path, {"name": VARIABLE, "value": wanted}, f"sets the variable `{VARIABLE}`")
    elif lookup(obj, (*entries[-1], "value")) != wanted:
        yield Change(replace(*entries[-1], "value", value=wanted), f"sets the variable `{VARIABLE}`")
