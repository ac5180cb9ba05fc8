"""Which ClusterClasses are patched, and what their target needs to know: templates, Clusters, nodes.

With ``classes: Patch`` all classes are; with ``Union`` those whose own patches erase what their templates hold,
and those that share a template with one of these. Where something is in the way of one class, all that share a template
with it stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from krm_fn.clusters import Key, ObjectIndex, Topology, class_name, key_of
from krm_fn.config import Mode, ProxyConfig
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import Result
from krm_fn.noproxy import Readers
from krm_fn.patch import Data
from krm_fn.products.cluster_api import CLUSTER
from krm_fn.products.node_kinds import OF_CLASSES
from krm_fn.settings import ProxySettings, Resolved, resolve
from krm_fn.targets import ClassContext
from krm_fn.targets.class_plans import ALL_NODES, ClassEdit, ClassEffect, ClassPlans
from krm_fn.targets.nodes.cluster_class import CLASS, TARGET, WORDS
from krm_fn.targets.nodes.clusterclass import class_patches, product_variables
from krm_fn.targets.nodes.clusterclass.listed_class import ListedClass
from krm_fn.targets.nodes.clusterclass.names import (
    FIRST_OF_SYSTEM,
    PATCHED_TARGETS,
    PATCHED_WHERE_ERASED,
)
from krm_fn.targets.nodes.clusterclass.node_patches import erasers_of
from krm_fn.targets.nodes.clusterclass.settings import for_nodes


class Classes(ClassPlans):
    """The ClusterClasses of a list.

    Args:
        objects: those of ``clusters.kinds()``.
        is_selected: whether the selector does not leave an object out.
        topology: the Clusters of the list.
        config: the checked FunctionConfig.
    """

    words = WORDS

    def __init__(
        self,
        objects: Sequence[Object],
        is_selected: Callable[[Object], bool],
        topology: Topology,
        config: ProxyConfig,
    ) -> None:
        super().__init__(topology)
        self._config = config
        self._is_enabled = config.targets.is_on(OF_CLASSES) and config.mode is not Mode.REMOVE
        self._is_chosen = self._is_enabled and config.targets.given_for(OF_CLASSES) == "Patch"
        self.is_on = self._is_chosen
        self._classes: dict[Key, ListedClass] = {}
        self._templates: list[Object] = []
        if config.mode is not Mode.REMOVE:
            self._read(objects, is_selected)

    def _read(self, objects: Sequence[Object], is_selected: Callable[[Object], bool]) -> None:
        for obj in objects:
            if obj.group_kind == CLASS:
                of_class = self.topology.cluster_of_class(obj)
                listed = ListedClass(obj, self._config, of_class, is_selected=is_selected(obj))
                self._classes.setdefault(key_of(obj), listed)
        if not self._classes:
            return
        for obj in objects:
            if obj.ref.kind.endswith("Template") and is_selected(obj):
                self._templates.append(obj)
        clusters = [obj for obj in objects if obj.group_kind == CLUSTER]
        for obj in clusters:
            self._find_variable(obj, is_selected=is_selected(obj))
        self._find_erasers()
        patched = self._to_be_patched()
        if patched or self._is_chosen:
            self.is_on = True
            for obj in filter(is_selected, clusters):
                listed_class = self._class_of(obj)
                if listed_class is not None:
                    nodes = self.topology.nodes_of(obj)
                    listed_class.add_cluster(obj, nodes)
        self._plan(patched)

    def _find_variable(self, obj: Object, *, is_selected: bool) -> None:
        """Find the variable of a Cluster out of which its class writes the proxy; one that is filled goes first."""
        listed = self._class_of(obj)
        if listed is None:
            return
        if listed.variable and listed.variable.is_filled:
            return
        variable = product_variables.find(
            listed.obj.data, obj.data, self._config.targets, is_selected=is_selected
        )
        if variable:
            listed.variable = variable

    def _find_erasers(self) -> None:
        """Find the patches that erase what templates hold, and the families of their classes."""
        templates = _index(self._templates)
        erasing = set()
        for key, listed in self._classes.items():
            if listed.variable:
                continue
            listed.erasers = erasers_of(listed, templates)
            listed.has_erasers = bool(listed.erasers)
            if listed.has_erasers and listed.is_selected:
                erasing.add(key)
        for key in self._family(erasing):
            if key in self._classes:
                self._classes[key].has_erasers = True

    def _to_be_patched(self) -> dict[Key, ListedClass]:
        """Return the classes to patch."""
        if not self._is_enabled:
            return {}
        return {
            key: listed
            for key, listed in self._classes.items()
            if (self._is_chosen or listed.has_erasers)
            and listed.is_selected
            and not listed.variable
        }

    def _family(self, keys: Iterable[Key]) -> set[Key]:
        """Return some classes and all that share a template with one of them."""
        family = set(keys)
        groups = [set(self.topology.classes_of(obj)) for obj in self._templates]
        size = -1
        while size < len(family):
            size = len(family)
            for group in groups:
                if group & family:
                    family |= group
        return family

    def _plan(self, classes: dict[Key, ListedClass]) -> None:
        """Plan the patches of classes; what is in the way of one is in the way of its family."""
        own = [obj for obj in self._templates if self._is_of(obj, classes)]
        templates = _index(own)
        stuck = []
        for key, listed in classes.items():
            listed.plan = class_patches.plan(listed, templates)
            if listed.is_stuck:
                stuck.append(key)
        family = self._family(stuck)
        for key, listed in classes.items():
            if listed.plan is not None and key in family:
                listed.plan = listed.plan._replace(patches=None)

    def _classes_of(self, obj: Object) -> list[ListedClass]:
        """Return the classes of a template that are in the list."""
        if not self._classes:
            return []
        keys = self.topology.classes_of(obj)
        return [self._classes[key] for key in keys if key in self._classes]

    def _class_of(self, cluster: Object) -> ListedClass | None:
        """Return the class of a Cluster; None for one that names none in the list."""
        if not class_name(cluster.data):
            return None
        key = self.topology.class_of(cluster)
        if key is None:
            return None
        return self._classes.get(key)

    def _is_of(self, obj: Object, classes: Collection[Key]) -> bool:
        """Return whether an object is a template of some classes, and is used by nothing else."""
        keys = self.topology.classes_of(obj)
        return bool(keys) and all(key in classes for key in keys)

    def effect(self, target_id: str, obj: Object) -> ClassEffect:
        """Return what the classes of a template do to what a target writes into it."""
        classes = self._classes_of(obj)
        is_of_proxy = target_id in PATCHED_TARGETS
        if not is_of_proxy and target_id not in PATCHED_WHERE_ERASED:
            return ClassEffect()
        is_first = target_id in FIRST_OF_SYSTEM
        notes = []
        for listed in classes:
            if listed.variable is None:
                continue
            if is_first:
                notes.append(listed.variable.finding())
            return ClassEffect(holds_nothing=listed.variable.replaces(target_id), notes=notes)
        if any(listed.stays for listed in classes):
            return ClassEffect(stays=True)
        patched = [key for key, listed in self._classes.items() if listed.is_patched]
        if self._is_of(obj, patched):
            holds_nothing = is_of_proxy or any(listed.has_erasers for listed in classes)
            return ClassEffect(holds_nothing=holds_nothing)
        if not is_of_proxy:
            return ClassEffect()
        for listed in classes:
            if not listed.is_patched:
                notes += _notes(listed, obj.ref.kind, is_first=is_first)
        return ClassEffect(notes=notes)

    def waits_for(self, obj: Object) -> bool:
        """Return whether a class is patched only once somebody has changed its templates, ``obj`` among them.

        A run that began the configuration of such a template would make the next run patch the class.
        """
        return any(listed.is_stuck for listed in self._classes_of(obj))

    def about(self, obj: Object) -> ClassEdit | None:
        """Return the nodes of a ClusterClass or a Cluster, their settings, and what is known of the list.

        None for a Cluster that is made of no class, or stays as it is with its class.
        """
        if obj.group_kind == CLASS:
            listed = self._classes.get(key_of(obj))
            if listed is not None and listed.plan is not None:
                return (), listed.default, listed.context()
            return (), self._nothing(obj), ClassContext()
        if obj.group_kind != CLUSTER or not class_name(obj.data):
            return None
        listed = self._class_of(obj)
        is_known = False
        if listed is not None:
            if listed.is_patched:
                return self._about_cluster(obj, listed)
            if listed.stays:
                return None
            is_known = listed.is_selected or listed.variable is not None
        if is_known or not self._is_chosen:
            return (), self._nothing(obj), ClassContext()
        nodes = self.topology.nodes_of(obj)
        of_all = nodes[ALL_NODES]
        resolved = for_nodes(self._config, of_all, ProxySettings(), obj.base_name)
        return tuple(nodes.values()), resolved, ClassContext(is_known=False)

    def _about_cluster(self, obj: Object, listed: ListedClass) -> ClassEdit:
        proxies = {**listed.clusters[key_of(obj)]}
        of_all = proxies.pop(ALL_NODES)
        groups = {where: resolved.settings for where, resolved in proxies.items()}
        context = listed.context()._replace(groups=groups, repairs_erased=False)
        nodes = self.topology.nodes_of(obj)
        return tuple(nodes.values()), of_all, context

    def _nothing(self, obj: Object) -> Resolved:
        """Return the settings of an object that gets no proxy by a class."""
        resolved = resolve(
            self._config,
            self.topology.of(obj),
            target=OF_CLASSES,
            readers=Readers(TARGET.audience),
            name=obj.base_name,
        )
        cluster = resolved.settings.cluster
        return Resolved(ProxySettings(cluster=cluster, is_declared=resolved.declared))


def _index(templates: Iterable[Object]) -> ObjectIndex[Data]:
    """Return templates, to be found by what names them."""
    return ObjectIndex((key_of(obj), obj.data) for obj in templates)


def _notes(listed: ListedClass, kind: str, *, is_first: bool) -> Iterator[Result]:
    """Yield what a class that is not patched does to a template: it erases what is there, or writes the same file."""
    name = listed.obj.ref.name
    if listed.has_erasers:
        message = (
            f'patches of the ClusterClass "{name}" erase what inject-proxy writes here: enable `nodes.classes`, select '
            "the class, and do what the warnings about it say"
        )
        yield Result.of("ClassPatchErases", message)
    if not is_first:
        return
    path = product_variables.repeated_path(listed.obj.data, listed.config.targets, kind)
    if path:
        message = (
            f'a patch of the ClusterClass "{name}" writes a file "{path}" as well, and Cluster API takes a path once: '
            "add the Clusters with its variable to the list, or take the file out of it"
        )
        yield Result.of("ByHand", message)
