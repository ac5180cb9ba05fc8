"""Findings about how the proxy of an object was resolved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from krm_fn.clusters import Membership
from krm_fn.krm.results import Finding
from krm_fn.products.cluster_api import Role
from krm_fn.settings.model import Resolved
from krm_fn.settings.network import Missing, cluster_name


def notes(resolved: Resolved, memberships: Sequence[Membership]) -> Iterator[Finding]:
    """Yield what there is to report about the proxy of an object of these Clusters."""
    if resolved.conflicts:
        yield Finding.of(
            "CannotWrite",
            f"is shared by {' and '.join(resolved.conflicts)}, which need different proxies: give each an object of "
            "its own, or leave this one out with `spec.selector.exclude`",
        )
    if not any(resolved.urls):
        return
    if resolved.of_role is not None:
        role = {Role.WORKER: "workers", Role.CONTROL_PLANE: "control plane"}[resolved.of_role]
        message = (
            f"takes the proxy of the {role}, because the machines of all roles share this object and nothing "
            "declares a proxy for the Cluster"
        )
        yield Finding.of("SharedObject", message)
    yield from _shared(memberships)
    nodes_missing = [fact for fact in resolved.missing if fact.is_about_nodes]
    others = [fact for fact in resolved.missing if not fact.is_about_nodes]
    for missing in (others, nodes_missing):  # apart, because few targets write what calls nodes
        if missing:
            yield _lack(missing, memberships)


def _shared(memberships: Sequence[Membership]) -> Iterator[Finding]:
    """Yield which Clusters share an object, and a warning for each name that may mean several Clusters."""
    names = dict.fromkeys(f"`{cluster_name(membership.cluster)}`" for membership in memberships)
    if len(names) > 1:
        yield Finding.of(
            "SharedObject",
            f"is shared by {', '.join(names)}: `NO_PROXY` holds what each of them needs",
        )
    files: dict[str, dict[str, None]] = {}
    unsure: dict[str, list[Membership]] = {}
    for membership in memberships:
        cluster = membership.cluster
        if cluster.is_listed:
            files.setdefault(cluster_name(cluster), {})[cluster.ref.file_path] = None
        if not membership.is_certain:
            unsure.setdefault(cluster.name, []).append(membership)
    for name, paths in files.items():
        if len(paths) > 1:
            message = (
                f"belongs to `{name}`, which is in {' and '.join(paths)}, each time with another network: `NO_PROXY` "
                "holds what all of them need. Put it into the file of its Cluster, or run this function for each of "
                "them by itself"
            )
            yield Finding.of("ClusterAmbiguous", message)
    for namesakes in unsure.values():
        called = dict.fromkeys(f"`{cluster_name(membership.cluster)}`" for membership in namesakes)
        message = (
            f"belongs to {' and to '.join(called)} only because of {namesakes[0].how}: say which one is meant by the "
            "namespace of the object, or by the annotation `cluster.x-k8s.io/cluster-namespace`"
        )
        yield Finding.of("ClusterAmbiguous", message)


def _lack(missing: Sequence[Missing], memberships: Sequence[Membership]) -> Finding:
    """Return a warning that says what no object declares, where to declare it, and how to say that it is not needed."""
    whose = ""
    if not missing[0].cluster:
        whose = "belongs to no known Cluster, and "
    unlisted = [
        membership.cluster for membership in memberships if not membership.cluster.is_listed
    ]
    if unlisted:
        names = " and ".join(dict.fromkeys(f"`{cluster_name(cluster)}`" for cluster in unlisted))
        whose = f"belongs to {names}, not in the list, and "
    fields = [fact.field for fact in missing if fact.field and not unlisted and fact.cluster]
    places = dict.fromkeys(("`spec.clusterDefaults`", *fields))
    switches = dict.fromkeys(switch for fact in missing for switch in fact.switches)
    finding = Finding.of(
        "FactsUnknown",
        f"{whose}nothing says {', '.join(map(str, missing))}, which `NO_PROXY` should cover: set it in "
        f"{' or '.join(places)}, or switch {', '.join(f'`{switch}`' for switch in switches)} off in "
        "`spec.noProxyPolicy.derive`",
    )
    return finding._replace(
        clusters=tuple(dict.fromkeys(fact.cluster for fact in missing if fact.cluster)),
        fact=(
            *dict.fromkeys(fact.name for fact in missing),
            *fields,
            str(bool(unlisted)),
        ),
    )
