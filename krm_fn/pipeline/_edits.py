"""The edits that targets propose are applied to the data of their objects, and become results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from krm_fn import patch, settings
from krm_fn.carriers.reading import Reading
from krm_fn.config import Mode
from krm_fn.krm import proxy_values
from krm_fn.krm.masking import redact
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import Edit, Finding, Result, Severity
from krm_fn.patch import Operation
from krm_fn.pipeline._report import CHANGE_DUE
from krm_fn.plan import PlannedEdit
from krm_fn.settings import Resolved


def apply_proposals(
    place: PlannedEdit, readings: Sequence[Reading], mode: Mode
) -> Iterator[tuple[list[Operation], Result]]:
    """Yield the results and operations of one place that holds ``readings``, and apply them to the object's data.

    What a field for a proxy holds is shown only if it is a URL: anything else may be a password. A list is shown only
    if no part of it may be one.
    """
    proposals = list(place.proposals())
    if not (proposals or readings or place.has_list_by_class):
        return
    found = list(_applied(place, proposals, readings, mode))
    if not found:
        return
    hidden: frozenset[str] = frozenset()
    if readings:
        from krm_fn.lint.replaced import hidden_lists  # noqa: PLC0415 -- a new place holds nothing yet

        hidden = proxy_values.hidden_texts((one.variable, one.value) for one in readings)
        hidden |= hidden_lists(readings)
    known = partial(proxy_values.without, hidden=hidden)
    for operations, result in found:
        shown = result
        if shown.current is not None:
            current = proxy_values.shown(shown.current, shown.path, shown.proposed)
            shown = shown._replace(current=current)
        if hidden:
            shown = shown._replace(
                message=redact(shown.message, known),
                current=redact(shown.current, known),
                proposed=redact(shown.proposed, known),
            )
        yield operations, shown


def _applied(
    place: PlannedEdit,
    proposals: Sequence[Edit | Finding],
    readings: Sequence[Reading],
    mode: Mode,
) -> Iterator[tuple[list[Operation], Result]]:
    """Yield what ``apply_proposals`` does, with all values."""
    edits = [one for one in proposals if isinstance(one, Edit)]
    applied = []
    before = place
    for edit in edits:
        done = _apply(place, edit)
        place = of_new_kind(place, mode)
        applied.append(result_of_edit(done, place.obj, mode, place.target_id))
    for one in proposals:
        if isinstance(one, Finding):
            is_error = one.is_stale and mode is Mode.CHECK
            finding = one._replace(severity=Severity.ERROR) if is_error else one
            # A path is one of the object as it is now: of a converted policy, that of the new kind.
            yield [], (place if one.path else before).result(finding)
    yield from applied
    if not (edits or readings or place.has_list_by_class):
        return
    if edits and any(one.variable.upper() == "NO_PROXY" for one in readings):
        from krm_fn.lint.replaced import replaced  # noqa: PLC0415 -- as above

        variables = place.resolved.settings.variables()
        for finding in replaced(readings, place.readings(), variables, place.audience):
            yield [], place.result(finding)
    resolved = _resolved(place, place.readings() if edits else readings)
    for note in settings.notes(resolved, place.memberships):
        yield [], place.result(note)


def _resolved(place: PlannedEdit, readings: Iterable[Reading]) -> Resolved:
    """Return how the proxy of a place was resolved.

    What its list lacks counts only if the place holds our list.
    """
    if not place.resolved.missing or place.has_list_by_class:
        return place.resolved
    for one in readings:
        if one.variable.upper() == "NO_PROXY" and one.value is not None:
            return place.resolved
    return place.resolved._replace(missing=())


def _apply(place: PlannedEdit, edit: Edit) -> Edit:
    """Apply an edit to the data of its object, and return it as it is for the list; a new object is added whole."""
    data = place.obj.data
    # Where the object goes, no other target finds anything in it.
    after = {} if edit.removes_object else dict(edit.data)
    data.clear()
    data.update(after)
    if place.code is not None:
        place.code.edited(edit.operations)
    if not place.is_new:
        return edit
    message = f"created: the list has no such object; {edit.message}"
    return Edit((patch.add(value=data),), message)


def of_new_kind(place: PlannedEdit, mode: Mode) -> PlannedEdit:
    """Return a place with the kind that its object has now: a target may have converted it."""
    if mode is Mode.CHECK:
        return place
    kind, version = place.obj.data.get("kind"), place.obj.data.get("apiVersion")
    if not (isinstance(kind, str) and kind):
        return place
    if not isinstance(version, str):
        version = ""
    ref = place.obj.ref
    if (version, kind) == (ref.api_version, ref.kind):
        return place  # what has changed is known by the identity of its object
    new = ref._replace(api_version=version, kind=kind)
    return place._replace(obj=place.obj._replace(ref=new))


def result_of_edit(
    edit: Edit, obj: Object, mode: Mode, target: str = ""
) -> tuple[list[Operation], Result]:
    """Return the operations of an edit from the root of the item, and the one result about them."""
    severity, message, code = Severity.INFO, edit.message, ""
    if mode is Mode.CHECK:
        severity, code = Severity.ERROR, CHANGE_DUE
        message = f"{edit.message}: not done, because `mode: Check` changes nothing"
    ref = obj.ref
    result = Result(severity, message, ref, edit.path, edit.current, edit.proposed, target, code)
    operations = list(edit.operations)
    if obj.path:
        operations = [one._replace(path=(*obj.path, *one.path)) for one in operations]
    return operations, result
