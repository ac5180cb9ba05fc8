"""References between objects in the shapes of all API versions, and which object of a list one means: the nearest.

That is the one of its own file, else of its own folder, else of the folder around it, and so on; several that are
equally near count together. A namespace that is left out, or ``${NAMESPACE}``, may be any: ``kustomize``, ``kpt`` and
``clusterctl`` set it later. All objects of a list without paths are equally near.

Inside of a cluster there is one object of a name. Two folders beside each other are for two clusters where both hold
a Cluster, or the same object, as ``clusters/dev`` and ``clusters/prod`` do: nothing in one is there for the other.

Source: Cluster API ``api/core``: a reference of v1alpha3 to v1beta1 has ``apiVersion``, ``kind``, ``name`` and at times
``namespace``, one of v1beta2 ``apiGroup``, ``kind``, ``name``; the templates of a ClusterClass are in ``ref``
(v1alpha4, v1beta1) or ``templateRef`` (v1beta2).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from posixpath import commonprefix

from krm_fn.clusters.cluster import Identity, Key
from krm_fn.clusters.kinds import AGENT_CLUSTER_INSTALL, CLUSTER_CLASS, INFRA_ENV, USES_POOLS
from krm_fn.krm.resourcelist import Object
from krm_fn.light_typing import Any, NamedTuple, TypeVar
from krm_fn.patch import (
    Data,
    Pointer,
    find_values,
    items_at,
    lookup,
    pattern,
    stripped,
    text_at,
    walk,
)
from krm_fn.placeholders import is_template
from krm_fn.products import tkg
from krm_fn.products.cluster_api import Role, is_cluster_api
from krm_fn.products.node_kinds import SYSTEMS

_Value = TypeVar("_Value")
Keys = list[Key]
# ``machineDeployments`` or ``machinePools``, and the name of a class of workers there.
WorkerClass = tuple[str, str]

CLUSTER_VARIABLES = ("spec", "topology", "variables")
_OVERRIDES = ("variables", "overrides")
# Where a Cluster names its class, and the namespace of that.
_CLASS_PATHS = (
    (pattern("spec.topology.classRef.name"), pattern("spec.topology.classRef.namespace")),
    (pattern("spec.topology.class"), pattern("spec.topology.classNamespace")),  # before v1beta2
)

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
# Kind -> the fields in which it names what it uses, and the role that gives; None: that of the object itself.
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


_DEPLOYMENT = ("hive.openshift.io", "ClusterDeployment")
# The kinds that name a ClusterDeployment of OpenShift -> the field, whose kind is always this one.
_NAMES_DEPLOYMENT = {
    AGENT_CLUSTER_INSTALL: ("spec", "clusterDeploymentRef"),
    INFRA_ENV: ("spec", "clusterRef"),
}


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
    fields = _REFERENCES.get(source.kind, {})
    for field, role in fields.items():
        for path, value in find_values(obj.data, pattern(field)):
            target = target_of(value, source.namespace, source.file)
            if isinstance(value, str) and value:  # the `secretRef` of a ClusterBootstrap
                target = Key("", "Secret", source.namespace, value, source.file)
            if target:
                yield Use(source, target, path, role, _worker_class(obj, path))


def cluster_deployment_of(obj: Object) -> Key | None:
    """Return the ClusterDeployment that an object of OpenShift names, which need not be in the list."""
    path = _NAMES_DEPLOYMENT.get(obj.group_kind)
    if path is None:
        return None
    reference = lookup(obj.data, path)
    name = text_at(reference, "name")
    if not name:
        return None
    namespace = text_at(reference, "namespace") or obj.ref.namespace
    return Key(*_DEPLOYMENT, namespace, name, obj.ref.file_path)


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
        name = stripped(lookup(data, name_path))
        if name:
            its_namespace = stripped(lookup(data, namespace_path)) or namespace
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
            yield (*path, *_OVERRIDES), (section, text_at(group, "name"))


def owners(obj: Object) -> Iterator[Key]:
    """Yield the owners, which are in the namespace of the object itself."""
    for _, owner in find_values(obj.data, ("metadata", "ownerReferences", "*")):
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
    kind = stripped(reference.get("kind"))
    name = stripped(reference.get("name"))
    if not (kind and name):
        return None
    group = stripped(reference.get("apiGroup"))
    if not group:
        group, _, _ = stripped(reference.get("apiVersion")).rpartition("/")
    its_namespace = stripped(reference.get("namespace"))
    return Key(group, kind, its_namespace or namespace, name, file)


def _worker_class(obj: Object, path: Pointer) -> WorkerClass:
    if path[:2] != ("spec", "workers"):
        return ("", "")
    name = lookup(obj.data, (*path[:4], "class"))
    return (path[2], stripped(name))


def is_open(namespace: str) -> bool:
    """Return whether a later step may still set the namespace."""
    return not namespace or is_template(namespace)


def may_be_same(namespace: str, other: str) -> bool:
    """Return whether both may turn out to be one namespace."""
    return namespace == other or is_open(namespace) or is_open(other)


def nearest(keys: Iterable[Key], file: str) -> Keys:
    """Return the keys whose files share the most folders with a file, and of these the ones in the fewest folders.

    So an object in its own file is the nearest one, and one in a file beside it is nearer than one in a folder below.
    """
    steps = file.split("/")
    ranks = {}
    for key in keys:
        shared = commonprefix((key.file.split("/"), steps))
        ranks[key] = (len(shared), -key.file.count("/"))
    best = max(ranks.values(), default=None)
    return [key for key, rank in ranks.items() if rank == best]


# File or folder -> the objects in it, at any depth, by their identity.
_Scopes = dict[str, dict[Identity, Keys]]


class Folders:
    """The objects and Clusters that each file and folder holds, at any depth, which tell apart folders of clusters.

    Args:
        clusters: the Clusters of the list.
    """

    def __init__(self, clusters: Iterable[Key] = ()) -> None:
        self._objects: _Scopes = {}
        self._clusters: _Scopes = {}
        for key in clusters:
            _add(key, self._clusters)

    def add(self, key: Key) -> None:
        """Add an object that lives inside of a cluster."""
        _add(key, self._objects)

    def copies(self, file: str) -> int:
        """Return how often the folder of its Clusters, or else the list, holds the most frequent object of a file."""
        objects = self._objects.get(file, {})
        # What is outside of the folder of its Clusters has no say.
        around = self._objects.get(self.cluster_folder(file) or "", {})
        return max((len(around[identity]) for identity in objects), default=1)

    def cluster_folder(self, file: str) -> str | None:
        """Return the innermost folder around a file that holds a Cluster, or the file itself; None for none."""
        for scope in _scopes(file):
            if scope in self._clusters:
                return scope
        return None

    def cluster_around(self, file: str) -> Keys:
        """Return the only Cluster of the innermost folder around a file that holds any, in each file that it is in.

        It is empty where that folder holds several. Outside of it may be other clusters, which have no say.
        """
        folder = self.cluster_folder(file)
        if folder is None:
            return []
        clusters = list(self._clusters[folder].values())
        if len(clusters) > 1:
            return []
        return clusters[0]

    def within_reach(self, keys: Iterable[Key], folder: str, inside: str) -> Keys:
        """Return those objects of a folder that may be for the same cluster as one part of it, and are outside of that.

        ``inside`` is the path of the part: a file or a folder that is directly in the folder.
        """
        parts = {inside: False, "": True}  # an object without a file is in reach of all
        near = []
        for key in keys:
            part = _part(key.file, folder)
            if part not in parts:
                parts[part] = not self._are_apart(part, inside)
            if parts[part]:
                near.append(key)
        return near

    def _are_apart(self, part: str, other: str) -> bool:
        if part in self._clusters and other in self._clusters:
            return True
        objects = self._objects.get(part, {}).keys()
        return not objects.isdisjoint(self._objects.get(other, ()))


class ObjectIndex(Mapping[Key, _Value]):
    """A mapping that finds the objects that a key means, which is that of a reference in a file.

    Args:
        members: the first objects.
        folders: tells the folders of clusters apart: a key means no object of another cluster.
    """

    def __init__(
        self, members: Iterable[tuple[Key, _Value]] = (), folders: Folders | None = None
    ) -> None:
        self._members: dict[Key, _Value] = {}
        # By folder, so that the nearest of many namesakes is found without a look at all of them.
        self._below: dict[tuple[str, Identity], Keys] = {}
        self._folders = folders
        for key, value in members:
            self.add(key, value)

    def add(self, key: Key, value: _Value) -> None:
        """Add an object; the last one of a key counts."""
        if key not in self._members:
            namespace = "" if is_open(key.namespace) else key.namespace
            for name in {namespace, _ANY}:
                identity = (key.group, key.kind, name, key.name)
                for scope in _scopes(key.file):
                    self._below.setdefault((scope, identity), []).append(key)
        self._members[key] = value

    def candidates(self, key: Key) -> Keys:
        """Return all objects that a key may mean: the nearest ones, of which one of its very namespace goes first."""
        if key in self._members:
            return [key]
        inside = key.file
        for scope in _scopes(key.file):
            keys = self._namesakes(key, scope)
            if self._folders and scope != key.file:
                keys = self._folders.within_reach(keys, scope, inside)
            if not keys:
                inside = scope
                continue
            if scope != key.file:
                keys = nearest(keys, key.file)
            of_namespace = [other for other in keys if other.namespace == key.namespace]
            return of_namespace or keys
        return []

    def find_all(self, key: Key) -> Keys:
        """Return the objects that a key means, which are equally near; none where they are in several namespaces."""
        candidates = self.candidates(key)
        namespaces = {other.namespace for other in candidates}
        if len(namespaces) > 1:
            return []
        return candidates

    def find(self, key: Key) -> Key | None:
        """Return the first object that a key means; None if there is none."""
        return next(iter(self.find_all(key)), None)

    def _namesakes(self, key: Key, scope: str) -> Keys:
        """Return the objects in a file or a folder, at any depth, whose namespace may be that of the key."""
        names = [_ANY] if is_open(key.namespace) else [key.namespace, ""]
        keys: Keys = []
        for name in names:
            identity = (key.group, key.kind, name, key.name)
            keys += self._below.get((scope, identity), ())
        return keys

    def __getitem__(self, key: Key) -> _Value:
        member = self.find(key)
        if member is None:
            raise KeyError(key)
        return self._members[member]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)


# Stands for all namespaces.
_ANY = "*"


def _scopes(file: str) -> Iterator[str]:
    """Yield a file, and each folder above it, the innermost first: ``a/b.yaml``, ``a``, and "" for all."""
    yield file
    while file:
        file = file.rpartition("/")[0]
        yield file


def _part(file: str, folder: str) -> str:
    """Return the file or folder, directly in a folder, that a file below that is in."""
    end = file.find("/", len(folder) + 1)
    if end < 0:
        return file
    return file[:end]


def _add(key: Key, keys: _Scopes) -> None:
    for scope in _scopes(key.file):
        of_scope = keys.setdefault(scope, {})
        of_scope.setdefault(key.identity, []).append(key)
