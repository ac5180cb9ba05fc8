"""Nodes for which no target writes a proxy: their system is another one, or their class or template is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from krm_fn.clusters import Membership, may_be_same
from krm_fn.config import ProxyConfig
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import ObjectRef, Result
from krm_fn.plan import OtherNodes
from krm_fn.plan.record import ObjectRecord
from krm_fn.plan.selection import is_enabled
from krm_fn.products.node_kinds import OF_CLASSES
from krm_fn.products.node_kinds import TARGETS as NODE_TARGETS
from krm_fn.products.systems import targets_of
from krm_fn.settings import declared_urls


def nodes_without_proxy(
    other_nodes: Sequence[OtherNodes],
    records: Mapping[ObjectRef, ObjectRecord],
    config: ProxyConfig,
) -> Iterator[Result]:
    """Yield a warning for the nodes that get no proxy, each system of a Cluster once.

    Args:
        other_nodes: the nodes that the plan saw besides those of its places.
        records: identity of an object -> its record, which says whether it holds a proxy already.
        config: the checked ProxyConfig.
    """
    reported: set[object] = set()
    for nodes in other_nodes:
        record = records.get(nodes.obj.ref)
        if nodes.system and nodes.is_own and record and record.holds_proxy:
            reported.update((owner.ref, nodes.system.name) for owner, _ in _owners(nodes))
    for nodes in sorted(other_nodes, key=lambda nodes: nodes.system is None):
        record = records.get(nodes.obj.ref)
        is_written = record is not None and _is_written(record)
        why = why_without(nodes, config, is_written=is_written)
        for owner, memberships in _owners(nodes) if why else ():
            key = (owner.ref, nodes.system.name if nodes.system else why)
            if key not in reported and _gets_any(nodes, memberships, config):
                reported.add(key)
                yield Result.of("NodesWithoutProxy", why).about(owner.ref)


def why_without(nodes: OtherNodes, config: ProxyConfig, *, is_written: bool) -> str:
    """Return why no target writes the proxy of some nodes, and what to do; "" where one does.

    ``is_written``: a target writes the proxy into the Cluster itself.
    """
    key, system = nodes.key, nodes.system
    options = config.targets
    if system and not (system.target and (options.given_for(system.target) or not system.waits)):
        advice = f"it has no field for a proxy: {system.instead}"
        if system.waits:
            advice = f"set `spec.targets.{system.target}` to true before the cluster is created"
        elif system.place:
            advice = f"no target writes it: set the proxy yourself, in {system.place}"
        return f"its nodes run {system.name} ({key.kind}): {advice}"
    is_done = is_written or options.given_for(OF_CLASSES) == "Patch"
    if not nodes.is_missing or (key.kind == "ClusterClass" and is_done):
        return ""
    return (
        f'its {key.kind} "{key.name}" is not in the list: add it, or run this function where it is'
    )


def _is_written(record: ObjectRecord) -> bool:
    """Return whether a target writes into an object, other than by a class."""
    return any(
        target_record.after and target_record.is_asked and target_record.target_id != OF_CLASSES
        for target_record in record.targets
    )


def _owners(nodes: OtherNodes) -> list[tuple[Object, Sequence[Membership]]]:
    """Return the objects that are told of nodes: their Clusters, where these are in the list; else what names them."""
    obj = nodes.obj
    if nodes.key.kind == "ClusterClass" or not nodes.memberships:
        return [(obj, nodes.memberships)]
    owners: list[tuple[Object, Sequence[Membership]]] = []
    for membership in nodes.memberships:
        cluster = membership.cluster
        # Of another namespace it is the only Cluster, or one of the same name.
        if cluster.is_listed and may_be_same(obj.ref.namespace, cluster.namespace):
            owners.append((obj._replace(ref=cluster.ref), [membership]))
        else:
            owners.append((obj, [membership]))
    return owners


def _gets_any(nodes: OtherNodes, memberships: Sequence[Membership], config: ProxyConfig) -> bool:
    """Return whether nodes are to have a proxy; not where the targets of their system are switched off."""
    key = nodes.key
    targets, name = targets_of(key.group, key.kind), key.name
    if key.kind == "ClusterClass":
        targets, name = NODE_TARGETS, ""
    elif nodes.system:
        targets = nodes.system.targets
    for target in targets:
        if is_enabled(target, config):
            urls = declared_urls(config, memberships, target=target, name=name)
            if any(urls or ()):
                return True
    return False
