"""`inject-proxy explain KIND/NAME`: one object, its Cluster and why, its overrides, and what each target does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from explained import MANIFESTS, RELEASE, workload
from support import inject_proxy, write

WEB = workload("web").replace("name: web", "name: web, namespace: NAMESPACE")
OBJECTS = {
    "clusters.yaml": MANIFESTS,
    "apps/shop.yaml": WEB.replace("NAMESPACE", "shop") + RELEASE,
    "apps/test.yaml": WEB.replace("NAMESPACE", "test"),
    "apps/chosen.yaml": workload("chosen")
    .replace("{name: chosen}", '{name: chosen, annotations: {A: "true"}}')
    .replace("A:", "fn.inject-proxy.io/proxy:"),
}
EAST_MD = "bootstrap.cluster.x-k8s.io/v1beta1/KubeadmConfigTemplate/org/east-md-0"


def answer(folder: Path, argv: str) -> Any:
    write(folder, OBJECTS)
    done = inject_proxy("", "explain", "--output", "json", *argv.split(), cwd=folder)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("argv", "name", "lines"),
    [
        pytest.param(
            "deployment/web -n shop",
            "apps/v1/Deployment/shop/web",
            ["Proxy: left: nobody chose them: `inject-proxy choose deployment/web -n shop`"],
            id="nobody chose it",
        ),
        pytest.param(
            "HelmRelease/a",
            "helm.toolkit.fluxcd.io/v2/HelmRelease/a",
            ["charts whose values are not known: podinfo"],
            id="a chart",
        ),
        pytest.param(
            "deployment/chosen apps clusters.yaml",
            "apps/v1/Deployment/chosen",
            ["Proxy: changed", 'workloads spec.template.spec.containers[0].env: sets the proxy in container "a"'],
            id="chosen, among paths",
        ),
        pytest.param(
            "kubeadmconfigtemplate/east-md-0",
            EAST_MD,
            [
                "Proxy: changed",
                "Cluster/org/east: its label `cluster.x-k8s.io/cluster-name`",
                "`spec.overrides[0]` fits",
                "nodes.containerd spec.template.spec.files",
                "nodes.commands spec.template.spec.preKubeadmCommands: ",
            ],
            id="nodes, with Cluster and override",
        ),
        pytest.param(
            "cluster/east",
            "cluster.x-k8s.io/v1beta1/Cluster/org/east",
            ["Cluster/org/east: it is the Cluster"],
            id="a Cluster",
        ),
    ],
)
def test_an_object_says_whether_it_gets_it_and_why(tmp_path: Path, argv: str, name: str, lines: list[str]) -> None:
    data = answer(tmp_path, argv)
    assert list(data["objects"]) == [name]
    said = "\n".join(data["objects"][name])
    assert [line for line in lines if line not in said] == []


MACHINES = """\
apiVersion: cluster.x-k8s.io/v1beta1
kind: MachineDeployment
metadata: {name: md, namespace: org}
spec:
  template:
    spec:
      bootstrap:
        configRef: {apiVersion: bootstrap.cluster.x-k8s.io/v1beta1, kind: KubeadmConfigTemplate, name: east-md-0}
"""


@pytest.mark.parametrize(
    ("files", "number"),
    [
        pytest.param({}, 0, id="nothing makes machines from it"),
        pytest.param({"md.yaml": MACHINES}, 1, id="a MachineDeployment"),
        pytest.param({"md.yaml": MACHINES.replace("east-md-0", "other")}, 0, id="a MachineDeployment of another one"),
    ],
)
def test_a_template_says_that_its_nodes_stay(tmp_path: Path, files: dict[str, str], number: int) -> None:
    write(tmp_path, files)
    data = answer(tmp_path, "kubeadmconfigtemplate/east-md-0")
    assert "\n".join(data["objects"][EAST_MD]).count("MachineDeployment/org/md") == number


def test_the_rest_of_the_answer_is_about_that_object(tmp_path: Path) -> None:
    data = answer(tmp_path, "kubeadmconfigtemplate/east-md-0")
    (proxy,) = data["proxies"]
    assert [place["object"] for place in proxy["places"]] == [EAST_MD]
    assert {"east.corp.example", ".svc"} <= {entry["text"] for entry in proxy["no_proxy"]}
    assert (data["clusters"], data["covered"]) == ([], [])
    assert "west" not in str(data).replace("reqwest", "")


def test_of_a_cluster_all_that_belongs_to_it_is_explained(tmp_path: Path) -> None:
    data = answer(tmp_path, "cluster/east")
    assert [cluster["name"] for cluster in data["clusters"]] == ["org/east"]
    assert {**data, "objects": {}, "summary": ""} == {**answer(tmp_path, "--cluster east"), "summary": ""}
    assert "Deployment" not in str(data)
