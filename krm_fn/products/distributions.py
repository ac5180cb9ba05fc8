"""Products that take their proxy in a mapping, or in a list of variables: kind, place, limits. Data only.

A further kind is a row in ``ROWS``. A further product is one in ``PRODUCTS``, too, with a section in
``targets/distributions/README.md``; `make docs` writes its block in the JSON Schema of both.

Sources: the API types of each project: ``openshift/api`` (``config/v1`` Proxy), ``openshift/installer``
(``validateProxy``), ``openshift/hypershift``, ``openshift/assisted-service``, ``stolostron/siteconfig``,
``kubernetes-sigs/cluster-api-provider-azure``, Azure's page "HTTP proxy support in AKS", ``Azure/azure-service-operator``,
``aws/eks-anywhere``, ``canonical/cluster-api-k8s``, ``kubermatic/kubeone``, ``kubernetes/kops`` (``EgressProxySpec``, ``assignProxy``),
``rancher/rancher`` (``AgentEnvVars``), ``actions/actions-runner-controller``, ``crossplane/crossplane``.
"""  # noqa: E501

from __future__ import annotations

from krm_fn.light_typing import GroupKind, NamedTuple, Texts
from krm_fn.products import proxy_keys
from krm_fn.products.cluster_api import BOOTSTRAP, CONTROL_PLANE, Role

_INFRASTRUCTURE = "infrastructure.cluster.x-k8s.io"


class Product(NamedTuple):
    """A product, with the facts that hold for all of its kinds.

    Attributes:
        name: as messages call it.
        completes_the_list: it adds the networks of its cluster to the list by itself.
        names: those inside the cluster that it does not add.
        takes_host_and_port: a URL need not have a scheme.
        has_nodes: nodes get the proxy; False where it is for pods.
        pod_cidr: the network of the pods of a Cluster of Cluster API that names none; "" for none that is known.
        service_cidr: that of the Services.
    """

    name: str
    completes_the_list: bool = False
    names: Texts = ()
    takes_host_and_port: bool = False
    has_nodes: bool = True
    pod_cidr: str = ""
    service_cidr: str = ""


class DistributionRow(NamedTuple):
    """A place in a kind of objects.

    Attributes:
        target: the ID of the target that writes it.
        group: the API group.
        kind: the kind.
        field: leads to the mapping with the members, or to the list of variables, with dots, as messages name it.
            ``[]`` stands for each item of a list that ``item`` describes.
        keys: the names of the members, in the order of ``HTTP_PROXY``, ``HTTPS_PROXY``, ``NO_PROXY``; a dot leads into a
            further mapping. One name for both proxies holds host and port. Empty for a list of variables.
        needs_whole_list: the product does not complete the list of this kind.
        is_list: the last member is a list of entries, not a text with commas.
        is_immutable: once the object exists, the API server takes no other proxy; so it is written on request only.
        versions: the versions of the API in which the place is there; empty for all.
        bundle: the text beside the mapping that holds certificates in PEM form.
        encoded_bundle: the member of the mapping that holds them in base64.
        trusted_ca: the namespace of the ConfigMap with them that ``trustedCA.name`` in the mapping names; ``*`` for
            that of the object.
        name: the only name that an object has for which the place counts; "" for any.
        item: the member that tells the item of the list apart, and its value.
        secret: the member beside a URL that names a Secret with user and password, which the URL cannot hold.
        role: that of the nodes of such an object.
        container: the container whose ``env`` is the list of variables; "" where the list is at the path.
        keep: so many steps of the path lead to a mapping that stays when it becomes empty.
    """  # noqa: E501

    target: str
    group: str
    kind: str
    field: str
    keys: Texts = proxy_keys.CAMEL
    needs_whole_list: bool = False
    is_list: bool = False
    is_immutable: bool = False
    versions: Texts = ()
    bundle: str = ""
    encoded_bundle: str = ""
    trusted_ca: str = ""
    name: str = ""
    item: tuple[str, str] = ("", "")
    secret: str = ""
    role: Role | None = None
    container: str = ""
    keep: int = 0

    @property
    def has_one_proxy(self) -> bool:
        """Whether one proxy is for both schemes, whose URL the product makes of host and port."""
        return bool(self.keys) and self.keys[0] == self.keys[1]

    @property
    def path(self) -> Texts:
        """The place, taken apart; ``*`` stands for each item of the list."""
        return tuple(self.field.replace("[]", ".*").split("."))

    @property
    def is_template(self) -> bool:
        """Whether other objects are made of it."""
        return self.kind.endswith("Template")

    @property
    def is_control_plane(self) -> bool:
        """Whether it makes a control plane as a whole, or is the template of one."""
        return self.group == CONTROL_PLANE


