"""Nodes of which one target writes all: each kind and role gets the files of its services, judged by their readers."""

from __future__ import annotations

import copy
import functools
from typing import Any

import pytest

from all_targets import TARGETS
from class_objects import PROXY, answer, cluster, cluster_class, contents, judged
from judges import environment_file, shell_environment, systemd_environment
from krm_fn.config import Certificates, Mirror
from krm_fn.patch import lookup
from krm_fn.products.node_kinds import EKS_NODEADM, K0S, NODE_KINDS, NodeConfigKind
from krm_fn.settings import ProxySettings
from manifests import named
from node_runs import HTTP_ONLY, NONE, run

k3s, k0s, eks = (TARGETS[f"nodes.{name}"] for name in ("k3s", "k0s", "eks"))
registry_mirror = TARGETS["nodes.mirror"]

PASSWORD = "http://us%40er:p%25ss%3A@proxy.corp.example:3128"
RKE2 = [kind for kind in NODE_KINDS.values() if kind.system.name == "RKE2"]


def obj(kind: NodeConfigKind, spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": f"{kind.group}/v1beta1",
        "kind": kind.kind,
        "metadata": {"name": "x"},
        **functools.reduce(lambda inner, key: {key: inner}, reversed(kind.path), copy.deepcopy(spec)),
    }


@pytest.mark.parametrize(
    ("mirrors", "codes"),
    [
        pytest.param({"*": {"endpoint": ["https://other.example"]}}, ["OtherProxy"], id="another mirror"),
        pytest.param({"quay.io": {"endpoint": "https://m.example"}}, ["OtherProxy"], id="of one registry, no list"),
        pytest.param({"*": {"endpoint": ["https://a.example", "https://m.example"]}}, [], id="ours among others"),
    ],
)
@pytest.mark.parametrize("kind", RKE2, ids=lambda kind: kind.kind)
def test_registries_in_a_field_of_rke2_need_no_file(kind: NodeConfigKind, mirrors: Any, codes: list[str]) -> None:
    wanted = ProxySettings(mirror=Mirror("https://m.example", "m.example", Certificates("")))
    filled = run(registry_mirror, obj(kind, {"privateRegistriesConfig": {}}), wanted)
    assert list(contents(lookup(filled.obj, kind.path))) == ["/etc/rancher/rke2/registries.yaml"]
    assert filled.findings == []
    given = copy.deepcopy(filled.obj)
    spec = lookup(given, kind.path)
    spec["privateRegistriesConfig"] = {"mirrors": mirrors, "configs": {"a.example": {"authSecret": {"name": "a"}}}}
    outcome = run(registry_mirror, given, wanted)
    after = lookup(outcome.obj, kind.path)
    assert after == {"privateRegistriesConfig": spec["privateRegistriesConfig"]}
    assert [said.code for said in outcome.findings] == codes
    path = (*kind.path, "privateRegistriesConfig")
    assert all(one.path == path for one in outcome.findings)
    assert run(registry_mirror, outcome.obj, NONE).findings == []


K3S = [kind for kind in NODE_KINDS.values() if kind.system.name == "K3s"]
INSTALLER = r"sh -c export | while read x v; do echo $v; done | grep -Ei '^(NO|HTTP|HTTPS)_PROXY'"
"""What the installer of K3s writes into the environment file of its service."""


@pytest.mark.parametrize("url", [PASSWORD, "http://proxy.corp.example:3128", "http://it's:a*[fd00::1]@proxy:1"])
@pytest.mark.parametrize("kind", K3S, ids=lambda kind: kind.kind)
def test_the_installer_of_k3s_copies_what_is_exported(kind: NodeConfigKind, url: str) -> None:
    wanted = HTTP_ONLY._replace(http_proxy=url)
    outcome = run(k3s, obj(kind, {}), wanted)
    spec = lookup(outcome.obj, kind.path)
    assert list(spec) == ["preK3sCommands"]
    copied = shell_environment("sh", [*spec["preK3sCommands"], f'export COPIED="$({INSTALLER})"'])["COPIED"]
    assert environment_file(copied) == wanted.variables
    assert run(k3s, outcome.obj, wanted).obj == outcome.obj
    assert not lookup(run(k3s, outcome.obj, NONE).obj, (*kind.path, "preK3sCommands"))


