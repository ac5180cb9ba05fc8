"""The Secret of a Cluster that holds the drop-ins of its nodes: what it and its keys are called.

Names only.

Sources: Giant Swarm's proxy document; ``service/controller/resource/clustersecret`` of
``giantswarm/cluster-apps-operator``.
"""

from __future__ import annotations

import re

from krm_fn.settings import ProxySettings

KEYS = {"containerd": "containerdProxy", "kubelet": "kubeletProxy"}
"""Name of a service -> the key that holds its drop-in."""

SUFFIX = "-systemd-proxy"
_HASHED = re.compile(rf"{SUFFIX}-[0-9a-f]{{10}}$")


def name_for(cluster: str) -> str:
    """The name of the Secret of a Cluster."""
    return f"{cluster}{SUFFIX}"


def base_of(name: str) -> str:
    """The name without the hash of ``spec.rollout.hashNames``, where it has one."""
    return _HASHED.sub(SUFFIX, name)


def is_one(name: object) -> bool:
    """Whether an object of that name is the Secret of some Cluster."""
    return isinstance(name, str) and base_of(name).endswith(SUFFIX) and base_of(name) != SUFFIX


def is_of(name: object, settings: ProxySettings) -> bool:
    """Whether it is that of the Cluster the settings are for; of any, where none is known."""
    base = base_of(name) if isinstance(name, str) else name
    return (
        base in [name_for(cluster) for cluster in settings.clusters]
        if settings.clusters
        else is_one(name)
    )
