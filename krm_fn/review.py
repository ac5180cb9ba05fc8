"""What is left to say once every place has what it is to have: rules that do not hold, places that disagree.

The law of this room: it looks at the objects as they are now and proposes nothing. What is to be written in many places
is judged once, for the FunctionConfig that wants it; in a place only what is not ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from krm_fn import consistency, lint
from krm_fn.config import ProxyConfig
from krm_fn.consistency import Said
from krm_fn.lint import Listing
from krm_fn.results import ObjectRef, Result, Severity
from krm_fn.survey import Place
from krm_fn.targets import Seen


def review(places: Iterable[Place], wanted: ProxyConfig, config_ref: ObjectRef) -> Iterator[Result]:
    """Findings of the linter, and a warning for each place that does not say what others of its cluster say.

    A place that is to have no proxy is passed by. No rule is an error unless ``spec.lint`` says so: a run that injects
    must not fail because of what a person wrote elsewhere.

    Args:
        places: all that were looked at, after injection.
        wanted: the checked FunctionConfig.
        config_ref: its identity, for what is said about the settings themselves.
    """
    rules = lint.Rules(wanted.lint, at_most=Severity.WARNING)
    said: list[Said] = []
    judged: set[tuple[tuple[str, ...], Listing, frozenset[str]]] = set()
    for place in places:
        variables = place.resolved.settings.variables()
        seen = tuple(place.target.observe(place.obj.data, place.options)) if variables else ()
        if not seen:
            continue
        listing = Listing(place.consumer, place.resolved.networks, place.resolved.policy.max_length)
        if (key := (tuple(variables.values()), listing, place.resolved.derived)) not in judged:
            judged.add(key)
            for finding in lint.lint_settings(variables, listing, rules, derived=place.resolved.derived):
                yield Result(finding.severity, finding.message, config_ref)
        for finding in lint.lint_object(_in_our_file(seen, variables), listing, rules=rules, settled=variables):
            yield place.result(finding)
        said.append(_said(place, seen))
    yield from consistency.disagreements(one for one in said if one.clusters)
    strangers: dict[ObjectRef, list[Said]] = {}
    for one in said:
        if not one.clusters:
            strangers.setdefault(one.ref, []).append(one)
    for of_one_object in strangers.values():  # of which cluster each is part is not known
        yield from consistency.disagreements(of_one_object)


def _in_our_file(seen: tuple[Seen, ...], variables: Mapping[str, str]) -> list[Seen]:
    """Without what stands in another file than the one that says what is wanted: its target told that it should go.

    What such a file sets is not worth a line for each rule.
    """
    ours = {one.file for one in seen if one.value is not None and one.value == variables.get(one.variable)}
    return [one for one in seen if one.file in ours or not (one.file and ours)]


def _said(place: Place, seen: tuple[Seen, ...]) -> Said:
    clusters = (f"{one.cluster.namespace}/{one.cluster.name}".lstrip("/") for one in place.memberships)
    variables = place.resolved.settings.variables()
    return Said(place.obj.ref, place.target_id, seen, variables, tuple(dict.fromkeys(clusters)))
