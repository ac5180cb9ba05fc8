"""Which targets edit which objects of a list, and the proxy that each object gets.

It brings objects, targets, Clusters and settings together. An item that concerns no target and no
Cluster is never read, and none is read twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from krm_fn import clusters
from krm_fn.clusters import ObjectIndex, Topology
from krm_fn.config import ProxyConfig
from krm_fn.krm.resourcelist import Object
from krm_fn.light_typing import TYPE_CHECKING
from krm_fn.places.provided import DataUses
from krm_fn.plan._created import companions, generated, identity, lacking
from krm_fn.plan._enabled import EnabledTargets
from krm_fn.plan._items import ItemReader, items_of_kinds
from krm_fn.plan._model import ObjectSource, Overview, PlannedEdit
from krm_fn.plan._other_systems import Foreign
from krm_fn.plan._references import data_uses
from krm_fn.plan._selection import fits, is_edited, is_enabled, is_selected
from krm_fn.plan._settings import Subject, by_groups, resolved_for_each
from krm_fn.products.node_kinds import OF_CLASSES
from krm_fn.products.systems import field_kinds, system_kinds
from krm_fn.settings import ProxySettings, Resolved
from krm_fn.targets.class_plans import ClassPlans, class_plans

if TYPE_CHECKING:
    from krm_fn.targets.base import Target

__all__ = [
    "Foreign",
    "ObjectSource",
    "Overview",
    "PlannedEdit",
    "items_of_kinds",
    "needed",
    "plan_edits",
]

_CLASS_KINDS = ("Cluster", "ClusterClass")
_NAMES = (
    "HTTP_PROXY",
    "http_proxy",
    "HTTPS_PROXY",
    "https_proxy",
    "httpProxy",
    "httpsProxy",
    "HTTPProxy",
    "HTTPSProxy",
)


def plan_edits(source: ObjectSource, config: ProxyConfig, overview: Overview) -> list[PlannedEdit]:
    """Return all planned edits, in the order of the list and of the table of targets, then those of missing objects.

    All edits of an object share its data: what one target changes, the next one sees. The edits of ClusterClasses come
    last, because our patches depend on what the templates hold after all other edits.

    Args:
        source: the objects.
        config: the checked FunctionConfig.
        overview: what the run reports besides, to be filled.

    Raises:
        InputError: an item that concerns a target or a Cluster cannot be read.
    """
    reader = ItemReader(source)
    read = list(reader.of_kinds(clusters.kinds(_occurring(source))))
    read += reader.readable_of_kinds(system_kinds())
    topology = Topology(read)
    classes = class_plans(read, lambda obj: is_selected(obj, config), topology, config)
    uses = data_uses(reader, config)
    overview.take(read, classes, uses, config)
    del read  # so that memory is freed as items are taken
    enabled = EnabledTargets(config, uses)
    fields = field_kinds()
    known: ObjectIndex[None] = ObjectIndex()
    edits: list[PlannedEdit] = []
    new_objects: list[PlannedEdit] = []
    of_classes: list[PlannedEdit] = []
    for index in sorted(_concerned(source, config, enabled, fields)):
        targets, creators = enabled.of_item(source, index)
        is_patched = _may_patch(source, index, config, classes)
        names_proxy = _names_proxy(source, index, fields)
        if targets or creators or is_patched:
            objects = reader.take(index)
        else:
            objects = reader.readable(index) if names_proxy else []
        for obj in objects:
            known.add(identity(obj), None)
            _count(overview, obj, targets, config)
            if not is_selected(obj, config):
                continue
            subject = Subject.of(index, obj, topology, uses)
            if names_proxy:
                overview.naming.append((obj, subject.memberships))
            has_code = _has_code(source, index)
            is_whole = topology.is_whole(obj) and not classes.waits_for(obj)
            of_object = _edits(subject, targets, config, classes)
            edits += [edit._replace(has_code=has_code, is_whole=is_whole) for edit in of_object]
            if is_patched:
                by_class = _edits_by_class(subject, config, classes)
                of_classes += [edit._replace(has_code=has_code) for edit in by_class]
            new_objects += companions(subject, creators, config)
    new_objects += generated(topology, config)
    edits += lacking(new_objects, known, config, overview)
    overview.unreadable = list(reader.unreadable.values())
    return [*edits, *of_classes]


def needed(source: ObjectSource, config: ProxyConfig) -> Callable[[int], bool]:
    """Return a test for the index of an item: whether `plan_edits` reads it, and raises if it cannot be read."""
    of_clusters = clusters.kinds(_occurring(source))
    enabled = EnabledTargets(config, DataUses())

    def is_needed(index: int) -> bool:
        kinds = source.kinds(index)
        return not kinds or not of_clusters.isdisjoint(kinds) or any(enabled.of_item(source, index))

    return is_needed


def _occurring(source: ObjectSource) -> Iterator[str]:
    """Yield the kinds that occur in a list, judged by its text."""
    for kinds in source.by_kinds():
        yield from kinds


def _concerned(
    source: ObjectSource, config: ProxyConfig, enabled: EnabledTargets, fields: frozenset[str]
) -> set[int]:
    """Return the indexes of all items that a target could edit, that a class patches or that may set a proxy."""
    indexes = {*enabled.possible(source), *source.holding(_NAMES)}
    for kinds, of_kinds in source.by_kinds().items():
        may_patch = is_enabled(OF_CLASSES, config) and _may_be_of_class(kinds)
        if may_patch or not fields.isdisjoint(kinds):
            indexes.update(of_kinds)
    return indexes


def _names_proxy(source: ObjectSource, index: int, fields: frozenset[str]) -> bool:
    """Return whether an item may set a proxy, or may hold an object with a field for one."""
    return source.contains(index, _NAMES) or not fields.isdisjoint(source.kinds(index))


def _may_be_of_class(kinds: frozenset[str]) -> bool:
    return not (kinds and kinds.isdisjoint(_CLASS_KINDS))


def _may_patch(source: ObjectSource, index: int, config: ProxyConfig, classes: ClassPlans) -> bool:
    """Return whether an item may hold a ClusterClass or a Cluster of one that is edited, judged by its text."""
    if not (_may_be_of_class(source.kinds(index)) and is_enabled(OF_CLASSES, config)):
        return False
    return classes.is_on or bool(classes.words and source.contains(index, classes.words))


def _has_code(source: ObjectSource, index: int) -> bool:
    """Return whether code of ytt is in the text of an item."""
    text = source.text_for_ytt(index)
    if not text:
        return False
    from krm_fn.formats.ytt import has_code  # noqa: PLC0415 -- few manifests hold code of ytt

    return has_code(text)


def _count(overview: Overview, obj: Object, targets: Sequence[Target], config: ProxyConfig) -> None:
    """Count an object that could hold a proxy; objects in ``exclude`` count as selected: that is intended."""
    if not obj.is_local and any(is_edited(target, obj, config) for target in targets):
        overview.candidates += 1
        overview.selected += fits(obj, config.selector._replace(exclude=()))


def _edits(
    subject: Subject, targets: Sequence[Target], config: ProxyConfig, classes: ClassPlans
) -> Iterator[PlannedEdit]:
    """Yield the edits of one object, in the order of the table of targets."""
    obj = subject.obj
    concerned = [
        target
        for target in targets
        if is_edited(target, obj, config) and not classes.keeps(target.id, obj)
    ]
    for target, resolved in resolved_for_each(subject, concerned, config):
        sets_any = resolved.settings.sets_any
        notes = [classes.other_writer(target.id, obj)] if sets_any else []
        if classes.replaces(target.id, obj):
            blank = ProxySettings(cluster=resolved.settings.cluster, is_declared=resolved.declared)
            edit = subject.edit(target, Resolved(blank), config)
        else:
            edit = subject.edit(target, resolved, config)
        groups = by_groups(subject, target, edit.resolved, config, classes.topology)
        if groups:
            memberships, of_all, class_context = groups
            yield edit._replace(
                memberships=memberships, resolved=of_all, class_context=class_context
            )
            continue
        if edit.resolved.settings.sets_any:
            notes.insert(0, classes.lost(target.id, obj))
        yield edit._replace(notes=tuple(note for note in notes if note))


def _edits_by_class(
    subject: Subject, config: ProxyConfig, classes: ClassPlans
) -> Iterator[PlannedEdit]:
    """Yield the edit of a ClusterClass that gets or loses our patches, or of a Cluster of such a class."""
    about = classes.about(subject.obj)
    if about:
        memberships, resolved, class_context = about
        options = config.targets.get(OF_CLASSES, {})
        yield PlannedEdit(
            subject.item_index,
            subject.obj,
            OF_CLASSES,
            memberships,
            resolved,
            options,
            class_context=class_context,
        )
