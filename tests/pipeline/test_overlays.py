"""A patch in an overlay that replaces a list with the proxy is named; kustomize itself shows that it is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

import manifests
from function_configs import DECLARED, URL
from support import inject_proxy, need, run, write

CHOOSE = "  targets: {workloads: {choose: [{names: [web]}]}, charts: {choose: [{names: [dns]}]}}\n"
OF_CP = {"group": "controlplane.cluster.x-k8s.io"}
NODES = manifests.control_plane("cp", preKubeadmCommands=["hostname x"])
WEB = manifests.workload(name="web")
RELEASE = manifests.named(
    "HelmRelease", "dns", spec={"chart": {"spec": {"chart": "external-dns"}}, "values": {"env": []}}
)


def values(*env: Any) -> Any:
    return manifests.named("HelmRelease", "dns", spec={"values": {"env": list(env)}})


@pytest.mark.parametrize(
    ("base", "patch", "fields"),
    [
        pytest.param(
            NODES,
            manifests.control_plane("cp", files=[{"path": "/etc/a", "content": "b"}], preKubeadmCommands=["true"]),
            ["spec.kubeadmConfigSpec.files", "spec.kubeadmConfigSpec.preKubeadmCommands"],
            id="lists of a control plane",
        ),
        pytest.param(RELEASE, values({"name": "LOG", "value": "x"}), ["spec.values.env"], id="values of a chart"),
        pytest.param(RELEASE, values({"name": "HTTPS_PROXY", "value": URL}), [], id="the author knows of the proxy"),
        pytest.param(WEB, manifests.workload(manifests.container("web", image="b"), name="web"), [], id="containers"),
        pytest.param(NODES, manifests.control_plane("cp", ntp={"servers": ["a"]}), [], id="another list"),
    ],
)
@pytest.mark.parametrize("is_inline", [False, True], ids=["a file", "in the kustomization"])
def test_a_patch_of_our_list_is_named(
    tmp_path: Path, base: Any, patch: Any, fields: list[str], is_inline: bool
) -> None:
    entry = {"patch": json.dumps(patch)} if is_inline else {"path": "patch.yaml"}
    files = {
        "proxy.yaml": DECLARED + CHOOSE,
        "base/object.yaml": json.dumps(base),
        "base/kustomization.yaml": "resources: [object.yaml]\n",
        "prod/kustomization.yaml": json.dumps({"resources": ["../base"], "patches": [entry]}),
    }
    write(tmp_path, files if is_inline else {**files, "prod/patch.yaml": json.dumps(patch)})
    done = inject_proxy("", "run", "--output", "json", cwd=tmp_path)
    found = [result for result in json.loads(done.stdout) if result["tags"].get("rule") == "PatchErases"]
    assert [result["field"]["path"] for result in found] == fields
    built = run([need("kustomize"), "build", "prod"], cwd=tmp_path)
    (item,) = yaml.safe_load_all(built.stdout)
    assert (URL in json.dumps(item)) is (not fields)


BY_SECRET = "  secretRef: {name: proxy}\n"
REFERENCE = {"secretKeyRef": {"name": "own", "key": "proxy"}}


@pytest.mark.parametrize(
    ("spec", "members", "is_named"),
    [
        pytest.param(BY_SECRET, {"value": "http://old:1"}, True, id="a value over our reference"),
        pytest.param(BY_SECRET, {"value": URL}, True, id="our own value over our reference"),
        pytest.param(BY_SECRET, {"value": "http://old:1", "valueFrom": None}, False, id="a value in its place"),
        pytest.param(BY_SECRET, {"valueFrom": REFERENCE}, False, id="another reference"),
        pytest.param("", {"valueFrom": REFERENCE}, True, id="a reference over our value"),
        pytest.param("", {"valueFrom": REFERENCE, "value": None}, False, id="a reference in its place"),
        pytest.param("", {"value": "http://old:1"}, False, id="another value"),
    ],
)
@pytest.mark.parametrize("is_inline", [False, True], ids=["a file", "in the kustomization"])
def test_a_patch_that_leaves_a_value_beside_a_reference_is_named(
    tmp_path: Path, spec: str, members: Any, is_named: bool, is_inline: bool
) -> None:
    patch = manifests.workload(manifests.container("web", {"name": "HTTPS_PROXY", **members}), name="web")
    entry = {"patch": json.dumps(patch)} if is_inline else {"path": "patch.yaml"}
    files = {
        "proxy.yaml": DECLARED + spec + CHOOSE,
        "base/object.yaml": json.dumps(WEB),
        "base/kustomization.yaml": "resources: [object.yaml]\n",
        "prod/kustomization.yaml": json.dumps({"resources": ["../base"], "patches": [entry]}),
    }
    write(tmp_path, files if is_inline else {**files, "prod/patch.yaml": json.dumps(patch)})
    done = inject_proxy("", "run", "--output", "json", cwd=tmp_path)
    found = [result["message"] for result in json.loads(done.stdout) if result["tags"].get("rule") == "PatchErases"]
    assert ["`value: null`" in message for message in found] == [True] * is_named
    built = run([need("kustomize"), "build", "prod"], cwd=tmp_path)
    (item,) = yaml.safe_load_all(built.stdout)
    (container,) = item["spec"]["template"]["spec"]["containers"]
    by_name = {entry["name"]: entry for entry in container["env"]}
    assert (len(by_name["HTTPS_PROXY"]) == 3) is is_named


HEAD = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization"}


@pytest.mark.parametrize(
    "layout",
    [
        pytest.param(({}, "patches", True), id="in the kustomization"),
        pytest.param((HEAD, "patches", True), id="in one with a kind"),
        pytest.param((HEAD, "patches", False), id="a file"),
        pytest.param(({}, "patchesJson6902", False), id="a file of patchesJson6902"),
    ],
)
@pytest.mark.parametrize(
    ("target", "path", "is_named"),
    [
        pytest.param({"kind": "KubeadmControlPlane"}, "preKubeadmCommands", True, id="a list is replaced"),
        pytest.param({"kind": "KubeadmControlPlane", "name": "cp"}, "preKubeadmCommands/0", True, id="by number"),
        pytest.param({"kind": "KubeadmControlPlane", "name": "other"}, "preKubeadmCommands", False, id="other object"),
        pytest.param({"kind": "KubeadmControlPlane", "name": "cp|other"}, "preKubeadmCommands", True, id="one of them"),
        pytest.param({"kind": "KubeadmControlPlane", **OF_CP, "version": "v1beta1"}, "", True, id="its version"),
        pytest.param({"kind": "KubeadmControlPlane", **OF_CP, "version": "v1beta9"}, "", False, id="another version"),
        pytest.param({"kind": "KubeadmControlPlane"}, "preKubeadmCommands/-", False, id="an item is appended"),
        pytest.param({"kind": "KubeadmControlPlane"}, "ntp", False, id="another field"),
        pytest.param({"kind": "KubeadmControlPlane"}, "", True, id="all that is around it"),
    ],
)
def test_a_json_patch_in_a_list_is_named(
    tmp_path: Path, target: Any, path: str, is_named: bool, layout: tuple[Any, str, bool]
) -> None:
    head, field, is_inline = layout
    whole = f"/spec/kubeadmConfigSpec/{path}".rstrip("/")
    # Operations below what another one replaces, and what is none: a foreign patch stops no run.
    others = [{"op": "add", "path": "/metadata/labels", "value": {}}, {"op": "add", "path": "/metadata/labels/a"}, "x"]
    operations = [*others, {"op": "test", "path": "/spec"}, {"op": "add", "path": whole, "value": ["true"]}]
    patch = {"patch": json.dumps(operations)} if is_inline else {"path": "patch.json"}
    files = {
        "proxy.yaml": DECLARED,
        "object.yaml": json.dumps(NODES),
        "kustomization.yaml": json.dumps({**head, "resources": ["object.yaml"], field: [{"target": target, **patch}]}),
        **({} if is_inline else {"patch.json": json.dumps(operations)}),
    }
    done = inject_proxy("", "run", "--output", "json", cwd=write(tmp_path, files))
    codes = {result["tags"].get("rule") for result in json.loads(done.stdout)}
    assert ("PatchErases" in codes) is is_named
