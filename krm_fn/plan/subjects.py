"""The proxy that a target writes into an object, resolved for the readers that the target names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from krm_fn import settings
from krm_fn.clusters import Cluster, Membership, Topology, class_name
from krm_fn.clusters.model import Memberships
from krm_fn.config import ProxyConfig
from krm_fn.config.target_options import REMOVED
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import Result
from krm_fn.light_typing import TYPE_CHECKING, NamedTuple
from krm_fn.noproxy import Readers
from krm_fn.places.provided import NO_USES, DataUses
from krm_fn.plan.record import TargetRecord
from krm_fn.products.cluster_api import Role
from krm_fn.settings import Resolved
from krm_fn.targets import ClassContext, Reach
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
