"""The groups of nodes of a ClusterClass, and the selectors by which its patches name their templates.

Sources: Cluster API ``api/core``: a class names a template in ``template.bootstrap.ref`` (v1beta1) or
``bootstrap.templateRef`` (v1beta2); ``internal/controllers/topology/cluster/patches/inline`` (``matchesSelector``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from krm_fn.light_typing import Any, Fields, GroupKind, NamedTuple
from krm_fn.patch import Data, Pointer, list_at, lookup, text_at

_SELECTORS = {"machineDeployments": "machineDeploymentClass", "machinePools": "machinePoolClass"}
"""Section of ``spec.workers`` -> the member of ``matchResources`` that names its classes."""
_BOOTSTRAPS = (("template", "bootstrap"), ("bootstrap",))
_REFERENCES = ("ref", "templateRef")


class NodeGroup(NamedTuple):
    """One group of nodes of a class, and its reference to their template.

    Attributes:
        section: that of its workers in ``spec.workers``; "" for the control plane.
        name: that of its workers; "" for the control plane.
        api_version: that of the template.
        kind: that of the template.
        template: the name of the template.
        path: leads to the reference in the class.
    """

    section: str
    name: str
    api_version: str
    kind: str
    template: str
    path: Pointer

    @property
    def group_kind(self) -> GroupKind:
        """API group and kind of the template."""
        return self.api_version.partition("/")[0], self.kind

    @property
    def called(self) -> str:
        """What messages call the template."""
        return f'the {self.kind} "{self.template}"'


def node_groups(obj: Data) -> Iterator[NodeGroup]:
    """Yield the groups of nodes of a class."""
    yield from _referred_to(obj, "", "", ("spec", "controlPlane"))
    for section in _SELECTORS:
        workers = ("spec", "workers", section)
        for index, worker in enumerate(list_at(obj, workers)):
            name = text_at(worker, ("class",))
            if name:
                for steps in _BOOTSTRAPS:
                    yield from _referred_to(obj, section, name, (*workers, str(index), *steps))


def _referred_to(obj: Data, section: str, name: str, holder: Pointer) -> Iterator[NodeGroup]:
    """Yield the group of nodes whose template is named at ``holder``."""
    for member in _REFERENCES:
        path = (*holder, member)
        kind = text_at(obj, (*path, "kind"))
        if kind:
            version = text_at(obj, (*path, "apiVersion"))
            template = text_at(obj, (*path, "name"))
            yield NodeGroup(section, name, version, kind, template, path)


def selects(selector: Any, nodes: NodeGroup) -> bool:
    """Return whether a selector selects the template of some nodes."""
    if lookup(selector, ("apiVersion",)) != nodes.api_version:
        return False
    if lookup(selector, ("kind",)) != nodes.kind:
        return False
    matched = lookup(selector, ("matchResources",))
    if not nodes.section:
        return lookup(matched, ("controlPlane",)) is True
    # a pattern has one `*`, at the beginning or at the end: `*-worker`, `gpu-*`
    patterns = list_at(matched, (_SELECTORS[nodes.section], "names"))
    return any(fnmatchcase(nodes.name, str(pattern)) for pattern in patterns)


def selector_of(groups: Sequence[NodeGroup]) -> Fields:
    """Return what selects the templates of some groups of nodes of one kind."""
    matched: Fields = {}
    if not groups[0].section:
        matched["controlPlane"] = True
    for section, member in _SELECTORS.items():
        names = [nodes.name for nodes in groups if nodes.section == section]
        if names:
            matched[member] = {"names": names}
    version, kind = groups[0].api_version, groups[0].kind
    return {"apiVersion": version, "kind": kind, "matchResources": matched}
