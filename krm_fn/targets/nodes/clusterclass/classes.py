"""Which ClusterClasses are patched, and what becomes of their templates and Clusters.

With ``classes: Patch`` all classes are patched; with ``Union`` those whose own patches erase what their templates hold,
and those that share a template with one of these. Where something is in the way of one class, all that share a template
with it stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter

from krm_fn.clusters import Key, ObjectIndex, Topology, class_name, key_of
from krm_fn.config import Mode, ProxyConfig
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import Result
from krm_fn.noproxy import Audience, Readers
from krm_fn.patch import Data
from krm_fn.products.cluster_api import CLUSTER
from krm_fn.products.node_kinds import OF_CLASSES
from krm_fn.settings import ProxySettings, Resolved, resolve
from krm_fn.targets import ClassContext
from krm_fn.targets.class_plans import ALL_NODES, NO_RULES, ClassEdit, ClassPlans, TemplateRules
from krm_fn.targets.nodes.clusterclass import class_plan, product_variables
from krm_fn.targets.nodes.clusterclass.listed_class import ClassState, ListedClass
from krm_fn.targets.nodes.clusterclass.names import (
    CLASS,
    FIRST_OF_SYSTEM,
    PATCHED_TARGETS,
    PATCHED_WHERE_ERASED,
    WORDS,
)
from krm_fn.targets.nodes.clusterclass.node_patches import erasures
from krm_fn.targets.nodes.clusterclass.settings import for_class, for_nodes

_ALL_TARGETS = (*PATCHED_TARGETS, *PATCHED_WHERE_ERASED)


class Classes(ClassPlans):
    """The ClusterClasses of a list.

    Args:
        objects: those of ``clusters.kinds()``.
        is_selected: whether the selector does not leave an object out.
        topology: the Clusters of the list.
        config: the checked FunctionConfig.
    """

    kinds = (CLUSTER[1], CLASS[1])
    words = WORDS

    def __init__(
        self,
        objects: Sequence[Object],
        is_selected: Callable[[Object], bool],
        topology: Topology,
        config: ProxyConfig,
    ) -> None:
        self._topology = topology
        self._config = config
        self._classes: dict[Key, ListedClass] = {}
        self._is_chosen = False
        if config.mode is Mode.REMOVE:
            return
        is_enabled = config.targets.is_on(OF_CLASSES)
        self._is_chosen = is_enabled and config.targets.given_for(OF_CLASSES) == "Patch"
        for obj in objects:
            if obj.group_kind == CLASS:
                default = for_class(config, topology.cluster_of_class(obj), obj.base_name)
                listed = ListedClass(obj, config, default, is_selected=is_selected(obj))
                self._classes.setdefault(key_of(obj), listed)
        clusters = []
        for obj in objects:
            cluster_class = self._class_of(obj)
            if cluster_class is not None:
                clusters.append((obj, cluster_class, is_selected(obj)))
        for obj, cluster_class, may_edit in clusters:
            cluster_class.find_variable(obj.data, may_edit=may_edit)
        templates = [
            obj for obj in objects if obj.ref.kind.endswith("Template") and is_selected(obj)
        ]
        self._find_families(templates)
        self._find_erasures(templates)
        patched = {
            key: listed
            for key, listed in self._classes.items()
            if is_enabled and listed.may_be_patched
        }
        for obj, cluster_class, may_edit in clusters:
            if may_edit and cluster_class in patched.values():
                cluster_class.add_cluster(obj, topology.nodes_of(obj))
        self._plan(patched, templates)
        if self._is_chosen or patched:
            self.words = ()

    def _find_families(self, templates: Iterable[Object]) -> None:
        """Find for each class all that share a template with it, or with one of these."""
        families: dict[Key, set[Key]] = {key: {key} for key in self._classes}
        for obj in templates:
            keys = self._topology.classes_of(obj)
            family = set(keys).union(*(families.get(key, ()) for key in keys))
            families.update(dict.fromkeys(family, family))
        for key, listed in self._classes.items():
            listed.family = families[key]

    def _find_erasures(self, templates: Iterable[Object]) -> None:
        """Find what patches erase of templates; it concerns all classes that share a template."""
        index = ObjectIndex((key_of(obj), obj.data) for obj in templates)
        erasing = set()
        for key, listed in self._classes.items():
            if not listed.variable:
                listed.erasures = erasures(listed, index)
            listed.is_erased = bool(listed.erasures)
            if listed.is_erased and listed.is_selected:
                erasing.add(key)
        for listed in self._classes.values():
            if not erasing.isdisjoint(listed.family):
                listed.is_erased = True

    def _plan(self, patched: Mapping[Key, ListedClass], templates: Iterable[Object]) -> None:
        """Plan the patches of classes; what is in the way of one is in the way of its family."""
        index: ObjectIndex[Data] = ObjectIndex()
        for obj in templates:
            keys = self._topology.classes_of(obj)
            if keys and patched.keys() >= set(keys):
                index.add(key_of(obj), obj.data)
        blocked = set()
        for key, listed in patched.items():
            listed.plan = class_plan.plan(listed, index)
            if listed.plan.patches is None:
                blocked.add(key)
        for listed in patched.values():
            if listed.plan and not blocked.isdisjoint(listed.family):
                listed.plan = listed.plan._replace(patches=None)

    def _class_of(self, obj: Object) -> ListedClass | None:
        """Return the class of a Cluster; None for another object, and for one that names none in the list."""
        if obj.group_kind != CLUSTER or not class_name(obj.data):
            return None
        key = self._topology.class_of(obj)
        return None if key is None else self._classes.get(key)

    def rules_of(self, template: Object) -> TemplateRules:
        """Return what the classes of a template say."""
        keys = self._topology.classes_of(template)
        classes = [self._classes[key] for key in keys if key in self._classes]
        if not classes:
            return NO_RULES
        first = min(classes, key=attrgetter("state"))
        if first.variable is not None:
            replaced = [target for target in _ALL_TARGETS if first.variable.replaces(target)]
            notes = dict.fromkeys(FIRST_OF_SYSTEM, [first.variable.finding()])
            return TemplateRules(emptied=replaced, notes=notes)
        if first.state is ClassState.KEPT:
            return TemplateRules(kept=_ALL_TARGETS, is_awaited=True)
        if first.state is ClassState.PATCHED:
            if len(classes) < len(keys):
                return NO_RULES
            return TemplateRules(emptied=_ALL_TARGETS if first.is_erased else PATCHED_TARGETS)
        is_awaited = first.state is ClassState.BLOCKED
        return TemplateRules(notes=_notes(first, template.ref.kind), is_awaited=is_awaited)

    def edit_of(self, obj: Object) -> ClassEdit | None:
        """Return how a ClusterClass, or a Cluster of one, is edited.

        None for a Cluster that is made of no class, or stays as it is with its class.
        """
        if obj.group_kind == CLASS:
            listed = self._classes.get(key_of(obj))
            if listed is None or listed.plan is None:
                return self._removal(obj)
            return ClassEdit((), listed.default, listed.context())
        if obj.group_kind != CLUSTER or not class_name(obj.data):
            return None
        listed = self._class_of(obj)
        if listed is not None:
            if listed.state is ClassState.PATCHED:
                return self._edit_of_cluster(obj, listed)
            if listed.state is ClassState.KEPT:
                return None
            if listed.is_selected or listed.variable:
                return self._removal(obj)
        if not self._is_chosen:
            return self._removal(obj)
        nodes = self._topology.nodes_of(obj)
        resolved = for_nodes(self._config, nodes[ALL_NODES], ProxySettings(), obj.base_name)
        return ClassEdit(tuple(nodes.values()), resolved, ClassContext(is_known=False))

    def _edit_of_cluster(self, obj: Object, listed: ListedClass) -> ClassEdit:
        """Return the edit of a Cluster whose class is patched."""
        groups = {**listed.clusters[key_of(obj)]}
        whole = groups.pop(ALL_NODES)
        context = listed.context()._replace(
            groups={group: resolved.settings for group, resolved in groups.items()},
            repairs_erased=False,
        )
        nodes = self._topology.nodes_of(obj)
        return ClassEdit(tuple(nodes.values()), whole, context)

    def _removal(self, obj: Object) -> ClassEdit:
        """Return the edit of an object that gets no proxy by a class."""
        resolved = resolve(
            self._config,
            self._topology.of(obj),
            target=OF_CLASSES,
            readers=Readers(Audience.PRODUCT),
            name=obj.base_name,
        )
        cluster = resolved.settings.cluster
        blank = ProxySettings(cluster=cluster, is_declared=resolved.declared)
        return ClassEdit((), Resolved(blank), ClassContext())


def _notes(listed: ListedClass, kind: str) -> dict[str, list[Result]]:
    """Return what a class does to a template of a kind while it is not patched: target -> what it says.

    It erases what is there, which each target says, or writes the same file, which the first target says.
    """
    name = listed.obj.ref.name
    notes: dict[str, list[Result]] = {target: [] for target in PATCHED_TARGETS}
    if listed.is_erased:
        message = (
            f'patches of the ClusterClass "{name}" erase what inject-proxy writes here: enable `nodes.classes`, '
            "select the class, and do what the warnings about it say"
        )
        notes = {target: [Result.of("ClassPatchErases", message)] for target in notes}
    path = product_variables.repeated_path(listed.obj.data, listed.config.targets, kind)
    if path:
        message = (
            f'a patch of the ClusterClass "{name}" writes a file "{path}" as well, and Cluster API takes a path '
            "once: add the Clusters with its variable to the list, or take the file out of it"
        )
        for target in FIRST_OF_SYSTEM:
            notes[target].append(Result.of("ByHand", message))
    return notes
