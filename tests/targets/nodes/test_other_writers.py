"""Places that set a proxy for the same nodes and are not ours: seen, reported, never written."""

from __future__ import annotations

import json
from typing import Any

import pytest
from kubeadm_objects import HTTP_ONLY, NONE, PROXY, kubeadm, run

from krm_fn.targets.nodes import containerd_drop_in
from krm_fn.targets.nodes import other_writers as target

OLD = "http://old:1"
OURS = "/etc/systemd/system/containerd.service.d/http-proxy.conf"


def file(path: str, content: str, **more: Any) -> dict[str, Any]:
    return kubeadm({"files": [{"path": path, "content": content, **more}]})


def infrastructure(kind: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": "infrastructure.cluster.x-k8s.io/v1beta2", "kind": kind, "spec": spec}


SEEN = [
    pytest.param(file("/etc/environment", f'HTTP_PROXY="{OLD}"\n'), id="/etc/environment"),
    pytest.param(file("/etc/profile.d/proxy.sh", f"export http_proxy={OLD}; x\n"), id="a profile"),
    pytest.param(file("/etc/default/kubelet", f"HTTPS_PROXY={OLD}\n"), id="the environment file of the kubelet"),
    pytest.param(file("/etc/apt/apt.conf.d/90proxy", f'Acquire::http::Proxy "{OLD}/";\n'), id="apt"),
    pytest.param(
        file("/home/ubuntu/.docker/config.json", json.dumps({"proxies": {"default": {"httpProxy": OLD}}})),
        id="the client of docker",
    ),
    pytest.param(file("/etc/docker/daemon.json", json.dumps({"proxies": {"http-proxy": OLD}})), id="its daemon"),
    pytest.param(
        file("/etc/systemd/system/docker.service.d/p.conf", f"[Service]\nEnvironment=HTTP_PROXY={OLD}\n"),
        id="the unit of docker",
    ),
    pytest.param(
        file("/etc/systemd/system.conf.d/p.conf", f'[Manager]\nDefaultEnvironment="HTTP_PROXY={OLD}" A=1\n'),
        id="all services",
    ),
    pytest.param(
        infrastructure("VCDCluster", {"proxyConfigSpec": {"httpsProxy": OLD, "noProxy": "a"}}), id="Cloud Director"
    ),
    pytest.param(file("/etc/bash.bashrc", f"export http_proxy={OLD}\n"), id="the file of bash"),
    pytest.param(file("/etc/sysconfig/rke2-server", f"HTTP_PROXY={OLD}\n"), id="the environment file of RKE2"),
    pytest.param(
        file("/usr/local/lib/systemd/system/rke2-agent.env", f"HTTP_PROXY={OLD}\n"), id="the other one of RKE2"
    ),
]


@pytest.mark.parametrize("obj", SEEN)
def test_another_proxy_is_a_warning_and_so_is_one_that_remains(obj: dict[str, Any]) -> None:
    for settings, words in ((PROXY, "another value than the one that is declared"), (NONE, "still sets")):
        outcome = run(target, obj, settings)
        assert outcome.changes == []
        (finding,) = outcome.findings
        assert words in finding.message
        assert finding.path
        assert "old" not in finding.message


@pytest.mark.parametrize("obj", SEEN)
def test_the_text_of_an_object_with_such_a_place_holds_one_of_the_words_for_which_a_run_looks(
    obj: dict[str, Any],
) -> None:
    text = json.dumps(obj)
    assert any(word in text for word in target.TARGET.hints({}))


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(file("/etc/environment", "HTTP_PROXY=http://proxy:3128/\nLANG=C\n"), id="the declared proxy"),
        pytest.param(file("/etc/environment", "# HTTP_PROXY=x\nhttp_proxy=\n"), id="a comment and an empty value"),
        pytest.param(file("/etc/profile.d/x.sh", 'export HTTP_PROXY="$P"\n'), id="a value that is not known"),
        pytest.param(file("/etc/docker/daemon.json", "{"), id="no JSON"),
        pytest.param(file("/etc/docker/daemon.json", '{"proxies": [1]}'), id="JSON of another shape"),
        pytest.param(file("/etc/other", f"HTTP_PROXY={OLD}\n"), id="a file that nobody reads for a proxy"),
        pytest.param(infrastructure("VCDCluster", {"proxyConfigSpec": []}), id="a wrong type"),
    ],
)
def test_nothing_is_reported_of_what_agrees(obj: dict[str, Any]) -> None:
    assert run(target, obj, HTTP_ONLY).findings == []


@pytest.mark.parametrize("more", [{"append": True}, {"contentFormat": "Template"}], ids=["append", "a template"])
def test_an_entry_that_is_no_plain_file_is_reported_and_not_edited(more: dict[str, Any]) -> None:
    obj = file(OURS, '[Service]\nEnvironment="HTTP_PROXY=x"\n', **more)
    for settings in (PROXY, NONE):
        outcome = run(containerd_drop_in, obj, settings)
        assert outcome.changes == []
        assert "is not edited" in outcome.warnings[0]
