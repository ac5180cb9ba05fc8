"""Places that set a proxy for the same nodes and are not ours: seen, reported, never written."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from kubeadm_objects import HTTP_ONLY, NONE, PROXY, kubeadm, run

from krm_fn.targets import TARGETS

target = TARGETS["nodes.otherWriters"]
OLD = "http://old:1"


def file(path: str, content: str, **more: Any) -> dict[str, Any]:
    return kubeadm({"files": [{"path": path, "content": content, **more}]})


def node_config(kind: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": "bootstrap.cluster.x-k8s.io/v1beta1", "kind": kind, "spec": spec}


def rke2(path: str, content: str, **more: Any) -> dict[str, Any]:
    return node_config("RKE2Config", {"files": [{"path": path, "content": content, **more}]})


def k0s(path: str, content: str) -> dict[str, Any]:
    return node_config("K0sWorkerConfig", {"files": [{"path": path, "content": content}]})


def k3s(command: str) -> dict[str, Any]:
    return node_config("KThreesConfig", {"preK3sCommands": ["true", command]})


def rancher(name: str) -> dict[str, Any]:
    spec = {"agentEnvVars": [{"name": name, "value": OLD}, {"name": "HTTP_PROXY", "value": OLD}]}
    return {"apiVersion": "provisioning.cattle.io/v1", "kind": "Cluster", "spec": spec}


def infrastructure(kind: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": "infrastructure.cluster.x-k8s.io/v1beta2", "kind": kind, "spec": spec}


SEEN = [
    pytest.param(file("/etc/profile.d/proxy.sh", f"export http_proxy={OLD}; x\n"), id="a profile"),
    pytest.param(
        file("/home/ubuntu/.docker/config.json", json.dumps({"proxies": {"default": {"httpProxy": OLD}}})),
        id="the client of docker",
    ),
    pytest.param(
        file("/etc/systemd/system.conf.d/p.conf", f'[Manager]\nDefaultEnvironment="HTTP_PROXY={OLD}" A=1\n'),
        id="all services",
    ),
]
OF_ONE_PROCESS = [
    pytest.param(
        rke2(
            "/etc/default/rke2-agent",
            base64.b64encode(f"CONTAINERD_http_proxy={OLD}\n".encode()).decode(),
            encoding="base64",
        ),
        id="that file in base64, and a variable in lower case",
    ),
    pytest.param(
        k0s("/etc/systemd/system/k0sworker.service.d/x.conf", f"[Service]\nEnvironment=KUBELET_HTTPS_PROXY={OLD}\n"),
        id="the kubelet of k0s",
    ),
    pytest.param(k3s("export CONTAINERD_HTTPS_PROXY='http://u:a&$b@old:1'"), id="an export in single quotes"),
    pytest.param(
        k3s(f"echo CONTAINERD_HTTPS_PROXY={OLD} >> /etc/default/k3s"), id="a command that writes the file of K3s"
    ),
    pytest.param(rancher("CONTAINERD_HTTPS_PROXY"), id="the agents of Rancher"),
]
"""A variable of containerd alone, or of the kubelet, wins over the one that its service has."""
SEEN += OF_ONE_PROCESS


@pytest.mark.parametrize("obj", SEEN)
def test_another_proxy_is_a_warning_and_so_is_one_that_remains(obj: dict[str, Any]) -> None:
    for settings in (PROXY, NONE):
        outcome = run(target, obj, settings)
        assert outcome.changes == []
        (finding,) = outcome.findings
        assert finding.code == "OtherProxy"
        assert finding.path
        assert "old" not in finding.message


@pytest.mark.parametrize("obj", SEEN)
def test_the_text_of_an_object_with_such_a_place_holds_one_of_the_words_for_which_a_run_looks(
    obj: dict[str, Any],
) -> None:
    text = json.dumps(obj)
    assert any(word in text for word in target.hints({}))


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(file("/etc/environment", "# HTTP_PROXY=x\nhttp_proxy=\n"), id="a comment and an empty value"),
        pytest.param(file("/etc/profile.d/x.sh", 'export HTTP_PROXY="$P"\n'), id="a value that is not known"),
        pytest.param(file("/etc/docker/daemon.json", '{"proxies": [1]}'), id="JSON of another shape"),
        pytest.param(infrastructure("VCDCluster", {"proxyConfigSpec": []}), id="a wrong type"),
        pytest.param(
            rke2("/etc/default/rke2-server", "CONTAINERD_HTTP_PROXY=http://proxy:3128\n"), id="containerd too"
        ),
        pytest.param(rke2("/etc/default/rke2-server", f"#CONTAINERD_HTTP_PROXY={OLD}\n"), id="a comment"),
        pytest.param(rke2("/etc/default/rke2-server", f"MY_CONTAINERD_HTTP_PROXY={OLD}\n"), id="a longer name"),
        pytest.param(rke2("/etc/default/rke2-server", f"KUBELET_HTTP_PROXY={OLD}\n"), id="what RKE2 does not know"),
        pytest.param(file("/etc/default/kubelet", f"CONTAINERD_HTTP_PROXY={OLD}\n"), id="what kubeadm does not know"),
        pytest.param(k3s('export CONTAINERD_HTTP_PROXY="$P"'), id="a value of the shell"),
        pytest.param(rancher("CONTAINERD_LOG_LEVEL"), id="another variable of containerd"),
    ],
)
def test_nothing_is_reported_of_what_agrees(obj: dict[str, Any]) -> None:
    assert run(target, obj, HTTP_ONLY).findings == []


def test_a_warning_about_a_command_names_only_what_that_command_sets() -> None:
    first, second = f"export CONTAINERD_HTTPS_PROXY={OLD}", f"export CONTAINERD_HTTP_PROXY={OLD}"
    obj = node_config("KThreesConfig", {"preK3sCommands": [first, "true", second]})
    named = ["`CONTAINERD_HTTPS_PROXY`", "`CONTAINERD_HTTP_PROXY`"]
    for settings in (PROXY, NONE):
        found = run(target, obj, settings).findings
        assert [one.path[-1] for one in found] == ["0", "2"]
        assert [[name for name in named if name in one.message] for one in found] == [[name] for name in named]


@pytest.mark.parametrize("obj", OF_ONE_PROCESS)
def test_a_variable_of_one_process_is_read_as_that_of_its_service_which_may_set_the_others(obj: dict[str, Any]) -> None:
    found = list(target.read(obj, {}))
    assert found
    assert all(one.member.endswith(f"_{one.variable}") for one in found)
    assert all(one.process and one.maybe_elsewhere for one in found)
