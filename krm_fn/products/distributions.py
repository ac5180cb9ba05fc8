"""Products that take their proxy in three members of one mapping, or in a list of variables: kind, place, limits.

Data only, and the one table of them. A further kind is a row in ``ROWS``. A further product is one in ``PRODUCTS``,
too, with a section in ``targets/distributions/README.md``; `make docs` writes its block in the JSON Schema of both.

Sources: the API types of each project: ``openshift/api`` (``config/v1`` Proxy), ``openshift/installer``
(``validateProxy``: ``http://`` only for ``httpProxy``, no blank in ``noProxy``), ``openshift/hypershift``,
``openshift/assisted-service``, ``stolostron/siteconfig``, the Cluster API provider ``openshift-assisted``,
``kubernetes-sigs/cluster-api-provider-azure`` (``HTTPProxyConfig`` and its webhook), Azure's page "HTTP proxy
support in AKS" (``http://`` only for ``httpProxy``, no user and password), ``Azure/azure-service-operator``,
``aws/eks-anywhere`` (``ProxyConfiguration`` and its validation), ``canonical/cluster-api-k8s``,
``canonical/cluster-api-bootstrap-provider-microk8s``, ``kubermatic/kubeone``, ``kubernetes/kops`` (``EgressProxySpec``,
``GetProxyEnvVars``), ``kubernetes-sigs/cluster-api-provider-aws`` (``IgnitionProxy``, webhooks of ``AWSMachine`` and
``AWSMachineTemplate``), ``rancher/rancher`` (``AgentEnvVars``),
``rancher/system-agent`` (``install.sh``), ``operator-framework/api`` (``SubscriptionConfig``),
``actions/actions-runner-controller`` (``RunnerSpec``, ``RunnerSetSpec``, ``ProxyConfig``), ``crossplane/crossplane``
(``DeploymentRuntimeConfig``), ``tektoncd/operator`` (``AdditionalOptions`` and ``docs/Proxy.md``),
``fluxcd/notification-controller`` (``ProviderSpec``).
"""

from __future__ import annotations

from krm_fn.light_typing import NamedTuple
from krm_fn.products import proxy_keys
from krm_fn.products.cluster_api import BOOTSTRAP, CONTROL_PLANE, Role

_INFRASTRUCTURE = "infrastructure.cluster.x-k8s.io"


class Product(NamedTuple):
    """What holds for all kinds of a product.

    Attributes:
        name: as messages call it.
        completes_the_list: it adds the networks of its cluster to the list by itself.
        refused: characters that no value may hold, because the product writes it unescaped.
        takes_password: a URL with user and password can stand there.
        needs_both: it takes no proxy for one scheme only.
        needs_port: it takes no URL without a port.
        needs_http: its proxy for ``http://`` must be an ``http://`` URL itself.
        has_one: it has one proxy, for both schemes, whose URL it makes of host and port.
        most_entries: so many entries its list may have; 0 for any number.
        is_upper_case: it knows the variables in upper case only.
        has_nodes: nodes get the proxy; False where it is for pods.
        has_list: it takes exceptions from the proxy.
        pod_cidr: the network of the pods of a Cluster of Cluster API that names none; "" for none that is known.
        service_cidr: the same for Services.
    """

    name: str
    completes_the_list: bool = False
    refused: str = ""
    takes_password: bool = True
    needs_both: bool = False
    needs_port: bool = False
    needs_http: bool = False
    has_one: bool = False
    most_entries: int = 0
    is_upper_case: bool = False
    has_nodes: bool = True
    has_list: bool = True
    pod_cidr: str = ""
    service_cidr: str = ""


class ListItem(NamedTuple):
    """Which item of a list holds the members.

    Attributes:
        name: a member that tells it apart.
        value: what that member holds.
        is_made: where the list has no such item, one is made.
        required: leads to an empty mapping that must be there beside what is made.
    """

    name: str
    value: str
    is_made: bool = False
    required: tuple[str, ...] = ()


