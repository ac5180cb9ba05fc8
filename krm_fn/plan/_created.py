"""The objects that a run creates: beside others, and because an option asks for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from krm_fn.clusters import ByKey, Key, Topology
from krm_fn.config import ProxyConfig
from krm_fn.krm.resourcelist import BESIDE_NOTHING, Object, reference
from krm_fn.light_typing import TYPE_CHECKING
from krm_fn.plan._items import ItemReader, items_of_kinds
from krm_fn.plan._model import Overview, PlannedEdit
from krm_fn.plan._selection import fits, is_enabled, is_selected
from krm_fn.plan._settings import resolved
from krm_fn.targets import TARGETS
from krm_fn.targets.context import GroupKind, ObjectName

if TYPE_CHECKING:
    from krm_fn.targets.base import Target


def companions(
    index: int, obj: Object, creators: Sequence[Target], topology: Topology, wanted: ProxyConfig
) -> Iterator[PlannedEdit]:
    """Yield what has to be created beside an object, of the same Clusters and with the same proxy."""
    for target in creators:
        creates = target.creates
        options = target.options(wanted.targets)
        if obj.group_kind not in creates.beside or not creates.is_wanted(options):
            continue
        memberships = topology.of(obj)
        found = resolved(wanted, memberships, target, obj)
        for data in creates.companions(obj.data, found.settings, options):
            created = Object((), data, reference(data))
            # An override may name the one or the other: the next run finds what is created in the list.
            its_own = resolved(wanted, memberships, target, created)
            yield PlannedEdit(index, created, target.id, memberships, its_own, options, is_new=True)


def generated(topology: Topology, wanted: ProxyConfig) -> Iterator[PlannedEdit]:
    """Yield what the options of a target ask for, whatever is in the list."""
    for target in _with_options(wanted):
        options = target.options(wanted.targets)
        for data in target.creates.generated(options):
            created = Object((), data, reference(data))
            memberships = topology.of(created)
            found = resolved(wanted, memberships, target, created)
            yield PlannedEdit(
                BESIDE_NOTHING, created, target.id, memberships, found, options, is_new=True
            )


def names_in_use(
    reader: ItemReader, wanted: ProxyConfig, new: Sequence[PlannedEdit]
) -> frozenset[ObjectName]:
    """Return the names that targets must not give to objects, as they say of the list before any edit."""

    def present(kinds: frozenset[GroupKind]) -> Iterator[tuple[Object, bool]]:
        return _present(kinds, reader, wanted, new)

    found: set[ObjectName] = set()
    for target in _with_options(wanted):
        found |= target.creates.names_in_use(target.options(wanted.targets), present)
    return frozenset(found)


def _present(
    kinds: frozenset[GroupKind],
    reader: ItemReader,
    wanted: ProxyConfig,
    new: Sequence[PlannedEdit],
) -> Iterator[tuple[Object, bool]]:
    """Yield the objects of some kinds in the list, and those it generates, each with whether the run may change it."""
    for index in items_of_kinds(reader.source, (kind for _, kind in kinds)):
        for obj in reader.readable(index):
            if obj.group_kind in kinds:
                yield obj, is_selected(obj, wanted)
    for place in new:
        has_proxy = place.resolved.settings.sets_any
        if place.obj.group_kind in kinds and has_proxy and is_selected(place.obj, wanted):
            yield place.obj, True


def lacking(
    missing: Sequence[PlannedEdit],
    known: ByKey[None],
    wanted: ProxyConfig,
    overview: Overview | None,
) -> Iterator[PlannedEdit]:
    """Yield those of the new objects that the list lacks and the selector includes, each once."""
    for place in missing:
        if known.candidates(identity(place.obj)):
            continue
        if is_selected(place.obj, wanted):
            known.add(identity(place.obj), None)
            yield place
        elif overview is not None and place.item_index == BESIDE_NOTHING and place.is_asked:
            is_excluded = fits(place.obj, wanted.selector._replace(exclude=()))
            overview.not_generated += [] if is_excluded else [place.obj]


def identity(obj: Object) -> Key:
    """Return the identity of an object in any file, without the hash that a run added to its name."""
    return (*obj.group_kind, obj.ref.namespace, obj.base_name, "")


def _with_options(wanted: ProxyConfig) -> Iterator[Target]:
    """Yield the enabled targets that have options: only these can ask for more, so no other is imported."""
    for name in wanted.targets:
        if is_enabled(name, wanted):
            yield TARGETS[name]
