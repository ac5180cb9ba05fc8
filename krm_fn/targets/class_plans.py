"""The plans for the ClusterClasses of a list.

Most lists have no ClusterClass: the code that decides about them is imported where one occurs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from krm_fn.clusters import Topology, class_name
from krm_fn.config import ProxyConfig
from krm_fn.krm.resourcelist import Object
from krm_fn.targets.context import ClassPlans


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
    from krm_fn.targets.nodes.clusterclass.classes import Classes  # noqa: PLC0415 -- most lists have no class

    return Classes(objects, is_selected, topology, config)
