"""Which ClusterClasses are patched, and what becomes of their templates and Clusters.

With ``classes: Patch`` all classes are patched; with ``Union`` those whose own patches erase what their templates hold,
and those that share a template with one of these. Where something is in the way of one class, all that share a template
with it stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

from krm_fn.clusters import Key, ObjectIndex, Topology, class_name, key_of
from krm_fn.config import Mode, ProxyConfig
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import Result
from krm_fn.noproxy import Audience, Readers
from krm_fn.patch import Data, list_at
from krm_fn.products.cluster_api import CLUSTER
from krm_fn.products.node_kinds import OF_CLASSES
from krm_fn.settings import ProxySettings, Resolved, resolve
from krm_fn.targets import ClassContext
from krm_fn.targets.class_plans import ALL_NODES, NO_RULES, ClassEdit, ClassPlans, TemplateRules
from krm_fn.targets.nodes.clusterclass import class_plan, product_variables
from krm_fn.targets.nodes.clusterclass.foreign_patches import is_ours
from krm_fn.targets.nodes.clusterclass.listed_class import ClassState, ListedClass
from krm_fn.targets.nodes.clusterclass.names import (
    CLASS,
    FIRST_OF_SYSTEM,
    PATCHED_TARGETS,
    PATCHED_WHERE_ERASED,
    PATCHES,
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
        self._is_chosen = False
        self._classes: dict[Key, ListedClass] = {}
        if config.mode is Mode.REMOVE:
            return
        is_enabled = config.targets.is_on(OF_CLASSES)
        self._is_chosen = is_enabled and config.targets.given_for(OF_CLASSES) == "Patch"
        self._read(objects, is_selected)
        templates = [
            obj for obj in objects if obj.ref.kind.endswith("Template") and is_selected(obj)
        ]
        families = _families(set(topology.classes_of(obj)) for obj in templates)
        self._find_erasers(templates, families)
        patched = {}
        for key, listed in self._classes.items():
            is_asked = is_enabled and (self._is_chosen or listed.is_erased)
            if is_asked and listed.is_selected and not listed.variable:
                patched[key] = listed
        for obj in filter(is_selected, objects):
            cluster_class = self._class_of(obj)
            if cluster_class in patched.values():
                cluster_class.add_cluster(obj, topology.nodes_of(obj))
        self._plan(patched, templates, families)
        for listed in self._classes.values():
            listed.state = _state(listed)
        if self._is_chosen or patched:
            self.words = ()

    def _read(self, objects: Sequence[Object], is_selected: Callable[[Object], bool]) -> None:
        """Find the classes, and the variables of their Clusters out of which they write the proxy."""
        for obj in objects:
            if obj.group_kind == CLASS:
                common = self._topology.cluster_of_class(obj)
                default = for_class(self._config, common, obj.base_name)
                listed = ListedClass(obj, self._config, default, is_selected=is_selected(obj))
                self._classes.setdefault(key_of(obj), listed)
        for obj in objects:
            cluster_class = self._class_of(obj)
            if cluster_class is None:
                continue
            if cluster_class.variable and cluster_class.variable.is_filled:
                continue
            variable = product_variables.find(
                cluster_class.obj.data,
                obj.data,
                self._config.targets,
                is_selected=is_selected(obj),
            )
            cluster_class.variable = variable or cluster_class.variable

    def _find_erasers(
        self, templates: Sequence[Object], families: Mapping[Key, set[Key]]
    ) -> None:
        """Find the patches that erase what templates hold, and the families of their classes."""
        index = _index(templates)
        erased = set()
        for key, listed in self._classes.items():
            if listed.variable:
                continue
            listed.erasures = erasures(listed, index)
            listed.is_erased = bool(listed.erasures)
            if listed.is_erased and listed.is_selected:
                erased.add(key)
        for key, family in families.items():
            if key in self._classes and erased & family:
                self._classes[key].is_erased = True

    def _plan(
        self,
        patched: Mapping[Key, ListedClass],
        templates: Sequence[Object],
        families: Mapping[Key, set[Key]],
    ) -> None:
        """Plan the patches of classes; what is in the way of one is in the way of its family."""
        index = _index(obj for obj in templates if self._belongs_to(obj, patched))
        plans = {key: class_plan.plan(listed, index) for key, listed in patched.items()}
        blocked = {key for key, plan in plans.items() if plan.patches is None}
        for key, plan in plans.items():
            if blocked & families.get(key, {key}):
                plan = plan._replace(patches=None)  # noqa: PLW2901 -- the same with what its family says
            patched[key].plan = plan

    def _class_of(self, obj: Object) -> ListedClass | None:
        """Return the class of a Cluster; None for another object, and for one that names none in the list."""
        if obj.group_kind != CLUSTER or not class_name(obj.data):
            return None
        key = self._topology.class_of(obj)
        return None if key is None else self._classes.get(key)

    def _belongs_to(self, template: Object, classes: Container[Key]) -> bool:
        """Return whether an object is a template of some classes, and is used by nothing else."""
        keys = self._topology.classes_of(template)
        return bool(keys) and all(key in classes for key in keys)

    def rules_of(self, template: Object) -> TemplateRules:
        """Return what the classes of a template say."""
        keys = self._topology.classes_of(template)
        listed = [self._classes[key] for key in keys if key in self._classes]
        if not listed:
            return NO_RULES
        states = {cluster_class.state for cluster_class in listed}
        is_awaited = not states.isdisjoint((ClassState.BLOCKED, ClassState.KEPT))
        rules = TemplateRules(is_awaited=is_awaited)
        for cluster_class in listed:
            variable = cluster_class.variable
            if variable is not None:
                return rules._replace(
                    emptied=[target for target in _ALL_TARGETS if variable.replaces(target)],
                    notes=dict.fromkeys(FIRST_OF_SYSTEM, [variable.finding()]),
                )
        if ClassState.KEPT in states:
            return rules._replace(kept=_ALL_TARGETS)
        if states == {ClassState.PATCHED} and len(listed) == len(keys):
            is_erased = any(cluster_class.is_erased for cluster_class in listed)
            return rules._replace(emptied=_ALL_TARGETS if is_erased else PATCHED_TARGETS)
        unpatched = [one for one in listed if one.state is not ClassState.PATCHED]
        return rules._replace(notes=_notes(unpatched, template.ref.kind))

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


def _index(templates: Iterable[Object]) -> ObjectIndex[Data]:
    """Return templates, to be found by what names them."""
    return ObjectIndex((key_of(obj), obj.data) for obj in templates)


def _families(groups: Iterable[set[Key]]) -> dict[Key, set[Key]]:
    """Return each class with all that share a template with it, or with one of these; each group shares one."""
    families: dict[Key, set[Key]] = {}
    for group in groups:
        family = set(group)
        for key in group:
            family |= families.get(key, set())
        for key in family:
            families[key] = family
    return families


def _state(listed: ListedClass) -> ClassState:
    if listed.variable:
        return ClassState.PRODUCT
    if listed.plan is None:
        return ClassState.TEMPLATES
    if listed.plan.patches is not None:
        return ClassState.PATCHED if listed.plan.has_ours else ClassState.TEMPLATES
    is_of_earlier_run = any(map(is_ours, list_at(listed.obj.data, PATCHES)))
    return ClassState.KEPT if is_of_earlier_run else ClassState.BLOCKED


def _notes(classes: Iterable[ListedClass], kind: str) -> dict[str, list[Result]]:
    """Return what classes do to their template that are not patched: target -> what it says.

    They erase what is there, which each target says, or write the same file, which the first target says.
    """
    notes: dict[str, list[Result]] = {target: [] for target in PATCHED_TARGETS}
    for listed in classes:
        name = listed.obj.ref.name
        if listed.is_erased:
            message = (
                f'patches of the ClusterClass "{name}" erase what inject-proxy writes here: enable `nodes.classes`, '
                "select the class, and do what the warnings about it say"
            )
            for of_target in notes.values():
                of_target.append(Result.of("ClassPatchErases", message))
        path = product_variables.repeated_path(listed.obj.data, listed.config.targets, kind)
        if path:
            message = (
                f'a patch of the ClusterClass "{name}" writes a file "{path}" as well, and Cluster API takes a path '
                "once: add the Clusters with its variable to the list, or take the file out of it"
            )
            for target in FIRST_OF_SYSTEM:
                notes[target].append(Result.of("ByHand", message))
    return notes
