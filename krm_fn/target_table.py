"""The table of targets: for each its module, its kinds, and the words of objects that it concerns.

Data only, so that ``config`` knows the IDs and the systems, and ``targets`` imports a module when an object of one of
its kinds occurs.
"""

from __future__ import annotations

from krm_fn.light_typing import GroupKind, NamedTuple, Texts
from krm_fn.products import (
    cluster_api,
    distributions,
    giantswarm,
    konvoy,
    release_kinds,
    tkg,
)
from krm_fn.products.node_kinds import FILE_TARGETS, WITH_FILES, WITH_MIRRORS, edited_kinds
from krm_fn.products.workload_kinds import POD_SPEC_OF

VARIABLES, VALUES = "variables", "values of charts"


class TargetRow(NamedTuple):
    """All that is said of a target without its module, which is imported for few lists.

    Attributes:
        class_path: its module in ``krm_fn.targets``, and behind a colon its class there.
        kinds: the kinds of the objects that it edits.
        text_hints: words of which at least one is in the text of every object that it edits, where its kinds
            occur in nearly every list, so that its module is imported for few of them; empty if the kinds say
            enough. ``Target.hints`` returns them.
        reference_words: words of which at least one is in the text of every object whose references to
            ConfigMaps and Secrets it knows (``Target.references``); empty if it knows of none.
        fills: which ConfigMaps and Secrets it writes because others refer to them: with ``VARIABLES``, or ``VALUES``.
        needs: the field of ``spec`` with its content: without it, the target only removes the traces of an earlier run.
        traces: words of which one is in the text of every object that holds such.
        beside: the kinds of the objects beside which it creates others (``Target.companions``).
        is_generator: it does so only where its option ``generate`` asks for it.
        takes_secrets: some of its places refer to a Secret that holds the URLs.
    """

    class_path: str
    kinds: frozenset[GroupKind]
    text_hints: Texts = ()
    reference_words: Texts = ()
    fills: str = ""
    needs: str = ""
    traces: Texts = ()
    beside: frozenset[GroupKind] = frozenset()
    is_generator: bool = False
    takes_secrets: bool = False


def _kinds(*names: str) -> frozenset[GroupKind]:
    """Return kinds that are written as ``kubectl`` takes them: ``Deployment.apps``, or ``Secret``."""
    parts = [name.partition(".") for name in names]
    return frozenset((group, kind) for kind, _, group in parts)


_CLUSTER = frozenset({cluster_api.CLUSTER})
_DATA = _kinds("ConfigMap", "Secret")
_VALUES = _DATA | {release_kinds.HELM_RELEASE}
_PODS = frozenset(POD_SPEC_OF)


def _add_ons(target_id: str) -> TargetRow:
    """Return the row of add-ons of TKG, which have data values in Secrets and resources of some kinds."""
    kinds = {add_on.kind for add_on in tkg.ADD_ONS if add_on.target == target_id and add_on.kind}
    words = (*tkg.ADD_ON_SECRET_TYPES, *{group for group, _ in kinds})
    return TargetRow("tkg.add_ons:AddOns", _kinds("Secret").union(kinds), text_hints=words)


def _distribution(target_id: str) -> TargetRow:
    """Return the row of a product; ``Cluster`` is a kind in several groups, so the group is in its texts."""
    rows = distributions.target_rows(target_id)
    kinds = {(row.group, row.kind) for row in rows}
    words = {row.kind if cluster_api.is_cluster_api(row.group) else row.group for row in rows}
    beside = frozenset((row.group, row.kind) for row in rows if row.trusted_ca)
    if beside:  # it creates a ConfigMap with certificates
        kinds.add(("", "ConfigMap"))
        words.add(distributions.CA_CONFIG_MAP)
    return TargetRow(
        "distributions.product_fields:Distribution",
        frozenset(kinds),
        text_hints=tuple(sorted(words)),
        beside=beside,
    )


def system_of(target_id: str) -> str:
    """Return the key under ``spec.targets`` that holds a target; its folder has the same name."""
    return target_id.partition(".")[0]


def part_of(target_id: str) -> str:
    """Return the key of a target below that of its system; "" for the one target of a system."""
    return target_id.partition(".")[2]


