"""The table of targets.

Each module describes one target, for users in its docstring, and holds it as ``TARGET``. A module is
imported when an object of one of its kinds occurs, or when its target is asked for by its ID: most of
the time of a run over a small list is imports.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from types import ModuleType

from krm_fn.carriers.reading import Reading
from krm_fn.targets._around import TargetContext
from krm_fn.targets.base import Context, Target

__all__ = [
    "TARGETS",
    "Context",
    "Reading",
    "Target",
    "TargetContext",
    "module_of",
    "of_kinds",
    "words_of",
]

_NODES = frozenset(
    {
        "KubeadmConfig",
        "KubeadmConfigTemplate",
        "KubeadmControlPlane",
        "KubeadmControlPlaneTemplate",
    }
)
_PODS = frozenset({"CronJob", "DaemonSet", "Deployment", "Job", "Pod", "ReplicaSet", "StatefulSet"})

_ROWS: dict[str, tuple[str, frozenset[str]]] = {
    "nodeTrustStore": ("node_trust_store", _NODES),
    "containerdDropIn": ("containerd_drop_in", _NODES),
    "kubeletDropIn": ("kubelet_drop_in", _NODES),
    "kubeadmCommands": ("kubeadm_commands", _NODES),
    "otherWriters": (
        "other_writers",
        _NODES | {"AWSMachineTemplate", "VCDCluster", "VCDClusterTemplate"},
    ),
    "giantswarmSystemdProxy": ("giantswarm_systemd_proxy", frozenset({"Cluster", "Secret"})),
    "registryMirror": ("registry_mirror", _NODES),
    "workloadTrustStore": ("workload_trust_store", _PODS | {"ConfigMap"}),
    "certManager": ("cert_manager", frozenset({"Deployment", "Job"})),
    "chartOperator": ("chart_operator", frozenset({"Deployment"})),
    "workloads": (
        "workloads",
        _PODS
        | {
            "AddonProvider",
            "BootstrapProvider",
            "ControlPlaneProvider",
            "CoreProvider",
            "IPAMProvider",
            "InfrastructureProvider",
            "RuntimeExtensionProvider",
        },
    ),
    "proxyData": ("proxy_data", frozenset({"ConfigMap", "Secret"})),
    "kyvernoPolicies": (
        "kyverno_policies",
        frozenset(
            {
                "Application",
                "Assign",
                "AssignMetadata",
                "ClusterPolicy",
                "ConfigMap",
                "ConfigurationPolicy",
                "GeneratingPolicy",
                "HelmRelease",
                "ManifestWork",
                "ModifySet",
                "MutatingAdmissionPolicy",
                "MutatingAdmissionPolicyBinding",
                "MutatingPolicy",
                "NamespacedGeneratingPolicy",
                "NamespacedMutatingPolicy",
                "Policy",
                "Secret",
            }
        ),
    ),
    "clusterClass": ("cluster_class", frozenset({"Cluster", "ClusterClass"})),
    "giantswarmClusterValues": (
        "giantswarm_cluster_values",
        frozenset({"Cluster", "ConfigMap", "Secret"}),
    ),
    "giantswarmApps": ("giantswarm_apps", frozenset({"App"})),
    "giantswarmInstallationValues": (
        "giantswarm_installation_values",
        frozenset({"ConfigMap", "HelmRelease", "Secret"}),
    ),
    "giantswarmChartValues": (
        "giantswarm_chart_values",
        frozenset({"ConfigMap", "HelmRelease", "Secret"}),
    ),
    "tkgVsphereCPI": ("tkg_vsphere_cpi", frozenset({"Secret", "VSphereCPIConfig"})),
    "tkgVsphereCSI": ("tkg_vsphere_csi", frozenset({"Secret", "VSphereCSIConfig"})),
    "tkgKappController": ("tkg_kapp_controller", frozenset({"KappControllerConfig", "Secret"})),
    "tkgPinniped": ("tkg_pinniped", frozenset({"Secret"})),
    "tkgCloudCSI": (
        "tkg_cloud_csi",
        frozenset({"AwsEbsCSIConfig", "AzureDiskCSIConfig", "AzureFileCSIConfig", "Secret"}),
    ),
    "tkgClusterConfig": ("tkg_cluster_config", frozenset({"Secret"})),
    "tkgClusterClass": ("tkg_cluster_class", frozenset({"Cluster", "TanzuKubernetesCluster"})),
    "carenClusterConfig": ("caren_cluster_config", frozenset({"Cluster"})),
    "imageBuilderOverrides": ("image_builder_overrides", frozenset({"Cluster", "Secret"})),
}
"""The key under ``spec.targets`` -> the module of the target, and the kinds of the objects that it edits or
creates others beside; in the order in which targets edit one object. A test compares it with the modules."""


_WORDS: dict[str, tuple[str, ...]] = {
    "kyvernoPolicies": (
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "NO_PROXY",
        "http_proxy",
        "https_proxy",
        "no_proxy",
        "addons.cluster.x-k8s.io/resource-set",
        "fn.inject-proxy.io/policy",
    )
}
"""The text hints of a target whose kinds occur in nearly every list, so that its module is imported for few of
them. A test compares them with the module."""


class _Targets(Mapping[str, Target]):
    """The targets by their keys under ``spec.targets``; each one is imported when it is asked for."""

    def __init__(self) -> None:
        self._imported: dict[str, Target] = {}

    def __getitem__(self, target_id: str) -> Target:
        if target_id not in self._imported:
            self._imported[target_id] = module_of(target_id).TARGET
        return self._imported[target_id]

    def __iter__(self) -> Iterator[str]:
        return iter(_ROWS)

    def __len__(self) -> int:
        return len(_ROWS)


TARGETS: Mapping[str, Target] = _Targets()
"""The key under ``spec.targets`` -> the target, in the order in which they edit one object."""


def module_of(target_id: str) -> ModuleType:
    """Return the module that holds a target and describes it; its key must be in the table."""
    module, _ = _ROWS[target_id]
    return import_module(f"{__name__}.{module}")


def words_of(target_id: str) -> tuple[str, ...]:
    """Return words of which one is in the text of every object that a target without options edits; () if unknown."""
    return _WORDS.get(target_id, ())


def of_kinds(kinds: frozenset[str]) -> Iterator[str]:
    """Yield the keys of the targets that edit objects of some kinds, or create others beside them.

    Args:
        kinds: names of kinds; empty if they are not known, and any target may be concerned.
    """
    for target_id, (_, of_target) in _ROWS.items():
        if not kinds or not kinds.isdisjoint(of_target):
            yield target_id
