"""The ConfigMaps from which a rule takes the value of a proxy variable, by a variable of its context.

Source: the chapter "External Data Sources" of the Kyverno documentation; a Policy reads the ConfigMaps of
its own namespace where it names none, a ClusterPolicy those of ``default``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from krm_fn.carriers.data_uses import DataKey, KeyOfData, namespace_of
from krm_fn.clusters import may_be_same
from krm_fn.krm.resourcelist import group_kind
from krm_fn.light_typing import Any
from krm_fn.targets.kyverno import policy_rules
from krm_fn.targets.kyverno.policy_value import ConfigMapKey, Unfillable, find_place

_POLICIES = frozenset({("kyverno.io", "ClusterPolicy"), ("kyverno.io", "Policy")})


def config_map_of(policy: Mapping[str, Any], source: ConfigMapKey) -> DataKey:
    """Return the ConfigMap that a rule of a policy reads."""
    own = namespace_of(policy) if policy.get("kind") == "Policy" else ""
    return "ConfigMap", source.namespace or own or "default", source.name


def keys_read(policy: Mapping[str, Any]) -> Iterator[KeyOfData]:
    """Yield the keys of ConfigMaps that the rules of a policy read; nothing for any other object.

    What a Policy reads in another namespace is not its own: its author may have no right to change it.
    """
    if group_kind(policy) not in _POLICIES:
        return
    for rule in policy_rules.rules(policy):
        if not isinstance(rule, policy_rules.PolicyRule):
            continue
        for slot in policy_rules.merge_slots(rule):
            place = find_place(slot)
            if isinstance(place, Unfillable) and place.source:
                key = config_map_of(policy, place.source)
                if policy.get("kind") != "Policy" or may_be_same(key[1], namespace_of(policy)):
                    yield key, place.source.key, slot.name.upper()
