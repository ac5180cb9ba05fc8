"""What the source documents of Tanzu Kubernetes Grid and Giant Swarm show is what comes out, line by line.

The inputs under ``testdata/documents`` are the manifests of the documents as they are before a proxy is set. Tanzu
writes upper-case names only; the lower-case ones stand between them here, so the lines shown are looked for in order.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from krm_fn.patch import lookup
from krm_fn.pipeline.run import run
from stories import TESTDATA, items, meaning

DOCUMENTS = TESTDATA / "documents"
SPEC = {
    "KubeadmControlPlane": ("spec", "kubeadmConfigSpec"),
    "KubeadmConfigTemplate": ("spec", "template", "spec"),
    "Deployment": ("spec", "template", "spec"),
}

TKG_NO_PROXY = ".svc.cluster.local,.svc,localhost,127.0.0.1,100.64.0.0/13,100.96.0.0/11"
TKG_UNIT = (
    "[Service]",
    'Environment="HTTP_PROXY=http://asdf"',
    'Environment="HTTPS_PROXY=https://asdf2"',
    f'Environment="NO_PROXY={TKG_NO_PROXY}"',
)
TKG_EXPORTS = (
    "export HTTP_PROXY='http://asdf'",
    "export HTTPS_PROXY='https://asdf2'",
    f"export NO_PROXY='{TKG_NO_PROXY}'",
)
GS_URL = "http://myProxyUser:mySuperSecretPassword@192.168.52.220:3128"
GS_NO_PROXY = (
    "cluster.local,100.64.0.0/13,100.96.0.0/11,178.170.32.59,172.16.0.0/16,internal.corpdomain.net,example.com,svc,"
    "127.0.0.1,localhost"
)
GS_VALUES = {
    "HTTP_PROXY": GS_URL,
    "http_proxy": GS_URL,
    "HTTPS_PROXY": GS_URL,
    "https_proxy": GS_URL,
    "NO_PROXY": GS_NO_PROXY,
    "no_proxy": GS_NO_PROXY,
}
GS_UNIT = ("[Service]", *(f'Environment="{name}={value}"' for name, value in GS_VALUES.items()))

CONTAINERD = "/etc/systemd/system/containerd.service.d/http-proxy.conf"
KUBELET = "/etc/systemd/system/kubelet.service.d/http-proxy.conf"
KUBELET_OF_TKG = "/usr/lib/systemd/system/kubelet.service.d/http-proxy.conf"


def answer(story: str) -> list[dict[str, Any]]:
    return [meaning(item) for item in items(run((DOCUMENTS / story / "input.yaml").read_bytes()).output)]


def spec_of(story: str, kind: str) -> dict[str, Any]:
    (found,) = [obj for obj in answer(story) if obj["kind"] == kind]
    spec: dict[str, Any] = lookup(found, SPEC[kind])
    return spec


def stands_in_order(wanted: Iterable[str], given: Iterable[str]) -> bool:
    """True if all of ``wanted`` stand in ``given``, in that order, whatever stands between them."""
    rest = iter(given)
    return all(line in rest for line in wanted)


NODES = [
    pytest.param("tkg/control-plane", "KubeadmControlPlane", id="the control plane of the Tanzu document"),
    pytest.param("tkg/workers", "KubeadmConfigTemplate", id="the workers of the Tanzu document"),
]
GS_NODES = [
    pytest.param("KubeadmControlPlane", id="a control plane of the Giant Swarm document"),
    pytest.param("KubeadmConfigTemplate", id="workers of the Giant Swarm document"),
]


@pytest.mark.parametrize("path", [CONTAINERD, KUBELET_OF_TKG])
@pytest.mark.parametrize(("story", "kind"), NODES)
def test_the_drop_in_is_the_one_tanzu_shows(story: str, kind: str, path: str) -> None:
    (entry,) = [entry for entry in spec_of(story, kind)["files"] if entry["path"] == path]
    assert (entry["owner"], entry["permissions"]) == ("root:root", "0640")
    assert stands_in_order(TKG_UNIT, entry["content"].splitlines())


@pytest.mark.parametrize(("story", "kind"), NODES)
def test_the_exports_are_those_tanzu_shows_and_stand_behind_the_start_of_containerd(story: str, kind: str) -> None:
    commands = spec_of(story, kind)["preKubeadmCommands"]
    before = 'hostname "{{ ds.meta_data.hostname }}"', 'echo "::1         ipv6-localhost ipv6-loopback" >/etc/hosts'
    start = "systemctl start containerd" if kind == "KubeadmControlPlane" else "systemctl restart containerd"
    assert stands_in_order([*before, start, *TKG_EXPORTS], commands)


@pytest.mark.parametrize("path", [CONTAINERD, KUBELET])
@pytest.mark.parametrize("kind", GS_NODES)
def test_the_drop_in_is_the_one_giant_swarm_shows(kind: str, path: str) -> None:
    (entry,) = [entry for entry in spec_of("giantswarm/nodes", kind)["files"] if entry["path"] == path]
    assert entry["content"].splitlines() == list(GS_UNIT)


def test_the_policy_of_giant_swarm_keeps_the_part_of_no_proxy_that_the_cluster_knows() -> None:
    (policy,) = answer("giantswarm/policy")
    context = {entry["name"]: lookup(entry, ("variable", "value")) for entry in policy["spec"]["rules"][0]["context"]}
    assert context["fullNoProxy"] == f"{GS_NO_PROXY},{{{{dynamicNoProxy}}}}"
    assert context["dynamicNoProxy"] == "{{apiEndpoint}},{{podSubnet}},{{serviceSubnet}}"
