"""Which Clusters an object belongs to, in which role, and what each Cluster declares about its network.

It reads Cluster API objects, and knows nothing of proxies. A field that is missing or of a wrong type is a fact that is
not there; it is never an error. A value that a later step fills in (``${POD_CIDR}``) is a fact like any other.
"""

from __future__ import annotations

from krm_fn.clusters.charts import (
    APPLICATION,
    CHART_SOURCES,
    HELM_RELEASE,
    NO_SOURCES,
    ChartSources,
    ChartUse,
    chart_of,
    chart_sources,
    charts_of,
    user_values_of,
)
from krm_fn.clusters.kinds import kinds, network_field
from krm_fn.clusters.model import Cluster, Key, Membership
from krm_fn.clusters.names import has_suffix
from krm_fn.clusters.namespaces import ByKey, is_open, may_be_same, meanings, nearest
from krm_fn.clusters.references import class_of, key_of, references, target_of
from krm_fn.clusters.same_name import same_name
from krm_fn.clusters.systems import (
    Foreign,
    System,
    charts_in,
    elsewhere,
    field_kinds,
    field_of,
    foreign,
    system_kinds,
    system_of,
    targets_of,
    without_class,
)
from krm_fn.clusters.topology import Topology
from krm_fn.products.cluster_api import Role

__all__ = [
    "APPLICATION",
    "CHART_SOURCES",
    "HELM_RELEASE",
    "NO_SOURCES",
    "ByKey",
    "ChartSources",
    "ChartUse",
    "Cluster",
    "Foreign",
    "Key",
    "Membership",
    "Role",
    "System",
    "Topology",
    "chart_of",
    "chart_sources",
    "charts_in",
    "charts_of",
    "class_of",
    "elsewhere",
    "field_kinds",
    "field_of",
    "foreign",
    "has_suffix",
    "is_open",
    "key_of",
    "kinds",
    "may_be_same",
    "meanings",
    "nearest",
    "network_field",
    "references",
    "same_name",
    "system_kinds",
    "system_of",
    "target_of",
    "targets_of",
    "user_values_of",
    "without_class",
]
