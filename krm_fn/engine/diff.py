"""The JSON Patch (RFC 6902) that leads from one state of plain data to another.

An empty mapping that is filled is replaced as a whole. Items of lists are paired by ``yamledit.pairs``, so that one
that changes is changed in place.
"""

from __future__ import annotations

from krm_fn import patch
from krm_fn.light_typing import Any, Fields
from krm_fn.patch import APPEND, Operation, Pointer
from krm_fn.yamledit import same
from krm_fn.yamledit.pairs import pair_items


def diff(before: Any, after: Any) -> list[Operation]:
    """Return the operations from ``before`` to ``after``, to be applied one after another.

    No operation where both say the same, whatever the order of their keys.
    """
    operations: list[Operation] = []
    _compare(before, after, (), operations)
    return operations


def _compare(before: Any, after: Any, path: Pointer, operations: list[Operation]) -> None:
    """Add the operations from one value to another at a path."""
    is_filled = path and not before and after
    if isinstance(before, dict) and isinstance(after, dict) and not is_filled:
        _compare_members(before, after, path, operations)
    elif isinstance(before, list) and isinstance(after, list):
        _compare_items(before, after, path, operations)
    elif not same(before, after):
        operations.append(patch.replace(*path, value=after))


def _compare_members(
    before: Fields, after: Fields, path: Pointer, operations: list[Operation]
) -> None:
    operations += [patch.remove(*path, key) for key in before if key not in after]
    for key, value in after.items():
        if key not in before:
            operations.append(patch.add(*path, key, value=value))
        elif before[key] is not value:  # a draft copies only collections that change
            _compare(before[key], value, (*path, key), operations)


def _compare_items(
    before: list[Any], after: list[Any], path: Pointer, operations: list[Operation]
) -> None:
    """Add changes at old indexes, then removals from the back, then additions from the front."""
    pairs = pair_items(before, after)
    for old, new in pairs:
        if before[old] is not after[new]:
            _compare(before[old], after[new], (*path, str(old)), operations)
    kept = dict(pairs)
    gone = [index for index in reversed(range(len(before))) if index not in kept]
    operations += [patch.remove(*path, index) for index in gone]
    partners = set(kept.values())
    length = len(pairs)
    for index, item in enumerate(after):
        if index in partners:
            continue
        # At the end of the list no index is needed, and the operation fits whatever its length is.
        at = APPEND if index == length else index
        operations.append(patch.add(*path, at, value=item))
        length += 1
