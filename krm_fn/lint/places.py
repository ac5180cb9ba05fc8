"""Judge the variables that the places of one object set, whoever wrote them.

It knows no kind of object: what goes in are readings, and what comes out are findings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from krm_fn.clusters import ClusterNetwork
from krm_fn.formats import escaping
from krm_fn.krm.results import Finding
from krm_fn.light_typing import NamedTuple
from krm_fn.lint.values import Problem, judge_list, judge_pair, judge_url
from krm_fn.noproxy import Audience
from krm_fn.places.reading import Reading
from krm_fn.settings import PROXY_VARIABLES

Variables = Mapping[str, Reading]
"""Variable -> what one place sets."""


class Reader(NamedTuple):
    """Who reads the values of a place.

    Attributes:
        audience: how NO_PROXY is read there.
        networks: what is known of the Clusters of the object.
        max_length: the longest list, in bytes; 0 for the limits of Linux and Cluster API.
        in_secret: the object is a Secret, where a password is in its place.
        names_are_given: the author chose which variables there are, and no target adds one.
    """

    audience: Audience
    networks: tuple[ClusterNetwork, ...] = ()
    max_length: int = 0
    in_secret: bool = False
    names_are_given: bool = False


class PlaceProblem(NamedTuple):
    """A problem, and the readings of one place that it is about."""

    problem: Problem
    readings: tuple[Reading, ...]


def judge_places(
    readings: Iterable[Reading],
    reader: Reader,
    ours: Mapping[str, str] = MappingProxyType({}),
    other_writers: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Finding]:
    """Yield what is wrong with the places of an object; what is wrong with several places is one finding.

    Args:
        readings: what the places set.
        reader: who reads it.
        ours: variable -> the value of the ProxyConfig, which is judged there and not here.
        other_writers: path of a file -> the provider of the infrastructure that writes it, too.
    """
    places = by_place(readings)
    alike: dict[Problem, list[PlaceProblem]] = {}
    for variables in places:
        for found in (
            *_of_place(variables, reader, ours),
            *_of_writers(variables, places, other_writers),
        ):
            alike.setdefault(found.problem, []).append(found)
    for problem, found_there in alike.items():
        about = found_there[0].readings
        names = ", ".join(f"`{reading.variable}`" for reading in about)
        others = f" and {len(found_there) - 1} more" if len(found_there) > 1 else ""
        message = f"{problem.message} ({names} of {about[0].place}{others})"
        yield Finding.of(problem.code, message, about[0].path)


def by_place(readings: Iterable[Reading]) -> list[dict[str, Reading]]:
    """Return the readings place by place: variable -> reading; of a repeated variable the last one."""
    places: dict[str, dict[str, Reading]] = {}
    for reading in readings:
        places.setdefault(reading.place, {})[reading.variable] = reading
    return list(places.values())


def known_value(reading: Reading) -> str:
    """Return the value of a variable, or the part of it that is known."""
    return reading.known if reading.value is None else reading.value


def is_list(reading: Reading) -> bool:
    """Return whether a variable holds a list, and no URL."""
    return reading.variable.upper() == "NO_PROXY"


def _of_place(
    variables: Variables, reader: Reader, ours: Mapping[str, str]
) -> Iterator[PlaceProblem]:
    for reading in variables.values():
        why = _why_lost(reading)
        if why:
            yield PlaceProblem(Problem("ValueLost", why), (reading,))
    for upper in PROXY_VARIABLES[::2]:
        yield from _of_cases(variables, upper, reader)
    yield from _of_lists(variables, reader, ours)
    urls: dict[str, list[Reading]] = {}
    for reading in variables.values():
        if not is_list(reading) and reading.value and reading.value != ours.get(reading.variable):
            urls.setdefault(reading.value, []).append(reading)
    for url, about in urls.items():
        for problem in judge_url(url, in_secret=reader.in_secret):
            yield PlaceProblem(problem, tuple(about))
    yield from _of_pair(variables, reader, ours)
    yield from _of_permissions(variables)


def _of_pair(
    variables: Variables, reader: Reader, ours: Mapping[str, str]
) -> Iterator[PlaceProblem]:
    """Yield the problem of a place that sets a proxy for ``http://`` alone."""
    about = []
    for reading in variables.values():
        is_http = reading.variable.upper() == "HTTP_PROXY"
        if is_http and reading.value and reading.value != ours.get(reading.variable):
            about.append(reading)
    if not about or reader.names_are_given:
        return
    names = {name.upper() for name in variables} | about[0].beside
    if "HTTPS_PROXY" not in names:
        for problem in judge_pair(known_value(about[0]), ""):
            yield PlaceProblem(problem, tuple(about))


