"""The proxy that a target writes into an object, resolved for its readers, and the objects that a run creates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from posixpath import dirname

from krm_fn import settings
from krm_fn.clusters import (
    Folders,
    Key,
    Membership,
    ObjectIndex,
    Topology,
    class_name,
    key_of,
    nearest,
)
from krm_fn.clusters.cluster import Memberships
from krm_fn.config import ProxyConfig
from krm_fn.config.proxy_config import REMOVED
from krm_fn.krm.resourcelist import NO_ITEM, Object, reference
from krm_fn.krm.results import Results
from krm_fn.light_typing import TYPE_CHECKING
from krm_fn.noproxy import Readers
from krm_fn.plan.items import fits, is_selected
from krm_fn.plan.kustomizations import Builds
from krm_fn.plan.record import ObjectRecord, Overview, TargetRecord
from krm_fn.products.cluster_api import Role
from krm_fn.settings import Resolved
from krm_fn.target_table import ROWS
from krm_fn.targets import ALL_NODES, ClassContext, ObjectProxy, Reach, load_target
from krm_fn.targets.created_objects import was_created

if TYPE_CHECKING:
    from krm_fn.targets.base import Target


def add_target(
    record: ObjectRecord,
    target: Target,
    object_proxy: ObjectProxy,
    config: ProxyConfig,
    notes: Results = (),
) -> None:
    """Add a target to the record of an object, for which it writes this proxy."""
    options = target.options(config.targets)
    resolved = object_proxy.resolved
    if REMOVED in options and (resolved.settings.sets_any or not resolved.declared):
        options = {name: value for name, value in options.items() if name != REMOVED}
    record.targets.append(TargetRecord(record, target, object_proxy, options, notes))


def resolved_for(
    record: ObjectRecord,
    target: Target,
    config: ProxyConfig,
    known: dict[tuple[object, ...], Resolved],
) -> Resolved:
    """Return the proxy that a target writes into an object.

    Most targets of an object write the same one, which is resolved once: ``known`` holds those of the others.
    """
    readers = target.readers(record.obj.data, target.options(config.targets), record.uses)
    cache_key = settings.cache_key(target.id, config, record.memberships)
    key = (readers, *cache_key)
    if key not in known:
        known[key] = _resolved(record, record.memberships, target, config, readers)
    return known[key]


def by_groups(
    record: ObjectRecord,
    target: Target,
    resolved: Resolved,
    config: ProxyConfig,
    topology: Topology,
) -> ObjectProxy:
    """Return the nodes of an object with their proxies; of a class, by groups if an override distinguishes some.

    Args:
        record: the object.
        target: it may have no place for groups of workers.
        resolved: the proxy of the object as a whole.
        config: the checked FunctionConfig.
        topology: the Clusters of the list.
    """
    obj = record.obj
    is_by_groups = target.reach is Reach.GROUPS and resolved.unreachable_overrides
    if not is_by_groups or not class_name(obj.data) or topology.class_of(obj) is None:
        return ObjectProxy(record.memberships, resolved)
    nodes = topology.nodes_of(obj)
    readers = Readers(target.audience)
    groups = {
        where: _resolved(record, (node,), target, config, readers) for where, node in nodes.items()
    }
    of_all = groups.pop(ALL_NODES)
    of_groups = {where: group.settings for where, group in groups.items()}
    return ObjectProxy(tuple(nodes.values()), of_all, ClassContext(groups=of_groups))


def _resolved(
    record: ObjectRecord,
    memberships: Memberships,
    target: Target,
    config: ProxyConfig,
    readers: Readers,
) -> Resolved:
    """Return the proxy of the nodes of an object that are these members of Clusters.

    The machines of all roles share one where the target has one place for them. Where none is declared for the Cluster,
    as with the flags of ``konvoy create cluster``, it is that of the workers, else that of the control plane. The
    lists of all that have the same proxy are united.
    """
    resolve = partial(
        settings.resolve,
        config,
        target=target.id,
        readers=readers,
        standalone=record.standalone,
        name=record.obj.base_name,
    )
    of_all = resolve(memberships)
    if target.reach is not Reach.ROLES or not of_all.unreachable_overrides:
        return of_all
    alike: list[Membership] = []
    urls = ("", "")
    first_role = None
    for role in (None, Role.WORKER, Role.CONTROL_PLANE):
        of_role = tuple(membership._replace(role=role) for membership in memberships)
        resolved = resolve(of_role)
        if any(resolved.urls) and not alike:
            urls = resolved.urls
            first_role = role
        if any(resolved.urls) and resolved.urls == urls:
            alike += of_role
    if not alike:
        return of_all
    return resolve(tuple(alike))._replace(of_role=first_role)


def companions(
    record: ObjectRecord, creators: Sequence[Target], config: ProxyConfig
) -> Iterator[ObjectRecord]:
    """Yield the objects to create beside an object, of the same Clusters and with the same proxy."""
    obj = record.obj
    for target in creators:
        if obj.group_kind not in ROWS[target.id].beside:
            continue
        options = target.options(config.targets)
        proxy = resolved_for(record, target, config, {}).settings
        for data in target.companions(obj.data, proxy, options):
            # An override may name the one or the other: the next run finds what is created in the list.
            created = _new_object(data, obj.ref.file_path)
            yield _new_record(record.item_index, created, record.memberships, target, config)


def generated(topology: Topology, config: ProxyConfig) -> Iterator[ObjectRecord]:
    """Yield the objects that the options of a target ask for, whatever is in the list."""
    for name in ROWS:  # a target without options can ask for none, so it is not imported
        if not (config.targets.is_on(name) and config.targets.names(name)):
            continue
        target = load_target(name)
        for data in target.generated(target.options(config.targets)):
            obj = _new_object(data)
            yield _new_record(NO_ITEM, obj, topology.of(obj), target, config)


def _new_record(
    item_index: int, obj: Object, memberships: Memberships, target: Target, config: ProxyConfig
) -> ObjectRecord:
    record = ObjectRecord(item_index, obj, memberships, is_new=True)
    object_proxy = ObjectProxy(memberships, resolved_for(record, target, config, {}))
    add_target(record, target, object_proxy, config)
    return record


def lacking(
    created: Sequence[ObjectRecord],
    known: ObjectIndex[None],
    folders: Folders,
    builds: Builds,
    overview: Overview,
) -> Iterator[ObjectRecord]:
    """Yield the records of the new objects that the list lacks and the selector includes, each once for a cluster.

    A build of kustomize gets each once that it needs. Elsewhere, one that is created for a folder without Clusters is
    not there for a folder with some, nor the other way round: a run over one of the two alone creates it.
    """

    def users(record: ObjectRecord) -> tuple[int, int]:
        key = identity(record.obj)
        return len(builds.needs(key)), folders.copies(key.file)

    names = {identity(record.obj).name for record in created}
    of_names = [key for key in known if key.name in names]
    built = {need for key in of_names for need in builds.needs(key)}
    new: dict[str | None, ObjectIndex[None]] = {}
    # Beside an object of the most builds, or clusters, first: then the fewest others lack it.
    for record in sorted(created, key=users, reverse=True):
        obj = record.obj
        key = identity(obj)
        needs = builds.needs(key)
        beside = new.setdefault(folders.cluster_folder(key.file), ObjectIndex(folders=folders))
        near = known.candidates(key)
        is_in_builds = bool(needs) and all(map(builds.needs, near))
        if not is_in_builds:
            near = nearest({*near, *beside.candidates(key)}, key.file)
            # Two that are equally near are for two clusters, and this one is for another.
            if len(near) == 1 or (near and not key.file):
                continue
        is_new = was_created(obj.data)  # else it is the ConfigMap that the ProxyConfig names
        if not needs.isdisjoint(built) or not (is_new or is_in_builds):
            # Kustomize builds no object twice.
            in_folder = key._replace(file=dirname(key.file) or ".")
            overview.not_built.update(dict.fromkeys(sorted(needs) or [in_folder], obj))
        elif is_new and is_selected(obj, overview.config):
            built |= needs
            beside.add(key, None)
            yield record
        else:
            is_excluded = fits(obj, overview.config.selector._replace(exclude=(), sources=()))
            is_asked = record.item_index == NO_ITEM and record.targets[0].is_asked
            if is_asked and not is_excluded:
                overview.not_generated.append(obj)
    for need in built.intersection(overview.not_built):
        del overview.not_built[need]


def identity(obj: Object) -> Key:
    """Return the key of an object, without the hash that a run added to its name."""
    return key_of(obj)._replace(name=obj.base_name)


def _new_object(data: dict[str, object], file: str = "") -> Object:
    """Return a new object, which belongs into a file; "" for any."""
    return Object((), data, reference(data)._replace(file_path=file))
