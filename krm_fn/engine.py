"""The data of one object while targets edit it, and the JSON Patch (RFC 6902) between two states of it.

A target sets values by path. The draft creates the mappings that are missing on the way, removes those
that become empty, and refuses to replace a value of another type. ``diff`` finds out afterwards which values the edits
changed. A step of a path into a list is its index, as a string.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from krm_fn import patch
from krm_fn.krm.results import Result, wrong_type
from krm_fn.light_typing import Any, Fields
from krm_fn.patch import APPEND, Operation, Pointer
from krm_fn.yamledit import same
from krm_fn.yamledit.pairs import pair_items

_MISSING = object()


class WrongTypeError(Exception):
    """A value at a path, or on the way there, has a wrong type; ``finding`` names the type, and not the value."""

    def __init__(self, path: Pointer, value: Any, wanted: str) -> None:
        self.finding = wrong_type(path, value, wanted)
        super().__init__(self.finding.message)


class Draft:
    """Plain data that may be edited, the data before, and the findings about it.

    A mapping or a list is copied when it is changed for the first time, so that ``diff`` passes over all that both
    states share.

    Args:
        data: plain data of an object, or of a document inside one; it is not changed.

    Attributes:
        before: the data as it was; to be read only.
        data: the data as it is now; to be read only.
        edits: how many times something was set, added or removed.
        findings: in the order in which they were reported.
        descriptions: a phrase for each change besides proxy variables.
    """

    def __init__(self, data: Any) -> None:
        self.before = data
        self.data = data
        self._copies: dict[int, Any] = {}
        self.edits = 0
        self.findings: list[Result] = []
        self.descriptions: list[str] = []

    def report(
        self,
        code: str,
        message: str,
        path: Pointer = (),
        *,
        is_info: bool = False,
        is_stale: bool = False,
    ) -> None:
        """Add a finding about the field at ``path``."""
        finding = Result(code, message, path, is_info=is_info, is_stale=is_stale)
        self.findings.append(finding)

    def describe(self, change: str) -> None:
        """Add a phrase for a change besides proxy variables, such as "restarts containerd"."""
        if change not in self.descriptions:
            self.descriptions.append(change)

    def get(self, path: Pointer, default: Any = None) -> Any:
        """Return the value at ``path``, or ``default`` where a step of it is missing."""
        return patch.lookup(self.data, path, default)

    def mapping(self, path: Pointer) -> Fields:
        """Return the mapping at ``path``; an empty one where nothing or null is there, or on the way.

        Raises:
            WrongTypeError: something else is there, or on the way.
        """
        members: Fields = self._collection(path, {}, "a mapping")
        return members

    def items(self, path: Pointer) -> list[Any]:
        """Return the list at ``path``; an empty one where nothing or null is there, or on the way.

        Raises:
            WrongTypeError: something else is there, or no mapping on the way.
        """
        items: list[Any] = self._collection(path, [], "a list")
        return items

    def set(self, path: Pointer, value: Any, before: Iterable[str] = ()) -> None:
        """Set the value at ``path`` and make the mappings on the way that are missing or null.

        Args:
            path: leads to a member of a mapping, or to an item that is in its list; () is the whole.
            value: plain data.
            before: names of members of the same mapping; a new member is placed in front of the first name that is
                there, else at the end.

        Raises:
            WrongTypeError: something else than a mapping or a list is on the way.
        """
        self._checked(path)
        existing = self.get(path, _MISSING)
        if existing is not _MISSING and same(existing, value):
            return
        self.edits += 1
        if not path:
            self.data = patch.copied(value)
            return
        parent = self._copy(path[:-1])
        step = _step(parent, path[-1])
        parent[step] = patch.copied(value)
        if existing is _MISSING:
            _move_last_before(parent, before)

    def append(self, path: Pointer, value: Any) -> None:
        """Add an item at the end of the list at ``path``; a list that is missing or null is made.

        Raises:
            WrongTypeError: something else than a list is there, or no mapping on the way.
        """
        items = self.items(path)
        self.set(path, [*items, value])

    def set_items(self, path: Pointer, items: Sequence[Any]) -> None:
        """Set the items of the list at ``path``, one that is missing or null is made; without items it is removed.

        Raises:
            WrongTypeError: something else than a list is there, or no mapping on the way.
        """
        existing = self.items(path)
        if items:
            self.set(path, list(items))
        elif existing:
            self.remove(path, keep=len(path) - 1)

    def remove(self, path: Pointer, keep: int = 0) -> None:
        """Remove the value at ``path``, and the mappings and lists that become empty.

        Args:
            path: leads to the value; nothing is done if it is not there.
            keep: so many steps of ``path`` lead to a collection that stays, even if it becomes empty.
        """
        if self.get(path, _MISSING) is _MISSING:
            return
        self.edits += 1
        if not path:
            self.data = None
            return
        above = path[:-1]
        parent = self._copy(above)
        step = _step(parent, path[-1])
        del parent[step]
        if not parent and len(above) > keep:
            self.remove(above, keep)

    def operations(self) -> list[Operation]:
        """Return the JSON Patch from the old data to the new data.

        Where nothing is left, that is the removal of the whole.
        """
        if not self.edits:
            return []
        if self.data is None and self.before is not None:
            return [Operation("remove", ())]
        return diff(self.before, self.data)

    def _collection(self, path: Pointer, empty: Any, wanted: str) -> Any:
        """Return the collection at ``path``; ``empty``, which has its type, where nothing or null is there."""
        value = self._checked(path)
        if value is None:
            return empty
        if not isinstance(value, type(empty)):
            raise WrongTypeError(path, value, wanted)
        return value

    def _checked(self, path: Pointer) -> Any:
        """Return the value at ``path``; None where a step of it is missing.

        Raises:
            WrongTypeError: something else than a mapping, or a list, is on the way.
        """
        value = self.data
        for depth, step in enumerate(path):
            if isinstance(value, dict):
                value = value.get(step)
            elif isinstance(value, list) and step.isdigit():
                value = patch.lookup(value, step)
            elif value is not None:
                raise WrongTypeError(path[:depth], value, "a mapping")
        return value

    def _copy(self, path: Pointer) -> Any:
        """Return a copy of the collection at ``path`` that may be changed; a new mapping if there is none."""
        value = self.get(path)
        if id(value) in self._copies:
            return value
        copy: Any = {}
        if value is not None:
            copy = value.copy()
        # Kept, so that no other object gets this identity.
        self._copies[id(copy)] = copy
        if path:
            parent = self._copy(path[:-1])
            parent[_step(parent, path[-1])] = copy
        else:
            self.data = copy
        return copy


def _step(parent: Any, token: str) -> str | int:
    """Return a step of a path as the index of a list, or the key of a mapping."""
    if isinstance(parent, list):
        return int(token)
    return token


def _move_last_before(mapping: Any, followers: Iterable[str]) -> None:
    """Move the last member of a mapping in front of the first of some members that is there."""
    for follower in followers:
        if follower in mapping:
            names = list(mapping)
            for name in names[names.index(follower) : -1]:
                mapping[name] = mapping.pop(name)
            return


def diff(before: Any, after: Any) -> list[Operation]:
    """Return the operations from ``before`` to ``after``, to be applied one after another.

    No operation where both say the same, whatever the order of their keys. An empty mapping that is filled is replaced
    as a whole. Items of lists are paired by ``yamledit.pairs``, so that one that changes is changed in place.
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
        operations.append(Operation("replace", path, after))


def _compare_members(
    before: Fields, after: Fields, path: Pointer, operations: list[Operation]
) -> None:
    gone = [key for key in before if key not in after]
    operations += [Operation("remove", (*path, key)) for key in gone]
    for key, value in after.items():
        if key not in before:
            operations.append(Operation("add", (*path, key), value))
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
    partners = {new: old for old, new in pairs}
    staying = set(partners.values())
    for index in reversed(range(len(before))):
        if index in staying:
            continue
        path_of_item = (*path, str(index))
        operations.append(Operation("remove", path_of_item))
    length = len(pairs)
    for index, item in enumerate(after):
        if index in partners:
            continue
        at = str(index)
        if index == length:
            at = APPEND  # no index is needed, and the operation fits whatever the length is
        operations.append(Operation("add", (*path, at), item))
        length += 1
