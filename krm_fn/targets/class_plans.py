"""What ClusterClasses do for the objects of a list, as far as a plan asks for it.

Most lists have no ClusterClass: what decides about them is imported where one occurs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from krm_fn.clusters import Topology, class_name
from krm_fn.clusters.model import Memberships
from krm_fn.config import ProxyConfig
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import Result
from krm_fn.light_typing import NamedTuple, Texts
from krm_fn.settings import Resolved
from krm_fn.targets.class_context import ClassContext

ALL_NODES = ("", "")
"""The nodes of a Cluster of which nothing else is said, in ``Topology.nodes_of``."""
ClassEdit = tuple[Memberships, Resolved, ClassContext]
"""Nodes, the proxy that they get, and what is known of the list."""


class ClassEffect(NamedTuple):
    """What the classes of a template do to what a target writes into it.

    Attributes:
        stays: it stays as it is, because a class does and holds patches of an earlier run.
        holds_nothing: it must hold nothing of the target, because its class does.
        notes: what is to be said where the target writes a proxy.
    """

    stays: bool = False
    holds_nothing: bool = False
    notes: Sequence[Result] = ()


class ClassPlans:
    """The answers for a list in which no ClusterClass is, and no Cluster of one.

    Attributes:
        topology: the Clusters of the list.
        is_on: whether any class may be patched.
        words: words of which one is in the text of what the patches of an earlier run need.
    """

    is_on: bool = False
    words: Texts = ()

    def __init__(self, topology: Topology) -> None:
        self.topology = topology

    def about(self, obj: Object) -> ClassEdit | None:
        """Return how a ClusterClass, or a Cluster of one, is edited; None where it stays as it is."""
        return None

    def waits_for(self, obj: Object) -> bool:
        """Return whether a class is patched only once somebody has changed its templates, ``obj`` among them."""
        return False

    def effect(self, target_id: str, obj: Object) -> ClassEffect:
        """Return what the classes of a template do to what a target writes into it."""
        return ClassEffect()


def class_plans(
    objects: Iterable[Object],
    is_selected: Callable[[Object], bool],
    topology: Topology,
    wanted: ProxyConfig,
) -> ClassPlans:
    """Return what the ClusterClasses of a list do.

    Args:
        objects: those of ``clusters.kinds()``.
        is_selected: whether the selector does not leave an object out.
        topology: the Clusters of the list.
        wanted: the checked FunctionConfig.
    """
    objects = list(objects)
    if not any(obj.ref.kind == "ClusterClass" or class_name(obj.data) for obj in objects):
        return ClassPlans(topology)
    from krm_fn.targets.nodes.clusterclass.classes import Classes  # noqa: PLC0415 -- most lists have no class

    return Classes(objects, is_selected, topology, wanted)
