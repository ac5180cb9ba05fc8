"""Findings about how the proxy of an object was resolved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from krm_fn.clusters import Membership
from krm_fn.krm.results import Result
from krm_fn.settings.model import Resolved
from krm_fn.settings.network import Missing


def notes(resolved: Resolved, memberships: Sequence[Membership]) -> Iterator[Result]:
    """Yield the results about the proxy of an object of these Clusters."""
    if resolved.conflicts:
        yield Result.of(
            "CannotWrite",
            f"is shared by {' and '.join(resolved.conflicts)}, which need different proxies: give each an object of "
            "its own, or leave this one out with `spec.selector.exclude`",
        )
    if not any(resolved.urls):
        return
    if resolved.of_role is not None:
        message = (
            f"takes the proxy of the role {resolved.of_role.value}, because the machines of all roles share this "
            "object and nothing declares a proxy for the Cluster"
        )
        yield Result.of("SharedObject", message)
    if resolved.strangers:
        strangers = " and ".join(_names(resolved.strangers))
        message = (
            f"is used by {strangers} from another namespace, so `NO_PROXY` holds nothing of what is said there. If "
            "you trust who writes there, add the namespace to `spec.trustedNamespaces`"
        )
        yield Result.of("OtherNamespace", message)
    names = _names(known for known in memberships if known not in resolved.strangers)
    if len(names) > 1:
        message = f"is shared by {', '.join(names)}: `NO_PROXY` holds what each of them needs"
        yield Result.of("SharedObject", message)
    yield from _ambiguous(memberships)
    for is_about_nodes in (False, True):  # apart, because few targets write what calls nodes
        missing = [fact for fact in resolved.missing if fact.is_about_nodes is is_about_nodes]
        if missing:
            yield _lack(missing, memberships)


def _names(memberships: Iterable[Membership]) -> list[str]:
    """Return the names of their Clusters as messages show them, each once."""
    return list(dict.fromkeys(f"`{membership.cluster.full_name}`" for membership in memberships))


def _ambiguous(memberships: Iterable[Membership]) -> Iterator[Result]:
    """Yield a warning for each name that means Clusters in several files or namespaces."""
    files: dict[str, dict[str, None]] = {}
    unsure: dict[str, list[Membership]] = {}
    for membership in memberships:
        cluster = membership.cluster
        if cluster.is_listed:
            files.setdefault(cluster.full_name, {})[cluster.ref.file_path] = None
        if not membership.is_certain:
            unsure.setdefault(cluster.name, []).append(membership)
    for name, paths in files.items():
        if len(paths) > 1:
            message = (
                f"belongs to `{name}`, which is in {' and '.join(paths)}, each time with another network: `NO_PROXY` "
                "holds what all of them need. Put it into the file of its Cluster, or run this function for each of "
                "them by itself"
            )
            yield Result.of("ClusterAmbiguous", message)
    for namesakes in unsure.values():
        message = (
            f"belongs to {' and to '.join(_names(namesakes))} only because of {namesakes[0].how}: say which one is "
            "meant by the namespace of the object, or by the annotation `cluster.x-k8s.io/cluster-namespace`"
        )
        yield Result.of("ClusterAmbiguous", message)


def _lack(missing: Sequence[Missing], memberships: Sequence[Membership]) -> Result:
    """Return a warning that names the missing facts, where to declare them, and how to say that they are not needed."""
    whose = ""
    fields: list[str] = []
    unlisted = [membership for membership in memberships if not membership.cluster.is_listed]
    if unlisted:
        whose = f"belongs to {' and '.join(_names(unlisted))}, not in the list, and "
    elif memberships:
        fields = [fact.field for fact in missing if fact.field]
    else:
        whose = "belongs to no known Cluster, and "
    places = dict.fromkeys(("`spec.clusterDefaults`", *fields))
    switches = dict.fromkeys(f"`{switch}`" for fact in missing for switch in fact.switches)
    finding = Result.of(
        "FactsUnknown",
        f"{whose}nothing says {', '.join(map(str, missing))}, which `NO_PROXY` should cover: set it in "
        f"{' or '.join(places)}, or list {', '.join(switches)} in `spec.noProxyPolicy.without`",
    )
    names = dict.fromkeys(fact.name for fact in missing)
    clusters = dict.fromkeys(fact.cluster for fact in missing if fact.cluster)
    return finding._replace(
        clusters=tuple(clusters),
        fact=(*names, *fields, str(bool(unlisted))),
    )
