"""A place of an object that holds a proxy, the form that it has there, and how all places of an object are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from krm_fn.engine import Draft, WrongTypeError
from krm_fn.krm.results import Result
from krm_fn.light_typing import Any, NamedTuple, Protocol
from krm_fn.patch import Pointer
from krm_fn.places.reading import Reading
from krm_fn.settings import ProxySettings

OVERRIDE, KEEP = "Override", "Keep"
"""Values of the option ``conflict``: what happens where somebody else has set a proxy."""

EMPTY: tuple[Any, ...] = (None, "", [], {}, 0, False)
"""Values that name no proxy."""


class Form(Protocol):
    """How a place holds a proxy: it knows no object, and no product."""

    def read(self, data: Any, place: Place) -> Iterable[Reading]:
        """Yield what the place says to its reader, whoever wrote it."""

    def write(self, draft: Draft, place: Place, settings: ProxySettings) -> None:
        """Make the place say what the settings say; report what is in the way. Raises WrongTypeError."""


class Place(NamedTuple):
    """One place of an object, or of a document inside one.

    Attributes:
        path: leads to it; it need not be there.
        form: how it holds the proxy.
        label: what messages call it.
        kept_steps: so many steps of the path lead to what stays when nothing is left in it.
        is_trust: it holds certificates, which are written where nobody declares a proxy, too.
        settings: the proxy of this place alone; None for that of the object.
        on_conflict_keep: where somebody else has set one of the variables, all of them stay as they are.
    """

    path: Pointer
    form: Form
    label: str
    kept_steps: int = 0
    is_trust: bool = False
    settings: ProxySettings | None = None
    on_conflict_keep: bool = False


def write_places(draft: Draft, places: Iterable[Place | Result], settings: ProxySettings) -> None:
    """Write the settings to all places of a draft, and say in it what was done."""
    changed: dict[str, dict[str, None]] = {}
    kept: list[Place] = []
    for place in [*places]:
        if isinstance(place, Result):
            draft.findings.append(place)
            continue
        own = place.settings or settings
        if not (own.is_declared or place.is_trust):
            continue
        if place.on_conflict_keep and not all(_are_ours(draft.data, place, own)):
            kept.append(place)
            continue
        edits = draft.edits
        described = len(draft.descriptions)
        try:
            place.form.write(draft, place, own)
        except WrongTypeError as error:
            if error.finding not in draft.findings:
                draft.findings.append(error.finding)
        if draft.edits == edits or len(draft.descriptions) > described:
            continue
        if place.is_trust:
            verb = "changes"
        elif own.sets_any:
            verb = "sets the proxy in"
        else:
            verb = "removes the proxy from"
        labels = changed.setdefault(verb, {})
        labels[place.label] = None
    for verb, labels in changed.items():
        listed = " and ".join(labels)
        draft.describe(f"{verb} {listed}")
    _report_kept(draft, kept, settings)


def _report_kept(draft: Draft, places: Sequence[Place], settings: ProxySettings) -> None:
    """Name in one line the places that stay; of a removal those that may be of an earlier run."""
    code, purpose = "ValueKept", "replace"
    if not settings.sets_any:
        code, purpose = "LeftBehind", "remove"
        if settings.removed and settings.removed.sets_any:
            places = [place for place in places if any(_are_ours(draft.data, place, settings))]
    if places:
        listed = " and ".join(place.label for place in places)
        message = f'a proxy that this ProxyConfig does not say stays in {listed}: set `conflict` to "Override" to {purpose} it'  # noqa: E501
        draft.report(code, message, places[0].path)


def read_places(data: Any, places: Iterable[Place | Result]) -> Iterator[Reading]:
    """Yield what the places of an object say, whoever wrote it."""
    for place in places:
        if isinstance(place, Place):
            yield from place.form.read(data, place)


def _are_ours(data: Any, place: Place, settings: ProxySettings) -> list[bool]:
    """Return for each variable that a place sets whether its value is ours; a removal knows ours, too."""
    variables = (settings.removed or settings).variables()
    return [
        reading.value == variables.get(reading.variable)
        for reading in place.form.read(data, place)
        if not reading.is_provided
    ]
