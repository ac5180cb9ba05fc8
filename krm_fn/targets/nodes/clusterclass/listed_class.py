"""A ClusterClass of the list: the proxy of its nodes, its state, and all that its targets need to know.

A class may write the proxy on its nodes itself, out of a topology variable of its Clusters. A file may be written once
(the webhook of KubeadmControlPlane refuses two of one path), so templates and our patches then hold no proxy: the
target of the product fills the variable, and its class does the rest.

The list of a class holds names, such as ``builtin.cluster.network.pods``, which its patches replace with the networks
in the fields of each Cluster. Where that would not become the very entries that the nodes need, a list holds no names.

Sources: ``nutanix-cloud-native/cluster-api-runtime-extensions-nutanix``, whose class has runtime extensions in the
place of patches; ``vmware-tanzu/tanzu-framework`` (``packages/tkg-clusterclass-*``), whose classes have a patch
``proxy``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from functools import cached_property

from krm_fn import noproxy
from krm_fn.clusters import (
    CLUSTER_VARIABLES,
    Cluster,
    Fact,
    Key,
    Membership,
    ObjectIndex,
    key_of,
)
from krm_fn.clusters.cluster import Memberships
from krm_fn.clusters.references import Use, WorkerClass
from krm_fn.config import ProxyConfig, TargetOptions, exports_variables
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import Result
from krm_fn.light_typing import NamedTuple, Texts
from krm_fn.noproxy import Audience, Readers
from krm_fn.noproxy.policy import CLUSTER_DOMAIN
from krm_fn.patch import list_at, lookup, named_items, text_at
from krm_fn.places.provided import name_of
from krm_fn.products import nutanix
from krm_fn.products.cluster_api import DOMAIN, PODS, SERVICE_ADDRESSES, SERVICES
from krm_fn.products.node_kinds import (
    FILE_TARGETS,
    FILES_ON_REQUEST,
    NODE_KINDS,
    OF_CLASSES,
    ONLY_EXPORTERS,
)
from krm_fn.settings import ProxySettings, Resolved, network_of, resolve
from krm_fn.target_table import part_of
from krm_fn.targets import ALL_NODES, ClassContext, ClassPlan, load_target
from krm_fn.targets.base import Context, Data
from krm_fn.targets.nodes.clusterclass.class_data import (
    PATCHES,
    VARIABLE,
    VARIABLES,
    is_ours,
    node_groups,
    written_path,
)
from krm_fn.targets.nodes.node_files import UNITS, drop_in

_CAREN = "nutanix"
# The targets that fill such a variable, and its name.
_VARIABLES = {_CAREN: nutanix.CLUSTER_CONFIG, "tkg.clusterClass": "proxy"}


class ProductVariable(NamedTuple):
    """The variable of a Cluster out of which its class writes the proxy on its nodes.

    Attributes:
        is_filled: its target is enabled, and may edit the Cluster.
        replaced: the targets whose work in a template the class does.
        finding: that about a template of the class.
    """

    is_filled: bool
    replaced: Texts
    finding: Result


def drop_in_paths(options: TargetOptions) -> dict[str, str]:
    """Return the paths of our drop-ins, given ``spec.targets``: ID of the target -> path."""
    paths = {}
    for target_id, unit in UNITS.items():
        path = text_at(options.given_for(target_id), "path")
        paths[target_id] = path or drop_in(unit).paths[0]
    return paths


class ClassState(IntEnum):
    """Who gives the nodes of a class their proxy; decided once for each class, after all are read.

    Of classes that share a template, the one whose state is first here decides about the template.

    PRODUCT: it writes the proxy itself, out of a variable of its Clusters.
    KEPT: something is in the way of its patches, and those of an earlier run are in it: it, its Clusters and its
    templates stay.
    BLOCKED: something is in the way, and none are in it: it and its Clusters stay, its templates hold the proxy.
    TEMPLATES: its templates hold the proxy.
    PATCHED: its patches write the proxy, and its templates hold none.
    """

    PRODUCT = 1
    KEPT = 2
    BLOCKED = 3
    TEMPLATES = 4
    PATCHED = 5


class ListedClass:
    """A ClusterClass of the list.

    Args:
        obj: the ClusterClass.
        config: the checked FunctionConfig.
        default: the proxy that it gives to all nodes of which nothing is said.
        is_selected: the selector does not leave it out.

    Attributes:
        options: those of the targets that write on its nodes.
        is_chosen: the user wants all classes patched; else only those are whose patches erase something.
        family: itself, and the classes that share a template with it, directly or by way of others.
        variable: that of a product in its Clusters, out of which it writes the proxy on its nodes itself.
        erasures: findings about lists of its templates that patches of others erase, so that it is patched.
        members: its Clusters that may be edited, with their nodes by section and name.
        plan: its patches; None where it is not to be patched.
    """

    variable: ProductVariable | None = None
    erasures: Sequence[Result] = ()
    plan: ClassPlan | None = None

    def __init__(
        self, obj: Object, config: ProxyConfig, default: Resolved, *, is_selected: bool
    ) -> None:
        self.obj = obj
        self.config = config
        self.default = default
        self.is_selected = is_selected
        self.options = config.targets.of(OF_CLASSES)
        self.is_chosen = self.options.get("classes") == "Patch"
        self.family = [self]
        self.members: list[tuple[Object, Mapping[WorkerClass, Membership]]] = []

    @cached_property
    def state(self) -> ClassState:
        """Who gives its nodes their proxy; to be asked once all is known."""
        if self.variable:
            return ClassState.PRODUCT
        if self.plan is None:
            return ClassState.TEMPLATES
        if self.is_blocked:
            is_of_earlier_run = any(map(is_ours, list_at(self.obj.data, PATCHES)))
            return ClassState.KEPT if is_of_earlier_run else ClassState.BLOCKED
        return ClassState.PATCHED if self.plan.has_ours else ClassState.TEMPLATES

    @property
    def is_erased(self) -> bool:
        """Whether its patches, or those of its family, erase lists of templates."""
        return any(listed.erasures for listed in self.family if listed.is_selected)

    @property
    def is_blocked(self) -> bool:
        """Whether an obstacle keeps a class of its family from being patched; to be asked once all is planned."""
        return any(listed.plan and listed.plan.patches is None for listed in self.family)

    @property
    def is_wanted(self) -> bool:
        """Whether any node is to get a proxy by way of it, or keeps one because nothing declares any."""
        proxies = [self.default]
        for groups in self.clusters.values():
            proxies += groups.values()
        if any(resolved.declared for resolved in proxies):
            return any(resolved.settings.sets_any for resolved in proxies)
        return self._has_common and bool(named_items(self.obj.data, VARIABLES, VARIABLE))

    @property
    def repairs_erased(self) -> bool:
        """Whether a patch has to add certificates and mirror, which are equal for all Clusters."""
        return self.is_erased and (self.is_wanted or self._has_common)

    @property
    def _has_common(self) -> bool:
        """Whether its nodes are to get something that is the same for all Clusters."""
        settings = self.default.settings
        return bool(settings.trusted_ca.pem or settings.mirror)

    def join(self, other: ListedClass) -> None:
        """Make one family of those of two classes."""
        if other.family is not self.family:
            joined = other.family
            self.family += joined
            for listed in joined:
                listed.family = self.family

    def find_variable(self, cluster_data: Data, *, may_edit: bool) -> None:
        """Find the variable of a product in one of its Clusters; one that is filled goes first."""
        if self.variable and self.variable.is_filled:
            return
        options = self.config.targets
        for target_id in filter(self._writes_files, _VARIABLES):
            target = load_target(target_id)
            own_options = options.of(target_id)
            is_filled = may_edit and options.is_on(target_id)
            is_used = any(reading.value for reading in target.read(cluster_data, own_options))
            if is_used or (is_filled and target.has_site(cluster_data, Context(own_options))):
                self.variable = _product_variable(target_id, cluster_data, is_filled=is_filled)
                return

    def _writes_files(self, target_id: str) -> bool:
        """Return whether its patches write the proxy of the variable of a target into files on its nodes."""
        if target_id != _CAREN:
            paths = drop_in_paths(self.config.targets)
            return bool(written_path(self.obj.data, paths.values()))
        patches = list_at(self.obj.data, PATCHES)
        return any(isinstance(lookup(patch, "external"), Mapping) for patch in patches)

    @cached_property
    def clusters(self) -> Mapping[Key, Mapping[WorkerClass, Resolved]]:
        """Its Clusters, with the proxy of each group of their nodes; that of the whole Cluster by ``ALL_NODES``."""
        clusters = {}
        for obj, nodes in self.members:
            inherited = self.default.settings
            proxies = {}
            for group, membership in nodes.items():
                proxies[group] = for_nodes(self.config, membership, inherited, obj.base_name)
                inherited = proxies[ALL_NODES].settings  # the whole Cluster is the first
            clusters[key_of(obj)] = proxies
        return clusters

    def enabled(self, targets: Iterable[str]) -> list[str]:
        """Return those of some targets that write anything on its nodes."""
        return [*filter(self.config.targets.is_on, targets)]

    def template(self, nodes: Use, templates: ObjectIndex[Data]) -> Data | None:
        """Return the template of some nodes; the nearest one to the file of the class goes first.

        Cluster API refuses a reference into another namespace.
        """
        return templates.get(nodes.target._replace(namespace=self.obj.ref.namespace))

    def context(self) -> ClassContext:
        """Return the facts of the class for the targets of classes."""
        targets = [FILES_ON_REQUEST]
        for nodes in node_groups(self.obj):
            kind = NODE_KINDS.get(nodes.target.group_kind)
            if kind:
                targets += kind.system.targets
        targets = self.enabled(targets)
        in_secret = [
            target
            for target in targets
            if text_at(self.options, (part_of(target), "content")) == "Secret"
        ]
        idle = () if exports_variables(self.options) else ONLY_EXPORTERS
        plan = self.plan
        if plan and self.is_blocked:
            plan = plan._replace(patches=None)
        return ClassContext(
            self.is_wanted,
            has_urls=not {*targets} <= {*in_secret, *idle},
            has_secret=bool(in_secret),
            default=self.default.settings,
            repairs_erased=self.repairs_erased,
            of_class=key_of(self.obj),
            secret=None if self.config.hash_names else "",
            plan=plan,
        )


def _product_variable(target_id: str, cluster_data: Data, *, is_filled: bool) -> ProductVariable:
    """Return the variable of a Cluster that a target fills, if it is enabled."""
    replaced = FILE_TARGETS
    for entry in named_items(cluster_data, CLUSTER_VARIABLES, nutanix.CLUSTER_CONFIG):
        if lookup(cluster_data, (*entry, *nutanix.MIRROR)):
            replaced = (*FILE_TARGETS, "nodes.mirror")  # the class writes the mirror, too
    code = "ClassPatched"
    message = (
        f"nodes get the proxy out of the variable `{_VARIABLES[target_id]}` of the Cluster "
        f'"{name_of(cluster_data)}", so this template holds none'
    )
    if not is_filled:
        code = "OtherProxy"
        message += f"; nothing fills it here: enable `{target_id}` and select the Cluster"
    return ProductVariable(is_filled, replaced, Result(code, message))


# Member of a ``ClusterNetwork`` -> the name that stands for it in a list.
_NAMES = {"pod_cidrs": PODS, "service_cidrs": SERVICES, "service_domain": DOMAIN}


def for_class(config: ProxyConfig, of_class: Cluster, name: str) -> Resolved:
    """Return the proxy of the nodes of any Cluster of a class; its list holds names.

    Args:
        config: the checked FunctionConfig.
        of_class: the facts of every such Cluster: its infrastructure, and the networks of its machines.
        name: the name of the class, for overrides that name some objects.
    """
    network = network_of(of_class, config.cluster_defaults, config.declaration.policy)
    names = {member: (Fact(text),) for member, text in _NAMES.items()}
    config = config._replace(cluster_defaults=network._replace(**names))
    resolved = _resolve(config, (), name)
    of_no_cluster = resolved._replace(networks=(), missing=())
    return _with_list(of_no_cluster, _texts(resolved))


def for_nodes(
    config: ProxyConfig, membership: Membership, inherited: ProxySettings, name: str
) -> Resolved:
    """Return the proxy of some nodes of a Cluster, with the inherited list if that becomes the same entries.

    Args:
        config: the checked FunctionConfig.
        membership: which nodes, of which Cluster.
        inherited: their proxy if no override names them; its list may hold names.
        name: the name of the object of this Cluster, for overrides that name some.
    """
    cluster = membership.cluster
    resolved = _resolve(config, (membership,), name)
    entries = _texts(resolved)
    said = _said_by(cluster)
    inherited_list = noproxy.parse(inherited.no_proxy)
    is_same_proxy = resolved.urls == (inherited.http_proxy, inherited.https_proxy)
    if is_same_proxy and _filled_in(inherited_list, said) == set(entries):
        return _with_list(resolved, inherited_list)
    names = {member: (Fact(text),) for member, text in _NAMES.items() if said[text]}
    network = cluster.network._replace(**names)
    nodes = membership._replace(cluster=cluster._replace(network=network))
    named = _texts(_resolve(config, (nodes,), name))
    filled_in = _filled_in(named, said)
    if not filled_in <= set(entries):
        return _with_list(resolved, entries)
    others = [entry for entry in entries if entry not in filled_in]
    return _with_list(resolved, [*named, *others])


def _resolve(config: ProxyConfig, memberships: Memberships, name: str) -> Resolved:
    readers = Readers(Audience.NODE)
    return resolve(config, memberships, target=OF_CLASSES, readers=readers, name=name)


def _texts(resolved: Resolved) -> list[str]:
    return [entry.text for entry in resolved.entries]


def _with_list(resolved: Resolved, texts: Sequence[str]) -> Resolved:
    settings = resolved.settings._replace(no_proxy=",".join(texts))
    return resolved._replace(settings=settings)


def _said_by(cluster: Cluster) -> dict[str, list[str]]:
    """Return the values of each name by the fields of a Cluster itself: Cluster API knows no other network."""
    said = {}
    for member, name in _NAMES.items():
        facts = getattr(cluster.network, member)
        said[name] = [fact.value for fact in facts if fact.ref == cluster.ref]
    return said


def _filled_in(names: Iterable[str], said: Mapping[str, Sequence[str]]) -> set[str]:
    """Return entries with values in the place of names, as ``go_templates`` makes them."""
    domain = "".join(said[DOMAIN]) or CLUSTER_DOMAIN
    filled_in = set()
    for name in names:
        if name == SERVICE_ADDRESSES:
            for cidr in said[SERVICES]:
                address = _first_address(cidr)
                if address:
                    filled_in.add(address)
        elif name in (PODS, SERVICES):
            filled_in.update(said[name])
        else:
            filled_in.add(name.replace(DOMAIN, domain))
    return filled_in


def _first_address(cidr: str) -> str:
    """Return the first address of a CIDR by the rule of the template, which can only add one; "" for none.

    That of a placeholder comes out right in the cluster, where it has been filled in.
    """
    address, _, _ = cidr.partition("/")
    if address.endswith("::"):
        return f"{address}1"
    network, _, last = address.rpartition(".")
    if ":" in address or not last.isdecimal():
        return ""
    return f"{network}.{int(last) + 1}"
