"""Which ClusterClasses are patched, and what their target needs to know: templates, Clusters, nodes.

With ``sharedTemplates: Patch`` all classes are; with ``Union`` those whose own patches erase what their templates hold,
and those that share a template with one of these. Where something is in the way of one class, all that share a template
with it stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from krm_fn.clusters import Key, Membership, ObjectIndex, Topology, class_name, key_of, references
from krm_fn.config import Mode, ProxyConfig
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import Result
from krm_fn.noproxy import Readers
from krm_fn.patch import list_at, named_items
from krm_fn.products.cluster_api import CLUSTER
from krm_fn.products.node_kinds import FILES_ON_REQUEST, KUBEADM, NODE_KINDS, OF_CLASSES, SYSTEMS
from krm_fn.settings import ProxySettings, Resolved, resolve
from krm_fn.targets import ClassContext
from krm_fn.targets.class_plans import ALL_NODES, ClassEdit, ClassPlans
from krm_fn.targets.context import Data
from krm_fn.targets.nodes.cluster_class import CLASS, TARGET, WORDS
from krm_fn.targets.nodes.clusterclass import class_patches, product_variables
from krm_fn.targets.nodes.clusterclass.foreign_patches import is_ours
from krm_fn.targets.nodes.clusterclass.names import (
    FIRST_OF_SYSTEM,
    PATCHED_TARGETS,
    PATCHED_WHERE_ERASED,
    PATCHES,
    VARIABLE,
    VARIABLES,
)
from krm_fn.targets.nodes.clusterclass.node_patches import erasers_of
from krm_fn.targets.nodes.clusterclass.product_variables import ProductVariable
from krm_fn.targets.nodes.clusterclass.settings import for_class, for_nodes

_Proxies = dict[tuple[str, str], Resolved]
"""Section and name of a group of workers -> its proxy; that of the whole Cluster by ``ALL_NODES``."""
_Templates = Mapping[Key, Data]


class _Class:
    """A class of the list.

    Attributes:
        obj: the ClusterClass.
        default: the proxy that it gives to all nodes of which nothing is said.
        is_selected: the selector does not leave it out.
        clusters: its Clusters, with the proxy of each group of their nodes.
        variable: that of a product in its Clusters, out of which it writes the proxy on its nodes itself.
        erases_lists: its patches, or those of a class that shares a template with it, erase what templates hold.
        is_meant: it is to be patched.
        is_stuck: it is to be patched, and something is in the way.
        has_nodes: it has nodes that a patch could give anything.
        targets: those that write the proxy of its nodes.
    """

    def __init__(self, obj: Object, default: Resolved, *, is_selected: bool) -> None:
        self.obj = obj
        self.default = default
        self.is_selected = is_selected
        self.clusters: dict[Key, _Proxies] = {}
        self.variable: ProductVariable | None = None
        self.erases_lists = False
        self.is_meant = False
        self.is_stuck = False
        self.has_nodes = True
        kinds = {key.group_kind for key, _ in references(obj)}
        names = {NODE_KINDS[kind].system.name for kind in kinds if kind in NODE_KINDS}
        systems = [system for system in SYSTEMS if system.name in names] or [KUBEADM]
        targets = [target for system in systems for target in system.targets]
        self.targets = (*dict.fromkeys(targets), FILES_ON_REQUEST)

    @property
    def is_patched(self) -> bool:
        """Whether its nodes get a proxy, or what is the same for all Clusters, by its patches."""
        return self.is_meant and self.has_nodes and not self.is_stuck

    @property
    def stays(self) -> bool:
        """Whether it keeps patches of an earlier run as they are, with all that belongs to them."""
        return self.is_stuck and any(map(is_ours, list_at(self.obj.data, PATCHES)))

    @property
    def is_wanted(self) -> bool:
        """Whether any node is to get a proxy by way of it, or keeps one because nothing declares any."""
        proxies = [self.default]
        for of_cluster in self.clusters.values():
            proxies += of_cluster.values()
        if any(resolved.declared for resolved in proxies):
            return any(resolved.settings.sets_any for resolved in proxies)
        return self.has_common and bool(named_items(self.obj.data, VARIABLES, VARIABLE))

    @property
    def has_common(self) -> bool:
        """Whether its nodes are to get something that is the same for all Clusters."""
        settings = self.default.settings
        return bool(settings.trusted_ca.pem or settings.mirror)


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
        options = config.targets.get(OF_CLASSES, {})
        self._is_enabled = bool(options.get("enabled", True)) and config.mode is not Mode.REMOVE
        self._is_chosen = self._is_enabled and options.get("sharedTemplates") == "Patch"
        self.is_on = self._is_chosen
        self._classes: dict[Key, _Class] = {}
        self._templates: list[Object] = []
        self._contents: ObjectIndex[Data] = ObjectIndex()
        if config.mode is not Mode.REMOVE:
            self._read(objects, is_selected)

    def _read(self, objects: Sequence[Object], is_selected: Callable[[Object], bool]) -> None:
        for obj in objects:
            if obj.group_kind == CLASS:
                of_class = self.topology.cluster_of_class(obj)
                default = for_class(self._config, of_class, target=OF_CLASSES, name=obj.base_name)
                cluster_class = _Class(obj, default, is_selected=is_selected(obj))
                self._classes.setdefault(key_of(obj), cluster_class)
        if not self._classes:
            return
        self._templates = [
            obj for obj in objects if obj.ref.kind.endswith("Template") and is_selected(obj)
        ]
        clusters = [obj for obj in objects if obj.group_kind == CLUSTER]
        for obj in clusters:
            self._find_variable(obj, is_selected=is_selected(obj))
        self._choose()
        self.is_on = self._is_chosen or any(
            cluster_class.is_meant for cluster_class in self._classes.values()
        )
        if self.is_on:
            for obj in filter(is_selected, clusters):
                self._take_cluster(obj)
            self._find_obstacles()

    def _find_variable(self, obj: Object, *, is_selected: bool) -> None:
        """Find the variable of a Cluster out of which its class writes the proxy; one that is filled goes first."""
        cluster_class = self._class_of(obj)
        if cluster_class is None or (cluster_class.variable and cluster_class.variable.is_filled):
            return
        variable = product_variables.find(
            cluster_class.obj.data, obj.data, self._config.targets, is_selected=is_selected
        )
        cluster_class.variable = variable or cluster_class.variable

    def _choose(self) -> None:
        """Choose the classes to patch: those that erase, and all that share a template with one of them."""
        templates = ObjectIndex((key_of(obj), obj.data) for obj in self._templates)
        for cluster_class in self._classes.values():
            if not cluster_class.variable:
                context = self._context(cluster_class, templates)
                context = context._replace(is_wanted=True, repairs_erased=True)
                cluster_class.erases_lists = any(erasers_of(cluster_class.obj.data, context))
        family = self._family(
            key
            for key, cluster_class in self._classes.items()
            if cluster_class.erases_lists and cluster_class.is_selected
        )
        for key, cluster_class in self._classes.items():
            cluster_class.erases_lists = cluster_class.erases_lists or key in family
            is_asked = self._is_enabled and (self._is_chosen or key in family)
            cluster_class.is_meant = (
                is_asked and cluster_class.is_selected and not cluster_class.variable
            )

    def _family(self, keys: Iterable[Key]) -> set[Key]:
        """Return some classes and all that share a template with one of them."""
        family = set(keys)
        groups = [set(self.topology.classes_of(obj)) for obj in self._templates]
        while more := {key for group in groups if group & family for key in group} - family:
            family |= more
        return family

    def _take_cluster(self, obj: Object) -> None:
        cluster_class = self._class_of(obj)
        if cluster_class is None:
            return
        default = cluster_class.default.settings
        proxies: _Proxies = {}
        for where, nodes in self.topology.nodes_of(obj).items():
            proxies[where] = self._proxy_of(obj, nodes, default)
            default = proxies[ALL_NODES].settings
        cluster_class.clusters[key_of(obj)] = proxies

    def _find_obstacles(self) -> None:
        """Find out which classes cannot be patched; what is in the way of one is in the way of its family."""
        for obj in self._templates:
            if self.is_template(obj):
                self._contents.add(key_of(obj), dict(obj.data))  # what it holds before any edit
        stuck = []
        for key, cluster_class in self._classes.items():
            if cluster_class.is_meant and (cluster_class.is_wanted or cluster_class.has_common):
                context = self._context(cluster_class, self._contents)
                plan = class_patches.plan(cluster_class.obj.data, context)
                cluster_class.has_nodes = plan.has_nodes
                if plan.patches is None:
                    stuck.append(key)
        for key in self._family(stuck):
            if key in self._classes:
                self._classes[key].is_stuck = self._classes[key].is_meant

    def _classes_of(self, obj: Object) -> list[_Class]:
        """Return the classes of a template that are in the list."""
        keys = self.topology.classes_of(obj) if self._classes else ()
        return [self._classes[key] for key in keys if key in self._classes]

    def _class_of(self, cluster: Object) -> _Class | None:
        """Return the class of a Cluster; None for one that names none in the list."""
        key = self.topology.class_of(cluster) if class_name(cluster.data) else None
        return self._classes.get(key) if key is not None else None

    def is_template(self, obj: Object) -> bool:
        """Return whether patches of classes give the nodes what this object could hold itself."""
        keys = [*self.topology.classes_of(obj)] if self._classes else []
        classes = [self._classes.get(key) for key in keys]
        return bool(classes) and all(one is not None and one.is_patched for one in classes)

    def replaces(self, target_id: str, obj: Object) -> bool:
        """Return whether an object must hold nothing of a target, because its class does."""
        variable = self._variable(obj)
        if variable and variable.replaces(target_id):
            return True
        if target_id in PATCHED_WHERE_ERASED:
            is_replaced = any(cluster_class.erases_lists for cluster_class in self._classes_of(obj))
        else:
            is_replaced = target_id in PATCHED_TARGETS
        return is_replaced and self.is_template(obj)

    def _variable(self, obj: Object) -> ProductVariable | None:
        """Return the variable out of which a class of a template writes the proxy on its nodes."""
        for cluster_class in self._classes_of(obj):
            if cluster_class.variable:
                return cluster_class.variable
        return None

    def notes(self, target_id: str, obj: Object) -> list[Result]:
        """Return what the classes of a template do to what a target writes into it.

        They write the same files themselves, or erase what it holds and are not patched.
        """
        findings: list[Result] = []
        if target_id not in PATCHED_TARGETS:
            return findings
        is_first = target_id in FIRST_OF_SYSTEM
        variable = self._variable(obj)
        if variable:
            return [variable.finding()] if is_first else findings
        for cluster_class in self._classes_of(obj):
            if cluster_class.is_patched:
                continue
            name = cluster_class.obj.ref.name
            if cluster_class.erases_lists:
                message = (
                    f'patches of the ClusterClass "{name}" erase what inject-proxy writes here: enable `clusterClass`, '
                    "select the class, and do what the warnings about it say"
                )
                findings.append(Result.of("ClassPatchErases", message))
            options, path = self._config.targets, ""
            if is_first:
                path = product_variables.repeated_path(
                    cluster_class.obj.data, options, obj.ref.kind
                )
            if path:
                message = (
                    f'a patch of the ClusterClass "{name}" writes a file "{path}" as well, and Cluster API takes a '
                    "path once: add the Clusters with its variable to the list, or take the file out of it"
                )
                findings.append(Result.of("ByHand", message))
        return findings

    def keeps(self, target_id: str, obj: Object) -> bool:
        """Return whether an object stays as it is, because its class does and holds patches of an earlier run."""
        is_replaced = target_id in (*PATCHED_TARGETS, *PATCHED_WHERE_ERASED)
        return is_replaced and any(cluster_class.stays for cluster_class in self._classes_of(obj))

    def waits_for(self, obj: Object) -> bool:
        """Return whether a class is patched only once somebody has changed its templates, ``obj`` among them.

        A run that began the configuration of such a template would make the next run patch the class.
        """
        return any(cluster_class.is_stuck for cluster_class in self._classes_of(obj))

    def about(self, obj: Object) -> ClassEdit | None:
        """Return the nodes of a ClusterClass or a Cluster, their settings, and what is known of the list.

        None for a Cluster that is made of no class, or stays as it is with its class.
        """
        if obj.group_kind == CLASS:
            cluster_class = self._classes.get(key_of(obj))
            if cluster_class is not None and cluster_class.is_meant:
                return (), cluster_class.default, self._context(cluster_class, self._contents)
            return (), self._nothing(obj), ClassContext()
        if obj.group_kind != CLUSTER or not class_name(obj.data):
            return None
        cluster_class = self._class_of(obj)
        if cluster_class is not None and cluster_class.is_patched:
            return self._about_cluster(obj, cluster_class)
        if cluster_class is not None and cluster_class.stays:
            return None
        is_left_out = cluster_class is None or not (
            cluster_class.is_selected or cluster_class.variable
        )
        if not self._is_chosen or not is_left_out:
            return (), self._nothing(obj), ClassContext()
        nodes = self.topology.nodes_of(obj)
        resolved = self._proxy_of(obj, nodes[ALL_NODES], ProxySettings())
        return tuple(nodes.values()), resolved, ClassContext(is_known=False)

    def _about_cluster(self, obj: Object, cluster_class: _Class) -> ClassEdit:
        proxies = {**cluster_class.clusters[key_of(obj)]}
        of_all = proxies.pop(ALL_NODES)
        groups = {where: resolved.settings for where, resolved in proxies.items()}
        context = self._context(cluster_class, self._contents)
        context = context._replace(groups=groups, repairs_erased=False)
        return tuple(self.topology.nodes_of(obj).values()), of_all, context

    def _context(self, cluster_class: _Class, templates: _Templates) -> ClassContext:
        return ClassContext(
            cluster_class.is_wanted,
            targets=cluster_class.targets,
            options=self._config.targets,
            templates=templates,
            default=cluster_class.default.settings,
            is_chosen=self._is_chosen,
            repairs_erased=cluster_class.erases_lists
            and (cluster_class.is_wanted or cluster_class.has_common),
            of_class=key_of(cluster_class.obj),
            has_hashed_secrets=bool(self._config.hash_names),
        )

    def _proxy_of(self, obj: Object, nodes: Membership, default: ProxySettings) -> Resolved:
        return for_nodes(self._config, nodes, default, target=OF_CLASSES, name=obj.base_name)

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
