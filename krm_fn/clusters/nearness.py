"""Which of several objects of one name an object in a file means, in a repository of many clusters.

It means the nearest one by folders. Inside of a cluster there is one object of a name: where two folders beside each
other hold the same object, as ``clusters/dev`` and ``clusters/prod`` do, or different Clusters, they are for two
clusters, and what is in one is not there for the other. All objects of a list without paths are equally near.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from krm_fn.clusters.model import Key

Identity = tuple[str, str, str, str]
"""Group, kind, namespace and name."""


def scopes(file: str) -> Iterator[str]:
    """Yield a file, and each folder above it, the innermost first: ``a/b.yaml``, ``a``, and "" for all."""
    yield file
    while file:
        file = file.rpartition("/")[0]
        yield file


def nearest(keys: Iterable[Key], file: str) -> list[Key]:
    """Return, of objects with one namespace and name, those whose files share the most folders with a file.

    Of these the ones with the fewest folders: its own file is the nearest one, and a file beside it is nearer than one
    below.
    """
    groups: dict[Identity, list[Key]] = {}
    for key in keys:
        groups.setdefault(key.identity, []).append(key)
    nearest_keys: list[Key] = []
    for namesakes in groups.values():
        ranks = {key: (_shared(key.file, file), -key.file.count("/")) for key in namesakes}
        best = max(ranks.values())
        nearest_keys += [key for key in namesakes if ranks[key] == best]
    return nearest_keys


class Folders:
    """What each file and folder holds, at any depth, by which the folders of clusters are told apart.

    Args:
        clusters: the Clusters of the list.
    """

    def __init__(self, clusters: Iterable[Key] = ()) -> None:
        self._held: dict[str, set[Identity]] = {}
        self._clusters: dict[str, set[Identity]] = {}
        for key in clusters:
            _add(key, self._clusters)

    def add(self, key: Key) -> None:
        """Add an object."""
        _add(key, self._held)

    def cluster_around(self, file: str) -> Identity | None:
        """Return the identity of the Cluster of the innermost folder around a file that holds any; None for several.

        Outside of that folder may be other clusters, which have no say.
        """
        for scope in scopes(file):
            identities = self._clusters.get(scope)
            if identities:
                return next(iter(identities)) if len(identities) == 1 else None
        return None

    def within_reach(self, keys: Iterable[Key], folder: str, inside: str) -> list[Key]:
        """Return those objects below a folder that are for the same cluster as one part of it, and outside of that.

        In ``clusters``, nothing of ``clusters/prod`` is for the cluster of ``clusters/dev`` if both of these hold, for
        example, Deployment "web", or each a Cluster and not the same.
        """
        reached: dict[str, list[Key]] = {}
        for key in keys:
            reached.setdefault(_part(key.file, folder), []).append(key)
        near: list[Key] = []
        for part, members in reached.items():
            if not (part and self._are_apart(part, inside)):
                near += members
        return near

    def _are_apart(self, part: str, other: str) -> bool:
        held = self._held.get(part, set())
        if not held.isdisjoint(self._held.get(other, ())):
            return True
        clusters = self._clusters.get(part)
        other_clusters = self._clusters.get(other)
        return bool(clusters and other_clusters and clusters.isdisjoint(other_clusters))


def _part(file: str, folder: str) -> str:
    """Return the file or folder, directly in a folder, that a file below that is in."""
    end = file.find("/", len(folder) + 1)
    return file if end < 0 else file[:end]


def _add(key: Key, held: dict[str, set[Identity]]) -> None:
    for scope in scopes(key.file):
        held.setdefault(scope, set()).add(key.identity)


def _shared(path: str, other: str) -> int:
    """Return how many steps two paths share, from the first one on."""
    number = 0
    for step, other_step in zip(path.split("/"), other.split("/"), strict=False):
        if step != other_step:
            break
        number += 1
    return number
