"""Judge what an object says about a proxy, by the rules with ids: the values, and the places they are in.

It judges what was seen and knows no kind of object; what is wrong with a list or a URL by itself
is known by ``lint.values``. Each finding has the ID of its rule as its code; a rule reports all places that hold the
same value once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from krm_fn import placeholders
from krm_fn.carriers.reading import Reading
from krm_fn.formats import escaping
from krm_fn.krm.results import Finding, Severity
from krm_fn.light_typing import NamedTuple
from krm_fn.lint import values as rules_of
from krm_fn.lint.levels import THE_TABLE, Rules
from krm_fn.noproxy import Audience, ClusterNetwork
from krm_fn.noproxy.lint_rules import Problem, problem
from krm_fn.settings import PROXY_VARIABLES

_ABOUT_THE_CLUSTER = frozenset({"NP003", "NP004", "NP023"})
_LACKS = frozenset({*_ABOUT_THE_CLUSTER, "NP024"})
"""Rules about what a list lacks. The composition leaves out nothing by mistake, so it is the policy that does: the
style, or a switch of ``derive`` or ``exclude``."""

_ABOUT_THE_STYLE = frozenset({"NP011", "NP019", "NP020", "NP027", "NP029"})
"""Rules about the form of an entry, which a style decides for what it derives."""

ONE_CAUSE = frozenset({"NP033"})
"""Rules that say the same of each place with one URL, whoever wrote it there. The fact of a finding is the URL, which
holds a password: facts are compared and never shown."""

_FEW = 4


class Listing(NamedTuple):
    """How lists are judged: for whom, for which Clusters, and up to how many bytes (0: as Linux and Cluster API).

    ``in_secret``: what is judged is in a Secret, where a password is in its place.
    """

    audience: Audience
    networks: tuple[ClusterNetwork, ...] = ()
    max_length: int = 0
    in_secret: bool = False


class Judged(NamedTuple):
    """A finding about the settings, and the entry of the list that it is about; "" for the list or a URL."""

    finding: Finding
    entry: str = ""


def lint_settings(
    variables: Mapping[str, str],
    listing: Listing,
    rules: Rules = THE_TABLE,
    *,
    derived: Container[str] = (),
    completes: bool = True,
) -> Iterator[Judged]:
    """Yield the problems of the variables that the run writes, wherever it writes them.

    What the style decides is no warning, or each run would print it: what the list lacks is an information, unless
    ``rules`` says otherwise, and so is a domain that stays in the one form in which the user wrote it.

    Args:
        variables: name -> value, as ``ProxySettings.variables`` gives them; none: there is nothing to judge.
        listing: how the list is judged.
        rules: which rules speak, and how loud.
        derived: entries that a style put in: whether one is alone there, or twice, is the style's to say.
        completes: whether the style writes each domain of the user in both forms.
    """
    names: dict[Problem, list[str]] = {}
    for reported, name in _problems_of_settings(variables, listing) if variables else ():
        names.setdefault(reported, []).append(f"`{name}`")
    for reported, about in names.items():
        if reported.rule in _ABOUT_THE_STYLE and reported.entry in derived:
            continue
        is_decided = reported.rule in _LACKS or (reported.rule == "NP011" and not completes)
        severity = rules.level(reported.rule, Severity.INFO if is_decided else reported.severity)
        if severity is not None:
            message = f"{reported.message} ({', '.join(about)})"
            yield Judged(Finding(severity, message, code=reported.rule), reported.entry)


def _problems_of_settings(
    variables: Mapping[str, str], listing: Listing
) -> Iterator[tuple[Problem, str]]:
    """Yield each problem of the list and of the URLs, and the variable that has it."""
    listed = variables.get("NO_PROXY", "")
    is_completed = listing.audience.completes_the_list
    if listed or not is_completed:
        for found in _judged(listed, listing, has_proxy=not is_completed):
            yield found, "NO_PROXY"
    http, https = variables.get("HTTP_PROXY", ""), variables.get("HTTPS_PROXY", "")
    names: dict[str, list[str]] = {}
    for name, url in (("HTTP_PROXY", http), ("HTTPS_PROXY", https)):
        if url:
            names.setdefault(url, []).append(name)
    for url, of_both in names.items():
        of_url = rules_of.lint_proxy(url, no_proxy=listed, in_manifest=not listing.in_secret)
        for found in (*of_url, *_filled_in_later(url)):
            for name in of_both:
                yield found, name
    for found in rules_of.lint_pair(http, https):
        yield found, "HTTP_PROXY"


def _filled_in_later(url: str) -> Iterator[Problem]:
    """Yield the conditions that a URL with placeholders must meet later."""
    if placeholders.alone(url):
        message = (
            "a later step fills in the value, so inject-proxy neither checks nor escapes it: it must be a URL with its "
            'scheme and without "%", which systemd reads as a specifier in a drop-in'
        )
        yield problem("NP009", "", message, severity=Severity.WARNING)


def lint_object(
    readings: Iterable[Reading],
    listing: Listing,
    *,
    rules: Rules = THE_TABLE,
    settled: Mapping[str, str] = MappingProxyType({}),
    names_are_chosen: bool = False,
) -> Iterator[Finding]:
    """Yield the problems of the variables that one target reads in one object.

    Args:
        readings: what the target's ``observe`` gives.
        listing: how lists are judged: for the target's ``AUDIENCE``, and for each Cluster the object belongs to.
        rules: which rules speak, and how loud.
        settled: name -> value of what ``lint_settings`` judges; here only the place of such a value is judged.
        names_are_chosen: whether the target sets no other variables than the author of the object: then one that is
            there in one case only is information.
    """
    reported: dict[tuple[str, str, str], list[tuple[Problem, tuple[Reading, ...]]]] = {}
    all_places = places(readings)
    for place in all_places:
        for found, about in (*_of_place(place, listing, settled), *_of_writers(place, all_places)):
            if names_are_chosen and found.rule == "NP008":
                continue
            reported.setdefault((found.rule, found.entry, found.message), []).append((found, about))
        alone = _in_one_case(place) if names_are_chosen else ()
        if alone:
            reported.setdefault((_CHOSEN.rule, "", _CHOSEN.message), []).append((_CHOSEN, alone))
    for same in reported.values():
        severity = rules.severity(same[0][0])
        if severity is not None:
            yield _finding(same, severity)


def _in_one_case(place: Mapping[str, Reading]) -> tuple[Reading, ...]:
    """Return the variables that a place sets in one case only: ``HTTP_PROXY``, but not ``http_proxy``."""
    return tuple(
        one
        for one in place.values()
        if one.variable.swapcase() not in place and one.variable.upper() not in one.beside
    )


_CHOSEN = problem(
    "NP008",
    "",
    "the author sets these variables in one case only, so programs that read the other case use no proxy",
    severity=Severity.INFO,
)


def lint_provider(
    readings: Iterable[Reading], files: Iterable[WrittenFile], rules: Rules = THE_TABLE
) -> Iterator[Finding]:
    """Yield NP031 for each place that is in a file which the infrastructure provider writes, too.

    Args:
        readings: what the targets see in one object that makes nodes.
        files: what the provider of its Clusters writes on these nodes.
        rules: which rules speak, and how loud.
    """
    first = {one.file: one for one in reversed(list(readings)) if one.file}
    for file in files:
        place = first.get(file.path)
        if place is None:
            continue
        for found in rules_of.lint_writers(file.path, [file.writer, place.place]):
            severity = rules.severity(found)
            if severity is not None:
                yield Finding(severity, found.message, place.path, code=found.rule)


class WrittenFile(NamedTuple):
    """A file on the nodes, by its path, and who writes it, in a phrase for a person."""

    path: str
    writer: str


def places(readings: Iterable[Reading]) -> list[dict[str, Reading]]:
    """Return the readings place by place: variable -> reading; of a repeated variable the last one."""
    by_place: dict[str, dict[str, Reading]] = {}
    for one in readings:
        by_place.setdefault(one.place, {})[one.variable] = one
    return list(by_place.values())


def _finding(same: Sequence[tuple[Problem, tuple[Reading, ...]]], severity: Severity) -> Finding:
    found, about = same[0]
    names = ", ".join(f"`{one.variable}`" for one in about)
    others = f" and {len(same) - 1} more" if len(same) > 1 else ""
    message = f"{found.message} ({names} of {about[0].place}{others})"
    fact = (about[0].value or "",) if found.rule in ONE_CAUSE else ()
    return Finding(severity, message, about[0].path, code=found.rule, fact=fact)


_Findings = Iterator[tuple[Problem, tuple[Reading, ...]]]
"""A problem and what it is about, at least one variable, all of one place."""


def _of_place(
    place: Mapping[str, Reading], listing: Listing, settled: Mapping[str, str]
) -> _Findings:
    yield from _of_layers(place)
    yield from _of_pairs(place)
    yield from _of_lists(place, listing, settled)
    yield from _of_urls(place, listing, settled)
    yield from _of_file(place)


def _of_layers(place: Mapping[str, Reading]) -> _Findings:
    """Yield NP001 and NP009: texts that do not reach their reader."""
    for one in place.values():
        if one.is_lost:
            yield _loss(one), (one,)
        elif one.file and one.value is not None and _goes_on_behind_a_blank(one):
            message = "the assignment must be in quotes: systemd ignores what follows the blank"
            yield problem("NP009", "", message), (one,)


def _loss(one: Reading) -> Problem:
    """Return why a text does not reach its reader: a single "%" in it, or what the reading says."""
    words = _words(one)
    if words and words[0] is not None and escaping.resolve_specifiers(words[0]) is None:
        message = 'the value must not contain a single "%", which systemd reads as a specifier: write "%%"'
        return problem("NP001", "", message)
    return problem(
        "NP009", "", f"the value must reach its reader as it is written, but {one.why_unknown}"
    )


def _goes_on_behind_a_blank(one: Reading) -> bool:
    words = _words(one) if len(one.raw.split()) > 1 else []
    return len(words) > 1 and "=" not in (words[1] or "=")


def _words(one: Reading) -> list[str | None]:
    """Return the words of a line of a drop-in, from the one that sets the variable; none for any other text."""
    if not one.file:
        return []
    words = [word.value for word in escaping.systemd_words(one.raw.partition("=")[2])]
    for at, word in enumerate(words):
        if word is not None and word.startswith(f"{one.variable}="):
            return words[at:]
    return []


def _of_pairs(place: Mapping[str, Reading]) -> _Findings:
    """Yield NP007 and NP008: the two cases of a variable differ, or one of them is not set."""
    for upper in PROXY_VARIABLES[::2]:
        pair = tuple(place[name] for name in (upper, upper.lower()) if name in place)
        if len(pair) > 1 and pair[0].value is not None and pair[0].value == pair[1].value:
            continue  # both are there, and say the same
        unset = next((one for one in pair if one.is_unset), None)
        if unset is not None:
            message = (
                f"a later command unsets `{unset.variable}` and leaves `{unset.variable.swapcase()}` in the "
                "environment: unset both, or none"
            )
            yield problem("NP008", "", message), (unset,)
            continue
        if len(pair) == 1 and (pair[0].is_provided or upper in pair[0].beside):
            continue  # who wrote the reference chose the case, or the other case may be there
        values = {one.variable: one.value or "" for one in pair}
        if any(one.value is None for one in pair):
            # Two values count as equal if one of them is not known here.
            values = dict.fromkeys(values, "")
        for found in rules_of.lint_variables(values):
            yield found, pair


def _of_lists(
    place: Mapping[str, Reading], listing: Listing, settled: Mapping[str, str]
) -> _Findings:
    """Yield NP002 for the place, and all problems of the value of a list, once for both cases."""
    urls = [one for one in place.values() if one.variable.upper() != "NO_PROXY" and one.value != ""]
    lists = [
        one for one in place.values() if one.variable.upper() == "NO_PROXY" and one.value != ""
    ]
    is_completed = listing.audience.completes_the_list
    may_have_list = any("NO_PROXY" in one.beside for one in urls)
    if urls and not lists and not may_have_list and not is_completed:
        message = "a proxy must not be set without `NO_PROXY`: everything inside the cluster would go through it"
        yield problem("NP002", "", message), tuple(urls)
    by_value: dict[str, list[Reading]] = {}
    for one in lists:
        by_value.setdefault(one.known if one.value is None else one.value, []).append(one)
    for value, about in by_value.items():
        is_whole = about[0].value is not None
        is_settled = is_whole and value == settled.get(about[0].variable)
        if is_settled or not value:
            continue
        has_proxy = bool(urls) and is_whole and not is_completed
        for found in _judged(value, listing, has_proxy=has_proxy):
            yield found, tuple(about)


@lru_cache(maxsize=4096)
def _judged(value: str, listing: Listing, *, has_proxy: bool) -> tuple[Problem, ...]:
    """Return the problems of a list: for any of its Clusters if it lacks something, else for all of them.

    Whether an entry is right is asked for the first few Clusters only: the entries of a list grow with its Clusters.
    """
    first, others = listing.networks[:_FEW], listing.networks[_FEW:]
    each = [
        rules_of.lint_list(
            value,
            audience=listing.audience,
            network=network,
            has_proxy=has_proxy,
            max_length=listing.max_length,
        )
        for network in first or (None,)
    ]
    lacks = rules_of.lint_for(value, listing.audience, others) if has_proxy and others else []
    times = Counter(found for problems in each for found in dict.fromkeys(problems))
    shared = [
        found for found in times if found.rule in _ABOUT_THE_CLUSTER or times[found] == len(each)
    ]
    return tuple(sorted(dict.fromkeys([*shared, *lacks]), key=lambda found: found.rule))


def _of_urls(
    place: Mapping[str, Reading], listing: Listing, settled: Mapping[str, str]
) -> _Findings:
    """Yield all problems of the values of the URLs."""
    urls = [one for one in place.values() if one.variable.upper() != "NO_PROXY" and one.value]
    listed = ",".join(
        one.value or "" for one in place.values() if one.variable.upper() == "NO_PROXY"
    )
    for value in dict.fromkeys(one.value or "" for one in urls):
        about = tuple(
            one for one in urls if one.value == value and value != settled.get(one.variable)
        )
        if not about:
            continue
        for found in rules_of.lint_proxy(value, no_proxy=listed, in_manifest=not listing.in_secret):
            yield found, about


def _of_file(place: Mapping[str, Reading]) -> _Findings:
    """Yield NP030: the permissions of the file that contains the place."""
    urls = (one for one in place.values() if one.variable.upper() != "NO_PROXY")
    guarded = tuple(one for one in urls if one.file and "@" in (one.value or ""))
    about = guarded or tuple(one for one in place.values() if one.by_ignition)
    if about:
        from krm_fn.products.node_files import FOR_ALL_USERS  # noqa: PLC0415 -- few files have a password

        first, has_password = about[0], bool(guarded)
        for found in rules_of.lint_permissions(
            first.permissions,
            has_password=has_password,
            ignition=first.by_ignition,
            is_for_all=first.file in FOR_ALL_USERS,
        ):
            yield found, about


def _of_writers(
    place: Mapping[str, Reading], all_places: Sequence[Mapping[str, Reading]]
) -> _Findings:
    """Yield NP031: the other places that write the same file, reported with the first of them."""
    about = next(iter(place.values()))
    if not about.file:
        return
    first_of_each = [next(iter(other.values())) for other in all_places]
    same = [one for one in first_of_each if one.file == about.file]
    if len(same) > 1 and same[0] == about:
        for found in rules_of.lint_writers(about.file, [one.place for one in same]):
            yield found, (about,)
