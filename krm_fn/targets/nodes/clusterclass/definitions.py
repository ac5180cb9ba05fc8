"""Our patches of a ClusterClass, out of what each sort of its nodes needs.

Nodes that need the same get one definition. What depends on what a template holds is one patch, and what is the same
for all another, so that the texts of the Go templates are there as seldom as can be.

``inject-proxy-empty-lists`` runs before the patches of others that may or may not write a list, so that there is one in
the end whatever they do. All others run behind them.

Source: Cluster API ``api/core`` v1beta1 and v1beta2, ``clusterclass_types.go``; its engine applies the operations one
after another with ``evanphx/json-patch``, which adds to no list that is not there.
"""

from __future__ import annotations

from collections.abc import Sequence

from krm_fn.light_typing import Any
from krm_fn.targets.class_context import ClassContext
from krm_fn.targets.nodes.clusterclass.class_patches import SELECTORS
from krm_fn.targets.nodes.clusterclass.names import ADDITIONS, EMPTY_LISTS, LISTS, NODES
from krm_fn.targets.nodes.clusterclass.node_operations import Nodes
from krm_fn.targets.nodes.clusterclass.variable import enabled_if


def front(nodes: Sequence[Nodes], class_context: ClassContext) -> dict[str, Any] | None:
    """Return the patch that creates lists before the patches of others run, if the class needs one."""
    condition = enabled_if(class_context)
    if any(one.common for one in nodes):
        condition = ""
    found = _patches(EMPTY_LISTS, "front", nodes, condition)
    return found[0] if found else None


def patches(nodes: Sequence[Nodes], class_context: ClassContext) -> list[dict[str, Any]]:
    """Return the patches that a class with these nodes needs behind those of others, in order."""
    condition = enabled_if(class_context)
    return [
        *_patches(ADDITIONS, "common", nodes, ""),
        *_patches(LISTS, "lists", nodes, condition),
        *_patches(NODES, "own", nodes, condition),
    ]


def _patches(
    name: str, member: str, nodes: Sequence[Nodes], condition: str
) -> list[dict[str, Any]]:
    """Return the patch of a name, for the Clusters for which ``condition`` is true, "" for all.

    None if it has nothing to do.
    """
    groups: dict[str, list[Nodes]] = {}
    for one in nodes:
        if getattr(one, member):
            sort = repr((one.api_version, one.kind, not one.section, getattr(one, member)))
            groups.setdefault(sort, []).append(one)
    if not groups:
        return []
    definitions = [
        {"selector": _selector(alike), "jsonPatches": list(getattr(alike[0], member))}
        for alike in groups.values()
    ]
    enabled = {"enabledIf": condition} if condition else {}
    return [{"name": name, **enabled, "definitions": definitions}]


def _selector(alike: Sequence[Nodes]) -> dict[str, Any]:
    matched: dict[str, Any] = {} if alike[0].section else {"controlPlane": True}
    for section, member in SELECTORS.items():
        names = [one.name for one in alike if one.section == section]
        matched |= {member: {"names": names}} if names else {}
    return {"apiVersion": alike[0].api_version, "kind": alike[0].kind, "matchResources": matched}
