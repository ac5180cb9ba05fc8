"""What a run covered: of each system how many objects there are, have the proxy, get it, and are left, and why."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from krm_fn.config import Mode
from krm_fn.krm.codes import Severity
from krm_fn.krm.masking import redact
from krm_fn.krm.results import ObjectRef
from krm_fn.light_typing import Any, NamedTuple, Texts
from krm_fn.lint.compared import Compared, by_object
from krm_fn.pipeline import Comparison
from krm_fn.pipeline.why_left import (
    CHOSEN,
    HOLD_NONE,
    NOBODY_CHOSE,
    NOT_JUDGED,
    OTHERS,
    SYSTEM_OF_KIND,
    Reason,
    readable,
    unread_objects,
    why_not_chosen,
    why_unread,
)
from krm_fn.plan import ObjectSource, Overview
from krm_fn.settings import declared_urls
from krm_fn.targets import Writes

_UNREAD = ObjectRef()
"""Stands for an object that is only counted."""
_SAME, _CHANGED = Reason("have it"), Reason("changed")
_Groups = dict[Reason, list[ObjectRef]]
"""What becomes of objects -> these objects."""


class Covered(NamedTuple):
    """The objects of one system; ``found`` is the sum of the next three.

    Attributes:
        reasons: why some are left; their numbers add up to ``left``.
        names: those of the others, as far as somebody asked for them.
    """

    system: str
    found: int
    have: int
    changed: int
    left: int
    reasons: list[Reason]
    names: Texts

    @property
    def cells(self) -> list[str]:
        """The system and its numbers, as texts."""
        numbers = (self.found, self.have, self.changed, self.left)
        return [self.system, *map(str, numbers)]

    def to_data(self) -> dict[str, Any]:
        """Return the row for JSON."""
        reasons = [reason._asdict() for reason in self.reasons]
        return {**self._asdict(), "reasons": reasons}


def covered(
    comparison: Comparison, source: ObjectSource, *, named: bool = False, explained: bool = True
) -> list[Covered]:
    """Return a row for each system of which there are objects.

    Args:
        comparison: what a run found out.
        source: the objects of the list, which are counted by their kinds.
        named: whether to read the names of all objects.
        explained: whether to read the objects that no target needs, to say why they are left.
    """
    overview = comparison.overview
    found = _found(comparison, source, named=named)
    groups: defaultdict[str, _Groups] = defaultdict(lambda: defaultdict(list))
    known = set()
    for key, records in by_object(comparison.compared).items():
        first = records[0]
        ref = first.obj.ref
        system = SYSTEM_OF_KIND.get(ref.kind, OTHERS)
        is_chosen = any(record.place.target_id for record in records)
        if system in CHOSEN and not is_chosen:
            continue  # whatever it sets itself, it is left because nobody chose it
        if first.why_left and ref.kind == "Cluster":
            system = "nodes"  # of which the Cluster says why they get none
        outcome = _outcome(records, overview)
        if first.place.is_new or not outcome:
            continue
        known.add(key)
        if system == OTHERS:
            if outcome != _CHANGED and not any(record.after for record in records):
                continue
            found[system].append(ref)
        groups[system][outcome].append(ref)
    unread: defaultdict[tuple[str, Reason], list[tuple[str, ObjectRef]]] = defaultdict(list)
    for obj in unread_objects(source) if explained else ():
        reason, name = why_unread(obj, overview)
        if reason and (obj.ref, obj.path) not in known:
            system = SYSTEM_OF_KIND.get(obj.ref.kind, OTHERS)
            unread[system, reason].append((name, obj.ref))
    for (system, reason), named_refs in unread.items():
        names = ", ".join(sorted({name for name, _ in named_refs}))
        why, change = (text.replace("NAMES", names) for text in reason[:2])
        groups[system][Reason(why, change)] += [ref for _, ref in named_refs]
    rows = []
    for system in filter(found.get, NOBODY_CHOSE):
        rest = why_not_chosen(system, overview)
        rows.append(_row(system, found[system], groups[system], rest, named=named))
    return rows


def _found(
    comparison: Comparison, source: ObjectSource, *, named: bool
) -> dict[str, list[ObjectRef]]:
    """Return the objects of each system; an item whose text names kinds of several is read, unless the plan did it."""
    known = {**comparison.overview.refs}
    for record in comparison.compared:
        if not record.obj.path and not record.place.is_new:
            known[record.place.item_index] = [record.obj.ref]
    found: defaultdict[str, list[ObjectRef]] = defaultdict(list)
    for kinds, indexes in source.by_kinds.items():
        if "Kustomization" in kinds:
            with_charts = source.holding(("helmCharts",), indexes)
            found[NOT_JUDGED] += [_UNREAD] * len(with_charts)
        systems = {SYSTEM_OF_KIND.get(kind, "") for kind in kinds}
        if len(systems) == 1 and not named:
            found[systems.pop()] += [_UNREAD] * len(indexes)
        elif any(systems) or not kinds:  # its text does not show its kind
            for index in indexes:
                refs = known.get(index) or [obj.ref for obj in readable(source, [index])]
                for ref in refs:
                    found[SYSTEM_OF_KIND.get(ref.kind, "")].append(ref)
    return found


def _outcome(records: Sequence[Compared], overview: Overview) -> Reason | None:
    """Return that an object changes, that it has the proxy, or why it is left; None where nothing says why."""
    if any(record.is_changed for record in records):
        return _CHANGED
    if any(_has_proxy(record) for record in records):
        return _SAME
    for record in records:
        if record.why_left:
            why = "they set another proxy: " if record.after else ""
            return Reason(why + redact(record.why_left))
        for result in record.results:
            if result.severity is not Severity.INFO:
                return Reason(redact(result.message))
    for record in records:
        if record.place.is_asked and not record.wanted:
            return _why_not_wanted(record, overview)
    return None


def _has_proxy(record: Compared) -> bool:
    if not record.place.target_id or record.place.target.writes is Writes.NOTHING:
        return False
    return bool(record.after and record.wanted)


def _why_not_wanted(record: Compared, overview: Overview) -> Reason | None:
    """Return why a target that looks at an object gives it no proxy."""
    place, config = record.place, overview.config
    if config is None or config.mode is Mode.REMOVE:
        return HOLD_NONE
    name = place.obj.base_name
    urls = declared_urls(config, place.memberships, target=place.target_id, name=name)
    if not any(urls or ()):
        return Reason("no proxy is declared for them, in `spec` or in an override that fits")
    if SYSTEM_OF_KIND.get(place.obj.ref.kind) != "nodes":
        return None
    return Reason("their ClusterClass writes it")


def _row(
    system: str, found: Sequence[ObjectRef], groups: _Groups, rest: Reason, *, named: bool
) -> Covered:
    known = Counter(ref for refs in groups.values() for ref in refs)
    unknown = list((Counter(found) - known).elements())
    have = groups.pop(_SAME, [])
    changed = groups.pop(_CHANGED, [])
    left = missing = len(found) - len(have) - len(changed)
    unexplained = left - sum(map(len, groups.values()))
    groups[rest] += unknown[: max(0, unexplained)]
    reasons = []
    for reason, refs in sorted(groups.items(), key=lambda group: -len(group[1])):
        shown = refs[:missing]  # a Cluster also says why for nodes that the list lacks
        missing -= len(shown)
        if shown:
            names = _names(shown) if named else ()
            reasons.append(reason._replace(number=len(shown), names=names))
    names = _names([*have, *changed]) if named else ()
    return Covered(system, len(found), len(have), len(changed), left, reasons, names)


def _names(refs: Iterable[ObjectRef]) -> Texts:
    return tuple(str(ref) for ref in refs if ref != _UNREAD)


def total(comparison: Comparison, source: ObjectSource) -> str:
    """Return how many objects of each system have or get the proxy, in one sentence; "" where all do."""
    rows = covered(comparison, source, explained=False)
    rows = [row for row in rows if row.system != NOT_JUDGED]
    if not any(row.left for row in rows):
        return ""
    parts = [f"{row.system} {row.found - row.left} of {row.found}" for row in rows]
    return f"the proxy is in {', '.join(parts)}: `inject-proxy explain` says why not in the others"
