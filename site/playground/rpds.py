"""The part of the package ``rpds-py`` that jsonschema and referencing use, for the browser.

No wheel of it runs there, because it is in Rust. Each change returns a new collection.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any


class HashTrieMap(Mapping[Any, Any]):
    """A mapping that never changes."""

    def __init__(self, value: Any = (), **others: Any) -> None:
        self._members = dict(value, **others)

    @classmethod
    def convert(cls, value: Any) -> HashTrieMap:
        """Return a mapping of this kind for any other one."""
        return value if isinstance(value, cls) else cls(value)

    def __getitem__(self, key: Any) -> Any:
        return self._members[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def insert(self, key: Any, value: Any) -> HashTrieMap:
        """Return it with one more member."""
        return HashTrieMap({**self._members, key: value})

    def update(self, other: Any) -> HashTrieMap:
        """Return it with all members of another one, which count."""
        return HashTrieMap({**self._members, **dict(other)})

    def remove(self, key: Any) -> HashTrieMap:
        """Return it without a member; KeyError where it has none."""
        members = dict(self._members)
        del members[key]
        return HashTrieMap(members)


class HashTrieSet(frozenset[Any]):
    """A set that never changes."""

    def insert(self, value: Any) -> HashTrieSet:
        """Return it with one more value."""
        return HashTrieSet(self | {value})

    def discard(self, value: Any) -> HashTrieSet:
        """Return it without a value, which need not be there."""
        return HashTrieSet(self - {value})

    def update(self, *others: Iterable[Any]) -> HashTrieSet:
        """Return it with all values of others."""
        return HashTrieSet(self.union(*others))


class List(tuple[Any, ...]):
    """A list that never changes."""

    __slots__ = ()

    def push_front(self, value: Any) -> List:
        """Return it with a new first value."""
        return List((value, *self))
