"""Say of single objects whether they get the proxy, by which Cluster and overrides, and what each target does."""

from __future__ import annotations

from collections.abc import Iterator

from krm_fn.config import matches
from krm_fn.krm.resourcelist import NO_ITEM, Object
from krm_fn.krm.results import ObjectRef
from krm_fn.pipeline.covered import count_object, left_because
from krm_fn.pipeline.outcome import Outcome
from krm_fn.plan.record import ObjectRecord, State


def answer_about(obj: Object, outcome: Outcome) -> Iterator[str]:
    """Yield lines about one object of a run, in which a credential may be."""
    records = {record.obj.ref: record for record in outcome.overview.records}
    record = records.get(obj.ref) or ObjectRecord(NO_ITEM, obj, ())
    counted = count_object(obj, record, outcome)
    state = counted.state.value
    if counted.state is State.LEFT:
        name = f"{obj.ref.kind}/{obj.ref.name}".lower()
        if obj.ref.namespace:
            name += f" -n {obj.ref.namespace}"
        because = left_because(counted.reason.why, [counted]).sentence
        state += f": {because.replace('KIND/NAME', name)}"
    yield f"Proxy: {state}"
    for membership in record.memberships:
        yield f"{membership.cluster.full_name}: {membership.how}"
    is_changed = counted.state is State.CHANGED
    subjects = [subject for target_record in record.targets for subject in target_record.subjects]
    for number, override in enumerate(outcome.overview.config.overrides):
        if any(matches(override.match, subject) for subject in subjects):
            yield f"`spec.overrides[{number}]` fits"
    for result in outcome.found:
        if result.ref == obj.ref:
            yield result.about(ObjectRef()).sentence(result.target)
        # Of a template it is said at what makes machines from it.
        elif is_changed and result.code == "NodesKept" and result.current == obj.ref.name:
            yield result.sentence(result.ref.file_path)
