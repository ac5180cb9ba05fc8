"""References between objects, in the shapes of all API versions; nothing is looked up.

Source: Cluster API ``api/core``: a reference of v1alpha3 to v1beta1 has ``apiVersion``, ``kind``, ``name`` and at times
``namespace``, one of v1beta2 ``apiGroup``, ``kind``, ``name``; the templates of a ClusterClass are in ``ref``
(v1alpha4, v1beta1) or ``templateRef`` (v1beta2).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from krm_fn.clusters.cluster import Key
from krm_fn.clusters.kinds import AGENT_CLUSTER_INSTALL, CLUSTER_CLASS, INFRA_ENV, USES_POOLS
from krm_fn.clusters.reading import pattern, text, values
from krm_fn.krm.resourcelist import Object
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Data, Pointer, items_at, lookup, text_at, walk
from krm_fn.products import tkg
from krm_fn.products.cluster_api import Role, is_cluster_api
from krm_fn.products.node_kinds import SYSTEMS

WorkerClass = tuple[str, str]
"""``machineDeployments`` or ``machinePools``, and the name of a class of workers there."""

CLUSTER_VARIABLES = ("spec", "topology", "variables")
_OVERRIDES = ("variables", "overrides")
_CLASS_PATHS = (
    (pattern("spec.topology.classRef.name"), pattern("spec.topology.classRef.namespace")),
    (pattern("spec.topology.class"), pattern("spec.topology.classNamespace")),  # before v1beta2
)
"""Where a Cluster names its class, and the namespace of that."""

_CP = Role.CONTROL_PLANE
_WORKER = Role.WORKER
_OF_CONTROL_PLANE = {
    "spec.machineTemplate.infrastructureRef": _CP,
    "spec.machineTemplate.spec.infrastructureRef": _CP,  # v1beta2
    "spec.infrastructureTemplate": _CP,  # v1alpha3
}
_OF_WORKERS = {
    "spec.template.spec.bootstrap.configRef": _WORKER,
    "spec.template.spec.infrastructureRef": _WORKER,
}
_PARTS_OF_CLASS = {
    "spec.infrastructure": None,
    "spec.controlPlane": _CP,
    "spec.controlPlane.machineInfrastructure": _CP,
    **{
        f"spec.workers.{section}.*.{part}": _WORKER
        for section in ("machineDeployments", "machinePools")
        for part in ("template.bootstrap", "template.infrastructure", "bootstrap", "infrastructure")
    },
}
_ADD_ONS = ("cni", "csi", "cpi", "kapp", "additionalPackages.*")
_REFERENCES: dict[str, Mapping[str, Role | None]] = {
    "Cluster": {"spec.controlPlaneRef": _CP, "spec.infrastructureRef": None},
    "ClusterClass": {
        f"{part}.{holder}": role
        for part, role in _PARTS_OF_CLASS.items()
        for holder in ("ref", "templateRef")
    },
    **dict.fromkeys((system.control_plane for system in SYSTEMS), _OF_CONTROL_PLANE),
    **dict.fromkeys(("MachineDeployment", "MachineSet", "MachinePool"), _OF_WORKERS),
    "Machine": {"spec.bootstrap.configRef": None, "spec.infrastructureRef": None},
    **{kind: {path: None} for kind, path in USES_POOLS.items()},
    tkg.CLUSTER_BOOTSTRAP[1]: {
        f"spec.{add_on}.valuesFrom.{holder}": None
        for add_on in _ADD_ONS
        for holder in ("providerRef", "secretRef")
    },
}
"""Kind -> the fields in which it names what it uses, and the role that gives; None: that of the object itself."""


_DEPLOYMENT = ("hive.openshift.io", "ClusterDeployment")
_NAMES_DEPLOYMENT = {
    AGENT_CLUSTER_INSTALL: ("spec", "clusterDeploymentRef"),
    INFRA_ENV: ("spec", "clusterRef"),
}
"""The kinds that name a ClusterDeployment of OpenShift -> the field, whose kind is always this one."""


class Use(NamedTuple):
    """That the object ``source`` names the object ``target`` in its field ``path``."""

    source: Key
    target: Key
    path: Pointer
    role: Role | None = None
    worker_class: WorkerClass = ("", "")


def uses(obj: Object) -> Iterator[Use]:
    """Yield the objects that an object of Cluster API, a ClusterBootstrap or an AgentClusterInstall refers to."""
    source = key_of(obj)
    deployment = cluster_deployment_of(obj)
    if deployment and source.group_kind == AGENT_CLUSTER_INSTALL:
        yield Use(source, deployment, _NAMES_DEPLOYMENT[obj.group_kind])
    if not (is_cluster_api(source.group) or source.group_kind == tkg.CLUSTER_BOOTSTRAP):
        return
    for field, role in _REFERENCES.get(source.kind, {}).items():
        for path, value in values(obj.data, pattern(field)):
            target = target_of(value, source.namespace, source.file)
            if isinstance(value, str) and value:  # the `secretRef` of a ClusterBootstrap
                target = Key("", "Secret", source.namespace, value, source.file)
            if target:
                yield Use(source, target, path, role, _worker_class(obj, path))


def cluster_deployment_of(obj: Object) -> Key | None:
    """Return the ClusterDeployment that an object of OpenShift names, which need not be in the list."""
    reference = lookup(obj.data, _NAMES_DEPLOYMENT.get(obj.group_kind, ("",)))
    name = text_at(reference, ("name",))
    namespace = text_at(reference, ("namespace",)) or obj.ref.namespace
    return Key(*_DEPLOYMENT, namespace, name, obj.ref.file_path) if name else None


def references(obj: Object) -> Iterator[tuple[Key, Pointer]]:
    """Yield every object that an object of any kind refers to, by a reference of either form, and the path."""
    for path, value in walk(obj.data):
        if not path or not isinstance(value, dict):
            continue
        target = target_of(value, obj.ref.namespace, obj.ref.file_path)
        if target and target.group:
            yield target, path


def class_of(data: Data, namespace: str, file: str = "") -> tuple[Key | None, Pointer]:
    """Return the class that a Cluster in a namespace and a file names, and where it does so."""
    for name_path, namespace_path in _CLASS_PATHS:
        name = text(lookup(data, name_path))
        if name:
            its_namespace = text(lookup(data, namespace_path)) or namespace
            return Key(*CLUSTER_CLASS, its_namespace, name, file), name_path[:3]
    return None, ()


def class_name(data: Data) -> str:
    """Return the name of the ClusterClass of a Cluster, "" for none."""
    key, _ = class_of(data, "")
    return key.name if key else ""


def variable_lists(data: Data) -> Iterator[tuple[Pointer, WorkerClass]]:
    """Yield the paths of the lists of variables of a Cluster, that of the whole first, whether or not they exist.

    With each is the section and the name of the group of workers that it is for, or else two empty texts.
    ``variables.overrides`` of the control plane and of a group of workers count there instead.
    """
    yield CLUSTER_VARIABLES, ("", "")
    yield ("spec", "topology", "controlPlane", *_OVERRIDES), ("", "")
    for section in ("machineDeployments", "machinePools"):
        for path, group in items_at(data, ("spec", "topology", "workers", section)):
            yield (*path, *_OVERRIDES), (section, text_at(group, ("name",)))


def owners(obj: Object) -> Iterator[Key]:
    """Yield the owners, which are in the namespace of the object itself."""
    for _, owner in values(obj.data, ("metadata", "ownerReferences", "*")):
        target = target_of(owner, "", obj.ref.file_path)
        if target:
            yield target._replace(namespace=obj.ref.namespace)


def key_of(obj: Object) -> Key:
    """Return the key by which a reference finds the object."""
    return Key(*obj.group_kind, obj.ref.namespace, obj.ref.name, obj.ref.file_path)


def target_of(reference: Any, namespace: str, file: str = "") -> Key | None:
    """Return the key that a reference, in an object of a namespace and a file, means."""
    if not isinstance(reference, dict):
        return None
    kind = text(reference.get("kind"))
    name = text(reference.get("name"))
    if not (kind and name):
        return None
    group = text(reference.get("apiGroup")) or text(reference.get("apiVersion")).rpartition("/")[0]
    return Key(group, kind, text(reference.get("namespace")) or namespace, name, file)


def _worker_class(obj: Object, path: Pointer) -> WorkerClass:
    if path[:2] != ("spec", "workers"):
        return ("", "")
    return (path[2], text(lookup(obj.data, (*path[:4], "class"))))
