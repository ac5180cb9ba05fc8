"""What the variables of one place should be, as far as the fix of a rule that speaks allows.

Values in, values out. A rule that is off, or that finds nothing, corrects nothing; what a person has
to decide stays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from krm_fn.carriers.reading import Reading
from krm_fn.carriers.unit_corrections import as_meant
from krm_fn.krm.results import Severity
from krm_fn.lint import values as rules_of
from krm_fn.lint.levels import Rules
from krm_fn.lint.objects import Listing, lint_object
from krm_fn.lint.values import RULES
from krm_fn.noproxy.lint_rules import LIST
from krm_fn.settings import PROXY_VARIABLES

_MOST_ROUNDS = 8
_LISTS = frozenset(name for name, rule in RULES.items() if rule.about == LIST)
_URLS = frozenset({"NP005", "NP006"})
_LAYERS = frozenset({"NP001", "NP009"})
_NOTHING: Mapping[str, str | None] = MappingProxyType({})


def clash(place: Mapping[str, Reading]) -> str:
    """Return the two cases of a variable whose values differ, so that a person has to choose.

    "" for none.
    """
    known = as_meant(place)
    for upper in PROXY_VARIABLES[::2]:
        values = {known[name].value for name in (upper, upper.lower()) if name in known}
        if len(values - {None}) > 1:
            return f"`{upper}` and `{upper.lower()}`"
    return ""


def corrected(
    place: Mapping[str, Reading],
    listing: Listing,
    rules: Rules,
    silences: Callable[[str], bool] = lambda _: False,
) -> Mapping[str, str | None]:
    """Return the variables of ``place`` that must change or are missing, with the right values.

    None stands for a variable that is missing and must say what the one in the other case says, which is not known.
    """
    reported = _reported(place, listing, rules, silences)
    known = as_meant(place) if reported & _LAYERS else dict(place)
    reported |= _reported(known, listing, rules, silences)
    if not any(RULES[rule].has_fix for rule in reported):
        return _NOTHING
    new: dict[str, str | None] = {
        name: one.value
        for name, one in known.items()
        if one.value is not None and one.value != place[name].value
    }
    new |= _lists(known, listing, reported)
    if reported & _URLS:
        urls = {
            name: one.value
            for name, one in known.items()
            if name.upper() != "NO_PROXY" and one.value
        }
        new |= {name: rules_of.corrected_url(url) for name, url in urls.items()}
    if "NP008" in reported:
        alone = (name for name in known if name.swapcase() not in known)
        new |= {name.swapcase(): new.get(name, known[name].value) for name in alone}
    changed = {
        name for name, value in new.items() if name not in place or value != _text(place[name])
    }
    return {name: new[name] for name in PROXY_VARIABLES if name in changed}


def listed(text: str, listing: Listing, *, has_proxy: bool) -> str:
    """Return the list ``text`` as the rules want it, for every Cluster of ``listing``."""
    for _ in range(_MOST_ROUNDS):
        before = text
        for network in listing.networks or (None,):
            text = rules_of.fix(
                text,
                audience=listing.audience,
                network=network,
                has_proxy=has_proxy,
                max_length=listing.max_length,
            )
        if text == before:
            break
    return text


def _reported(
    place: Mapping[str, Reading],
    listing: Listing,
    rules: Rules,
    silences: Callable[[str], bool],
) -> set[str]:
    """Return the rules that find something, but for warnings and information that are silenced."""
    found = set()
    for finding in lint_object(place.values(), listing, rules=rules):
        if finding.severity is Severity.ERROR or not silences(finding.code):
            found.add(finding.code)
    return found


def _text(one: Reading) -> str | None:
    return one.known or None if one.value is None else one.value


def _lists(
    known: Mapping[str, Reading], listing: Listing, reported: set[str]
) -> dict[str, str | None]:
    """Return the lists of a place.

    Of a list that is computed in part only the static part changes.
    """
    if not reported & _LISTS:
        return {}
    has_proxy = any(name.upper() != "NO_PROXY" and one.value != "" for name, one in known.items())
    found = {name: one for name, one in known.items() if name.upper() == "NO_PROXY"}
    if has_proxy and all(one.value == "" for one in found.values()):
        return dict.fromkeys(("NO_PROXY", "no_proxy"), listed("", listing, has_proxy=True))
    return {
        name: listed(text, listing, has_proxy=has_proxy and one.value is not None)
        for name, one in found.items()
        if (text := _text(one))
    }
