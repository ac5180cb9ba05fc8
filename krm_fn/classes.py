"""Which ClusterClasses are to be patched, and what their target is told: of the templates, the Clusters, their nodes.

The law of this room: it brings together what stands apart in a list and decides what follows from the user's word; what
a patch looks like it does not know. A class, or a template, that the selector leaves out is not there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from krm_fn.config import Mode, ProxyConfig
from krm_fn.resourcelist import Object
from krm_fn.settings import ProxySettings, Resolved, resolve
from krm_fn.settings.classes import for_class, for_nodes
from krm_fn.targets import AWARE, PATCHER, TARGETS, Around
from krm_fn.topology import ByKey, Key, Membership, Topology, key_of

_CLASS, _CLUSTER = "ClusterClass", "Cluster"
_ALL_NODES = ("", "")
"""Those of which nothing else is said."""


@dataclass
class _Class:
    """A class that is to be patched: the proxy it gives to all nodes, and the Clusters of the list."""

    default: Resolved
    clusters: dict[Key, dict[tuple[str, str], Resolved]]

    @property
    def is_wanted(self) -> bool:
        """Whether any node is to get a proxy by way of it."""
        nodes = (resolved for cluster in self.clusters.values() for resolved in cluster.values())
        return any(resolved.settings.variables() for resolved in (self.default, *nodes))


class Classes:
    """The ClusterClasses of a list.

    Args:
        objects: those of ``topology.kinds()`` that the selector does not leave out.
        atlas: the Clusters of the list.
        wanted: the checked FunctionConfig.
    """

    def __init__(self, objects: Iterable[Object], atlas: Topology, wanted: ProxyConfig) -> None:
        self.atlas, self._wanted = atlas, wanted
        options = wanted.targets.get(PATCHER.ID, {})
        self.is_on = options.get("enabled", True) and PATCHER.is_on(options) and wanted.mode is not Mode.REMOVE
        self._classes: dict[Key, _Class] = {}
        self._templates: ByKey[Mapping[str, Any]] = ByKey()
        known = [obj for obj in objects if obj.ref.kind.endswith(("Template", _CLASS, _CLUSTER))] if self.is_on else []
        for obj in known:
            if self._is(obj, _CLASS):
                self._classes[key_of(obj)] = _Class(self._default(obj), {})
        for obj in known:
            if self._is(obj, _CLUSTER):
                self._take_cluster(obj)
            elif self.is_template(obj):
                self._templates.add(key_of(obj), obj.data)

    def is_template(self, obj: Object) -> bool:
        """Whether the patches of classes stand in the place of what this object could hold itself."""
        classes = self.atlas.classes_of(obj) if self.is_on else ()
        return bool(classes) and all(key in self._classes for key in classes)

    def replaces(self, target_id: str, obj: Object) -> bool:
        """Whether an object is to hold nothing of a target, because its class does."""
        return target_id in PATCHER.INSTEAD_OF and self.is_template(obj)

    def about(self, obj: Object) -> tuple[tuple[Membership, ...], Resolved, Around] | None:
        """The nodes of a ClusterClass or a Cluster, what they are to get, and what stands around it.

        None for a Cluster that is made of no class.
        """
        is_class = self._is(obj, _CLASS)
        key = key_of(obj) if is_class else self.atlas.class_of(obj)
        its_class = self._classes.get(key) if key else None
        if key is None or (is_class and its_class is None) or not self.is_on:
            return ((), self._nothing(obj), Around()) if key else None
        if is_class and its_class:
            return (), its_class.default, self._of_class(its_class)
        nodes = self.atlas.nodes_of(obj)
        if its_class is None:
            resolved = for_nodes(self._wanted, nodes[_ALL_NODES], ProxySettings(), target=PATCHER.ID)
            return tuple(nodes.values()), resolved, Around(is_known=False)
        found = its_class.clusters[key_of(obj)]
        groups = {where: resolved.settings for where, resolved in found.items() if where != _ALL_NODES}
        return tuple(nodes.values()), found[_ALL_NODES], replace(self._of_class(its_class), groups=groups)

    def nodes(
        self, obj: Object, target_id: str, whole: Resolved
    ) -> tuple[tuple[Membership, ...], Resolved, Around] | None:
        """The nodes that a Cluster makes of a class, and what they are to get, where a rule tells some from others.

        Args:
            obj: any object.
            target_id: the target at work.
            whole: what is said of the object as a whole.
        """
        if target_id not in AWARE or not whole.beyond or self.atlas.class_of(obj) is None:
            return None
        nodes, consumer = self.atlas.nodes_of(obj), TARGETS[target_id].CONSUMER
        found = {
            where: resolve(self._wanted, (node,), target=target_id, consumer=consumer) for where, node in nodes.items()
        }
        groups = {where: resolved.settings for where, resolved in found.items() if where != _ALL_NODES}
        return tuple(nodes.values()), found[_ALL_NODES], Around(groups=groups)

    def _is(self, obj: Object, kind: str) -> bool:
        return obj.group_kind in PATCHER.KINDS and obj.ref.kind == kind

    def _of_class(self, its_class: _Class) -> Around:
        default = its_class.default.settings
        return Around(its_class.is_wanted, options=self._wanted.targets, templates=self._templates, default=default)

    def _default(self, obj: Object) -> Resolved:
        infrastructure, networks = self.atlas.infrastructure_of(obj), self.atlas.networks_of(obj)
        return for_class(self._wanted, infrastructure, networks, target=PATCHER.ID)

    def _nothing(self, obj: Object) -> Resolved:
        found = resolve(self._wanted, self.atlas.of(obj), target=PATCHER.ID, consumer=PATCHER.CONSUMER)
        return Resolved(ProxySettings(cluster=found.settings.cluster, is_declared=found.declared))

    def _take_cluster(self, obj: Object) -> None:
        its_class = self._classes.get(self.atlas.class_of(obj) or key_of(obj))
        if its_class is None:
            return
        found: dict[tuple[str, str], Resolved] = {}
        default = its_class.default.settings
        for where, membership in self.atlas.nodes_of(obj).items():
            found[where] = for_nodes(self._wanted, membership, default, target=PATCHER.ID)
            default = found[_ALL_NODES].settings
        its_class.clusters[key_of(obj)] = found
