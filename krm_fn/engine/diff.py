"""The JSON Patch (RFC 6902) that leads from one state of plain data to another.

An empty mapping that is filled is replaced as a whole. Items of lists are paired by ``yamledit.pairs``, so that one
that changes is changed in place.
"""

from __future__ import annotations

from collections.abc import Iterator

from krm_fn import patch
from krm_fn.light_typing import Any, Fields
from krm_fn.patch import APPEND, Operation, Pointer
from krm_fn.yamledit import same
from krm_fn.yamledit.pairs import pair_items


def diff(before: Any, after: Any) -> list[Operation]:
    """Return the operations from ``before`` to ``after``, to be applied one after another.

    No operation where both say the same, whatever the order of their keys.
    """
    return list(_values(before, after, ()))


def _values(before: Any, after: Any, path: Pointer) -> Iterator[Operation]:
    is_filled = path and not before and after
    if isinstance(before, dict) and isinstance(after, dict) and not is_filled:
        yield from _members(before, after, path)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _items(before, after, path)
    elif not same(before, after):
        yield patch.replace(*path, value=after)


def _members(before: Fields, after: Fields, path: Pointer) -> Iterator[Operation]:
    for key in before:
        if key not in after:
            yield patch.remove(*path, key)
    for key, value in after.items():
        if key not in before:
            yield patch.add(*path, key, value=value)
        elif before[key] is not value:
            yield from _values(before[key], value, (*path, key))


def _items(before: list[Any], after: list[Any], path: Pointer) -> Iterator[Operation]:
    """Yield changes at old indices, then removals from the back, then additions from the front."""
    pairs = pair_items(before, after)
    for old, new in pairs:
        if before[old] is not after[new]:
            yield from _values(before[old], after[new], (*path, str(old)))
    kept = dict(pairs)
    for index in reversed(range(len(before))):
        if index not in kept:
            yield patch.remove(*path, index)
    partners = set(kept.values())
    length = len(pairs)
    for index, item in enumerate(after):
        if index in partners:
            continue
        at = APPEND if index == length else index
        yield patch.add(*path, at, value=item)
        length += 1
