"""Judge the variables that the places of one object set, whoever wrote them.

It knows no kind of object: what goes in are readings, and what comes out are findings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from krm_fn.krm.results import Result
from krm_fn.light_typing import NamedTuple
from krm_fn.lint.urls import judge_pair, judge_url
from krm_fn.lint.values import Problem, Reader, judge_list
from krm_fn.places.place import Reading, quoted
from krm_fn.settings import PROXY_VARIABLES


class _JudgedPlace(NamedTuple):
    """What one program reads together.

    Attributes:
        variables: those that are set.
        reader: who reads them.
        ours: variable -> the value of the ProxyConfig, which is judged there and not here.
    """

    variables: Mapping[str, Reading]
    reader: Reader
    ours: Mapping[str, str]

    def set_readings(self, *, lists: bool) -> list[Reading]:
        """Return the lists, or the URLs, that are not empty."""
        readings = self.variables.values()
        return [reading for reading in readings if reading.is_list is lists and reading.value != ""]

    def by_value(self, readings: Iterable[Reading]) -> dict[str, list[Reading]]:
        """Return value -> the readings with it, without those that have the value of the ProxyConfig."""
        alike: dict[str, list[Reading]] = {}
        for reading in readings:
            if reading.text and reading.text != self.ours.get(reading.variable):
                alike.setdefault(reading.text, []).append(reading)
        return alike


_Problems = Iterator[tuple[Problem, Sequence[Reading]]]
"""Problems, each with the readings of one place that it is about."""


def judge_places(
    readings: Iterable[Reading], reader: Reader, ours: Mapping[str, str]
) -> Iterator[Result]:
    """Yield what is wrong with the places of an object; what is wrong with several places is one finding.

    Args:
        readings: what the places set.
        reader: who reads it.
        ours: variable -> the value of the ProxyConfig, which is judged there and not here.
    """
    alike: dict[Problem, list[Sequence[Reading]]] = {}
    for variables in by_place(readings):
        place = _JudgedPlace(variables, reader, ours)
        for judge in (_lost, _of_cases, _of_lists, _of_urls, _of_permissions):
            for problem, about in judge(place):
                alike.setdefault(problem, []).append(about)
    for problem, places in alike.items():
        about = places[0]
        names = quoted(reading.variable for reading in about)
        first = about[0]
        where = first.place
        if len(places) > 1:
            where += f" and {len(places) - 1} more"
        message = f"{problem.message} ({names} of {where})"
        yield Result.of(problem.code, message, first.path)


def by_place(readings: Iterable[Reading]) -> list[dict[str, Reading]]:
    """Return the readings place by place: variable -> reading; of a repeated variable the last one."""
    places: dict[str, dict[str, Reading]] = {}
    for reading in readings:
        variables = places.setdefault(reading.place, {})
        variables[reading.variable] = reading
    return list(places.values())


def _lost(place: _JudgedPlace) -> _Problems:
    for reading in place.variables.values():
        if reading.is_lost:
            message = f"the value does not reach its reader as it is written: {reading.why_unknown}"
            yield Problem("ValueLost", message), [reading]


def _of_cases(place: _JudgedPlace) -> _Problems:
    """Yield the problem of a variable whose two cases differ, or of which one is missing."""
    for upper in PROXY_VARIABLES[::2]:
        lower = upper.lower()
        first = place.variables.get(upper)
        second = place.variables.get(lower)
        if first and second:
            values = {first.value, second.value}
            if len(values) == 2 and None not in values:
                message = (
                    f"`{upper}` and `{lower}` must be equal: Go reads the first, curl, Python and Node "
                    "the second"
                )
                yield Problem("CasesDiffer", message), [first, second]
            continue
        reading = first or second
        if reading is None or place.reader.names_are_given or reading.is_provided:
            continue
        if upper not in reading.maybe_elsewhere:
            name = reading.variable
            missing = name.swapcase()
            message = f"`{name}` is set without `{missing}`: add `{missing}` with the same value"
            yield Problem("CaseMissing", message), [reading]


def _of_lists(place: _JudgedPlace) -> _Problems:
    """Yield the problems of the lists of a place, or that there is none beside a proxy."""
    lists = place.set_readings(lists=True)
    urls = place.set_readings(lists=False)
    has_proxy = bool(urls) and not place.reader.audience.completes_the_list
    may_be_elsewhere = any("NO_PROXY" in reading.maybe_elsewhere for reading in urls)
    if has_proxy and not lists and not may_be_elsewhere:
        message = (
            "a proxy must not be set without `NO_PROXY`: everything inside the cluster would go "
            "through it"
        )
        yield Problem("ListEmpty", message), urls
    for value, about in place.by_value(lists).items():
        is_whole = about[0].value is not None
        for problem in judge_list(value, place.reader, has_proxy=has_proxy and is_whole):
            yield problem, about


def _of_urls(place: _JudgedPlace) -> _Problems:
    """Yield the problems of the URLs of a place, and of a proxy for ``http://`` alone."""
    urls = [reading for reading in place.set_readings(lists=False) if reading.value]
    http: list[Reading] = []
    for url, about in place.by_value(urls).items():
        for problem in judge_url(url, place.reader):
            yield problem, about
        http += [reading for reading in about if reading.variable.upper() == "HTTP_PROXY"]
    if not http or place.reader.names_are_given:
        return
    first = http[0]
    names = {name.upper() for name in place.variables}
    if "HTTPS_PROXY" not in names | first.maybe_elsewhere:
        for problem in judge_pair(first.text, ""):
            yield problem, http


def _of_permissions(place: _JudgedPlace) -> _Problems:
    """Yield what is wrong with the permissions of the file on the node that holds the place."""
    in_files = [reading for reading in place.variables.values() if reading.file]
    with_password = [reading for reading in in_files if not reading.is_list and "@" in reading.text]
    about = with_password or in_files
    if not about:
        return
    first = about[0]
    permissions = first.permissions
    if first.by_ignition and not permissions.startswith("0"):
        octal = permissions or "640"
        message = (
            f'`permissions` must be written with a 0 in front, as in "0{octal}": Ignition reads a '
            "decimal number, and Cluster API creates no node without any"
        )
        yield Problem("FilePermissions", message), about
    is_private = permissions.endswith("0")
    if with_password and not is_private:
        message = (
            '`permissions` must be "0640", so that others cannot read a file with a password, or it '
            "must hold none"
        )
        yield Problem("FilePermissions", message), about
