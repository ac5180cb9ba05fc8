"""Nodes that are no Linux with containerd: nothing useless is written, and a line says what to do."""

from __future__ import annotations

from typing import Any

import pytest
from kubeadm_objects import HTTP_ONLY, NONE, kubeadm, meaning, run, spec_of

from krm_fn.products.node_kinds import KUBEADM
from krm_fn.targets.base import Target
from krm_fn.targets.nodes import containerd_drop_in, kubeadm_commands, kubelet_drop_in
from krm_fn.targets.nodes.container_runtime import CONTAINERD, CRI_O, LINUX, operating_system_of, runtime_of

WINDOWS: list[Any] = [
    pytest.param({"files": [{"path": "C:\\k\\x.ps1", "content": ""}]}, id="a path with a drive"),
    pytest.param({"files": [{"path": "c:/k/x"}]}, id="a path with a drive and slashes"),
    pytest.param({"preKubeadmCommands": ["powershell C:/create-external-network.ps1"]}, id="a command of PowerShell"),
    pytest.param({"postKubeadmCommands": ["nssm set kubelet start", "powershell.exe -c x"]}, id="behind kubeadm"),
    pytest.param(
        {"joinConfiguration": {"nodeRegistration": {"criSocket": "npipe:////./pipe/containerd-containerd"}}},
        id="a named pipe",
    ),
]
TARGETS = [module.TARGET for module in (containerd_drop_in, kubelet_drop_in, kubeadm_commands)]
SOCKET = {"nodeRegistration": {"criSocket": "unix:///var/run/crio/crio.sock"}}
RESTART = "systemctl daemon-reload && systemctl restart crio # inject-proxy"


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.id)
@pytest.mark.parametrize("spec", WINDOWS)
def test_nothing_is_written_to_windows_nodes_and_a_line_says_so(target: Target, spec: dict[str, Any]) -> None:
    outcome = run(target, kubeadm(spec), HTTP_ONLY)
    assert outcome.changes == []
    assert "Windows nodes" in outcome.warnings[0]
    assert run(target, kubeadm(spec), NONE).findings == []


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.id)
def test_nothing_is_written_to_bottlerocket_nodes(target: Target) -> None:
    outcome = run(target, kubeadm({"format": "bottlerocket"}), HTTP_ONLY)
    assert outcome.changes == []
    assert "`proxy.httpsProxy`" in outcome.warnings[0]


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.id)
def test_what_an_earlier_run_wrote_there_goes(target: Target) -> None:
    written = run(target, kubeadm({}), HTTP_ONLY).obj
    spec_of(written)["format"] = "bottlerocket"
    assert meaning(spec_of(run(target, written, HTTP_ONLY).obj)) == {"format": "bottlerocket"}


@pytest.mark.parametrize(
    "data",
    [
        pytest.param({}, id="nothing"),
        pytest.param({"users": [{"name": "windows"}]}, id="a name"),
        pytest.param({"files": [{"path": "/etc/windows/C:/x"}]}, id="a drive inside a path"),
        pytest.param({"preKubeadmCommands": ["echo powershell", None]}, id="an argument"),
        pytest.param({"joinConfiguration": {"nodeRegistration": {"criSocket": ["npipe:"]}}}, id="a wrong type"),
    ],
)
def test_linux_is_what_nothing_says_another_system_of(data: dict[str, Any]) -> None:
    assert operating_system_of(data, KUBEADM) == LINUX
    assert runtime_of(data) == CONTAINERD


def test_cri_o_gets_a_drop_in_and_a_restart_of_its_own() -> None:
    obj = kubeadm({"joinConfiguration": SOCKET})
    assert runtime_of(spec_of(obj)) == CRI_O
    outcome = run(containerd_drop_in, obj, HTTP_ONLY)
    (entry,) = spec_of(outcome.obj)["files"]
    assert entry["path"] == "/etc/systemd/system/crio.service.d/http-proxy.conf"
    assert "in the drop-in of crio" in outcome.changes[0].message
    assert {one.place for one in containerd_drop_in.TARGET.read(outcome.obj, {})} == {"the drop-in of crio"}
    assert spec_of(run(kubeadm_commands, obj, HTTP_ONLY).obj)["preKubeadmCommands"][0] == RESTART
    for target in (containerd_drop_in, kubeadm_commands):
        assert run(target, run(target, obj, HTTP_ONLY).obj, NONE).obj == obj


def test_what_was_written_for_containerd_goes_where_the_nodes_run_cri_o() -> None:
    written = run(kubeadm_commands, run(containerd_drop_in, kubeadm({}), HTTP_ONLY).obj, HTTP_ONLY).obj
    spec_of(written)["initConfiguration"] = SOCKET
    after = run(kubeadm_commands, run(containerd_drop_in, written, HTTP_ONLY).obj, HTTP_ONLY).obj
    assert [entry["path"] for entry in spec_of(after)["files"]] == [
        "/etc/systemd/system/crio.service.d/http-proxy.conf"
    ]
    assert [text for text in spec_of(after)["preKubeadmCommands"] if "systemctl" in text] == [RESTART]


def test_what_was_written_for_containerd_goes_beside_the_drop_in_of_somebody_else() -> None:
    obj = run(containerd_drop_in, kubeadm({}), HTTP_ONLY).obj
    other = {"path": "/etc/systemd/system/containerd.service.d/99-proxy.conf", "content": "[Service]\nUser=x\n"}
    other["content"] += "Environment=HTTP_PROXY=http://old:1\n"
    spec_of(obj)["files"].insert(0, other)
    spec_of(obj)["joinConfiguration"] = SOCKET
    outcome = run(containerd_drop_in, obj, HTTP_ONLY)
    assert [entry["path"] for entry in spec_of(outcome.obj)["files"]] == [
        other["path"],
        "/etc/systemd/system/crio.service.d/http-proxy.conf",
    ]
    assert "removes the drop-in of containerd, which the nodes do not run" in outcome.changes[0].message