# ID -> the target, in the order in which targets edit one object. The ID is the path below ``spec.targets``:
# ``nodes.kubelet``, or ``kyverno`` for the one target of a system.
ROWS = {
    "nodes.trustedCA": TargetRow(
        "nodes.node_trust_store:NodeTrustStore",
        WITH_FILES,
        needs="trustedCA",
        traces=("trusted-ca", "inject-proxy:"),  # the folder, and the mark of the commands
    ),
    **{
        target: TargetRow("nodes.node_files:NodeTarget", edited_kinds(target))
        for target in FILE_TARGETS
    },
    "nodes.talos": TargetRow("nodes.talos:Talos", edited_kinds("nodes.talos")),
    "nodes.karpenter": TargetRow(
        "nodes.karpenter:Karpenter", _kinds("EC2NodeClass.karpenter.k8s.aws")
    ),
    "nodes.files": TargetRow("nodes.node_files:NodeTarget", WITH_FILES),
    "giantswarm.systemdProxy": TargetRow(
        "giantswarm.systemd_proxy:SystemdProxy",
        _kinds("Secret"),
        beside=_CLUSTER,
        is_generator=True,
        text_hints=(giantswarm.SYSTEMD_PROXY_SUFFIX,),
    ),
    "nodes.mirror": TargetRow(
        "nodes.registry_mirror:RegistryMirror",
        WITH_MIRRORS,
        needs="registryMirror",
        traces=("certs.d", "registries.yaml"),
    ),
    "workloads.trustedCA": TargetRow(
        "workloads.workload_trust_store:WorkloadTrustStore",
        _PODS | _kinds("ConfigMap"),
        beside=_PODS,
        text_hints=(
            "cert-manager",
            "chart-operator",
            "inject-proxy-trusted-ca",
            "fn.inject-proxy.io/trusted-ca",
        ),
    ),
    "workloads": TargetRow(
        "workloads.workloads:Workloads",
        _PODS | cluster_api.PROVIDERS,
        text_hints=(
            "cert-manager",
            "chart-operator",
            "fn.inject-proxy.io/proxy",
            "config.openshift.io/inject-proxy",
        ),
        reference_words=("configMapKeyRef", "secretKeyRef", "configMapRef", "secretRef"),
        takes_secrets=True,
    ),
    "workloads.data": TargetRow(
        "workloads.proxy_data:ProxyData",
        _DATA,
        # What is in an object that others read, whether or not the list has one that refers to it.
        text_hints=("proxy-environment-variables", "argocd.argoproj.io/secret-type"),
        reference_words=("proxySecretRef",),
        fills=VARIABLES,
    ),
    "charts": TargetRow(
        "charts.chosen_charts:Charts",
        _VALUES | {release_kinds.APPLICATION},
        text_hints=("fn.inject-proxy.io/proxy",),
        reference_words=("valuesFrom", "configMapKeyRef", "secretKeyRef"),
        fills=VALUES,
        takes_secrets=True,
    ),
    "kyverno": TargetRow(
        "kyverno.policies:KyvernoPolicies",
        _kinds(
            "ClusterPolicy.kyverno.io",
            "Policy.kyverno.io",
            "MutatingPolicy.policies.kyverno.io",
            "NamespacedMutatingPolicy.policies.kyverno.io",
            "MutatingAdmissionPolicy.admissionregistration.k8s.io",
            "MutatingAdmissionPolicyBinding.admissionregistration.k8s.io",
        ),
        text_hints=(
            "HTTP_PROXY",
            "HTTPS_PROXY",
            "NO_PROXY",
            "http_proxy",
            "https_proxy",
            "no_proxy",
            "fn.inject-proxy.io/policy",
        ),
        takes_secrets=True,
    ),
    "nodes.classes": TargetRow(
        "nodes.clusterclass.class_target:ClusterClass",
        _CLUSTER | _kinds("ClusterClass.cluster.x-k8s.io"),
    ),
    "giantswarm.clusterValues": TargetRow(
        "giantswarm.cluster_values:ClusterValues",
        _DATA,
        beside=_CLUSTER,
        is_generator=True,
        text_hints=(giantswarm.CLUSTER_VALUES_SUFFIX,),
    ),
    "giantswarm.apps": TargetRow("giantswarm.apps:Apps", frozenset({giantswarm.APP})),
    "giantswarm.installationValues": TargetRow(
        "giantswarm.installation_values:InstallationValues",
        _VALUES,
        text_hints=(
            "HelmRelease",
            *giantswarm.USER_VALUES_SUFFIXES,
            *giantswarm.INSTALLATION_CHARTS,
        ),
    ),
    "giantswarm.chartValues": TargetRow(
        "giantswarm.chart_values:ChartValues",
        _VALUES,
        text_hints=giantswarm.CHARTS_WITH_PROXY,
    ),
    **{add_on.target: _add_ons(add_on.target) for add_on in tkg.ADD_ONS},
    "tkg.clusterConfig": TargetRow(
        "tkg.tkg_clusters:ClusterConfig",
        _kinds("Secret"),
        text_hints=(cluster_api.RESOURCE_SET,),
    ),
    "tkg.clusterClass": TargetRow(
        "tkg.tkg_clusters:TkgCluster",
        _CLUSTER | {tkg.TANZU_KUBERNETES_CLUSTER},
        text_hints=("httpProxy", "httpsProxy", "tkg-", "TanzuKubernetesCluster"),
    ),
    "nutanix": TargetRow(
        "nutanix.caren_cluster_config:CarenClusterConfig",
        _CLUSTER,
        text_hints=("clusterConfig",),
    ),
    "konvoy": TargetRow(
        "konvoy.image_builder_overrides:ImageBuilderOverrides",
        _kinds("Secret"),
        beside=_CLUSTER,
        is_generator=True,
        text_hints=(konvoy.USER_OVERRIDES_SUFFIX,),
    ),
    **{target: _distribution(target) for target in distributions.PRODUCTS},
}

# Key under ``spec.targets`` -> its targets, in the order of the table; the keys in the order of the documentation.
SYSTEMS = {
    system: tuple(name for name in ROWS if system_of(name) == system)
    for system in (
        "nodes",
        "workloads",
        "charts",
        "kyverno",
        "giantswarm",
        "tkg",
        "nutanix",
        "konvoy",
        "distributions",
    )
}
