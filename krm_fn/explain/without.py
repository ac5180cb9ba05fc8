"""Clusters and objects of the input that get nothing, and why.

What a run reports decides, by its code; only a Cluster about which it says nothing is judged here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from krm_fn import settings
from krm_fn.clusters import Cluster, Foreign, Membership
from krm_fn.config import ProxyConfig
from krm_fn.explain.answers import WrittenPlace, cluster_name, written_place
from krm_fn.krm.masking import redact
from krm_fn.krm.results import ObjectRef, Result
from krm_fn.light_typing import NamedTuple
from krm_fn.noproxy import Audience
from krm_fn.plan import Overview, PlannedEdit

GETS_NOTHING = frozenset(
    {
        "ClassNotInList",
        "ClassPatchErases",
        "ConfigSpecMissing",
        "NamespaceMissing",
        "NodeSystemUnsupported",
        "ProxyFieldEmpty",
        "ReferenceNotUsed",
        "TemplateNotInList",
        "TemplateNotUsable",
    }
)
"""Codes of docs/messages.md: an object, or nodes of a Cluster, that should have a proxy get none."""
_NOT_SELECTED = "`spec.selector` leaves the Cluster out"
_NO_PROXY = "no proxy is declared for it, in `spec` or in an override that fits"
_NO_NODES = "no object of the input that a target writes into makes its nodes"


class Without(NamedTuple):
    """What gets no proxy, or not all of whose nodes get one.

    Attributes:
        cluster: the Cluster, ``namespace/name``, or "" where none is known.
        object: the object to which the reason belongs.
        is_cluster: whether that is the Cluster itself.
        file: the name of its file, "" where none is known.
        why: the reason, as a sentence without a full stop.
        name: its Cluster, or kind, namespace and name of the object.
        code: that of the finding of the run which says so, "" where it says nothing.
    """

    cluster: str
    object: str
    is_cluster: bool
    file: str
    why: str
    name: str
    code: str

    @property
    def title(self) -> str:
        """Return what gets nothing, with its file, because several files may declare Clusters of one name."""
        title = self.cluster if self.is_cluster else self.object
        return f"{title} ({self.file})" if self.file else title


def without_proxy(
    planned: Sequence[PlannedEdit],
    overview: Overview,
    reported: Iterable[Result],
    written: Iterable[WrittenPlace],
) -> Iterator[Without]:
    """Yield what gets nothing: what the run reports, then the other Clusters that no place is written for.

    Args:
        planned: the plan of the run.
        overview: what the plan has seen besides.
        reported: the results of the run, also what `spec.lint.rules` silences.
        written: the places that get a proxy.
    """
    belonging = _belonging(planned, overview)
    of_clusters = {obj.ref for obj in overview.clusters}
    settled = _served(planned, set(written))
    for result in reported:
        if result.code not in GETS_NOTHING:
            continue
        is_cluster = result.ref in of_clusters
        concerned = belonging.get(result.ref, [])
        settled.update(one.ref for one in concerned)
        names = {cluster_name(one) for one in concerned}
        if is_cluster:
            settled.add(result.ref)
            names = {_name(result.ref)}
        why = redact(result.message)
        yield _without(result.ref, names, why, is_cluster=is_cluster, code=result.code)
    undeclared = _undeclared(planned, overview)
    of_other_systems = {one.cluster.ref for one in overview.foreign if one.cluster}
    for obj in overview.clusters:
        if obj.ref in settled:
            continue
        if obj.ref in overview.left_out:
            why = _NOT_SELECTED
        elif obj.ref in undeclared:
            why = _NO_PROXY
        elif obj.ref in of_other_systems:
            continue  # the run would report it unless its nodes had the proxy
        else:
            why = _NO_NODES
        yield _without(obj.ref, {_name(obj.ref)}, why, is_cluster=True)


def _belonging(
    planned: Iterable[PlannedEdit], overview: Overview
) -> dict[ObjectRef, list[Cluster]]:
    """Return the Clusters of each object; those of a ClusterClass are the Clusters that are made of it."""
    found: dict[ObjectRef, list[Cluster]] = {}
    classes: dict[object, list[Cluster]] = {}
    for place in planned:
        clusters = [one.cluster for one in place.memberships if not one.is_only]
        found.setdefault(place.obj.ref, []).extend(clusters)
        if place.class_context and place.class_context.of_class and place.memberships:
            classes.setdefault(place.class_context.of_class, []).extend(clusters)
    for obj, memberships in overview.naming:
        found.setdefault(obj.ref, []).extend(one.cluster for one in memberships if not one.is_only)
    for one in overview.foreign:
        if one.cluster:
            found.setdefault(one.obj.ref, []).append(one.cluster)
    for place in planned:
        if place.class_context and not place.memberships:
            found[place.obj.ref] += classes.get(place.class_context.of_class, [])
    return found


def _served(planned: Iterable[PlannedEdit], written: set[WrittenPlace]) -> set[ObjectRef]:
    """Return the Clusters for which a place is written, if only in the ClusterClass that they are made of."""
    places = [place for place in planned if written_place(place) in written]
    found = {one.cluster.ref for place in places for one in place.memberships if not one.is_only}
    classes = {place.class_context.of_class for place in places if place.class_context}
    for place in planned:
        context = place.class_context
        if place.has_list_by_class and context and context.of_class in classes:
            found.update(one.cluster.ref for one in place.memberships)
    return found


def _undeclared(planned: Iterable[PlannedEdit], overview: Overview) -> set[ObjectRef]:
    """Return the Clusters whose nodes no part of the ProxyConfig gives a proxy."""
    of_clusters = {obj.ref for obj in overview.clusters}
    found: dict[ObjectRef, bool] = {}
    for place in planned:
        if place.obj.ref in of_clusters:
            continue
        for membership in place.memberships:
            ref = membership.cluster.ref
            found[ref] = found.get(ref, True) and not any(place.resolved.urls)
    for one in overview.foreign:
        if overview.wanted and one.cluster and one.cluster.ref not in found:
            found[one.cluster.ref] = not _is_declared(one, one.cluster, overview.wanted)
    return {ref for ref, is_undeclared in found.items() if is_undeclared}


def _is_declared(one: Foreign, cluster: Cluster, wanted: ProxyConfig) -> bool:
    """Return whether the nodes of a system are to have a proxy in a Cluster."""
    for target in one.system.targets:
        resolved = settings.resolve(
            wanted,
            (Membership(cluster),),
            target=target,
            audience=Audience.NODE,
            name=one.name,
        )
        if any(resolved.urls):
            return True
    return False


def _without(
    ref: ObjectRef, names: set[str], why: str, *, is_cluster: bool, code: str = ""
) -> Without:
    cluster = next(iter(names)) if len(names) == 1 else ""
    kind_and_name = "/".join(part for part in (ref.kind, ref.namespace, ref.name) if part)
    return Without(
        cluster,
        redact(str(ref)),
        is_cluster,
        redact(ref.file_path),
        why,
        cluster or redact(kind_and_name),
        code,
    )


def _name(ref: ObjectRef) -> str:
    return "/".join(part for part in (ref.namespace, ref.name) if part)
