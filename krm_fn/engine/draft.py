"""The data of one object while targets edit it.

A target sets values by path. The draft creates the mappings that are missing on the way, removes those
that become empty, and refuses to replace a value of another type. ``diff`` finds out afterwards which values the edits
changed. A step of a path into a list is its index, as a string.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from krm_fn import patch
from krm_fn.engine.diff import diff
from krm_fn.krm.results import Result, wrong_type
from krm_fn.light_typing import Any, Fields
from krm_fn.patch import Operation, Pointer
from krm_fn.yamledit import same

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
        finding = Result.of(code, message, path, is_info=is_info, is_stale=is_stale)
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
        value = self._checked(path)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise WrongTypeError(path, value, "a mapping")
        return value

    def items(self, path: Pointer) -> list[Any]:
        """Return the list at ``path``; an empty one where nothing or null is there, or on the way.

        Raises:
            WrongTypeError: something else is there, or no mapping on the way.
        """
        value = self._checked(path)
        if value is None:
            return []
        if not isinstance(value, list):
            raise WrongTypeError(path, value, "a list")
        return value

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
        parent[_step(parent, path[-1])] = patch.copied(value)
        if existing is _MISSING:
            _move_last_before(parent, before)

    def append(self, path: Pointer, value: Any) -> None:
        """Add an item at the end of the list at ``path``; a list that is missing or null is made.

        Raises:
            WrongTypeError: something else than a list is there, or no mapping on the way.
        """
        items = self.items(path)
        self.set_items(path, [*items, value])

    def set_items(self, path: Pointer, items: Sequence[Any]) -> None:
        """Set the items of the list at ``path``, one that is missing or null is made; without items it is removed.

        Raises:
            WrongTypeError: something else than a list is there, or no mapping on the way.
        """
        existing = self.items(path)
        if same(existing, list(items)):
            return
        if items:
            self.set(path, list(items))
        else:
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
        del parent[_step(parent, path[-1])]
        if not parent and len(above) > keep:
            self.remove(above, keep)

    def operations(self) -> list[Operation]:
        """Return the JSON Patch from the old data to the new data.

        Where nothing is left, that is the removal of the whole.
        """
        if self.data is None and self.before is not None:
            return [patch.remove()]
        return diff(self.before, self.data)

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
                value = patch.lookup(value, (step,))
            elif value is not None:
                raise WrongTypeError(path[:depth], value, "a mapping")
        return value

    def _copy(self, path: Pointer) -> Any:
        """Return a copy of the collection at ``path`` that may be changed; a new mapping if there is none."""
        value = self.get(path)
        if id(value) in self._copies:
            return value
        copy = {} if value is None else value.copy()
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
    return int(token) if isinstance(parent, list) else token


def _move_last_before(mapping: Any, followers: Iterable[str]) -> None:
    """Move the last member of a mapping in front of the first of some members that is there."""
    for follower in followers:
        if follower in mapping:
            names = list(mapping)
            for name in names[names.index(follower) : -1]:
                mapping[name] = mapping.pop(name)
            return
