"""The edits that targets propose, and names that change so that nodes roll, are made and become results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial

from krm_fn import patch, placeholders
from krm_fn.config import ProxyConfig
from krm_fn.errors import InternalError
from krm_fn.krm.codes import Severity
from krm_fn.krm.masking import hide_texts, is_proxy_url, redact
from krm_fn.krm.resourcelist import ListChanges, NewObject, Object, ObjectSource
from krm_fn.krm.results import Edit, Result, Results, are_severe
from krm_fn.light_typing import Fields, Texts, Variables
from krm_fn.lint.judge_values import NoProxyList
from krm_fn.noproxy import entries, may_hold_a_credential
from krm_fn.patch import Data, Operation, Pointer
from krm_fn.pipeline.outcome import CHANGE_DUE, Silencer
from krm_fn.places.place import Place, Reading, Readings
from krm_fn.plan.record import ObjectRecord, TargetRecord, edited_targets
from krm_fn.plan.rollout.naming import RolloutNote
from krm_fn.plan.rollout.secrets import secret_names
from krm_fn.plan.rollout.templates import template_names
from krm_fn.products.node_kinds import OF_CLASSES
from krm_fn.proxy_url import with_and_without_credentials
from krm_fn.settings import notes
from krm_fn.yamledit import same

_REPLACED = (
    "held another value than this ProxyConfig gives it: if that is needed, declare it in `spec.overrides`, or leave "
    "the object out"
)
_REMOVED = (
    "held another proxy than that of this ProxyConfig, which a removal takes out, too: if that is needed, leave the "
    "object out with `spec.selector.exclude`"
)
# So many lost entries are named.
_SHOWN = 12
_NOT_SHOWN = "what is not shown, because that list may hold a credential"


def edit_all(records: Sequence[ObjectRecord], changes: ListChanges, config: ProxyConfig) -> None:
    """Apply the edits of all targets, and complete the records with their results.

    Those of ClusterClasses come last: our patches depend on the templates after all other edits.

    Raises:
        InternalError: ``jsonpatch`` makes something else of an object than its edits.
    """
    ours = with_and_without_credentials(config.proxy_urls)
    for is_class in (False, True):
        for record in records:
            targets = [
                target_record
                for target_record in record.targets
                if (target_record.target_id == OF_CLASSES) is is_class
            ]
            if targets:
                _edit_object(targets, changes, config, ours)


def _edit_object(
    targets: Sequence[TargetRecord], changes: ListChanges, config: ProxyConfig, ours: set[str]
) -> None:
    """Apply the edits of some targets to their object, and complete their records with the results."""
    data = targets[0].obj.data
    before = data.copy()
    edits: list[Edit] = []
    places_of = {}
    for target_record in targets:
        places = target_record.places()
        places_of[target_record] = places
        edits += _edited(target_record, places, changes, config)
    if data:  # else the object goes
        _prove(before, edits, data)
    # Read now, while the texts of this object are in the caches of those who read them.
    for target_record, places in places_of.items():
        _complete(target_record, places, reads_again=bool(edits))
    if not (edits and ours):
        return
    for target_record in targets:
        path = _path_of_replaced(target_record, ours)
        if path:  # one warning for an object
            message = _REMOVED if config.is_removal else _REPLACED
            warning = Result("ProxyReplaced", message, path)
            target_record.results.append(target_record.result(warning))
            return


def _path_of_replaced(target_record: TargetRecord, ours: set[str]) -> Pointer:
    """Return the path of the first URL that is none of ours and is gone, or of a reference to another object."""
    if not target_record.before:
        return ()
    after = {(reading.place, reading.variable, reading.value) for reading in target_record.after}
    for reading in target_record.before:
        if (reading.place, reading.variable, reading.value) in after:
            continue
        if reading.value and not reading.is_list and reading.value not in ours:
            return reading.path
        is_computed = reading.raw or reading.path[-1:] == ("valueFrom",)  # or of another type
        if reading.value is None and is_computed:
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
    if not operations:
        return
    patched = patch.apply(patch.copied(before), operations)
    if not same(patched, after):
        raise InternalError(
            "the operations of an edit do not lead to the data that is to be written"
        )


def _edited(
    target_record: TargetRecord,
    places: Sequence[Place | Result],
    changes: ListChanges,
    config: ProxyConfig,
) -> Iterator[Edit]:
    """Apply the edit of a target to the data of its object, and yield it; its result is the last one.

    In a check, an object that lacks its proxy is an error.
    """
    target_record.before = target_record.readings(places)
    if not target_record.is_asked:
        return
    for proposal in target_record.proposals(places):
        if isinstance(proposal, Edit):
            _apply(proposal, target_record, changes)
            is_new = target_record.record.is_new
            target = target_record.target_id
            finding = result_of_edit(proposal, target_record.obj, config, target, is_new=is_new)
            yield proposal
        else:
            finding = target_record.result(proposal)
            if proposal.is_stale and config.is_check:
                finding = finding._replace(level=Severity.ERROR)
        target_record.results.append(finding)


def _complete(
    target_record: TargetRecord, places: Sequence[Place | Result], *, reads_again: bool
) -> None:
    """Complete the record of a target, after all edits of its object are made, with secrets hidden in its results."""
    before = target_record.before
    # A form looks for the proxy by its path, or by names, so the places of the object before its edits are those after.
    after = target_record.readings(places) if reads_again else before
    target_record.after = after
    if not target_record.is_asked:
        return
    results = target_record.results
    is_changed = target_record.is_changed
    if is_changed:
        if not target_record.record.is_new:  # its values are in it
            old = _values(before)
            new = _values(after)
            result = results.pop()
            results.append(result._replace(current=_unlike(old, new), proposed=_unlike(new, old)))
        ours = [settings.no_proxy for settings in target_record.all_settings if settings.no_proxy]
        lost = replaced_list(before, after, ours)
        results += map(target_record.result, lost)
    if is_changed or before or target_record.has_list_by_class:
        results += map(target_record.result, _notes(target_record))
    target_record.results = _without_secrets(results, before)


def _notes(target_record: TargetRecord) -> Results:
    """Yield the notes about the proxy of a place; those about a list, only where our list is written."""
    resolved = target_record.resolved
    if not (target_record.has_list or target_record.has_list_by_class):
        resolved = resolved._replace(missing=())
    return notes(resolved, target_record.memberships)


def _unlike(variables: Variables, others: Variables) -> Variables | None:
    """Return the variables that others do not have with the same value; None if there are none."""
    unlike = {name: value for name, value in variables.items() if others.get(name) != value}
    return unlike or None


def _values(readings: Readings) -> Variables:
    """Return the name of each variable that is set, as people call it -> its value, as far as it is known."""
    values = {}
    for reading in readings:
        if reading.value is not None:
            values[reading.member or reading.variable] = reading.value
    return values


def _without_secrets(results: list[Result], readings: Sequence[Reading]) -> list[Result]:
    """Hide values of fields for a proxy that are no URL, and lists of which a part may be a password."""
    secrets = set()
    for reading in readings:
        if reading.is_list:
            text = (reading.text or reading.unresolved).strip()
            is_secret = may_hold_a_credential(text)
        else:
            text = (reading.value or "").strip()
            is_secret = not is_proxy_url(text)
        if is_secret:
            secrets.add(text)
    if not secrets:
        return results
    known = partial(hide_texts, secrets=secrets)
    return [
        result._replace(
            message=redact(result.message, known),
            current=redact(result.current, known),
            proposed=redact(result.proposed, known),
        )
        for result in results
    ]


def _apply(edit: Edit, target_record: TargetRecord, changes: ListChanges) -> None:
    """Apply an edit to the data of its object, and note that the object changes or is created."""
    data = target_record.obj.data
    # Where the object goes, no other target finds anything in it.
    after = {} if edit.removes_object else dict(edit.data)
    data.clear()
    data.update(after)
    record = target_record.record
    if record.is_new:
        new = NewObject(data, record.item_index, record.obj.ref)
        changes.created.append(new)
    else:
        objects = changes.items.setdefault(record.item_index, {})
        objects[record.obj.path] = None if edit.removes_object else data


def result_of_edit(
    edit: Edit, obj: Object, config: ProxyConfig, target_id: str = "", *, is_new: bool = False
) -> Result:
    """Return the one result about an edit."""
    code = ""
    message = edit.message
    if is_new:
        message = f"created: the list has no such object; {message}"
    if config.is_check:
        code = CHANGE_DUE
        message += ": not done, because a check changes nothing"
    path = () if is_new else edit.path
    return Result(code, message, path, ref=obj.ref, target=target_id)


def replaced_list(before: Readings, after: Readings, ours: Sequence[str]) -> Results:
    """Yield a warning for the entries of old lists that the new ones do not cover: they go when these are replaced.

    Args:
        before: the values of the places of an object.
        after: their values now, which may be lists of others, too.
        ours: the lists that were written; none by a removal, which replaces nothing.
    """
    if not ours:
        return
    new = [reading.text for reading in after if reading.is_list and reading.text]
    new += ours
    lost: dict[str, Pointer] = {}
    for reading in before:
        text = reading.text or reading.unresolved
        if not reading.is_list or text in ("", *new):
            continue
        if entries.may_hold_a_credential(text):
            lost.setdefault(_NOT_SHOWN, reading.path)
            continue
        covering = _covering(tuple(new))
        for token in entries.split(text):
            # A container knows the value of `$(NODE_IP)`, and no later step brings it back.
            is_filled_in = placeholders.is_template(token.replace("$(", ""))
            if not (is_filled_in or _is_covered(token, covering)):
                lost.setdefault(f"`{entries.bare(token)}`", reading.path)
    if lost:
        names = list(lost)
        path = lost[names[0]]
        more = len(names) - _SHOWN
        if more > 0:
            names[_SHOWN:] = [f"{more} more"]
        yield Result(
            "ListReplaced",
            f"the list of this ProxyConfig replaces `NO_PROXY`, and does not cover {', '.join(names)}: "
            "copy what is still needed into `spec.noProxy`",
            path,
        )


@lru_cache(maxsize=8)
def _covering(lists: Texts) -> NoProxyList:
    """Return the entries of some lists, which many objects have in common."""
    return NoProxyList(entries.normalise(lists))


def _is_covered(token: str, covering: NoProxyList) -> bool:
    if token in covering.texts:
        return True
    host = entries.bare(token).rstrip(".").removeprefix("*")
    return all(map(covering.covers, entries.canonical(host)))


def roll_out(  # noqa: PLR0913, PLR0917 -- what a run is made of
    source: ObjectSource,
    records: Sequence[ObjectRecord],
    results: list[Result],
    changes: ListChanges,
    config: ProxyConfig,
    silencer: Silencer,
) -> list[Result]:
    """Give objects their new names, in their records, too; return the results with these names."""
    if not config.is_check and are_severe(results, Severity.ERROR):
        return results  # nothing will be changed
    targets = [*edited_targets(records)]
    changed = {
        target_record.record
        for target_record in targets
        if target_record.is_changed and not target_record.record.is_new
    }
    notes = secret_names(source, targets, config, changed)
    unused = [record.obj.ref for record in records if record.is_new and not record.targets]
    if unused:
        changes.created = [new for new in changes.created if new.ref not in unused]
        results = [result for result in results if result.ref not in unused]
    # A template has a name that follows from these names.
    changed |= _write(notes, changes)
    of_templates = list(template_names(source, targets, config, changed))
    _write(of_templates, changes)
    notes += of_templates
    results += silencer.left(_result(note, config) for note in notes)
    refs = {}
    for note in notes:
        if note.new_name and not config.is_check:
            ref = note.record.obj.ref
            refs[ref] = ref._replace(name=note.new_name)
    if not refs:
        return results
    for record in records:
        ref = refs.get(record.obj.ref, record.obj.ref)
        record.obj = record.obj._replace(ref=ref)
    return [result._replace(ref=refs.get(result.ref, result.ref)) for result in results]


def _write(notes: Sequence[RolloutNote], changes: ListChanges) -> set[ObjectRecord]:
    """Write new names, and return the records of the objects that change."""
    changed = set()
    for note in notes:
        if not isinstance(note.proposal, Edit):
            continue
        record = note.record
        data: Fields | None = record.obj.data
        if not record.is_new:
            # An object may have been read twice: one of the two is written.
            objects = changes.items.setdefault(record.item_index, {})
            data = objects.setdefault(record.obj.path, data)
        if data is not None:
            patch.apply(data, note.proposal.operations)
        changed.add(record)
    return changed


def _result(note: RolloutNote, config: ProxyConfig) -> Result:
    obj = note.record.obj
    if isinstance(note.proposal, Result):
        return note.proposal.about(obj.ref)
    return result_of_edit(note.proposal, obj, config)
