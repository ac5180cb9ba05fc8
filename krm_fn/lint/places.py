"""Judge the variables that the places of one object set, whoever wrote them.

It knows no kind of object: what goes in are readings, and what comes out are findings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from krm_fn.krm.results import Result
from krm_fn.light_typing import NamedTuple
from krm_fn.lint.urls import judge_pair, judge_url
from krm_fn.lint.values import Problem, Reader, judge_list
from krm_fn.places.reading import Reading, quoted
from krm_fn.settings import PROXY_VARIABLES


class _PlaceProblem(NamedTuple):
    """A problem, and the readings of one place that it is about."""

    problem: Problem
    readings: Sequence[Reading]


def judge_places(
    readings: Iterable[Reading],
    reader: Reader,
    ours: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Result]:
    """Yield what is wrong with the places of an object; what is wrong with several places is one finding.

    Args:
        readings: what the places set.
        reader: who reads it.
        ours: variable -> the value of the ProxyConfig, which is judged there and not here.
    """
    alike: dict[Problem, list[Sequence[Reading]]] = {}
    for variables in by_place(readings):
        for problem, about in _of_place(variables, reader, ours):
            alike.setdefault(problem, []).append(about)
    for problem, places in alike.items():
        first = places[0]
        names = quoted(reading.variable for reading in first)
        others = f" and {len(places) - 1} more" if len(places) > 1 else ""
        message = f"{problem.message} ({names} of {first[0].place}{others})"
        yield Result.of(problem.code, message, first[0].path)


def by_place(readings: Iterable[Reading]) -> list[dict[str, Reading]]:
    """Return the readings place by place: variable -> reading; of a repeated variable the last one."""
    places: dict[str, dict[str, Reading]] = {}
    for reading in readings:
        places.setdefault(reading.place, {})[reading.variable] = reading
    return list(places.values())


def _of_place(
    variables: Mapping[str, Reading], reader: Reader, ours: Mapping[str, str]
) -> Iterator[_PlaceProblem]:
    """Yield the problems of what one program reads together."""
    urls: list[Reading] = []
    lists: list[Reading] = []
    for reading in variables.values():
        if reading.is_lost:
            message = f"the value does not reach its reader as it is written: {reading.why_unknown}"
            yield _PlaceProblem(Problem("ValueLost", message), [reading])
        if reading.value != "":
            (lists if reading.is_list else urls).append(reading)
    for upper in PROXY_VARIABLES[::2]:
        yield from _of_cases(variables, upper, reader)
    yield from _of_lists(lists, urls, reader, ours)
    yield from _of_urls(urls, variables, reader, ours)
    yield from _of_permissions(variables.values())


def _of_cases(
    variables: Mapping[str, Reading], upper: str, reader: Reader
) -> Iterator[_PlaceProblem]:
    """Yield the problem of a variable whose two cases differ, or of which one is missing."""
    lower = upper.lower()
    pair = [variables[name] for name in (upper, lower) if name in variables]
    if len(pair) == 2:
        first, second = pair
        if None not in (first.value, second.value) and first.value != second.value:
            message = (
                f"`{upper}` and `{lower}` must be equal: Go reads the first, curl, Python and Node "
                "the second"
            )
            yield _PlaceProblem(Problem("CasesDiffer", message), pair)
    elif pair and not (
        pair[0].is_provided or upper in pair[0].maybe_elsewhere or reader.names_are_given
    ):
        name = pair[0].variable
        missing = name.swapcase()
        message = f"`{name}` is set without `{missing}`: add `{missing}` with the same value"
        yield _PlaceProblem(Problem("CaseMissing", message), pair)


def _of_lists(
    lists: Sequence[Reading], urls: Sequence[Reading], reader: Reader, ours: Mapping[str, str]
) -> Iterator[_PlaceProblem]:
    """Yield the problems of the lists of a place, or that there is none beside a proxy."""
    has_proxy = bool(urls) and not reader.audience.completes_the_list
    may_be_elsewhere = any("NO_PROXY" in reading.maybe_elsewhere for reading in urls)
    if has_proxy and not lists and not may_be_elsewhere:
        message = (
            "a proxy must not be set without `NO_PROXY`: everything inside the cluster would go "
            "through it"
        )
        yield _PlaceProblem(Problem("ListEmpty", message), urls)
    for value, about in _by_value(lists, ours).items():
        is_whole = about[0].value is not None
        for problem in judge_list(value, reader, has_proxy=has_proxy and is_whole):
            yield _PlaceProblem(problem, about)


def _of_urls(
    urls: Sequence[Reading],
    variables: Mapping[str, Reading],
    reader: Reader,
    ours: Mapping[str, str],
) -> Iterator[_PlaceProblem]:
    """Yield the problems of the URLs of a place, and of a proxy for ``http://`` alone."""
    http: list[Reading] = []
    for url, about in _by_value([reading for reading in urls if reading.value], ours).items():
        for problem in judge_url(url, in_secret=reader.in_secret):
            yield _PlaceProblem(problem, about)
        http += [reading for reading in about if reading.variable.upper() == "HTTP_PROXY"]
    if http and not reader.names_are_given:
        names = {name.upper() for name in variables} | http[0].maybe_elsewhere
        if "HTTPS_PROXY" not in names:
            for problem in judge_pair(http[0].text, ""):
                yield _PlaceProblem(problem, http)


def _by_value(readings: Iterable[Reading], ours: Mapping[str, str]) -> dict[str, list[Reading]]:
    """Return value -> the readings with it, without those that have the value of the ProxyConfig."""
    found: dict[str, list[Reading]] = {}
    for reading in readings:
        if reading.text and reading.text != ours.get(reading.variable):
            found.setdefault(reading.text, []).append(reading)
    return found


def _of_permissions(readings: Iterable[Reading]) -> Iterator[_PlaceProblem]:
    """Yield what is wrong with the permissions of the file on the node that holds the place."""
    in_files = [reading for reading in readings if reading.file]
    with_password = [reading for reading in in_files if not reading.is_list and "@" in reading.text]
    about = with_password or in_files
    if not about:
        return
    permissions = about[0].permissions
    if about[0].by_ignition and not permissions.startswith("0"):
        octal = f"0{permissions or '640'}"
        message = (
            f'`permissions` must be written with a 0 in front, as in "{octal}": Ignition reads a '
            "decimal number, and Cluster API creates no node without any"
        )
        yield _PlaceProblem(Problem("FilePermissions", message), about)
    if with_password and (permissions or "0644")[-1] != "0":
        message = (
            '`permissions` must be "0640", so that others cannot read a file with a password, or it '
            "must hold none"
        )
        yield _PlaceProblem(Problem("FilePermissions", message), about)
