"""The table of targets, written by hand, and what each of them has to be.

A target proposes, it never writes. It sees one object as plain data and the settings for it, and
yields only what differs; "no proxy" is a desired state like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from krm_fn.formats.sops import is_encrypted
from krm_fn.krm.results import Change, Finding
from krm_fn.noproxy import Audience
from krm_fn.settings import ProxySettings
from krm_fn.targets import (
    caren_cluster_config,
    cert_manager,
    chart_operator,
    cluster_class,
    containerd_drop_in,
    giantswarm_apps,
    giantswarm_chart_values,
    giantswarm_cluster_values,
    giantswarm_installation_values,
    giantswarm_systemd_proxy,
    image_builder_overrides,
    kubeadm_commands,
    kubelet_drop_in,
    kyverno_policies,
    node_trust_store,
    other_writers,
    registry_mirror,
    tkg_cloud_csi,
    tkg_cluster_class,
    tkg_cluster_config,
    tkg_kapp_controller,
    tkg_pinniped,
    tkg_vsphere_cpi,
    tkg_vsphere_csi,
    workload_trust_store,
)
from krm_fn.targets._around import TargetContext
from krm_fn.targets._seen import Reading

__all__ = [
    "AWARE",
    "MAKERS",
    "NAMES_OF_ITS_AUTHOR",
    "OF_ALL_MACHINES",
    "OF_ALL_NODES",
    "PATCHER",
    "REPORTED_ONLY",
    "SYSTEMD_SECRET",
    "TARGETS",
    "WITHOUT_A_PROXY",
    "Aware",
    "Maker",
    "Patcher",
    "Reading",
    "Target",
    "TargetContext",
    "is_encrypted",
]


class Target(Protocol):
    """What a module of this package offers.

    ``ID`` is its key under ``spec.targets``. ``KINDS`` are the (API group, kind) pairs it looks at.
    ``TEXT_HINTS``, where
    it is not empty, holds words of which at least one stands in the text of every object it could want, so that the
    others need not be read; where its option ``workloads`` names objects, no word counts. ``AUDIENCE`` says who reads
    NO_PROXY in its place.
    """

    ID: str
    KINDS: frozenset[tuple[str, str]]
    TEXT_HINTS: tuple[str, ...]
    AUDIENCE: Audience

    def propose(
        self, obj: Mapping[str, Any], settings: ProxySettings, options: Mapping[str, Any]
    ) -> Iterator[Change | Finding]:
        """Yield what differs between ``obj`` and the desired state.

        Args:
            obj: one object as plain data; any field may be missing, null or of a wrong type. Must not be changed.
            settings: the proxy it is to get; all empty means that every trace of a proxy is to go.
            options: ``spec.targets.<ID>``, checked against the schema, its defaults not filled in.

        The operations of all Changes hold when applied to ``obj`` one after another.
        """

    def observe(self, obj: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[Reading]:
        """Yield what ``obj`` sets in this target's place, whoever wrote it, as the program that reads it there sees it.

        Args:
            obj: one object as plain data, of any shape; a field of a wrong type is passed by. Must not be changed.
            options: ``spec.targets.<ID>``, as for ``propose``.
        """


class Maker(Target, Protocol):
    """A target whose objects may be missing from the list, and are then made.

    ``BESIDE`` are the (API group, kind) pairs of the objects beside which they are made, none of which is in ``KINDS``
    for that reason alone.
    """

    BESIDE: frozenset[tuple[str, str]]

    def companions(
        self, obj: Mapping[str, Any], settings: ProxySettings, options: Mapping[str, Any]
    ) -> Iterator[dict[str, Any]]:
        """Yield what must stand in the list beside ``obj``: apiVersion, kind, metadata, and nothing of a proxy.

        Args: as for ``propose``, but ``obj`` is one of ``BESIDE``. What is yielded is filled by ``propose``, if no
        other object of its kind, name and namespace is in the list; what that has nothing for is not made.

        What it makes carries the label of ``_made``, and ``propose`` takes it out again, as an operation that removes
        the root, once there is nothing left to fill in.
        """


class Aware(Target, Protocol):
    """A target that must know what stands around its object. ``propose`` is for whoever knows of one object only."""

    def propose_in(
        self, obj: Mapping[str, Any], settings: ProxySettings, around: TargetContext
    ) -> Iterator[Change | Finding]:
        """Yield what differs between ``obj`` and the desired state, as ``propose`` does.

        Args:
            obj: a ClusterClass, or a Cluster.
            settings: the proxy of nodes of which nothing else is said.
            around: what stands around it.
        """


class Patcher(Aware, Protocol):
    """A target that edits ClusterClasses; the names of ``settings.classes`` stand in the lists that it is given.

    ``INSTEAD_OF`` are the IDs of the targets that leave the templates of such a class without a proxy then, and
    ``INSTEAD_OF_WHERE_ERASED`` those that leave them alone only where the class erases what they hold.
    """

    INSTEAD_OF: frozenset[str]
    INSTEAD_OF_WHERE_ERASED: frozenset[str]

    def is_on(self, options: Mapping[str, Any]) -> bool:
        """Whether the user wants all classes patched; else it takes out what is its own, unless a class erases."""

    def erases(self, obj: Mapping[str, Any], around: TargetContext) -> bool:
        """Whether patches of a ClusterClass take out what its templates are to hold, on any path.

        Args:
            obj: the ClusterClass.
            around: ``templates`` are those of the list, ``default`` and ``options`` say what they are to hold.
        """

    def secret_keys(self, around: TargetContext) -> list[str]:
        """The keys that nodes take from the Secret of their Cluster; none where the patches refer to no Secret."""

    def secret_of(
        self, obj: Mapping[str, Any], settings: ProxySettings, around: TargetContext
    ) -> str:
        """The name of the Secret from which nodes of a Cluster take drop-ins; "" where none of them has a proxy."""


TARGETS: dict[str, Target] = {
    target.ID: target
    for target in (
        node_trust_store,
        containerd_drop_in,
        kubelet_drop_in,
        kubeadm_commands,
        other_writers,
        giantswarm_systemd_proxy,
        registry_mirror,
        workload_trust_store,
        cert_manager,
        chart_operator,
        kyverno_policies,
        cluster_class,
        giantswarm_cluster_values,
        giantswarm_apps,
        giantswarm_installation_values,
        giantswarm_chart_values,
        tkg_vsphere_cpi,
        tkg_vsphere_csi,
        tkg_kapp_controller,
        tkg_pinniped,
        tkg_cloud_csi,
        tkg_cluster_config,
        tkg_cluster_class,
        caren_cluster_config,
        image_builder_overrides,
    )
}

MAKERS: dict[str, Maker] = {
    maker.ID: maker
    for maker in (
        giantswarm_systemd_proxy,
        giantswarm_cluster_values,
        workload_trust_store,
        image_builder_overrides,
    )
}
"""Those targets that make what is missing."""

SYSTEMD_SECRET = giantswarm_systemd_proxy
"""The target of the Secret that holds the drop-ins of a Cluster."""

PATCHER: Patcher = cluster_class
"""The target that patches ClusterClasses."""

AWARE: dict[str, Aware] = {aware.ID: aware for aware in (cluster_class, tkg_cluster_class)}
"""Those targets that give groups of workers a proxy of their own at the Cluster that makes them."""

OF_ALL_NODES = frozenset(
    target.ID
    for target in (
        caren_cluster_config,
        giantswarm_installation_values,
        image_builder_overrides,
        tkg_cluster_class,
        tkg_cluster_config,
    )
)
"""Those in whose place one proxy stands for all nodes of a Cluster."""

OF_ALL_MACHINES = frozenset({image_builder_overrides.ID})
"""Those whose place the machines of all roles share: without a proxy for the Cluster it gets that of a role."""

WITHOUT_A_PROXY = frozenset(
    target.ID
    for target in (caren_cluster_config, tkg_cluster_class, tkg_cluster_config, tkg_kapp_controller)
)
"""Those that have something to say about certificates or a mirror where nothing says which proxy a place has."""


REPORTED_ONLY = frozenset({other_writers.ID})
"""Those that write nothing, and report themselves what differs."""

NAMES_OF_ITS_AUTHOR = frozenset({kyverno_policies.ID})
"""Those that set only the variables which the author of an object has chosen, and add none."""


def options_of(name: str, given: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
    """The options of a target, and what the options of others ask of it.

    Args:
        name: a key of ``TARGETS``.
        given: ``spec.targets``.
    """
    own = given.get(name, {})
    kubelet = given.get(kubelet_drop_in.ID, {})
    if (
        name == giantswarm_systemd_proxy.ID
        and kubelet.get("enabled", True)
        and kubelet.get("content") == "Secret"
    ):
        return {**own, "units": ("kubelet",)}
    return own
