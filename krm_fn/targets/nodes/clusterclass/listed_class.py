"""A ClusterClass of the list: the proxy that its nodes get, and what becomes of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from krm_fn.clusters import Cluster, Key, Membership, ObjectIndex, key_of
from krm_fn.clusters.references import WorkerClass
from krm_fn.config import ProxyConfig
from krm_fn.krm.resourcelist import Object
from krm_fn.patch import list_at, named_items
from krm_fn.products.node_kinds import FILES_ON_REQUEST, NODE_KINDS, OF_CLASSES
from krm_fn.settings import ProxySettings, Resolved
from krm_fn.targets.base import Data, Options
from krm_fn.targets.class_context import ClassContext, ClassPlan
from krm_fn.targets.class_plans import ALL_NODES
from krm_fn.targets.nodes.clusterclass.foreign_patches import (
    ForeignOperation,
    NodeGroup,
    is_ours,
    node_groups,
)
from krm_fn.targets.nodes.clusterclass.names import PATCHES, VARIABLE, VARIABLES
from krm_fn.targets.nodes.clusterclass.product_variables import ProductVariable
from krm_fn.targets.nodes.clusterclass.settings import for_class, for_nodes


class ListedClass:
    """A ClusterClass of the list.

    Args:
        obj: the ClusterClass.
        config: the checked FunctionConfig.
        of_class: what is known about each of its Clusters.
        is_selected: the selector does not leave it out.

    Attributes:
        obj: the ClusterClass.
        default: the proxy that it gives to all nodes of which nothing is said.
        config: the checked FunctionConfig.
        is_selected: the selector does not leave it out.
        clusters: its Clusters, with the proxy of each group of their nodes, by section and name; that of the whole
            Cluster by ``ALL_NODES``.
        variable: that of a product in its Clusters, out of which it writes the proxy on its nodes itself.
        erasers: what patches of others erase of its templates, and the key of the list.
        has_erasers: it, or a class that shares a template with it, has such patches.
        plan: its patches; None where it is not to be patched.
    """

    def __init__(
        self, obj: Object, config: ProxyConfig, of_class: Cluster, *, is_selected: bool
    ) -> None:
        self.obj = obj
        self.config = config
        self.default = for_class(config, of_class, obj.base_name)
        self.is_selected = is_selected
        self.clusters: dict[Key, dict[WorkerClass, Resolved]] = {}
        self.variable: ProductVariable | None = None
        self.erasers: list[tuple[ForeignOperation, str]] = []
        self.has_erasers = False
        self.plan: ClassPlan | None = None

    @property
    def settings(self) -> ProxySettings:
        """The proxy that it gives to all nodes of which nothing is said."""
        return self.default.settings

    @property
    def is_chosen(self) -> bool:
        """Whether the user wants all classes patched; else only those are whose patches erase something."""
        return bool(self.options.get("classes") == "Patch")

    @property
    def is_stuck(self) -> bool:
        """Whether it is to be patched, and something is in the way of it or of its family."""
        return self.plan is not None and self.plan.patches is None

    @property
    def is_patched(self) -> bool:
        """Whether its nodes get a proxy, or what is the same for all Clusters, by its patches."""
        if self.plan is None or self.plan.patches is None:
            return False
        return self.plan.has_nodes

    @property
    def stays(self) -> bool:
        """Whether it keeps patches of an earlier run as they are, with all that belongs to them."""
        patches = list_at(self.obj.data, PATCHES)
        return self.is_stuck and any(map(is_ours, patches))

    @property
    def is_wanted(self) -> bool:
        """Whether any node is to get a proxy by way of it, or keeps one because nothing declares any."""
        proxies = [self.default]
        for of_cluster in self.clusters.values():
            proxies += of_cluster.values()
        if any(resolved.declared for resolved in proxies):
            return any(resolved.settings.sets_any for resolved in proxies)
        variables = named_items(self.obj.data, VARIABLES, VARIABLE)
        return self.has_common and bool(variables)

    @property
    def has_common(self) -> bool:
        """Whether its nodes are to get something that is the same for all Clusters."""
        return bool(self.settings.trusted_ca.pem or self.settings.mirror)

    @property
    def repairs_erased(self) -> bool:
        """Whether a patch has to add what is the same for all Clusters."""
        return self.has_erasers and (self.is_wanted or self.has_common)

    def add_cluster(self, obj: Object, nodes: Mapping[WorkerClass, Membership]) -> None:
        """Add a Cluster of the class, with its groups of nodes; that of the whole Cluster is the first."""
        default = self.settings
        proxies: dict[WorkerClass, Resolved] = {}
        for where, membership in nodes.items():
            proxies[where] = for_nodes(self.config, membership, default, obj.base_name)
            default = proxies[ALL_NODES].settings
        self.clusters[key_of(obj)] = proxies

    @property
    def options(self) -> Options:
        """The options of the targets that write on its nodes."""
        return self.config.targets.of(OF_CLASSES)

    def enabled(self, targets: Iterable[str]) -> list[str]:
        """Return those of some targets that write anything on its nodes."""
        return [target for target in targets if self.config.targets.is_on(target)]

    def template(self, nodes: NodeGroup, templates: ObjectIndex[Data]) -> Data | None:
        """Return the template of some nodes; the nearest one to the file of the class goes first.

        Cluster API refuses a reference into another namespace.
        """
        own = self.obj.ref
        return templates.get(Key(*nodes.group_kind, own.namespace, nodes.template, own.file_path))

    def context(self) -> ClassContext:
        """Return what the targets of classes know of it."""
        targets = [FILES_ON_REQUEST]
        for nodes in node_groups(self.obj.data):
            if nodes.group_kind in NODE_KINDS:
                targets += NODE_KINDS[nodes.group_kind].system.targets
        return ClassContext(
            self.is_wanted,
            targets=self.enabled(targets),
            options=self.options,
            default=self.settings,
            repairs_erased=self.repairs_erased,
            of_class=key_of(self.obj),
            has_hashed_secrets=bool(self.config.hash_names),
            plan=self.plan,
        )
