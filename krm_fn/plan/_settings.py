"""The proxy that a target writes into an object, resolved for the readers that the target names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from krm_fn import settings
from krm_fn.carriers.cluster_variables import class_of
from krm_fn.carriers.data_uses import DataUses
from krm_fn.clusters import Cluster, Membership, Topology
from krm_fn.config import ProxyConfig
from krm_fn.krm.resourcelist import Object
from krm_fn.light_typing import TYPE_CHECKING
from krm_fn.noproxy import Readers
from krm_fn.settings import ProxySettings, Resolved
from krm_fn.targets import ClassContext, Reach
from krm_fn.targets.class_plans import ALL_NODES, ClassEdit

if TYPE_CHECKING:
    from krm_fn.targets.base import Target


def of_targets(  # noqa: PLR0913 -- one object and all that is known of it
    wanted: ProxyConfig,
    memberships: tuple[Membership, ...],
    targets: Iterable[Target],
    obj: Object,
    alone: Cluster | None,
    *,
    uses: DataUses,
) -> Iterator[tuple[Target, Resolved]]:
    """Yield each target of an object with the proxy that it writes there.

    Most targets of an object write the same one, which is resolved once. The arguments are those of ``resolved``.
    """
    known: dict[tuple[object, ...], Resolved] = {}
    for target in targets:
        readers = target.readers(obj.data, target.options(wanted.targets), uses)
        same = (target.reach, readers, *settings.differences(target.id, wanted, memberships))
        found = known.get(same)
        if found is None:
            known[same] = found = resolved(wanted, memberships, target, obj, alone, readers=readers)
        yield target, found


def resolved(  # noqa: PLR0913 -- one object and all that is known of it
    wanted: ProxyConfig,
    memberships: tuple[Membership, ...],
    target: Target,
    obj: Object,
    alone: Cluster | None = None,
    *,
    readers: Readers | None = None,
) -> Resolved:
    """Return the proxy that one target writes into an object.

    ``alone`` is that of ``settings.resolve``; ``readers`` are those of the target, where they are known already.
    """
    readers = readers or target.readers(obj.data, target.options(wanted.targets))
    if target.reach is Reach.ROLES:
        return settings.resolve_for_all_machines(
            wanted,
            memberships,
            target=target.id,
            audience=readers.audience,
            name=obj.base_name,
        )
    return settings.resolve(
        wanted,
        memberships,
        target=target.id,
        audience=readers,
        alone=alone,
        name=obj.base_name,
    )


def by_groups(
    wanted: ProxyConfig, topology: Topology, target: Target, obj: Object, whole: Resolved
) -> ClassEdit | None:
    """Return the nodes that a Cluster makes of a class, with their proxies, if an override distinguishes some.

    None where the target has no place for groups of workers; ``whole`` is what the object gets as a whole.
    """
    is_by_groups = target.reach is Reach.GROUPS and whole.unreachable_overrides
    if not is_by_groups or not class_of(obj.data) or topology.class_of(obj) is None:
        return None
    nodes = topology.nodes_of(obj)
    found = {
        where: settings.resolve(
            wanted, (node,), target=target.id, audience=target.audience, name=obj.base_name
        )
        for where, node in nodes.items()
    }
    of_all = found.pop(ALL_NODES)
    groups = {where: one.settings for where, one in found.items()}
    return tuple(nodes.values()), of_all, ClassContext(groups=groups)


def settings_of_rules(
    wanted: ProxyConfig, memberships: tuple[Membership, ...], target: Target, obj: Object
) -> Callable[[str], ProxySettings] | None:
    """Return what gives each rule of a policy its proxy, where overrides tell rules apart."""
    if not any(one.match.rules for one in wanted.overrides):
        return None

    def settings_of_rule(rule: str) -> ProxySettings:
        return settings.resolve(
            wanted,
            memberships,
            target=target.id,
            audience=target.audience,
            name=obj.base_name,
            rule=rule,
        ).settings

    return settings_of_rule
