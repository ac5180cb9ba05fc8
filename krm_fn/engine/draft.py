"""The data of one object while targets edit it.

A target says what should be there, by path. The draft creates the mappings that are missing on the way,
removes those that become empty, and refuses what would replace a value of another type. ``diff`` finds
out afterwards what the edits changed.

Paths are JSON Pointers (RFC 6901) taken apart; a step into a list is its index, as a string.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from krm_fn import patch
from krm_fn.engine.diff import Copied, diff
from krm_fn.krm.results import Finding, Severity
from krm_fn.light_typing import Any
from krm_fn.patch import Operation, Pointer
from krm_fn.yamledit import same

_MISSING = object()


class WrongTypeError(Exception):
    """A value on the way to a path has another type than it must have: nothing was changed.

    Attributes:
        path: leads to the value.
        value: what is there.
        wanted: what must be there, with its article ("a mapping").
    """

    def __init__(self, path: Pointer, value: Any, wanted: str) -> None:
        super().__init__(f"{'/'.join(path)} must be {wanted}")
        self.path = path
        self.value = value
        self.wanted = wanted


class Draft:
    """Plain data that may be edited, what it was before, and what there is to say about it.

    The data is not copied as a whole: a mapping or a list is copied when it is changed for the first
    time, so that ``diff`` passes over all that both states share.

    Args:
        data: plain data of an object, or of a document inside one; it is not changed.

    Attributes:
        edits: how many times something was set, added or removed.
        findings: what was reported, in that order.
        descriptions: what was changed besides proxy variables, one phrase each.
    """

    def __init__(self, data: Any) -> None:
        self._before = data
        self._data = data
        self._copies: dict[int, Copied] = {}
        self._writable: set[int] = set()
        self.edits = 0
        self.findings: list[Finding] = []
        self.descriptions: list[str] = []

    @property
    def before(self) -> Any:
        """The data as it was; to be read only."""
        return self._before

    @property
    def data(self) -> Any:
        """The data as it is now; to be read only."""
        return self._data

    def snapshot(self) -> Any:
        """Return the data as it is now; later edits do not change what is returned, and give other data."""
        self._writable.clear()
        return self._data

    def restore(self, data: Any) -> None:
        """Go back to what ``snapshot`` returned."""
        self._writable.clear()
        self._data = data

    def report(self, severity: Severity, message: str, path: Pointer = (), *, code: str) -> None:
        """Add a finding; ``path`` leads to the field it is about."""
        self.findings.append(Finding(severity, message, path, code=code))

    def describe(self, change: str) -> None:
        """Add what was changed besides proxy variables, such as "restarts containerd"."""
        if change not in self.descriptions:
            self.descriptions.append(change)

    def get(self, path: Pointer, default: Any = None) -> Any:
        """Return what is at ``path``, or ``default`` where a step of it is missing."""
        return patch.lookup(self._data, path, default)

    def mapping(self, path: Pointer) -> dict[str, Any] | None:
        """Return the mapping at ``path``; None where nothing or null is there, or on the way.

        Raises:
            WrongTypeError: something else is there, or on the way.
        """
        value = self._checked(path)
        if value is not None and not isinstance(value, dict):
            raise WrongTypeError(path, value, "a mapping")
        return value

    def items(self, path: Pointer) -> list[Any] | None:
        """Return the list at ``path``; None where nothing or null is there, or on the way.

        Raises:
            WrongTypeError: something else is there, or no mapping on the way.
        """
        value = self._checked(path)
        if value is not None and not isinstance(value, list):
            raise WrongTypeError(path, value, "a list")
        return value

    def set(
        self, path: Pointer, value: Any, before: Iterable[str] = (), keep: int | None = None
    ) -> None:
        """Set what is at ``path``; mappings that are missing or null on the way are made.

        Args:
            path: leads to a member of a mapping, or to an item that is in its list; () is the whole.
            value: plain data.
            before: names of members of the same mapping; a new member is placed in front of the
                first name that is there, else at the end.
            keep: what ``remove`` will take later: a mapping that a removal leaves as it was gets a
                member, and any other one that is empty is replaced.

        Raises:
            WrongTypeError: something else than a mapping or a list is on the way.
        """
        if not path:
            self.edits += 1
            self._data = patch.copied(value)
            return
        self._checked(path)
        existing = self.get(path, _MISSING)
        if existing is not _MISSING and same(existing, value):
            return
        self.edits += 1
        copied = self._copy(path[:-1])
        copied.stays |= keep is not None and len(path) - 1 <= keep
        parent = copied.data
        if isinstance(parent, list):
            parent[int(path[-1])] = patch.copied(value)
        elif path[-1] in parent:
            parent[path[-1]] = patch.copied(value)
        else:
            _insert(parent, path[-1], patch.copied(value), before)

    def part(self, path: Pointer) -> Draft:
        """Return a draft of what is at ``path``, to be edited on its own; ``take_part`` takes it over."""
        part = Draft(self.get(path))
        part._copies = self._copies
        return part

    def take_part(self, path: Pointer, part: Draft) -> None:
        """Take over what was edited in the draft of what is at ``path``, which must not be edited afterwards.

        Raises:
            WrongTypeError: something else than a mapping or a list is on the way.
        """
        if not part.edits:
            return
        self._checked(path)
        self.edits += 1
        if not path:
            self._data = part.data
            return
        parent = self._copy(path[:-1]).data
        parent[int(path[-1]) if isinstance(parent, list) else path[-1]] = part.data

    def append(self, path: Pointer, value: Any) -> None:
        """Add an item at the end of the list at ``path``; a list that is missing or null is made.

        Args:
            path: leads to the list.
            value: plain data.

        Raises:
            WrongTypeError: something else than a list is there, or no mapping on the way.
        """
        items = self.items(path)
        if items is None:
            self.set(path, [value], keep=len(path) - 1)
            return
        self.edits += 1
        copied = self._copy(path)
        copied.data.append(patch.copied(value))
        if copied.origins is not None:
            copied.origins.append(None)

    def set_items(
        self, path: Pointer, items: Sequence[Any], origins: Sequence[int | None] | None = None
    ) -> None:
        """Set the items of the list at ``path``; a list that is left without items is removed.

        Args:
            path: leads to the list; one that is missing or null is made.
            items: those that stay, as they are or changed, and new ones. They are not copied.
            origins: for each item, the index that it has in the list as it is now, in rising order;
                None for an item that is new or moves. Without them ``diff`` finds out which items
                are the same; it cannot know which of two that change places is meant to move.

        Raises:
            WrongTypeError: something else than a list is there, or no mapping on the way.
        """
        old = self.items(path)
        if same(old or [], list(items)):
            return
        if not items:
            self.remove(path, keep=len(path) - 1)
            return
        if old is None:
            self.set(path, list(items), keep=len(path) - 1)
            return
        self.edits += 1
        copied = self._copy(path)
        copied.data[:] = items
        earlier = copied.origins
        if origins is None:
            copied.origins = None
        elif earlier is None:
            copied.origins = list(origins)
        else:
            copied.origins = [None if at is None else earlier[at] for at in origins]

    def remove(self, path: Pointer, keep: int = 0) -> None:
        """Take out what is at ``path``, and the mappings and lists that are empty then.

        Args:
            path: what may be there; nothing is done where it is not.
            keep: so many steps of ``path`` lead to what stays, even if nothing is left in it.
        """
        if self.get(path, _MISSING) is _MISSING:
            return
        self.edits += 1
        if not path:
            self._data = None
            return
        copied = self._copy(path[:-1])
        parent = copied.data
        if isinstance(parent, list):
            del parent[int(path[-1])]
            if copied.origins is not None:
                del copied.origins[int(path[-1])]
        else:
            del parent[path[-1]]
        if not parent and len(path) - 1 > keep:
            self.remove(path[:-1], keep)

    def operations(self) -> list[Operation]:
        """Return the JSON Patch that makes what is there now of what was there before.

        Where nothing is left, that is the removal of the whole.
        """
        if self._data is None and self._before is not None:
            return [patch.remove()]
        return diff(self._before, self._data, self._copies)

    def _checked(self, path: Pointer) -> Any:
        """Return what is at ``path``; None where a step of it is missing.

        Raises:
            WrongTypeError: something else than a mapping, or a list, is on the way.
        """
        value = self._data
        for depth, step in enumerate(path):
            if isinstance(value, dict):
                value = value.get(step)
            elif isinstance(value, list) and step.isdigit():
                value = patch.lookup(value, (step,))
            elif value is not None:
                raise WrongTypeError(path[:depth], value, "a mapping")
        return value

    def _copy(self, path: Pointer) -> Copied:
        """Return a copy of the mapping or list at ``path`` that may be written.

        A mapping is made of nothing and of null.
        """
        value = self.get(path)
        if id(value) in self._writable:
            return self._copies[id(value)]
        copied = Copied({} if value is None else value.copy(), like=self._copies.get(id(value)))
        self._copies[id(copied.data)] = copied
        self._writable.add(id(copied.data))
        if not path:
            self._data = copied.data
            return copied
        parent = self._copy(path[:-1]).data
        parent[int(path[-1]) if isinstance(parent, list) else path[-1]] = copied.data
        return copied


def _insert(mapping: dict[str, Any], key: str, value: Any, before: Iterable[str]) -> None:
    """Add a member in front of the first name of ``before`` that is there, else at the end."""
    follower = next((name for name in before if name in mapping), None)
    names = list(mapping)
    mapping[key] = value
    if follower is not None:
        for name in names[names.index(follower) :]:
            mapping[name] = mapping.pop(name)
