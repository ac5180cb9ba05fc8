"""The patches that a ClusterClass has to have: those of others, and ours around them.

Cluster API runs patches in their order. Ours are behind those of others, so that nothing erases what they add; only
``inject-proxy-empty-lists`` runs before them, so that a list that they may or may not write is there in the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from krm_fn.clusters import ObjectIndex
from krm_fn.krm.results import Result
from krm_fn.light_typing import Fields
from krm_fn.patch import Data
from krm_fn.targets.class_context import ClassPlan
from krm_fn.targets.nodes.clusterclass.foreign_patches import others_in
from krm_fn.targets.nodes.clusterclass.listed_class import ListedClass
from krm_fn.targets.nodes.clusterclass.names import (
    ADDITIONS,
    EMPTY_LISTS,
    LISTS,
    NODES,
)
from krm_fn.targets.nodes.clusterclass.node_groups import selector_of
from krm_fn.targets.nodes.clusterclass.node_patches import NodePatches, node_patches
from krm_fn.targets.nodes.clusterclass.variable import enabled_if

_SHARED = (
    f"it shares a template with a class whose patches erase, so the proxy is in the patch `{NODES}`"
)


def plan(listed: ListedClass, templates: ObjectIndex[Data]) -> ClassPlan:
    """Return the patches that a class has to have.

    Args:
        listed: the class.
        templates: the objects that belong to classes that are patched, and to nothing else.
    """
    groups: list[NodePatches] = []
    if listed.is_wanted or listed.repairs_erased:
        groups += node_patches(listed, templates)
    findings: list[Result] = []
    for group in groups:
        findings += group.findings
    if any(finding.is_stale for finding in findings):
        return ClassPlan(None, findings=findings)
    condition = enabled_if(listed.context().content)
    front = [*_patch(EMPTY_LISTS, groups, condition)]
    behind: list[Fields] = []
    for name in (ADDITIONS, LISTS, NODES):
        behind += _patch(name, groups, condition)
    has_ours = bool(front or behind)
    if has_ours and not listed.is_chosen:
        findings += listed.erasures or [Result.of("ClassPatched", _SHARED, ("spec",))]
    return ClassPlan([*front, *others_in(listed.obj.data), *behind], has_ours, findings)


def _patch(name: str, groups: Sequence[NodePatches], condition: str) -> Iterator[Fields]:
    """Yield our patch of a name, if it has anything to do.

    What every node gets is added for every Cluster, and so are the lists for it; all else where there is a proxy.
    """
    definitions = [*_definitions(name, groups)]
    if not definitions:
        return
    patch: Fields = {"name": name}
    has_additions = any(ADDITIONS in group.operations for group in groups)
    if not has_additions or name not in (EMPTY_LISTS, ADDITIONS):
        patch["enabledIf"] = condition
    yield {**patch, "definitions": definitions}


def _definitions(name: str, groups: Sequence[NodePatches]) -> Iterator[Fields]:
    """Yield the definitions of a patch; nodes that need the same share one."""
    alike: dict[str, list[NodePatches]] = {}
    for group in groups:
        if name in group.operations:
            nodes = group.nodes
            key = (nodes.api_version, nodes.kind, nodes.section == "", group.operations[name])
            alike.setdefault(repr(key), []).append(group)
    for equal in alike.values():
        selector = selector_of([group.nodes for group in equal])
        yield {"selector": selector, "jsonPatches": equal[0].operations[name]}
