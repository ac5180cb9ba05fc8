"""Objects of Cluster API as plain data, as small as they can be, for the tests of the topology."""

from __future__ import annotations

import copy
from typing import Any

from krm_fn.krm.resourcelist import Object, objects

API_VERSIONS = {
    "Cluster": "cluster.x-k8s.io/v1beta1",
    "ClusterClass": "cluster.x-k8s.io/v1beta1",
    "Deployment": "apps/v1",
    "KubeadmConfig": "bootstrap.cluster.x-k8s.io/v1beta1",
    "KubeadmConfigTemplate": "bootstrap.cluster.x-k8s.io/v1beta1",
    "KubeadmControlPlane": "controlplane.cluster.x-k8s.io/v1beta1",
    "KubeadmControlPlaneTemplate": "controlplane.cluster.x-k8s.io/v1beta1",
    "Machine": "cluster.x-k8s.io/v1beta1",
    "MachineDeployment": "cluster.x-k8s.io/v1beta1",
    "MachinePool": "cluster.x-k8s.io/v1beta1",
    "MachineSet": "cluster.x-k8s.io/v1beta1",
}


def api_version(kind: str) -> str:
    """The API version of a kind; what is not named here is infrastructure."""
    return API_VERSIONS.get(kind, "infrastructure.cluster.x-k8s.io/v1beta1")


def named(kind: str, name: str, *, namespace: str = "", **rest: Any) -> dict[str, Any]:
    """An object of the kind; ``rest`` are its other members, and ``labels`` and ``owners`` those of its metadata."""
    metadata: dict[str, Any] = {"name": name}
    if namespace:
        metadata["namespace"] = namespace
    for key, member in (("labels", "labels"), ("owners", "ownerReferences")):
        if key in rest:
            metadata[member] = rest.pop(key)
    return {"apiVersion": api_version(kind), "kind": kind, "metadata": metadata, **rest}


def reference(kind: str, name: str, **rest: str) -> dict[str, str]:
    """A reference in the shape of v1beta1."""
    return {"apiVersion": api_version(kind), "kind": kind, "name": name, **rest}


def cluster(name: str = "prod", **spec: Any) -> dict[str, Any]:
    """A Cluster with these members of ``spec``."""
    return named("Cluster", name, spec=spec)


def control_plane(name: str = "cp", **config: Any) -> dict[str, Any]:
    """A KubeadmControlPlane with these members of ``spec.kubeadmConfigSpec``."""
    return named("KubeadmControlPlane", name, spec={"kubeadmConfigSpec": config})


def config_template(name: str = "workers", **rest: Any) -> dict[str, Any]:
    """A KubeadmConfigTemplate."""
    return named("KubeadmConfigTemplate", name, **rest)


def machine_deployment(name: str = "md-0", *, of: str = "prod", uses: str = "workers") -> dict[str, Any]:
    """A MachineDeployment of the Cluster ``of`` that uses the KubeadmConfigTemplate ``uses``."""
    bootstrap = {"configRef": reference("KubeadmConfigTemplate", uses)}
    return named("MachineDeployment", name, spec={"clusterName": of, "template": {"spec": {"bootstrap": bootstrap}}})


def deployment(name: str = "web", **rest: Any) -> dict[str, Any]:
    """A workload."""
    return named("Deployment", name, **rest)


def obj(data: dict[str, Any]) -> Object:
    """The object of such data."""
    (found,) = objects(data)
    return found


def with_value(data: dict[str, Any], path: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    """The data with another value at ``path``, all of which but the last step is there."""
    whole = copy.deepcopy(data)
    node: Any = whole
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = value
    return whole
