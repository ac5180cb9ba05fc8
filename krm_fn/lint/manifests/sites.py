"""Where an object says something about a proxy, and what is known about its Clusters.

It brings objects, targets and Clusters together and judges nothing. Every target looks, also one
that the ProxyConfig switches off: what is in a manifest counts, whoever wrote it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from krm_fn import clusters, settings
from krm_fn.carriers import env_list, pod_spec
from krm_fn.carriers.env_list import OVERRIDE
from krm_fn.carriers.reading import Reading
from krm_fn.clusters import Cluster, Membership, Topology
from krm_fn.config import ProxyConfig
from krm_fn.formats import sops
from krm_fn.krm.resourcelist import Object
from krm_fn.lint.manifests.reading import Item
from krm_fn.lint.objects import Listing
from krm_fn.lint.seen import SeenObject, listing_of
from krm_fn.noproxy import Audience
from krm_fn.targets import TARGETS, Options
from krm_fn.targets.base import Target


def seen_objects(items: Sequence[Item], wanted: ProxyConfig) -> Iterator[SeenObject]:
    """Yield all places that set something, in the order of the documents and, in one object, of the table of targets.

    Args:
        items: the documents, Clusters among them.
        wanted: its ``clusterDefaults`` and its options of targets count.
    """
    topology = Topology(
        obj for item in items for obj in item.objects if obj.ref.kind in clusters.kinds()
    )
    for item in items:
        for obj in item.objects:
            for target, readings in _seen(obj, wanted):
                memberships = topology.of(obj)
                alone = None if memberships else topology.alone(obj)
                listing = _listing(target, obj, memberships, wanted, alone)
                yield SeenObject(obj, target, readings, listing, memberships)


def options_of(target: Target, wanted: ProxyConfig) -> Options:
    """Return the options with which a target looks at what is there, whoever wrote it.

    What waits until somebody asks for it, and what is kept for its author, is looked at, too.
    """
    return {**target.options(wanted.targets), "enabled": True, "conflict": OVERRIDE}


def _seen(obj: Object, wanted: ProxyConfig) -> Iterator[tuple[str, tuple[Reading, ...]]]:
    if sops.is_encrypted(obj.data):
        return
    known: set[tuple[str, ...]] = set()
    for name, target in TARGETS.items():
        options = options_of(target, wanted)
        if obj.group_kind in target.all_kinds(options):
            readings = tuple(target.read(obj.data, options))
            known |= {one.path for one in readings}
            if readings:
                yield name, readings
    if obj.group_kind in pod_spec.KINDS:
        others = tuple(
            one for one in env_list.read_all_containers(obj.data) if one.path not in known
        )
        if others:
            yield "", others


def _listing(
    target: str,
    obj: Object,
    memberships: tuple[Membership, ...],
    wanted: ProxyConfig,
    alone: Cluster | None,
) -> Listing:
    audience = Audience.POD
    if target:
        options = options_of(TARGETS[target], wanted)
        audience = TARGETS[target].readers(obj.data, options).audience
    resolved = settings.resolve(
        wanted, memberships, target=target, audience=audience, alone=alone, name=obj.base_name
    )
    return listing_of(obj, audience, resolved)