def _why_lost(reading: Reading) -> str:
    """Return why a text does not reach its reader; "" where it does."""
    words = _words(reading)
    if reading.is_lost:
        if words and words[0] is not None and escaping.resolve_specifiers(words[0]) is None:
            return 'systemd reads a single "%" as a specifier: write "%%"'
        return f"the value does not reach its reader as it is written: {reading.why_unknown}"
    if reading.value is not None and len(words) > 1 and "=" not in (words[1] or "="):
        return "systemd ignores what follows the blank: put the assignment in quotes"
    return ""


def _words(reading: Reading) -> list[str | None]:
    """Return the words of a line of a drop-in, from the one that sets the variable; none for any other text."""
    if not reading.file:
        return []
    words = [word.value for word in escaping.systemd_words(reading.raw.partition("=")[2])]
    for number, word in enumerate(words):
        if word is not None and word.startswith(f"{reading.variable}="):
            return words[number:]
    return []


def _of_cases(variables: Variables, upper: str, reader: Reader) -> Iterator[PlaceProblem]:
    """Yield the problem of a variable whose two cases differ, or of which one is missing."""
    lower = upper.lower()
    pair = tuple(variables[name] for name in (upper, lower) if name in variables)
    if len(pair) == 2:
        first, second = pair
        if None not in (first.value, second.value) and first.value != second.value:
            message = f"`{upper}` and `{lower}` must be equal: Go reads the first, curl, Python and Node the second"
            yield PlaceProblem(Problem("CasesDiffer", message), pair)
    elif pair and not (pair[0].is_provided or upper in pair[0].beside or reader.names_are_given):
        missing = pair[0].variable.swapcase()
        message = (
            f"`{pair[0].variable}` is set without `{missing}`: add `{missing}` with the same value"
        )
        yield PlaceProblem(Problem("CaseMissing", message), pair)


def _of_lists(
    variables: Variables, reader: Reader, ours: Mapping[str, str]
) -> Iterator[PlaceProblem]:
    urls: list[Reading] = []
    lists: list[Reading] = []
    for reading in variables.values():
        if reading.value != "":
            (lists if is_list(reading) else urls).append(reading)
    has_proxy = bool(urls) and not reader.audience.completes_the_list
    may_be_elsewhere = any("NO_PROXY" in reading.beside for reading in urls)
    if has_proxy and not lists and not may_be_elsewhere:
        message = "a proxy must not be set without `NO_PROXY`: everything inside the cluster would go through it"
        yield PlaceProblem(Problem("ListEmpty", message), tuple(urls))
    by_value: dict[str, list[Reading]] = {}
    for reading in lists:
        value = known_value(reading)
        if value and value != ours.get(reading.variable):
            by_value.setdefault(value, []).append(reading)
    for value, about in by_value.items():
        is_whole = about[0].value is not None
        for problem in _judged(value, reader, has_proxy=has_proxy and is_whole):
            yield PlaceProblem(problem, tuple(about))


@lru_cache(maxsize=4096)
def _judged(value: str, reader: Reader, *, has_proxy: bool) -> tuple[Problem, ...]:
    return tuple(
        judge_list(
            value,
            reader.audience,
            reader.networks,
            has_proxy=has_proxy,
            max_length=reader.max_length,
        )
    )


def _of_permissions(variables: Variables) -> Iterator[PlaceProblem]:
    """Yield what is wrong with the permissions of the file on the node that holds the place."""
    with_password = tuple(
        reading
        for reading in variables.values()
        if reading.file and not is_list(reading) and "@" in (reading.value or "")
    )
    by_ignition = tuple(reading for reading in variables.values() if reading.by_ignition)
    about = with_password or by_ignition
    if not about:
        return
    permissions = about[0].permissions
    if about[0].by_ignition and not permissions.startswith("0"):
        message = (
            f'`permissions` must be written with a 0 in front, as in "0{permissions or "640"}": Ignition reads a '
            "decimal number, and Cluster API creates no node without any"
        )
        yield PlaceProblem(Problem("FilePermissions", message), about)
    if with_password and (permissions or "0644")[-1] != "0":
        message = '`permissions` must not let others read a file with a password: write "0640", or no password'
        yield PlaceProblem(Problem("FilePermissions", message), about)


def _of_writers(
    variables: Variables, places: Sequence[Variables], other_writers: Mapping[str, str]
) -> Iterator[PlaceProblem]:
    """Yield the problem of a file with several writers, with the first of them."""
    first = next(iter(variables.values()))
    if not first.file:
        return
    writers = [other_writers[first.file]] if first.file in other_writers else []
    for other in places:
        reading = next(iter(other.values()))
        if reading.file == first.file:
            writers.append(reading.place)
    names = list(dict.fromkeys(writers))
    is_first = first.place == next(name for name in names if name != other_writers.get(first.file))
    if len(names) > 1 and is_first:
        message = f'file "{first.file}" must have one writer, not {" and ".join(names)}: the later one wins'
        yield PlaceProblem(Problem("FileTwice", message), (first,))
