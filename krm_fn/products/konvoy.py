"""Konvoy and its Image Builder: kinds, names of objects, places in an override file.

Sources: the Konvoy document and its ``http-proxy-override.yaml``; ``mesosphere/konvoy-image-builder``.
"""

from __future__ import annotations

GROUP = "infrastructure.cluster.konvoy.d2iq.io"
INVENTORY = (GROUP, "PreprovisionedInventory")

# Cluster name and this: the Secret with the override file of its machines.
USER_OVERRIDES_SUFFIX = "-user-overrides"

# The mapping of an override file that is the environment of Ansible's own tasks.
PROXY_ENV = "proxy_env"
