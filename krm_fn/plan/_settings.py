"""The proxy that a target writes into an object, resolved for the readers that the target names."""

from __future__ import annotations

from collections.abc import Callable

from krm_fn import settings
from krm_fn.clusters import Membership
from krm_fn.config import ProxyConfig
from krm_fn.krm.resourcelist import Object
from krm_fn.noproxy import ClusterNetwork
from krm_fn.settings import ProxySettings, Resolved
from krm_fn.targets import Reach, Target


def resolved(
    wanted: ProxyConfig,
    memberships: tuple[Membership, ...],
    target: Target,
    obj: Object,
    alone: ClusterNetwork | None = None,
) -> Resolved:
    readers = target.readers(obj.data, target.options(wanted.targets))
    if target.reach is Reach.ROLES:
        return settings.resolve_for_all_machines(
            wanted, memberships, target=target.id, audience=readers.audience
        )
    return settings.resolve(
        wanted,
        memberships,
        target=target.id,
        audience=readers,
        alone=alone,
        name=obj.base_name,
    )


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
