"""One record for each object that a run has read: what its targets did, what else it holds, and what becomes of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from krm_fn.clusters import key_of, uses
from krm_fn.clusters.model import Memberships
from krm_fn.config import Mode, ProxyConfig
from krm_fn.krm.codes import Severity
from krm_fn.krm.masking import redact
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import ObjectRef
from krm_fn.lint.compared import Compared, ObjectRecord, Reason, State, Why, is_change
from krm_fn.lint.nodes_without import why_without
from krm_fn.lint.other_places import OtherProxies, other_readings
from krm_fn.patch import Pointer
from krm_fn.places.place import Place
from krm_fn.plan import Overview, PlannedEdit
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
    wanted: ProxyConfig,
    *,
    is_failed: bool = False,
) -> list[ObjectRecord]:
    """Return the records of all objects that a target looked at, or whose text names a proxy.

    Args:
        planned: what targets would edit; they own the places that they do not edit, too.
        compared: what each target did.
        overview: what the plan has seen besides.
        wanted: the checked ProxyConfig.
        is_failed: an error keeps the run from changing anything.
    """
    places: dict[_Location, list[Compared]] = {}
    subjects: dict[_Location, tuple[Object, Memberships]] = {}
    unasked = [Compared(place) for place in planned if not place.is_asked]
    for place in (*compared, *unasked):
        if not place.place.is_new:
            location = (place.place.item_index, place.obj.path)
            places.setdefault(location, []).append(place)
            subjects.setdefault(location, (place.obj, place.place.memberships))
    named = set()
    for index, obj, memberships in overview.naming:
        named.add((index, obj.path))
        subjects.setdefault((index, obj.path), (obj, memberships))
    others = OtherProxies(wanted)
    judge = _Judge(overview, wanted, places.values(), is_failed=is_failed)
    records = []
    for location, (obj, memberships) in subjects.items():
        seen = tuple(places.get(location, ()))
        record = ObjectRecord(location[0], obj, memberships, seen)
        if location in named:
            readings = other_readings(obj, seen, overview.uses)
            record = record._replace(others=readings)
            wrong = others.wrong(obj, memberships, seen, readings) if readings else None
            if wrong is not None:
                reason = Reason(Why.FINDING, wrong.why_left)
                record = record._replace(findings=(wrong.result,), reason=reason)
        records.append(judge.judged(record))
    return records


class _Judge:
    """Says what becomes of an object, and why it is left.

    Args:
        overview: what the plan has seen besides the places of targets.
        wanted: the checked ProxyConfig.
        places: those of each object.
        is_failed: an error keeps the run from changing anything.
    """

    def __init__(
        self,
        overview: Overview,
        wanted: ProxyConfig,
        places: Iterable[Sequence[Compared]],
        *,
        is_failed: bool,
    ) -> None:
        self._wanted = wanted
        self._is_failed = is_failed
        self._by_class = dict(_written_by_classes(places))
        self._of_other_nodes: dict[ObjectRef, str] = {}
        for nodes in overview.other_nodes:
            why = why_without(nodes, wanted, is_written=False) if nodes.is_own else ""
            self._of_other_nodes[nodes.obj.ref] = why

    def judged(self, record: ObjectRecord) -> ObjectRecord:
        """Return a record with what becomes of its object."""
        for place in record.places:
            for result in place.results:
                if result.severity is Severity.ERROR and not is_change(result):
                    return record._replace(reason=_reason(result.message))
        if any(place.is_changed for place in record.places):
            return self._changed(record)
        if any(map(_has_proxy, record.places)):
            return record._replace(state=State.HAS_IT)
        reason = self._why_left(record)
        state = self._by_class.get(key_of(record.obj)) if reason is None else None
        if reason is None and any(map(_is_provided, record.places)):
            state = State.HAS_IT
        if state is State.CHANGED:
            return self._changed(record)
        if state is not None:
            return record._replace(state=state)
        return record._replace(reason=reason or self._why_not_wanted(record))

    def _changed(self, record: ObjectRecord) -> ObjectRecord:
        if self._is_failed:
            return record._replace(reason=Reason(Why.FAILED))
        return record._replace(state=State.CHANGED)

    def _why_left(self, record: ObjectRecord) -> Reason | None:
        """Return why an object is left as far as something was found in it."""
        why = self._of_other_nodes.get(record.obj.ref)
        if record.reason or not why:
            for place in record.places:
                for result in place.results:
                    if result.severity is not Severity.INFO:
                        return record.reason or _reason(result.message)
            return record.reason
        return _reason(why)

    def _why_not_wanted(self, record: ObjectRecord) -> Reason | None:
        """Return why the targets that look at an object give it no proxy; None where none does."""
        if self._wanted.mode is Mode.REMOVE:
            if record.holds_proxy:
                return Reason(Why.FINDING, "they still hold a proxy")
            return Reason(Why.HOLD_NONE) if record.places else None
        asked = [place for place in record.places if place.place.is_asked and not place.wanted]
        if not asked:
            return None
        place = asked[0].place
        name = record.obj.base_name
        urls = declared_urls(
            self._wanted, record.memberships, target=place.target_id, name=name
        )
        if not any(urls or ()):
            return Reason(Why.NOT_DECLARED)
        return Reason(Why.BY_CLASS) if record.obj.group_kind in NODE_KINDS else None


def _reason(text: str) -> Reason:
    return Reason(Why.FINDING, redact(text))


def _has_proxy(place: Compared) -> bool:
    """Return whether a target holds the proxy in an object."""
    return bool(place.after and place.wanted)


def _is_provided(place: Compared) -> bool:
    """Return whether somebody chose an object that takes its proxy from another one, such as a Secret."""
    planned = place.place
    if not place.wanted or planned.target_id not in _CHOSEN:
        return False
    found = planned.target.places(planned.obj.data, planned.context)
    return any(isinstance(found_place, Place) for found_place in found)


def _written_by_classes(
    places: Iterable[Sequence[Compared]],
) -> Iterator[tuple[object, State]]:
    """Yield the identity of each template whose nodes get the proxy by a ClusterClass, and what becomes of that."""
    for of_object in places:
        for place in of_object:
            if place.place.target_id != OF_CLASSES or not (place.is_changed or place.after):
                continue
            state = State.CHANGED if place.is_changed else State.HAS_IT
            for use in uses(place.obj):
                yield use.target, state


def by_ref(records: Iterable[ObjectRecord]) -> Mapping[ObjectRef, ObjectRecord]:
    """Return identity of an object -> its record."""
    return {record.obj.ref: record for record in records}
