"""What one object declares about the network of its Cluster.

One object at a time; to which Cluster it belongs is not known here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from krm_fn.clusters.kinds import (
    CLUSTER,
    CLUSTER_FIELDS,
    CLUSTERS_ALONE,
    HOSTS,
    INFRASTRUCTURE,
    OF_NODES,
    POOLS,
    SECRET,
    ClusterAlone,
    Fields,
)
from krm_fn.clusters.mirrors import mirror_hosts
from krm_fn.clusters.pools import networks_of
from krm_fn.clusters.reading import (
    cidrs,
    host,
    is_covered,
    pattern,
    url_host,
    values,
    word,
)
from krm_fn.krm.resourcelist import Object
from krm_fn.noproxy import ClusterNetwork, Fact, InvalidField
from krm_fn.noproxy.entries import is_template
from krm_fn.patch import Pointer, lookup
from krm_fn.products import konvoy
from krm_fn.products.node_kinds import NODE_KINDS

_Read = Callable[[object], str | tuple[str, ...]]
"""Returns what a value says, or nothing ("", an empty tuple) where it does not say it."""


def declared(obj: Object) -> ClusterNetwork:
    """Read what one object says about the network of its Cluster; nothing for a kind that says none.

    Those are a Cluster (of Cluster API, or one of ``CLUSTERS_ALONE``), its infrastructure (or the template of that), a
    configuration of nodes, a pool of addresses, and a Secret with credentials of OpenStack.
    """
    group, kind = obj.group_kind
    if (group, kind) == CLUSTER:
        return _read_fields(obj, CLUSTER_FIELDS, ("spec",))
    if (group, kind) in CLUSTERS_ALONE:
        alone = CLUSTERS_ALONE[group, kind]
        found = _read_fields(obj, alone.fields, ())
        return found._replace(infrastructure=_infrastructure_of(obj, alone))
    if (group, kind) == konvoy.INVENTORY:
        return ClusterNetwork(networks=_facts(obj, [HOSTS], host))
    if (group, kind) in POOLS:
        return ClusterNetwork(networks=_without_subnets(_facts(obj, [("spec",)], networks_of)))
    if (group, kind) == SECRET:
        from krm_fn.clusters.clouds import keystone_hosts  # noqa: PLC0415 -- most lists need none

        return ClusterNetwork(infrastructure_hosts=_facts(obj, [()], keystone_hosts))
    if node_kind := NODE_KINDS.get((group, kind)):
        mirrors = _facts(obj, [("*",)], mirror_hosts, node_kind.files)
        found = _read_fields(obj, OF_NODES[node_kind.system.name], node_kind.path)
        return found._replace(mirrors=mirrors)
    base = kind.removesuffix("Template")
    if base not in INFRASTRUCTURE:
        return ClusterNetwork()
    spec = ("spec",) if kind == base else ("spec", "template", "spec")
    return _read_fields(obj, INFRASTRUCTURE[base], spec)


def sets_services(obj: Object) -> bool:
    """Return whether a Cluster or a configuration of nodes sets the network of services, in any form.

    ``${SERVICE_CIDR:=["10.128.0.0/12"]}`` in the place of the list is no fact, but no silence either.
    """
    kind = obj.group_kind
    if kind == CLUSTER:
        return bool(lookup(obj.data, pattern("spec.clusterNetwork.services.cidrBlocks")))
    node_kind = NODE_KINDS.get(kind)
    if node_kind is None or not node_kind.system.network.service_cidrs:
        return False
    path = pattern(node_kind.system.network.service_cidrs)
    return bool(lookup(obj.data, (*node_kind.path, *path)))


def merge(sources: Iterable[ClusterNetwork]) -> ClusterNetwork:
    """Return the union of several sources: of each fact the first value.

    Networks, mirrors and hosts of all of them.
    """
    whole = ClusterNetwork()
    for source in sources:
        whole = whole.completed_by(source)._replace(
            networks=_without_subnets((*whole.networks, *source.networks)),
            mirrors=distinct((*whole.mirrors, *source.mirrors)),
            invalid=tuple(dict.fromkeys((*whole.invalid, *source.invalid))),
            hosts=distinct((*whole.hosts, *source.hosts)),
            infrastructure_hosts=distinct(
                (*whole.infrastructure_hosts, *source.infrastructure_hosts)
            ),
        )
    return whole


def distinct(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """Return the facts without those whose value an earlier fact has."""
    first: dict[str, Fact] = {}
    for fact in facts:
        first.setdefault(fact.value, fact)
    return tuple(first.values())


def _read_fields(obj: Object, fields: Fields, start: Pointer) -> ClusterNetwork:
    """Return what an object says in ``fields``, whose patterns begin at ``start``."""

    def facts(patterns: tuple[Pointer, ...], read: _Read) -> tuple[Fact, ...]:
        return _facts(obj, patterns, read, start) if patterns else ()

    networks = (*facts(fields.networks, cidrs), *facts(fields.pools, networks_of))
    return ClusterNetwork(
        pod_cidrs=facts(fields.pod_cidrs, cidrs),
        service_cidrs=facts(fields.service_cidrs, cidrs),
        service_domain=_first(facts(fields.service_domain, host)),
        endpoint=_first(facts(fields.endpoint, host)),
        region=_first(facts(fields.region, word)),
        networks=_without_subnets(networks),
        hosts=facts(fields.hosts, url_host),
        infrastructure_hosts=facts(fields.infrastructure_hosts, url_host),
        invalid=tuple(_invalid_fields(obj, fields, start)),
    )


def _infrastructure_of(obj: Object, alone: ClusterAlone) -> Fact | None:
    """Return on which infrastructure a cluster outside of Cluster API is, as a kind of Cluster API."""
    for path, value in values(obj.data, alone.clouds):
        names = value if isinstance(value, (dict, list)) else [value]
        for name in names:
            kind = alone.kind_of_cloud.get(str(name)) or alone.kind_of_cloud.get("")
            if kind:
                return Fact(kind, obj.ref, path)
    return None


def _facts(
    obj: Object, patterns: Iterable[Pointer], read: _Read, start: Pointer = ()
) -> tuple[Fact, ...]:
    """Return what ``read`` makes of the values at some patterns, which begin at ``start``; of equal ones the first."""
    data = lookup(obj.data, start)
    found: list[Fact] = []
    for wanted in patterns:
        for path, value in values(data, wanted, start):
            answer = read(value)
            texts = (answer,) if isinstance(answer, str) else answer
            found += [Fact(text, obj.ref, path) for text in texts if text]
    return distinct(found)


def _first(facts: tuple[Fact, ...]) -> Fact | None:
    return facts[0] if facts else None


def _without_subnets(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """Return the facts without a CIDR that another one covers: a subnet adds nothing to its VPC."""
    kept: list[Fact] = []
    for fact in facts:
        if not any(is_covered(fact.value, other.value) for other in kept):
            kept = [other for other in kept if not is_covered(other.value, fact.value)]
            kept.append(fact)
    return tuple(kept)


def _invalid_fields(obj: Object, fields: Fields, start: Pointer) -> Iterator[InvalidField]:
    """Yield the fields that hold something else than the CIDRs or the endpoint that they should hold."""
    data = lookup(obj.data, start)
    for name, patterns, is_invalid in (
        ("podCIDRs", fields.pod_cidrs, _is_no_cidrs),
        ("serviceCIDRs", fields.service_cidrs, _is_no_cidrs),
        ("endpoint", fields.endpoint, _is_no_host),
        ("networks", fields.networks, _is_no_cidrs),
    ):
        for wanted in patterns:
            for path, value in values(data, wanted, start):
                if is_invalid(value):
                    yield InvalidField(name, obj.ref, path)
            if wanted[-1] != "*":
                continue
            for path, value in values(data, wanted[:-1], start):
                is_list = isinstance(value, (list, dict))
                if not is_list and not _says_nothing(value):
                    yield InvalidField(name, obj.ref, path)


def _is_no_cidrs(value: object) -> bool:
    """Whether a value holds something else than a CIDR, or than CIDRs with commas between them."""
    if _says_nothing(value):
        return False
    parts = value.split(",") if isinstance(value, str) else [value]
    return any(not cidrs(part) and not _says_nothing(part) for part in parts)


def _is_no_host(value: object) -> bool:
    return not host(value) and not _says_nothing(value)


def _says_nothing(value: object) -> bool:
    """Whether a value is empty, holds every address, or is filled in by a later step."""
    if isinstance(value, str):
        address = value.strip().removesuffix("/0")
        return address in ("", "::") or not address.strip("0.") or is_template(value)
    return not value
