"""Whether the places of one cluster say the same about its proxy.

It compares what places say with what was wanted of them, and knows no kind. A place that differs
is reported together with one that says what was wanted; where there is none, the target
that could not set it reported that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from krm_fn.carriers.reading import Reading
from krm_fn.krm.masking import redact
from krm_fn.krm.proxy_values import shown_url
from krm_fn.krm.results import ObjectRef, Result, Severity
from krm_fn.light_typing import NamedTuple
from krm_fn.noproxy import may_hold_a_credential, parse
from krm_fn.printable import HIDDEN

ClusterName = tuple[str, str]
"""Name and file of a Cluster."""

CODE = "NP040"
"""The rule of a place that says something else."""

_SHOWN = 3


class ObservedObject(NamedTuple):
    """What one target sees in one object, after injection.

    ``wanted`` is what the settings ask for there (name -> value, empty for no proxy); ``clusters`` has the name and the
    file of each Cluster that the object belongs to, because several may have one name. Objects without a known Cluster
    are compared with each other.
    """

    ref: ObjectRef
    target: str
    readings: tuple[Reading, ...]
    wanted: Mapping[str, str]
    clusters: tuple[ClusterName, ...] = ()

    @property
    def groups(self) -> tuple[ClusterName, ...]:
        """The Clusters under which the object is compared with others."""
        return self.clusters or (("", ""),)


class _Witness(NamedTuple):
    """A place of an object that says what was wanted."""

    ref: ObjectRef
    place: str


class Comparison:
    """The objects of a list, compared one after another.

    Only what differs, and the first place that agrees, is kept of them: a list may be long.
    """

    def __init__(self) -> None:
        # (cluster, variable, wanted value) -> the first place that says it
        self._witnesses: dict[tuple[ClusterName, str, str], _Witness] = {}
        self._differing: list[ObservedObject] = []

    def take(self, one: ObservedObject) -> None:
        """Take what was seen in one object.

        Only variables that a place sets are looked at. What cannot be known, and what is left in an object that gets
        no proxy, was reported by its target.
        """
        if not one.wanted:
            return
        is_different = False
        for reading in one.readings:
            wanted = one.wanted.get(reading.variable, "")
            agrees = _agrees(reading, wanted)
            is_different = is_different or not (agrees or _is_unknown(reading))
            for cluster in one.groups if wanted and agrees else ():
                key = (cluster, reading.variable, wanted)
                if key not in self._witnesses:
                    self._witnesses[key] = _Witness(one.ref, reading.place)
        if is_different:
            self._differing.append(one)

    def disagreements(self) -> Iterator[Result]:
        """Yield a warning for each place that differs from the wanted value, if another one of its cluster has it."""
        for one in self._differing:
            for same in _grouped(one):
                keys = [
                    (cluster, reading.variable, one.wanted.get(reading.variable, ""))
                    for reading in same
                    for cluster in one.groups
                ]
                found = (self._witnesses[key] for key in keys if key in self._witnesses)
                witness = next(found, None)
                if witness is not None:
                    yield _result(one, same, witness)


def disagreements(observed: Iterable[ObservedObject]) -> Iterator[Result]:
    """Yield the warnings of a ``Comparison`` of objects."""
    compared = Comparison()
    for one in observed:
        compared.take(one)
    yield from compared.disagreements()


def _agrees(reading: Reading, wanted: str) -> bool:
    """Return whether a place has the wanted value.

    Of a list that is computed in part, the static part counts.
    """
    if _is_unknown(reading):
        return not wanted
    value = _value(reading)
    return value == wanted or (
        reading.variable.upper() == "NO_PROXY" and set(parse(value)) == set(parse(wanted))
    )


def _is_unknown(reading: Reading) -> bool:
    return reading.value is None and not reading.known


def _value(reading: Reading) -> str:
    return reading.known if reading.value is None else reading.value


def _grouped(one: ObservedObject) -> Iterable[list[Reading]]:
    """Return what differs in one object, variables with the same difference together."""
    groups: dict[tuple[str, ...], list[Reading]] = {}
    for reading in one.readings:
        wanted = one.wanted.get(reading.variable, "")
        if not _is_unknown(reading) and not _agrees(reading, wanted):
            groups.setdefault((reading.place, _value(reading), wanted), []).append(reading)
    return groups.values()


def _result(one: ObservedObject, same: Sequence[Reading], witness: _Witness) -> Result:
    reading = same[0]
    wanted = one.wanted.get(reading.variable, "")
    names = ", ".join(f"`{each.variable}`" for each in same)
    other = witness.ref
    whose = "the same object" if other == one.ref else f'{other.kind} "{other.name}"'
    cluster = f' in cluster "{one.clusters[0][0]}"' if len(one.clusters) == 1 else ""
    message = (
        f"{reading.place} must set the same values as {witness.place} of {whose}{cluster}: "
        f"{names} {_difference(reading, wanted, are_many=len(same) > 1)}"
    )
    current, proposed = _value(reading), wanted
    if reading.variable.upper() == "NO_PROXY":
        current = HIDDEN if may_hold_a_credential(current) else current
    else:
        current, proposed = shown_url(current), shown_url(proposed)
    return Result(
        Severity.WARNING, message, one.ref, reading.path, current, proposed, one.target, CODE
    )


def _difference(reading: Reading, wanted: str, *, are_many: bool) -> str:
    """Return what a place holds instead of ``wanted``, behind the names of variables, without a credential."""
    value = _value(reading)
    if reading.variable.upper() == "NO_PROXY":
        return _list_difference(parse(value), parse(wanted), are_many=are_many)
    value, wanted = redact(shown_url(value)), redact(shown_url(wanted))
    if value == wanted:
        return f"{'have' if are_many else 'has'} other credentials"
    return f'{"are" if are_many else "is"} "{value}", not "{wanted}"'


def _list_difference(value: Sequence[str], wanted: Sequence[str], *, are_many: bool) -> str:
    missing = [entry for entry in wanted if entry not in value]
    beyond = [entry for entry in value if entry not in wanted]
    if may_hold_a_credential(",".join(value)):
        beyond = [HIDDEN] if beyond else []
    verbs = ("lack", "have") if are_many else ("lacks", "has")
    parts = [
        f"{verb} {_shown(some)}"
        for verb, some in zip(verbs, (missing, beyond), strict=True)
        if some
    ]
    return " and ".join(parts) + (" besides" if beyond else "")


def _shown(entries: Sequence[str]) -> str:
    shown = ", ".join(f'"{redact(entry)}"' for entry in entries[:_SHOWN])
    return f"{shown} and {len(entries) - _SHOWN} more" if len(entries) > _SHOWN else shown