class BundlePlace(NamedTuple):
    """Where certificates are that belong to the members: in one of three ways.

    Attributes:
        text: the member beside the mapping that holds them in PEM form.
        base64: the member of the mapping that holds the same in base64.
        namespace: that of the ConfigMap which ``trustedCA.name`` in the mapping names; ``*`` for the one of the object.
        has_empty_name: an object that names no ConfigMap has ``trustedCA`` all the same, with an empty name.
    """

    text: str = ""
    base64: str = ""
    namespace: str = ""
    has_empty_name: bool = False


class DistributionRow(NamedTuple):
    """A kind of objects with the three members, or with a list of variables in their place.

    Attributes:
        target: the ID of the target that writes them.
        group: the API group.
        kind: the kind.
        path: leads to the mapping with the members, or to the list. A ``*`` stands for each item of a list that
            ``item`` describes, and for each member of a mapping.
        keys: the names of the members, in the order of ``HTTP_PROXY``, ``HTTPS_PROXY``, ``NO_PROXY``; "" for none. A
            dot leads into a further mapping.
        is_list: the last member is a list of entries, not a text with commas.
        is_env: it is a list of ``{name, value}``, as in a container.
        is_immutable: once the object exists, they cannot be changed, added or removed. A manifest does not say whether
            it does, so only a change or removal of what the manifest has is a warning.
        is_opt_in: they are written only where the user asks for it.
        is_frozen: the API server takes no other content for an object that exists, so its name has to change.
        beside: leads to a mapping that must be there: without it nothing is written. They are for a part of what sets
            up a machine then, so they do not say which system its nodes run.
        too_old: values of ``version`` in that mapping with which its reader knows no proxy; "" for a missing one.
        versions: the versions of the API in which the members are there; empty for all.
        bundle: where the certificates are that belong to them.
        name: the only name that an object has for which they count; "" for any.
        item: the one item of a list for which a ``*`` stands; None for any.
        has_secret: a member beside a URL names a Secret with user and password, which the URL cannot hold.
        is_filled: only a place that holds a proxy is written: without one, something else says it.
        is_needed: without a proxy there something lacks it.
        role: that of the nodes of such an object.
    """

    target: str
    group: str
    kind: str
    path: tuple[str, ...]
    keys: proxy_keys.ProxyKeys = proxy_keys.CAMEL
    is_list: bool = False
    is_env: bool = False
    is_immutable: bool = False
    is_opt_in: bool = False
    is_frozen: bool = False
    beside: tuple[str, ...] = ()
    too_old: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    bundle: BundlePlace = BundlePlace()
    name: str = ""
    item: ListItem | None = None
    has_secret: bool = False
    is_filled: bool = False
    is_needed: bool = True
    role: Role | None = None

    @property
    def field(self) -> str:
        """The place, as messages name it: ``spec.resources[].spec.httpProxyConfig``, ``spec.*.options``."""
        text = ".".join(self.path)
        return (
            text.replace(f"{self.list_name}.*", f"{self.list_name}[]") if self.list_name else text
        )

    @property
    def list_name(self) -> str:
        """The name of the list for whose items the last ``*`` stands; "" for none."""
        if "*" not in self.path:
            return ""
        return self.path[len(self.path) - self.path[::-1].index("*") - 2]

    @property
    def takes_password(self) -> bool:
        """Whether a URL with user and password can stand there."""
        return PRODUCTS[self.target].takes_password and not self.has_secret

    def certificates(self, path: tuple[str, ...]) -> tuple[str, ...]:
        """Return the path of the certificates that belong to the mapping at a path; empty if there are none."""
        if self.bundle.text:
            return (*path[:-1], self.bundle.text)
        return (*path, self.bundle.base64) if self.bundle.base64 else ()

    @property
    def is_template(self) -> bool:
        """Whether other objects are made of it."""
        return self.kind.endswith("Template")

    @property
    def is_control_plane(self) -> bool:
        """Whether it makes a control plane as a whole, or is the template of what does."""
        return self.group == CONTROL_PLANE

    @property
    def waits(self) -> bool:
        """Whether its target writes nothing there unless it has ``enabled: true``."""
        return self.is_immutable or self.is_opt_in


