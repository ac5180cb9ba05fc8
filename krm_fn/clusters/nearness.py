"""Which objects the objects in a file can mean, in a repository of many clusters.

Of several objects of one name, a file means the one that is nearest by folders. A cluster has one object of a name: where
two folders beside each other hold the same object, as ``clusters/dev`` and ``clusters/prod`` do, they are for two
clusters, and no file of one means an object of the other. All objects of a list without paths are equally near.
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


class Folders:
    """What each folder holds, at any depth."""

    def __init__(self, keys: Iterable[Key]) -> None:
        self._held: dict[str, set[tuple[str, ...]]] = {}
        for key in keys:
            self.add(key)

    def add(self, key: Key) -> None:
        """Add an object."""
        for scope in scopes(key.file):
            self._held.setdefault(scope, set()).add(key.identity)

    def nearest(self, keys: Iterable[Key], file: str) -> list[Key]:
        """Return the objects that are nearest to a file among those of one namespace and name.

        Their files share the most folders with that file, and of these they are in the fewest folders: its own file is
        the nearest one, and a file beside it is nearer than one below.
        """
        by_nearness: dict[tuple[int, int], list[Key]] = {}
        for key in keys:
            steps = key.file.split("/")
            shared = _shared_steps(key.file, file)
            by_nearness.setdefault((shared, -len(steps)), []).append(key)
        for nearness in sorted(by_nearness, reverse=True):
            near = [key for key in by_nearness[nearness] if not self._are_apart(key.file, file)]
            if near:
                return near
        return []

    def _are_apart(self, file: str, other: str) -> bool:
        """Return whether two files are for two clusters.

        The paths of ``clusters/dev/a.yaml`` and ``clusters/prod/b.yaml`` part at ``clusters/dev`` and
        ``clusters/prod``: the files are apart if both of these hold, for example, Deployment "web".
        """
        if file == other or not (file and other):
            return False
        number = _shared_steps(file, other) + 1
        branch = "/".join(file.split("/")[:number])
        other_branch = "/".join(other.split("/")[:number])
        held = self._held.get(branch, set())
        return not held.isdisjoint(self._held.get(other_branch, ()))


def _shared_steps(path: str, other: str) -> int:
    """Return how many steps two paths share, from the first one on."""
    number = 0
    for step, other_step in zip(path.split("/"), other.split("/"), strict=False):
        if step != other_step:
            break
        number += 1
    return number
