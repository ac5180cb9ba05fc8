"""The names of our variable and our patches in a ClusterClass, and the targets whose edits the patches make.

The rest of the package is imported only where a class or a Cluster is edited.
"""

from __future__ import annotations

from krm_fn.products.cluster_api import CORE, OUR_PATCHES
from krm_fn.products.node_kinds import FILES_ON_REQUEST, SYSTEMS

CLASS = (CORE, "ClusterClass")
VARIABLES = ("spec", "variables")
PATCHES = ("spec", "patches")
"""What leads to them in a ClusterClass."""
VARIABLE, SECRET = "injectProxy", "secret"
"""Our variable, and its member for the name of the Secret with the drop-ins of a Cluster."""

EMPTY_LISTS, ADDITIONS, LISTS, NODES = OUR_PATCHES
"""Our patches: what the others need, what every node gets, what a node with a proxy gets, and the proxy itself."""

WORDS = (VARIABLE, *OUR_PATCHES)

TARGETS_OF_SYSTEMS = tuple(system.targets for system in SYSTEMS if system.files)
PATCHED_TARGETS = (
    *dict.fromkeys(target for targets in TARGETS_OF_SYSTEMS for target in targets),
    FILES_ON_REQUEST,
)
"""The targets whose edits the patches make: those of files and commands."""

PATCHED_WHERE_ERASED = ("nodes.trustedCA", "nodes.mirror")
"""Those whose edits are the same for every Cluster: patches make them only where a class erases them."""