def test_ignition_of_k0s_is_a_mapping() -> None:
    kind = NODE_KINDS["bootstrap.cluster.x-k8s.io", "K0sWorkerConfigTemplate"]
    spec = {
        "ignition": {"variant": "flatcar"},
        "files": [{"path": "/usr/lib/systemd/system/k0sworker.service.d/http-proxy.conf"}],
    }
    assert [said.code for said in run(k0s, obj(kind, spec), HTTP_ONLY).findings if said.code] == ["CannotWrite"]


@pytest.mark.parametrize(
    ("version", "spec"),
    [
        pytest.param("v1beta1", {"ignition": {"variant": "flatcar"}}, id="v1beta1"),
        pytest.param("v1beta2", {"provisioner": {"type": "ignition"}}, id="v1beta2"),
    ],
)
def test_with_ignition_k0s_runs_each_command_alone_in_a_service_that_gets_the_proxy(version: str, spec: Any) -> None:
    kind = NODE_KINDS["bootstrap.cluster.x-k8s.io", "K0sWorkerConfigTemplate"]
    commands = "preStartCommands" if (kind.system, version) == (K0S, "v1beta1") else kind.system.commands
    given = obj(kind, {**spec, commands: ["true", "export HTTP_PROXY='http://old:1'"]})
    given["apiVersion"] = f"{kind.group}/{version}"
    wanted = HTTP_ONLY._replace(http_proxy=PASSWORD)
    written = run(k0s, given, wanted).obj
    after = lookup(written, kind.path)
    assert after[commands] == ["true"]
    services = ["k0sworker", "k0s-bootstrap"]
    assert list(contents(after)) == [f"/etc/systemd/system/{name}.service.d/http-proxy.conf" for name in services]
    for text in contents(after).values():
        assert systemd_environment(text) == wanted.variables
    assert lookup(run(k0s, written, NONE).obj, kind.path) == {**spec, commands: ["true"]}


EKS = [kind for kind in NODE_KINDS.values() if kind.system.targets == ("nodes.eks",)]


@pytest.mark.parametrize("kind", EKS, ids=lambda kind: kind.kind)
def test_workers_of_eks_get_drop_ins_and_a_reload_behind_no_command_of_the_network(kind: NodeConfigKind) -> None:
    wanted = HTTP_ONLY._replace(http_proxy=PASSWORD)
    outcome = run(eks, obj(kind, {kind.system.commands: ["true", "curl https://get.example"]}), wanted)
    spec = lookup(outcome.obj, kind.path)
    last = "nodeadm-run" if kind.kind.startswith("Nodeadm") else "sandbox-image"
    services = ["containerd", "kubelet", last]
    early = ("featureGates", "InstanceIdNodeName") if kind.system is EKS_NODEADM else ()
    assert [result.code for result in outcome.findings] == (["NetworkBeforeProxy"] if early else [])
    assert run(eks, obj(kind, {"featureGates": {"InstanceIdNodeName": True}}), wanted).findings == []
    assert list(contents(spec)) == [f"/etc/systemd/system/{name}.service.d/http-proxy.conf" for name in services]
    for text in contents(spec).values():
        assert systemd_environment(text) == wanted.variables
    commands = spec[kind.system.commands]
    assert commands[:2] == ["true", "systemctl daemon-reload && systemctl try-restart containerd # inject-proxy"]
    assert commands[-1] == "curl https://get.example"
    assert shell_environment("sh", commands[2:-1]).items() >= wanted.variables.items()
    assert run(eks, outcome.obj, wanted).obj == outcome.obj
    removed = lookup(run(eks, outcome.obj, NONE).obj, kind.path)
    assert (removed.get("files"), removed[kind.system.commands]) == (None, ["true", "curl https://get.example"])


