"""The one comparison of a run: what every place of every object holds, and what it should hold.

What a run reports, what `--check` counts, what `explain` shows and the table of what was covered are views of these
records: none of them looks at an object again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from krm_fn.clusters import Membership
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import ObjectRef, Result
from krm_fn.light_typing import NamedTuple
from krm_fn.patch import Pointer
from krm_fn.places.reading import Reading
from krm_fn.plan import PlannedEdit
from krm_fn.settings import ProxySettings, Resolved


class Compared(NamedTuple):
    """One object as one target sees it, or a place in it that no target reads.

    Attributes:
        place: the object, its target ("" where no target reads the place), its Clusters and the proxy that it gets.
        before: what it holds before the run.
        after: what it holds after the run.
        results: what the run says of it: at most one change, and findings.
        why_left: why nobody writes the proxy there; "" where a target does.
    """

    place: PlannedEdit
    before: tuple[Reading, ...] = ()
    after: tuple[Reading, ...] = ()
    results: tuple[Result, ...] = ()
    why_left: str = ""

    @property
    def obj(self) -> Object:
        """The object."""
        return self.place.obj

    @property
    def wanted(self) -> Mapping[str, str]:
        """Variable -> the value that it should have; none where there should be no proxy."""
        return self.place.resolved.settings.variables()

    @property
    def is_changed(self) -> bool:
        """Whether the run changes the place, or would if it were no check."""
        return any(is_change(result) for result in self.results)


def is_change(result: Result) -> bool:
    """Return whether a result says what a target changes, or would change if this were no check."""
    return bool(result.target) and result.code in ("", "ProxyMissing")


def unread_place(
    obj: Object, memberships: Iterable[Membership], urls: Sequence[str] = ("", "")
) -> PlannedEdit:
    """Return a place that no target reads, which should hold these URLs."""
    settings = ProxySettings(urls[0], urls[1])
    return PlannedEdit(-1, obj, "", tuple(memberships), Resolved(settings), {})


def by_object(compared: Iterable[Compared]) -> dict[tuple[ObjectRef, Pointer], list[Compared]]:
    """Return the identity of an object, and its place in its document -> its records."""
    records: dict[tuple[ObjectRef, Pointer], list[Compared]] = {}
    for record in compared:
        key = (record.obj.ref, record.obj.path)
        records.setdefault(key, []).append(record)
    return records
