"""Finds out whether a class writes the proxy on its nodes itself, out of a topology variable of its Clusters.

A file may be written once (the webhook of KubeadmControlPlane refuses two of one path), so that templates and our
patches then hold no proxy: the target of the product fills the variable, and its class does the rest.

Sources: ``nutanix-cloud-native/cluster-api-runtime-extensions-nutanix`` (``pkg/handlers/generic/mutation/generic/
httpproxy``), whose class has runtime extensions in the place of patches; ``vmware-tanzu/tanzu-framework``
(``packages/tkg-clusterclass-*``), whose classes have a patch ``proxy``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from krm_fn.carriers.cluster_variables import VARIABLES, named
from krm_fn.krm.results import Finding, Severity
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import lookup
from krm_fn.products import nutanix
from krm_fn.products.cluster_api import OUR_PATCHES
from krm_fn.products.node_kinds import FILES_ON_REQUEST
from krm_fn.targets import TARGETS
from krm_fn.targets.base import Context
from krm_fn.targets.nodes import registry_mirror
from krm_fn.targets.nodes.clusterclass.names import INSTEAD_OF
from krm_fn.targets.nodes.clusterclass.node_operations import UNITS
from krm_fn.targets.nodes.drop_in_file import path_of

_CAREN, _TKG = "carenClusterConfig", "tkgClusterClass"
_VARIABLES = {_CAREN: nutanix.CLUSTER_CONFIG, _TKG: "proxy"}
"""The targets that fill such a variable, and its name."""

_PATH = r"""path["'\\]*:? *["'\\]*"""
"""What is before the path of a file, in plain data and in a Go template."""


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
        if target_id == registry_mirror.TARGET.id:
            return self.has_mirror
        return target_id in INSTEAD_OF and target_id != FILES_ON_REQUEST

    def finding(self) -> Finding:
        """Return what to say about a template of the class."""
        name = _VARIABLES[self.target]
        message = (
            "nodes get the proxy from their ClusterClass, out of the variable "
            f'`{name}` of the Cluster "{self.cluster}"'
        )
        if self.is_filled:
            message = f"{message}, so this template holds none"
            return Finding(Severity.INFO, message, code="ProxyInVariable")
        message = (
            f"{message}, which nothing fills here, so this template holds none: enable the target `{self.target}` and "
            "select the Cluster, or take the proxy out of the variable"
        )
        return Finding(Severity.WARNING, message, code="ProxyInVariable")


def find(
    of_class: Mapping[str, Any],
    of_cluster: Mapping[str, Any],
    options: Mapping[str, Mapping[str, Any]],
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
        target, given = TARGETS[target_id], options.get(target_id, {})
        is_filled = is_selected and bool(given.get("enabled", True))
        if is_filled:
            is_used = target.has_site(of_cluster, Context(given))
        else:
            is_used = any(one.value for one in target.read(of_cluster, given))
        if is_used and _writes_files(of_class, target_id, options):
            name = str(lookup(of_cluster, ("metadata", "name")))
            has_mirror = _has_mirror(of_cluster)
            return ProductVariable(target_id, name, is_filled, has_mirror)
    return None


def _has_mirror(of_cluster: Mapping[str, Any]) -> bool:
    """Return whether CAREN sets up a registry mirror on the nodes of a Cluster."""
    found = named(of_cluster, VARIABLES, nutanix.CLUSTER_CONFIG)
    return any(lookup(of_cluster, (*entry, *nutanix.MIRROR)) for entry in found)


def repeated(
    of_class: Mapping[str, Any], options: Mapping[str, Mapping[str, Any]], kind: str = ""
) -> str:
    """Return the path of a drop-in of ours that a patch of a class writes, too; "" for none.

    Args:
        of_class: the ClusterClass.
        options: ``spec.targets``.
        kind: that of the templates that count; "" for all.
    """
    theirs = [
        lookup(definition, ("jsonPatches",))
        for patch in _items(lookup(of_class, ("spec", "patches")))
        if lookup(patch, ("name",)) not in OUR_PATCHES
        for definition in _items(lookup(patch, ("definitions",)))
        if kind in ("", lookup(definition, ("selector", "kind")))
    ]
    paths = (path_of(options.get(name, {}), unit, ()) for name, unit in UNITS.items())
    return next((path for path in paths if re.search(_PATH + re.escape(path), str(theirs))), "")


def _writes_files(
    of_class: Mapping[str, Any], target_id: str, options: Mapping[str, Mapping[str, Any]]
) -> bool:
    """Return whether patches of a class write what the variable says into files on its nodes."""
    if target_id != _CAREN:
        return bool(repeated(of_class, options))
    patches = _items(lookup(of_class, ("spec", "patches")))
    return any(isinstance(lookup(one, ("external",)), Mapping) for one in patches)


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
