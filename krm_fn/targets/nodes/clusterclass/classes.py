"""Which ClusterClasses are patched, and what their target needs to know: templates, Clusters, nodes.

With ``sharedTemplates: Patch`` all classes are; with ``Union`` those whose own patches erase what their templates hold,
and those that share a template with one of these. Where something is in the way of one class, all that share a template
with it stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from krm_fn.clusters import Key, ObjectIndex, Topology, class_name, key_of, references
from krm_fn.config import Mode, ProxyConfig
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import Finding
from krm_fn.light_typing import Any
from krm_fn.noproxy import Readers
from krm_fn.patch import list_at
from krm_fn.products.cluster_api import CLUSTER
from krm_fn.products.node_kinds import FILES_ON_REQUEST, KUBEADM, NODE_KINDS, OF_CLASSES, SYSTEMS
from krm_fn.settings import ProxySettings, Resolved, resolve
from krm_fn.targets import ClassContext
from krm_fn.targets.class_plans import ALL_NODES, ClassEdit, ClassPlans
from krm_fn.targets.nodes import cluster_class
from krm_fn.targets.nodes.clusterclass import class_site, product_variables
from krm_fn.targets.nodes.clusterclass.foreign_patches import is_ours
from krm_fn.targets.nodes.clusterclass.names import (
    FIRST_OF_SYSTEM,
    INSTEAD_OF,
    INSTEAD_OF_WHERE_ERASED,
    Possibility,
)
from krm_fn.targets.nodes.clusterclass.node_patches import erasers_of
from krm_fn.targets.nodes.clusterclass.product_variables import ProductVariable
from krm_fn.targets.nodes.clusterclass.settings import for_class, for_nodes

_Nodes = dict[tuple[str, str], Resolved]
"""Section and name of a group of workers -> its proxy; that of the whole Cluster by ``ALL_NODES``."""


class _Class:
    """A class of the list.

    Attributes:
        default: the proxy it gives to all nodes of which nothing is said.
        clusters: its Clusters, with the proxy of each group of their nodes.
        variable: that of a product in its Clusters, out of which it writes the proxy on its nodes itself.
        is_eraser: its patches, or those of a class that shares a template with it, erase what templates hold.
        is_meant: it is to be patched.
        possibility: whether it can be.
        targets: those that write the proxy of its nodes.
    """

    def __init__(self, obj: Object, default: Resolved, *, is_selected: bool) -> None:
        self.obj = obj
        self.default = default
        self.is_selected = is_selected
        self.clusters: dict[Key, _Nodes] = {}
        self.variable: ProductVariable | None = None
        self.is_eraser = False
        self.is_meant = False
        self.possibility = Possibility.PATCHED
        kinds = {key.group_kind for key, _ in references(obj)}
        systems = {NODE_KINDS[kind].system.name for kind in kinds if kind in NODE_KINDS}
        of_class = [system for system in SYSTEMS if system.name in systems] or [KUBEADM]
        targets = [target for system in of_class for target in system.targets]
        self.targets = (*dict.fromkeys(targets), FILES_ON_REQUEST)

    @property
    def is_patched(self) -> bool:
        """Whether its nodes get a proxy, or what is the same for all Clusters, by its patches."""
        return self.is_meant and self.possibility is Possibility.PATCHED

    @property
    def is_stuck(self) -> bool:
        """Whether it is to be patched, and something is in the way."""
        return self.is_meant and self.possibility is Possibility.IN_THE_WAY

    @property
    def stays(self) -> bool:
        """Whether it keeps patches of an earlier run as they are, with all that belongs to them."""
        patches = list_at(self.obj.data, ("spec", "patches"))
        return self.is_stuck and any(map(is_ours, patches))

    @property
    def is_wanted(self) -> bool:
        """Whether any node is to get a proxy by way of it."""
        nodes = [resolved for proxies in self.clusters.values() for resolved in proxies.values()]
        return any(resolved.settings.sets_any for resolved in (self.default, *nodes))

    @property
    def has_common(self) -> bool:
        """Whether its nodes are to get something that is the same for all Clusters."""
        settings = self.default.settings
        return bool(settings.trusted_ca.pem or settings.mirror)


class Classes(ClassPlans):
    """The ClusterClasses of a list.

    Args:
        objects: those of ``topology.kinds()``.
        is_selected: whether the selector does not leave an object out.
        topology: the Clusters of the list.
        wanted: the checked FunctionConfig.
    """

    words = cluster_class.WORDS

    def __init__(
        self,
        objects: Iterable[Object],
        is_selected: Callable[[Object], bool],
        topology: Topology,
        wanted: ProxyConfig,
    ) -> None:
        super().__init__(topology)
        self._wanted = wanted
        options = wanted.targets.get(OF_CLASSES, {})
        self._is_enabled = bool(options.get("enabled", True)) and wanted.mode is not Mode.REMOVE
        self._is_chosen = self._is_enabled and options.get("sharedTemplates") == "Patch"
        self.is_on = self._is_chosen
        self._classes: dict[Key, _Class] = {}
        self._templates: list[Object] = []
        if wanted.mode is not Mode.REMOVE:
            self._read(list(objects), is_selected)

    def _read(self, objects: Sequence[Object], is_selected: Callable[[Object], bool]) -> None:
        for obj in objects:
            if obj.group_kind == cluster_class.CLASS:
                its_class = _Class(obj, self._default(obj), is_selected=is_selected(obj))
                self._classes.setdefault(key_of(obj), its_class)
        if not self._classes:
            return
        of_clusters = [obj for obj in objects if obj.group_kind == CLUSTER]
        self._templates = [
            obj for obj in objects if obj.ref.kind.endswith("Template") and is_selected(obj)
        ]
        for obj in of_clusters:
            self._find_variable(obj, is_selected=is_selected(obj))
        self._choose()
        self.is_on = self._is_chosen or any(
            its_class.is_meant for its_class in self._classes.values()
        )
        if self.is_on:
            for obj in of_clusters:
                if is_selected(obj):
                    self._take_cluster(obj)
            self._find_obstacles()

    def _find_variable(self, obj: Object, *, is_selected: bool) -> None:
        """Find the variable of a Cluster out of which its class writes the proxy; one that is filled goes first."""
        its_class = self._class_of(obj)
        if its_class is None or (its_class.variable and its_class.variable.is_filled):
            return
        variable = product_variables.find(
            its_class.obj.data, obj.data, self._wanted.targets, is_selected=is_selected
        )
        its_class.variable = variable or its_class.variable

    def _choose(self) -> None:
        """Choose the classes to patch: those that erase, and all that share a template with one of them."""
        templates = ObjectIndex((key_of(obj), obj.data) for obj in self._templates)
        for key, its_class in self._classes.items():
            if not its_class.variable:
                context = self._context(key, its_class, templates)._replace(
                    is_wanted=True, is_behind=True
                )
                its_class.is_eraser = any(erasers_of(its_class.obj.data, context))
        erasing = {
            key
            for key, its_class in self._classes.items()
            if its_class.is_eraser and its_class.is_selected
        }
        family = self._family(erasing)
        for key, its_class in self._classes.items():
            its_class.is_eraser = its_class.is_eraser or key in family
            is_asked = self._is_chosen or key in family
            its_class.is_meant = (
                self._is_enabled and is_asked and its_class.is_selected and not its_class.variable
            )

    def _family(self, keys: set[Key]) -> set[Key]:
        """Return some classes and all that share a template with one of them."""
        family = set(keys)
        groups = [set(self.topology.classes_of(obj)) for obj in self._templates]
        while more := {key for group in groups if group & family for key in group} - family:
            family |= more
        return family

    def _find_obstacles(self) -> None:
        """Find out which classes cannot be patched; what is in the way of one is in the way of its family."""
        templates: ObjectIndex[Mapping[str, Any]] = ObjectIndex()
        for obj in self._templates:
            if self.is_template(obj):
                templates.add(key_of(obj), dict(obj.data))  # what it holds before any edit
        self._own = templates
        for key, its_class in self._classes.items():
            if its_class.is_meant and (its_class.is_wanted or its_class.has_common):
                context = self._context(key, its_class, templates)
                its_class.possibility = class_site.possibility(its_class.obj.data, context)
        stuck = {key for key, its_class in self._classes.items() if its_class.is_stuck}
        for key in self._family(stuck):
            if key in self._classes:
                self._classes[key].possibility = Possibility.IN_THE_WAY

    def _of(self, obj: Object) -> Iterator[_Class | None]:
        """Yield the classes of a template; None for one that is not in the list."""
        for key in self.topology.classes_of(obj) if self._classes else ():
            yield self._classes.get(key)

    def is_template(self, obj: Object) -> bool:
        """Return whether patches of classes give the nodes what this object could hold itself."""
        classes = [*self._of(obj)]
        return bool(classes) and all(
            its_class is not None and its_class.is_patched for its_class in classes
        )

    def replaces(self, target_id: str, obj: Object) -> bool:
        """Return whether an object must hold nothing of a target, because its class does."""
        variable = self._variable(obj)
        if variable and variable.replaces(target_id):
            return True
        if target_id in INSTEAD_OF:
            return self.is_template(obj)
        is_erased = any(
            its_class is not None and its_class.is_eraser for its_class in self._of(obj)
        )
        return target_id in INSTEAD_OF_WHERE_ERASED and is_erased and self.is_template(obj)

    def _variable(self, obj: Object) -> ProductVariable | None:
        """Return the variable out of which a class of a template writes the proxy on its nodes."""
        variables = [
            its_class.variable
            for its_class in self._of(obj)
            if its_class is not None and its_class.variable
        ]
        return variables[0] if variables else None

    def other_writer(self, target_id: str, obj: Object) -> Finding | None:
        """Return a finding about a template whose class writes the files of the proxy itself, or may do so."""
        if target_id not in FIRST_OF_SYSTEM:
            return None
        if variable := self._variable(obj):
            return variable.finding()
        for its_class in self._of(obj):
            if its_class is None or its_class.is_patched:
                continue
            kind, options = obj.ref.kind, self._wanted.targets
            path = product_variables.repeated_path(its_class.obj.data, options, kind)
            if path:
                message = (
                    f'a patch of the ClusterClass "{its_class.obj.ref.name}" writes a file "{path}" as well, and Cluster API '  # noqa: E501
                    "takes a path once: add the Clusters with its variable to the list, or take the file out of it"
                )
                return Finding.of("ProviderRefuses", message)
        return None

    def keeps(self, target_id: str, obj: Object) -> bool:
        """Return whether an object stays as it is, because its class does and holds patches of an earlier run."""
        is_replaced = target_id in (*INSTEAD_OF, *INSTEAD_OF_WHERE_ERASED)
        return is_replaced and any(
            its_class is not None and its_class.stays for its_class in self._of(obj)
        )

    def waits_for(self, obj: Object) -> bool:
        """Return whether a class is patched only once somebody has changed its templates, ``obj`` among them.

        A run that began the configuration of such a template would make the next run patch the class.
        """
        return any(its_class is not None and its_class.is_stuck for its_class in self._of(obj))

    def lost(self, target_id: str, obj: Object) -> Finding | None:
        """Return a warning for a template whose class erases what a target writes into it, and is not patched."""
        for its_class in self._of(obj) if target_id in INSTEAD_OF else ():
            if its_class is not None and its_class.is_eraser and not its_class.is_patched:
                message = (
                    f'patches of the ClusterClass "{its_class.obj.ref.name}" erase what inject-proxy writes here: enable '  # noqa: E501
                    "`clusterClass`, select the class, and do what the warnings about it say"
                )
                return Finding.of("ClassPatchErases", message)
        return None

    def about(self, obj: Object) -> ClassEdit | None:
        """Return the nodes of a ClusterClass or a Cluster, their settings, and what is known of the list.

        None for a Cluster that is made of no class, or stays as it is with its class.
        """
        if obj.group_kind == cluster_class.CLASS:
            its_class = self._classes.get(key_of(obj))
            if its_class is not None and its_class.is_meant:
                return (), its_class.default, self._context(key_of(obj), its_class, self._own)
            return (), self._nothing(obj), ClassContext()
        if obj.group_kind != CLUSTER or not class_name(obj.data):
            return None
        its_class = self._class_of(obj)
        if its_class is not None and its_class.is_patched:
            return self._about_cluster(obj, its_class)
        if its_class is not None and its_class.stays:
            return None
        is_left_out = its_class is None or not (its_class.is_selected or its_class.variable)
        if not self._is_chosen or not is_left_out:
            return (), self._nothing(obj), ClassContext()
        nodes = self.topology.nodes_of(obj)
        resolved = self._resolved(obj, nodes[ALL_NODES], ProxySettings())
        return tuple(nodes.values()), resolved, ClassContext(is_known=False)

    def _about_cluster(self, obj: Object, its_class: _Class) -> ClassEdit:
        proxies = its_class.clusters[key_of(obj)]
        groups = {
            where: resolved.settings for where, resolved in proxies.items() if where != ALL_NODES
        }
        context = self._context(key_of(its_class.obj), its_class, self._own)
        context = context._replace(groups=groups, is_behind=False)
        return tuple(self.topology.nodes_of(obj).values()), proxies[ALL_NODES], context

    def _class_of(self, cluster: Object) -> _Class | None:
        """Return the class of a Cluster; None for one that names none in the list."""
        key = self.topology.class_of(cluster) if class_name(cluster.data) else None
        return self._classes.get(key) if key is not None else None

    def _context(
        self, key: Key, its_class: _Class, templates: Mapping[Key, Mapping[str, Any]]
    ) -> ClassContext:
        return ClassContext(
            its_class.is_wanted,
            targets=its_class.targets,
            options=self._wanted.targets,
            templates=templates,
            default=its_class.default.settings,
            is_chosen=self._is_chosen,
            is_behind=its_class.is_eraser and (its_class.is_wanted or its_class.has_common),
            of_class=key,
            has_hashed_secrets=bool(self._wanted.hash_names),
        )

    def _default(self, obj: Object) -> Resolved:
        of_class = self.topology.cluster_of_class(obj)
        return for_class(self._wanted, of_class, target=OF_CLASSES, name=obj.base_name)

    def _nothing(self, obj: Object) -> Resolved:
        resolved = resolve(
            self._wanted,
            self.topology.of(obj),
            target=OF_CLASSES,
            readers=Readers(cluster_class.TARGET.audience),
            name=obj.base_name,
        )
        return Resolved(
            ProxySettings(cluster=resolved.settings.cluster, is_declared=resolved.declared)
        )

    def _resolved(self, obj: Object, nodes: Any, default: ProxySettings) -> Resolved:
        return for_nodes(self._wanted, nodes, default, target=OF_CLASSES, name=obj.base_name)

    def _take_cluster(self, obj: Object) -> None:
        its_class = self._class_of(obj)
        if its_class is None:
            return
        default = its_class.default.settings
        proxies: _Nodes = {}
        for where, membership in self.topology.nodes_of(obj).items():
            proxies[where] = self._resolved(obj, membership, default)
            default = proxies[ALL_NODES].settings
        its_class.clusters[key_of(obj)] = proxies
