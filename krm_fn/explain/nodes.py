"""Which nodes a run replaces, and which ones keep what they have.

Sources: Cluster API book, "Updating Machine Infrastructure and Bootstrap Templates", "Changing a ClusterClass",
"Kubeadm control plane".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from krm_fn.clusters import Membership, Role
from krm_fn.krm.codes import Severity
from krm_fn.krm.masking import redact
from krm_fn.krm.results import ObjectRef, Result
from krm_fn.lint.compared import Compared
from krm_fn.products.distributions import TEMPLATES, DistributionRow
from krm_fn.products.node_kinds import NODE_KINDS, NodeConfigKind
from krm_fn.targets import TARGETS

_KINDS: Mapping[tuple[str, str], NodeConfigKind | DistributionRow] = {**NODE_KINDS, **TEMPLATES}
"""What sets up nodes of kubeadm and the like, and the templates of others."""
_WORKERS = [key for key, kind in _KINDS.items() if kind.is_template and not kind.is_control_plane]
_CLUSTERS = {("cluster.x-k8s.io", "Cluster"), ("cluster.x-k8s.io", "ClusterClass")}
_KEPT = "NodesKept"
_NAME = ("metadata", "name")


@dataclass(frozen=True)
class NodeChange:
    """Nodes that are replaced, or that are not although what makes them changes.

    Attributes:
        clusters: the names of their Clusters.
        parts: which nodes of them.
        object: what changes.
        file: the name of its file, "" for standard input.
        is_replaced: whether new machines take their place.
        why: what replaces or keeps them.
    """

    clusters: tuple[str, ...]
    parts: tuple[str, ...]
    object: str
    file: str
    is_replaced: bool
    why: str


def node_changes(results: Sequence[Result], compared: Iterable[Compared]) -> list[NodeChange]:
    """Return what a run does to nodes, in the order of its results, also of what is silenced."""
    members = {_key(record.obj.ref): record.place.memberships for record in compared}
    by_object: dict[ObjectRef, list[Result]] = {}
    for result in results:
        by_object.setdefault(result.ref, []).append(result)
    kept = {(one.ref.namespace, one.current) for one in results if one.code == _KEPT}
    changes = []
    for ref, of_object in by_object.items():
        memberships = members.get(_key(ref), ())
        keeping = [one for one in of_object if one.code == _KEPT]
        if keeping:
            templates = [(*kind, ref.namespace, str(keeping[0].current)) for kind in _WORKERS]
            known = [memberships, *(members.get(key, ()) for key in templates)]
            memberships = next(filter(None, known), ())
            changes.append(_change(ref, memberships, keeping[0].message, is_replaced=False))
            continue
        changed = [one for one in of_object if one.severity is Severity.INFO and not one.code]
        is_kept = (ref.namespace, ref.name) in kept
        for is_replaced, why in _of_changes(_key(ref)[:2], changed, memberships, is_kept=is_kept):
            changes.append(_change(ref, memberships, why, is_replaced=is_replaced))
    return changes


def _key(ref: ObjectRef) -> tuple[str, str, str, str]:
    """Return group, kind, namespace and name of an object."""
    return ref.api_version.rpartition("/")[0], ref.kind, ref.namespace, ref.name


def _of_changes(
    group_kind: tuple[str, str],
    changes: Sequence[Result],
    memberships: Sequence[Membership],
    *,
    is_kept: bool,
) -> Iterator[tuple[bool, str]]:
    """Yield whether the changes of an object replace nodes, and why; nothing where others say it."""
    if not changes:
        return
    if group_kind in _CLUSTERS and any(one.target and one.path[:1] == ("spec",) for one in changes):
        yield True, "variables or patches of a ClusterClass change"
        return
    kind = _KINDS.get(group_kind)
    if kind is None:
        for change in changes:
            update = TARGETS[change.target].node_update if change.target in TARGETS else None
            if update is not None and update.is_rolled is not None:
                yield update.is_rolled, update.why
                return
        return
    is_of_class = any(one.worker_class for one in memberships)
    if kind.is_control_plane and not kind.is_template:
        yield True, "its specification changes"
    elif not kind.is_template:
        yield False, f"a machine reads its {kind.kind} once, when it is created"
    elif any(change.path == _NAME for change in changes):
        yield True, "the template gets another name"
    elif is_of_class and not kind.is_control_plane:
        yield True, "the ClusterClass gives its workers a new template"
    elif not (kind.is_control_plane or is_kept):
        yield False, "no object of the list refers to the template"


def _change(
    ref: ObjectRef, memberships: Sequence[Membership], why: str, *, is_replaced: bool
) -> NodeChange:
    clusters = dict.fromkeys(cluster_name(one) for one in memberships)
    return NodeChange(
        tuple(clusters),
        tuple(parts_of(memberships)),
        redact(str(ref)),
        redact(ref.file_path),
        is_replaced,
        redact(why),
    )


def cluster_name(membership: Membership) -> str:
    """Return ``namespace/name`` of a Cluster, without a credential that somebody wrote there."""
    cluster = membership.cluster
    return str(redact("/".join(filter(None, (cluster.namespace, cluster.name)))))


def parts_of(memberships: Iterable[Membership]) -> list[str]:
    """Return which nodes of its Clusters an object is for: "control plane", "worker md-0"; none where all are meant."""
    names = {Role.CONTROL_PLANE: "control plane", Role.WORKER: "worker"}
    parts = [
        f"{names[one.role]} {redact(one.group)}".strip()
        for one in memberships
        if one.role is not None
    ]
    return list(dict.fromkeys(parts))
