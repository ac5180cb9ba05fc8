"""The names that change so that nodes roll: they are written, and become results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from krm_fn import patch
from krm_fn.config import Mode, ProxyConfig
from krm_fn.krm.changes import ListChanges
from krm_fn.krm.codes import Severity
from krm_fn.krm.results import Edit, ObjectRef, Result, are_severe
from krm_fn.pipeline.edits import result_of_edit
from krm_fn.pipeline.silenced import Silencer
from krm_fn.plan import Location, ObjectSource, location_of
from krm_fn.plan.record import ObjectRecord, edited_targets
from krm_fn.plan.rollout import RolloutNote, secret_names, template_names


def roll_out(  # noqa: PLR0913, PLR0917 -- what a run is made of
    source: ObjectSource,
    records: Sequence[ObjectRecord],
    results: list[Result],
    changes: ListChanges,
    config: ProxyConfig,
    silencer: Silencer,
) -> list[Result]:
    """Give objects their new names, in their records, too; return the results with these names."""
    is_check = config.mode is Mode.CHECK
    if not is_check and are_severe(results, Severity.ERROR):
        return results  # nothing will be changed
    targets = [*edited_targets(records)]
    created = {target_record.location for target_record in targets if target_record.is_new}
    changed = {target_record.location for target_record in targets if target_record.is_changed}
    changed -= created
    notes = list(secret_names(source, targets, config, changed))
    # A template has a name that follows from these names.
    changed |= _write(notes, created, changes)
    of_templates = list(template_names(source, targets, config, changed))
    _write(of_templates, created, changes)
    notes += of_templates
    results += silencer.left(_result(note, config.mode) for note in notes)
    refs = {
        note.obj.ref: note.obj.ref._replace(name=note.new_name) for note in notes if note.new_name
    }
    if refs and not is_check:
        for record in records:
            _rename(record, refs)
        results = [result._replace(ref=refs.get(result.ref, result.ref)) for result in results]
    return results


def _write(
    notes: Sequence[RolloutNote], created: set[Location], changes: ListChanges
) -> set[Location]:
    """Write new names, and return the objects that change."""
    changed = set()
    for note in notes:
        if not isinstance(note.proposal, Edit):
            continue
        data = note.obj.data
        location = location_of(note.item_index, note.obj)
        if location not in created:
            # An object may have been read twice: one of the two is written.
            objects = changes.items.setdefault(note.item_index, {})
            data = objects.setdefault(note.obj.path, data)
        if data is not None:
            patch.apply(data, note.proposal.operations)
        changed.add(location)
    return changed


def _rename(record: ObjectRecord, refs: Mapping[ObjectRef, ObjectRef]) -> None:
    obj = record.obj
    if obj.ref in refs:
        obj = obj._replace(ref=refs[obj.ref])
        record.obj = obj
        record.targets = [target_record._replace(obj=obj) for target_record in record.targets]


def _result(note: RolloutNote, mode: Mode) -> Result:
    if isinstance(note.proposal, Result):
        return note.proposal.about(note.obj.ref)
    return result_of_edit(note.proposal, note.obj, mode)
