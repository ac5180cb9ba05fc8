"""Which object of a list a reference means where a namespace is left out, or several files have one of that name.

``kustomize`` and ``kpt`` may set the namespace of an object later, ``clusterctl`` and Flux fill in ``${NAMESPACE}``:
such a namespace can become any. Two namespaces that are both known are the same only if they are equal.

Of several objects with one namespace and name, a reference means that of its own file, else those in the nearest
folder: a folder of templates, or of environments, is many lists in one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from krm_fn.clusters.model import Key
from krm_fn.light_typing import TypeVar
from krm_fn.noproxy.entries import is_template

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

    The exact key goes before any other, then the exact namespace. Of two objects in different namespaces that a key may
    mean none is found; of two in one namespace the nearest, else the first.
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
        found = [
            each for each in self._by_name.get(_named(key), ()) if may_be_same(each[2], key[2])
        ]
        return nearest([each for each in found if each[2] == key[2]] or found, key[4])

    def find(self, key: Key) -> Key | None:
        """Return the key of the object that ``key`` means.

        None if there is none, or more than one.
        """
        found = self.candidates(key)
        is_unique = len({each[2] for each in found}) == 1
        return found[0] if is_unique else None

    def has_one(self, key: Key) -> bool:
        """Return whether one object has the group, kind and name of ``key``, in whatever namespace and file."""
        return len(self._by_name.get(_named(key), ())) == 1

    def namesakes(self, key: Key) -> list[Key]:
        """Return the keys of all objects with the group, kind and name of ``key``, in whatever namespace."""
        return nearest(self._by_name.get(_named(key), ()), key[4])

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
        if found is not None and found[:4] == key[:4]:
            exact[key] = found
        elif found is not None:
            loose.setdefault(found, []).append(key)
    for found, keys in loose.items():
        if len({key[2] for key in keys if not is_open(key[2])}) <= 1:
            exact.update(dict.fromkeys(keys, found))
    return exact


def nearest(keys: Sequence[Key], file: str) -> list[Key]:
    """Return, of objects with one namespace and name, those nearest to a file: in it, or in the nearest folder."""
    if len(keys) == 1:
        return list(keys)
    of_namespaces: dict[str, list[tuple[tuple[int, bool], Key]]] = {}
    for key in keys:
        of_namespaces.setdefault(key[2], []).append((_nearness(key[4], file), key))
    found: list[Key] = []
    for same in of_namespaces.values():
        most = max(rank for rank, _ in same)
        found += [key for rank, key in same if rank == most]
    return found


def _nearness(one: str, file: str) -> tuple[int, bool]:
    """Return how near a file is to another: how many steps of their paths are the same, and if its folder is around."""
    if not file:
        return (int(one == file), False)
    steps = one.split("/")
    shared = 0
    for step, its_step in zip(steps, file.split("/"), strict=False):
        if step != its_step:
            break
        shared += 1
    return (shared, shared >= len(steps) - 1)


def _named(key: Key) -> _Named:
    return key[0], key[1], key[3]
