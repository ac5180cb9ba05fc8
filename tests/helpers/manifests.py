"""The one builder of each sort of object for all tests, as plain data and as small as it can be."""

from __future__ import annotations

import copy
import functools
from collections.abc import Mapping
from typing import Any

from krm_fn.clusters import Cluster, Topology
from krm_fn.krm.resourcelist import Object, objects
from krm_fn.patch import lookup
from krm_fn.products.cluster_api import CLUSTER

_CORE, _APPS, _CLUSTER = "v1", "apps/v1", "cluster.x-k8s.io/v1beta1"
_BOOTSTRAP, _CONTROL_PLANE = "bootstrap.cluster.x-k8s.io/v1beta1", "controlplane.cluster.x-k8s.io/v1beta1"
API_VERSIONS = {
    **dict.fromkeys(("ConfigMap", "Pod", "Secret"), _CORE),
    **dict.fromkeys(("DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"), _APPS),
    **dict.fromkeys(("CronJob", "Job"), "batch/v1"),
    **dict.fromkeys(("Cluster", "ClusterClass", "Machine", "MachineDeployment", "MachinePool", "MachineSet"), _CLUSTER),
    **dict.fromkeys(("KubeadmConfig", "KubeadmConfigTemplate"), _BOOTSTRAP),
    **dict.fromkeys(("KubeadmControlPlane", "KubeadmControlPlaneTemplate"), _CONTROL_PLANE),
    "HelmRelease": "helm.toolkit.fluxcd.io/v2",
    "ProxyConfig": "fn.inject-proxy.io/v1alpha1",
    "Rollout": "argoproj.io/v1alpha1",
    "ScaledJob": "keda.sh/v1alpha1",
}
_TEMPLATE = ("spec", "template", "spec")
_POD_SPECS = {
    "Pod": ("spec",),
    "CronJob": ("spec", "jobTemplate", *_TEMPLATE),
    "ScaledJob": ("spec", "jobTargetRef", "template", "spec"),
}
"""Where the specification of the pods is; in any other kind it is in ``spec.template.spec``."""
KUBEADM_SPECS = {
    "KubeadmControlPlane": ("spec", "kubeadmConfigSpec"),
    "KubeadmControlPlaneTemplate": (*_TEMPLATE, "kubeadmConfigSpec"),
    "KubeadmConfig": ("spec",),
    "KubeadmConfigTemplate": _TEMPLATE,
}
_METADATA = {key: key for key in ("namespace", "labels", "annotations")} | {"owners": "ownerReferences"}


def api_version(kind: str) -> str:
    """The API version of a kind; what is not named here is infrastructure."""
    return API_VERSIONS.get(kind, "infrastructure.cluster.x-k8s.io/v1beta1")


def named(kind: str, name: str, *, api: str = "", **rest: Any) -> dict[str, Any]:
    """An object with these members; ``namespace``, ``labels``, ``annotations`` and ``owners`` go into its metadata."""
    metadata = {"name": name}
    for key, member in _METADATA.items():
        value = rest.pop(key, None)
        if value:
            metadata[member] = value
    return {"apiVersion": api or api_version(kind), "kind": kind, "metadata": metadata, **rest}


def reference(kind: str, name: str, **rest: str) -> dict[str, str]:
    """A reference in the shape of v1beta1."""
    return {"apiVersion": api_version(kind), "kind": kind, "name": name, **rest}


def cluster(name: str = "prod", *, version: str = "v1beta1", metadata: Any = None, **spec: Any) -> dict[str, Any]:
    """A Cluster with these members of ``spec``, and ``metadata`` as ``named`` takes it."""
    return named("Cluster", name, api=f"cluster.x-k8s.io/{version}", spec=spec, **(metadata or {}))


def control_plane(name: str = "cp", *, metadata: Any = None, **config: Any) -> dict[str, Any]:
    """A KubeadmControlPlane with these members of ``spec.kubeadmConfigSpec``."""
    return kubeadm(config, "KubeadmControlPlane", name, **(metadata or {}))


def config_template(name: str = "workers", **rest: Any) -> dict[str, Any]:
    """A KubeadmConfigTemplate."""
    return named("KubeadmConfigTemplate", name, **rest)


def kubeadm(spec: Any, kind: str = "KubeadmConfigTemplate", name: str = "md-0", **rest: Any) -> dict[str, Any]:
    """An object of one of the four kinds with ``spec`` as its KubeadmConfigSpec."""
    return named(kind, name, **rest, **nested(KUBEADM_SPECS[kind], copy.deepcopy(spec)))


def spec_of(obj: Mapping[str, Any]) -> Any:
    """The KubeadmConfigSpec of such an object."""
    return lookup(obj, KUBEADM_SPECS[obj["kind"]])


def machine_deployment(name: str = "md-0", *, of: str = "prod", uses: str = "workers") -> dict[str, Any]:
    """A MachineDeployment of the Cluster ``of`` that uses the KubeadmConfigTemplate ``uses``."""
    bootstrap = {"configRef": reference("KubeadmConfigTemplate", uses)}
    return named("MachineDeployment", name, spec={"clusterName": of, "template": {"spec": {"bootstrap": bootstrap}}})


def container(name: str, *entries: Any, **fields: Any) -> dict[str, Any]:
    """A container with these entries of ``env``."""
    return {"name": name, **fields, **({"env": copy.deepcopy(list(entries))} if entries else {})}


def workload(
    *containers: Any, kind: str = "Deployment", name: str = "web", init: Any = (), pod: Any = None, **rest: Any
) -> dict[str, Any]:
    """A workload of these containers, or of one; ``pod`` is the metadata of its pods, ``rest`` as for ``named``."""
    spec = {"containers": [*(containers or [container("web")])]}
    return workload_of({**({"initContainers": [*init]} if init else {}), **spec}, kind=kind, name=name, pod=pod, **rest)


def workload_of(spec: Any, *, kind: str = "Deployment", name: str = "web", pod: Any = None, **rest: Any) -> Any:
    """A workload with this specification of its pods."""
    template = {"spec": copy.deepcopy(spec)} if pod is None else {"metadata": pod, "spec": copy.deepcopy(spec)}
    return named(kind, name, **rest, **nested(pod_spec_path(kind)[:-1], template))


def pod_spec_path(kind: str) -> tuple[str, ...]:
    """Where the specification of the pods of a kind is."""
    return _POD_SPECS.get(kind, _TEMPLATE)


def nested(path: tuple[str, ...], value: Any) -> Any:
    """A value below these keys."""
    return functools.reduce(lambda inner, key: {key: inner}, reversed(path), value)


def config_map(name: str, data: Any = None, **metadata: Any) -> dict[str, Any]:
    """A ConfigMap."""
    return named("ConfigMap", name, data={} if data is None else data, **metadata)


def secret(name: str, **rest: Any) -> dict[str, Any]:
    """A Secret with these members."""
    return named("Secret", name, **rest)


def obj(data: dict[str, Any]) -> Object:
    """The object of such data."""
    (found,) = objects(data)
    return found


def clusters_of(*items: dict[str, Any]) -> list[Cluster]:
    """The Clusters among some objects, with the facts that all of these say."""
    listed = [obj(item) for item in items]
    topology = Topology(listed)
    return [topology.of(item)[0].cluster for item in listed if item.group_kind == CLUSTER]


def with_value(data: dict[str, Any], path: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    """The data with another value at ``path``, all of which but the last step is there."""
    whole = copy.deepcopy(data)
    node: Any = whole
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = value
    return whole
