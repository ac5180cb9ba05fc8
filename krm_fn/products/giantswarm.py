"""Giant Swarm: kinds, labels, names of objects, places in values.

Sources: Giant Swarm's proxy document; ``giantswarm/cluster-apps-operator``;
``giantswarm/apiextensions-application``; ``kubectl gs template`` for ``<name>-userconfig``, the
documentation for ``<name>-user-values``.
"""

from __future__ import annotations

APP = ("application.giantswarm.io", "App")
CLUSTER_LABEL = "giantswarm.io/cluster"
OPERATOR_VERSION_LABEL = "app-operator.giantswarm.io/version"
MANAGEMENT_CLUSTER_VERSION = "0.0.0"
"""The value of ``OPERATOR_VERSION_LABEL`` in an App of the management cluster."""

CLUSTER_VALUES_SUFFIX = "-cluster-values"
"""Cluster name and this: a ConfigMap and a Secret with values of all apps of the Cluster."""
SYSTEMD_PROXY_SUFFIX = "-systemd-proxy"
"""Cluster name and this: the Secret with the drop-ins of the nodes."""
USER_VALUES_SUFFIXES = ("-userconfig", "-user-config", "-user-values", "-user-secrets")
"""App name and one of these: what users set for an app."""

PROXY = ("proxy",)
CLUSTER_PROXY = ("cluster", "proxy")
"""Where values have the proxy, in the keys ``proxy_keys.SHORT``."""

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
"""The charts that create a Cluster each."""
CHARTS_WITH_PROXY = (
    "cert-manager",
    "chart-operator",
    "cluster-autoscaler",
    "dex-app",
    "external-dns",
    "teleport-kube-agent",
)
"""The charts of apps whose values have a proxy."""
POLICIES_CHART = "kyverno-policies-connectivity"
INSTALLATION_CHARTS = (POLICIES_CHART, "cluster-apps-operator")
"""The charts of a management cluster whose values have the proxy of its Clusters."""
