"""One record for each object that a run has read: what its targets did, what else it holds, and what becomes of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from krm_fn.clusters import Key, ObjectIndex, key_of, uses
from krm_fn.config import Mode, ProxyConfig
from krm_fn.krm.codes import Severity
from krm_fn.krm.masking import redact
from krm_fn.patch import Pointer
from krm_fn.pipeline.nodes_without import why_without
from krm_fn.pipeline.other_places import with_other_proxies
from krm_fn.places.place import Place
from krm_fn.plan import Overview, PlannedEdit
from krm_fn.plan.record import Compared, ObjectRecord, Reason, State, Why, is_change
from krm_fn.products.node_kinds import NODE_KINDS, OF_CLASSES
from krm_fn.settings import declared_urls

_CHOSEN = ("workloads", "charts")
"""Systems whose targets have places only in objects that somebody chose."""
_Location = tuple[int, Pointer]
"""The number of an item, and the place of an object in it."""


def object_records(
    planned: Iterable[PlannedEdit],
    compared: Iterable[Compared],
    overview: Overview,
    config: ProxyConfig,
) -> list[ObjectRecord]:
    """Return the records of all objects that a target looked at, or whose text names a proxy.

    Args:
        planned: what targets would edit; they own the places that they do not edit, too.
        compared: what each target did.
        overview: what the plan has seen besides.
        config: the checked ProxyConfig.
    """
    records: dict[_Location, ObjectRecord] = {}
    unasked = [Compared(place) for place in planned if not place.is_asked]
    for place in (*compared, *unasked):
        planned_edit = place.place
        if not planned_edit.is_new:
            index, obj = planned_edit.item_index, planned_edit.obj
            blank = ObjectRecord(index, obj, planned_edit.memberships)
            known = records.get((index, obj.path), blank)
            records[index, obj.path] = known._replace(places=(*known.places, place))
    for index, obj, memberships in overview.naming:
        known = records.get((index, obj.path), ObjectRecord(index, obj, memberships))
        records[index, obj.path] = with_other_proxies(known, overview.uses, config)
    by_class = ObjectIndex(_written_by_classes(records.values()))
    why_none = {}
    for nodes in overview.other_nodes:
        if nodes.is_own and config.mode is not Mode.REMOVE:
            why_none[nodes.obj.ref] = why_without(nodes, config, is_written=False)
    judged = []
    for record in records.values():
        reason = record.reason or _reason(why_none.get(record.obj.ref, ""))
        state = by_class.get(key_of(record.obj)) if by_class else None
        judged.append(_judged(record._replace(reason=reason), state, config))
    return judged


def _judged(
    record: ObjectRecord, state_of_class: State | None, config: ProxyConfig
) -> ObjectRecord:
    """Return a record with what becomes of its object; an error counts before a change, and that before all else."""
    messages: dict[Severity, str] = {}
    for place in record.places:
        for result in place.results:
            if not is_change(result):
                messages.setdefault(result.severity, result.message)
    if Severity.ERROR in messages:
        return record._replace(reason=_reason(messages[Severity.ERROR]))
    if any(place.is_changed for place in record.places):
        return record._replace(state=State.CHANGED)
    if any(place.after and place.wanted for place in record.places):
        return record._replace(state=State.HAS_IT)
    reason = record.reason or _reason(messages.get(Severity.WARNING, ""))
    if reason:
        return record._replace(reason=reason)
    if state_of_class:
        return record._replace(state=state_of_class)
    if any(map(_is_provided, record.places)):
        return record._replace(state=State.HAS_IT)
    return record._replace(reason=_why_not_wanted(record, config))


def _why_not_wanted(record: ObjectRecord, config: ProxyConfig) -> Reason | None:
    """Return why the targets that look at an object give it no proxy; None where none does."""
    if config.mode is Mode.REMOVE:
        if record.holds_proxy:
            return _reason("they still hold a proxy")
        return Reason(Why.HOLD_NONE)
    for place in record.places:
        if place.place.is_asked and not place.wanted:
            target, name = place.place.target_id, record.obj.base_name
            urls = declared_urls(config, record.memberships, target=target, name=name)
            if not any(urls or ()):
                return Reason(Why.NOT_DECLARED)
            return Reason(Why.BY_CLASS) if record.obj.group_kind in NODE_KINDS else None
    return None


def _reason(text: str) -> Reason | None:
    return Reason(Why.FINDING, redact(text)) if text else None


def _is_provided(compared: Compared) -> bool:
    """Return whether somebody chose an object that takes its proxy from another one, such as a Secret."""
    planned = compared.place
    if not compared.wanted or planned.target_id not in _CHOSEN:
        return False
    return any(isinstance(place, Place) for place in planned.places())


def _written_by_classes(records: Iterable[ObjectRecord]) -> Iterator[tuple[Key, State]]:
    """Yield the identity of each template whose nodes get the proxy by a ClusterClass, and what becomes of that."""
    for record in records:
        for place in record.places:
            if place.place.target_id == OF_CLASSES and (place.is_changed or place.after):
                state = State.CHANGED if place.is_changed else State.HAS_IT
                for use in uses(place.obj):
                    yield use.target, state
