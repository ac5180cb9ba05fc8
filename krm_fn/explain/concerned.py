"""Which Clusters a finding of a run is about: those of its object, else those of the folder that its file is in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePath

from krm_fn.clusters import Membership
from krm_fn.explain.answers import cluster_name
from krm_fn.krm.results import ObjectRef, Result
from krm_fn.plan import Overview, PlannedEdit


class ConcernedClusters:
    """The Clusters of the objects of a list.

    Args:
        places: the plan of a run.
        overview: what the plan has seen besides them.
    """

    def __init__(self, places: Iterable[PlannedEdit], overview: Overview) -> None:
        self._of_objects: dict[ObjectRef, set[str]] = {}
        self._of_folders: dict[PurePath, set[str]] = {}
        for place in places:
            self._note(place.obj.ref, place.memberships)
        for obj, memberships in overview.naming:
            self._note(obj.ref, memberships)
        for ref, memberships in overview.memberships.items():
            self._note(ref, memberships)
        for one in overview.foreign:
            self._note(one.obj.ref, [Membership(one.cluster)] if one.cluster else [])
        for obj, other in overview.same_name:
            self._add(obj.ref, _name(obj.ref))
            self._add(other.ref, _name(other.ref))

    def of(self, result: Result) -> set[str] | None:
        """Return the names of the Clusters that a finding is about; None: it may be about any."""
        known = self.of_object(result)
        if known is not None:
            return known
        for folder in _folders(result.ref):
            if folder in self._of_folders:
                return self._of_folders[folder]
        return None

    def of_object(self, result: Result) -> set[str] | None:
        """Return the same without a look at the folder; None: neither finding nor object names a Cluster."""
        if result.clusters:
            return {name.removeprefix("Cluster/") for name in result.clusters}
        return self._of_objects.get(result.ref)

    def _note(self, ref: ObjectRef, memberships: Iterable[Membership]) -> None:
        for one in memberships:
            name = cluster_name(one.cluster)
            self._add(ref, name)
            self._add(one.cluster.ref, name)

    def _add(self, ref: ObjectRef, name: str) -> None:
        self._of_objects.setdefault(ref, set()).add(name)
        for folder in _folders(ref):
            self._of_folders.setdefault(folder, set()).add(name)


def _name(ref: ObjectRef) -> str:
    return "/".join(part for part in (ref.namespace, ref.name) if part)


def _folders(ref: ObjectRef) -> Iterator[PurePath]:
    """Yield the folder of the file of an object, and those above it; none where the file is not known."""
    if ref.file_path:
        yield from PurePath(ref.file_path).parents
