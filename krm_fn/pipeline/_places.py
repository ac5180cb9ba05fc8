"""The places that a plan found: their edits, the names that roll nodes, and what is judged of them at the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from krm_fn.carriers.reading import Reading
from krm_fn.config import Mode, ProxyConfig
from krm_fn.krm.results import ObjectRef, Result
from krm_fn.lint.after_injection import review, unreached, withheld
from krm_fn.lint.exposure import exposed_passwords
from krm_fn.pipeline._edits import apply_proposals, of_new_kind
from krm_fn.pipeline._operations import PlannedOperations
from krm_fn.pipeline._report import at_new_place
from krm_fn.pipeline._rollout import roll_out
from krm_fn.plan import PlannedEdit

__all__ = ["edited", "judged", "roll_out"]


def edited(
    concerned: Sequence[PlannedEdit], operations: PlannedOperations, mode: Mode
) -> tuple[list[PlannedEdit], list[Result]]:
    """Apply what the targets propose, place by place.

    Returns:
        the places that were asked for, as they are then, and the results.
    """
    places = [place for place in concerned if place.is_asked]
    held: list[tuple[Reading, ...]] = []
    found: list[Result] = []
    for _, places_of_object in groupby(places, key=lambda place: id(place.obj)):
        reported: list[Result] = []
        for place in places_of_object:
            readings = tuple(place.readings())
            held.append(readings)
            for of_place, result in apply_proposals(place, readings, mode):
                reported = [at_new_place(one, of_place, place) for one in reported]
                reported.append(result)
                operations.note(place, of_place)
        found += reported
    left: list[PlannedEdit] = []
    for place, readings in zip(places, held, strict=True):
        is_as_read = not place.is_new and id(place.obj) not in operations.touched
        left.append(place._replace(held=readings) if is_as_read else of_new_kind(place, mode))
    return left, found


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
    yield from exposed_passwords(places, wanted.secret_urls)
