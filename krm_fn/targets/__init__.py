"""The table of targets.

Each module holds one target as ``TARGET``, or those of a table as ``TARGETS``. A module is
imported when an object of one of its kinds occurs, or when its target is asked for by its ID: most of
the time of a run over a small list is imports.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from types import ModuleType

from krm_fn.light_typing import TYPE_CHECKING
from krm_fn.target_table import ROWS
from krm_fn.targets.class_context import ClassContext
from krm_fn.targets.context import Context, Options, Reach, Writes

if TYPE_CHECKING:
    from krm_fn.targets.base import Target  # with what edits objects

__all__ = [
    "TARGETS",
    "ClassContext",
    "Context",
    "Options",
    "Reach",
    "Writes",
    "filling_references",
    "filling_values",
    "module_of",
    "of_kinds",
    "reference_words_of",
    "text_hints_of",
    "with_references",
]


class _Targets(Mapping[str, "Target"]):
    """The targets by their keys under ``spec.targets``; each one is imported when it is asked for."""

    def __init__(self) -> None:
        self._imported: dict[str, Target] = {}

    def __getitem__(self, target_id: str) -> Target:
        if target_id not in self._imported:
            module = module_of(target_id)
            several = getattr(module, "TARGETS", None)
            self._imported[target_id] = several[target_id] if several else module.TARGET
        return self._imported[target_id]

    def __iter__(self) -> Iterator[str]:
        return iter(ROWS)

    def __len__(self) -> int:
        return len(ROWS)


TARGETS: Mapping[str, Target] = _Targets()
"""The key under ``spec.targets`` -> the target, in the order in which they edit one object."""


def module_of(target_id: str) -> ModuleType:
    """Return the module that holds a target and describes it; its key must be in the table."""
    return import_module(f"{__name__}.{ROWS[target_id].module}")


def text_hints_of(target_id: str) -> tuple[str, ...]:
    """Return the text hints that the table has for a target (see ``TargetRow``); the target itself may have others."""
    return ROWS[target_id].text_hints


def reference_words_of(target_id: str) -> tuple[str, ...]:
    """Return words of which one is in the text of every object whose references a target knows."""
    return ROWS[target_id].reference_words


@cache
def _by_kind() -> Mapping[str, set[str]]:
    """Return the name of each kind -> the targets that edit objects of it, or create others beside them."""
    by_kind: dict[str, set[str]] = {}
    for target_id, row in ROWS.items():
        for kind in row.kinds:
            by_kind.setdefault(kind, set()).add(target_id)
    return by_kind


def of_kinds(kinds: frozenset[str]) -> set[str]:
    """Return the keys of the targets that edit objects of some kinds, or create others beside them.

    Args:
        kinds: names of kinds; empty if they are not known, and any target may be concerned.
    """
    by_kind = _by_kind()
    return {*ROWS} if not kinds else {name for kind in kinds for name in by_kind.get(kind, ())}


def with_references() -> Iterator[str]:
    """Yield the keys of the targets that know what other objects refer to (``Target.note_references``)."""
    for target_id, row in ROWS.items():
        if row.reference_words:
            yield target_id


def filling_references() -> Iterator[str]:
    """Yield the keys of the targets that write the objects that others refer to."""
    for target_id, row in ROWS.items():
        if row.fills_references:
            yield target_id


def filling_values() -> Iterator[str]:
    """Yield the keys of the targets that write values of charts in the objects from which these come."""
    for target_id, row in ROWS.items():
        if row.fills_values:
            yield target_id
