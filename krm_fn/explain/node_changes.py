"""Say which nodes a run replaces, and which ones stay as they are.

Sources: Cluster API book, "Updating Machine Infrastructure and Bootstrap Templates", "Changing a ClusterClass",
"Kubeadm control plane".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from krm_fn.clusters.cluster import Memberships
from krm_fn.explain.cluster_names import cluster_names, parts_of
from krm_fn.krm.masking import redact
from krm_fn.krm.results import ObjectRef, Results, grouped
from krm_fn.light_typing import Texts
from krm_fn.plan.record import TargetRecord
from krm_fn.products.distributions import TEMPLATES, DistributionRow
from krm_fn.products.node_kinds import NODE_KINDS, NodeConfigKind
from krm_fn.target_table import ROWS
from krm_fn.targets import load_target
from krm_fn.targets.base import NodeUpdate

# The kinds that set up nodes of kubeadm and the like, and the templates of others.
_KINDS: Mapping[tuple[str, str], NodeConfigKind | DistributionRow] = {**NODE_KINDS, **TEMPLATES}
_CLUSTERS = {("cluster.x-k8s.io", "Cluster"), ("cluster.x-k8s.io", "ClusterClass")}
_KEPT = "NodesKept"
_NAME = ("metadata", "name")


@dataclass(frozen=True)
class NodeChange:
    """Nodes that are replaced, or that are kept although the object that makes them changes.

    Attributes:
        clusters: the names of their Clusters.
        parts: the nodes of them that are meant; empty for all.
        object: the object that changes.
        file: the name of its file, "" for standard input.
        is_replaced: whether new machines take their place.
        why: the reason for either.
    """

    clusters: Texts
    parts: Texts
    object: str
    file: str
    is_replaced: bool
    why: str


def node_changes(results: Results, targets: Iterable[TargetRecord]) -> list[NodeChange]:
    """Return the effects of a run on nodes, in the order of its results, silenced ones included."""
    members = {}
    members_by_template = {}
    for target_record in targets:
        ref = target_record.obj.ref
        members[ref] = target_record.memberships
        kind = _KINDS.get(target_record.obj.group_kind)
        if kind and kind.is_template and not kind.is_control_plane:
            members_by_template[ref.namespace, ref.name] = target_record.memberships
    # `NodesKept` is a result of the object that uses a template; its current value is the name of the template.
    keeping = {result.ref: result for result in results if result.code == _KEPT}
    kept = {(ref.namespace, result.current) for ref, result in keeping.items()}
    changes = []
    for group in grouped(results, lambda result: result.ref):
        ref = group[0].ref
        memberships = members.get(ref, ())
        finding = keeping.get(ref)
        if finding:
            template = (ref.namespace, finding.current)
            memberships = memberships or members_by_template.get(template, ())
            update = NodeUpdate(is_rolled=False, why=finding.message)
        else:
            is_kept = (ref.namespace, ref.name) in kept
            changed = [result for result in group if not result.code]
            update = _update(ref, changed, memberships, is_kept=is_kept)
        if update.is_rolled is not None:
            changes.append(
                NodeChange(
                    cluster_names(memberships),
                    parts_of(memberships),
                    redact(str(ref)),
                    redact(ref.file_path),
                    update.is_rolled,
                    redact(update.why),
                )
            )
    return changes


def _update(
    ref: ObjectRef,
    changes: Results,
    memberships: Memberships,
    *,
    is_kept: bool,
) -> NodeUpdate:
    """Return the effect of the changes of an object on nodes: none if it makes none, or another object says it."""
    if not changes:
        return NodeUpdate()
    group_kind = (ref.api_version.rpartition("/")[0], ref.kind)
    # An annotation of a Cluster replaces no node.
    has_spec = any(change.target and change.path[:1] == ("spec",) for change in changes)
    if group_kind in _CLUSTERS and has_spec:
        return NodeUpdate(is_rolled=True, why="variables or patches of a ClusterClass change")
    kind = _KINDS.get(group_kind)
    if kind is None:  # its product says it
        for change in changes:
            if change.target in ROWS:
                update = load_target(change.target).node_update
                if update is not None and update.is_rolled is not None:
                    return update
        return NodeUpdate()
    if not kind.is_template:
        if kind.is_control_plane:
            return NodeUpdate(is_rolled=True, why="its specification changes")
        why = f"a machine reads its {kind.kind} once, when it is created"
        return NodeUpdate(is_rolled=False, why=why)
    if any(change.path == _NAME for change in changes):
        return NodeUpdate(is_rolled=True, why="the template gets another name")
    # The object that uses the template says it.
    if kind.is_control_plane or is_kept:
        return NodeUpdate()
    if any(membership.worker_class for membership in memberships):
        return NodeUpdate(is_rolled=True, why="the ClusterClass gives its workers a new template")
    return NodeUpdate(is_rolled=False, why="no object of the list refers to the template")
