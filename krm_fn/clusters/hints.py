"""What one object says about itself: its Cluster, its role, its facts.

One object at a time, and nothing is looked up.

Sources: Cluster API ``api/core``: the labels of ``common_types.go``, ``spec.clusterName``, ``spec.topology`` (v1beta1
``class``, ``classNamespace``; v1beta2 ``classRef``); ``giantswarm.io`` labels: ``giantswarm/k8smetadata``;
cluster-api-provider-cloud-director ``controllers/cluster_scripts/cloud_init.tmpl`` and ``api/*/vcdcluster_types.go``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from krm_fn.clusters.charts import Aim, aim, may_be
from krm_fn.clusters.class_endpoint import endpoints, endpoints_of_product, patches_of_others
from krm_fn.clusters.declared import declared, sets_services
from krm_fn.clusters.kinds import (
    CLUSTER,
    CLUSTER_CLASS,
    CORE,
    INFRASTRUCTURE,
    METAL3_POOL,
    OWNS_WORKERS,
    ROLES,
    is_cluster_api,
)
from krm_fn.clusters.model import Key
from krm_fn.clusters.names import named_after, referred
from krm_fn.clusters.reading import pattern, text, values
from krm_fn.clusters.references import WorkerClass, class_of, key_of, owners, target_of
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import ObjectRef
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.noproxy import ClusterNetwork, Fact
from krm_fn.patch import Pointer, lookup
from krm_fn.products import giantswarm, konvoy, tkg
from krm_fn.products.cluster_api import Role
from krm_fn.products.node_kinds import SYSTEMS

_CLUSTER_LABELS = (
    f"{CORE}/cluster-name",
    giantswarm.CLUSTER_LABEL,
    tkg.CLUSTER_NAME_LABEL,
)
_NAMESPACE_NAMES = (f"{CORE}/cluster-namespace", tkg.CLUSTER_NAMESPACE_LABEL)
"""Where an object may say in which namespace its Cluster is: an annotation of Cluster API, a label of TKG."""

_WORKLOADS = frozenset({"apps", "batch", "kyverno.io", "policies.kyverno.io"})
"""The API groups of objects that are inside a cluster: their namespace is none of those in which Clusters are."""

_CONTROL_PLANE_LABEL = f"{CORE}/control-plane"
_TOPOLOGY_GROUP_LABELS = (f"topology.{CORE}/deployment-name", f"topology.{CORE}/pool-name")
_GROUP_LABELS = (
    f"{CORE}/deployment-name",
    f"{CORE}/pool-name",
    "giantswarm.io/machine-deployment",
    "giantswarm.io/machine-pool",
)

_OF_CLOUD_DIRECTOR = {
    "VCDCluster": ("spec",),
    "VCDClusterTemplate": ("spec", "template", "spec"),
}
"""Kind -> where it has the specification of the infrastructure, which may name a proxy."""
_DROP_IN = "/etc/systemd/system/containerd.service.d/http-proxy.conf"
"""What the provider of Cloud Director writes on each node then."""

_PATCHED_PATHS = pattern("definitions.*.jsonPatches.*.path")
_LISTS_OF_NODES = tuple(
    f"/{key}{end}"
    for system in SYSTEMS
    for key in (system.files, system.commands, *system.commands_of.values())
    if key
    for end in ("", "/-")
)


class Whole(NamedTuple):
    """What only a Cluster and a ClusterClass say.

    Attributes:
        infrastructure: the object that is the infrastructure.
        control_plane: the object that is the control plane.
        labels: those of the Cluster.
        class_key: the ClusterClass of a Cluster.
        class_path: leads to where the Cluster names it.
        workers: the names of a Cluster's worker groups, by class.
        patched: the templates of a class are not what a Cluster gets.
        rewritten: the paths in them that its patches write; the root if it can be any.
        variables: the variables of a Cluster, or the defaults of those of a class, by name: path and value.
        endpoints: where these hold the host of the control plane endpoint; a name, and what leads on from there.
    """

    infrastructure: Key | None = None
    control_plane: Key | None = None
    labels: Mapping[str, str] = MappingProxyType({})
    class_key: Key | None = None
    class_path: Pointer = ()
    workers: Mapping[WorkerClass, tuple[str, ...]] = MappingProxyType({})
    patched: bool = False
    rewritten: tuple[Pointer, ...] = ()
    variables: Mapping[str, tuple[Pointer, Any]] = MappingProxyType({})
    endpoints: tuple[Pointer, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Return whether a Cluster says what it is made of; one that does not is more often a patch of another."""
        return bool(self.infrastructure or self.control_plane or self.class_key)


