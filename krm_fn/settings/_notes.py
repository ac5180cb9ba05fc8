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
    for membership in memberships:
        if not membership.sure:
            yield Finding(
                Severity.WARNING,
                f"NP039: is taken for a part of `{cluster_name(membership.cluster)}` because of {membership.how}: "
                "label it "
                f"`cluster.x-k8s.io/cluster-name: {membership.cluster.name}` to be sure",
                code="NP039",
            )
    if resolved.missing:
        known = "" if memberships else "belongs to no known Cluster, and "
        yield Finding(
            Severity.WARNING,
            f"NP038: {known}nothing says {', '.join(resolved.missing)}, which `NO_PROXY` should cover: "
            f"{_remedy(resolved)}",
            code="NP038",
        )


def _remedy(resolved: Resolved) -> str:
    """Where what is missing can be declared; a Cluster that is made of a class does not name its infrastructure."""
    of_infrastructure = [text.startswith("`infrastructure`") for text in resolved.missing]
    if all(of_infrastructure):
        return "declare it in `spec.clusterDefaults.infrastructure`, or add what says it to the list"
    return "declare it in the Cluster or in `spec.clusterDefaults`"
