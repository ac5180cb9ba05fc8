"""Notes about how the proxy of an object was resolved.

Texts only; nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from krm_fn.clusters import Membership, Role
from krm_fn.krm.results import Finding, Severity
from krm_fn.settings._model import Resolved
from krm_fn.settings._network import Missing, cluster_name

_FEW = 2
"""So many switches are named one by one."""


def notes(resolved: Resolved, memberships: Sequence[Membership]) -> Iterator[Finding]:
    """Yield what there is to report about ``resolved``, the proxy of an object of these ``memberships``."""
    if resolved.conflicts:
        places = " and ".join(resolved.conflicts)
        yield Finding(
            Severity.ERROR,
            f"is shared by {places}, which need different proxies: give each an object of its own, or leave "
            "this one out with `spec.selector.exclude`",
            code="SharedProxiesDiffer",
        )
    if resolved.overruled:
        places = " and ".join(resolved.overruled)
        yield Finding(
            Severity.WARNING,
            f"holds the proxy of the Clusters in the namespace of their ClusterClass; {places} of another namespace "
            "should have another proxy: make it of a class of its own, or set "
            "`spec.targets.clusterClass.sharedTemplates: Patch`",
            code="ClassOfOtherNamespace",
        )
    if not any((resolved.settings.http_proxy, resolved.settings.https_proxy)):
        return
    if resolved.of_role is not None:
        named = {Role.WORKER: "workers", Role.CONTROL_PLANE: "control plane"}[resolved.of_role]
        yield Finding(
            Severity.INFO,
            f"takes the proxy of the {named}, because the machines of all roles share this object and nothing declares "
            "a proxy for the Cluster as a whole",
            code="ProxyOfRole",
        )
    if len(memberships) > 1:
        yield from _shared(memberships)
    yield from _unsure([membership for membership in memberships if not membership.sure])
    nodes = [one for one in resolved.missing if one.is_about_nodes]
    others = [one for one in resolved.missing if not one.is_about_nodes]
    for missing in (others, nodes):  # apart, because few targets write what calls nodes
        if missing:
            yield Finding(
                Severity.WARNING,
                _lack(missing, memberships),
                code="NP038",
                clusters=tuple(dict.fromkeys(one.cluster for one in missing if one.cluster)),
                fact=_fact(missing, memberships),
            )


def _shared(memberships: Sequence[Membership]) -> Iterator[Finding]:
    """Yield which Clusters share an object, and a warning for each that several files have.

    Of these files none is the nearest to the object.
    """
    names = dict.fromkeys(f"`{cluster_name(membership.cluster)}`" for membership in memberships)
    if len(names) > 1:
        yield Finding(
            Severity.INFO,
            f"is shared by {', '.join(names)}: `NO_PROXY` holds what each of them needs",
            code="SharedByClusters",
        )
    files: dict[str, dict[str, None]] = {}
    for membership in memberships:
        cluster = membership.cluster
        if cluster.is_listed:
            files.setdefault(cluster_name(cluster), {})[cluster.ref.file_path] = None
    for name, found in files.items():
        if len(found) > 1:
            some = " and ".join(list(found)[:_FEW])
            more = f" and {len(found) - _FEW} more files" if len(found) > _FEW else ""
            message = (
                f"belongs to `{name}`, which is in {some}{more}, each time with another network: `NO_PROXY` holds what "
                "all of them need. Put it into the file of its Cluster, or run this function for each of them by itself"
            )
            yield Finding(Severity.WARNING, message, code="ClusterNameTaken")


def _unsure(memberships: Sequence[Membership]) -> Iterator[Finding]:
    """Yield a warning for each name that several Clusters have, which an object may all mean."""
    namesakes: dict[str, list[Membership]] = {}
    for membership in memberships:
        namesakes.setdefault(membership.cluster.name, []).append(membership)
    for found in namesakes.values():
        called = dict.fromkeys(f"`{cluster_name(membership.cluster)}`" for membership in found)
        message = (
            f"belongs to {' and to '.join(called)} only because of {found[0].how}: say which one is meant by the "
            "namespace of the object, or by the annotation `cluster.x-k8s.io/cluster-namespace`"
        )
        yield Finding(Severity.WARNING, message, code="NP039")


def _lack(missing: Sequence[Missing], memberships: Sequence[Membership]) -> str:
    """Return what no object declares, where to declare it, and how to say that it is not needed."""
    absent = _absent(memberships)
    known = "" if missing[0].cluster else "belongs to no known Cluster, and "
    if absent:
        known = f"belongs to {' and '.join(absent)}, not in the list, and "
    invalid = list(dict.fromkeys(field.place for one in missing for field in one.invalid))
    if invalid:
        verb = "hold" if len(invalid) > 1 else "holds"
        known = f"{known}{' and '.join(invalid)} {verb} no valid value, so "
    lacks = ", ".join(map(str, missing))
    names = dict.fromkeys(one.name for one in missing)
    below = f".{missing[0].name}" if len(names) == 1 else ""
    places = [f"`spec.clusterDefaults{below}` of the ProxyConfig"]
    places += [one.field for one in missing if one.field and one.cluster]
    if absent:
        places = [
            f"`spec.clusterDefaults{below}` of the ProxyConfig, or add the Cluster to the list"
        ]
    switches = dict.fromkeys(switch for one in missing for switch in one.switches)
    silence = "`spec.noProxyPolicy.derive` switches off what is not needed"
    if len(switches) <= _FEW:
        named = " with ".join(f"`spec.noProxyPolicy.derive.{switch}: false`" for switch in switches)
        silence = f"{named} switches this warning off"
    advice = "correct what is invalid, or set" if invalid else "set"
    also = "" if missing[0].cluster else ", or add its Cluster to the list"
    return (
        f"{known}nothing says {lacks}, which `NO_PROXY` should cover: {advice} {_enumerated(places)}{also}; "
        f"{silence}"
    )


def _fact(missing: Sequence[Missing], memberships: Sequence[Membership]) -> tuple[str, ...]:
    """Return what is missing, and where it may be said, without the Clusters that lack it."""
    facts = [text for one in missing for text in (one.name, one.field)]
    invalid = [field.place for one in missing for field in one.invalid]
    whose = "known" if missing[0].cluster else "of none"
    return (*dict.fromkeys(facts), *invalid, "not in the list" if _absent(memberships) else whose)


def _enumerated(texts: Iterable[str]) -> str:
    """Return the distinct texts as a phrase: ``a, b or c``."""
    *front, last = dict.fromkeys(texts)
    return f"{', '.join(front)} or {last}" if front else last


def _absent(memberships: Sequence[Membership]) -> tuple[str, ...]:
    """Return the Clusters of which only the name is known."""
    clusters = (membership.cluster for membership in memberships)
    return tuple(
        dict.fromkeys(f"`{cluster_name(cluster)}`" for cluster in clusters if not cluster.is_listed)
    )
