"""The groups of nodes of a ClusterClass: its control plane, and its classes of workers.

Source: Cluster API ``api/core`` v1beta1 (``template.bootstrap.ref``) and v1beta2 (``bootstrap.templateRef``).
"""

from __future__ import annotations

from collections.abc import Iterator

from krm_fn.light_typing import NamedTuple
from krm_fn.patch import Pointer, list_at, text_at
from krm_fn.target_table import GroupKind
from krm_fn.targets.context import Data

SELECTORS = {"machineDeployments": "machineDeploymentClass", "machinePools": "machinePoolClass"}
"""Section of ``spec.workers`` -> the member of ``matchResources`` that names its classes."""
_BOOTSTRAPS = (("template", "bootstrap"), ("bootstrap",))


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
    holders: list[tuple[str, str, Pointer]] = [("", "", ("spec", "controlPlane"))]
    for section in SELECTORS:
        for index, worker in enumerate(list_at(obj, ("spec", "workers", section))):
            name = text_at(worker, ("class",))
            if name:
                start = ("spec", "workers", section, str(index))
                holders += [(section, name, (*start, *steps)) for steps in _BOOTSTRAPS]
    for section, name, holder in holders:
        for member in ("ref", "templateRef"):
            path = (*holder, member)
            version, kind, template = (
                text_at(obj, (*path, key)) for key in ("apiVersion", "kind", "name")
            )
            if kind:
                yield NodeGroup(section, name, version, kind, template, path)