# ID of a target -> its product.
PRODUCTS = {
    "distributions.openshift": Product("OpenShift", completes_the_list=True),
    "distributions.aks": Product("AKS"),
    "distributions.eksAnywhere": Product(
        "EKS Anywhere", completes_the_list=True, takes_host_and_port=True
    ),
    "distributions.canonicalKubernetes": Product(
        "Canonical Kubernetes", pod_cidr="10.1.0.0/16", service_cidr="10.152.183.0/24"
    ),
    "distributions.kubeOne": Product("KubeOne"),
    "distributions.kops": Product("kOps", completes_the_list=True, names=(".svc",)),
    "distributions.rancher": Product("Rancher"),
    "distributions.githubRunners": Product("GitHub's runners", has_nodes=False),
    "distributions.crossplane": Product("Crossplane's packages", has_nodes=False),
}

# The name of the ConfigMap that is created for ``trustedCA.name``.
CA_CONFIG_MAP = "inject-proxy-ca-bundle"


_BUNDLE = "additionalTrustBundle"
_MANAGED_CLUSTER = ("kind", "ManagedCluster")
_ONE_URL = ("httpProxy", "httpProxy", "excludes")

ROWS = (
    DistributionRow(
        "distributions.openshift",
        "config.openshift.io",
        "Proxy",
        "spec",
        trusted_ca="openshift-config",
        name="cluster",
    ),
    DistributionRow(
        "distributions.openshift",
        "hypershift.openshift.io",
        "HostedCluster",
        "spec.configuration.proxy",
        trusted_ca="*",
    ),
    DistributionRow(
        "distributions.openshift",
        "extensions.hive.openshift.io",
        "AgentClusterInstall",
        "spec.proxy",
    ),
    DistributionRow(
        "distributions.openshift",
        "agent-install.openshift.io",
        "InfraEnv",
        "spec.proxy",
        bundle=_BUNDLE,
        needs_whole_list=True,
    ),
    DistributionRow(
        "distributions.openshift",
        "siteconfig.open-cluster-management.io",
        "ClusterInstance",
        "spec.proxy",
    ),
    DistributionRow(
        "distributions.openshift",
        CONTROL_PLANE,
        "OpenshiftAssistedControlPlane",
        "spec.config.proxy",
    ),
    DistributionRow(
        "distributions.openshift",
        CONTROL_PLANE,
        "OpenshiftAssistedControlPlane",
        "spec.openshiftAssistedConfigSpec.proxy",
        bundle=_BUNDLE,
    ),
    DistributionRow(
        "distributions.openshift",
        BOOTSTRAP,
        "OpenshiftAssistedConfigTemplate",
        "spec.template.spec.proxy",
        bundle=_BUNDLE,
    ),
    DistributionRow(
        "distributions.aks",
        _INFRASTRUCTURE,
        "AzureManagedControlPlane",
        "spec.httpProxyConfig",
        is_list=True,
        is_immutable=True,
        encoded_bundle="trustedCa",
    ),
    DistributionRow(
        "distributions.aks",
        _INFRASTRUCTURE,
        "AzureManagedControlPlaneTemplate",
        "spec.template.spec.httpProxyConfig",
        is_list=True,
        is_immutable=True,
        encoded_bundle="trustedCa",
    ),
    DistributionRow(
        "distributions.aks",
        _INFRASTRUCTURE,
        "AzureASOManagedControlPlane",
        "spec.resources[].spec.httpProxyConfig",
        is_list=True,
        encoded_bundle="trustedCa",
        item=_MANAGED_CLUSTER,
    ),
    DistributionRow(
        "distributions.aks",
        _INFRASTRUCTURE,
        "AzureASOManagedControlPlaneTemplate",
        "spec.template.spec.resources[].spec.httpProxyConfig",
        is_list=True,
        encoded_bundle="trustedCa",
        item=_MANAGED_CLUSTER,
    ),
    DistributionRow(
        "distributions.aks",
        "containerservice.azure.com",
        "ManagedCluster",
        "spec.httpProxyConfig",
        is_list=True,
        encoded_bundle="trustedCa",
    ),
    DistributionRow(
        "distributions.eksAnywhere",
        "anywhere.eks.amazonaws.com",
        "Cluster",
        "spec.proxyConfiguration",
        is_list=True,
        is_immutable=True,
    ),
    DistributionRow(
        "distributions.canonicalKubernetes",
        CONTROL_PLANE,
        "CK8sControlPlane",
        "spec.spec",
        role=Role.CONTROL_PLANE,
    ),
    DistributionRow(
        "distributions.canonicalKubernetes",
        CONTROL_PLANE,
        "CK8sControlPlaneTemplate",
        "spec.template.spec.spec",
        role=Role.CONTROL_PLANE,
    ),
    DistributionRow(
        "distributions.canonicalKubernetes",
        BOOTSTRAP,
        "CK8sConfigTemplate",
        "spec.template.spec",
        role=Role.WORKER,
    ),
    DistributionRow(
        "distributions.kubeOne",
        "kubeone.k8c.io",
        "KubeOneCluster",
        "proxy",
        ("http", "https", "noProxy"),
    ),
    DistributionRow(
        "distributions.kops",
        "kops.k8s.io",
        "Cluster",
        "spec.egressProxy",
        _ONE_URL,
        versions=("v1alpha2",),
    ),
    DistributionRow(
        "distributions.kops",
        "kops.k8s.io",
        "Cluster",
        "spec.networking.egressProxy",
        _ONE_URL,
        versions=("v1alpha3",),
    ),
    DistributionRow(
        "distributions.rancher",
        "provisioning.cattle.io",
        "Cluster",
        "spec.agentEnvVars",
        (),
        keep=1,
    ),
    DistributionRow(
        "distributions.rancher",
        "management.cattle.io",
        "Cluster",
        "spec.agentEnvVars",
        (),
        keep=1,
    ),
    DistributionRow(
        "distributions.githubRunners",
        "actions.github.com",
        "AutoscalingRunnerSet",
        "spec.proxy",
        ("http.url", "https.url", "noProxy"),
        is_list=True,
        secret=proxy_keys.CREDENTIAL_SECRET,
    ),
    DistributionRow(
        "distributions.crossplane",
        "pkg.crossplane.io",
        "DeploymentRuntimeConfig",
        "spec.deploymentTemplate.spec.template.spec.containers",
        (),
        container="package-runtime",
    ),
)


def _rows_by_kind() -> dict[GroupKind, tuple[DistributionRow, ...]]:
    of_kind: dict[GroupKind, tuple[DistributionRow, ...]] = {}
    for row in ROWS:
        key = (row.group, row.kind)
        of_kind[key] = (*of_kind.get(key, ()), row)
    return of_kind


# API group and kind -> its rows, which are of one target.
OF_KIND = _rows_by_kind()
# API group and kind of a template -> its first row.
TEMPLATES = {key: rows[0] for key, rows in OF_KIND.items() if rows[0].is_template}


def target_rows(target_id: str) -> list[DistributionRow]:
    """Return the rows of a target."""
    return [row for row in ROWS if row.target == target_id]