class Hints(NamedTuple):
    """Everything one object says about itself; what it does not say is empty.

    Attributes:
        key: what references name it by.
        ref: its identity.
        role: that of the nodes that it sets up.
        group: the name of the worker group that they belong to.
        cluster_name: its Cluster, by ``spec.clusterName``.
        cluster_namespace: the namespace of its Cluster, where it names one.
        convention: the Cluster after which a product has named it.
        referred: the Cluster after which a product has named a Secret or a ConfigMap that it refers to.
        label: the label that names its Cluster, and its value.
        aim: the Cluster for which a chart is.
        may_be: the Clusters after which a person may have named it.
        owners: its owner references.
        network: what it says about the network of its Cluster.
        assumed: what follows where it says nothing.
        provider_files: those of ``Cluster``.
        sets_services: it gives the services of its Cluster a network, readable here or not.
        whole: what only a Cluster and a ClusterClass say.
    """

    key: Key
    ref: ObjectRef
    role: Role | None = None
    group: str = ""
    cluster_name: str = ""
    cluster_namespace: str = ""
    convention: str = ""
    referred: str = ""
    label: tuple[str, str] = ("", "")
    aim: Aim = Aim()
    may_be: tuple[str, ...] = ()
    owners: tuple[Key, ...] = ()
    network: ClusterNetwork = ClusterNetwork()
    assumed: ClusterNetwork = ClusterNetwork()
    provider_files: tuple[Fact, ...] = ()
    sets_services: bool = False
    whole: Whole = Whole()

    @property
    def in_cluster_api(self) -> bool:
        """True for objects that are in the namespace of their Cluster and are often named after it."""
        return is_cluster_api(self.key[0]) or self.key[0] == konvoy.GROUP

    @property
    def is_workload(self) -> bool:
        """True for objects inside a cluster, whose namespace says nothing about that of their Cluster."""
        return self.key[0] in _WORKLOADS


def hints(obj: Object) -> Hints:
    """Return what an object says about the Cluster it belongs to."""
    key = key_of(obj)
    ours = is_cluster_api(key[0])
    group = _group(obj) if ours else ""
    return Hints(
        key,
        obj.ref,
        role=_role(obj, group) if ours else None,
        group=group,
        cluster_name=_cluster_name(obj) if ours or key[:2] == METAL3_POOL else "",
        cluster_namespace=_cluster_namespace(obj),
        convention=named_after(obj),
        referred=referred(obj),
        label=_label(obj),
        aim=aim(obj),
        may_be=may_be(obj),
        owners=tuple(owners(obj)),
        network=declared(obj),
        assumed=_assumed(obj) if ours else ClusterNetwork(),
        provider_files=_provider_files(obj),
        sets_services=sets_services(obj) if ours else False,
        whole=_whole(obj, key),
    )


def role_of(obj: Object) -> Role | None:
    """Return the role of the nodes that an object of Cluster API sets up; None if it says none."""
    return _role(obj, _group(obj)) if is_cluster_api(key_of(obj)[0]) else None


def _label(obj: Object) -> tuple[str, str]:
    labels = obj.labels
    return next(
        ((name, value) for name in _CLUSTER_LABELS if (value := text(labels.get(name)))), ("", "")
    )


def _cluster_namespace(obj: Object) -> str:
    places = (obj.annotations, obj.labels)
    for name in _NAMESPACE_NAMES:
        for members in places:
            if value := text(members.get(name)):
                return value
    return ""


def _cluster_name(obj: Object) -> str:
    paths = (("spec", "clusterName"), ("spec", "template", "spec", "clusterName"))
    return next((name for path in paths if (name := text(lookup(obj.data, path)))), "")


def _role(obj: Object, group: str) -> Role | None:
    if obj.ref.kind in ROLES:
        return ROLES[obj.ref.kind]
    if _CONTROL_PLANE_LABEL in obj.labels:
        return Role.CONTROL_PLANE
    # Cluster API takes a Machine without that label for a worker.
    return Role.WORKER if group or obj.ref.kind == "Machine" else None


def _group(obj: Object) -> str:
    own = obj.ref.name if obj.ref.kind in OWNS_WORKERS else ""
    return (
        _first_label(obj, _TOPOLOGY_GROUP_LABELS)
        or own
        or _first_label(obj, _GROUP_LABELS)
        or _owning_group(obj)
    )


