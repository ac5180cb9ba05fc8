"""The JSON Patch (RFC 6902) that leads from one state of plain data to another.

The two states are what ``yamledit.view`` makes of a document: dict, list, str, int, float, bool and
None. The order of the keys of a mapping counts for members that are new: each one is placed in front
of the old member that follows it. An empty mapping that is filled is replaced as a whole, unless it
stays when its members go again: what becomes of it then is for the writer to note.

Items of lists are paired, so that an item that stays keeps its text, comments included, and one that
changes is changed in place: by equality, then by their natural key, then by their position between
items that are paired already. Items that have no partner are removed or added.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from krm_fn import patch
from krm_fn.light_typing import Any
from krm_fn.patch import APPEND, Operation, Pointer
from krm_fn.yamledit import same

_NATURAL_KEYS = ("name", "path")
"""Members that identify an item of a list: containers and variables by name, files by path."""

_Pair = tuple[int, int]
"""Index of an item in the list before, and of its partner in the list after."""
_Gap = tuple[range, range]
"""Indices of items in the list before, and in the list after."""


class Copied:
    """A mapping or a list that was copied to be changed, and what only the one who changes it knows.

    Attributes:
        data: the copy.
        origins: for each item of a list the index that it had before, in rising order, and None for
            one that is new or moves; None where ``diff`` is to find out.
        stays: a mapping that is there, although empty, when what was put into it is removed.
    """

    __slots__ = ("data", "origins", "stays")

    def __init__(self, data: Any, *, like: Copied | None = None) -> None:
        self.data = data
        self.origins: list[int | None] | None = None
        self.stays = False
        if like is not None:
            self.origins = None if like.origins is None else list(like.origins)
            self.stays = like.stays


Copies = Mapping[int, Copied]
"""What is known of the copies in a state of data, by their identity (``id``)."""


def diff(before: Any, after: Any, copies: Copies = MappingProxyType({})) -> list[Operation]:
    """Return the operations that make ``after`` of ``before``, to be applied one after another.

    Args:
        before: plain data of an object.
        after: plain data of the same object, as it should be.
        copies: what is known of mappings and lists in ``after``; items of all other lists are paired
            as the module says.

    Returns:
        No operation where both say the same, whatever the order of their keys.
    """
    return list(_values(before, after, (), copies))


def _values(before: Any, after: Any, path: Pointer, copies: Copies) -> Iterator[Operation]:
    if before is after:
        return
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _members(before, after, path, copies)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _items(before, after, path, copies)
    elif not same(before, after):
        yield patch.replace(*path, value=after)


def _members(
    before: Mapping[str, Any], after: Mapping[str, Any], path: Pointer, copies: Copies
) -> Iterator[Operation]:
    if path and after and not before:
        copied = copies.get(id(after))
        if copied is None or not copied.stays:
            yield patch.replace(*path, value=after)
            return
    for key in before:
        if key not in after:
            yield patch.remove(*path, key)
    keys = list(after)
    following = _following(keys, before)
    for key, next_old in zip(keys, following, strict=True):
        if key in before:
            yield from _values(before[key], after[key], (*path, key), copies)
        else:
            yield patch.add(*path, key, value=after[key], before=next_old)


def _following(keys: Sequence[str], old: Mapping[str, Any]) -> list[str]:
    """Return, for each key, the next key behind it that is in ``old``; "" where there is none."""
    found: list[str] = []
    next_old = ""
    for key in reversed(keys):
        found.append(next_old)
        if key in old:
            next_old = key
    return found[::-1]


def _items(
    before: list[Any], after: list[Any], path: Pointer, copies: Copies
) -> Iterator[Operation]:
    """Yield changes at old indices, then removals from the back, then additions from the front."""
    copied = copies.get(id(after))
    pairs = None
    if copied is not None and copied.origins is not None:
        pairs = _known_pairs(before, after, copied.origins)
    if pairs is None:
        pairs = pair_items(before, after)
    for old, new in pairs:
        yield from _values(before[old], after[new], (*path, str(old)), copies)
    kept = {old for old, _ in pairs}
    for index in reversed(range(len(before))):
        if index not in kept:
            yield patch.remove(*path, index)
    paired = {new for _, new in pairs}
    length = len(pairs)
    for index, item in enumerate(after):
        if index in paired:
            continue
        yield patch.add(*path, APPEND if index == length else index, value=item)
        length += 1


def _known_pairs(
    before: Sequence[Any], after: Sequence[Any], origins: Sequence[int | None]
) -> list[_Pair] | None:
    """Return the pairs that ``origins`` say; None where they say nothing about these two lists."""
    if len(origins) != len(after):
        return None
    pairs = [(old, new) for new, old in enumerate(origins) if old is not None]
    indices = [old for old, _ in pairs]
    if sorted(set(indices)) != indices or (indices and indices[-1] >= len(before)):
        return None
    return pairs


def pair_items(before: Sequence[Any], after: Sequence[Any]) -> list[_Pair]:
    """Return which items of two lists are the same item, in the order of both lists."""
    equal = _equal_items(before, after)
    pairs = list(equal)
    for gap in _gaps(equal, (range(len(before)), range(len(after)))):
        with_equal_keys = _with_equal_keys(before, after, gap)
        pairs += with_equal_keys
        for inner_gap in _gaps(with_equal_keys, gap):
            pairs += _by_position(before, after, inner_gap)
    return sorted(pairs)


def _gaps(pairs: Sequence[_Pair], whole: _Gap) -> Iterator[_Gap]:
    """Yield what is between the pairs in both lists, where neither of the two is empty."""
    old, new = whole
    start_old, start_new = old.start, new.start
    for at_old, at_new in [*pairs, (old.stop, new.stop)]:
        if start_old < at_old and start_new < at_new:
            yield range(start_old, at_old), range(start_new, at_new)
        start_old, start_new = at_old + 1, at_new + 1


def _equal_items(before: Sequence[Any], after: Sequence[Any]) -> list[_Pair]:
    """Pair equal items; those at both ends first, because nearly all items of a list stay."""
    shorter = min(len(before), len(after))
    head = 0
    while head < shorter and same(before[head], after[head]):
        head += 1
    tail = 0
    while tail < shorter - head and same(before[-1 - tail], after[-1 - tail]):
        tail += 1
    pairs = [(index, index) for index in range(head)]
    old = [_comparable(item) for item in before[head : len(before) - tail]]
    new = [_comparable(item) for item in after[head : len(after) - tail]]
    pairs += ((head + at, head + to) for at, to in _matches(old, new))
    ends = range(tail, 0, -1)
    return [*pairs, *((len(before) - end, len(after) - end) for end in ends)]


def _with_equal_keys(before: Sequence[Any], after: Sequence[Any], gap: _Gap) -> list[_Pair]:
    """Pair items that have the same natural key."""
    old, new = gap
    # An item without a key gets one that no other item has.
    keys_before = [_natural_key(before[index]) or ("old", str(index)) for index in old]
    keys_after = [_natural_key(after[index]) or ("new", str(index)) for index in new]
    return [(old.start + at, new.start + to) for at, to in _matches(keys_before, keys_after)]


def _by_position(before: Sequence[Any], after: Sequence[Any], gap: _Gap) -> Iterator[_Pair]:
    """Pair items by their position, but none that has a natural key: that is another item."""
    for at, to in zip(*gap, strict=False):
        if _natural_key(before[at]) is None and _natural_key(after[to]) is None:
            yield at, to


def _matches(before: Sequence[Any], after: Sequence[Any]) -> Iterator[_Pair]:
    """Yield the pairs of equal items of two sequences of hashable items, in the order of both."""
    if not (before and after):
        return
    from difflib import SequenceMatcher  # noqa: PLC0415 -- most edits only add items

    # The heuristic of difflib leaves out what is in a long list again and again: without it, such
    # lists would take quadratic time.
    for match in SequenceMatcher(None, before, after, autojunk=True).get_matching_blocks():
        for offset in range(match.size):
            yield match.a + offset, match.b + offset


def _natural_key(item: Any) -> tuple[str, str] | None:
    """Return what identifies an item; None where nothing does.

    A string is identified by what is in front of its first "=": commands that set a variable.
    """
    if isinstance(item, str):
        name, equals, _ = item.partition("=")
        return ("=", name) if equals else None
    if isinstance(item, Mapping):
        for key in _NATURAL_KEYS:
            if isinstance(item.get(key), str):
                return (key, item[key])
    return None


def _comparable(item: Any) -> Any:
    """Return a hashable value that is equal where ``same`` is true of two items."""
    if isinstance(item, Mapping):
        return ("mapping", frozenset((key, _comparable(value)) for key, value in item.items()))
    if isinstance(item, list):
        return ("list", tuple(_comparable(value) for value in item))
    return (type(item).__name__, item)