_UNQUOTED = " \t\"'\\$`"
"""What a shell, or a file of variables, does not take as a part of a value without quotes."""

_IN_QUOTES = '"\\$`'
"""What a shell does not take as it is between double quotes."""

PRODUCTS = {
    "openshift": Product("OpenShift", completes_the_list=True, refused=" \t", needs_http=True),
    "aks": Product("AKS", takes_password=False, needs_http=True),
    "eksAnywhere": Product(
        "EKS Anywhere", completes_the_list=True, refused="%", needs_both=True, needs_port=True
    ),
    "canonicalKubernetes": Product(
        "Canonical Kubernetes",
        refused=_UNQUOTED,
        pod_cidr="10.1.0.0/16",
        service_cidr="10.152.183.0/24",
    ),
    "microk8s": Product(
        "MicroK8s", refused=_UNQUOTED, pod_cidr="10.1.0.0/16", service_cidr="10.152.183.0/24"
    ),
    "kubeOne": Product("KubeOne", refused=_UNQUOTED),
    "kops": Product("kOps", completes_the_list=True, takes_password=False, has_one=True),
    "capaIgnition": Product("Ignition", most_entries=64),
    "rancher": Product("Rancher", refused=_IN_QUOTES, is_upper_case=True),
    "olmSubscriptions": Product("the operator", has_nodes=False),
    "githubRunners": Product("GitHub's runners", has_nodes=False),
    "crossplane": Product("Crossplane's packages", has_nodes=False),
    "tekton": Product("Tekton", has_nodes=False),
    "fluxProviders": Product("Flux", has_nodes=False, has_list=False),
}
"""ID of a target -> its product."""

_OF_CLUSTER_API = (CONTROL_PLANE, BOOTSTRAP, _INFRASTRUCTURE)
_TEMPLATE = ("spec", "template", "spec")
_ENV = ("containers", "*", "env")
_ASO = "containerservice.azure.com"
_MANAGED_CLUSTER = ListItem("kind", "ManagedCluster")
_TRUST_BUNDLE = BundlePlace(text="additionalTrustBundle")
_TRUSTED_CA = BundlePlace(base64="trustedCa")

CA_CONFIG_MAP = "inject-proxy-ca-bundle"
"""The name of the ConfigMap that is created for ``trustedCA.name``."""

