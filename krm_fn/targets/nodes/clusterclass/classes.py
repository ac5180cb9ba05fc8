"""Which ClusterClasses are patched, and what their target needs to know: templates, Clusters, nodes.

With ``sharedTemplates: Patch`` all classes are; with ``Union`` those whose own patches erase what
their templates hold, and those that share a template with one of these. A class, or a template, that
the selector leaves out is not there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from krm_fn.carriers.cluster_variables import class_of
from krm_fn.clusters import ByKey, Key, Topology, key_of, references
from krm_fn.config import Mode, ProxyConfig
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import Finding, Severity
from krm_fn.light_typing import TYPE_CHECKING, Any
from krm_fn.products.node_kinds import FILES_ON_REQUEST, KUBEADM, NODE_KINDS, SYSTEMS
from krm_fn.settings import ProxySettings, Resolved, resolve
from krm_fn.targets import ClassContext
from krm_fn.targets.base import NO_OPTIONS
from krm_fn.targets.class_plans import ALL_NODES, ClassEdit, ClassPlans
from krm_fn.targets.nodes import cluster_class
from krm_fn.targets.nodes.clusterclass.names import (
    FIRST_OF_SYSTEM,
    INSTEAD_OF,
    INSTEAD_OF_WHERE_ERASED,
    Possibility,
)
from krm_fn.targets.nodes.clusterclass.settings import for_class, for_nodes

if TYPE_CHECKING:
    from krm_fn.targets.nodes.clusterclass.variables_of_products import ProductVariable

_CLASS, _CLUSTER = "ClusterClass", "Cluster"


class _Class:
    """A class of the list: the proxy it gives to all nodes, its Clusters, and whether its patches erase.

    Attributes:
        is_meant: it is to be patched.
        possibility: whether it can be.
        templates: those that belong to nothing but classes that are patched, this one being among them.
        targets: those that write the proxy of its nodes.
        variable: that of a product in its Clusters, out of which it writes the proxy on its nodes itself.
    """

    def __init__(self, obj: Object, default: Resolved, *, is_selected: bool) -> None:
        self.obj = obj
        self.default = default
        self.is_selected = is_selected
        self.clusters: dict[Key, dict[tuple[str, str], Resolved]] = {}
        self.is_eraser = False
        self.is_meant = False
        self.possibility = Possibility.PATCHED
        self.templates: ByKey[Mapping[str, Any]] = ByKey()
        self.variable: ProductVariable | None = None
        kinds = {key[:2] for key, _ in references(obj)}
        systems = [NODE_KINDS[kind].system.name for kind in kinds if kind in NODE_KINDS]
        found = [system for system in SYSTEMS if system.name in systems] or [KUBEADM]
        of_systems = dict.fromkeys(target for system in found for target in system.targets)
        self.targets = (*of_systems, FILES_ON_REQUEST)

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
        return self.is_stuck and cluster_class.is_patched(self.obj.data)

    @property
    def is_wanted(self) -> bool:
        """Whether any node is to get a proxy by way of it."""
        nodes = (resolved for cluster in self.clusters.values() for resolved in cluster.values())
        return any(resolved.settings.sets_any for resolved in (self.default, *nodes))

    @property
    def has_common(self) -> bool:
        """Whether its nodes are to get something that is the same for all Clusters."""
        return bool(self.default.settings.trusted_ca.pem or self.default.settings.mirror)


class Classes(ClassPlans):
    """The ClusterClasses of a list.

    Args:
        objects: those of ``topology.kinds()``.
        is_selected: whether the selector does not leave an object out.
        topology: the Clusters of the list.
        wanted: the checked FunctionConfig.
    """

    words = cluster_class.TARGET.hints(NO_OPTIONS)

    def __init__(
        self,
        objects: Iterable[Object],
        is_selected: Callable[[Object], bool],
        topology: Topology,
        wanted: ProxyConfig,
    ) -> None:
        super().__init__(topology)
        self._wanted = wanted
        options = wanted.targets.get(cluster_class.TARGET.id, {})
        self._is_enabled = bool(options.get("enabled", True)) and wanted.mode is not Mode.REMOVE
        self._is_chosen = self._is_enabled and cluster_class.is_on(options)
        self.is_on = self._is_chosen
        self._classes: dict[Key, _Class] = {}
        self._others: ByKey[None] = ByKey()
        if wanted.mode is not Mode.REMOVE:
            kinds = ("Template", _CLASS, _CLUSTER)
            self._read([obj for obj in objects if obj.ref.kind.endswith(kinds)], is_selected)

    def _read(self, known: list[Object], is_selected: Callable[[Object], bool]) -> None:
        for obj in known:
            if self._is(obj, _CLASS):
                its_class = _Class(obj, self._default(obj), is_selected=is_selected(obj))
                self._classes.setdefault(key_of(obj), its_class)
        if not self._classes:
            return
        selected = [obj for obj in known if is_selected(obj)]
        templates = [obj for obj in selected if obj.ref.kind.endswith("Template")]
        for obj in known:
            if self._is(obj, _CLUSTER):
                self._find_variable(obj, is_selected=is_selected(obj))
        self._find_erasers(ByKey((key_of(obj), obj.data) for obj in templates))
        self._choose(templates)
        self.is_on = self._is_chosen or any(one.is_meant for one in self._classes.values())
        if not self.is_on:
            return
        for obj in selected:
            if self._is(obj, _CLUSTER):
                self._take_cluster(obj)
        self._leave_out(templates)

    def _find_variable(self, obj: Object, *, is_selected: bool) -> None:
        """Find the variable of a Cluster out of which its class writes the proxy; one that is filled goes first."""
        one = self._classes.get(self._class_of(obj) or key_of(obj))
        if one is None or (one.variable and one.variable.is_filled):
            return
        options = self._wanted.targets
        found = cluster_class.variable_of_product(
            one.obj.data, obj.data, options, is_selected=is_selected
        )
        one.variable = found or one.variable

    def _find_erasers(self, templates: Mapping[Key, Mapping[str, Any]]) -> None:
        """Find the classes whose patches would erase a proxy in their templates."""
        for key, one in self._classes.items():
            if one.variable:
                continue
            class_context = ClassContext(
                is_wanted=True,
                targets=one.targets,
                options=self._wanted.targets,
                templates=templates,
                default=one.default.settings,
                is_behind=True,
                of_class=key,
            )
            one.is_eraser = cluster_class.erases(one.obj.data, class_context)

    def _choose(self, templates: Sequence[Object]) -> None:
        """Choose the classes to patch: those that erase, and all that share a template with one of them."""
        classes_of = {key_of(obj): self.topology.classes_of(obj) for obj in templates}
        found = {key for key, one in self._classes.items() if one.is_eraser and one.is_selected}
        while (
            more := {key for keys in classes_of.values() if found & set(keys) for key in keys}
            - found
        ):
            found |= more
        for key, one in self._classes.items():
            one.is_eraser = one.is_eraser or key in found
            is_asked = self._is_chosen or key in found
            is_free = one.is_selected and not one.variable
            one.is_meant = self._is_enabled and is_free and is_asked

    def _leave_out(self, templates: Sequence[Object]) -> None:
        """Leave out the classes that cannot be patched, and then those that share a template with them."""
        is_done = False
        while not is_done:
            own: ByKey[Mapping[str, Any]] = ByKey()
            self._others = ByKey()
            for obj in templates:
                if self.is_template(obj):
                    own.add(key_of(obj), dict(obj.data))  # what it holds before any edit
                else:
                    self._others.add(key_of(obj), None)
            is_done = True
            for one in [one for one in self._classes.values() if one.is_patched]:
                one.templates = own
                if one.is_wanted or one.has_common:
                    one.possibility = cluster_class.possibility(
                        one.obj.data, one.default.settings, self._of_class(one)
                    )
                is_done = is_done and one.is_patched

    def is_template(self, obj: Object) -> bool:
        """Return whether patches of classes give the nodes what this object could hold itself."""
        return bool(self._patched(obj))

    def _patched(self, obj: Object) -> list[_Class]:
        """Return the classes of a template, if all of them are patched."""
        found: list[_Class] = []
        for key in self.topology.classes_of(obj) if self._classes else ():
            one = self._classes.get(key)
            if one is None or not one.is_patched:
                return []
            found.append(one)
        return found

    def replaces(self, target_id: str, obj: Object) -> bool:
        """Return whether an object must hold nothing of a target, because its class does."""
        variable = self._variable(obj)
        if variable and variable.replaces(target_id):
            return True
        if target_id in INSTEAD_OF:
            return self.is_template(obj)
        is_one = target_id in INSTEAD_OF_WHERE_ERASED
        return is_one and any(one.is_eraser for one in self._patched(obj))

    def _variable(self, obj: Object) -> ProductVariable | None:
        """Return the variable out of which a class of a template writes the proxy on its nodes."""
        for key in self.topology.classes_of(obj) if self._classes else ():
            one = self._classes.get(key)
            if one is not None and one.variable:
                return one.variable
        return None

    def other_writer(self, target_id: str, obj: Object) -> Finding | None:
        """Return a finding about a template whose class writes the files of the proxy itself, or may do so."""
        if target_id not in FIRST_OF_SYSTEM:
            return None
        if variable := self._variable(obj):
            return variable.finding()
        for key in self.topology.classes_of(obj) if self._classes else ():
            one = self._classes.get(key)
            if one is None or one.is_patched:
                continue
            if path := cluster_class.repeated_path(
                one.obj.data, self._wanted.targets, obj.ref.kind
            ):
                message = (
                    f'a patch of the ClusterClass "{one.obj.ref.name}" writes a file "{path}" as well, and Cluster API '
                    "takes a path once: add the Clusters with the variable of that patch to the list, so that they "
                    "hold the proxy, take the file out of the patch, or set `path` of the target to another one"
                )
                return Finding(Severity.WARNING, message, code="PathRepeated")
        return None

    def keeps(self, target_id: str, obj: Object) -> bool:
        """Return whether an object stays as it is, because its class does and holds patches of an earlier run."""
        if target_id not in (*INSTEAD_OF, *INSTEAD_OF_WHERE_ERASED) or not self._classes:
            return False
        classes = (self._classes.get(key) for key in self.topology.classes_of(obj))
        return any(one is not None and one.stays for one in classes)

    def waits_for(self, obj: Object) -> bool:
        """Return whether a class is patched only once somebody has changed its templates, ``obj`` among them.

        A run that began the configuration of such a template would make the next run patch the class.
        """
        classes = (self._classes.get(key) for key in self.topology.classes_of(obj))
        return any(one is not None and one.is_stuck for one in classes)

    def lost(self, target_id: str, obj: Object) -> Finding | None:
        """Return a warning for a template whose class erases what a target writes into it, and is not patched."""
        if target_id not in INSTEAD_OF:
            return None
        for key in self.topology.classes_of(obj) if self._classes else ():
            one = self._classes.get(key)
            if one and one.is_eraser and not one.is_patched:
                remedy = "set `spec.targets.clusterClass.enabled` to true"
                if not one.is_selected:
                    remedy = "select the class in `spec.selector`, too"
                elif one.is_meant:
                    remedy = "do what the warnings about the class say"
                message = (
                    f'patches of the ClusterClass "{one.obj.ref.name}" erase what inject-proxy writes here, '
                    f"so nodes for which they run get no proxy: {remedy}"
                )
                return Finding(Severity.WARNING, message, code="ClassPatchErases")
        return None

    def about(self, obj: Object) -> ClassEdit | None:
        """Return the nodes of a ClusterClass or a Cluster, their settings, and what is known of the list.

        None for a Cluster that is made of no class, or stays as it is with its class.
        """
        if obj.group_kind not in cluster_class.TARGET.kinds:
            return None
        is_class = self._is(obj, _CLASS)
        key = key_of(obj) if is_class else self._class_of(obj)
        if key is None:
            return None
        its_class = self._classes.get(key)
        if its_class is not None and its_class.is_meant:
            if is_class:
                return (), its_class.default, self._of_class(its_class)
            if its_class.is_patched:
                return self._about_cluster(obj, its_class)
            return None if its_class.stays else ((), self._nothing(obj), ClassContext())
        is_left_out = its_class is None or not (its_class.is_selected or its_class.variable)
        if is_class or not self._is_chosen or not is_left_out:
            return (), self._nothing(obj), ClassContext()
        nodes = self.topology.nodes_of(obj)
        resolved = for_nodes(
            self._wanted,
            nodes[ALL_NODES],
            ProxySettings(),
            target=cluster_class.TARGET.id,
            name=obj.base_name,
        )
        return tuple(nodes.values()), resolved, ClassContext(is_known=False)

    def _about_cluster(self, obj: Object, its_class: _Class) -> ClassEdit:
        nodes = self.topology.nodes_of(obj)
        found = its_class.clusters[key_of(obj)]
        groups = {
            where: resolved.settings for where, resolved in found.items() if where != ALL_NODES
        }
        class_context = self._of_class(its_class)._replace(groups=groups, is_behind=False)
        return tuple(nodes.values()), found[ALL_NODES], class_context

    def _class_of(self, obj: Object) -> Key | None:
        """Return the class of a Cluster; None for one that names none, whatever one of the same name does."""
        return self.topology.class_of(obj) if class_of(obj.data) else None

    def _is(self, obj: Object, kind: str) -> bool:
        return obj.group_kind in cluster_class.TARGET.kinds and obj.ref.kind == kind

    def _of_class(self, its_class: _Class) -> ClassContext:
        has_all = its_class.is_wanted or its_class.has_common
        return ClassContext(
            its_class.is_wanted,
            targets=its_class.targets,
            options=self._wanted.targets,
            templates=its_class.templates,
            default=its_class.default.settings,
            is_chosen=self._is_chosen,
            is_behind=its_class.is_eraser and has_all,
            elsewhere=self._others,
            of_class=key_of(its_class.obj) if its_class.is_patched else None,
            has_hashed_secrets=bool(self._wanted.hash_names),
        )

    def _default(self, obj: Object) -> Resolved:
        return for_class(
            self._wanted,
            self.topology.cluster_of_class(obj),
            target=cluster_class.TARGET.id,
            name=obj.base_name,
        )

    def _nothing(self, obj: Object) -> Resolved:
        found = resolve(
            self._wanted,
            self.topology.of(obj),
            target=cluster_class.TARGET.id,
            audience=cluster_class.TARGET.audience,
            name=obj.base_name,
        )
        return Resolved(ProxySettings(cluster=found.settings.cluster, is_declared=found.declared))

    def _take_cluster(self, obj: Object) -> None:
        its_class = self._classes.get(self._class_of(obj) or key_of(obj))
        if its_class is None:
            return
        found: dict[tuple[str, str], Resolved] = {}
        default = its_class.default.settings
        for where, membership in self.topology.nodes_of(obj).items():
            found[where] = for_nodes(
                self._wanted,
                membership,
                default,
                target=cluster_class.TARGET.id,
                name=obj.base_name,
            )
            default = found[ALL_NODES].settings
        its_class.clusters[key_of(obj)] = found
