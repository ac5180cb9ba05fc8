"""Which items of a list before are which items of the list after.

An item that stays keeps its text, comments included, and one that changes is changed in place. Items are paired if they
are equal, then if they have the same name or path, then by their position between items that are paired already.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import takewhile

from krm_fn.light_typing import Any
from krm_fn.yamledit.data import same

# Members that identify an item of a list: containers and variables by name, files by path.
_NATURAL_KEYS = ("name", "path")

# Index of an item in the list before, and of its partner in the list after.
Pair = tuple[int, int]


def pair_items(before: Sequence[Any], after: Sequence[Any]) -> list[Pair]:
    """Pair the items of a list with the items that they become, in the order of both lists."""
    # Nearly all items of a list stay: those at both ends first.
    head, tail = common_ends(before, after, _is_one)
    pairs = [(index, index) for index in range(head)]
    rest = range(len(before) - tail, len(before))
    longer = len(after) - len(before)
    pairs += [(index, index + longer) for index in rest]
    shorter = min(len(before), len(after))
    if head + tail == shorter:
        return pairs
    ends = (len(before), len(after))
    equal = partial(_matches, key=comparable)
    of_one_name = partial(_matches, key=_natural_key)
    # Each rule sees the gaps that the one before has left, so that no later pair crosses an earlier one.
    for match in (equal, of_one_name, _by_position):
        gaps = list(_gaps([*pairs, ends]))
        for old, new in gaps:
            pairs += match(before, after, old, new)
        pairs.sort()
    return pairs


def common_ends(
    old: Sequence[Any], new: Sequence[Any], is_equal: Callable[[Any, Any], bool]
) -> tuple[int, int]:
    """Return how many items two sequences have in common at their beginning, and at their end behind that."""
    head = sum(takewhile(bool, map(is_equal, old, new)))
    rest_old = reversed(old[head:])
    rest_new = reversed(new[head:])
    tail = sum(takewhile(bool, map(is_equal, rest_old, rest_new)))
    return head, tail


def _is_one(before: Any, after: Any) -> bool:
    """Return whether two items at the same end of their lists are one, whatever else it says now."""
    name = _natural_key(before)
    if name:
        return name == _natural_key(after)
    return same(before, after)


def comparable(item: Any) -> str:
    """Return a text that is equal where ``same`` is true of two items."""
    return json.dumps(item, sort_keys=True)


def _gaps(pairs: Sequence[Pair]) -> Iterator[tuple[range, range]]:
    """Yield the ranges in front of pairs, where both lists have items."""
    start_old = 0
    start_new = 0
    for at_old, at_new in pairs:
        if start_old < at_old and start_new < at_new:
            yield range(start_old, at_old), range(start_new, at_new)
        start_old = at_old + 1
        start_new = at_new + 1


def _matches(
    before: Sequence[Any],
    after: Sequence[Any],
    old: range,
    new: range,
    key: Callable[[Any], str | None],
) -> list[Pair]:
    """Pair the items of two ranges that have an equal key, in the order of both."""
    keys_before = [key(before[index]) or f"old {index}" for index in old]
    keys_after = [key(after[index]) or f"new {index}" for index in new]
    pairs: list[Pair] = []
    if set(keys_before).isdisjoint(keys_after):
        return pairs
    from difflib import SequenceMatcher  # noqa: PLC0415 -- most edits add items in one place

    matcher = SequenceMatcher(None, keys_before, keys_after)
    for at_old, at_new, size in matcher.get_matching_blocks():
        equal_old = old[at_old : at_old + size]
        equal_new = new[at_new : at_new + size]
        pairs += zip(equal_old, equal_new, strict=True)
    return pairs


def _by_position(
    before: Sequence[Any], after: Sequence[Any], old: range, new: range
) -> Iterator[Pair]:
    """Pair each item of a range with the next one, of its type unless the ranges have one length.

    One that has a natural key is another item, unless it is a reference of which only the name is another one.
    """
    has_one_length = len(old) == len(new)
    start = new.start
    for at in old:
        for to in range(start, new.stop):
            item = before[at]
            other = after[to]
            if _natural_key(item) or _natural_key(other):
                is_alike = _is_renamed(item, other)
            elif has_one_length:
                is_alike = True
            else:
                is_alike = type(item) is type(other)
            if is_alike:
                yield at, to
                start = to + 1
                break


def _is_renamed(before: Any, after: Any) -> bool:
    """Return whether two items are references with kind and name that differ in the name alone."""
    if type(before) is not dict or type(after) is not dict:
        return False
    if "kind" not in before:
        return False
    return same({**before, "name": None}, {**after, "name": None})


def _natural_key(item: Any) -> str | None:
    """Return the name or path of an item; of a text, the part before its first "="; None without either."""
    if isinstance(item, str):
        name, equals, _ = item.partition("=")
        if equals:
            return f"={name}"
    if isinstance(item, dict):
        for key in _NATURAL_KEYS:
            if isinstance(item.get(key), str):
                return f"{key} {item[key]}"
    return None
