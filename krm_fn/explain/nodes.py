"""Which nodes a run rolls, and which ones keep what they have.

Cluster API makes new machines for a changed control plane, for another name of the template of workers, and for
changed variables or patches of a ClusterClass. A template of workers that keeps its name rolls nothing, unless a
ClusterClass carries its content on.

Sources: Cluster API book, "Updating Machine Infrastructure and Bootstrap Templates", "Changing a ClusterClass",
"Kubeadm control plane".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from krm_fn.clusters import Membership
from krm_fn.explain.answers import (
    HASH,
    PART_OF_ROLE,
    ClusterPart,
    Identity,
    cluster_name,
    memberships_by_identity,
)
from krm_fn.krm.masking import redact
from krm_fn.krm.results import ObjectRef, Result, Severity
from krm_fn.light_typing import Any
from krm_fn.plan import PlannedEdit
from krm_fn.products.distributions import TEMPLATES, DistributionRow
from krm_fn.products.node_kinds import NODE_KINDS, NodeConfigKind
from krm_fn.targets import TARGETS

_KINDS: Mapping[tuple[str, str], NodeConfigKind | DistributionRow] = {**NODE_KINDS, **TEMPLATES}
"""What sets up nodes of kubeadm and the like, and the templates of others."""
_WORKERS = [key for key, kind in _KINDS.items() if kind.is_template and not kind.is_control_plane]
_CLUSTERS = {("cluster.x-k8s.io", "Cluster"), ("cluster.x-k8s.io", "ClusterClass")}
KEPT = frozenset({"NodesNotRolled", "TemplateImmutable"})
"""Codes of docs/messages.md: nodes keep what they have although what makes them changes."""
_NAME = ("metadata", "name")


@dataclass(frozen=True)
class NodeChange:
    """Nodes that are rolled, or that are not although what makes them changes.

    Attributes:
        clusters: the names of their Clusters, as far as they are known.
        parts: which nodes of them.
        object: what changes.
        file: the name of its file, "" for standard input.
        is_rolled: whether new machines take the place of the old ones.
        why: what makes them roll, or keeps them.
    """

    clusters: tuple[str, ...]
    parts: tuple[ClusterPart, ...]
    object: str
    file: str
    is_rolled: bool
    why: str


_Belonging = Mapping[Identity, tuple[Membership, ...]]


def node_changes(results: Sequence[Result], places: Iterable[PlannedEdit]) -> list[NodeChange]:
    """Return what a run does to nodes, in the order of its results.

    Args:
        results: those of the run, also what `spec.lint.rules` silences.
        places: its plan.
    """
    belonging = memberships_by_identity(places)
    by_object: dict[ObjectRef, list[Result]] = {}
    for result in results:
        by_object.setdefault(result.ref, []).append(result)
    kept = {
        (result.ref.namespace, result.current)
        for result in results
        if result.code == "NodesNotRolled"
    }
    return [
        change
        for ref, of_object in by_object.items()
        for change in _of_object(ref, of_object, belonging, kept)
    ]


def _of_object(
    ref: ObjectRef,
    results: Sequence[Result],
    belonging: _Belonging,
    kept: set[tuple[str, Any]],
) -> Iterator[NodeChange]:
    kind = (ref.api_version.rpartition("/")[0], ref.kind)
    memberships = _memberships(belonging, kind, ref.namespace, ref.name)
    for result in results:
        if result.code in KEPT:
            for workers in _WORKERS:
                memberships = memberships or _memberships(
                    belonging, workers, ref.namespace, str(result.current)
                )
            yield _change(ref, memberships, is_rolled=False, why=result.message)
            return
    changes = [one for one in results if one.severity is Severity.INFO and not one.code]
    if not changes:
        return
    if kind in _CLUSTERS and any(one.target and one.path[:1] == ("spec",) for one in changes):
        why = "variables or patches of a ClusterClass change"
        yield _change(ref, memberships, is_rolled=True, why=why)
    elif kind in _KINDS:
        answer = _of_configuration(
            _KINDS[kind],
            is_renamed=any(one.path == _NAME for one in changes),
            of_class=any(one.worker_class for one in memberships),
            is_kept=(ref.namespace, ref.name) in kept,
        )
        if answer is not None:
            yield _change(ref, memberships, is_rolled=answer[0], why=answer[1])
    else:
        for one in changes:
            update = TARGETS[one.target].node_update if one.target else None
            if update is not None and update.is_rolled is not None:
                yield _change(ref, memberships, is_rolled=update.is_rolled, why=update.why)
                return


def _of_configuration(
    kind: NodeConfigKind | DistributionRow, *, is_renamed: bool, of_class: bool, is_kept: bool
) -> tuple[bool, str] | None:
    """Return whether nodes roll whose configuration changes, and why; None where others say it.

    Args:
        kind: that of the object with the configuration.
        is_renamed: the object gets another name.
        of_class: a ClusterClass makes workers of it.
        is_kept: a finding says of an object which refers to it that nodes keep what they have.
    """
    if not kind.is_template:
        if kind.is_control_plane:
            return True, "its specification changes"
        return False, f"a machine reads its {kind.kind} once, when it is created"
    if is_renamed:
        return True, "the template gets another name"
    if kind.is_control_plane or (is_kept and not of_class):
        return None
    if of_class:
        return True, "the ClusterClass gives its workers a new template"
    return False, "no object of the list refers to the template"


def _memberships(
    belonging: _Belonging, kind: tuple[str, str], namespace: str, name: str
) -> tuple[Membership, ...]:
    """Return the memberships of an object, whose name may end in a hash that the run puts there."""
    for known in (name, HASH.sub("", name)):
        identity = (*kind, namespace, known)
        if identity in belonging:
            return belonging[identity]
    return ()


def _change(
    ref: ObjectRef, memberships: Sequence[Membership], *, is_rolled: bool, why: str
) -> NodeChange:
    parts = dict.fromkeys(
        ClusterPart(PART_OF_ROLE[one.role], redact(one.group))
        for one in memberships
        if one.role is not None
    )
    clusters = dict.fromkeys(cluster_name(one.cluster) for one in memberships)
    return NodeChange(
        tuple(clusters), tuple(parts), redact(str(ref)), redact(ref.file_path), is_rolled, why
    )
