"""The one comparison of a run: what every place of every object holds, and what it should hold.

What a run reports, what `--check` counts, what `explain` shows and the table of what was covered are views of these
records: none of them looks at an object again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from krm_fn.clusters import Membership
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import Result
from krm_fn.light_typing import NamedTuple
from krm_fn.lint.places import is_list, known_value
from krm_fn.noproxy import parse
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
        code: the code of the result that says so; "" where only the table of what was covered does.
    """

    place: PlannedEdit
    before: tuple[Reading, ...] = ()
    after: tuple[Reading, ...] = ()
    results: tuple[Result, ...] = ()
    why_left: str = ""
    code: str = ""

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

    @property
    def differing(self) -> list[Reading]:
        """The variables that have another value than the wanted one after the run, as far as their value is known."""
        return [reading for reading in self.after if _differs(reading, self.wanted)]


def is_change(result: Result) -> bool:
    """Return whether a result says what a target changes, or would change if this were no check."""
    return bool(result.target) and result.code in ("", "ProxyMissing")


def other_place(  # noqa: PLR0913 -- all but the first three are keywords
    obj: Object,
    memberships: Sequence[Membership],
    urls: Sequence[str],
    *,
    why_left: str,
    code: str = "",
    found: Reading | None = None,
) -> Compared:
    """Return the record of a place that no target reads, which should hold these URLs."""
    http_proxy, https_proxy = urls or ("", "")
    settings = ProxySettings(http_proxy, https_proxy)
    place = PlannedEdit(-1, obj, "", tuple(memberships), Resolved(settings), {})
    readings = (found,) if found else ()
    return Compared(place, readings, readings, why_left=why_left, code=code)


def by_object(compared: Iterable[Compared]) -> dict[int, list[Compared]]:
    """Return identity of the data of an object -> its records."""
    found: dict[int, list[Compared]] = {}
    for record in compared:
        found.setdefault(id(record.obj.data), []).append(record)
    return found


def _differs(reading: Reading, wanted: Mapping[str, str]) -> bool:
    value = known_value(reading)
    if reading.value is None and not reading.known:
        return False
    expected = wanted.get(reading.variable, "")
    if is_list(reading):
        return set(parse(value)) != set(parse(expected))
    return value != expected
