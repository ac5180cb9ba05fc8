"""What becomes of each object of a run: changed, it has the proxy, or it is left, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from krm_fn.clusters import Key, ObjectIndex, key_of, uses
from krm_fn.config import Mode, ProxyConfig
from krm_fn.krm.codes import Severity
from krm_fn.krm.masking import redact
from krm_fn.pipeline.nodes_without import why_without
from krm_fn.pipeline.other_places import note_other_proxies
from krm_fn.places.place import Place
from krm_fn.plan import Overview
from krm_fn.plan.record import (
    ObjectRecord,
    Reason,
    State,
    TargetRecord,
    Why,
    edited_targets,
    is_change,
)
from krm_fn.products.node_kinds import NODE_KINDS, OF_CLASSES
from krm_fn.settings import declared_urls

_CHOSEN = ("workloads", "charts")
"""Systems whose targets have places only in objects that somebody chose."""


def complete(records: Iterable[ObjectRecord], overview: Overview, config: ProxyConfig) -> None:
    """Complete the records of a run, whose edits are made: what else an object holds, and what becomes of it.

    Args:
        records: the objects; targets own the places that they do not edit, too.
        overview: what the plan has seen besides.
        config: the checked ProxyConfig.
    """
    listed = [record for record in records if not record.is_new]
    for record in listed:
        if record.names_proxy:
            note_other_proxies(record, overview.uses, config)
    by_class = ObjectIndex(_written_by_classes(listed))
    why_none = {}
    for nodes in overview.other_nodes:
        if nodes.is_own and config.mode is not Mode.REMOVE:
            why_none[nodes.obj.ref] = why_without(nodes, config, is_written=False)
    for record in listed:
        record.reason = record.reason or _reason(why_none.get(record.obj.ref, ""))
        state_of_class = by_class.get(key_of(record.obj)) if by_class else None
        record.state, record.reason = _state(record, state_of_class, config)


def _state(
    record: ObjectRecord, state_of_class: State | None, config: ProxyConfig
) -> tuple[State, Reason | None]:
    """Return what becomes of an object, and why it is left; an error counts first, then a change."""
    messages: dict[Severity, str] = {}
    asked = [target_record for target_record in record.targets if target_record.is_asked]
    for target_record in asked:
        for result in target_record.results:
            if not is_change(result):
                messages.setdefault(result.severity, result.message)
    if Severity.ERROR in messages:
        return State.LEFT, _reason(messages[Severity.ERROR])
    if any(target_record.is_changed for target_record in asked):
        return State.CHANGED, None
    if any(target_record.after and target_record.variables for target_record in asked):
        return State.HAS_IT, None
    reason = record.reason or _reason(messages.get(Severity.WARNING, ""))
    if reason:
        return State.LEFT, reason
    if state_of_class:
        return state_of_class, None
    if any(map(_is_provided, asked)):
        return State.HAS_IT, None
    return State.LEFT, _why_not_wanted(record, asked, config)


def _why_not_wanted(
    record: ObjectRecord, asked: Iterable[TargetRecord], config: ProxyConfig
) -> Reason | None:
    """Return why the targets that look at an object give it no proxy; None where none does."""
    if config.mode is Mode.REMOVE:
        if record.holds_proxy:
            return _reason("they still hold a proxy")
        return Reason(Why.HOLD_NONE)
    for target_record in asked:
        if not target_record.variables:
            target, name = target_record.target_id, record.obj.base_name
            urls = declared_urls(config, record.memberships, target=target, name=name)
            if not any(urls or ()):
                return Reason(Why.NOT_DECLARED)
            return Reason(Why.BY_CLASS) if record.obj.group_kind in NODE_KINDS else None
    return None


def _reason(text: str) -> Reason | None:
    return Reason(Why.FINDING, redact(text)) if text else None


def _is_provided(target_record: TargetRecord) -> bool:
    """Return whether somebody chose an object that takes its proxy from another one, such as a Secret."""
    if not target_record.variables or target_record.target_id not in _CHOSEN:
        return False
    return any(isinstance(place, Place) for place in target_record.places())


def _written_by_classes(records: Iterable[ObjectRecord]) -> Iterator[tuple[Key, State]]:
    """Yield the identity of each template whose nodes get the proxy by a ClusterClass, and what becomes of that."""
    for target_record in edited_targets(records):
        is_changed = target_record.is_changed
        if target_record.target_id == OF_CLASSES and (is_changed or target_record.after):
            state = State.CHANGED if is_changed else State.HAS_IT
            for use in uses(target_record.obj):
                yield use.target, state