ROWS = (
    DistributionRow(
        "openshift",
        "config.openshift.io",
        "Proxy",
        ("spec",),
        bundle=BundlePlace(namespace="openshift-config", has_empty_name=True),
        name="cluster",
    ),
    DistributionRow(
        "openshift",
        "hypershift.openshift.io",
        "HostedCluster",
        ("spec", "configuration", "proxy"),
        bundle=BundlePlace(namespace="*"),
    ),
    DistributionRow(
        "openshift", "extensions.hive.openshift.io", "AgentClusterInstall", ("spec", "proxy")
    ),
    DistributionRow(
        "openshift",
        "agent-install.openshift.io",
        "InfraEnv",
        ("spec", "proxy"),
        bundle=_TRUST_BUNDLE,
    ),
    DistributionRow(
        "openshift",
        "siteconfig.open-cluster-management.io",
        "ClusterInstance",
        ("spec", "proxy"),
    ),
    DistributionRow(
        "openshift",
        CONTROL_PLANE,
        "OpenshiftAssistedControlPlane",
        ("spec", "config", "proxy"),
    ),
    DistributionRow(
        "openshift",
        CONTROL_PLANE,
        "OpenshiftAssistedControlPlane",
        ("spec", "openshiftAssistedConfigSpec", "proxy"),
        bundle=_TRUST_BUNDLE,
    ),
    DistributionRow(
        "openshift",
        BOOTSTRAP,
        "OpenshiftAssistedConfigTemplate",
        (*_TEMPLATE, "proxy"),
        bundle=_TRUST_BUNDLE,
    ),
    DistributionRow(
        "aks",
        _INFRASTRUCTURE,
        "AzureManagedControlPlane",
        ("spec", "httpProxyConfig"),
        is_list=True,
        bundle=_TRUSTED_CA,
        is_immutable=True,
    ),
    DistributionRow(
        "aks",
        _INFRASTRUCTURE,
        "AzureManagedControlPlaneTemplate",
        (*_TEMPLATE, "httpProxyConfig"),
        is_list=True,
        bundle=_TRUSTED_CA,
        is_immutable=True,
    ),
    DistributionRow(
        "aks",
        _INFRASTRUCTURE,
        "AzureASOManagedControlPlane",
        ("spec", "resources", "*", "spec", "httpProxyConfig"),
        is_list=True,
        bundle=_TRUSTED_CA,
        item=_MANAGED_CLUSTER,
    ),
    DistributionRow(
        "aks",
        _INFRASTRUCTURE,
        "AzureASOManagedControlPlaneTemplate",
        (*_TEMPLATE, "resources", "*", "spec", "httpProxyConfig"),
        is_list=True,
        bundle=_TRUSTED_CA,
        item=_MANAGED_CLUSTER,
    ),
    DistributionRow(
        "aks",
        _ASO,
        "ManagedCluster",
        ("spec", "httpProxyConfig"),
        is_list=True,
        bundle=_TRUSTED_CA,
    ),
    DistributionRow(
        "eksAnywhere",
        "anywhere.eks.amazonaws.com",
        "Cluster",
        ("spec", "proxyConfiguration"),
        is_list=True,
        is_immutable=True,
    ),
    DistributionRow(
        "canonicalKubernetes",
        CONTROL_PLANE,
        "CK8sControlPlane",
        ("spec", "spec"),
        role=Role.CONTROL_PLANE,
    ),
    DistributionRow(
        "canonicalKubernetes",
        CONTROL_PLANE,
        "CK8sControlPlaneTemplate",
        (*_TEMPLATE, "spec"),
        role=Role.CONTROL_PLANE,
    ),
    DistributionRow(
        "canonicalKubernetes",
        BOOTSTRAP,
        "CK8sConfigTemplate",
        _TEMPLATE,
        role=Role.WORKER,
    ),
    DistributionRow(
        "microk8s",
        CONTROL_PLANE,
        "MicroK8sControlPlane",
        ("spec", "controlPlaneConfig", "initConfiguration"),
        role=Role.CONTROL_PLANE,
    ),
    DistributionRow(
        "microk8s",
        BOOTSTRAP,
        "MicroK8sConfigTemplate",
        (*_TEMPLATE, "initConfiguration"),
        role=Role.WORKER,
    ),
    DistributionRow(
        "kubeOne",
        "kubeone.k8c.io",
        "KubeOneCluster",
        ("proxy",),
        ("http", "https", "noProxy"),
    ),
    DistributionRow(
        "kops",
        "kops.k8s.io",
        "Cluster",
        ("spec", "egressProxy"),
        ("httpProxy", "httpProxy", "excludes"),
        versions=("v1alpha2",),
    ),
    DistributionRow(
        "kops",
        "kops.k8s.io",
        "Cluster",
        ("spec", "networking", "egressProxy"),
        ("httpProxy", "httpProxy", "excludes"),
        versions=("v1alpha3",),
    ),
    DistributionRow(
        "capaIgnition",
        _INFRASTRUCTURE,
        "AWSMachineTemplate",
        (*_TEMPLATE, "ignition", "proxy"),
        is_list=True,
        is_frozen=True,
        beside=(*_TEMPLATE, "ignition"),
        too_old=("", "2.3", "3.0"),
    ),
    DistributionRow(
        "rancher", "provisioning.cattle.io", "Cluster", ("spec", "agentEnvVars"), is_env=True
    ),
    DistributionRow(
        "rancher", "management.cattle.io", "Cluster", ("spec", "agentEnvVars"), is_env=True
    ),
    DistributionRow(
        "olmSubscriptions",
        "operators.coreos.com",
        "Subscription",
        ("spec", "config", "env"),
        is_env=True,
        is_opt_in=True,
    ),
    DistributionRow(
        "githubRunners",
        "actions.summerwind.dev",
        "RunnerDeployment",
        (*_TEMPLATE, "env"),
        is_env=True,
    ),
    DistributionRow(
        "githubRunners",
        "actions.summerwind.dev",
        "RunnerDeployment",
        (*_TEMPLATE, "dockerEnv"),
        is_env=True,
    ),
    DistributionRow(
        "githubRunners",
        "actions.summerwind.dev",
        "RunnerSet",
        (*_TEMPLATE, *_ENV),
        is_env=True,
        item=ListItem("name", "runner", is_made=True),
    ),
    DistributionRow(
        "githubRunners",
        "actions.github.com",
        "AutoscalingRunnerSet",
        ("spec", "proxy"),
        ("http.url", "https.url", "noProxy"),
        is_list=True,
        has_secret=True,
    ),
    DistributionRow(
        "crossplane",
        "pkg.crossplane.io",
        "DeploymentRuntimeConfig",
        ("spec", "deploymentTemplate", *_TEMPLATE, *_ENV),
        is_env=True,
        item=ListItem(
            "name",
            "package-runtime",
            is_made=True,
            required=("spec", "deploymentTemplate", "spec", "selector"),
        ),
    ),
    DistributionRow(
        "tekton",
        "operator.tekton.dev",
        "TektonConfig",
        ("spec", "*", "options", "deployments", "*", *_TEMPLATE, *_ENV),
        is_env=True,
        is_needed=False,
    ),
    DistributionRow(
        "fluxProviders",
        "notification.toolkit.fluxcd.io",
        "Provider",
        ("spec",),
        ("", "proxy", ""),
        is_filled=True,
        is_needed=False,
    ),
)


