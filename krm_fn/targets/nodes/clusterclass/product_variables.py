"""Finds out whether a class writes the proxy on its nodes itself, out of a topology variable of its Clusters.

A file may be written once (the webhook of KubeadmControlPlane refuses two of one path), so that templates and our
patches then hold no proxy: the target of the product fills the variable, and its class does the rest.

Sources: ``nutanix-cloud-native/cluster-api-runtime-extensions-nutanix``, whose class has runtime extensions in the place
of patches; ``vmware-tanzu/tanzu-framework`` (``packages/tkg-clusterclass-*``), whose classes have a patch ``proxy``.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Mapping

from krm_fn.clusters import CLUSTER_VARIABLES
from krm_fn.config import TargetOptions
from krm_fn.krm.results import Result
from krm_fn.light_typing import NamedTuple
from krm_fn.patch import list_at, lookup, named_items, text_at
from krm_fn.places.provided import name_of
from krm_fn.products import nutanix
from krm_fn.products.node_kinds import FILES_ON_REQUEST
from krm_fn.targets import TARGETS
from krm_fn.targets.base import Context, Data
from krm_fn.targets.nodes.clusterclass.foreign_patches import written_path
from krm_fn.targets.nodes.clusterclass.names import PATCHED_TARGETS
from krm_fn.targets.nodes.node_files import drop_in_of
from krm_fn.targets.nodes.node_targets import UNITS

_CAREN = "nutanix"
_VARIABLES = {_CAREN: nutanix.CLUSTER_CONFIG, "tkg.clusterClass": "proxy"}
"""The targets that fill such a variable, and its name."""


class ProductVariable(NamedTuple):
    """The variable of one Cluster out of which its class writes the proxy on its nodes.

    Attributes:
        target: the ID of the target that fills it.
        cluster: the name of the Cluster.
        is_filled: the target is enabled, and may edit the Cluster.
        has_mirror: the class writes a registry mirror out of it, too.
    """

    target: str
    cluster: str
    is_filled: bool
    has_mirror: bool

    def replaces(self, target_id: str) -> bool:
        """Return whether the class writes what a target writes into a template."""
        if target_id == "nodes.mirror":
            return self.has_mirror
        return target_id in PATCHED_TARGETS and target_id != FILES_ON_REQUEST

    def finding(self) -> Result:
        """Return what to say about a template of the class."""
        message = (
            f"nodes get the proxy out of the variable `{_VARIABLES[self.target]}` of the Cluster "
            f'"{self.cluster}", so this template holds none'
        )
        if self.is_filled:
            return Result.of("ClassPatched", message)
        message += f"; nothing fills it here: enable `{self.target}` and select the Cluster"
        return Result.of("OtherProxy", message)


def find(
    of_class: Data,
    of_cluster: Data,
    options: TargetOptions,
    *,
    is_selected: bool,
) -> ProductVariable | None:
    """Return the variable out of which a class writes the proxy on its nodes; None where it does not.

    Args:
        of_class: the ClusterClass.
        of_cluster: a Cluster of it.
        options: ``spec.targets``.
        is_selected: whether the targets may edit the Cluster.
    """
    for target_id in _VARIABLES:
        if not _writes_files(of_class, target_id, options):
            continue
        target = TARGETS[target_id]
        own_options = options.of(target_id)
        is_filled = is_selected and options.is_on(target_id)
        is_used = any(reading.value for reading in target.read(of_cluster, own_options))
        if is_used or (is_filled and target.has_site(of_cluster, Context(own_options))):
            entries = named_items(of_cluster, CLUSTER_VARIABLES, nutanix.CLUSTER_CONFIG)
            has_mirror = any(lookup(of_cluster, (*entry, *nutanix.MIRROR)) for entry in entries)
            return ProductVariable(target_id, name_of(of_cluster), is_filled, has_mirror)
    return None


def _writes_files(of_class: Data, target_id: str, options: TargetOptions) -> bool:
    """Return whether patches of a class write what the variable says into files on its nodes."""
    if target_id != _CAREN:
        return bool(written_path(of_class, drop_in_paths(options).values()))
    patches = list_at(of_class, ("spec", "patches"))
    return any(isinstance(lookup(patch, ("external",)), Mapping) for patch in patches)


def drop_in_paths(options: TargetOptions) -> dict[str, str]:
    """Return the paths of our drop-ins, given ``spec.targets``: ID of the target -> path."""
    paths = {}
    for target_id, unit in UNITS.items():
        path = text_at(options.given_for(target_id), ("path",))
        paths[target_id] = path or drop_in_of(unit).paths[0]
    return paths
