"""The targets, each made of its row in ``target_table`` and of the class that its module names ``TARGET``.

A module is imported when an object of one of its kinds occurs, or when its target is asked for by its ID: most of the
time of a run over a small list is imports.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from types import ModuleType

from krm_fn.light_typing import TYPE_CHECKING
from krm_fn.target_table import ROWS
from krm_fn.targets.context import ClassContext, Context, Reach, Writes

if TYPE_CHECKING:
    from krm_fn.targets.base import Target  # with what edits objects

__all__ = [
    "TARGETS",
    "ClassContext",
    "Context",
    "Reach",
    "Writes",
    "module_of",
]


class _Targets(Mapping[str, "Target"]):
    """The targets by their IDs; each one is imported when it is asked for."""

    def __init__(self) -> None:
        self._imported: dict[str, Target] = {}

    def __getitem__(self, target_id: str) -> Target:
        if target_id not in self._imported:
            target_class = module_of(target_id).TARGET
            self._imported[target_id] = target_class(target_id)
        return self._imported[target_id]

    def __iter__(self) -> Iterator[str]:
        return iter(ROWS)

    def __len__(self) -> int:
        return len(ROWS)


TARGETS: Mapping[str, Target] = _Targets()
"""ID -> the target, in the order in which they edit one object."""


def module_of(target_id: str) -> ModuleType:
    """Return the module that holds the class of a target of the table."""
    return import_module(f"{__name__}.{ROWS[target_id].module}")