FILES = {
    "openshift": DistributionRow(
        "openshift", "", "install-config.yaml", ("proxy",), bundle=_TRUST_BUNDLE
    ),
}
"""ID of a target -> the plain file that it fills, too."""


def _of_kind() -> dict[tuple[str, str], tuple[DistributionRow, ...]]:
    found: dict[tuple[str, str], tuple[DistributionRow, ...]] = {}
    for row in ROWS:
        key = (row.group, row.kind)
        found[key] = (*found.get(key, ()), row)
    return found


OF_KIND = _of_kind()
"""API group and kind -> its rows, which are of one target."""


TEMPLATES = {key: rows[0] for key, rows in OF_KIND.items() if rows[0].is_template}
"""API group and kind of a template -> its first row."""


_OF_TARGET = {target: [row for row in ROWS if row.target == target] for target in PRODUCTS}


def kinds_of(target: str) -> frozenset[str]:
    """Return the kinds that a target writes."""
    kinds = {row.kind for row in _OF_TARGET[target]}
    return frozenset(kinds | {"ConfigMap"} if has_config_map(target) else kinds)


def has_config_map(target: str) -> bool:
    """Return whether a target creates a ConfigMap with certificates beside some of its objects."""
    return any(row.bundle.namespace for row in _OF_TARGET[target])


def hints_of(target: str) -> tuple[str, ...]:
    """Return words of which one is in every object of a target: ``Cluster`` is a kind in several groups."""
    words = {row.kind if row.group in _OF_CLUSTER_API else row.group for row in _OF_TARGET[target]}
    if has_config_map(target):
        words.add(CA_CONFIG_MAP)
    return tuple(sorted(words))
