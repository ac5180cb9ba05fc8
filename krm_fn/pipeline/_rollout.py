"""The names that change so that nodes roll: their operations, and the results about them."""

from __future__ import annotations

from krm_fn import patch
from krm_fn.config import Mode, ProxyConfig
from krm_fn.krm.results import Edit, Finding, Result, Severity
from krm_fn.pipeline._edits import result_of_edit
from krm_fn.pipeline._operations import PlannedOperations
from krm_fn.plan import ObjectSource, PlannedEdit
from krm_fn.plan.rollout import RolloutNote, new_refs, rollout, secret_names


def roll_out(
    source: ObjectSource,
    places: list[PlannedEdit],
    found: list[Result],
    operations: PlannedOperations,
    wanted: ProxyConfig,
) -> tuple[list[PlannedEdit], list[Result]]:
    """Return places and results with the names that their objects have after templates are renamed."""
    is_check = wanted.mode is Mode.CHECK
    if not is_check and any(result.severity is Severity.ERROR for result in found):
        return places, found  # nothing will be changed
    reported = list(found)
    new = {id(place.obj.data) for place in places if place.is_new}
    rollout_notes = secret_names(source, places, wanted, operations.touched)
    followed: set[int] = set()
    for one in rollout_notes:
        result = _rolled(one, operations, wanted.mode, is_new=id(one.obj.data) in new)
        reported.append(result)
        if isinstance(one.proposal, Edit):  # a template has a name that follows from these names
            patch.apply(one.obj.data, one.proposal.operations)
            followed.add(id(one.obj))
    operations.touched |= followed
    places = [place._replace(held=None) if id(place.obj) in followed else place for place in places]
    of_templates = list(rollout(source, places, wanted, operations.touched))
    reported += [_rolled(one, operations, wanted.mode) for one in of_templates]
    rollout_notes += of_templates
    refs = {} if is_check else new_refs(rollout_notes)
    if not refs:
        return places, reported
    renamed = []
    for place in places:
        ref = refs.get(place.obj.ref, place.obj.ref)
        renamed.append(place._replace(obj=place.obj._replace(ref=ref)))
    return renamed, [result._replace(ref=refs.get(result.ref, result.ref)) for result in reported]


def _rolled(
    one: RolloutNote, operations: PlannedOperations, mode: Mode, *, is_new: bool = False
) -> Result:
    """Return the result about a name, and note the operations, unless the object is created in this run."""
    if isinstance(one.proposal, Finding):
        return one.proposal.about(one.obj.ref)
    of_name, result = result_of_edit(one.proposal, one.obj, mode)
    if not is_new:
        operations.add(one.item_index, one.obj, of_name)
    return result
