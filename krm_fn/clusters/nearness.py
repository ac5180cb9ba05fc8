"""Which object of a list a reference means: the nearest one of that group, kind, namespace and name.

That is the one of its own file, else of its own folder, else of the folder around it, and so on; several that are
equally near count together. A namespace that is left out, or ``${NAMESPACE}``, may be any: ``kustomize``, ``kpt`` and
``clusterctl`` set it later. All objects of a list without paths are equally near.

Inside of a cluster there is one object of a name. Two folders beside each other are for two clusters where both hold
a Cluster, or the same object, as ``clusters/dev`` and ``clusters/prod`` do: nothing in one is there for the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from krm_fn.clusters.cluster import Identity, Key
from krm_fn.light_typing import TypeVar
from krm_fn.placeholders import is_template

_Value = TypeVar("_Value")


def is_open(namespace: str) -> bool:
    """Return whether a later step may still set the namespace."""
    return not namespace or is_template(namespace)


def may_be_same(namespace: str, other: str) -> bool:
    """Return whether both may turn out to be one namespace."""
    return namespace == other or is_open(namespace) or is_open(other)


def nearest(keys: Iterable[Key], file: str) -> list[Key]:
    """Return the keys whose files share the most folders with a file, and of these the ones in the fewest folders.

    So an object in its own file is the nearest one, and one in a file beside it is nearer than one in a folder below.
    """
    ranks = {key: (_shared_steps(key.file, file), -key.file.count("/")) for key in keys}
    best = max(ranks.values(), default=None)
    return [key for key, rank in ranks.items() if rank == best]


class Folders:
    """The objects and Clusters that each file and folder holds, at any depth, which tell apart folders of clusters.

    Args:
        clusters: the Clusters of the list.
    """

    def __init__(self, clusters: Iterable[Key] = ()) -> None:
        self._objects: dict[str, dict[Identity, list[Key]]] = {}
        self._clusters: dict[str, dict[Identity, list[Key]]] = {}
        for key in clusters:
            _add(key, self._clusters)

    def add(self, key: Key) -> None:
        """Add an object that lives inside of a cluster."""
        _add(key, self._objects)

    def cluster_folder(self, file: str) -> str | None:
        """Return the innermost folder around a file that holds a Cluster, or the file itself; None for none."""
        for scope in _scopes(file):
            if scope in self._clusters:
                return scope
        return None

    def cluster_around(self, file: str) -> list[Key]:
        """Return the only Cluster of the innermost folder around a file that holds any, in each file that it is in.

        It is empty where that folder holds several. Outside of it may be other clusters, which have no say.
        """
        folder = self.cluster_folder(file)
        clusters = {} if folder is None else self._clusters[folder]
        return next(iter(clusters.values())) if len(clusters) == 1 else []

    def within_reach(self, keys: Iterable[Key], folder: str, inside: str) -> list[Key]:
        """Return those objects of a folder that may be for the same cluster as one part of it, and are outside of that.

        ``inside`` is the path of the part: a file or a folder that is directly in the folder.
        """
        parts = {inside: False, "": True}  # an object without a file is in reach of all
        near: list[Key] = []
        for key in keys:
            part = _part(key.file, folder)
            if part not in parts:
                parts[part] = not self._are_apart(part, inside)
            if parts[part]:
                near.append(key)
        return near

    def _are_apart(self, part: str, other: str) -> bool:
        if part in self._clusters and other in self._clusters:
            return True
        objects = self._objects.get(part, {}).keys()
        return not objects.isdisjoint(self._objects.get(other, ()))


class ObjectIndex(Mapping[Key, _Value]):
    """A mapping that finds the objects that a key means, which is that of a reference in a file.

    Args:
        members: the first objects.
        folders: tells the folders of clusters apart: a key means no object of another cluster.
    """

    def __init__(
        self, members: Iterable[tuple[Key, _Value]] = (), folders: Folders | None = None
    ) -> None:
        self._members: dict[Key, _Value] = {}
        # By folder, so that the nearest of many namesakes is found without a look at all of them.
        self._below: dict[tuple[str, Identity], list[Key]] = {}
        self._folders = folders
        for key, value in members:
            self.add(key, value)

    def add(self, key: Key, value: _Value) -> None:
        """Add an object; the last one of a key counts."""
        if key not in self._members:
            namespace = "" if is_open(key.namespace) else key.namespace
            for scope in _scopes(key.file):
                for name in {namespace, _ANY}:
                    identity = key._replace(namespace=name).identity
                    self._below.setdefault((scope, identity), []).append(key)
        self._members[key] = value

    def candidates(self, key: Key) -> list[Key]:
        """Return all objects that a key may mean: the nearest ones, of which one of its very namespace goes first."""
        if key in self._members:
            return [key]
        inside = key.file
        for scope in _scopes(key.file):
            keys = self._namesakes(key, scope)
            if self._folders and scope != key.file:
                keys = self._folders.within_reach(keys, scope, inside)
            if keys:
                near = keys if scope == key.file else nearest(keys, key.file)
                return [other for other in near if other.namespace == key.namespace] or near
            inside = scope
        return []

    def find_all(self, key: Key) -> list[Key]:
        """Return the objects that a key means, which are equally near; none where they are in several namespaces."""
        candidates = self.candidates(key)
        namespaces = {other.namespace for other in candidates}
        return candidates if len(namespaces) == 1 else []

    def find(self, key: Key) -> Key | None:
        """Return the first object that a key means; None if there is none."""
        return next(iter(self.find_all(key)), None)

    def has_name(self, key: Key) -> bool:
        """Return whether any object has the kind and name of a key, in whatever namespace and file."""
        return bool(self._namesakes(key._replace(namespace=""), ""))

    def _namesakes(self, key: Key, scope: str) -> list[Key]:
        """Return the objects in a file or a folder, at any depth, whose namespace may be that of the key."""
        names = [_ANY] if is_open(key.namespace) else [key.namespace, ""]
        keys: list[Key] = []
        for name in names:
            keys += self._below.get((scope, key._replace(namespace=name).identity), ())
        return keys

    def __getitem__(self, key: Key) -> _Value:
        member = self.find(key)
        if member is None:
            raise KeyError(key)
        return self._members[member]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)


_ANY = "*"
"""Stands for all namespaces."""


def _scopes(file: str) -> Iterator[str]:
    """Yield a file, and each folder above it, the innermost first: ``a/b.yaml``, ``a``, and "" for all."""
    yield file
    while file:
        file = file.rpartition("/")[0]
        yield file


def _part(file: str, folder: str) -> str:
    """Return the file or folder, directly in a folder, that a file below that is in."""
    end = file.find("/", len(folder) + 1)
    return file if end < 0 else file[:end]


def _add(key: Key, keys: dict[str, dict[Identity, list[Key]]]) -> None:
    for scope in _scopes(key.file):
        keys.setdefault(scope, {}).setdefault(key.identity, []).append(key)


def _shared_steps(path: str, other: str) -> int:
    """Return how many steps two paths share, from the first one on."""
    number = 0
    for step, other_step in zip(path.split("/"), other.split("/"), strict=False):
        if step != other_step:
            break
        number += 1
    return number
