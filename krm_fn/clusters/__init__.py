"""Which Clusters an object belongs to, in which role, and the network that each Cluster declares.

It knows nothing of proxies. A field that is missing or of a wrong type is a fact that is not there, never an error.

    topology     begin here: the Clusters of a list, and the Clusters of each object
    members      which Cluster an object belongs to: by uses, names, owners, the only Cluster, a convention
    node         the parts of each object that are kept: its key, role, group, the Clusters that it names, references
                 and facts
    references   the references between objects, and which object one means: the nearest one of its name
    facts        the network as an object says it; defaults: that of its provider, where it says nothing
    kinds        tables: the fields with facts, by kind
    cluster      Fact, ClusterNetwork, Key, Cluster, Membership: values
"""

from __future__ import annotations

from krm_fn.clusters.cluster import Cluster, ClusterNetwork, Fact, Key, Membership, value_of
from krm_fn.clusters.kinds import CLOUD_NAMES, kinds, network_path
from krm_fn.clusters.node import chart_of, name_before, user_values_of
from krm_fn.clusters.references import (
    CLUSTER_VARIABLES,
    Folders,
    ObjectIndex,
    class_name,
    is_open,
    key_of,
    may_be_same,
    nearest,
    references,
    uses,
    variable_lists,
)
from krm_fn.clusters.topology import Topology
from krm_fn.products.cluster_api import Role
