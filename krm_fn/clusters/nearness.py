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

    def are_apart(self, file: str, other: str) -> bool:
        """Return whether two files are for two clusters.

        The paths of ``clusters/dev/a.yaml`` and ``clusters/prod/b.yaml`` part at ``clusters/dev`` and
        ``clusters/prod``: the files are apart if both of these hold, for example, Deployment "web", or each a Cluster
        and not the same.
        """
        if file == other or not (file and other):
            return False
        number = _shared(file, other) + 1
        branch = "/".join(file.split("/")[:number])
        other_branch = "/".join(other.split("/")[:number])
        held = self._held.get(branch, set())
        if not held.isdisjoint(self._held.get(other_branch, ())):
            return True
        clusters = self._clusters.get(branch)
        other_clusters = self._clusters.get(other_branch)
        return bool(clusters and other_clusters and clusters.isdisjoint(other_clusters))


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
