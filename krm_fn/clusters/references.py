"""References between objects, in the shapes of all API versions.

One object at a time, and nothing is looked up. Names are compared as written: a template such
as ``${CLUSTER_NAME}`` is a name like any other, as long as both sides write it.

Source: Cluster API ``api/core``: a reference of v1alpha3 to v1beta1 has ``apiVersion``, ``kind``, ``name`` and at times
``namespace``, one of v1beta2 ``apiGroup``, ``kind``, ``name``; the templates of a ClusterClass are named in ``ref``
(v1alpha4, v1beta1) or ``templateRef`` (v1beta2).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from krm_fn.clusters.kinds import (
    CLUSTER_CLASS,
    SECRET,
    USES_POOLS,
    is_cluster_api,
)
from krm_fn.clusters.model import Key
from krm_fn.clusters.namespaces import may_be_same
from krm_fn.clusters.reading import pattern, text, values
from krm_fn.krm.resourcelist import Object
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Pointer, lookup
from krm_fn.products import tkg
from krm_fn.products.cluster_api import Role
from krm_fn.products.node_kinds import SYSTEMS

WorkerClass = tuple[str, str]
"""``machineDeployments`` or ``machinePools``, and the name of a class of workers there."""

_CP, _WORKER = Role.CONTROL_PLANE, Role.WORKER
_MACHINES = (
    (pattern("spec.template.spec.bootstrap.configRef"), _WORKER),
    (pattern("spec.template.spec.infrastructureRef"), _WORKER),
)
_CLASS_PARTS: tuple[tuple[str, Role | None], ...] = (
    ("spec.infrastructure", None),
    ("spec.controlPlane", _CP),
    ("spec.controlPlane.machineInfrastructure", _CP),
    *(
        (f"spec.workers.{section}.*.{part}", _WORKER)
        for section in ("machineDeployments", "machinePools")
        for part in ("template.bootstrap", "template.infrastructure", "bootstrap", "infrastructure")
    ),
)
_REFERENCES: dict[str, tuple[tuple[Pointer, Role | None], ...]] = {
    "Cluster": ((pattern("spec.controlPlaneRef"), _CP), (pattern("spec.infrastructureRef"), None)),
    "MachineDeployment": _MACHINES,
    "MachineSet": _MACHINES,
    "MachinePool": _MACHINES,
    "Machine": (
        (pattern("spec.bootstrap.configRef"), None),
        (pattern("spec.infrastructureRef"), None),
    ),
    **dict.fromkeys(
        (system.control_plane for system in SYSTEMS),
        (
            (pattern("spec.machineTemplate.infrastructureRef"), _CP),
            (pattern("spec.machineTemplate.spec.infrastructureRef"), _CP),  # v1beta2
            (pattern("spec.infrastructureTemplate"), _CP),  # v1alpha3
        ),
    ),
    "ClusterClass": tuple(
        (pattern(f"{part}.{holder}"), role)
        for part, role in _CLASS_PARTS
        for holder in ("ref", "templateRef")
    ),
    **{kind: ((pattern(path), None),) for kind, path in USES_POOLS.items()},
}
"""Kind -> the fields in which it names what it uses, and the role that gives; None: the role of the object itself."""


_VALUES = tuple(
    map(pattern, ("spec.cni", "spec.csi", "spec.cpi", "spec.kapp", "spec.additionalPackages.*"))
)
"""The add-ons of a ClusterBootstrap (``vmware-tanzu/tanzu-framework``: ``apis/run/v1alpha3``)."""


class Use(NamedTuple):
    """That the object ``source`` names another one in its field ``path``."""

    source: Key
    path: Pointer
    role: Role | None = None
    worker: WorkerClass = ("", "")


def uses(obj: Object) -> Iterator[tuple[Key, Use]]:
    """Yield the objects that an object of Cluster API, or a ClusterBootstrap, refers to, and the kind of use.

    A reference into another namespace is none: Cluster API refuses it, and whoever writes it may not be an author of
    the object there (``api/core``, webhooks: "must match metadata.namespace"). Only a Cluster names a class elsewhere.
    """
    for target, use in _uses(obj):
        if may_be_same(target[2], use.source[2]):
            yield target, use


def _uses(obj: Object) -> Iterator[tuple[Key, Use]]:
    source = key_of(obj)
    if source[:2] == tkg.CLUSTER_BOOTSTRAP:
        yield from _values_of_add_ons(obj, source)
    if source[1] == "OpenStackCluster":
        yield from _credentials(obj, source)
    for wanted, role in _REFERENCES.get(source[1], ()) if is_cluster_api(source[0]) else ():
        for path, value in values(obj.data, wanted):
            target = target_of(value, source[2], source[4])
            if target:
                yield target, Use(source, path, role, _worker_class(obj, path))


def _credentials(obj: Object, source: Key) -> Iterator[tuple[Key, Use]]:
    """Yield the Secret with the credentials of an OpenStackCluster.

    Only its older versions name the kind.
    """
    path = ("spec", "identityRef")
    name, kind = (text(lookup(obj.data, (*path, member))) for member in ("name", "kind"))
    if name and kind in ("", SECRET[1]):
        yield (*SECRET, source[2], name, source[4]), Use(source, path)


def _values_of_add_ons(obj: Object, source: Key) -> Iterator[tuple[Key, Use]]:
    """Yield the source of the values of the add-ons of a Cluster.

    An object by reference, or a Secret by name.
    """
    for wanted in _VALUES:
        for path, value in values(obj.data, (*wanted, "valuesFrom", "providerRef")):
            target = target_of(value, source[2], source[4])
            if target:
                yield target, Use(source, path)
        for path, value in values(obj.data, (*wanted, "valuesFrom", "secretRef")):
            if name := text(value):
                yield (*SECRET, source[2], name, source[4]), Use(source, path)


def references(obj: Object) -> Iterator[tuple[Key, Pointer]]:
    """Yield every object that an object of any kind refers to, by a reference of either form, and the path."""
    left: list[tuple[Pointer, Any]] = [((), obj.data)]
    while left:
        path, value = left.pop()
        members: Iterable[tuple[Any, Any]] = enumerate(value)
        if isinstance(value, dict):
            members = value.items()
            target = target_of(value, obj.ref.namespace, obj.ref.file_path) if path else None
            if target and target[0]:
                yield target, path
        for key, member in members:
            if isinstance(member, (dict, list)):
                left.append(((*path, str(key)), member))


def class_of(data: Mapping[str, Any], namespace: str, file: str = "") -> tuple[Key | None, Pointer]:
    """Return the class that a Cluster in a namespace and a file names, and its path.

    ``classRef`` (v1beta2) before ``class`` and ``classNamespace``.
    """
    topology = lookup(data, ("spec", "topology"))
    for path, elsewhere in (
        (("classRef", "name"), ("classRef", "namespace")),
        (("class",), ("classNamespace",)),
    ):
        if name := text(lookup(topology, path)):
            found = (*CLUSTER_CLASS, text(lookup(topology, elsewhere)) or namespace, name, file)
            return found, ("spec", "topology", path[0])
    return None, ()


def owners(obj: Object) -> Iterator[Key]:
    """Yield the owners, which are in the namespace of the object itself."""
    for _, owner in values(obj.data, ("metadata", "ownerReferences", "*")):
        target = target_of(owner, obj.ref.namespace)
        if target:
            yield (target[0], target[1], obj.ref.namespace, target[3], obj.ref.file_path)


def key_of(obj: Object) -> Key:
    """Return the key by which a reference finds the object."""
    return (*obj.group_kind, obj.ref.namespace, obj.ref.name, obj.ref.file_path)


def target_of(reference: Any, namespace: str, file: str = "") -> Key | None:
    """Return the key that a reference of either form, in an object of a file, means.

    Without a namespace it is in ``namespace``.
    """
    if not isinstance(reference, Mapping):
        return None
    kind, name = text(reference.get("kind")), text(reference.get("name"))
    if not (kind and name):
        return None
    group = text(reference.get("apiGroup")) or text(reference.get("apiVersion")).rpartition("/")[0]
    return (group, kind, text(reference.get("namespace")) or namespace, name, file)


def _worker_class(obj: Object, path: Pointer) -> WorkerClass:
    if path[:2] != ("spec", "workers"):
        return ("", "")
    return (path[2], text(lookup(obj.data, (*path[:4], "class"))))
