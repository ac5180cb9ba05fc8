"""Which object of a list a reference means where a namespace is left out, or not known yet.

``kustomize`` and ``kpt`` may set the namespace of an object later, ``clusterctl`` and Flux fill in ``${NAMESPACE}``:
such a namespace can become any. Two namespaces that are both known are the same only if they are equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from krm_fn.clusters.model import Key
from krm_fn.clusters.reading import is_template

_Value = TypeVar("_Value")
_Named = tuple[str, str, str]
"""API group, kind and name."""


def is_open(namespace: str) -> bool:
    """Return whether a later step may still set the namespace."""
    return not namespace or is_template(namespace)


def may_be_same(one: str, other: str) -> bool:
    """Return whether both may turn out to be one namespace."""
    return one == other or is_open(one) or is_open(other)


class ByKey(Mapping[Key, _Value]):
    """A mapping that finds an object by a key whose namespace, or its own, is left out, if only one can be meant.

    The exact key goes before any other. Of two objects that a key may mean none is found.
    """

    def __init__(self, members: Iterable[tuple[Key, _Value]] = ()) -> None:
        self._members: dict[Key, _Value] = {}
        self._by_name: dict[_Named, list[Key]] = {}
        for key, value in members:
            self.add(key, value)

    def add(self, key: Key, value: _Value) -> None:
        """Add an object; the last one of a key counts."""
        if key not in self._members:
            self._by_name.setdefault(_named(key), []).append(key)
        self._members[key] = value

    def candidates(self, key: Key) -> list[Key]:
        """Return the keys of all objects that ``key`` may mean: only the exact one, if it is there."""
        if key in self._members:
            return [key]
        return [each for each in self._by_name.get(_named(key), ()) if may_be_same(each[2], key[2])]

    def find(self, key: Key) -> Key | None:
        """Return the key of the object that ``key`` means.

        None if there is none, or more than one.
        """
        found = self.candidates(key)
        return found[0] if len(found) == 1 else None

    def namesakes(self, key: Key) -> list[Key]:
        """Return the keys of all objects with the group, kind and name of ``key``, in whatever namespace."""
        return list(self._by_name.get(_named(key), ()))

    def __getitem__(self, key: Key) -> _Value:
        found = self.find(key)
        if found is None:
            raise KeyError(key)
        return self._members[found]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)


def meanings(objects: ByKey[_Value], named: Iterable[Key]) -> dict[Key, Key]:
    """Find the object that each of the keys ``named`` means; a key that means none is left out.

    A key and an object of which one has a namespace and the other has none belong together only if no other namespace
    refers to that object as well: it will be in one namespace alone.
    """
    exact: dict[Key, Key] = {}
    loose: dict[Key, list[Key]] = {}
    for key in dict.fromkeys(named):
        found = objects.find(key)
        if found == key:
            exact[key] = key
        elif found is not None:
            loose.setdefault(found, []).append(key)
    for found, keys in loose.items():
        if len({key[2] for key in keys if not is_open(key[2])}) <= 1:
            exact.update(dict.fromkeys(keys, found))
    return exact


def _named(key: Key) -> _Named:
    return key[0], key[1], key[3]
