"""The proxy that a target writes into an object, resolved for its readers, and the objects that a run creates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from krm_fn import settings
from krm_fn.clusters import (
    Cluster,
    Folders,
    Key,
    Membership,
    ObjectIndex,
    Topology,
    class_name,
    key_of,
)
from krm_fn.clusters.cluster import Memberships
from krm_fn.config import ProxyConfig
from krm_fn.config.proxy_config import REMOVED
from krm_fn.krm.resourcelist import NO_ITEM, Object, reference
from krm_fn.krm.results import Result
from krm_fn.light_typing import TYPE_CHECKING, NamedTuple
from krm_fn.noproxy import Readers
from krm_fn.places.provided import NO_USES, DataUses
from krm_fn.plan.items import fits, is_enabled, is_selected
from krm_fn.plan.overview import Overview
from krm_fn.plan.record import ObjectRecord, TargetRecord
from krm_fn.products.cluster_api import Role
from krm_fn.settings import Resolved
from krm_fn.target_table import ROWS
from krm_fn.targets import TARGETS, ClassContext, Reach
from krm_fn.targets.context import ALL_NODES, ClassEdit

if TYPE_CHECKING:
    from krm_fn.targets.base import Target


class Subject(NamedTuple):
    """An object of the list and what is known of it.

    Attributes:
        item_index: the number of its item in the list.
        obj: the object.
        memberships: the Clusters that it belongs to.
        standalone: the Cluster that it is, or makes, if no other is known.
        uses: the ConfigMaps and Secrets of the list that others read as a proxy.
        is_whole: whether it is known to be no patch.
        has_code: code of ytt is in its text, so nothing is written into it.
    """

    item_index: int
    obj: Object
    memberships: Memberships
    standalone: Cluster | None = None
    uses: DataUses = NO_USES
    is_whole: bool = False
    has_code: bool = False

    def record_for(
        self,
        target: Target,
        resolved: Resolved,
        config: ProxyConfig,
        *,
        class_context: ClassContext | None = None,
        notes: Iterable[Result] = (),
    ) -> TargetRecord:
        """Return the record of a target that writes this proxy."""
        options = target.options(config.targets)
        if REMOVED in options and (resolved.settings.sets_any or not resolved.declared):
            options = {name: value for name, value in options.items() if name != REMOVED}
        return TargetRecord(
            self.item_index,
            self.obj,
            target.id,
            self.memberships,
            resolved,
            options,
            class_context=class_context,
            notes=tuple(notes),
            uses=self.uses,
            is_whole=self.is_whole,
            has_code=self.has_code,
        )

    def record_by_class(self, target: Target, edit: ClassEdit, config: ProxyConfig) -> TargetRecord:
        """Return the record of a target that writes the proxies of the nodes of a class."""
        nodes = self._replace(memberships=edit.memberships)
        return nodes.record_for(target, edit.resolved, config, class_context=edit.context)


def resolved_for_each(
    subject: Subject, targets: Iterable[Target], config: ProxyConfig
) -> Iterator[tuple[Target, Resolved]]:
    """Yield each target of an object with the proxy that it writes there.

    Most targets of an object write the same one, which is resolved once.
    """
    known: dict[tuple[object, ...], Resolved] = {}
    for target in targets:
        readers = _readers(subject, target, config)
        cache_key = settings.cache_key(target.id, config, subject.memberships)
        key = (readers, *cache_key)
        if key not in known:
            known[key] = _resolved(subject, target, config, readers)
        yield target, known[key]


def resolved_for(subject: Subject, target: Target, config: ProxyConfig) -> Resolved:
    """Return the proxy that one target writes into an object."""
    return _resolved(subject, target, config, _readers(subject, target, config))


def by_groups(
    subject: Subject, target: Target, resolved: Resolved, config: ProxyConfig, topology: Topology
) -> ClassEdit | None:
    """Return the nodes that a Cluster makes of a class, with their proxies, if an override distinguishes some.

    None if the target has no place for groups of workers; ``resolved`` is the proxy of the object as a whole.
    """
    obj = subject.obj
    is_by_groups = target.reach is Reach.GROUPS and resolved.unreachable_overrides
    if not is_by_groups or not class_name(obj.data):
        return None
    if topology.class_of(obj) is None:
        return None
    nodes = topology.nodes_of(obj)
    readers = Readers(target.audience)
    groups = {
        where: _resolved(subject._replace(memberships=(node,)), target, config, readers)
        for where, node in nodes.items()
    }
    of_all = groups.pop(ALL_NODES)
    of_groups = {where: group.settings for where, group in groups.items()}
    return ClassEdit(tuple(nodes.values()), of_all, ClassContext(groups=of_groups))


def _readers(subject: Subject, target: Target, config: ProxyConfig) -> Readers:
    options = target.options(config.targets)
    return target.readers(subject.obj.data, options, subject.uses)


def _resolved(subject: Subject, target: Target, config: ProxyConfig, readers: Readers) -> Resolved:
    resolved = _of_nodes(subject, target, config, readers)
    if target.reach is Reach.ROLES and resolved.unreachable_overrides:
        return _of_all_machines(subject, target, config, readers) or resolved
    return resolved


def _of_all_machines(
    subject: Subject, target: Target, config: ProxyConfig, readers: Readers
) -> Resolved | None:
    """Return the one proxy of the machines of all roles; None where none is declared for any of them.

    Where none is declared for the Cluster, as with the flags of ``konvoy create cluster``, it is that of the workers,
    else that of the control plane. The lists of all that have the same proxy are united.
    """
    alike: list[Membership] = []
    urls = ("", "")
    first_role: Role | None = None
    for role in (None, Role.WORKER, Role.CONTROL_PLANE):
        of_role = tuple(membership._replace(role=role) for membership in subject.memberships)
        resolved = _of_nodes(subject._replace(memberships=of_role), target, config, readers)
        if any(resolved.urls) and not alike:
            urls, first_role = resolved.urls, role
        if any(resolved.urls) and resolved.urls == urls:
            alike += of_role
    if not alike:
        return None
    machines = subject._replace(memberships=tuple(alike))
    return _of_nodes(machines, target, config, readers)._replace(of_role=first_role)


def _of_nodes(subject: Subject, target: Target, config: ProxyConfig, readers: Readers) -> Resolved:
    return settings.resolve(
        config,
        subject.memberships,
        target=target.id,
        readers=readers,
        standalone=subject.standalone,
        name=subject.obj.base_name,
    )


def companions(
    subject: Subject, creators: Sequence[Target], config: ProxyConfig
) -> Iterator[TargetRecord]:
    """Yield the objects to create beside an object, of the same Clusters and with the same proxy."""
    obj = subject.obj
    beside = Subject(subject.item_index, obj, subject.memberships)
    for target in creators:
        if obj.group_kind not in ROWS[target.id].beside:
            continue
        options = target.options(config.targets)
        proxy = resolved_for(beside, target, config).settings
        for data in target.companions(obj.data, proxy, options):
            created = beside._replace(obj=_new_object(data, obj.ref.file_path))
            # An override may name the one or the other: the next run finds what is created in the list.
            resolved = resolved_for(created, target, config)
            yield created.record_for(target, resolved, config)._replace(is_new=True)


def generated(topology: Topology, config: ProxyConfig) -> Iterator[TargetRecord]:
    """Yield the objects that the options of a target ask for, whatever is in the list."""
    for name in ROWS:  # a target without options can ask for none, so it is not imported
        if not (is_enabled(name, config) and config.targets.names(name)):
            continue
        target = TARGETS[name]
        for data in target.generated(target.options(config.targets)):
            created = _new_object(data)
            subject = Subject(NO_ITEM, created, topology.of(created))
            resolved = resolved_for(subject, target, config)
            yield subject.record_for(target, resolved, config)._replace(is_new=True)


def lacking(
    created: Sequence[TargetRecord],
    known: ObjectIndex[None],
    folders: Folders,
    config: ProxyConfig,
    overview: Overview,
) -> Iterator[ObjectRecord]:
    """Yield the records of the new objects that the list lacks and the selector includes, each once for a cluster.

    One that is created for a folder without Clusters is not there for a folder with some, nor the other way round: a
    run over one of the two alone creates it.
    """
    new: dict[str | None, ObjectIndex[None]] = {}
    for target_record in created:
        obj = target_record.obj
        key = identity(obj)
        beside = new.setdefault(folders.cluster_folder(key.file), ObjectIndex(folders=folders))
        if known.candidates(key) or beside.candidates(key):
            continue
        if is_selected(obj, config):
            beside.add(key, None)
            index, memberships = target_record.item_index, target_record.memberships
            yield ObjectRecord(index, obj, memberships, [target_record])
            continue
        is_excluded = fits(obj, config.selector._replace(exclude=()))
        if target_record.item_index == NO_ITEM and target_record.is_asked and not is_excluded:
            overview.not_generated.append(obj)


def identity(obj: Object) -> Key:
    """Return the key of an object, without the hash that a run added to its name."""
    return key_of(obj)._replace(name=obj.base_name)


def _new_object(data: dict[str, object], file: str = "") -> Object:
    """Return a new object, which belongs into a file; "" for any."""
    return Object((), data, reference(data)._replace(file_path=file))
