"""The state of each object of a run: changed, with the proxy, or left, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from krm_fn.clusters import Key, ObjectIndex, key_of, uses
from krm_fn.config import ProxyConfig
from krm_fn.krm.codes import Severity
from krm_fn.krm.results import Result
from krm_fn.patch import list_at, text_at
from krm_fn.pipeline.run_findings import why_without
from krm_fn.places.place import LACKS_TEXT, Place
from krm_fn.plan.record import (
    ObjectRecord,
    Overview,
    Reason,
    State,
    TargetRecord,
    Why,
    edited_targets,
)
from krm_fn.products.node_kinds import NODE_KINDS, OF_CLASSES
from krm_fn.proxy_url import with_and_without_credentials
from krm_fn.settings import declared_urls
from krm_fn.target_table import SYSTEMS

_POLICIES = SYSTEMS["kyverno"]
_VALUES = (("", "ConfigMap"), ("", "Secret"))


def complete(overview: Overview, config: ProxyConfig) -> None:
    """Complete the records of a run, whose edits are made: the other proxies of each object, and its state.

    Args:
        overview: the records, where targets own the places that they do not edit, too.
        config: the checked ProxyConfig.
    """
    listed = [record for record in overview.records if not record.is_new]
    naming = [record for record in listed if record.names_proxy]
    if naming:
        from krm_fn.pipeline.other_places import note_other_places  # noqa: PLC0415 -- many lists name no proxy

        note_other_places(naming, overview.uses, config)
    why_none = {}
    for nodes in overview.other_nodes:
        if nodes.is_own and not config.is_removal:
            message = why_without(nodes, config, is_written=False)
            if message:
                why_none[nodes.obj.ref] = Result("NodesWithoutProxy", message)
    written = ObjectIndex(_written_elsewhere(listed))
    for record in listed:
        record.reason = record.reason or _reason(why_none.get(record.obj.ref))
        state = None
        if written:
            for key in _keys_elsewhere(record):
                state = state or written.get(key)
        record.state, record.reason = _state(record, state, config)


def _state(
    record: ObjectRecord, state_elsewhere: State | None, config: ProxyConfig
) -> tuple[State, Reason | None]:
    """Return the state of an object, and why it is left; an error counts first, then a change."""
    if record.is_left_out:
        return State.LEFT, Reason(Why.LOCAL if record.obj.is_local else Why.NOT_SELECTED)
    findings: dict[Severity, Result] = {}
    asked = [*edited_targets([record])]
    for target_record in asked:
        for result in target_record.results:
            if not result.reports_edit:
                findings.setdefault(result.severity, result)
    if Severity.ERROR in findings:
        return State.LEFT, _reason(findings[Severity.ERROR])
    if any(target_record.is_changed for target_record in asked):
        return State.CHANGED, None
    warning = _reason(findings.get(Severity.WARNING))
    holding = [target_record for target_record in asked if target_record.after]
    holding = [target_record for target_record in holding if target_record.variables]
    if holding:
        # A policy may take the value from elsewhere, which a warning says.
        if warning is None or any(map(_is_right, holding)):
            return State.HAS_IT, None
        return State.LEFT, warning
    reason = record.reason or warning
    if reason:
        return State.LEFT, reason
    if state_elsewhere:
        return state_elsewhere, None
    if any(map(_is_provided, asked)):
        return State.HAS_IT, None
    return State.LEFT, _why_not_wanted(record, asked, config)


def _why_not_wanted(
    record: ObjectRecord, asked: Iterable[TargetRecord], config: ProxyConfig
) -> Reason | None:
    """Return why the targets that look at an object give it no proxy; None where none does."""
    if config.is_removal:
        if record.holds_proxy:
            return Reason(Why.STILL_HOLD)
        return Reason(Why.HOLD_NONE)
    with_place = [target_record for target_record in record.targets if target_record.has_place]
    if not asked and with_place:
        if any(target_record.resolved.lacks_text for target_record in with_place):
            return _reason(Result("ByHand", LACKS_TEXT))
        return Reason(Why.NOT_DECLARED)
    for target_record in asked:
        if not target_record.variables:
            target = target_record.target_id
            name = record.obj.base_name
            urls = declared_urls(config, record.memberships, target_id=target, name=name)
            if not any(urls or ()):
                return Reason(Why.NOT_DECLARED)
            if record.obj.group_kind not in NODE_KINDS:
                return None
            return Reason(Why.BY_CLASS)
    return None


def _reason(finding: Result | None) -> Reason | None:
    if not finding:
        return None
    return Reason(Why.FINDING, finding=finding)


def _is_right(target_record: TargetRecord) -> bool:
    """Return whether a place holds a proxy of this ProxyConfig, or takes it from an object that a run fills."""
    ours = with_and_without_credentials(target_record.proxy_urls)
    return any(
        reading.is_provided or reading.text.rstrip("/") in ours for reading in target_record.after
    )


def _is_provided(target_record: TargetRecord) -> bool:
    """Return whether an object takes its proxy from another one, such as a Secret, and is as it should be."""
    if target_record.obj.group_kind in NODE_KINDS or target_record.target_id in _POLICIES:
        return False
    if not target_record.variables:
        return False
    return any(isinstance(place, Place) for place in target_record.places())


def _written_elsewhere(records: Iterable[ObjectRecord]) -> Iterator[tuple[Key, State]]:
    """Yield each template whose nodes get the proxy by a ClusterClass, and each ConfigMap and Secret of a target."""
    for target_record in edited_targets(records):
        is_changed = target_record.is_changed
        if not (is_changed or target_record.after):
            continue
        state = State.CHANGED if is_changed else State.HAS_IT
        obj = target_record.obj
        if target_record.target_id == OF_CLASSES:
            for use in uses(obj):
                yield use.target, state
        elif obj.group_kind in _VALUES:
            yield key_of(obj), state


def _keys_elsewhere(record: ObjectRecord) -> Iterator[Key]:
    """Yield the keys by which the proxy of an object is written elsewhere: its own, and those of values of a chart."""
    obj = record.obj
    if obj.group_kind not in _VALUES:
        yield key_of(obj)
    if any(target_record.target_id == "charts" for target_record in record.targets):
        for source in list_at(obj.data, ("spec", "valuesFrom")):
            kind = text_at(source, "kind")
            name = text_at(source, "name")
            yield Key("", kind, obj.ref.namespace, name, obj.ref.file_path)
