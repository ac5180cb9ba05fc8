"""Findings after the injection: rules that are violated, and places that disagree.

It reads the objects as they are now and proposes nothing. A value that the run writes in many places
is judged once, for the FunctionConfig; in a place only the values of other authors are judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from krm_fn import placeholders
from krm_fn.carriers.reading import Reading
from krm_fn.clusters import ByKey, Cluster, Membership, key_of
from krm_fn.config import ProxyConfig
from krm_fn.formats import sops
from krm_fn.krm.results import Edit, Finding, ObjectRef, Result, Severity
from krm_fn.light_typing import Any
from krm_fn.lint.drift import Comparison, ObservedObject
from krm_fn.lint.levels import Rules
from krm_fn.lint.objects import Listing, lint_settings
from krm_fn.lint.seen import SeenObject, judged, listing_of
from krm_fn.noproxy import SERVICE_ADDRESSES, Entry, Fact, Style
from krm_fn.noproxy.entries import canonical
from krm_fn.patch import lookup
from krm_fn.plan import PlannedEdit
from krm_fn.targets import Context, Reach, Writes

_SECRET = ("", "Secret")
_ANY_PROXY = "http://proxy.invalid"
"""Stands for the proxy that an object would get."""
_UNREACHED = (
    "this place holds one proxy for all nodes of the cluster, so {} cannot reach it: declare its proxy in "
    "`spec.httpProxy` and `spec.httpsProxy`, or in an override without `roles` and `workerGroups`"
)
_WITHHELD = (
    'gets no proxy: only {how} says that it belongs to {clusters}, but it is in namespace "{namespace}", '
    "and an object of another namespace does not get the proxy of a Cluster by that alone. If you trust who writes "
    "there, add the namespace to `spec.trustedNamespaces`"
)


def review(
    places: Iterable[PlannedEdit], wanted: ProxyConfig, config_ref: ObjectRef
) -> Iterator[Result]:
    """Yield findings of the linter, and a warning for each place that differs from others of its cluster.

    A file of a node whose content a Secret of the list is to hold, but does not hold, is a warning, too.

    A place that is to have no proxy is passed by. No rule is an error unless ``spec.lint`` says so: a run that injects
    must not fail because of what a person wrote elsewhere.

    Args:
        places: all that were looked at, after injection.
        wanted: the checked FunctionConfig.
        config_ref: its identity, for what is said about the settings themselves.
    """
    places = list(places)
    yield from _missing(places)
    rules = Rules(wanted.lint, at_most=Severity.WARNING)
    of_clusters = Comparison()
    strangers: dict[ObjectRef, Comparison] = {}
    settings: set[tuple[tuple[str, ...], Listing, tuple[Entry, ...]]] = set()
    addresses: dict[Fact, Result] = {}
    for place in places:
        is_written = place.target.writes is not Writes.NOTHING
        variables = place.resolved.settings.variables() if is_written else {}
        readings = tuple(place.readings()) if variables else ()
        if not readings:
            continue
        listing = listing_of(place.obj, place.audience, place.resolved)
        seen = SeenObject(place.obj, place.target_id, readings, listing, place.memberships)
        if (key := (tuple(variables.values()), listing, place.resolved.entries)) not in settings:
            settings.add(key)
            yield from _of_settings(place, listing, rules, config_ref)
        # The target itself reports the command that unsets what it exports.
        exported = [
            one._replace(is_unset=False) if one.is_unset else one
            for one in _in_our_file(readings, variables)
        ]
        yield from judged(seen, rules, exported, variables)
        for observed in _observed(place, seen, variables):
            if observed.clusters:
                of_clusters.take(observed)
            else:  # of which cluster each is part is not known: it is compared with itself
                strangers.setdefault(observed.ref, Comparison()).take(observed)
        yield from _encoded(place, readings, variables)
        addresses |= _unknown_addresses(place, readings)
    yield from addresses.values()
    for compared in (of_clusters, *strangers.values()):
        yield from compared.disagreements()


def review_settings(
    places: Iterable[PlannedEdit], wanted: ProxyConfig, config_ref: ObjectRef
) -> Iterator[Result]:
    """Yield what ``review`` says about the settings of places that this run does not edit.

    Args:
        places: those that another job edits, before injection.
        wanted: the checked FunctionConfig.
        config_ref: its identity.
    """
    rules = Rules(wanted.lint, at_most=Severity.WARNING)
    seen: set[tuple[object, ...]] = set()
    for place in places:
        is_asked = place.is_asked and place.target.writes is not Writes.NOTHING
        variables = place.resolved.settings.variables() if is_asked else {}
        if not variables:
            continue
        listing = listing_of(place.obj, place.audience, place.resolved)
        key = (tuple(variables.values()), listing, place.resolved.entries)
        if key not in seen and _holds_after(place):
            seen.add(key)
            yield from _of_settings(place, listing, rules, config_ref)


def _holds_after(place: PlannedEdit) -> bool:
    """Return whether a place that is not edited in this run would hold variables after its edit."""
    data = place.obj.data
    for one in place.proposals():
        if isinstance(one, Edit) and one.data is not None:
            data = one.data
    return any(True for _ in place.target.read(data, place.options, place.uses))


def _encoded(
    place: PlannedEdit, readings: Iterable[Reading], variables: Mapping[str, str]
) -> Iterator[Result]:
    """Yield a warning for a placeholder that the run wrote into an encoded text, where no later step finds it."""
    ours = list(filter(placeholders.is_in, variables.values()))
    for one in readings if ours else ():
        if one.value not in ours:
            continue
        stored = lookup(place.obj.data, one.path)
        if isinstance(stored, str) and not placeholders.is_in(stored):
            message = (
                f"`{one.variable}` holds a placeholder in a text that is stored encoded, where clusterctl and Flux do "
                "not fill it in: write the value itself into the ProxyConfig, or keep the text unencoded"
            )
            yield place.result(
                Finding(Severity.WARNING, message, one.path, code="EncodedPlaceholder")
            )
            return


def _unknown_addresses(place: PlannedEdit, readings: Iterable[Reading]) -> dict[Fact, Result]:
    """Return a warning for each service CIDR that is a placeholder: the list lacks its first address."""
    policy = place.resolved.policy
    holds_list = any(
        one.variable.upper() == "NO_PROXY" and one.value is not None for one in readings
    )
    if (
        not holds_list
        or policy.style is not Style.PORTABLE
        or SERVICE_ADDRESSES not in policy.derive
    ):
        return {}
    message = (
        "the service CIDR is a placeholder, so `NO_PROXY` lacks its first address, the API server's, for clients that "
        "read no CIDRs: add the address to `spec.noProxy`, which may hold a placeholder, too; "
        f"`spec.noProxyPolicy.derive.{SERVICE_ADDRESSES}: false` switches this warning off"
    )
    facts = (fact for one in place.memberships for fact in one.cluster.network.service_cidrs)
    return {
        fact: Result(Severity.WARNING, message, fact.ref, fact.path, code="ServiceAddressUnknown")
        for fact in facts
        if placeholders.is_in(fact.value)
    }


def _of_settings(
    place: PlannedEdit, listing: Listing, rules: Rules, config_ref: ObjectRef
) -> Iterator[Result]:
    """Yield findings about what the run writes.

    Each about the object that declares it, a Cluster or the FunctionConfig.
    """
    resolved = place.resolved
    derived = resolved.derived  # once: there may be as many findings as entries
    completes = resolved.policy.style is Style.PORTABLE
    judged = lint_settings(
        resolved.settings.variables(), listing, rules, derived=derived, completes=completes
    )
    for one in judged:
        fact = _fact_of(one.entry, place.memberships) if one.entry in derived else None
        if fact is None:
            yield one.finding.about(config_ref)
        else:
            yield one.finding._replace(path=fact.path).about(fact.ref)


def _fact_of(entry: str, memberships: Iterable[Membership]) -> Fact | None:
    """Return the fact of a Cluster that an entry of the list was derived from.

    None if it stands for no single one.
    """
    for membership in memberships:
        for _, fact in membership.cluster.network.facts():
            if entry in {fact.value, *canonical(fact.value.lower())}:
                return fact
    return None


def unreached(places: Iterable[PlannedEdit]) -> Iterator[Result]:
    """Yield a warning for each object with one proxy for all nodes, where overrides for some do not apply."""
    reported: set[ObjectRef] = set()
    for place in places:
        beyond = (
            ()
            if place.class_context or place.target.reach is Reach.OBJECT
            else place.resolved.unreachable_overrides
        )
        if beyond and place.obj.ref not in reported and _is_place(place):
            reported.add(place.obj.ref)
            named = " and ".join(f"`{one}`" for one in beyond)
            yield place.result(Finding(Severity.WARNING, _UNREACHED.format(named), code="NP041"))


def withheld(places: Iterable[PlannedEdit]) -> Iterator[Result]:
    """Yield a warning for each object that says itself that it belongs to a Cluster of another namespace.

    Only where a target would write the proxy of that Cluster there: see ``Resolved.withheld``.
    """
    reported: set[ObjectRef] = set()
    for place in places:
        claims = place.resolved.withheld
        if claims and place.obj.ref not in reported and _is_place(place):
            reported.add(place.obj.ref)
            clusters = tuple(dict.fromkeys(_cluster(claim.cluster) for claim in claims))
            message = _WITHHELD.format(
                how=claims[0].how, clusters=" and ".join(clusters), namespace=claims[0].claimed_from
            )
            yield place.result(Finding(Severity.WARNING, message, code="OtherNamespace"))


def _cluster(cluster: Cluster) -> str:
    name = "/".join(part for part in ("Cluster", cluster.namespace, cluster.name) if part)
    return f"`{name}`" if cluster.is_listed else f"`{name}` (not in the list)"


def _is_place(place: PlannedEdit) -> bool:
    """Return whether an object of the list holds a proxy of the target, or would get one that is declared for it.

    None writes to an encrypted one.
    """
    if sops.is_encrypted(place.obj.data) or (place.is_new and not place.is_asked):
        return False
    if any(True for _ in place.readings()):
        return True
    settings = place.resolved.settings._replace(is_declared=True)
    if not settings.sets_any:
        settings = settings._replace(http_proxy=_ANY_PROXY, https_proxy=_ANY_PROXY)
    context = Context(place.options, settings, uses=place.uses)
    return any(isinstance(one, Edit) for one in place.target.edit(place.obj.data, context))


def _in_our_file(readings: tuple[Reading, ...], variables: Mapping[str, str]) -> list[Reading]:
    """Return the readings without those of another file than the wanted one, whose removal the target reported.

    What such a file sets is not worth a line for each rule.
    """
    ours = {
        one.file
        for one in readings
        if one.value is not None and one.value == variables.get(one.variable)
    }
    return [one for one in readings if one.file in ours or not (one.file and ours)]


def _observed(
    place: PlannedEdit, seen: SeenObject, variables: Mapping[str, str]
) -> Iterator[ObservedObject]:
    """Yield what is seen in one object, once for each proxy that an override gives to some of its rules.

    ``variables`` are those of the object as a whole.
    """
    own = place.settings_of_rule
    by_rule: dict[str, list[Reading]] = {}
    for reading in seen.readings:
        by_rule.setdefault(reading.rule if own else "", []).append(reading)
    for rule, of_rule in by_rule.items():
        yield ObservedObject(
            place.obj.ref,
            place.target_id,
            tuple(of_rule),
            own(rule).variables() if own and rule else variables,
            tuple(seen.clusters),
        )


def _missing(places: Iterable[PlannedEdit]) -> Iterator[Result]:
    """Yield a warning for each reference to a key that a Secret of the list lacks.

    Cluster API creates no node then.
    """
    held = ByKey(
        (key_of(place.obj), _keys(place.obj.data))
        for place in places
        if place.obj.group_kind == _SECRET
    )
    for place in places if held else ():
        for reading in place.readings():
            source = (
                lookup(place.obj.data, (*reading.path, "secret"))
                if reading.path[-1:] == ("contentFrom",)
                else None
            )
            name, key = (lookup(source, (member,)) for member in ("name", "key"))
            is_named = isinstance(name, str) and isinstance(key, str)
            if not is_named:
                continue
            ref = place.obj.ref
            if key not in held.get((*_SECRET, ref.namespace, name, ref.file_path), {key}):
                message = (
                    f'the Secret "{name}" has no key "{key}"; Cluster API cannot create nodes without it. '
                    "Add the key (it may be empty)"
                )
                yield place.result(
                    Finding(Severity.WARNING, message, reading.path, code="SecretKeyMissing")
                )


def _keys(secret: Mapping[str, Any]) -> set[str]:
    fields = (secret.get(field) for field in ("data", "stringData"))
    return {key for held in fields if isinstance(held, Mapping) for key in held}
