"""The places that a plan found: their edits, the names that roll nodes, and what is judged of them at the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from krm_fn.carriers.reading import Reading
from krm_fn.config import Mode, ProxyConfig
from krm_fn.krm.results import ObjectRef, Result
from krm_fn.lint.after_injection import review, unreached, withheld
from krm_fn.pipeline._edits import apply_proposals, of_new_kind
from krm_fn.pipeline._operations import PlannedOperations
from krm_fn.pipeline._report import at_new_place
from krm_fn.pipeline._rollout import roll_out
from krm_fn.plan import PlannedEdit

__all__ = ["edited", "judged", "roll_out"]


def edited(
    concerned: Sequence[PlannedEdit], operations: PlannedOperations, mode: Mode
) -> tuple[list[PlannedEdit], list[Result]]:
    """Apply what the targets propose, object by object.

    Returns:
        the places that were asked for, as they are then, each with what it holds, and the results.
    """
    asked = [place for place in concerned if place.is_asked]
    places: list[PlannedEdit] = []
    found: list[Result] = []
    seen: set[int] = set()
    changed_later: set[int] = set()
    for _, group in groupby(asked, key=lambda place: id(place.obj)):
        of_object = list(group)
        read: list[tuple[Reading, ...]] = []
        reported: list[Result] = []
        is_edited = False
        for place in of_object:
            readings = tuple(place.readings())
            read.append(readings)
            for of_place, result in apply_proposals(place, readings, mode):
                reported = [at_new_place(one, of_place, place) for one in reported]
                reported.append(result)
                operations.note(place, of_place)
                is_edited = is_edited or bool(of_place)
        found += reported
        if is_edited:
            # Read now, while the texts of this object are in the caches of those who read them.
            places += [_as_it_is(place, mode) for place in of_object]
        else:
            places += [place._replace(held=one) for place, one in zip(of_object, read, strict=True)]
        data = id(of_object[0].obj.data)
        if is_edited and data in seen:  # by its class, which is asked when all other edits are done
            changed_later.add(data)
        seen.add(data)
    for at, place in enumerate(places):
        if id(place.obj.data) in changed_later:
            places[at] = place._replace(held=None)
    return places, found


def _as_it_is(place: PlannedEdit, mode: Mode) -> PlannedEdit:
    """Return a place of an object that was edited, with what it holds now."""
    place = of_new_kind(place, mode)
    return place._replace(held=tuple(place.readings()))


def judged(
    places: Sequence[PlannedEdit],
    concerned: Sequence[PlannedEdit],
    wanted: ProxyConfig,
    config_ref: ObjectRef,
) -> Iterator[Result]:
    """Yield what there is to say about places after their edits: see ``lint.after_injection``.

    Args:
        places: those that were asked for.
        concerned: all of the list, or of its part.
        wanted: the checked FunctionConfig.
        config_ref: its identity.
    """
    yield from unreached(concerned)
    yield from withheld(concerned)
    yield from review(places, wanted, config_ref)
    if wanted.secret_urls:
        from krm_fn.lint.exposure import exposed_passwords  # noqa: PLC0415 -- few configs name a Secret

        yield from exposed_passwords(places, wanted.secret_urls)
