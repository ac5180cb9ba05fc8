"""Which nodes a run rolls, and which ones keep what they have.

Cluster API makes new machines for a changed KubeadmControlPlane, for another name of the template of workers, and for
changed variables or patches of a ClusterClass. A KubeadmConfigTemplate that keeps its name rolls nothing, unless a
ClusterClass carries its content on.

Sources: Cluster API book, "Updating Machine Infrastructure and Bootstrap Templates", "Changing a ClusterClass",
"Kubeadm control plane".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from krm_fn.clusters import Membership
from krm_fn.explain.answers import (
    PART_OF_ROLE,
    ClusterPart,
    Identity,
    cluster_name,
    memberships_by_identity,
)
from krm_fn.krm.results import ObjectRef, Result, Severity, redact
from krm_fn.plan import PlannedEdit
from krm_fn.targets import TARGETS

_CONTROL_PLANE = ("controlplane.cluster.x-k8s.io", "KubeadmControlPlane")
_CONTROL_PLANE_TEMPLATE = ("controlplane.cluster.x-k8s.io", "KubeadmControlPlaneTemplate")
_WORKERS = ("bootstrap.cluster.x-k8s.io", "KubeadmConfigTemplate")
_MACHINE = ("bootstrap.cluster.x-k8s.io", "KubeadmConfig")
_CLUSTERS = {("cluster.x-k8s.io", "Cluster"), ("cluster.x-k8s.io", "ClusterClass")}
KEPT = frozenset({"NodesNotRolled", "TemplateImmutable"})
"""Codes of docs/messages.md: nodes keep what they have although what makes them changes."""
_NAME = ("metadata", "name")
_HASH = re.compile(r"-[0-9a-f]{10}$")
"""What ``spec.rollout.hashNames`` puts behind a name."""


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
            template = _memberships(belonging, _WORKERS, ref.namespace, str(result.current))
            yield _change(ref, memberships or template, is_rolled=False, why=result.message)
            return
    changes = [one for one in results if one.severity is Severity.INFO and not one.code]
    if not changes:
        return
    is_renamed = any(one.path == _NAME for one in changes)
    of_class = any(one.worker_class for one in memberships)
    if kind == _CONTROL_PLANE:
        yield _change(ref, memberships, is_rolled=True, why="its specification changes")
    elif kind in _CLUSTERS and any(one.target and one.path[:1] == ("spec",) for one in changes):
        why = "variables or patches of a ClusterClass change"
        yield _change(ref, memberships, is_rolled=True, why=why)
    elif kind in {_WORKERS, _CONTROL_PLANE_TEMPLATE} and is_renamed:
        yield _change(ref, memberships, is_rolled=True, why="the template gets another name")
    elif kind == _WORKERS and of_class:
        why = "the ClusterClass carries the content of the template on"
        yield _change(ref, memberships, is_rolled=True, why=why)
    elif kind == _WORKERS and (ref.namespace, ref.name) not in kept:
        why = "no object of the list refers to the template"
        yield _change(ref, memberships, is_rolled=False, why=why)
    elif kind == _MACHINE:
        why = "a machine reads its KubeadmConfig once, when it is created"
        yield _change(ref, memberships, is_rolled=False, why=why)
    else:
        for one in changes:
            update = TARGETS[one.target].node_update if one.target else None
            if update is not None and update.is_rolled is not None:
                yield _change(ref, memberships, is_rolled=update.is_rolled, why=update.why)
                return


def _memberships(
    belonging: _Belonging, kind: tuple[str, str], namespace: str, name: str
) -> tuple[Membership, ...]:
    """Return the memberships of an object, whose name may end in a hash that the run puts there."""
    for known in (name, _HASH.sub("", name)):
        identity = (*kind, namespace, known)
        if identity in belonging:
            return belonging[identity]
    return ()


def _change(
    ref: ObjectRef, memberships: Sequence[Membership], *, is_rolled: bool, why: str
) -> NodeChange:
    parts = dict.fromkeys(
        ClusterPart(PART_OF_ROLE[one.role], one.group)
        for one in memberships
        if one.role is not None
    )
    clusters = dict.fromkeys(cluster_name(one.cluster) for one in memberships)
    return NodeChange(
        tuple(clusters), tuple(parts), str(ref), redact(ref.file_path), is_rolled, why
    )
