"""Which of several objects of one name an object in a file means, in a repository of many clusters.

It means the nearest one by folders. Inside of a cluster there is one object of a name: where two folders beside each
other hold the same object, as ``clusters/dev`` and ``clusters/prod`` do, they are for two clusters, and what is in one is
not there for the other. All objects of a list without paths are equally near.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from krm_fn.clusters.model import Key


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
    groups: dict[tuple[str, ...], list[Key]] = {}
    for key in keys:
        groups.setdefault(key.identity, []).append(key)
    nearest_keys: list[Key] = []
    for namesakes in groups.values():
        ranks = {key: (_shared(key.file, file), -key.file.count("/")) for key in namesakes}
        best = max(ranks.values())
        nearest_keys += [key for key in namesakes if ranks[key] == best]
    return nearest_keys


class Folders:
    """What each file and folder holds, at any depth, by which the folders of clusters are told apart."""

    def __init__(self) -> None:
        self._held: dict[str, set[tuple[str, ...]]] = {}

    def add(self, key: Key) -> None:
        """Add an object."""
        for scope in scopes(key.file):
            self._held.setdefault(scope, set()).add(key.identity)

    def are_apart(self, file: str, other: str) -> bool:
        """Return whether two files are for two clusters.

        The paths of ``clusters/dev/a.yaml`` and ``clusters/prod/b.yaml`` part at ``clusters/dev`` and
        ``clusters/prod``: the files are apart if both of these hold, for example, Deployment "web".
        """
        if file == other or not (file and other):
            return False
        number = _shared(file, other) + 1
        branch = "/".join(file.split("/")[:number])
        other_branch = "/".join(other.split("/")[:number])
        held = self._held.get(branch, set())
        return not held.isdisjoint(self._held.get(other_branch, ()))


def _shared(path: str, other: str) -> int:
    """Return how many steps two paths share, from the first one on."""
    number = 0
    for step, other_step in zip(path.split("/"), other.split("/"), strict=False):
        if step != other_step:
            break
        number += 1
    return number
