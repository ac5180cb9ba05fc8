"""What a person should know about how the proxy of an object came about.

The law of this room: sentences only; nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from krm_fn.results import Finding, Severity
from krm_fn.settings._known import cluster_name
from krm_fn.settings._model import Resolved
from krm_fn.topology import Membership


def notes(resolved: Resolved, memberships: Sequence[Membership]) -> Iterator[Finding]:
    """What there is to say about ``resolved``, the proxy of an object of these ``memberships``."""
    if resolved.conflicts:
        places = " and ".join(resolved.conflicts)
        yield Finding(
            Severity.ERROR,
            f"is shared by {places}, which are to have different proxies: give each an object of its own, or leave "
            "this one out with `spec.selector.exclude`",
        )
    if not any((resolved.settings.http_proxy, resolved.settings.https_proxy)):
        return
    names = tuple(dict.fromkeys(f"`{cluster_name(membership.cluster)}`" for membership in memberships))
    if len(names) > 1:
        yield Finding(Severity.INFO, f"is shared by {', '.join(names)}: `NO_PROXY` holds what each of them needs")
    yield from _unsure([membership for membership in memberships if not membership.sure])
    if resolved.missing:
        yield Finding(
            Severity.WARNING,
            f"{_known(memberships)}nothing says {', '.join(resolved.missing)}, which `NO_PROXY` should cover: "
            f"{_remedy(resolved, memberships)}",
        )


def _unsure(memberships: Sequence[Membership]) -> Iterator[Finding]:
    """One warning for each name that suggests a Cluster, and one for each name that several Clusters have."""
    namesakes: dict[str, list[Membership]] = {}
    for membership in memberships:
        namesakes.setdefault(membership.cluster.name, []).append(membership)
    for name, found in namesakes.items():
        called = tuple(dict.fromkeys(f"`{cluster_name(membership.cluster)}`" for membership in found))
        if len(called) > 1:
            advice = (
                "say which one is meant by the namespace of the object, or by the annotation "
                "`cluster.x-k8s.io/cluster-namespace`"
            )
        else:
            advice = f"label it `cluster.x-k8s.io/cluster-name: {name}` to be sure"
        message = f"is taken for a part of {' and of '.join(called)} because of {found[0].how}: {advice}"
        yield Finding(Severity.WARNING, message)


def _known(memberships: Sequence[Membership]) -> str:
    """What is known of the Clusters, before the words that say what is not."""
    if not memberships:
        return "belongs to no known Cluster, and "
    absent = _absent(memberships)
    if not absent:
        return ""
    names = " and ".join(f"`{name}`" for name in absent)
    return f"belongs to {names}, which {'is' if len(absent) == 1 else 'are'} not in the list, and "


def _absent(memberships: Sequence[Membership]) -> tuple[str, ...]:
    """The Clusters that are known by name only."""
    clusters = (membership.cluster for membership in memberships)
    return tuple(dict.fromkeys(cluster_name(cluster) for cluster in clusters if not cluster.is_listed))


def _remedy(resolved: Resolved, memberships: Sequence[Membership]) -> str:
    """Where what is missing can be declared; a Cluster that is made of a class does not name its infrastructure."""
    if _absent(memberships):
        return "add the Cluster to the list, or declare it in `spec.clusterDefaults`"
    of_infrastructure = [text.startswith("`infrastructure`") for text in resolved.missing]
    if all(of_infrastructure):
        return "declare it in `spec.clusterDefaults.infrastructure`, or add what says it to the list"
    return "declare it in the Cluster or in `spec.clusterDefaults`"
