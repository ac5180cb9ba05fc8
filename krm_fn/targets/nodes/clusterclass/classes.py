"""Decides which ClusterClasses are patched, and who gives the nodes of each class their proxy.

With ``classes: Patch`` all classes are patched; with ``Union`` those whose own patches erase lists of their templates,
and those that share a template with one of these. Where something is in the way of one class, all that share a template
with it stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter

from krm_fn.clusters import Key, ObjectIndex, Topology, class_name, key_of
from krm_fn.config import ProxyConfig
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import Result
from krm_fn.light_typing import Texts
from krm_fn.noproxy import Audience, Readers
from krm_fn.patch import Data
from krm_fn.products.cluster_api import CLUSTER
from krm_fn.products.node_kinds import OF_CLASSES, SYSTEMS
from krm_fn.settings import ProxySettings, Resolved, resolve
from krm_fn.targets import (
    ALL_NODES,
    ClassContext,
    ClassPlans,
    ObjectProxy,
    TemplateRules,
)
from krm_fn.targets.nodes.clusterclass.class_data import (
    CLASS,
    PATCHED_TARGETS,
    PATCHED_WHERE_ERASED,
    WORDS,
    written_path,
)
from krm_fn.targets.nodes.clusterclass.class_plan import erasures, plan
from krm_fn.targets.nodes.clusterclass.listed_class import (
    ClassState,
    ListedClass,
    drop_in_paths,
    for_class,
    for_nodes,
)

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
    words: Texts = WORDS

    def __init__(
        self,
        objects: Sequence[Object],
        is_selected: Callable[[Object], bool],
        topology: Topology,
        config: ProxyConfig,
    ) -> None:
        self._topology = topology
        self._config = config
        self._classes: dict[Key | None, ListedClass] = {}
        self._class_of: dict[Key, ListedClass] = {}
        self._is_chosen = False
        if config.is_removal:
            return
        is_enabled = config.targets.is_on(OF_CLASSES)
        self._is_chosen = is_enabled and config.targets.given_for(OF_CLASSES) == "Patch"
        for obj in objects:
            if obj.group_kind == CLASS:
                nearest = config.seen_from(obj.ref.file_path)
                default = for_class(nearest, topology.cluster_of_class(obj), obj.base_name)
                listed = ListedClass(obj, nearest, default, is_selected=is_selected(obj))
                self._classes.setdefault(key_of(obj), listed)
        for obj in objects:
            class_key = topology.class_of(obj) if obj.group_kind == CLUSTER else None
            if class_key in self._classes:
                its_class = self._classes[class_key]
                self._class_of[key_of(obj)] = its_class
                its_class.find_variable(obj.data, may_edit=is_selected(obj))
                if is_selected(obj):
                    its_class.members.append((obj, topology.nodes_of(obj)))
        templates = [
            obj for obj in objects if obj.ref.kind.endswith("Template") and is_selected(obj)
        ]
        self._find_erasures(templates)
        if is_enabled:
            self._plan(templates)

    def _find_erasures(self, templates: Iterable[Object]) -> None:
        """Find the families of the classes, and the lists of their templates that patches erase."""
        for obj in templates:
            classes = self._find_classes(obj)
            for listed in classes:
                classes[0].join(listed)
        index: ObjectIndex[Data] = ObjectIndex((key_of(obj), obj.data) for obj in templates)
        for listed in self._classes.values():
            if not listed.variable:
                listed.erasures = erasures(listed, index)

    def _plan(self, templates: Iterable[Object]) -> None:
        """Plan the patches of classes, out of templates that belong to them and to nothing else."""
        patched = {}
        for key, listed in self._classes.items():
            is_meant = listed.is_chosen or listed.is_erased
            if is_meant and listed.is_selected and not listed.variable:
                patched[key] = listed
        index: ObjectIndex[Data] = ObjectIndex()
        for obj in templates:
            keys = self._topology.classes_of(obj)
            if keys and patched.keys() >= set(keys):
                index.add(key_of(obj), obj.data)
        for listed in patched.values():
            listed.plan = plan(listed, index)
        if self._is_chosen or patched:
            self.words = ()

    def _find_classes(self, template: Object) -> list[ListedClass]:
        """Return the classes of a template that are in the list."""
        keys = self._topology.classes_of(template)
        return [self._classes[key] for key in keys if key in self._classes]

    def rules_for(self, template: Object) -> TemplateRules:
        """Return the rules of the classes of a template."""
        classes = self._find_classes(template)
        if not classes:
            return TemplateRules()
        first = min(classes, key=attrgetter("state"))
        if first.variable is not None:
            finding = first.variable.finding
            # The first target of each system that is on reports for the whole template.
            firsts = [first.enabled(system.targets)[:1] for system in SYSTEMS]
            notes = {target: [finding] for targets in firsts for target in targets}
            return TemplateRules(emptied=first.variable.replaced, notes=notes)
        if first.state is ClassState.KEPT:
            return TemplateRules(kept=_ALL_TARGETS)
        if first.state is ClassState.PATCHED:
            emptied = _ALL_TARGETS if first.is_erased else PATCHED_TARGETS
            return TemplateRules(emptied=emptied)
        is_awaited = first.state is ClassState.BLOCKED
        return TemplateRules(notes=_notes(classes, template.ref.kind), is_awaited=is_awaited)

    def edit_for(self, obj: Object) -> ObjectProxy | None:
        """Return how a ClusterClass, or a Cluster of one, is edited.

        None for a Cluster that is made of no class, or stays as it is with its class.
        """
        if obj.group_kind == CLASS:
            listed = self._classes.get(key_of(obj))
            if listed is None or listed.plan is None:
                return self._removal(obj)
            return ObjectProxy((), listed.default, listed.context())
        if obj.group_kind != CLUSTER or not class_name(obj.data):
            return None
        listed = self._class_of.get(key_of(obj))
        nodes = self._topology.nodes_of(obj)
        memberships = tuple(nodes.values())
        if listed is not None and listed.state is ClassState.KEPT:
            return None
        if listed is not None and listed.state is ClassState.PATCHED:
            proxies = {**listed.clusters[key_of(obj)]}
            of_all = proxies.pop(ALL_NODES)
            groups = {group: resolved.settings for group, resolved in proxies.items()}
            context = listed.context()._replace(repairs_erased=False, groups=groups)
            return ObjectProxy(memberships, of_all, context)
        is_known = listed is not None and (listed.is_selected or listed.variable is not None)
        if is_known or not self._is_chosen:
            return self._removal(obj)
        nearest = self._config.seen_from(obj.ref.file_path)
        of_all = for_nodes(nearest, nodes[ALL_NODES], ProxySettings(), obj.base_name)
        return ObjectProxy(memberships, of_all, ClassContext(is_known=False))

    def _removal(self, obj: Object) -> ObjectProxy:
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
        return ObjectProxy((), Resolved(blank), ClassContext())


def _notes(classes: Iterable[ListedClass], kind: str) -> dict[str, list[Result]]:
    """Return the findings about a template of a kind for each target, given classes that are not patched.

    Patches of a class may erase the entries of any target, or write the file of one target, too.
    """
    notes: dict[str, list[Result]] = {target: [] for target in PATCHED_TARGETS}
    for listed in classes:
        if listed.state is ClassState.PATCHED:
            continue
        name = listed.obj.ref.name
        if listed.erasures:
            message = (
                f'patches of the ClusterClass "{name}" erase what inject-proxy writes here: enable `nodes.classes`, '
                "select the class, and do what the warnings about it say"
            )
            for of_target in notes.values():
                of_target.append(Result("ClassPatchErases", message))
        for target, path in drop_in_paths(listed.config.targets).items():
            if written_path(listed.obj.data, [path], kind):
                message = (
                    f'a patch of the ClusterClass "{name}" writes a file "{path}" as well, and Cluster API takes a '
                    "path once: add the Clusters with its variable to the list, or take the file out of it"
                )
                notes[target].append(Result("ByHand", message))
    return notes
