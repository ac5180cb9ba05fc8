"""Which items of a list before are which items of the list after.

An item that stays keeps its text, comments included, and one that changes is changed in place. Items are paired if they
are equal, then if they have the same name or path, then by their position between items that are paired already.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from krm_fn.light_typing import Any
from krm_fn.yamledit.data import same

_NATURAL_KEYS = ("name", "path")
"""Members that identify an item of a list: containers and variables by name, files by path."""

Pair = tuple[int, int]
"""Index of an item in the list before, and of its partner in the list after."""


def pair_items(before: Sequence[Any], after: Sequence[Any]) -> list[Pair]:
    """Pair the items of a list with the items that they become, in the order of both lists."""
    pairs: list[Pair] = []
    equal = _equal_items(before, after)
    for old, new in _gaps(equal, range(len(before)), range(len(after))):
        alike = _with_equal_keys(before, after, old, new)
        pairs += alike
        for inner_old, inner_new in _gaps(alike, old, new):
            pairs += _by_position(before, after, inner_old, inner_new)
    return sorted([*equal, *pairs])


def _equal_items(before: Sequence[Any], after: Sequence[Any]) -> list[Pair]:
    """Pair equal items; those at both ends first, because nearly all items of a list stay."""
    shorter = min(len(before), len(after))
    head = 0
    while head < shorter and same(before[head], after[head]):
        head += 1
    tail = 0
    while tail < shorter - head and same(before[-1 - tail], after[-1 - tail]):
        tail += 1
    pairs = [(index, index) for index in range(head)]
    if head + tail == shorter:  # only items that come, or only items that go
        return pairs + [(len(before) - end, len(after) - end) for end in range(tail, 0, -1)]
    old = [comparable(item) for item in before[head : len(before) - tail]]
    new = [comparable(item) for item in after[head : len(after) - tail]]
    pairs += [(head + at, head + to) for at, to in _matches(old, new)]
    pairs += [(len(before) - end, len(after) - end) for end in range(tail, 0, -1)]
    return pairs


def comparable(item: Any) -> str:
    """Return a text that is equal where ``same`` is true of two items."""
    return json.dumps(item, sort_keys=True)


def _gaps(pairs: Sequence[Pair], old: range, new: range) -> Iterator[tuple[range, range]]:
    """Yield the ranges between pairs, where both lists have items."""
    start_old, start_new = old.start, new.start
    for at_old, at_new in [*pairs, (old.stop, new.stop)]:
        if start_old < at_old and start_new < at_new:
            yield range(start_old, at_old), range(start_new, at_new)
        start_old, start_new = at_old + 1, at_new + 1


def _with_equal_keys(
    before: Sequence[Any], after: Sequence[Any], old: range, new: range
) -> list[Pair]:
    """Pair the items of two ranges that have the same natural key."""
    keys_before = [_natural_key(before[index]) or f"old {index}" for index in old]
    keys_after = [_natural_key(after[index]) or f"new {index}" for index in new]
    return [(old.start + at, new.start + to) for at, to in _matches(keys_before, keys_after)]


def _by_position(
    before: Sequence[Any], after: Sequence[Any], old: range, new: range
) -> Iterator[Pair]:
    """Pair each item of a range with the next one, of its type unless the ranges have one length.

    One that has a natural key is another item, unless it is a reference of which only the name is another one.
    """
    start = new.start
    for at in old:
        for to in range(start, new.stop):
            has_key = _natural_key(before[at]) or _natural_key(after[to])
            is_alike = len(old) == len(new) or type(before[at]) is type(after[to])
            if (is_alike and not has_key) or _is_renamed(before[at], after[to]):
                yield at, to
                start = to + 1
                break


def _is_renamed(before: Any, after: Any) -> bool:
    """Return whether two items are references with kind and name that differ in the name alone."""
    if not (isinstance(before, dict) and isinstance(after, dict) and "kind" in before):
        return False
    return same({**before, "name": None}, {**after, "name": None})


def _matches(before: Sequence[str], after: Sequence[str]) -> list[Pair]:
    """Return the pairs of equal texts of two sequences, in the order of both."""
    if not (before and after):
        return []
    from difflib import SequenceMatcher  # noqa: PLC0415 -- most edits only add items

    pairs: list[Pair] = []
    for match in SequenceMatcher(None, before, after, autojunk=True).get_matching_blocks():
        pairs += [(match.a + offset, match.b + offset) for offset in range(match.size)]
    return pairs


def _natural_key(item: Any) -> str | None:
    """Return the name or path of an item; of a text, the part before its first "="; None without either."""
    if isinstance(item, str):
        name, equals, _ = item.partition("=")
        return f"={name}" if equals else None
    if isinstance(item, dict):
        for key in _NATURAL_KEYS:
            if isinstance(item.get(key), str):
                return f"{key} {item[key]}"
    return None