def _first_label(obj: Object, names: tuple[str, ...]) -> str:
    labels = obj.labels
    return next((value for name in names if (value := text(labels.get(name)))), "")


def _owning_group(obj: Object) -> str:
    return next((owner[3] for owner in owners(obj) if owner[1] in OWNS_WORKERS), "")


def _assumed(obj: Object) -> ClusterNetwork:
    if obj.ref.kind.removesuffix("Template") not in INFRASTRUCTURE:
        return ClusterNetwork()
    from krm_fn.clusters.defaults import assumed  # noqa: PLC0415 -- many lists have no Clusters

    return assumed(obj)


def _provider_files(obj: Object) -> tuple[Fact, ...]:
    """Return the paths of the files that the provider of ``obj`` writes, each with the field that makes it do so.

    They are empty unless ``obj`` is an infrastructure cluster, or the template of one, that asks for such a file.
    """
    spec = _OF_CLOUD_DIRECTOR.get(obj.ref.kind)
    if spec is None:
        return ()
    for name in ("httpProxy", "httpsProxy"):
        if lookup(obj.data, (*spec, "proxyConfigSpec", name)):
            return (Fact(_DROP_IN, obj.ref, (*spec, "proxyConfigSpec")),)
    return ()


def _whole(obj: Object, key: Key) -> Whole:
    if key[:2] == CLUSTER_CLASS:
        infrastructure, control_plane = (
            _first_target(obj, f"spec.{part}.ref", f"spec.{part}.templateRef")
            for part in ("infrastructure", "controlPlane")
        )
        return Whole(
            infrastructure,
            control_plane,
            patched=_is_patched(obj),
            rewritten=tuple(_rewritten(obj)),
            variables=_variables(
                obj, ("spec", "variables"), ("schema", "openAPIV3Schema", "default")
            ),
            endpoints=tuple(endpoints(obj)),
        )
    if key[:2] != CLUSTER:
        return Whole()
    class_key, class_path = class_of(obj.data, key[2], key[4])
    return Whole(
        _first_target(obj, "spec.infrastructureRef"),
        _first_target(obj, "spec.controlPlaneRef"),
        labels={
            name: value
            for name, value in obj.labels.items()
            if isinstance(name, str) and isinstance(value, str)
        },
        class_key=class_key,
        class_path=class_path,
        workers=_workers(obj),
        variables=_variables(obj, ("spec", "topology", "variables"), ("value",)),
        endpoints=endpoints_of_product(class_key[3]) if class_key else (),
    )


def _variables(obj: Object, start: Pointer, holder: Pointer) -> dict[str, tuple[Pointer, Any]]:
    """Return the variables in a list by name; each has its value, or default, in ``holder``."""
    found: dict[str, tuple[Pointer, Any]] = {}
    for path, entry in values(obj.data, (*start, "*")):
        name, value = text(lookup(entry, ("name",))), lookup(entry, holder)
        if name and value is not None:
            found.setdefault(name, ((*path, *holder), value))
    return found


def _is_patched(obj: Object) -> bool:
    """Return whether patches of a ClusterClass write more than files and commands of nodes."""
    for patch in patches_of_others(obj):
        paths = [text(path) for _, path in values(patch, _PATCHED_PATHS)]
        if not paths or not all(path.endswith(_LISTS_OF_NODES) for path in paths):
            return True
    return False


def _rewritten(obj: Object) -> Iterator[Pointer]:
    """Yield the paths that the patches of a ClusterClass write in templates.

    An external patch may write any path.
    """
    for patch in patches_of_others(obj):
        paths = [text(path) for _, path in values(patch, _PATCHED_PATHS)]
        for path in paths or [""]:
            yield tuple(step.replace("~1", "/").replace("~0", "~") for step in path.split("/")[1:])


def _first_target(obj: Object, *paths: str) -> Key | None:
    place = (obj.ref.namespace, obj.ref.file_path)
    targets = (target_of(lookup(obj.data, pattern(path)), *place) for path in paths)
    return next(filter(None, targets), None)


def _workers(obj: Object) -> dict[WorkerClass, tuple[str, ...]]:
    found: dict[WorkerClass, tuple[str, ...]] = {}
    for section in ("machineDeployments", "machinePools"):
        for _, worker in values(obj.data, ("spec", "topology", "workers", section, "*")):
            key = (section, text(lookup(worker, ("class",))))
            if name := text(lookup(worker, ("name",))):
                found[key] = (*found.get(key, ()), name)
    return found
