"""Systems that make machines nodes: the kinds that hold the configuration of nodes, with paths to files and commands.

Data only, and the one table of it: whoever edits, reads, names or rolls nodes asks here. A further system is a row in
``SYSTEMS``; where one target writes all of it, that is the whole code. A field that one system alone has, such as the
switch of nodeadm, is in the target that knows it.

Sources: Cluster API ``api/bootstrap/kubeadm`` and ``api/controlplane/kubeadm`` (v1alpha3 to v1beta2); kubeadm
``apis/kubeadm/v1beta4/defaults.go`` (``DefaultServicesSubnet``); RKE2: ``rancher/cluster-api-provider-rke2``
``bootstrap/api`` and ``controlplane/api``, ``bundle/lib/systemd/system/rke2-*.service`` of ``rancher/rke2``, its
documentation "Configure an HTTP proxy" and "Server configuration reference" (``cluster-cidr``, ``service-cidr``);
K3s: ``k3s-io/cluster-api-k3s`` ``bootstrap/api`` (``kthreesconfig_types.go``), ``install.sh`` (``create_env_file``);
k0s: ``k0sproject/k0smotron`` ``api/bootstrap`` and ``api/controlplane`` (v1beta1, v1beta2),
``internal/provisioner/ignition.go`` (``k0s-bootstrap``), its configuration reference (``podCIDR``, ``serviceCIDR``);
EKS: ``kubernetes-sigs/cluster-api-provider-aws`` ``bootstrap/eks/api``
(``NodeadmConfigSpec``, ``EKSConfigSpec``); Talos: ``siderolabs/cluster-api-bootstrap-provider-talos`` and
``siderolabs/cluster-api-control-plane-provider-talos`` ``api/v1beta1``, ``pkg/machinery/constants`` of
``siderolabs/talos`` (``DefaultIPv4PodNet``, ``DefaultIPv4ServiceNet``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from krm_fn.light_typing import GroupKind, NamedTuple, Texts
from krm_fn.products.cluster_api import BOOTSTRAP, CONTROL_PLANE, Role

# The target that writes files of other programs on any node: those that its option ``files`` names.
FILES_ON_REQUEST = "nodes.files"


class NodeSystem(NamedTuple):
    """A system that makes machines nodes of a Cluster.

    Attributes:
        name: as messages call it.
        targets: the IDs of the targets that write the proxy into it; the last one writes the commands.
        control_plane: the kind of its control planes; there is a ``…Template`` of it. "" where they are hosted.
        inside: leads from the specification of a control plane to the configuration.
        config: the kind of the configuration of one machine; there is a ``…Template`` of it, for workers.
        config_role: the role of a machine with such a configuration; None for either.
        services: the systemd services that get the proxy from files, where one target writes all of a system, each with
            the role of the nodes that run it; None for both.
        processes: those that its services start, for each of which a variable with its name in front wins over the one
            of the service: ``CONTAINERD_HTTPS_PROXY``.
        registries: where its services read mirrors of registries; "" where containerd reads ``certs.d``.
        commands: the key of the list of commands that run before it starts; "" where there are neither these nor files.
        restart: how a command makes containerd run with its new environment: ``restart``, ``try-restart`` where it may
            not run yet; "" where all starts behind the commands.
        late_commands: the key of those that run behind it.
        has_append: it has ``append``, with which cloud-init adds to the file of the image.
        has_mirror: containerd, or the system, reads files with mirrors of registries.
        format: leads to the field with the program that sets up a machine, ``cloud-config`` or ``ignition``.
        pod_cidr: the network of the pods where nobody says another one.
        service_cidr: the same for Services.
        network: fact about the network (see ``clusters/kinds.py``) -> the path to it in a configuration.
    """

    name: str
    targets: Texts
    control_plane: str
    inside: Texts
    config: str
    commands: str
    late_commands: str
    config_role: Role | None = None
    restart: str = ""
    has_append: bool = True
    has_mirror: bool = True
    format: Texts = ("format",)
    services: Mapping[str, Role | None] = {}
    processes: Texts = ()
    registries: str = ""
    pod_cidr: str = ""
    service_cidr: str = ""
    network: Mapping[str, str] = {}

    @property
    def exporter(self) -> str:
        """The ID of the target that writes the commands, if the system has any."""
        return self.targets[-1]


class NodeConfigKind(NamedTuple):
    """A kind of objects with the configuration of nodes.

    Attributes:
        group: its API group.
        kind: its name.
        system: the system that sets up the nodes.
        path: leads to the configuration.
        role: that of the nodes; None where it makes either.
        is_template: other objects are made of it.
    """

    group: str
    kind: str
    system: NodeSystem
    path: Texts
    role: Role | None
    is_template: bool = False

    @property
    def files(self) -> Texts:
        """The path to the list of files."""
        return (*self.path, "files")

    @property
    def services(self) -> Iterator[str]:
        """The names of the services on its nodes that get the proxy from files."""
        for name, role in self.system.services.items():
            if self.role in (None, role) or role is None:
                yield name

    @property
    def is_control_plane(self) -> bool:
        """Whether it makes a control plane as a whole, or is a template of such an object."""
        return self.group == CONTROL_PLANE


KUBEADM = NodeSystem(
    name="kubeadm",
    targets=("nodes.containerd", "nodes.kubelet", "nodes.commands"),
    control_plane="KubeadmControlPlane",
    inside=("kubeadmConfigSpec",),
    config="KubeadmConfig",
    commands="preKubeadmCommands",
    restart="restart",
    late_commands="postKubeadmCommands",
    service_cidr="10.96.0.0/12",
    network={
        "pod_cidrs": "clusterConfiguration.networking.podSubnet",
        "service_cidrs": "clusterConfiguration.networking.serviceSubnet",
        "service_domain": "clusterConfiguration.networking.dnsDomain",
        "endpoint": "clusterConfiguration.controlPlaneEndpoint",
        "hosts": "clusterConfiguration.etcd.external.endpoints.*",
    },
)

RKE2 = NodeSystem(
    name="RKE2",
    targets=("nodes.rke2",),
    control_plane="RKE2ControlPlane",
    inside=(),
    config="RKE2Config",
    commands="preRKE2Commands",
    late_commands="postRKE2Commands",
    has_append=False,
    format=("agentConfig", "format"),
    services={"rke2-server": Role.CONTROL_PLANE, "rke2-agent": Role.WORKER},
    processes=("CONTAINERD",),
    registries="/etc/rancher/rke2/registries.yaml",
    pod_cidr="10.42.0.0/16",
    service_cidr="10.43.0.0/16",
    network={"service_domain": "serverConfig.clusterDomain", "hosts": "registrationAddress"},
)

K3S = NodeSystem(
    name="K3s",
    targets=("nodes.k3s",),
    control_plane="KThreesControlPlane",
    inside=("kthreesConfigSpec",),
    config="KThreesConfig",
    commands="preK3sCommands",
    late_commands="postK3sCommands",
    has_append=False,
    processes=("CONTAINERD",),
    registries="/etc/rancher/k3s/registries.yaml",
    pod_cidr="10.42.0.0/16",
    service_cidr="10.43.0.0/16",
    network={
        "pod_cidrs": "serverConfig.clusterCidr",
        "service_cidrs": "serverConfig.serviceCidr",
        "service_domain": "serverConfig.clusterDomain",
    },
)

K0S = NodeSystem(
    name="k0s",
    targets=("nodes.k0s",),
    control_plane="K0sControlPlane",
    inside=("k0sConfigSpec",),
    config="K0sWorkerConfig",
    config_role=Role.WORKER,
    commands="preK0sCommands",
    late_commands="postK0sCommands",
    has_append=False,
    has_mirror=False,
    format=("provisioner", "type"),
    services={"k0scontroller": Role.CONTROL_PLANE, "k0sworker": Role.WORKER},
    processes=("CONTAINERD", "KUBELET", "KONNECTIVITY", "ETCD", "KINE"),
    pod_cidr="10.244.0.0/16",
    service_cidr="10.96.0.0/12",
    network={
        "pod_cidrs": "k0s.spec.network.podCIDR",
        "service_cidrs": "k0s.spec.network.serviceCIDR",
        "service_domain": "k0s.spec.network.clusterDomain",
        "hosts": "k0s.spec.api.externalAddress",
    },
)

EKS_NODEADM = NodeSystem(
    name="nodeadm",
    targets=("nodes.eks",),
    control_plane="",
    inside=(),
    config="NodeadmConfig",
    config_role=Role.WORKER,
    commands="preNodeadmCommands",
    late_commands="",
    restart="try-restart",
    services={"containerd": None, "kubelet": None, "nodeadm-run": None},
)

EKS_BOOTSTRAP = EKS_NODEADM._replace(
    name="EKS",
    config="EKSConfig",
    commands="preBootstrapCommands",
    late_commands="postBootstrapCommands",
    services={"containerd": None, "kubelet": None, "sandbox-image": None},
)

TALOS = NodeSystem(
    name="Talos",
    targets=("nodes.talos",),
    control_plane="TalosControlPlane",
    inside=("controlPlaneConfig", "controlplane"),
    config="TalosConfig",
    commands="",
    late_commands="",
    has_mirror=False,
    pod_cidr="10.244.0.0/16",
    service_cidr="10.96.0.0/12",
)

SYSTEMS = (KUBEADM, RKE2, K3S, K0S, EKS_NODEADM, EKS_BOOTSTRAP, TALOS)

# Kinds of templates of control planes that have no nodes of their own.
HOSTED = {"AWSManagedControlPlaneTemplate", "K0smotronControlPlaneTemplate"}


def _kinds(system: NodeSystem) -> Iterator[NodeConfigKind]:
    """Yield the kinds of a system."""
    of_object = ("spec",)
    of_template = ("spec", "template", "spec")
    name = system.control_plane
    inside = system.inside
    role = Role.CONTROL_PLANE
    if name:
        yield NodeConfigKind(CONTROL_PLANE, name, system, (*of_object, *inside), role)
        yield NodeConfigKind(
            CONTROL_PLANE, f"{name}Template", system, (*of_template, *inside), role, True
        )
    name = system.config
    yield NodeConfigKind(BOOTSTRAP, name, system, of_object, system.config_role)
    yield NodeConfigKind(BOOTSTRAP, f"{name}Template", system, of_template, Role.WORKER, True)


# API group and kind -> row.
NODE_KINDS = {(kind.group, kind.kind): kind for system in SYSTEMS for kind in _kinds(system)}
# Those whose nodes read files with mirrors of registries.
WITH_MIRRORS = frozenset(key for key, kind in NODE_KINDS.items() if kind.system.has_mirror)
# Those with lists of files and commands.
WITH_FILES = frozenset(key for key, kind in NODE_KINDS.items() if kind.system.commands)
# The names of these.
KIND_NAMES = {kind for _, kind in WITH_FILES}

# The targets that write the proxy of nodes.
TARGETS = tuple(dict.fromkeys(target for system in SYSTEMS for target in system.targets))
_WITH_COMMANDS = [system for system in SYSTEMS if system.commands]
# Those of them that write files and commands.
FILE_TARGETS = tuple(
    dict.fromkeys(target for system in _WITH_COMMANDS for target in system.targets)
)
# Those of them that export it to what sets up the nodes.
EXPORTERS = {system.exporter for system in _WITH_COMMANDS}
# Those of them that write nothing else.
ONLY_EXPORTERS = {system.exporter for system in _WITH_COMMANDS if not system.services}
# The target that lets a ClusterClass give nodes what these targets write into its templates.
OF_CLASSES = "nodes.classes"


def edited_kinds(target_id: str) -> frozenset[GroupKind]:
    """Return API group and kind of the objects that a target of ``TARGETS`` edits."""
    return frozenset(key for key, kind in NODE_KINDS.items() if target_id in kind.system.targets)
