"""The sites of an object that is a part of another object.

A Helm value, or a wrapper that sends objects to other clusters, may hold a whole object as a part of its data. The
sites of such an object edit it as if it were an item of the list; what they change, read and report is about the field
of the object around it.
"""

from __future__ import annotations

from collections.abc import Iterator

from krm_fn.carriers.documents import PlacesOf
from krm_fn.carriers.reading import Reading
from krm_fn.carriers.site import NestedSites, Places, Variables
from krm_fn.engine import Draft
from krm_fn.light_typing import Any
from krm_fn.patch import Pointer, lookup


class ObjectSites(NestedSites):
    """The sites of one object inside another one.

    Args:
        parent: the data of the object around it.
        path: leads to the object in there.
        sites: yields its sites.
    """

    def __init__(self, parent: Draft, path: Pointer, sites: PlacesOf) -> None:
        self.draft = parent.part(path)
        self.label = _identity(self.draft.data)
        self._parent = parent
        self._path = path
        self._sites = sites

    def sites(self) -> Places:
        """Yield the sites of the object."""
        return self._sites(self.draft)

    def read(self) -> Iterator[Reading]:
        """Yield what the sites set; each path starts at the object around them."""
        for site in self.sites():
            for one in site.read():
                path = (*self._path, *one.path)
                yield one._replace(path=path, place=f"{one.place} of {self.label}")

    def commit(self, variables: Variables) -> bool:
        """Take over what changed; what was reported is reported about the field of the object around it."""
        self._parent.findings += [
            one._replace(message=f"{self.label}: {one.message}", path=(*self._path, *one.path))
            for one in self.draft.findings
        ]
        self.draft.findings.clear()
        self._parent.take_part(self._path, self.draft)
        for description in self.draft.descriptions:
            self._parent.describe(description)
        return True


def _identity(obj: Any) -> str:
    """Return what messages call an object: ``ClusterPolicy "proxy"``, or its kind where it has no name."""
    kind, name = lookup(obj, ("kind",)), lookup(obj, ("metadata", "name"))
    return f'{kind} "{name}"' if name else str(kind)