@pytest.mark.judged
@pytest.mark.parametrize("system", ["RKE2", "K3s", "k0s"])
def test_patches_of_a_class_write_what_the_target_writes_into_a_template(system: str) -> None:
    templates = [kind for kind in NODE_KINDS.values() if kind.system.name == system and kind.is_template]
    commands = "preStartCommands" if system == "k0s" else templates[0].system.commands
    cp, md = (obj(kind, {commands: ["true"]} if kind.is_control_plane else {}) for kind in templates)
    for name, one in (("cp", cp), ("md", md)):
        one["metadata"] = {"name": name, "namespace": "ns"}
    workers = {"machineDeployments": [{"class": "md", "name": "md"}]}
    given = [cluster_class("v1beta1", cp, {"md": md}, {}), cp, md, cluster("v1beta1", workers=workers)]
    items, reported = answer(given, httpProxy=PASSWORD)
    assert [line for line in reported if "no target" in line] == []
    assert items[1:3] == [cp, md]
    nodes = judged(items, "one")
    for name, kind in (("controlPlane", templates[0]), ("md", templates[1])):
        spec = nodes[name]
        for step in kind.path[3:]:
            spec = spec.get(step, spec)
        exported = shell_environment("sh", spec[commands])
        assert (exported["HTTP_PROXY"], exported["https_proxy"]) == (PASSWORD, PROXY)
        files = contents(spec)
        assert [path for path in files if any(service in path for service in kind.services)] == list(files)
        assert len(files) == len([*kind.services])
        for text in files.values():
            read = (environment_file if kind in RKE2 else systemd_environment)(text)
            assert exported.items() >= read.items()
            assert read["HTTP_PROXY"] == PASSWORD
    again, _ = answer(items, httpProxy=PASSWORD)
    assert again == items


OF_KUBEADM = {"containerd": False, "kubelet": False, "commands": False}


@pytest.mark.parametrize(("system", "options"), [("kubeadm", OF_KUBEADM), ("K3s", {"commands": {"exports": False}})])
def test_a_class_whose_nodes_need_nothing_gets_no_patch_and_no_variable(system: str, options: dict[str, Any]) -> None:
    templates = [kind for kind in NODE_KINDS.values() if kind.system.name == system and kind.is_template]
    cp, md = (obj(kind, {}) | {"metadata": {"name": kind.kind.lower(), "namespace": "ns"}} for kind in templates)
    workers = {"machineDeployments": [{"class": "md", "name": "md"}]}
    given = [cluster_class("v1beta1", cp, {"md": md}, {}), cp, md, cluster("v1beta1", workers=workers)]
    written, _ = answer(given)
    assert [one["name"] for one in written[0]["spec"]["variables"]] == ["injectProxy"]
    for items in (given, written):
        after, _ = answer(items, targets={"nodes": options})
        assert not after[0]["spec"].get("variables")
        assert not after[0]["spec"].get("patches")
        assert after[1:] == given[1:]


@pytest.mark.judged
@pytest.mark.parametrize("kind", [kind for kind in EKS if kind.is_template], ids=lambda kind: kind.kind)
def test_patches_of_a_class_write_the_workers_of_eks_and_leave_out_hosted_planes(kind: NodeConfigKind) -> None:
    cp: dict[str, Any] = named(
        "AWSManagedControlPlaneTemplate",
        "cp",
        api="controlplane.cluster.x-k8s.io/v1beta2",
        namespace="ns",
        spec={"template": {"spec": {}}},
    )
    md = obj(kind, {}) | {"metadata": {"name": "md", "namespace": "ns"}}
    workers = {"machineDeployments": [{"class": "md", "name": "md"}]}
    given = [cluster_class("v1beta1", cp, {"md": md}, {}), cp, md, cluster("v1beta1", workers=workers)]
    items, reported = answer(given, httpProxy=PASSWORD)
    assert [line for line in reported if "no target" in line] == []
    spec = judged(items, "one")["md"]
    assert len(contents(spec)) == 3
    for text in contents(spec).values():
        assert systemd_environment(text)["HTTP_PROXY"] == PASSWORD
    assert "try-restart containerd" in spec[kind.system.commands][0]


@pytest.mark.parametrize(
    ("kind", "is_said"),
    [
        pytest.param("AWSManagedControlPlaneTemplate", False, id="hosted, without nodes"),
        pytest.param("OtherControlPlaneTemplate", True, id="unknown"),
    ],
)
def test_a_control_plane_that_no_target_writes_is_a_warning_unless_it_is_hosted(kind: str, is_said: bool) -> None:
    api_version = "controlplane.cluster.x-k8s.io/v1beta2"
    cp = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "cp", "namespace": "ns"}, "spec": {}}
    given = [cluster_class("v1beta1", cp, {}, {}), cp, cluster("v1beta1")]
    _, reported = answer(given, httpProxy=PASSWORD)
    assert any("no target writes the nodes of" in line for line in reported) is is_said
