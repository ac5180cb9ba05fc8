"""Which object of a list a key means, where a namespace is left out or several files have one of that name.

``kustomize``, ``kpt`` and ``clusterctl`` set a namespace that is left out, or ``${NAMESPACE}``, later: it may be any.
Of several objects of one name, a key means that of its own file, and of those with one namespace as well the nearest
one: see ``nearness``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from krm_fn.clusters.model import Key
from krm_fn.clusters.nearness import Folders, Identity, nearest, scopes
from krm_fn.light_typing import TypeVar
from krm_fn.placeholders import is_template

_Value = TypeVar("_Value")


def is_open(namespace: str) -> bool:
    """Return whether a later step may still set the namespace."""
    return not namespace or is_template(namespace)


def may_be_same(namespace: str, other: str) -> bool:
    """Return whether both may turn out to be one namespace."""
    return namespace == other or is_open(namespace) or is_open(other)


class ObjectIndex(Mapping[Key, _Value]):
    """A mapping that finds objects by keys that may leave out namespace and file.

    Args:
        members: the first objects.
        folders: tells the folders of clusters apart, for objects inside of clusters: a key means none of another one.
    """

    def __init__(
        self, members: Iterable[tuple[Key, _Value]] = (), folders: Folders | None = None
    ) -> None:
        self._members: dict[Key, _Value] = {}
        self._by_name: dict[tuple[str, str, str], dict[Identity, None]] = {}
        self._below: dict[tuple[str, Identity], list[Key]] = {}
        self._folders = folders
        for key, value in members:
            self.add(key, value)

    def add(self, key: Key, value: _Value) -> None:
        """Add an object; the last one of a key counts."""
        if key not in self._members:
            self._by_name.setdefault(_named(key), {})[key.identity] = None
            for scope in scopes(key.file):
                self._below.setdefault((scope, key.identity), []).append(key)
        self._members[key] = value

    def namesakes(self, key: Key) -> list[Key]:
        """Return the objects of its kind and name, in each namespace those nearest to its file."""
        namesakes: list[Key] = []
        for identity in self._by_name.get(_named(key), ()):
            namesakes += self._nearest(identity, key.file)
        return namesakes

    def _nearest(self, identity: Identity, file: str) -> list[Key]:
        """Return the objects of one identity that are nearest to a file, found from the inside out."""
        inside = file
        for scope in scopes(file):
            keys = self._below.get((scope, identity), [])
            if self._folders and scope != file:
                keys = self._folders.within_reach(keys, scope, inside)
            if keys:
                return nearest(keys, file)
            inside = scope
        return []

    def candidates(self, key: Key) -> list[Key]:
        """Return all objects that the key may mean: the exact one, else those of its file, else of its namespace."""
        if key in self._members:
            return [key]
        ranks: dict[Key, tuple[bool, bool]] = {}
        for other in self.namesakes(key):
            if may_be_same(other.namespace, key.namespace):
                ranks[other] = (other.file == key.file, other.namespace == key.namespace)
        best = max(ranks.values(), default=None)
        return [other for other, rank in ranks.items() if rank == best]

    def find(self, key: Key) -> Key | None:
        """Return the object that the key means; None if there is none, or one in each of several namespaces."""
        candidates = self.candidates(key)
        namespaces = {other.namespace for other in candidates}
        return candidates[0] if len(namespaces) == 1 else None

    def has_one(self, key: Key) -> bool:
        """Return whether one object has the kind and name of a key, in whatever namespace and file."""
        identities = self._by_name.get(_named(key), ())
        return sum(len(self._below["", identity]) for identity in identities) == 1

    def __getitem__(self, key: Key) -> _Value:
        member = self.find(key)
        if member is None:
            raise KeyError(key)
        return self._members[member]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)


def _named(key: Key) -> tuple[str, str, str]:
    """Return what namesakes have in common."""
    return key.group, key.kind, key.name
