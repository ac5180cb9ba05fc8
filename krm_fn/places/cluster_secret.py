"""The Secret of a Cluster that holds the drop-ins of its nodes: its name, its keys, and references to it.

Sources: Giant Swarm's proxy document; ``service/controller/resource/clustersecret`` of
``giantswarm/cluster-apps-operator``.
"""

from __future__ import annotations

import re

from krm_fn.clusters import name_before
from krm_fn.light_typing import Any, Fields
from krm_fn.patch import Data, text_at
from krm_fn.products.giantswarm import SYSTEMD_PROXY_SUFFIX
from krm_fn.settings import ProxySettings

# Name of a service -> the key that holds its drop-in.
KEYS = {"containerd": "containerdProxy", "kubelet": "kubeletProxy"}

_HASHED = rf"{SYSTEMD_PROXY_SUFFIX}-[0-9a-f]{{10}}$"


def name_for(cluster_name: str) -> str:
    """Return the name of the Secret of a Cluster."""
    return f"{cluster_name}{SYSTEMD_PROXY_SUFFIX}"


def without_hash(name: str) -> str:
    """Return the name without the hash of ``spec.rollout.hashNames``, if it has one."""
    if (
        f"{SYSTEMD_PROXY_SUFFIX}-" not in name
    ):  # a regular expression costs most where it is compiled
        return name
    return re.sub(_HASHED, SYSTEMD_PROXY_SUFFIX, name)


def is_name(name: str) -> bool:
    """Return whether a name is that of the Secret of a Cluster."""
    return bool(name_before(without_hash(name), (SYSTEMD_PROXY_SUFFIX,)))


def is_named_for(name: str, settings: ProxySettings) -> bool:
    """Return whether a name is that of the Secret of the settings' Cluster; of any, where no Cluster is known."""
    if not settings.clusters:
        return is_name(name)
    base = without_hash(name)
    return any(base == name_for(cluster) for cluster in settings.clusters)


def reference(settings: ProxySettings, unit: str) -> Fields:
    """Return the ``contentFrom`` of the drop-in of a service; CRI-O has the key of containerd."""
    key = KEYS.get(unit, KEYS["containerd"])
    return {"secret": {"name": name_for(settings.cluster), "key": key}}


def obstacle(settings: ProxySettings) -> str:
    """Return why an object that gets these settings cannot refer to the Secret; "" where it can."""
    if settings.differs_from_cluster:
        return (
            "holds the proxy of the whole Cluster, but an entry of `spec.overrides` asks for another "
            "one here: let it match the whole Cluster"
        )
    if not settings.clusters:
        return (
            "cannot be named, because the Cluster is not known: label this object "
            "`cluster.x-k8s.io/cluster-name`"
        )
    if len(settings.clusters) > 1:
        names = " and ".join(f'"{name}"' for name in settings.clusters)
        return f"cannot be named in an object that {names} share: give each an object of its own"
    return ""


def is_reference(existing: Any, ours: Data) -> bool:
    """Return whether a ``contentFrom`` names the same Secret and key, with any hash behind its name."""
    name = text_at(existing, ("secret", "name"))
    secret = ours["secret"]
    same = {"secret": {**secret, "name": name}}
    return without_hash(name) == secret["name"] and bool(existing == same)
