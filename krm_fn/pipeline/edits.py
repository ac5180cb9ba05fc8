"""The edits that targets propose are applied to the data of their objects, and become results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby

from krm_fn import patch, placeholders, settings
from krm_fn.config import Mode, ProxyConfig
from krm_fn.errors import InternalError
from krm_fn.krm import proxy_values
from krm_fn.krm.changes import ListChanges, NewObject
from krm_fn.krm.codes import Severity
from krm_fn.krm.masking import redact
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import Edit, Result
from krm_fn.light_typing import NamedTuple
from krm_fn.lint.judge_values import NoProxyList
from krm_fn.noproxy import entries, may_hold_a_credential
from krm_fn.patch import Data, Operation, Pointer
from krm_fn.pipeline.outcome import CHANGE_DUE
from krm_fn.places.place import Place, Reading
from krm_fn.plan import PlannedEdit
from krm_fn.plan.record import Compared
from krm_fn.proxy_url import with_and_without_credentials
from krm_fn.yamledit import same

_REPLACED = (
    "held another value than this ProxyConfig gives it: if that is needed, declare it in `spec.overrides`, or leave "
    "the object out"
)
_SHOWN = 12
"""So many lost entries are named."""
_NOT_SHOWN = "what is not shown, because that list may hold a credential"


def edit_all(
    planned: Sequence[PlannedEdit], changes: ListChanges, config: ProxyConfig
) -> list[Compared]:
    """Apply the edits of the targets, and return one record for each place.

    Raises:
        InternalError: ``jsonpatch`` makes something else of an object than its edits.
    """
    mode = config.mode
    ours = with_and_without_credentials(config.proxy_urls)
    compared: list[Compared] = []
    for _, group in groupby(planned, key=lambda place: place.location):
        places = list(group)
        data = places[0].obj.data
        before = data.copy()
        edited = [_edited(place, changes, mode) for place in places if place.is_asked]
        edits = [change.edit for change in edited if change.edit]
        is_changed = bool(edits)
        if data:  # else the object goes
            _prove(before, edits, data)
        # Read now, while the texts of this object are in the caches of those who read them.
        records = [_compared(change, mode, reads_again=is_changed) for change in edited]
        if is_changed and config.proxy_urls:
            _report_replaced(records, ours)
        compared += records
    return compared


def _report_replaced(records: list[Compared], ours: set[str]) -> None:
    """Add one warning to the records of an object whose edits replace or remove a URL that is none of ours."""
    for index, record in enumerate(records):
        path = _path_of_replaced(record, ours)
        if path:
            warning = record.place.result(Result.of("ProxyReplaced", _REPLACED, path))
            records[index] = record._replace(results=(*record.results, warning))
            return


def _path_of_replaced(record: Compared, ours: set[str]) -> Pointer:
    """Return the path of the first URL that is none of ours and is gone, or of a reference to another object."""
    after = {(reading.place, reading.variable, reading.value) for reading in record.after}
    for reading in record.before:
        if reading.is_list or (reading.place, reading.variable, reading.value) in after:
            continue
        if reading.value and reading.value not in ours:
            return reading.path
        if reading.value is None and reading.path[-1:] == ("valueFrom",):
            return reading.path
    return ()


def _prove(before: Data, edits: Iterable[Edit], after: Data) -> None:
    """Have ``jsonpatch`` do all edits of an object too: it must come to the same, but for the order of keys.

    Raises:
        InternalError: it comes to something else, or an operation does not fit.
    """
    operations: list[Operation] = []
    for edit in edits:
        operations += edit.operations
    if operations and not same(patch.apply(patch.copied(before), operations), after):
        raise InternalError(
            "the operations of an edit do not lead to the data that is to be written"
        )


class _Edited(NamedTuple):
    """A planned edit that is made: the places of the object, what they held, what the target says, and the edit."""

    place: PlannedEdit
    places: list[Place | Result]
    before: tuple[Reading, ...]
    findings: list[Result]
    edit: Edit | None


def _edited(place: PlannedEdit, changes: ListChanges, mode: Mode) -> _Edited:
    """Apply the edit of a target to the data of its object; in a check, an object that lacks its proxy is an error."""
    places = place.places()
    before = tuple(place.readings(places))
    findings: list[Result] = []
    edit = None
    for proposal in place.proposals(places):
        if isinstance(proposal, Edit):
            edit = proposal
            _apply(edit, place, changes)
        elif proposal.is_stale and mode is Mode.CHECK:
            findings.append(place.result(proposal._replace(severity=Severity.ERROR)))
        else:
            findings.append(place.result(proposal))
    return _Edited(place, places, before, findings, edit)


def _compared(edited: _Edited, mode: Mode, *, reads_again: bool) -> Compared:
    """Return the record of a place, after all edits of its object are made, with secrets hidden in its results."""
    place, places, before, results, edit = edited
    # A form looks for the proxy by its path, or by names, so the places of the object before its edits are those after.
    after = tuple(place.readings(places)) if reads_again else before
    if edit is not None:
        edit = with_values(edit, before, after)
        results.append(result_of_edit(edit, place.obj, mode, place.target_id, is_new=place.is_new))
        ours = [given.no_proxy for given in place.all_settings if given.no_proxy]
        lost = replaced_list(before, after, ours)
        results += map(place.result, lost)
    if edit is not None or before or place.has_list_by_class:
        results += map(place.result, _notes(place, after))
    results = _without_secrets(results, before)
    return Compared(place._replace(known_readings=after), before, after, tuple(results))


def _notes(place: PlannedEdit, after: Iterable[Reading]) -> Iterator[Result]:
    """Yield what there is to say about the proxy of a place; of what its list lacks, only where our list is written."""
    resolved = place.resolved
    has_list = any(reading.is_list and reading.value is not None for reading in after)
    if not (has_list or place.has_list_by_class):
        resolved = resolved._replace(missing=())
    return settings.notes(resolved, place.memberships)


def with_values(edit: Edit, before: Iterable[Reading], after: Iterable[Reading]) -> Edit:
    """Return an edit with the values that it changes, as far as they are known and may be shown."""
    old = _values(before)
    new = _values(after)
    current = {}
    for name, value in old.items():
        if new.get(name) != value:
            current[name] = proxy_values.shown(name, value)
    proposed = {name: value for name, value in new.items() if old.get(name) != value}
    return edit._replace(current=current or None, proposed=proposed or None)


def _values(readings: Iterable[Reading]) -> dict[str, str]:
    """Return what a person calls each variable that is set -> its value, as far as it is known."""
    values = {}
    for reading in readings:
        if reading.value is not None:
            values[reading.member or reading.variable] = reading.value
    return values


def _without_secrets(results: list[Result], readings: Sequence[Reading]) -> list[Result]:
    """Hide what fields for a proxy hold that is no URL, and lists of which a part may be a password."""
    values = [reading.value for reading in readings if reading.value and not reading.is_list]
    hidden = proxy_values.hidden_texts(values)
    for reading in readings:
        text = reading.text or reading.unresolved
        if reading.is_list and may_hold_a_credential(text):
            hidden.add(text.strip())
    if not hidden:
        return results
    known = partial(proxy_values.without, hidden=hidden)
    return [
        result._replace(
            message=redact(result.message, known),
            current=redact(result.current, known),
            proposed=redact(result.proposed, known),
        )
        for result in results
    ]


def _apply(edit: Edit, place: PlannedEdit, changes: ListChanges) -> None:
    """Apply an edit to the data of its object, and note that the object changes or is created."""
    data = place.obj.data
    # Where the object goes, no other target finds anything in it.
    after = {} if edit.removes_object else dict(edit.data)
    data.clear()
    data.update(after)
    if place.is_new:
        changes.created.append(NewObject(data, place.item_index, place.obj.ref))
    else:
        objects = changes.items.setdefault(place.item_index, {})
        objects[place.obj.path] = None if edit.removes_object else data


def result_of_edit(
    edit: Edit, obj: Object, mode: Mode, target: str = "", *, is_new: bool = False
) -> Result:
    """Return the one result about an edit; that of a new object shows no values, which are in it."""
    severity, message, code = Severity.INFO, edit.message, ""
    path, current, proposed = edit.path, edit.current, edit.proposed
    if is_new:
        message = f"created: the list has no such object; {message}"
        path, current, proposed = (), None, None
    if mode is Mode.CHECK:
        severity, code = Severity.ERROR, CHANGE_DUE
        message = f"{message}: not done, because `mode: Check` changes nothing"
    return Result(severity, message, path, current, proposed, code=code, ref=obj.ref, target=target)


def replaced_list(
    before: Iterable[Reading], after: Iterable[Reading], ours: Sequence[str]
) -> Iterator[Result]:
    """Yield a warning for the entries of old lists that the new ones do not cover: they go when these are replaced.

    Args:
        before: what the places of an object held.
        after: what they hold now, which may be lists of others, too.
        ours: the lists that were written; none by a removal, which replaces nothing.
    """
    if not ours:
        return
    new = [reading.text for reading in after if reading.is_list and reading.text]
    new += ours
    old = [
        (reading, text)
        for reading in before
        if reading.is_list and (text := reading.text or reading.unresolved) and text not in new
    ]
    if not old:
        return
    covering = NoProxyList(entries.normalise(new))
    lost: dict[str, Pointer] = {}
    for reading, text in old:
        if entries.may_hold_a_credential(text):
            lost.setdefault(_NOT_SHOWN, reading.path)
            continue
        for token in entries.split(text):
            if not (_is_covered(token, covering) or placeholders.is_template(token)):
                name = f"`{entries.bare(token)}`"
                lost.setdefault(name, reading.path)
    if lost:
        names = list(lost)
        path = lost[names[0]]
        more = len(names) - _SHOWN
        if more > 0:
            names[_SHOWN:] = [f"{more} more"]
        message = (
            f"the list of this ProxyConfig replaces `NO_PROXY`, and does not cover {', '.join(names)}: "
            "copy what is still needed into `spec.noProxy`"
        )
        yield Result.of("ListReplaced", message, path)


def _is_covered(token: str, covering: NoProxyList) -> bool:
    if token in covering.texts:
        return True
    host = entries.bare(token).rstrip(".").removeprefix("*")
    return all(map(covering.covers, entries.canonical(host)))
