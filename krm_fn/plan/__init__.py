"""Which targets edit which objects of a list, and the proxy that each object gets.

It brings objects, targets, Clusters and settings together. An item that concerns no target and no
Cluster is never read, and none is read twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from krm_fn import clusters
from krm_fn.carriers.data_uses import DataUses
from krm_fn.clusters import ByKey, Membership, Topology
from krm_fn.config import ProxyConfig
from krm_fn.krm.resourcelist import Object
from krm_fn.light_typing import TYPE_CHECKING
from krm_fn.noproxy import INFRASTRUCTURE_ENDPOINT
from krm_fn.plan._created import companions, generated, identity, lacking, names_in_use
from krm_fn.plan._enabled import EnabledTargets
from krm_fn.plan._items import ItemReader, items_of_kinds
from krm_fn.plan._model import CodeInText, ObjectSource, Overview, PlannedEdit
from krm_fn.plan._references import data_uses
from krm_fn.plan._selection import fits, is_edited, is_enabled, is_selected
from krm_fn.plan._settings import by_groups, of_targets, settings_of_rules
from krm_fn.products.node_kinds import OF_CLASSES
from krm_fn.settings import ProxySettings, Resolved
from krm_fn.targets.class_plans import ClassPlans, class_plans

if TYPE_CHECKING:
    from krm_fn.targets.base import Target

__all__ = ["ObjectSource", "Overview", "PlannedEdit", "items_of_kinds", "needed", "plan_edits"]

_OF_CLASSES = ("Cluster", "ClusterClass")
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


def plan_edits(
    source: ObjectSource, wanted: ProxyConfig, overview: Overview | None = None
) -> Iterator[PlannedEdit]:
    """Yield all planned edits, in the order of the list and of the table of targets, then those of missing objects.

    All edits of an object share its data: what one target changes, the next one sees. The edits of ClusterClasses come
    last, because our patches depend on what the templates hold after all other edits.

    Args:
        source: the objects.
        wanted: the checked FunctionConfig.
        overview: what the run reports besides, to be filled; None if the caller does not need it.

    Raises:
        InputError: an item that concerns a target or a Cluster cannot be read.
    """
    reader = ItemReader(source)
    kinds = clusters.kinds(credentials=wanted.derives(INFRASTRUCTURE_ENDPOINT))
    read = list(reader.of_kinds(kinds))
    if overview is not None:
        read += reader.readable_of_kinds(clusters.system_kinds())
    topology = Topology(read)
    classes = class_plans(read, lambda obj: is_selected(obj, wanted), topology, wanted)
    uses = data_uses(reader, wanted)
    if overview is not None:
        overview.take(read, classes, uses, wanted)
    del read  # so that memory is freed as items are taken
    new = list(generated(topology, wanted))
    in_use = names_in_use(reader, wanted, new)
    enabled = EnabledTargets(wanted, uses)
    known: ByKey[None] = ByKey()
    beside: list[PlannedEdit] = []
    of_classes: list[PlannedEdit] = []
    fields = clusters.field_kinds()
    for index in sorted(_concerned(source, wanted, enabled, fields)):
        targets, creators = enabled.of_item(source, index)
        is_patched = _may_patch(source, index, wanted, classes)
        is_wanted = bool(targets or creators or is_patched)
        names_proxy = overview is not None and _names_proxy(source, index, fields)
        if not is_wanted and not names_proxy:
            continue
        for obj in reader.take(index) if is_wanted else reader.readable(index):
            is_chosen = is_selected(obj, wanted)
            memberships = topology.of(obj)
            if overview is not None:
                _count(overview, obj, targets, wanted)
                overview.naming += [(obj, memberships)] if names_proxy and is_chosen else []
            if not is_wanted:
                continue
            known.add(identity(obj), None)
            if not is_chosen:
                continue
            code = _code(source, index, obj)
            is_whole = topology.is_whole(obj) and not classes.waits_for(obj)
            for edit in _edits(
                index, obj, targets, wanted, classes, memberships=memberships, uses=uses
            ):
                yield edit._replace(names_in_use=in_use, code=code, is_whole=is_whole)
            if is_patched:
                by_class = _edits_by_class(index, obj, wanted, classes)
                of_classes += [edit._replace(code=code) for edit in by_class]
            beside += companions(index, obj, creators, topology, wanted)
    yield from lacking([*beside, *new], known, wanted, overview)
    if overview is not None:
        overview.unreadable = list(reader.unreadable.values())
    yield from of_classes


def _concerned(
    source: ObjectSource, wanted: ProxyConfig, enabled: EnabledTargets, fields: frozenset[str]
) -> set[int]:
    """Return the indexes of all items that a target could edit, that a class patches or that may set a proxy."""
    found = {*enabled.possible(source), *source.holding(_NAMES)}
    for kinds, indexes in source.by_kinds().items():
        may_patch = is_enabled(OF_CLASSES, wanted) and _may_be_of_class(kinds)
        if may_patch or not fields.isdisjoint(kinds):
            found.update(indexes)
    return found


def needed(source: ObjectSource, wanted: ProxyConfig) -> Callable[[int], bool]:
    """Return what says of the index of an item whether `plan_edits` reads it, and raises where it cannot be read."""
    of_clusters = clusters.kinds(credentials=wanted.derives(INFRASTRUCTURE_ENDPOINT))
    enabled = EnabledTargets(wanted, DataUses())

    def is_needed(index: int) -> bool:
        kinds = source.kinds(index)
        return not kinds or not of_clusters.isdisjoint(kinds) or any(enabled.of_item(source, index))

    return is_needed


def _count(overview: Overview, obj: Object, targets: Sequence[Target], wanted: ProxyConfig) -> None:
    """Count an object that could hold a proxy; objects in ``exclude`` count as selected: that is intended."""
    if not obj.is_local and any(is_edited(target, obj, wanted) for target in targets):
        overview.candidates += 1
        overview.selected += fits(obj, wanted.selector._replace(exclude=()))


def _edits(  # noqa: PLR0913 -- one object and all that is known of it
    index: int,
    obj: Object,
    targets: Sequence[Target],
    wanted: ProxyConfig,
    classes: ClassPlans,
    *,
    memberships: tuple[Membership, ...],
    uses: DataUses,
) -> Iterator[PlannedEdit]:
    """Yield the edits of one object, in the order of the table of targets."""
    concerned = [
        target
        for target in targets
        if is_edited(target, obj, wanted) and not classes.keeps(target.id, obj)
    ]
    topology = classes.topology
    alone = topology.alone(obj) if concerned and not memberships else None
    for target, whole in of_targets(wanted, memberships, concerned, obj, alone, uses=uses):
        found = whole
        options = target.options(wanted.targets)
        other = classes.other_writer(target.id, obj) if found.settings.sets_any else None
        if classes.replaces(target.id, obj):
            found = Resolved(
                ProxySettings(cluster=found.settings.cluster, is_declared=found.declared)
            )
        of_nodes = by_groups(wanted, topology, target, obj, found)
        if of_nodes:
            nodes, of_all, class_context = of_nodes
            yield PlannedEdit(
                index,
                obj,
                target.id,
                nodes,
                of_all,
                options,
                class_context=class_context,
                uses=uses,
            )
            continue
        lost = classes.lost(target.id, obj) if found.settings.sets_any else None
        yield PlannedEdit(
            index,
            obj,
            target.id,
            memberships,
            found,
            options,
            notes=tuple(note for note in (lost, other) if note),
            settings_of_rule=settings_of_rules(wanted, memberships, target, obj),
            uses=uses,
        )


def _edits_by_class(
    index: int, obj: Object, wanted: ProxyConfig, classes: ClassPlans
) -> Iterator[PlannedEdit]:
    """Yield the edit of a ClusterClass that gets or loses our patches, or of a Cluster of such a class."""
    about = classes.about(obj)
    if about:
        memberships, found, class_context = about
        options = wanted.targets.get(OF_CLASSES, {})
        yield PlannedEdit(
            index, obj, OF_CLASSES, memberships, found, options, class_context=class_context
        )


def _names_proxy(source: ObjectSource, index: int, fields: frozenset[str]) -> bool:
    """Return whether an item may set a proxy, or may hold an object with a field for one."""
    return source.contains(index, _NAMES) or not fields.isdisjoint(source.kinds(index))


def _code(source: ObjectSource, index: int, obj: Object) -> CodeInText | None:
    """Return the code of ytt in the text of an object; None where there is none."""
    for_ytt = source.text_for_ytt(index)
    if for_ytt is None:
        return None
    text, path, above = for_ytt
    from krm_fn.formats.ytt import YttManifest  # noqa: PLC0415 -- few manifests hold code of ytt

    return YttManifest(text, (*path, *obj.path), above)


def _may_be_of_class(kinds: frozenset[str]) -> bool:
    return not (kinds and kinds.isdisjoint(_OF_CLASSES))


def _may_patch(source: ObjectSource, index: int, wanted: ProxyConfig, classes: ClassPlans) -> bool:
    """Return whether an item may hold a ClusterClass or a Cluster of one that is edited, judged by its text."""
    if not (_may_be_of_class(source.kinds(index)) and is_enabled(OF_CLASSES, wanted)):
        return False
    return classes.is_on or bool(classes.words and source.contains(index, classes.words))
