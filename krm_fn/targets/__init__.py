"""The targets, and the context in which each edits an object: its options and settings, and the ClusterClasses.

A target is made of its row in ``target_table`` and of the class that this names. Its module is
imported when an object of one of its kinds occurs, or when it is asked for by its ID, and the code that edits is in
``base``: most of the time of a run over a small list is imports.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from enum import Enum
from functools import cache
from importlib import import_module
from types import MappingProxyType

from krm_fn.clusters import Key, Topology, class_name
from krm_fn.clusters.cluster import Memberships
from krm_fn.clusters.references import WorkerClass
from krm_fn.config import ProxyConfig
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import Result
from krm_fn.light_typing import TYPE_CHECKING, Any, NamedTuple, Texts
from krm_fn.patch import Data
from krm_fn.places.provided import DataUses
from krm_fn.settings import ProxySettings, Resolved
from krm_fn.target_table import ROWS

if TYPE_CHECKING:
    from krm_fn.targets.base import Target  # with what edits objects


@cache
def load_target(target_id: str) -> Target:
    """Return a target of the table; its module is imported when it is asked for first."""
    module, _, name = ROWS[target_id].class_path.partition(":")
    target: Target = getattr(import_module(f"{__name__}.{module}"), name)(target_id)
    return target


# The nodes of a Cluster of which nothing else is said, in ``Topology.nodes_of``.
ALL_NODES = ("", "")


class ClassPlan(NamedTuple):
    """The patches that a ClusterClass has to have.

    Attributes:
        patches: all of them, in order; None if an obstacle makes the class stay as it is.
        has_ours: some of them are ours.
        findings: results for the user.
    """

    patches: Sequence[Any] | None
    has_ours: bool = False
    findings: Sequence[Result] = ()


class ClassContext(NamedTuple):
    """The other objects of the list as a target knows them while it edits a ClusterClass, or a Cluster of one.

    With the defaults, no Cluster of the list gets a proxy by the class. A target that patches no class gets ``groups``
    only.

    Attributes:
        is_wanted: the nodes of some Cluster get a proxy by the class.
        is_known: the class is in the list, and is not left out of it.
        has_urls: our variable holds the proxy itself, because a patch writes it into a drop-in or a command; if False,
            it says whether there is one.
        has_secret: our variable may hold the name of a Secret, because drop-ins come from that of each Cluster.
        default: the proxy that the class gives to nodes of which nothing is said.
        groups: the proxy of each group of workers of a Cluster: (section, name) -> proxy.
        repairs_erased: its patches erase lists, so additions that all Clusters share are made by a patch, too.
        of_class: the class itself, or that of the Cluster.
        secret: the name of the Secret of this Cluster, if it gets one with a hash; None as long as it is not known.
        plan: the patches of the class, if it needs any.
    """

    is_wanted: bool = False
    is_known: bool = True
    has_urls: bool = False
    has_secret: bool = False
    default: ProxySettings = ProxySettings()
    groups: Mapping[WorkerClass, ProxySettings] = {}
    repairs_erased: bool = False
    of_class: Key | None = None
    secret: str | None = ""
    plan: ClassPlan | None = None


class ObjectProxy(NamedTuple):
    """The proxy of an object or of the nodes that it makes, their Clusters, and the context of a class."""

    memberships: Memberships
    resolved: Resolved
    context: ClassContext | None = None


class TemplateRules(NamedTuple):
    """The rules that the classes of a template make for the targets that edit it.

    Attributes:
        kept: the targets that leave it as it is, because a class keeps patches of an earlier run.
        emptied: the targets that write nothing into it, because its classes give nodes the same.
        notes: target -> its findings if it would write a proxy.
        is_awaited: a class is patched only once somebody has changed its templates. A run that began the configuration
            of such a template would make the next run patch the class.
    """

    kept: Collection[str] = ()
    emptied: Collection[str] = ()
    notes: Mapping[str, Sequence[Result]] = {}
    is_awaited: bool = False


class ClassPlans:
    """The answers for a list in which no ClusterClass is, and no Cluster of one.

    Attributes:
        kinds: the kinds of objects that ``edit_for`` is to be asked for.
        words: words of which one is in the text of each such object; empty for all of them.
    """

    kinds: Texts = ()
    words: Texts = ()

    def rules_for(self, template: Object) -> TemplateRules:
        """Return the rules of the classes of a template."""
        return TemplateRules()

    def edit_for(self, obj: Object) -> ObjectProxy | None:
        """Return how a ClusterClass, or a Cluster of one, is edited; None if it stays as it is."""
        return None


def class_plans(
    objects: Sequence[Object],
    is_selected: Callable[[Object], bool],
    topology: Topology,
    config: ProxyConfig,
) -> ClassPlans:
    """Return the plans for the ClusterClasses among objects.

    Args:
        objects: those of ``clusters.kinds()``.
        is_selected: whether the selector does not leave an object out.
        topology: the Clusters of the list.
        config: the checked FunctionConfig.
    """
    if not any(obj.ref.kind == "ClusterClass" or class_name(obj.data) for obj in objects):
        return ClassPlans()
    # Most lists have no ClusterClass, so the code that decides about them is imported like that of a target.
    classes = import_module(f"{__name__}.nodes.clusterclass.classes")
    plans: ClassPlans = classes.Classes(objects, is_selected, topology, config)
    return plans


# What ``spec.targets`` gives for the system of a target, right by the schema; defaults are not filled in.
Options = Data


class Context(NamedTuple):
    """The knowledge of a target besides the object.

    Attributes:
        options: those of the system of the target.
        settings: the proxy that the object is to get, with its Cluster, certificates and mirror;
            empty where the object is only read, and where the proxy is removed.
        class_context: the ClusterClass of the object, or of its Cluster; None if nothing is known of the list.
        uses: the ConfigMaps and Secrets of the list that others read as a proxy.
        is_whole: the object is known to be no patch.
    """

    options: Options = MappingProxyType({})
    settings: ProxySettings = ProxySettings()
    class_context: ClassContext | None = None
    uses: DataUses = DataUses()
    is_whole: bool = False


class Writes(Enum):
    """The kind of content that a target writes.

    VALUES: the values of the variables that the author of the object chose.
    PROXY: the proxy. PROXY_AND_TRUST: the proxy, and certificates or a mirror where nothing declares a proxy, too.
    """

    VALUES = "values"
    PROXY = "proxy"
    PROXY_AND_TRUST = "proxy and trust"


class Reach(Enum):
    """Which nodes of a Cluster get the one proxy that a place holds.

    OBJECT: those of the object, if it has any. CLUSTER: all of them. ROLES: all of them; where the Cluster declares no
    proxy, it is that of a role. GROUPS: all of them, and beside it is a place for each group of workers.
    """

    OBJECT = "object"
    CLUSTER = "cluster"
    ROLES = "roles"
    GROUPS = "groups"
