"""Nodes for which no target writes a proxy: their system is another one, or their class or template is missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from krm_fn.clusters import Cluster, Membership, may_be_same
from krm_fn.config import ProxyConfig
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import ObjectRef, Result
from krm_fn.light_typing import NamedTuple
from krm_fn.lint.compared import Compared, unread_place
from krm_fn.patch import walk
from krm_fn.plan import Foreign, Overview
from krm_fn.plan.selection import is_enabled
from krm_fn.products.node_kinds import OF_CLASSES
from krm_fn.products.node_kinds import TARGETS as NODE_TARGETS
from krm_fn.products.systems import targets_of
from krm_fn.proxy_url import with_and_without_credentials
from krm_fn.settings import declared_urls


class _Lacking(NamedTuple):
    """Nodes for which no target writes a proxy.

    Attributes:
        obj: the object that says so, with the identity of its Cluster where that is in the list.
        memberships: its Clusters.
        targets: whose settings say whether these nodes are to have a proxy.
        why: why no target writes it, and what to do.
        name: the name of the object that makes the nodes, "" where it is not known.
        system: what they run, "" where that is a system of ours.
    """

    obj: Object
    memberships: Sequence[Membership]
    targets: Iterable[str]
    why: str
    name: str = ""
    system: str = ""


def nodes_without_proxy(
    overview: Overview,
    compared: Sequence[Compared],
    wanted: ProxyConfig,
    stale: set[ObjectRef],
) -> Iterator[Compared]:
    """Yield the nodes that get no proxy, each system of a Cluster once.

    Args:
        overview: what the plan has seen besides its places.
        compared: the records of the places of targets.
        wanted: the checked ProxyConfig.
        stale: the objects of which something else is said: they set another proxy.
    """
    written = set()
    for record in compared:
        if record.after and record.place.target_id not in ("", OF_CLASSES):
            written.add(record.obj.ref)
    right = with_and_without_credentials(wanted.proxy_urls)
    reported: set[object] = set()
    for foreign in overview.foreign:
        if foreign.is_own and (foreign.obj.ref in stale or _holds(foreign.obj, right)):
            owner = _owner(foreign.obj, foreign.cluster)
            reported.add((owner.ref, foreign.system.name))
    of_other_systems = _of_other_systems(overview.foreign, wanted)
    in_other_lists = _in_other_lists(overview, wanted, written)
    for lacking in (*of_other_systems, *in_other_lists):
        urls = _urls_of_nodes(lacking, wanted)
        key = (lacking.obj.ref, lacking.system or lacking.why)
        if urls and key not in reported:
            reported.add(key)
            result = Result.of("NodesWithoutProxy", lacking.why).about(lacking.obj.ref)
            place = unread_place(lacking.obj, lacking.memberships, urls)
            yield Compared(place, results=(result,), why_left=lacking.why)


def _owner(obj: Object, cluster: Cluster | None) -> Object:
    """Return an object with the identity of its Cluster where that is in the list, and in the same namespace."""
    if cluster is None or not cluster.is_listed:
        return obj
    if not may_be_same(obj.ref.namespace, cluster.namespace):
        return obj  # the only Cluster, or one of the same name
    return obj._replace(ref=cluster.ref)


def _of_other_systems(systems: Iterable[Foreign], wanted: ProxyConfig) -> Iterator[_Lacking]:
    for foreign in systems:
        system = foreign.system
        is_asked = bool(wanted.targets.given_for(system.target))
        if system.target and (is_asked or not system.waits):
            continue
        if system.waits:
            advice = f"set `spec.targets.{system.target}` to true before the cluster is created"
        elif system.place:
            advice = f"no target writes it: set the proxy yourself, in {system.place}"
        else:
            advice = f"it has no field for a proxy: {system.instead}"
        yield _Lacking(
            _owner(foreign.obj, foreign.cluster),
            [Membership(foreign.cluster)] if foreign.cluster else [],
            system.targets,
            f"its nodes run {system.name} ({foreign.kind}): {advice}",
            foreign.name,
            system.name,
        )


def _in_other_lists(
    overview: Overview, wanted: ProxyConfig, written: set[ObjectRef]
) -> Iterator[_Lacking]:
    """Yield the Clusters whose class or control plane, or a template of whose workers, is not in the list."""
    is_said = wanted.targets.given_for(OF_CLASSES) == "Patch"
    for obj, key, memberships in overview.missing:
        why = f'its {key.kind} "{key.name}" is not in the list: add it, or run this function where it is'
        if key.kind != "ClusterClass":
            owner = _owner(obj, memberships[0].cluster) if memberships else obj
            targets = targets_of(key.group, key.kind)
            yield _Lacking(owner, memberships, targets, why, key.name)
        elif not is_said and obj.ref not in written:  # a target writes into the Cluster itself
            yield _Lacking(obj, memberships, NODE_TARGETS, why)


def _holds(obj: Object, urls: Iterable[str]) -> bool:
    """Return whether an object holds one of some URLs in any text."""
    texts = [node for _, node in walk(obj.data) if isinstance(node, str)]
    text = "\n".join(texts)
    return any(url in text for url in urls)


def _urls_of_nodes(lacking: _Lacking, wanted: ProxyConfig) -> Sequence[str]:
    """Return the proxies that nodes are to have; none where the targets of their system are switched off."""
    for target in lacking.targets:
        if is_enabled(target, wanted):
            urls = declared_urls(wanted, lacking.memberships, target=target, name=lacking.name)
            if any(urls or ()):
                return urls or ()
    return ()
