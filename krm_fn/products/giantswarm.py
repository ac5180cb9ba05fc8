"""Giant Swarm: kinds, labels, names of objects, places in values.

Sources: Giant Swarm's proxy document; ``giantswarm/cluster-apps-operator``;
``giantswarm/apiextensions-application``; ``kubectl gs template`` for ``<name>-userconfig``, the
documentation for ``<name>-user-values``.
"""

from __future__ import annotations

APP = ("application.giantswarm.io", "App")
CLUSTER_LABEL = "giantswarm.io/cluster"
OPERATOR_VERSION_LABEL = "app-operator.giantswarm.io/version"
# The value of ``OPERATOR_VERSION_LABEL`` in an App of the management cluster.
MANAGEMENT_CLUSTER_VERSION = "0.0.0"

# Cluster name and this: a ConfigMap and a Secret with values of all apps of the Cluster.
CLUSTER_VALUES_SUFFIX = "-cluster-values"
# Cluster name and this: the Secret with the drop-ins of the nodes.
SYSTEMD_PROXY_SUFFIX = "-systemd-proxy"
# App name and one of these: what users set for an app.
USER_VALUES_SUFFIXES = ("-userconfig", "-user-config", "-user-values", "-user-secrets")

# Where values have the proxy, in the keys ``proxy_keys.SHORT``.
PROXY = ("proxy",)
CLUSTER_PROXY = ("cluster", "proxy")

# The charts that create a Cluster each.
CLUSTER_CHARTS = {
    f"cluster-{provider}"
    for provider in (
        "aws",
        "azure",
        "cloud-director",
        "eks",
        "gcp",
        "openstack",
        "proxmox",
        "test",
        "vsphere",
    )
}
# The charts of apps whose values have a proxy.
CHARTS_WITH_PROXY = (
    "cert-manager",
    "chart-operator",
    "cluster-autoscaler",
    "dex-app",
    "external-dns",
    "teleport-kube-agent",
)
POLICIES_CHART = "kyverno-policies-connectivity"
# The charts of a management cluster whose values have the proxy of its Clusters.
INSTALLATION_CHARTS = (POLICIES_CHART, "cluster-apps-operator")
